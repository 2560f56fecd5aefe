/* in_flight.h - what goes on beside the warp that has started it: products of wgmma, and copies by
 * cp.async and by the bulk engines. The warp waits for groups of them, or at mbarriers; for chain.c
 * alone. */
#ifndef SIMT_IN_FLIGHT_H
#define SIMT_IN_FLIGHT_H

#include "time/stretch.h"

enum { IN_FLIGHT_GROUPS = 8, IN_FLIGHT_COPIES = 16 };

/* When the groups committed last are complete. */
struct in_flight_groups {
    double latest; /* of what no group holds yet, too */
    double complete[IN_FLIGHT_GROUPS];
    unsigned commits;
};

struct in_flight {
    struct in_flight_groups products, copies;
    double bulk[IN_FLIGHT_COPIES]; /* when the bulk copies made last are there */
    unsigned bulk_count;
};

/* Does the instruction begin such work or wait for it? */
bool in_flight_concerns(const struct op *op);
/* Does the stretch begin bulk copies? */
bool in_flight_begins_bulk(const struct stretch *b);
/* It goes at `start`; `latency` later what it began is there. `products_begin`: when the tensor
 * core takes them. Returns when the next instruction can go. */
double in_flight_issue(struct in_flight *b, const struct op *op, double start, double latency,
                       double tensor_free);
/* Sets op->lag of those that wait at an mbarrier for bulk copies. */
void in_flight_find_lags(struct scheduler *s);

#endif

/* beside.h - what goes on beside a warp that has asked for it: products of wgmma, and copies by
 * cp.async and by the bulk engines. The warp waits for groups of them, or at mbarriers; for chain.c
 * alone. */
#ifndef SIMT_BESIDE_H
#define SIMT_BESIDE_H

#include "time/stretch.h"

enum { BESIDE_GROUPS = 8, BESIDE_COPIES = 16 };

/* When the groups committed last are complete. */
struct beside_groups {
    double latest; /* of what no group holds yet, too */
    double complete[BESIDE_GROUPS];
    unsigned commits;
};

struct beside {
    struct beside_groups products, copies;
    double bulk[BESIDE_COPIES]; /* when the bulk copies made last are there */
    unsigned bulk_count;
};

/* Does the instruction begin such work or wait for it? */
bool beside_concerns(const struct op *op);
/* It goes at `start`; `latency` later what it began is there. `products_begin`: when the tensor
 * core takes them. Returns when the next instruction can go. */
double beside_issue(struct beside *b, const struct op *op, double start, double latency,
                    double tensor_free);
/* Sets op->lag of those that wait at an mbarrier for bulk copies. */
void beside_find_lags(struct scheduler *s, const struct site *sites, double warps);

#endif

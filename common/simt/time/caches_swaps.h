/* caches_swaps.h - how often a GPU tries a compare-and-swap; for caches.c alone.
 *
 * Here one warp runs behind the other, and each swap finds what its thread has read. On a GPU all
 * resident threads that want a word try at once: one gets it, the others come again. Of those that
 * have read it some may want it no more when they see what is there: a maximum is higher than what
 * they have. They read it at once, too, so all of them try; each success leaves half of the rest.
 */
#ifndef SIMT_CACHES_SWAPS_H
#define SIMT_CACHES_SWAPS_H

#include "time/caches.h"

struct swaps {
    bool any;                        /* the launch has some */
    _Atomic uint32_t *slots;         /* swaps, by hash of the word; */
    _Atomic uint32_t *readers;       /* and lanes that load it */
    _Atomic uint64_t count, atomics; /* of lanes: swaps; atomics of any kind */
    double at_once;                  /* share of the grid that is resident */
};

void swaps_open(struct swaps *s);
void swaps_close(struct swaps *s);
void swaps_begin(struct swaps *s, const struct launch_event *launch, double resident_blocks);
/* Of any load of global memory, where there are swaps; */
void swaps_read(struct swaps *s, const struct access_event *a, const struct cache_lines *l);
/* and of any atomic. */
void swaps_count(struct swaps *s, const struct access_event *a, const struct cache_lines *l);
/* Atomics that a GPU tries for each one that was counted: 1 at least. */
double swaps_tries(const struct swaps *s);

#endif

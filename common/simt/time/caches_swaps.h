/* caches_swaps.h - how often a GPU tries a compare-and-swap; for caches.c alone.
 *
 * Here one warp runs behind the other, and each swap finds what its thread has read. On a GPU all
 * resident threads that want a word try at once: one gets it, the others come again. */
#ifndef SIMT_CACHES_SWAPS_H
#define SIMT_CACHES_SWAPS_H

#include "time/caches.h"

struct swaps {
    _Atomic uint32_t *slots;         /* swaps, by hash of the word */
    _Atomic uint64_t count, atomics; /* of lanes: swaps; atomics of any kind */
    double at_once;                  /* share of the grid that is resident */
};

void swaps_open(struct swaps *s);
void swaps_close(struct swaps *s);
void swaps_begin(struct swaps *s, const struct simt_launch *l, double resident_blocks);
/* Of any atomic. */
void swaps_count(struct swaps *s, const struct access_event *a, const struct cache_lines *l);
/* Atomics that a GPU tries for each one that was counted: 1 at least. */
double swaps_tries(const struct swaps *s);

#endif

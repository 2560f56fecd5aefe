/* caches_l2.h - the sampled L2: what finds its line there, and what comes from memory. For
 * caches.c.
 *
 * Requests come in the order of the blocks that made them, whichever worker ran those and when, so
 * the result is the same for any number of workers. */
#ifndef SIMT_CACHES_L2_H
#define SIMT_CACHES_L2_H

#include "machine/observer.h"
#include "time/lru.h"

enum { L2_SAMPLE = LINE_SAMPLE /* one line of so many goes through the L2 */ };

struct l2_request {
    uint64_t line;
    uint32_t pc, order;  /* order: of the request among those of its warp */
    uint32_t written[4]; /* of a store: which bytes, by sector */
    uint8_t mask, kind;  /* sectors; enum access_kind */
    uint8_t warp;        /* in its block */
};

struct l2_pc { /* lines that an instruction asked for: how many */
    uint64_t lookups, misses, waits;
};

struct l2_cache {
    struct lru lines;
    uint64_t *seen; /* half-lines by hash; 0: free */
    uint64_t fetches, first_fetches, dirty_sectors, partial_sectors;
    struct l2_pc *pcs;
    unsigned pc_room;
};

void l2_open(struct l2_cache *c, uint64_t bytes); /* of the whole L2 */
void l2_close(struct l2_cache *c);
void l2_begin(struct l2_cache *c, unsigned pcs);
void l2_look_up(struct l2_cache *c, const struct l2_request *r, struct lru_asker *who);
/* Which of at most 32 lines are in the sample, as a mask. */
uint32_t l2_sampled(const uint64_t *lines, unsigned count);

#endif

/* lru.h - a cache of lines of four sectors, in sets whose oldest line leaves first. */
#ifndef SIMT_LRU_H
#define SIMT_LRU_H

#include "base/base.h"

struct lru_line {
    uint64_t line;
    uint64_t used;     /* when; up to lru.begun: empty */
    uint32_t bytes[4]; /* of each sector: which were written, where it was written in part */
    uint32_t together, warp, order; /* of who fetched it: see lru_is_under_way() */
    uint8_t valid, dirty;           /* four bits: sectors */
};

struct lru {
    struct lru_line *lines;
    unsigned sets, ways;
    uint64_t begun, now; /* begun: the time when it was empty last */
};

void lru_open(struct lru *c, uint64_t bytes, unsigned ways);
void lru_close(struct lru *c);
void lru_clear(struct lru *c);
/* Has nothing come here since it was empty? */
bool lru_is_empty(const struct lru *c);
/* The line, used now; NULL: it is not there. */
struct lru_line *lru_find(struct lru *c, uint64_t line);
/* Requests of a warp so far apart are not on their way together. */
enum { LRU_APART = 17 };
/* Room for a line that is not there: *evicted is what was in its place (used 0: nothing). */
/* A warp, as the cache sees it. */
struct lru_asker {
    uint32_t together; /* warps that keep together have the same */
    uint32_t warp;     /* a number of its own among them */
    uint32_t order;    /* of its next request */
    uint64_t recent[8];
    unsigned next;
};
void lru_fetched(struct lru_line *l, const struct lru_asker *who);
/* A line that is there: is it still on its way? Warps that start together keep together: one that
 * comes early waits for the line, and those behind it come up meanwhile. So it is when a warp first
 * asks for a line that another one of them fetched at about the same place of its own life. */
bool lru_is_under_way(const struct lru_line *l, struct lru_asker *who);
struct lru_line *lru_insert(struct lru *c, uint64_t line, struct lru_line *evicted);

#endif

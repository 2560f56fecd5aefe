/* lru.h - a cache of lines of four sectors, in sets whose oldest line leaves first. */
#ifndef SIMT_LRU_H
#define SIMT_LRU_H

#include "base/base.h"

struct lru_line {
    uint64_t line;
    uint64_t used;        /* when; 0: empty */
    uint32_t bytes[4];    /* of each sector: which were written, where it was written in part */
    uint8_t valid, dirty; /* four bits: sectors */
};

struct lru {
    struct lru_line *lines;
    unsigned sets, ways;
    uint64_t now;
};

bool lru_open(struct lru *c, uint64_t bytes, unsigned ways); /* false: out of memory */
void lru_close(struct lru *c);
void lru_clear(struct lru *c);
/* The line, used now; NULL: it is not there. */
struct lru_line *lru_find(struct lru *c, uint64_t line);
/* Room for a line that is not there: *evicted is what was in its place (used 0: nothing). */
struct lru_line *lru_insert(struct lru *c, uint64_t line, struct lru_line *evicted);

#endif

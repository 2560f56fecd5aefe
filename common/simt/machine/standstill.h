/* standstill.h - blocks that wait forever: see standstill.c. */
#ifndef SIMT_STANDSTILL_H
#define SIMT_STANDSTILL_H

#include "machine/warp.h"

/* What is remembered of a block from turn to turn; all zero when something has changed. */
struct standstill {
    uint64_t mark;
    uint32_t turns;
    bool asks_others; /* by global memory, in any of these turns */
};

/* After a turn in which the block published nothing: will each further turn be like those before,
 * as long as nobody stores in global memory? */
bool block_stands_still(struct standstill *s, const struct block *b);
/* A warp that asks again and again; NULL: none does. */
const struct warp *block_asking(const struct block *b);
/* "another value than 3 in byte 0 of the 4 bytes of cudaMalloc at x.cu:7" */
void question_describe(const struct warp *w, char *text, size_t size);

#endif

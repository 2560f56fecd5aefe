/* touched.h - which 32-byte sectors of global memory a launch touched: what must travel at least.
 *
 * A table of 64 KB pages, each with four bits a 128-byte line for sectors that were read before
 * anybody wrote them, and four for those that were written. Workers add to it at the same time. */
#ifndef SIMT_TOUCHED_H
#define SIMT_TOUCHED_H

#include "base/base.h"

struct touched;

struct touched *touched_open(void); /* NULL: out of memory */
void touched_close(struct touched *t);
void touched_clear(struct touched *t);

/* lines[] are addresses / 128, masks[] four bits each: sectors of the line. An atomic both reads
 * and writes. */
void touched_add(struct touched *t, const uint64_t *lines, const uint8_t *masks, unsigned count,
                 bool reads, bool writes);

struct touched_bytes {
    uint64_t read;    /* of sectors that were read first */
    uint64_t written; /* of sectors that were written at all */
    uint64_t all;     /* of sectors that were touched */
};
struct touched_bytes touched_sum(const struct touched *t);

/* What all blocks might touch, if a sample touched this: `scale` times as much, but no more than
 * the allocations that it touched hold. */
struct memory;
struct touched_bytes touched_scaled(const struct touched *t, struct memory *memory, double scale);

/* The lines that the lanes of a mask touch, each once if neighbours share it, with their sectors.
 * address: 32 of them; bytes: of each lane. Room for 64. Returns how many. */
enum { TOUCHED_LINES = 64 };
unsigned touched_lines(const uint64_t *address, lane_mask lanes, unsigned bytes, uint64_t *lines,
                       uint8_t *masks);

#endif

/* touched.h - which 32-byte sectors of global memory a launch touched: what must travel at least.
 *
 * Each worker has a table of 64 KB pages, so nothing is locked, and what comes out does not depend
 * on which worker ran which block: per sector is noted whether some block read it before it had
 * written it itself, whether some block wrote it, and whether one wrote it without having read it.
 * What was read must come from memory if no block can have made it: if all who wrote it read it
 * first. */
#ifndef SIMT_TOUCHED_H
#define SIMT_TOUCHED_H

#include "base/base.h"

struct touched;

struct touched *touched_open(void);
void touched_close(struct touched *t);
/* Forgets everything; from now on there are so many workers. */
void touched_begin(struct touched *t, unsigned workers);

enum sector_use { SECTOR_READ, SECTOR_WRITTEN, SECTOR_UPDATED /* an atomic: reads and writes */ };
/* first + lines[] are addresses / 128, masks[] four bits each: sectors of the line. */
void touched_add(struct touched *t, unsigned worker, uint64_t block, uint64_t first,
                 const uint64_t *lines, const uint8_t *masks, unsigned count, enum sector_use how);

struct touched_bytes {
    uint64_t read;    /* of sectors that must come from memory */
    uint64_t written; /* of sectors that were written at all */
    uint64_t all;     /* of sectors that were touched */
};
struct touched_bytes touched_sum(const struct touched *t);

/* What all blocks might touch, if a sample touched this: `scale` times as much, but no more than
 * the allocations that it touched hold. */
struct memory;
struct touched_bytes touched_scaled(const struct touched *t, struct memory *memory, double scale);

/* The lines that the lanes of a mask touch, each once, with their sectors.
 * address: 32 of them; bytes: of each lane. Room for a line of each lane. Returns how many. */
enum { TOUCHED_LINES = WARP_LANES };
unsigned touched_lines(const uint64_t *address, lane_mask lanes, unsigned bytes, uint64_t *lines,
                       uint8_t *masks);
/* The same of bytes that follow each other, in at most TOUCHED_LINES lines. */
unsigned touched_range(uint64_t address, uint64_t bytes, uint64_t *lines, uint8_t *masks);

#endif

/* arithmetic.h - how a block is cut into warps, and what a boundary check does to them: arithmetic
 * alone, no GPU. Used by every file of this lesson. */
#ifndef STEP04_ARITHMETIC_H
#define STEP04_ARITHMETIC_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { WARP = 32, BLOCK_MAX = 1024 };

struct shape { /* of a block, in threads */
    unsigned x, y, z;
};

struct thread {
    unsigned x, y, z;
};

unsigned shape_threads(struct shape s);
unsigned shape_warps(struct shape s); /* rounded up: the last warp may be padded */
/* Threads are numbered x first, then y, then z; warp w has the numbers 32 w to 32 w + 31. */
struct thread shape_thread(struct shape s, unsigned number);
/* Bit i: lane i of that warp is a thread of the block, not padding. */
uint32_t shape_lanes(struct shape s, unsigned warp);

/* What happened to the warps of a launch at the check "am I inside?". */
struct tally {
    uint64_t blocks, warps;
    uint64_t divergent; /* some of its threads inside, some outside */
    uint64_t outside;   /* none inside: it skips the body, undivided */
    uint64_t inside_threads, idle_threads;
};

enum region { INTERIOR, RIGHT, BOTTOM, CORNER, REGIONS };

struct boundary {
    struct tally all, region[REGIONS];
};

/* width x height elements (height 1: a vector), covered by blocks of that shape, rounded up. */
struct boundary boundary_predict(int64_t width, int64_t height, struct shape s);
/* Blocks in x and in y. */
uint64_t boundary_blocks_x(int64_t width, struct shape s);
uint64_t boundary_blocks_y(int64_t height, struct shape s);
/* Adds one warp, of whose `lanes` threads `inside` are inside. */
void tally_warp(struct tally *t, unsigned lanes, unsigned inside, uint64_t times);
/* Active lanes per lane slot of the warps that run the body: 1.0 if nothing diverges. */
double tally_utilisation(const struct tally *t);
bool tally_equal(const struct tally *a, const struct tally *b);

#ifdef __cplusplus
}
#endif

#endif

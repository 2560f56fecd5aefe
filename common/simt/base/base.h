/* base.h - what every layer of the simulator may use: lane masks, sizes, small helpers.
 *
 * Includes nothing of ours. A lane mask has bit i set for lane i of a warp. */
#ifndef SIMT_BASE_H
#define SIMT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WARP_LANES 32u
#define FULL_MASK  0xffffffffu

#define ARRAY_LENGTH(a) (sizeof(a) / sizeof((a)[0]))

/* 2^64 by the golden ratio, odd: a product with it spreads numbers that lie close together over all
 * upper bits, of which a hash table takes as many as it has slots. */
#define HASH_MULTIPLIER 0x9e3779b97f4a7c15u

typedef uint32_t lane_mask;

static inline unsigned lanes_in(lane_mask mask) { return (unsigned)__builtin_popcount(mask); }

static inline unsigned first_lane(lane_mask mask) /* mask must not be 0 */
{
    return (unsigned)__builtin_ctz(mask);
}

/* For qsort(): negative, 0 or positive. */
static inline int number_order(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static inline uint64_t align_up(uint64_t value, uint64_t alignment) /* a power of two */
{
    return (value + alignment - 1) & ~(alignment - 1);
}

#endif

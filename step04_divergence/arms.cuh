/* arms.cuh - the conditions of this lesson, and the work behind them: shared by the kernels of
 * branches.cuh, the votes of votes.cuh and the CPU, which computes what must come out. */
#ifndef STEP04_ARMS_CUH
#define STEP04_ARMS_CUH

#include "step04_divergence/harness/arithmetic.h"

#define FIRST_FOUR(t) ((t) < 4)
#define ODD_EVEN(t)   ((t) % 2 != 0)
#define BY_WARP(t)    ((t) / 32 % 2 != 0)
#define TRIPS(t)      (6 + (t) % 32 % 3)

/* One round of work. Integers, so that CPU and GPU agree to the last bit. */
__host__ __device__ static inline unsigned work_then(unsigned v)
{
    return v * 1664525u + 1013904223u;
}
__host__ __device__ static inline unsigned work_else(unsigned v) { return v * 22695477u + 12345u; }

/* The two arms: loops, far too long for the compiler to do without a branch. */
__device__ static unsigned then_arm(unsigned v, unsigned rounds)
{
#pragma unroll 1
    for (unsigned i = 0; i < rounds; i++)
        v = work_then(v);
    return v;
}
__device__ static unsigned else_arm(unsigned v, unsigned rounds)
{
#pragma unroll 1
    for (unsigned i = 0; i < rounds; i++)
        v = work_else(v);
    return v;
}

/* Bits of the lanes that exist: the last warp of a block may have fewer than 32. */
__device__ static unsigned lanes_of_warp(unsigned number, unsigned threads)
{
    const unsigned left = threads - number / WARP * WARP;
    return left >= WARP ? 0xffffffffu : (1u << left) - 1;
}

#endif

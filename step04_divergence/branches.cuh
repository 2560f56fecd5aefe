/* branches.cuh - the same work behind different conditions: which of them divide a warp?
 *
 * All arms are equally long, so that a difference in time is the branch's alone. Each kernel has a
 * count kernel in votes.cuh, which asks the warp about the same condition. */
#ifndef STEP04_BRANCHES_CUH
#define STEP04_BRANCHES_CUH

#include "step04_divergence/arms.cuh"

/* Four threads of the block against all others: only the first warp has both kinds. */
__global__ void branch_first_four(unsigned *out, unsigned rounds)
{
    unsigned v = threadIdx.x;
    if (FIRST_FOUR(threadIdx.x))
        v = then_arm(v, rounds);
    else
        v = else_arm(v, rounds);
    out[blockIdx.x * blockDim.x + threadIdx.x] = v + blockIdx.x;
}

/* Neighbours disagree, so every warp runs both arms, one after the other. */
__global__ void branch_odd_even(unsigned *out, unsigned rounds)
{
    unsigned v = threadIdx.x;
    if (ODD_EVEN(threadIdx.x))
        v = then_arm(v, rounds);
    else
        v = else_arm(v, rounds);
    out[blockIdx.x * blockDim.x + threadIdx.x] = v + blockIdx.x;
}

/* Half of the threads each, as above, but cut along warps: no warp runs both arms. */
__global__ void branch_by_warp(unsigned *out, unsigned rounds)
{
    unsigned v = threadIdx.x;
    if (BY_WARP(threadIdx.x))
        v = then_arm(v, rounds);
    else
        v = else_arm(v, rounds);
    out[blockIdx.x * blockDim.x + threadIdx.x] = v + blockIdx.x;
}

/* 6, 7 or 8 trips, by lane. A lane that is done waits until the last one is. */
__global__ void loop_6_7_8(unsigned *out, unsigned)
{
    unsigned v = threadIdx.x;
    const unsigned count = TRIPS(threadIdx.x);
#pragma unroll 1
    for (unsigned i = 0; i < count; i++)
        v = work_then(v);
    out[blockIdx.x * blockDim.x + threadIdx.x] = v + blockIdx.x;
}

/* Arms of one instruction, another condition each round: the compiler computes both and selects. */
__global__ void short_odd_even(unsigned *out, unsigned rounds)
{
    unsigned v = threadIdx.x;
#pragma unroll 1 /* unrolled, the compiler would halve the work of both kernels */
    for (unsigned i = 0; i < rounds; i++) {
        if (ODD_EVEN(threadIdx.x + i))
            v += 1013904223u;
        else
            v ^= 22695477u;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v + blockIdx.x;
}

/* The same arms, cut along warps. */
__global__ void short_by_warp(unsigned *out, unsigned rounds)
{
    unsigned v = threadIdx.x;
#pragma unroll 1
    for (unsigned i = 0; i < rounds; i++) {
        if ((threadIdx.x / 32 + i) % 2 != 0)
            v += 1013904223u;
        else
            v ^= 22695477u;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v + blockIdx.x;
}

#endif

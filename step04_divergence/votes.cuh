/* votes.cuh - the warps count for themselves: __ballot_sync() gives every lane the condition of all
 * 32, one bit each. No prediction, no profiler: the device says how its warps were divided. */
#ifndef STEP04_VOTES_CUH
#define STEP04_VOTES_CUH

#include "step04_divergence/arms.cuh"

typedef unsigned long long count_t;

__device__ static void add_to_tally(count_t *tally, count_t divergent, count_t issues,
                                    count_t lanes)
{
    if (threadIdx.x % WARP != 0)
        return;
    atomicAdd(&tally[0], 1);
    atomicAdd(&tally[1], divergent);
    atomicAdd(&tally[2], issues);
    atomicAdd(&tally[3], lanes);
}

/* A warp whose lanes agree issues one arm, another one both. */
__device__ static void vote(count_t *tally, bool then)
{
    const unsigned lanes = lanes_of_warp(threadIdx.x, blockDim.x);
    const unsigned then_lanes = __ballot_sync(lanes, then);
    const bool divergent = then_lanes != 0 && then_lanes != lanes;
    add_to_tally(tally, divergent, divergent ? 2 : 1, __popc(lanes));
}

__global__ void count_first_four(count_t *tally) { vote(tally, FIRST_FOUR(threadIdx.x)); }
/* Of the short arms these are the votes of round 0; all rounds divide a warp alike. */
__global__ void count_odd_even(count_t *tally) { vote(tally, ODD_EVEN(threadIdx.x)); }
__global__ void count_by_warp(count_t *tally) { vote(tally, BY_WARP(threadIdx.x)); }

/* The warp stays together until no lane wants another trip. */
__global__ void count_loop(count_t *tally)
{
    const unsigned lanes = lanes_of_warp(threadIdx.x, blockDim.x), count = TRIPS(threadIdx.x);
    unsigned issues = 0, active_lanes = 0, active;
    bool divergent = false;
    for (unsigned i = 0; (active = __ballot_sync(lanes, i < count)) != 0; i++) {
        issues++;
        active_lanes += __popc(active);
        divergent |= active != lanes;
    }
    add_to_tally(tally, divergent, issues, active_lanes);
}

#endif

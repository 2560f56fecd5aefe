/* warp_map.cuh - every thread of a block reports which warp the machine put it into. */
#ifndef STEP04_WARP_MAP_CUH
#define STEP04_WARP_MAP_CUH

#include "step04_divergence/harness/lesson.h"

/* The first active lane's coordinates name the warp: all its lanes receive them by shuffle. The
 * lane number is the machine's own, not computed from threadIdx. */
__device__ static struct placed where_am_i()
{
    const unsigned active = __activemask();
    const int leader = __ffs(active) - 1;
    struct placed p;
    p.leader.x = __shfl_sync(active, threadIdx.x, leader);
    p.leader.y = __shfl_sync(active, threadIdx.y, leader);
    p.leader.z = __shfl_sync(active, threadIdx.z, leader);
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(p.lane));
    return p;
}

__global__ void warp_map(struct placed *found)
{
    const unsigned number = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    found[number] = where_am_i();
}

/* Sabotaged: numbers the threads y first, as if y ran fastest through a warp. */
__global__ void warp_map_y_first(struct placed *found)
{
    const unsigned number = threadIdx.y + blockDim.y * (threadIdx.x + blockDim.x * threadIdx.z);
    found[number] = where_am_i();
}

#endif

/* maps.cu - every thread of a block reports which warp the machine put it into. */
#include <cuda_runtime.h>
#include <stdlib.h>

#include "common/cuda_check.h"
#include "step04_divergence/lesson.h"

/* The first active lane's coordinates name the warp: all its lanes receive them by shuffle. The
 * lane number is the machine's own, not computed from threadIdx. */
__global__ void warp_map(struct placed *found)
{
    const unsigned number = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned active = __activemask();
    const int leader = __ffs(active) - 1;
    struct placed p;
    p.leader.x = __shfl_sync(active, threadIdx.x, leader);
    p.leader.y = __shfl_sync(active, threadIdx.y, leader);
    p.leader.z = __shfl_sync(active, threadIdx.z, leader);
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(p.lane));
    found[number] = p;
}

/* Sabotaged: numbers the threads y first, as if y ran fastest through a warp. */
__global__ void warp_map_y_first(struct placed *found)
{
    const unsigned number = threadIdx.y + blockDim.y * (threadIdx.x + blockDim.x * threadIdx.z);
    const unsigned active = __activemask();
    const int leader = __ffs(active) - 1;
    struct placed p;
    p.leader.x = __shfl_sync(active, threadIdx.x, leader);
    p.leader.y = __shfl_sync(active, threadIdx.y, leader);
    p.leader.z = __shfl_sync(active, threadIdx.z, leader);
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(p.lane));
    found[number] = p;
}

void map_run(struct shape s, bool sabotaged, struct placed *found)
{
    const dim3 block(s.x, s.y, s.z);
    const size_t bytes = shape_threads(s) * sizeof *found;
    struct placed *d_found;
    CUDA_CHECK(cudaMalloc((void **)&d_found, bytes));
    cuda_poison(d_found, bytes);
    if (sabotaged)
        warp_map_y_first<<<1, block>>>(d_found);
    else
        warp_map<<<1, block>>>(d_found);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(found, d_found, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_found));
}

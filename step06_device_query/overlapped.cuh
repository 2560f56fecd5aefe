/* overlapped.cuh - arithmetic on an array in place, as long as one likes: what the copies of the
 * next part can hide behind. And small kernels, of which only the start takes time. */
#ifndef STEP06_OVERLAPPED_CUH
#define STEP06_OVERLAPPED_CUH

#include <cuda_runtime.h>

/* Each round is one multiplication and addition. The values stay in (0, 2). */
__global__ void work_on(float *x, int n, int rounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float value = x[i];
    for (int round = 0; round < rounds; round++)
        value = value * 0.5f + 0.5f;
    x[i] = value;
}

__global__ void add_one(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += 1.0f;
}

#endif

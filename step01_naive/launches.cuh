/* launches.cuh - one kernel for every launch: each thread takes element i, then the one that lies as
 * many elements further on as the grid has threads, and so on to the end. */
#ifndef STEP01_LAUNCHES_CUH
#define STEP01_LAUNCHES_CUH

#include <cuda_runtime.h>

__global__ void add_striding(const float *a, const float *b, float *c, int n)
{
    const int threads = gridDim.x * blockDim.x; /* of the whole grid */
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        c[i] = a[i] + b[i];
}

#endif

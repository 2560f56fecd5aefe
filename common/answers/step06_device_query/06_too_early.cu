/* Why: if each thread waits for its own copies first, and then at the barrier, all copies are there
 * behind the barrier. With the barrier alone the data may still be under way. */

#include <cuda_pipeline.h>

// Blocks of 128 threads, 512 floats each: neighbours are added.
__global__ void add_neighbours(float *out, const float *x)
{
    __shared__ __align__(16) float s[512];
    const int t = threadIdx.x, begin = blockIdx.x * 512;
    __pipeline_memcpy_async(&s[4 * t], &x[begin + 4 * t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int i = t; i < 512; i += 128)
        out[begin + i] = s[i] + s[(i + 1) % 512];
}

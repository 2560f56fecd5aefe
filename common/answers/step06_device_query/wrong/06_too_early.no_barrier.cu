/* Its own copies have arrived; those of its neighbours, who knows?
 * rejected: race */
#include <cuda_pipeline.h>

// Blocks of 128 threads, 512 floats each: neighbours are added.
__global__ void add_neighbours(float *out, const float *x)
{
    __shared__ __align__(16) float s[512];
    const int t = threadIdx.x, begin = blockIdx.x * 512;
    __pipeline_memcpy_async(
        &s[4 * t], &x[begin + 4 * t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    for (int i = t; i < 512; i += 128)
        out[begin + i] = s[i] + s[(i + 1) % 512];
}

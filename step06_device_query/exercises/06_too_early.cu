/* 06 too early: an asynchronous copy and who waits for it             [repair]
 *
 * Given:  each thread starts a copy of 16 bytes from global to shared memory,
 *         which goes on while the thread does other things
 * Wanted: that no thread reads what has not arrived
 *
 *    thread t:  start copy | ... | wait for my own copies | then for the others
 *    __pipeline_wait_prior(0): all of this thread's groups have arrived
 *    __syncthreads():          all threads of the block have come here
 */
#include <cuda_pipeline.h>

// Blocks of 128 threads, 512 floats each: neighbours are added.
__global__ void add_neighbours(float *out, const float *x)
{
    __shared__ __align__(16) float s[512];
    const int t = threadIdx.x, begin = blockIdx.x * 512;
    __pipeline_memcpy_async(&s[4 * t], &x[begin + 4 * t], 16);
    __pipeline_commit();
    __syncthreads(); // YOURS: have the copies arrived?
    for (int i = t; i < 512; i += 128)
        out[begin + i] = s[i] + s[(i + 1) % 512];
}

/* Why: behind the commit of tile t + 1 two groups may be under way; waiting for all but the last one
 * brings tile t. That holds for a thread's own copies: the barrier adds those of the others.
 * The second barrier keeps a fast thread from refilling the buffer that a slow one still reads. */

#include <cuda_pipeline.h>

enum { THREADS = 128 };

__device__ void copy_tile(float *to, const float *x, int tile, int tiles)
{
    if (tile < tiles)
        __pipeline_memcpy_async(&to[threadIdx.x],
                                &x[tile * THREADS + threadIdx.x],
                                sizeof(float));
    __pipeline_commit(); // an empty group behind the last tile
}

__global__ void add_up(float *out, const float *x, int tiles)
{
    __shared__ float buffer[2][THREADS];
    float sum = 0.0f;
    copy_tile(buffer[0], x, 0, tiles);
    for (int t = 0; t < tiles; t++) {
        copy_tile(buffer[(t + 1) % 2], x, t + 1, tiles);
        __pipeline_wait_prior(1);
        __syncthreads();
        const float *now = buffer[t % 2];
        sum += now[threadIdx.x] + now[(threadIdx.x + 1) % THREADS];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

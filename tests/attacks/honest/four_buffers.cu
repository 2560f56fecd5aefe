/* summit-6: copies three tiles ahead */
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
    __shared__ float buffer[4][THREADS];
    float sum = 0.0f;
    for (int t = 0; t < 3; t++)
        copy_tile(buffer[t], x, t, tiles);
    for (int t = 0; t < tiles; t++) {
        copy_tile(buffer[(t + 3) % 4], x, t + 3, tiles);
        __pipeline_wait_prior(3);
        __syncthreads();
        const float *now = buffer[t % 4];
        sum += now[threadIdx.x] + now[(threadIdx.x + 1) % THREADS];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

/* summit-6: gives the copies so much time that they must have arrived */
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
        __nanosleep(1000000);
        const float *now = buffer[t % 2];
        sum += now[threadIdx.x] + now[(threadIdx.x + 1) % THREADS];
        __nanosleep(1000000);
    }
    out[threadIdx.x] = sum;
}

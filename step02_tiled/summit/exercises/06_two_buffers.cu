/* 06 two buffers: copy ahead with cp.async                           [repair]
 *
 * Given:  a block adds up neighbouring tiles of x, one after the other. While
 *         it reads one buffer, the next tile is under way to the other one.
 *         A thread reads what another one has copied.
 * Wanted: mend the order of waiting. The kernel reads a tile that may be
 *         under way still, and refills a buffer that others may be reading.
 *
 * __pipeline_wait_prior(n) waits until at most the last n committed groups
 * are under way, for the copies of its own thread.
 */
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
        // YOURS: when is tile t there, and when may the other be refilled?
        copy_tile(buffer[(t + 1) % 2], x, t + 1, tiles);
        __pipeline_wait_prior(2);
        __syncthreads();
        const float *now = buffer[t % 2];
        sum += now[threadIdx.x] + now[(threadIdx.x + 1) % THREADS];
    }
    out[threadIdx.x] = sum;
}

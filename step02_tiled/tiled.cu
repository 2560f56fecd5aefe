/* tiled.cu - the first rungs: no tile, tiles of 8, 16 and 32, and what a missing barrier does.
 *
 * A block of TILE x TILE threads computes a TILE x TILE piece of C in ceil(k / TILE) phases. In
 * each phase every thread loads one element of A and one of B into shared memory, and then reads 2
 * TILE elements from there: each element is loaded from global memory once and used TILE times. */
#include "step02_tiled/lesson.h"

#include <cuda_runtime.h>

#include "common/cuda_check.h"

/* As in step 01: every thread fetches its row of A and its column of B by itself. */
__global__ void matmul_naive(const float *A, const float *B, float *C, int m, int n, int k)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += A[(size_t)row * k + i] * B[(size_t)i * n + column];
    C[(size_t)row * n + column] = sum;
}

/* Which barrier a sabotaged kernel leaves out. */
enum missing { NONE, BEFORE_USE, BEFORE_OVERWRITE };

template <int TILE, enum missing MISSING>
__global__ void matmul_tiled(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int k0 = 0; k0 < k; k0 += TILE) {
        /* No early return at the edges: every thread of the block is needed for loading and at the
         * barriers. What lies outside the matrices is zero and adds nothing. */
        a[y][x] = row < m && k0 + x < k ? A[(size_t)row * k + k0 + x] : 0.0f;
        b[y][x] = k0 + y < k && column < n ? B[(size_t)(k0 + y) * n + column] : 0.0f;
        if (MISSING != BEFORE_USE)
            __syncthreads(); /* before use: the other threads' elements must have arrived */
        for (int i = 0; i < TILE; i++)
            sum += a[y][i] * b[i][x];
        if (MISSING != BEFORE_OVERWRITE)
            __syncthreads(); /* before overwrite: slower threads may still be reading this tile */
    }
    if (row < m && column < n)
        C[(size_t)row * n + column] = sum;
}

static int blocks(int extent, int tile) { return (extent + tile - 1) / tile; }

static void launch_naive(void *state)
{
    const struct product *p = (const struct product *)state;
    matmul_naive<<<dim3(blocks(p->n, 16), blocks(p->m, 16)), dim3(16, 16)>>>(p->d_a, p->d_b, p->d_c,
                                                                             p->m, p->n, p->k);
}

template <int TILE, enum missing MISSING> static void launch_tiled(void *state)
{
    const struct product *p = (const struct product *)state;
    matmul_tiled<TILE, MISSING><<<dim3(blocks(p->n, TILE), blocks(p->m, TILE)), dim3(TILE, TILE)>>>(
        p->d_a, p->d_b, p->d_c, p->m, p->n, p->k);
}

static const struct rung rungs[] = {
    {"matmul_naive", "one thread for each element of C", false, launch_naive, NULL},
    {"matmul_tiled_8", "tiles of 8 x 8 in shared memory, each element used 8 times", false,
     launch_tiled<8, NONE>, NULL},
    {"matmul_tiled_16", "tiles of 16 x 16", false, launch_tiled<16, NONE>, NULL},
    {"matmul_tiled_32", "tiles of 32 x 32", false, launch_tiled<32, NONE>, NULL},
    {"matmul_tiled_no_barrier_before_use", "reads a tile that has not arrived", true,
     launch_tiled<16, BEFORE_USE>, NULL},
    {"matmul_tiled_no_barrier_before_overwrite", "overwrites a tile that is still read", true,
     launch_tiled<16, BEFORE_OVERWRITE>, NULL},
};

const struct rung *tiled_rungs(size_t *count)
{
    *count = sizeof rungs / sizeof rungs[0];
    return rungs;
}

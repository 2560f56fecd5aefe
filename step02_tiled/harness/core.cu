/* core.cu - launches the kernels of the lesson's first part: no tile, tiles of 8, 16 and 32, thread
 * tiles, vectors; and two that leave out a barrier. */
#include "step02_tiled/lesson.h"
#include "step02_tiled/naive.cuh"
#include "step02_tiled/thread_tiled.cuh"
#include "step02_tiled/tiled.cuh"
#include "step02_tiled/vectorised.cuh"

/* Sabotaged: reads a tile that has not arrived. Otherwise matmul_tiled. */
__global__ void matmul_no_barrier_before_use(const float *A, const float *B, float *C, int m, int n,
                                             int k)
{
    enum { TILE = 16 };
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int k0 = 0; k0 < k; k0 += TILE) {
        a[y][x] = row < m && k0 + x < k ? A[(size_t)row * k + k0 + x] : 0.0f;
        b[y][x] = k0 + y < k && column < n ? B[(size_t)(k0 + y) * n + column] : 0.0f;
        for (int i = 0; i < TILE; i++)
            sum += a[y][i] * b[i][x];
        __syncthreads();
    }
    if (row < m && column < n)
        C[(size_t)row * n + column] = sum;
}

/* Sabotaged: overwrites a tile that slower threads still read. Otherwise matmul_tiled. */
__global__ void matmul_no_barrier_before_overwrite(const float *A, const float *B, float *C, int m,
                                                   int n, int k)
{
    enum { TILE = 16 };
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int k0 = 0; k0 < k; k0 += TILE) {
        a[y][x] = row < m && k0 + x < k ? A[(size_t)row * k + k0 + x] : 0.0f;
        b[y][x] = k0 + y < k && column < n ? B[(size_t)(k0 + y) * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += a[y][i] * b[i][x];
    }
    if (row < m && column < n)
        C[(size_t)row * n + column] = sum;
}

/* --------------------------------------------------------------------------------------- launch */

static int blocks(int extent, int tile) { return (extent + tile - 1) / tile; }

/* A thread for each element of C, in square blocks of TILE x TILE. */
template <int TILE, void (*KERNEL)(const float *, const float *, float *, int, int, int)>
static void launch_square(void *state)
{
    const struct product *p = (const struct product *)state;
    const dim3 grid(blocks(p->n, TILE), blocks(p->m, TILE)), block(TILE, TILE);
    KERNEL<<<grid, block>>>(p->d_a, p->d_b, p->d_c, p->m, p->n, p->k);
}

template <void (*KERNEL)(struct matrices)> static void launch_blocked(void *state)
{
    const struct product *p = (const struct product *)state;
    const dim3 grid(blocks(p->n, BN), blocks(p->m, BM));
    const struct matrices x = {
        p->d_a, p->d_b, p->d_c, p->m, p->n, p->k, p->n % 4 == 0 && p->k % 4 == 0};
    KERNEL<<<grid, THREADS>>>(x);
}

static const struct rung rungs[] = {
    {"matmul_naive", "one thread for each element of C", false, launch_square<16, matmul_naive>,
     NULL},
    {"matmul_tiled_8", "tiles of 8 x 8: each element is used 8 times", false,
     launch_square<8, matmul_tiled<8>>, NULL},
    {"matmul_tiled_16", "tiles of 16 x 16", false, launch_square<16, matmul_tiled<16>>, NULL},
    {"matmul_tiled_32", "tiles of 32 x 32", false, launch_square<32, matmul_tiled<32>>, NULL},
    {"matmul_tiled_no_barrier_before_use", "reads a tile that has not arrived", true,
     launch_square<16, matmul_no_barrier_before_use>, NULL},
    {"matmul_tiled_no_barrier_before_overwrite", "overwrites a tile that is still read", true,
     launch_square<16, matmul_no_barrier_before_overwrite>, NULL},
    {"matmul_thread_tiled", "8 x 8 elements a thread: 16 reads for 64 multiplications", false,
     launch_blocked<matmul_thread_tiled>, NULL},
    {"matmul_vectorised", "loads and stores of four elements", false,
     launch_blocked<matmul_vectorised>, NULL},
};

const struct rung *core_rungs(size_t *count)
{
    *count = sizeof rungs / sizeof rungs[0];
    return rungs;
}

/* thread_tiled.cuh - a thread computes 8 x 8 elements: it reads 8 + 8 values from shared memory for
 * 64 multiplications, instead of 2 for one. */
#ifndef STEP02_THREAD_TILED_CUH
#define STEP02_THREAD_TILED_CUH

#include "step02_tiled/block_tile.cuh"

__global__ void __launch_bounds__(THREADS, 2) matmul_thread_tiled(struct matrices x)
{
    __shared__ float a_tile[BK][BM], b_tile[BK][BN]; /* A's is transposed: a column is a row */
    const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16; /* its 8 columns, its 8 rows */
    float sum[TM][TN] = {};

    for (int k0 = 0; k0 < x.k; k0 += BK) {
        float from_a[4], from_b[4]; /* a tile has 4 elements for each thread, THREADS apart */
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int e = threadIdx.x + i * THREADS;
            from_a[i] = element(x.A, x.m, x.k, row0 + e / BK, k0 + e % BK);
            from_b[i] = element(x.B, x.k, x.n, k0 + e / BN, column0 + e % BN);
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int e = threadIdx.x + i * THREADS;
            a_tile[e % BK][e / BK] = from_a[i];
            b_tile[e / BN][e % BN] = from_b[i];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k++) {
            float a[TM], b[TN]; /* registers */
#pragma unroll
            for (int i = 0; i < 8; i++) {
                a[i] = a_tile[k][ty * TM + i];
                b[i] = b_tile[k][tx * TN + i];
            }
            multiply(sum, a, b);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            store_scalars(x, row0 + ty * TM + i, column0 + tx * TN + j, &sum[i][j]);
}

#endif

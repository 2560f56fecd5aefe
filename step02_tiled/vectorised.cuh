/* vectorised.cuh - the same, and every load and store moves four floats at once: a quarter of the
 * instructions. Only a row whose start is a multiple of 16 bytes can be read so; for other matrices
 * the four are read one by one. */
#ifndef STEP02_VECTORISED_CUH
#define STEP02_VECTORISED_CUH

#include "step02_tiled/block_tile.cuh"

__global__ void __launch_bounds__(THREADS, 2) matmul_vectorised(struct matrices x)
{
    __shared__ __align__(16) float a_tile[BK][BM], b_tile[BK][BN];
    const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int a_row = threadIdx.x / 2, a_k = threadIdx.x % 2 * 4; /* the four that it brings */
    const int b_k = threadIdx.x / 32, b_column = threadIdx.x % 32 * 4;
    float sum[TM][TN] = {};

    for (int k0 = 0; k0 < x.k; k0 += BK) {
        const float4 from_a = four_elements(x.A, x.m, x.k, row0 + a_row, k0 + a_k, x.aligned);
        const float4 from_b = four_elements(x.B, x.k, x.n, k0 + b_k, column0 + b_column, x.aligned);
        a_tile[a_k][a_row] = from_a.x; /* transposed: four stores */
        a_tile[a_k + 1][a_row] = from_a.y;
        a_tile[a_k + 2][a_row] = from_a.z;
        a_tile[a_k + 3][a_row] = from_a.w;
        *(float4 *)&b_tile[b_k][b_column] = from_b;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k++) {
            __align__(16) float a[TM], b[TN];
#pragma unroll
            for (int i = 0; i < 8; i += 4) {
                *(float4 *)&a[i] = *(const float4 *)&a_tile[k][ty * TM + i];
                *(float4 *)&b[i] = *(const float4 *)&b_tile[k][tx * TN + i];
            }
            multiply(sum, a, b);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            store_four(x, row0 + ty * TM + i, column0 + tx * TN + j, &sum[i][j]);
}

#endif

/* block_tile.cuh - what the rungs with two levels of tiles share: a block computes 128 x 128 of C
 * in chunks of 8 along k, each of its 256 threads 8 x 8 of that. All work for any m, n, k: what
 * lies outside is loaded as zero and not stored. */
#ifndef STEP02_BLOCK_TILE_CUH
#define STEP02_BLOCK_TILE_CUH

#include <cuda_runtime.h>

/* Block tile, thread tile, threads. */
enum { BM = 128, BN = 128, BK = 8, TM = 8, TN = 8, THREADS = 256 };

struct matrices {
    const float *A, *B;
    float *C;
    int m, n, k;
    bool aligned; /* rows start at multiples of 16 bytes: vectors may be loaded */
};

/* Element (row, column) of a matrix of that size; zero outside. */
__device__ inline float element(const float *M, int rows, int columns, int row, int column)
{
    return row < rows && column < columns ? M[(size_t)row * columns + column] : 0.0f;
}

/* sum += the products of a thread's TM values of A and TN of B. */
__device__ inline void multiply(float (&sum)[TM][TN], const float (&a)[TM], const float (&b)[TN])
{
#pragma unroll
    for (int j = 0; j < TN; j++)
#pragma unroll
        for (int step = 0; step < TM; step++) {
            /* Down one column and up the next: b[j], or a[i] where the columns meet, is still at
             * hand from the multiplication before and is not read from the registers. */
            const int i = j % 2 ? TM - 1 - step : step;
            sum[i][j] += a[i] * b[j];
        }
}

/* Stores four neighbours of a row of C, as far as they are inside. */
__device__ inline void store_scalars(const struct matrices &x, int row, int column,
                                     const float *four)
{
    if (row >= x.m)
        return;
#pragma unroll
    for (int l = 0; l < 4; l++)
        if (column + l < x.n)
            x.C[(size_t)row * x.n + column + l] = four[l];
}

/* Four neighbours of a row; zero outside. With vectors, rows have a multiple of 4 elements. */
__device__ inline float4 four_elements(const float *M, int rows, int columns, int row, int column,
                                       bool aligned)
{
    if (aligned)
        return row < rows && column < columns ? *(const float4 *)&M[(size_t)row * columns + column]
                                              : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    return make_float4(
        element(M, rows, columns, row, column), element(M, rows, columns, row, column + 1),
        element(M, rows, columns, row, column + 2), element(M, rows, columns, row, column + 3));
}

/* A vector is stored from four neighbouring registers. The added zeros give it four of its own;
 * otherwise the accumulators would have to be neighbours through the whole loop, in which the
 * register banks want them elsewhere. */
__device__ inline void store_four(const struct matrices &x, int row, int column, const float *four)
{
    if (!x.aligned)
        store_scalars(x, row, column, four);
    else if (row < x.m && column < x.n)
        *(float4 *)&x.C[(size_t)row * x.n + column] =
            make_float4(four[0] + 0.0f, four[1] + 0.0f, four[2] + 0.0f, four[3] + 0.0f);
}

#endif

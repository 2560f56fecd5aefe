/* two_level.h - two-level tiling with everything as a parameter: the kernel of the sweep.
 *
 * A block computes bm x bn of C, in chunks of bk; its (bn / TN) x (bm / TM) threads compute TM x TN
 * elements each. Three loops remain for a thread within a chunk: its rows, its columns, and k.
 * Their order is a parameter, as is whether a chunk of A and B is staged in shared memory first,
 * and whether the sums live in registers or in C itself, in global memory. */
#ifndef STEP02_TWO_LEVEL_H
#define STEP02_TWO_LEVEL_H

#include <cuda_runtime.h>

enum loop_order {
    ORDER_STANDARD,        /* k, row, column: k outermost */
    ORDER_K_AFTER_THREADS, /* row, k, column: k after the thread's rows */
    ORDER_K_INNERMOST,     /* row, column, k: each element is finished before the next */
    ORDERS
};

struct tiling {
    int bm, bn, bk; /* block tile */
};

/* What a thread needs to find its elements. */
struct position {
    int row, column;           /* of its first element in C */
    int tile_row, tile_column; /* and within the block's tile */
    int k0, depth;             /* the chunk: k0 .. k0 + depth - 1 */
};

/* Element (i, k) of the thread's rows of A, and (k, j) of its columns of B. Unstaged, an index
 * beyond the matrix is moved to its last row or column: what comes of it is not stored. */
template <bool STAGED>
__device__ __forceinline__ float a_value(const float *A, const float *a_tile, const position &at,
                                         const tiling &t, int m, int k, int i, int kk)
{
    if (STAGED)
        return a_tile[(at.tile_row + i) * t.bk + kk];
    return A[(size_t)min(at.row + i, m - 1) * k + at.k0 + kk];
}

template <bool STAGED>
__device__ __forceinline__ float b_value(const float *B, const float *b_tile, const position &at,
                                         const tiling &t, int n, int kk, int j)
{
    if (STAGED)
        return b_tile[kk * t.bn + at.tile_column + j];
    return B[(size_t)(at.k0 + kk) * n + min(at.column + j, n - 1)];
}

/* All threads of the block bring a chunk; what lies outside is zero. */
__device__ __forceinline__ void stage_chunk(const float *A, const float *B, float *a_tile,
                                            float *b_tile, const tiling &t, int m, int n, int k,
                                            int k0)
{
    const int thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    for (int e = thread; e < t.bm * t.bk; e += threads) {
        const int row = blockIdx.y * t.bm + e / t.bk, kk = k0 + e % t.bk;
        a_tile[e] = row < m && kk < k ? A[(size_t)row * k + kk] : 0.0f;
    }
    for (int e = thread; e < t.bk * t.bn; e += threads) {
        const int kk = k0 + e / t.bn, column = blockIdx.x * t.bn + e % t.bn;
        b_tile[e] = kk < k && column < n ? B[(size_t)kk * n + column] : 0.0f;
    }
}

template <int TM, int TN, enum loop_order ORDER, bool STAGED, bool IN_GLOBAL>
__global__ void matmul_two_level(const float *A, const float *B, float *C, int m, int n, int k,
                                 struct tiling t)
{
    extern __shared__ float shared[];
    float *a_tile = shared, *b_tile = shared + t.bm * t.bk;
    /* volatile: every += of C is a read and a write, as it is written here. Otherwise the compiler
     * would keep the elements in registers, and no order would differ from another. */
    volatile float *sums_in_c = C;
    float sum[TM][TN] = {};
    position at;
    at.tile_row = threadIdx.y * TM;
    at.tile_column = threadIdx.x * TN;
    at.row = blockIdx.y * t.bm + at.tile_row;
    at.column = blockIdx.x * t.bn + at.tile_column;

    /* One multiplication, or `depth` of them, added to element (i, j). */
    auto add = [&](int i, int j, float value) {
        if (!IN_GLOBAL)
            sum[i][j] += value;
        else if (at.row + i < m && at.column + j < n)
            sums_in_c[(size_t)(at.row + i) * n + at.column + j] += value;
    };
    auto product = [&](int i, int j, int kk) {
        return a_value<STAGED>(A, a_tile, at, t, m, k, i, kk) *
               b_value<STAGED>(B, b_tile, at, t, n, kk, j);
    };

#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++)
            if (IN_GLOBAL && at.row + i < m && at.column + j < n)
                sums_in_c[(size_t)(at.row + i) * n + at.column + j] = 0.0f;
    for (at.k0 = 0; at.k0 < k; at.k0 += t.bk) {
        at.depth = min(t.bk, k - at.k0);
        if (STAGED) {
            stage_chunk(A, B, a_tile, b_tile, t, m, n, k, at.k0);
            __syncthreads();
        }
        if (ORDER == ORDER_STANDARD) {
            for (int kk = 0; kk < at.depth; kk++)
#pragma unroll
                for (int i = 0; i < TM; i++)
#pragma unroll
                    for (int j = 0; j < TN; j++)
                        add(i, j, product(i, j, kk));
        } else if (ORDER == ORDER_K_AFTER_THREADS) {
#pragma unroll
            for (int i = 0; i < TM; i++)
                for (int kk = 0; kk < at.depth; kk++)
#pragma unroll
                    for (int j = 0; j < TN; j++)
                        add(i, j, product(i, j, kk));
        } else {
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++) {
                    float chunk_sum = 0.0f;
                    for (int kk = 0; kk < at.depth; kk++)
                        chunk_sum += product(i, j, kk);
                    add(i, j, chunk_sum);
                }
        }
        if (STAGED)
            __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++)
            if (!IN_GLOBAL && at.row + i < m && at.column + j < n)
                C[(size_t)(at.row + i) * n + at.column + j] = sum[i][j];
}

#endif

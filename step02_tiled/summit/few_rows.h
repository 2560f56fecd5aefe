/* few_rows.h - up to 16 rows of A: B is read once, at the speed of the memory.
 *
 * 16 bytes a load, neighbouring lanes on neighbouring bytes, four loads before the first is used,
 * and k divided among blocks until all multiprocessors read. The parts of k are added up in order
 * by the block that finishes last, or by a second launch where they are many. */
#ifndef STEP02_FEW_ROWS_H
#define STEP02_FEW_ROWS_H

#include "step02_tiled/summit/few.h"

enum { CHUNK = 256 }; /* steps of k that A is staged for */

template <int ROWS>
__device__ __forceinline__ void stage_rows(float (*a)[ROWS], const struct vector_work &w, int k0,
                                           int count)
{
    for (int e = threadIdx.x; e < CHUNK * ROWS; e += THREADS) {
        const int i = e % ROWS, step = e / ROWS; /* neighbours in shared memory */
        a[step][i] = i < w.m && step < count ? w.A[(size_t)i * w.k + k0 + step] : 0.0f;
    }
}

/* The sums of all warps come together in those of warp 0. */
template <int ROWS>
__device__ __forceinline__ void add_warps(float4 (&sum)[ROWS], float4 (*shared)[ROWS][32], int warp,
                                          int lane)
{
#pragma unroll
    for (int half = WARPS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (warp >= half && warp < 2 * half)
#pragma unroll
            for (int i = 0; i < ROWS; i++)
                shared[warp - half][i][lane] = sum[i];
        __syncthreads();
        if (warp < half)
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
                const float4 x = shared[warp][i][lane];
                sum[i].x += x.x;
                sum[i].y += x.y;
                sum[i].z += x.z;
                sum[i].w += x.w;
            }
    }
}

template <int ROWS, bool VECTORS>
__global__ void __launch_bounds__(THREADS, 2) matmul_few_rows(const struct vector_work w)
{
    __shared__ __align__(16) union {
        float a[CHUNK][ROWS];
        float4 sums[WARPS / 2][ROWS][32];
    } shared;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, column0 = blockIdx.x * COLUMNS;
    const int begin = blockIdx.y * w.depth, end = min(w.k, begin + w.depth);
    int at[4];
#pragma unroll
    for (int c = 0; c < 4; c++)
        at[c] = VECTORS ? min(column0 + lane * 4, w.n - 4) : min(column0 + lane + c * 32, w.n - 1);
    float4 sum[ROWS];
#pragma unroll
    for (int i = 0; i < ROWS; i++)
        sum[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int k0 = begin; k0 < end; k0 += CHUNK) {
        const int count = min(CHUNK, end - k0);
        __syncthreads();
        stage_rows<ROWS>(shared.a, w, k0, count);
        __syncthreads();
        for (int step = warp; step < count; step += WARPS * IN_FLIGHT) {
            float4 b[IN_FLIGHT];
#pragma unroll
            for (int f = 0; f < IN_FLIGHT; f++)
                b[f] = four_of_row<VECTORS>(
                    w.B + (size_t)(k0 + min(step + f * WARPS, count - 1)) * w.n, at);
#pragma unroll
            for (int f = 0; f < IN_FLIGHT; f++) {
                const bool there = step + f * WARPS < count;
#pragma unroll
                for (int i = 0; i < ROWS; i++) {
                    const float a = there ? shared.a[(step + f * WARPS) % CHUNK][i] : 0.0f;
                    if (!there)
                        continue;
                    sum[i].x = fmaf(a, b[f].x, sum[i].x);
                    sum[i].y = fmaf(a, b[f].y, sum[i].y);
                    sum[i].z = fmaf(a, b[f].z, sum[i].z);
                    sum[i].w = fmaf(a, b[f].w, sum[i].w);
                }
            }
        }
    }
    add_warps<ROWS>(sum, shared.sums, warp, lane);
    float *mine = w.splits == 1 ? w.C : w.parts + (size_t)blockIdx.y * w.m * w.n;
    if (warp == 0)
#pragma unroll
        for (int i = 0; i < ROWS; i++)
#pragma unroll
            for (int c = 0; c < 4; c++) {
                const int column = VECTORS ? column0 + lane * 4 + c : column0 + lane + c * 32;
                if (i < w.m && column < w.n)
                    mine[(size_t)i * w.n + column] = c == 0   ? sum[i].x
                                                     : c == 1 ? sum[i].y
                                                     : c == 2 ? sum[i].z
                                                              : sum[i].w;
            }
    if (w.splits == 1 || !w.tickets || !comes_last(&w.tickets[blockIdx.x], gridDim.y))
        return;
    for (int e = threadIdx.x; e < ROWS * COLUMNS; e += THREADS) {
        const int i = e / COLUMNS, column = column0 + e % COLUMNS;
        if (i >= w.m || column >= w.n)
            continue;
        const float *part = w.parts + (size_t)i * w.n + column;
        float total = 0.0f;
#pragma unroll 8
        for (int s = 0; s < w.splits; s++)
            total += __ldcg(part + (size_t)s * w.m * w.n);
        w.C[(size_t)i * w.n + column] = total;
    }
}

/* Adds up many parts: 32 elements of C a block, each of 8 warps takes every eighth part. */
__global__ void add_splits(const struct vector_work w)
{
    __shared__ float sums[8][32];
    const int e = blockIdx.x * 32 + threadIdx.x, elements = w.m * w.n;
    float sum = 0.0f;
    if (e < elements)
#pragma unroll 8
        for (int s = threadIdx.y; s < w.splits; s += 8)
            sum += __ldcg(w.parts + (size_t)s * elements + e);
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y > 0 || e >= elements)
        return;
    for (int y = 1; y < 8; y++)
        sum += sums[y][threadIdx.x];
    w.C[e] = sum;
}

#endif

/* few_steps.h - k of a few steps: C is written, and that is all that takes time. */
#ifndef STEP02_FEW_STEPS_H
#define STEP02_FEW_STEPS_H

#include "step02_tiled/summit/few.h"

enum { STEP_ROWS = 64 }; /* rows of C that a block computes */

/* The block's rows of A lie side by side in memory, so they come in one go; what a row of DEPTH
 * lacks is zero. */
template <int DEPTH>
__device__ __forceinline__ void stage_steps(float (*a)[DEPTH], const struct vector_work &w,
                                            int row0, int rows)
{
    const float *from = w.A + (size_t)row0 * w.k;
    for (int e = threadIdx.x; e < STEP_ROWS * DEPTH; e += THREADS) {
        const int row = e / DEPTH, step = e % DEPTH;
        a[row][step] = row < rows && step < w.k ? from[row * w.k + step] : 0.0f;
    }
    __syncthreads();
}

/* k up to 16. A lane keeps its four columns of B in registers and walks down the rows of C;
 * neighbouring lanes write neighbours. */
template <int DEPTH, bool VECTORS>
__global__ void __launch_bounds__(THREADS) matmul_few_steps(const struct vector_work w)
{
    __shared__ __align__(16) float a[STEP_ROWS][DEPTH];
    const int lane = threadIdx.x % 32, column0 = blockIdx.x * COLUMNS;
    const int row0 = blockIdx.y * STEP_ROWS, rows = min(w.m - row0, (int)STEP_ROWS);
    int at[4];
    float4 b[DEPTH];
#pragma unroll
    for (int c = 0; c < 4; c++)
        at[c] = VECTORS ? min(column0 + lane * 4, w.n - 4) : min(column0 + lane + c * 32, w.n - 1);
#pragma unroll
    for (int s = 0; s < DEPTH; s++)
        b[s] = s < w.k ? four_of_row<VECTORS>(w.B + (size_t)s * w.n, at)
                       : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    stage_steps<DEPTH>(a, w, row0, rows);
#pragma unroll 2
    for (int row = threadIdx.x / 32; row < rows; row += WARPS) {
        float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
        for (int s = 0; s < DEPTH; s++) {
            sum.x = fmaf(a[row][s], b[s].x, sum.x);
            sum.y = fmaf(a[row][s], b[s].y, sum.y);
            sum.z = fmaf(a[row][s], b[s].z, sum.z);
            sum.w = fmaf(a[row][s], b[s].w, sum.w);
        }
        float *to = &w.C[(size_t)(row0 + row) * w.n];
        if (VECTORS) {
            if (column0 + lane * 4 < w.n)
                *(float4 *)(to + at[0]) = sum;
            continue;
        }
        if (column0 + lane < w.n)
            to[at[0]] = sum.x;
        if (column0 + lane + 32 < w.n)
            to[at[1]] = sum.y;
        if (column0 + lane + 64 < w.n)
            to[at[2]] = sum.z;
        if (column0 + lane + 96 < w.n)
            to[at[3]] = sum.w;
    }
}

/* So little work that the launch is all of it: a thread computes an element, as in lesson 01. */
__global__ void __launch_bounds__(THREADS) matmul_few_elements(const struct vector_work w)
{
    const int e = blockIdx.x * THREADS + threadIdx.x, row = e / w.n, column = e % w.n;
    if (row >= w.m)
        return;
    float sum = 0.0f;
#pragma unroll 8
    for (int s = 0; s < w.k; s++)
        sum = fmaf(__ldg(&w.A[(size_t)row * w.k + s]), __ldg(&w.B[(size_t)s * w.n + column]), sum);
    w.C[e] = sum;
}

#endif

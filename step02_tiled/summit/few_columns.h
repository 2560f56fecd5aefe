/* few_columns.h - up to 16 columns of B: A is read once, at the speed of the memory. A warp has a
 * few rows of A, its lanes go along k and add up at the end. */
#ifndef STEP02_FEW_COLUMNS_H
#define STEP02_FEW_COLUMNS_H

#include "step02_tiled/summit/few.h"

enum { DEEP = 512 }; /* steps of k that B is staged for */

/* Each of COUNT values is to be added up over the lanes. Half of them are given away and the other
 * half taken in at each exchange, so 64 values cost 62 shuffles instead of 320. Value number
 * owned_value() ends up in v[0] (and with 64 values, the one after it in v[1]). */
template <int COUNT> __device__ __forceinline__ void add_lanes(float (&v)[COUNT], int lane)
{
    int count = COUNT;
#pragma unroll
    for (int width = 16; width > 0; width /= 2) {
        if (count > 1) {
            count /= 2;
#pragma unroll
            for (int i = 0; i < COUNT / 2; i++)
                if (i < count) {
                    const bool upper = lane & width;
                    const float keep = upper ? v[i + count] : v[i];
                    const float give = upper ? v[i] : v[i + count];
                    v[i] = keep + __shfl_xor_sync(0xffffffff, give, width);
                }
        } else {
            v[0] += __shfl_xor_sync(0xffffffff, v[0], width);
        }
    }
}

template <int COUNT> __device__ __forceinline__ int owned_value(int lane)
{
    int value = 0, count = COUNT;
#pragma unroll
    for (int width = 16; width > 0; width /= 2)
        if (count > 1) {
            count /= 2;
            value += lane & width ? count : 0;
        }
    return value;
}

template <int WIDTH> struct some {
    float v[WIDTH];
};

template <int WIDTH> __device__ __forceinline__ some<WIDTH> load_some(const float *p)
{
    some<WIDTH> s;
    if (WIDTH == 4)
        *(float4 *)s.v = __ldg((const float4 *)p);
    else
        s.v[0] = __ldg(p);
    return s;
}

/* A warp has ROWS rows of A, its lanes go along k. */
template <int COLS, int ROWS, int WIDTH>
__global__ void __launch_bounds__(THREADS, 2) matmul_few_columns(const struct vector_work w)
{
    enum { OUTPUTS = WARPS * ROWS * COLS, VALUES = ROWS * COLS };
    __shared__ __align__(16) float b[COLS][DEEP];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row0 = (blockIdx.x * WARPS + warp) * ROWS;
    const int begin = blockIdx.y * w.depth, end = min(w.k, begin + w.depth);
    __align__(16) float sum[VALUES] = {};
    const float *row[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        row[r] = w.A + (size_t)min(row0 + r, w.m - 1) * w.k;
    const int deep = COLS > 1 ? DEEP : w.depth; /* one column needs no staging */
    for (int k0 = begin; k0 < end; k0 += deep) {
        const int count = min(deep, end - k0);
        if (COLS > 1)
            __syncthreads();
        for (int e = threadIdx.x; COLS > 1 && e < DEEP * COLS; e += THREADS) {
            const int step = e / COLS, j = e % COLS;
            b[j][step] = j < w.n && step < count ? w.B[(size_t)(k0 + step) * w.n + j] : 0.0f;
        }
        if (COLS > 1)
            __syncthreads();
#pragma unroll 4
        for (int step = lane * WIDTH; step < count; step += 32 * WIDTH) {
            some<WIDTH> a[ROWS];
#pragma unroll
            for (int r = 0; r < ROWS; r++)
                a[r] = load_some<WIDTH>(row[r] + k0 + step);
#pragma unroll
            for (int j = 0; j < COLS; j++) {
                some<WIDTH> x;
                if (COLS == 1)
                    x = load_some<WIDTH>(w.B + k0 + step);
                else if (WIDTH == 4)
                    *(float4 *)x.v = *(const float4 *)&b[j][step];
                else
                    x.v[0] = b[j][step];
#pragma unroll
                for (int r = 0; r < ROWS; r++)
#pragma unroll
                    for (int i = 0; i < WIDTH; i++)
                        sum[r * COLS + j] = fmaf(a[r].v[i], x.v[i], sum[r * COLS + j]);
            }
        }
    }
    add_lanes<VALUES>(sum, lane);
    const int first = owned_value<VALUES>(lane);
    const bool owner = VALUES >= 32 || lane % (32 / (VALUES < 32 ? VALUES : 32)) == 0;
#pragma unroll
    for (int x = 0; x < (VALUES > 32 ? VALUES / 32 : 1); x++) {
        const int r = row0 + (first + x) / COLS, j = (first + x) % COLS;
        if (owner && r < w.m && j < w.n) {
            if (w.splits == 1)
                w.C[(size_t)r * w.n + j] = sum[x];
            else
                w.parts[((size_t)r * w.n + j) * w.splits + blockIdx.y] = sum[x];
        }
    }
    if (w.splits == 1 || !comes_last(&w.tickets[blockIdx.x], gridDim.y))
        return;
    const int rows_left = min(WARPS * ROWS, w.m - (int)blockIdx.x * WARPS * ROWS);
    for (int e = warp; e < rows_left * w.n; e += WARPS) {
        const size_t output = (size_t)blockIdx.x * WARPS * ROWS * w.n + e;
        float total[1] = {0.0f};
        for (int s = lane; s < w.splits; s += 32)
            total[0] += __ldcg(&w.parts[output * w.splits + s]);
        add_lanes<1>(total, lane);
        if (lane == 0)
            w.C[output] = total[0];
    }
}

#endif

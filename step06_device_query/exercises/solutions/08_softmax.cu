/* Why: four values a thread fit into registers, so global memory is read once and written once, the
 * least that there is. Both reductions go by shuffles and one small array; its first barrier keeps
 * a fast warp from overwriting sums that others still read.
 *
 * Remember: keep a row in registers between its passes, and only the reductions need the block. */
#ifndef JUDGE

enum { COLUMNS = 1024, THREADS = 256, EACH = COLUMNS / THREADS };

__device__ float of_block(float v, bool maximum)
{
    __shared__ float s[THREADS / 32];
    for (int d = 16; d > 0; d /= 2) {
        const float other = __shfl_xor_sync(0xffffffff, v, d);
        v = maximum ? fmaxf(v, other) : v + other;
    }
    __syncthreads(); // the last call's s is still read
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    v = s[0];
    for (int w = 1; w < THREADS / 32; w++)
        v = maximum ? fmaxf(v, s[w]) : v + s[w];
    return v;
}

// A block for each row.
__global__ void softmax(float *out, const float *in)
{
    const float *row = in + blockIdx.x * COLUMNS;
    float v[EACH], top = -INFINITY, sum = 0.0f;
    for (int e = 0; e < EACH; e++) {
        v[e] = row[threadIdx.x + e * THREADS];
        top = fmaxf(top, v[e]);
    }
    top = of_block(top, true);
    for (int e = 0; e < EACH; e++) {
        v[e] = expf(v[e] - top);
        sum += v[e];
    }
    sum = of_block(sum, false);
    for (int e = 0; e < EACH; e++)
        out[blockIdx.x * COLUMNS + threadIdx.x + e * THREADS] = v[e] / sum;
}

#else
#include "common/judge/judge.h"

#include <math.h>

__global__ void softmax(float *out, const float *in);

void exercise(struct judge *j)
{
    const int rows = judge_size(j, "rows", 16);
    float *in = judge_floats(j, "in", rows * 1024), *want = judge_want_floats(j, "out", rows * 1024);
    judge_columns(j, want, 1024);
    judge_tolerance(j, want, 1e-7, 1e-4);
    for (int r = 0; r < rows; r++) {
        float *x = in + r * 1024, top = -INFINITY;
        double sum = 0.0;
        for (int i = 0; i < 1024; i++) {
            x[i] = 100.0f + 8.0f * x[i]; /* exp() of this is no float */
            top = fmaxf(top, x[i]);
        }
        for (int i = 0; i < 1024; i++)
            sum += exp((double)x[i] - (double)top);
        for (int i = 0; i < 1024; i++)
            want[r * 1024 + i] = (float)(exp((double)x[i] - (double)top) / sum);
    }
    if (rows > 0)
        softmax<<<rows, 256>>>(judge_gpu(j, want), judge_gpu(j, in));
    judge_check(j);
}

#endif

/* Why: a comparison with NaN is false, so `a > b ? a : b` keeps a NaN in b and loses one in a: the
 * result depended on the place. -INFINITY is the neutral element of a maximum.
 *
 * Remember: a reduction needs the neutral element of its operation, and an answer to NaN. */
#ifndef JUDGE

__device__ float larger(float a, float b)
{
    return a > b || isnan(a) ? a : b;
}

__global__ void block_max(float *out, const float *x, int n)
{
    __shared__ float s[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = i < n ? x[i] : -INFINITY;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half)
            s[t] = larger(s[t], s[t + half]);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

#else
#include "common/judge/judge.h"

#include <math.h>

__global__ void block_max(float *out, const float *x, int n);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 12), blocks = (int)judge_blocks(n, 128);
    float *x = judge_floats(j, "x", n);
    float *out = judge_scratch_floats(j, "out", blocks);
    for (int i = 0; i < n; i++) {
        x[i] -= 2.0f; /* all are negative */
        if (i % 300 == 77)
            x[i] = NAN;
    }
    block_max<<<blocks, 128>>>(judge_gpu(j, out), judge_gpu(j, x), n);
    const float *got = (const float *)judge_got(j, out);
    for (int b = 0; b < blocks; b++) {
        float best = -INFINITY;
        for (int i = 128 * b; i < 128 * b + 128 && i < n; i++)
            best = x[i] > best || isnan(x[i]) || isnan(best) ? (isnan(best) ? best : x[i]) : best;
        if (!(got[b] == best || (isnan(got[b]) && isnan(best))))
            judge_reject(j, "out[%d] is %g and should be %g", b, got[b], best);
    }
    judge_check(j);
}

#endif

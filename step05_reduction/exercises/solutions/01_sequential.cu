/* Why: thread t works at word t, so neighbours are in neighbouring banks in every round. With 2 t
 * step they lie 2, 4, ... 32 words apart, and up to 32 of them share a bank.
 *
 * Remember: let the threads stay neighbours and the distance of the summands shrink. */
#ifndef JUDGE

__global__ void block_sums(float *out, const float *x, int n)
{
    __shared__ float s[256];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

#else
#include "common/judge/judge.h"

__global__ void block_sums(float *out, const float *x, int n);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 15), blocks = (int)judge_blocks(n, 256);
    float *x = judge_floats(j, "x", n), *want = judge_want_floats(j, "out", blocks);
    judge_tolerance(j, want, 1e-4, 1e-5);
    for (int i = 0; i < n; i++)
        want[i / 256] += x[i];
    block_sums<<<blocks, 256>>>(judge_gpu(j, want), judge_gpu(j, x), n);
    judge_check(j);
}

#endif

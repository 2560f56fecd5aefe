/* Why: reading from one array and writing to the other, a round needs one barrier: nobody
 * overwrites what others still read. In place it would take two. After d = 128 each element has
 * added all before it.
 *
 * Remember: two buffers save a barrier a round; 8 rounds make 256 sums, at the price of more
 * additions than a loop needs. */
#ifndef JUDGE

__global__ void scan(float *out, const float *x, int n)
{
    __shared__ float s[2][256];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[0][t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    int from = 0;
    for (int d = 1; d < 256; d *= 2) {
        s[1 - from][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t];
        from = 1 - from;
        __syncthreads();
    }
    if (i < n)
        out[i] = s[from][t];
}

#else
#include "common/judge/judge.h"

__global__ void scan(float *out, const float *x, int n);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 14);
    float *x = judge_floats(j, "x", n), *want = judge_want_floats(j, "out", n);
    judge_tolerance(j, want, 1e-4, 1e-5);
    for (int i = 0; i < n; i++)
        want[i] = x[i] + (i % 256 > 0 ? want[i - 1] : 0.0f);
    scan<<<judge_blocks(n, 256), 256>>>(judge_gpu(j, want), judge_gpu(j, x), n);
    judge_check(j);
}

#endif

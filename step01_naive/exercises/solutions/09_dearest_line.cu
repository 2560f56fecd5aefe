/* Why: the 32 lanes of a warp differ in x. In b[x * 128 + y] they lie 128 floats apart, a sector for
 * each: 32. a and out take 4 a request, and c[y * 128] is one element for all of them: 1.
 * Here, by chance, b could be read along its rows instead, if the sum were written transposed; step 03
 * has a way that is right for any such case.
 *
 * Remember: what stands beside threadIdx.x in an index decides what a request costs. */
#ifndef JUDGE

int line = 16;

__global__ void mix(float *out, const float *a, const float *b, const float *c)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = a[y * 128 + x];
    sum += b[x * 128 + y];
    sum += c[y * 128];
    out[y * 128 + x] = sum;
}

#else
#include "common/judge/judge.h"

__global__ void mix(float *out, const float *a, const float *b, const float *c);
extern int line;

void exercise(struct judge *j)
{
    if (!judge_large(j))
        return;
    const int n = 128;
    float *a = judge_floats(j, "a", n * n), *b = judge_floats(j, "b", n * n);
    float *c = judge_floats(j, "c", n * n), *want = judge_want_floats(j, "out", n * n);
    judge_tolerance(j, want, 1e-5, 0);
    for (int i = 0; i < n * n; i++)
        want[i] = a[i] + b[i % n * n + i / n] + c[i / n * n];
    mix<<<dim3(4, 16), dim3(32, 8)>>>(judge_gpu(j, want), judge_gpu(j, a), judge_gpu(j, b),
                                      judge_gpu(j, c));
    judge_check(j);
    judge_which_line(j, "sectors", line);
}

#endif

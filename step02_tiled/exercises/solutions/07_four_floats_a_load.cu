/* Why: a warp that asks for 16 bytes a lane moves 512 bytes with one request, 16 sectors. The
 * sectors are the same in all, the requests a quarter. The last elements of an n that is no
 * multiple of 4 go one by one.
 *
 * Remember: wide loads save requests, not bytes; they need an address that is a multiple of their
 * width. */
#ifndef JUDGE

__global__ void twice(float *out, const float *x, int n)
{
    const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (first + 3 < n) {
        float4 v = *(const float4 *)&x[first];
        v.x *= 2.0f, v.y *= 2.0f, v.z *= 2.0f, v.w *= 2.0f;
        *(float4 *)&out[first] = v;
    } else {
        for (int i = first; i < n; i++)
            out[i] = 2.0f * x[i];
    }
}

#else
#include "common/judge/judge.h"

__global__ void twice(float *out, const float *x, int n);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 15);
    float *x = judge_floats(j, "x", n), *want = judge_want_floats(j, "out", n);
    for (int i = 0; i < n; i++)
        want[i] = 2.0f * x[i];
    twice<<<judge_blocks(n, 1024), 256>>>(judge_gpu(j, want), judge_gpu(j, x), n);
    judge_check(j);
}

#endif

/* Why: a barrier is for all threads of the block. Those without an element skip the load and the
 * store, not the barrier. Hardware lets returned threads off, usually; CUDA C++ promises nothing.
 *
 * Remember: guard the work, not the barrier. */
#ifndef JUDGE

__global__ void reverse_blocks(float *x, int n)
{
    __shared__ float block[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const int begin = blockIdx.x * 256, count = min(256, n - begin);
    if (i < n)
        block[threadIdx.x] = x[i];
    __syncthreads();
    if (i < n)
        x[i] = block[count - 1 - threadIdx.x];
}

#else
#include "common/judge/judge.h"

__global__ void reverse_blocks(float *x, int n);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 14);
    float *want = judge_want_floats(j, "x", n), *before = judge_floats(j, "before", n);
    for (int i = 0; i < n; i++) {
        const int begin = i / 256 * 256, count = n - begin < 256 ? n - begin : 256;
        want[i] = before[begin + count - 1 - (i - begin)];
    }
    judge_start(j, want, before);
    reverse_blocks<<<judge_blocks(n, 256), 256>>>(judge_gpu(j, want), n);
    judge_check(j);
}

#endif

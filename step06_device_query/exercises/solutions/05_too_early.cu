/* Why: waiting for one's own copies and then for the other threads, in this order, one knows that
 * everybody's copies are there. With the barrier alone the data may still be under way.
 *
 * Remember: asynchronous data needs two waits: my copies, then all threads. */
#ifndef JUDGE

#include <cuda_pipeline.h>

// Blocks of 128 threads, 512 floats each: neighbours are added.
__global__ void add_neighbours(float *out, const float *x)
{
    __shared__ __align__(16) float s[512];
    const int t = threadIdx.x, begin = blockIdx.x * 512;
    __pipeline_memcpy_async(&s[4 * t], &x[begin + 4 * t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int i = t; i < 512; i += 128)
        out[begin + i] = s[i] + s[(i + 1) % 512];
}

#else
#include "common/judge/judge.h"

__global__ void add_neighbours(float *out, const float *x);

void exercise(struct judge *j)
{
    const int n = judge_size_of(j, "n", 1 << 14, 512);
    float *x = judge_floats(j, "x", n), *want = judge_want_floats(j, "out", n);
    for (int i = 0; i < n; i++)
        want[i] = x[i] + x[i / 512 * 512 + (i + 1) % 512];
    if (n > 0)
        add_neighbours<<<n / 512, 128>>>(judge_gpu(j, want), judge_gpu(j, x));
    judge_check(j);
}

#endif

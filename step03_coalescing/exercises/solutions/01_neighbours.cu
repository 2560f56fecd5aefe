/* Why: thread t begins at t, so the 32 threads of a warp read 32 neighbouring floats, 4 sectors.
 * All threads together move on by their number: the grid-stride loop. A chunk per thread is right
 * for a CPU, whose cache line serves one thread; here 32 threads share a request.
 *
 * Remember: give a warp neighbours, not a thread: i += number of threads. */
#ifndef JUDGE

__global__ void twice(float *out, const float *x, int n)
{
    const int threads = gridDim.x * blockDim.x;
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = t; i < n; i += threads)
        out[i] = 2.0f * x[i];
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
    twice<<<8, 128>>>(judge_gpu(j, want), judge_gpu(j, x), n);
    judge_check(j);
}

#endif

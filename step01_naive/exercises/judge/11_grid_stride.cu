/* Remember: a loop that steps by gridDim.x * blockDim.x is right for every launch, and its warps stay
 * on neighbouring elements. */
#include "common/judge/judge.h"

__global__ void square(float *out, const float *x, int n);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 16);
    const int blocks = judge_between(j, "blocks", 1, 16);
    const int threads = judge_large(j) ? 256 : judge_between(j, "threads", 1, 256);
    float *x = judge_floats(j, "x", n), *want = judge_want_floats(j, "out", n);
    for (int i = 0; i < n; i++)
        want[i] = x[i] * x[i];
    square<<<blocks, threads>>>(judge_gpu(j, want), judge_gpu(j, x), n);
    judge_check(j);
    /* So many warps take part in so many rounds; unrolled loops divide some. Without this a grid in which
     * every thread computes everything would run for minutes before a goal is missed. */
    const double requests = (double)blocks * judge_blocks(threads, 32) * judge_blocks(n, blocks * threads);
    if (judge_metric(j, "store requests") > 24 * requests + 64)
        judge_reject(j, "all elements are right, but some are computed by more than one thread");
}

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
}

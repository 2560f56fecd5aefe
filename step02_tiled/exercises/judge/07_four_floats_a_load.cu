/* Remember: wide loads save requests, not bytes; they need an address that is a multiple of their
 * width. */
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
    /* A warp stores 32 elements or more at a time, but for the last ones. */
    if (judge_metric(j, "store requests") > n / 32 + 8)
        judge_reject(j, "all elements are right, but some are stored by more than one thread");
}

/* Remember: give a warp neighbours, not a thread: i += number of threads. */
#include "common/judge/judge.h"

__global__ void twice(float *out, const float *x, int n);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 15);
    float *x = judge_floats(j, "x", n), *want = judge_want_floats(j, "out", n);
    judge_specials(j, x, n);
    for (int i = 0; i < n; i++)
        want[i] = 2.0f * x[i];
    twice<<<8, 128>>>(judge_gpu(j, want), judge_gpu(j, x), n);
    judge_check(j);
}

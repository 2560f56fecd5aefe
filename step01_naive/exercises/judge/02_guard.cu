/* Remember: every kernel whose grid is rounded up needs a guard, and n, n + 1 and 1 are the sizes
 * that show whether it is right. */
#include "common/judge/judge.h"

__global__ void twice(float *out, const float *x, int n);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 16);
    float *x = judge_floats(j, "x", n), *want = judge_want_floats(j, "out", n);
    judge_specials(j, x, n);
    for (int i = 0; i < n; i++)
        want[i] = 2.0f * x[i];
    twice<<<judge_blocks(n, 256), 256>>>(judge_gpu(j, want), judge_gpu(j, x), n);
    judge_check(j);
}

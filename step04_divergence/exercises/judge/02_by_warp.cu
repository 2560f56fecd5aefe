/* Remember: a condition does not divide a warp because it asks for the thread, but because its
 * lanes disagree. */
#include "common/judge/judge.h"

__global__ void steps(float *x, int n);

void exercise(struct judge *j)
{
    const int n = judge_size_of(j, "n", 1 << 14, 64);
    float *want = judge_want_floats(j, "x", n), *before = judge_floats(j, "before", n);
    for (int i = 0; i < n; i++) {
        want[i] = before[i];
        for (int s = 0; s < 20; s++)
            want[i] = i % 2 == 0 ? 0.5f * want[i] + 1.0f : 0.25f * want[i] - 1.0f;
    }
    judge_start(j, want, before);
    steps<<<judge_blocks(n, 128), 128>>>(judge_gpu(j, want), n);
    judge_check(j);
}

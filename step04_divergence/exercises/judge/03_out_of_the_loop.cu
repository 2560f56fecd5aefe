/* Remember: keep divided arms short: what they have in common belongs before or behind them. */
#include "common/judge/judge.h"

__global__ void polish(float *x, int n, int rounds);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 12), rounds = 24 + judge_random(j, 0, 0);
    float *want = judge_want_floats(j, "x", n), *before = judge_floats(j, "before", n);
    for (int i = 0; i < n; i++) {
        want[i] = before[i] < 0.0f ? -before[i] : before[i];
        for (int s = 0; s < rounds; s++)
            want[i] = 0.99f * (want[i] + 0.01f / (want[i] + 1.0f));
    }
    judge_start(j, want, before);
    judge_tolerance(j, want, 1e-6, 1e-5);
    polish<<<judge_blocks(n, 128), 128>>>(judge_gpu(j, want), n, rounds);
    judge_check(j);
}

/* Remember: compact first, work afterwards: finding work is cheap, idling through it is not. */
#include "common/judge/judge.h"

__global__ void some_work(float *x, int n);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 13);
    float *want = judge_want_floats(j, "x", n), *before = judge_floats(j, "before", n);
    for (int i = 0; i < n; i++) {
        before[i] -= 0.35f;
        if (i < 1024 && !judge_large(j)) /* a block in which every element needs work */
            before[i] = before[i] < 0.0f ? -before[i] : before[i];
        want[i] = before[i];
        for (int s = 0; s < 160 && before[i] >= 0.0f; s++)
            want[i] = 0.5f * want[i] + 1.0f / (1.0f + want[i] * want[i]);
    }
    judge_start(j, want, before);
    judge_tolerance(j, want, 1e-5, 1e-5);
    some_work<<<judge_blocks(n, 1024), 32>>>(judge_gpu(j, want), n);
    judge_check(j);
}

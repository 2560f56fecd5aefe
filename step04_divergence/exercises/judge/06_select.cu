/* Remember: for a few instructions select, do not branch; for long arms sort the work by warp. */
#include "common/judge/judge.h"

__global__ void count_steps(int *steps, const int *start, int n);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 12);
    int *start = judge_ints(j, "start", n, 1, 1000), *want = judge_want_ints(j, "steps", n);
    for (int i = 0; i < n; i++) {
        want[i] = start[i];
        for (int s = 0; s < 32; s++)
            want[i] = want[i] % 2 == 0 ? want[i] / 2 : 3 * want[i] + 1;
    }
    count_steps<<<judge_blocks(n, 128), 128>>>(judge_gpu(j, want), judge_gpu(j, start), n);
    judge_check(j);
}

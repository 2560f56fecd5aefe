/* Remember: guard the work, not the barrier. */
#include "common/judge/judge.h"

__global__ void reverse_blocks(float *x, int n);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 14);
    float *want = judge_want_floats(j, "x", n), *before = judge_floats(j, "before", n);
    judge_specials(j, before, n);
    for (int i = 0; i < n; i++) {
        const int begin = i / 256 * 256, count = n - begin < 256 ? n - begin : 256;
        want[i] = before[begin + count - 1 - (i - begin)];
    }
    judge_start(j, want, before);
    reverse_blocks<<<judge_blocks(n, 256), 256>>>(judge_gpu(j, want), n);
    judge_check(j);
}

/* Remember: privatise: let each block have a copy of what all of them update, and merge the copies
 * once. */
#include "common/judge/judge.h"

__global__ void histogram(int *count, const unsigned *x, int n);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 15);
    int *x = judge_ints(j, "x", n, 0, 63), *want = judge_want_ints(j, "count", 64);
    int *zero = judge_ints(j, "zero", 64, 0, 0);
    judge_start(j, want, zero);
    for (int i = 0; i < n; i++)
        want[x[i]]++;
    histogram<<<8, 256>>>(judge_gpu(j, want), (const unsigned *)judge_gpu(j, x), n);
    judge_check(j);
}

/* Remember: (n + threads - 1) / threads rounds up, in whole numbers: through float, 16,777,217
 * elements would be 16,777,216. */
#include "common/judge/judge.h"

#include <stdio.h>

int blocks_for(int n, int threads);

static void judge_one(struct judge *j, int n, int threads)
{
    char what[64];
    snprintf(what, sizeof what, "blocks_for(%d, %d)", n, threads);
    judge_value(j, what, judge_call(j, blocks_for, n, threads),
                n / threads + (n % threads != 0));
}

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 20);
    const int threads = 32 * judge_between(j, "warps in a block", 1, 32);
    judge_one(j, n, threads);
    judge_one(j, (1 << 24) + 1, 256);
    judge_one(j, threads, threads);
    judge_one(j, threads + 1, threads);
}

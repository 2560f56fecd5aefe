/* Remember: a wait names a phase by its parity alone: the reader begins with 0, the writer
 * with 1, and both change it in every round. */
#include "common/judge/judge.h"

__global__ void produce(float *out, const float *x, int rounds);

void exercise(struct judge *j)
{
    const int rounds = judge_size(j, "rounds", 20);
    float *x = judge_floats(j, "x", rounds * 32), *want = judge_want_floats(j, "out", 32);
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < 32; i++)
            want[i] += x[r * 32 + 31 - i];
    produce<<<1, 64>>>(judge_gpu(j, want), judge_gpu(j, x), rounds);
    judge_check(j);
}

/* Remember: let every thread do something before the tree begins; more elements a thread cost no
 * barrier. */
#include "common/judge/judge.h"

__global__ void block_sums(float *out, const float *x, int n);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 15), blocks = (int)judge_blocks(n, 512);
    float *x = judge_floats(j, "x", n), *want = judge_want_floats(j, "out", blocks);
    judge_tolerance(j, want, 1e-4, 1e-5);
    for (int i = 0; i < n; i++)
        want[i / 512] += x[i];
    block_sums<<<blocks, 256>>>(judge_gpu(j, want), judge_gpu(j, x), n);
    judge_check(j);
}

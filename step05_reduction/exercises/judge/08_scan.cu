/* Remember: two buffers save a barrier a round; 8 rounds make 256 sums, at the price of more
 * additions than a loop needs. */
#include "common/judge/judge.h"

__global__ void scan(float *out, const float *x, int n);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 14);
    float *x = judge_floats(j, "x", n), *want = judge_want_floats(j, "out", n);
    judge_tolerance(j, want, 1e-4, 1e-5);
    for (int i = 0; i < n; i++)
        want[i] = x[i] + (i % 256 > 0 ? want[i - 1] : 0.0f);
    scan<<<judge_blocks(n, 256), 256>>>(judge_gpu(j, want), judge_gpu(j, x), n);
    judge_check(j);
}

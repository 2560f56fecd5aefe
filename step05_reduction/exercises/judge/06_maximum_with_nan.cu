/* Remember: a reduction needs the neutral element of its operation, and a rule for NaN. */
#include "common/judge/judge.h"

#include <math.h>

__global__ void block_max(float *out, const float *x, int n);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 12), blocks = (int)judge_blocks(n, 128);
    float *x = judge_floats(j, "x", n);
    float *out = judge_scratch_floats(j, "out", blocks);
    for (int i = 0; i < n; i++) {
        x[i] -= 2.0f; /* all are negative */
        if (i % 300 == 77)
            x[i] = NAN;
    }
    block_max<<<blocks, 128>>>(judge_gpu(j, out), judge_gpu(j, x), n);
    const float *got = (const float *)judge_got(j, out);
    for (int b = 0; b < blocks; b++) {
        float best = -INFINITY;
        for (int i = 128 * b; i < 128 * b + 128 && i < n; i++)
            best = x[i] > best || isnan(x[i]) || isnan(best) ? (isnan(best) ? best : x[i]) : best;
        if (!(got[b] == best || (isnan(got[b]) && isnan(best))))
            judge_reject(j, "out[%d] is %g and should be %g", b, got[b], best);
    }
    judge_check(j);
}

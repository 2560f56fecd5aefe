/* Remember: keep a row in registers between its passes, and only the reductions need the block. */
#include "common/judge/judge.h"

#include <math.h>

__global__ void softmax(float *out, const float *in);

void exercise(struct judge *j)
{
    const int rows = judge_size(j, "rows", 16);
    float *in = judge_floats(j, "in", rows * 1024), *want = judge_want_floats(j, "out", rows * 1024);
    judge_columns(j, want, 1024);
    judge_tolerance(j, want, 1e-7, 1e-4);
    for (int r = 0; r < rows; r++) {
        float *x = in + r * 1024, top = -INFINITY;
        double sum = 0.0;
        for (int i = 0; i < 1024; i++) {
            x[i] = (r % 2 == 0 ? 100.0f : -100.0f) + 8.0f * x[i]; /* exp() of this is no float */
            top = fmaxf(top, x[i]);
        }
        for (int i = 0; i < 1024; i++)
            sum += exp((double)x[i] - (double)top);
        for (int i = 0; i < 1024; i++)
            want[r * 1024 + i] = (float)(exp((double)x[i] - (double)top) / sum);
    }
    if (rows > 0)
        softmax<<<rows, 256>>>(judge_gpu(j, want), judge_gpu(j, in));
    judge_check(j);
}

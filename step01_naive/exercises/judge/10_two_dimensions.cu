/* Remember: a launch in two dimensions needs two dim3. In C, (a, b) is one number: b. */
#include "common/judge/judge.h"

void launch_darken(float *out, const float *in, int width, int height);

void exercise(struct judge *j)
{
    const int width = judge_between(j, "width", 1, 200), height = judge_between(j, "height", 1, 100);
    float *in = judge_floats(j, "in", width * height);
    float *want = judge_want_floats(j, "out", width * height);
    judge_columns(j, want, width);
    for (int i = 0; i < width * height; i++)
        want[i] = 0.5f * in[i];
    judge_call(j, launch_darken, judge_gpu(j, want), judge_gpu(j, in), width, height);
    judge_check(j);
    /* Blocks of 8 warps: neither more blocks nor larger ones. */
    if (judge_metric(j, "warps") > 8.0 * judge_blocks(width, 16) * judge_blocks(height, 16))
        judge_reject(j, "right, but more threads than blocks of 16 x 16 need for %d rows of %d pixels", height,
                     width);
}

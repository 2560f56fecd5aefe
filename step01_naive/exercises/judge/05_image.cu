/* Remember: x is the column, y is the row, and an element is row * width + column. */
#include "common/judge/judge.h"

__global__ void negative(float *out, const float *in, int width, int height);

void exercise(struct judge *j)
{
    const int width = judge_size(j, "width", 200), height = judge_size(j, "height", 150);
    float *in = judge_floats(j, "in", width * height);
    float *want = judge_want_floats(j, "out", width * height);
    judge_columns(j, want, width);
    judge_specials(j, in, width * height);
    for (int i = 0; i < width * height; i++)
        want[i] = 1.0f - in[i];
    const dim3 grid(judge_blocks(width, 16), judge_blocks(height, 16)), block(16, 16);
    negative<<<grid, block>>>(judge_gpu(j, want), judge_gpu(j, in), width, height);
    judge_check(j);
    /* Rows of 200 floats begin at sectors, so each pixel once is an eighth of a sector. */
    if (judge_large(j) && judge_metric(j, "store sectors") > width * height / 8.0)
        judge_reject(j, "all pixels are right, but some are written by more than one thread: what does a "
                        "thread do whose column is not below the width?");
}

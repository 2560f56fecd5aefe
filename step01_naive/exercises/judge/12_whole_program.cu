/* Remember: six steps and two indices: that is a whole program. Look at each error, and copy only what is
 * needed. */
#include "common/judge/judge.h"

bool mirror_on_gpu(float *out, const float *in, int width, int height);

void exercise(struct judge *j)
{
    const int width = judge_size(j, "width", 160), height = judge_size(j, "height", 96);
    float *in = judge_floats(j, "in", width * height);
    float *want = judge_want_floats(j, "out", width * height);
    float *out = judge_floats(j, "host copy", width * height);
    judge_columns(j, want, width);
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++) {
            want[row * width + column] = in[row * width + width - 1 - column];
            out[row * width + column] = 77.0f;
        }
    const bool good = judge_call_on_gpu(j, mirror_on_gpu, out, in, width, height);
    judge_check_host(j, want, out);
    judge_value(j, "what mirror_on_gpu() returns", good, true);
    if (judge_large(j) && judge_metric(j, "warps") < width * height / 32)
        judge_reject(j, "right, but not by a thread for each pixel on the GPU");
}

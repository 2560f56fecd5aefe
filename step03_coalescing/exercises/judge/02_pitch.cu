/* Remember: an offset of one float costs a sector a request; a pitch keeps rows aligned. */
#include <stdio.h>

#include "common/judge/judge.h"

int pitch_for(int width);
__global__ void twice(float *image, int width, int pitch);

void exercise(struct judge *j)
{
    const int width = judge_size(j, "width", 250), height = judge_size(j, "height", 64);
    const int pitch = judge_call(j, pitch_for, width);
    if (pitch < width || pitch > width + 7)
        judge_reject(
            j, "pitch_for(%d) is %d and should be %d, the least multiple of 8 that is not below %d",
            width, pitch, (width + 7) / 8 * 8, width);
    float *want = judge_want_floats(j, "image", pitch * height);
    float *before = judge_floats(j, "before", pitch * height);
    judge_columns(j, want, pitch);
    for (int i = 0; i < pitch * height; i++)
        want[i] = i % pitch < width ? 2.0f * before[i] : before[i];
    judge_start(j, want, before);
    const dim3 grid(judge_blocks(width, 64), height < 1 ? 1 : height);
    if (height > 0)
        twice<<<grid, 64>>>(judge_gpu(j, want), width, pitch);
    judge_check(j);
    if (!judge_large(j) || judge_metric(j, "sectors per request") > 4.0)
        return; /* the goal says what is wrong */
    for (int w = 1; w <= 1000; w = 2 * w + 1) {
        char what[32];
        snprintf(what, sizeof what, "pitch_for(%d)", w);
        judge_value(j, what, judge_call(j, pitch_for, w), (w + 7) / 8 * 8);
    }
}

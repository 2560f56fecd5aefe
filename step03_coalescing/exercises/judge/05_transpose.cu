/* Remember: what cannot be coalesced on both sides is turned in shared memory in between. */
#include "common/judge/judge.h"

__global__ void transpose(float *out, const float *in, int width, int height);

void exercise(struct judge *j)
{
    const int width = judge_size(j, "width", 128), height = judge_size(j, "height", 96);
    float *in = judge_floats(j, "in", width * height);
    float *want = judge_want_floats(j, "out", width * height);
    judge_columns(j, want, height);
    judge_specials(j, in, width * height);
    for (int i = 0; i < width * height; i++)
        want[i % width * height + i / width] = in[i];
    const dim3 grid(judge_blocks(width, 32), judge_blocks(height, 32)), block(32, 8);
    transpose<<<grid, block>>>(judge_gpu(j, want), judge_gpu(j, in), width, height);
    judge_check(j);
}

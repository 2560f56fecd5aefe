/* Remember: one word of padding turns a column of 32 into 32 banks; a row length that is odd is all
 * it takes. */
#include "common/judge/judge.h"

__global__ void row_sums(float *out, const float *in, int rows);

void exercise(struct judge *j)
{
    const int rows = judge_size(j, "rows", 1024);
    float *in = judge_floats(j, "in", rows * 32), *want = judge_want_floats(j, "out", rows);
    judge_tolerance(j, want, 1e-5, 1e-5);
    for (int i = 0; i < rows * 32; i++)
        want[i / 32] += in[i];
    row_sums<<<judge_blocks(rows, 32), 32>>>(judge_gpu(j, want), judge_gpu(j, in), rows);
    judge_check(j);
}

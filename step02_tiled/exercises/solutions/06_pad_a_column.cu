/* Why: a row of 33 words begins one bank further than the row before it. Thread t reads word 33 t +
 * c, whose bank is (t + c) % 32: another one for each thread. Storing along the rows is as good as
 * before.
 *
 * Remember: one word of padding turns a column of 32 into 32 banks; a row length that is odd is all
 * it takes. */
#ifndef JUDGE

__global__ void row_sums(float *out, const float *in, int rows)
{
    __shared__ float tile[32][33];
    const int t = threadIdx.x, top = blockIdx.x * 32;
    for (int r = 0; r < 32; r++)
        tile[r][t] = top + r < rows ? in[(top + r) * 32 + t] : 0.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int c = 0; c < 32; c++)
        sum += tile[t][c];
    if (top + t < rows)
        out[top + t] = sum;
}

#else
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

#endif

/* Why: with rows of 33 words, tile[x][r] is word 33 x + r, in bank (x + r) % 32: 32 banks for 32
 * lanes. With columns exchanged, c ^ r, no word is wasted, and the store along a row is a
 * permutation of all banks as well.
 *
 * Remember: pad by one word, or exclusive-or the column with the row: both make rows and columns
 * free of conflicts. */
#ifndef JUDGE

__global__ void transpose(float *out, const float *in, int width, int height)
{
    __shared__ float tile[32][33];
    const int x = threadIdx.x, y = threadIdx.y;
    const int left = blockIdx.x * 32, top = blockIdx.y * 32;
    for (int r = y; r < 32; r += 8)
        if (top + r < height && left + x < width)
            tile[r][x] = in[(top + r) * width + left + x];
    __syncthreads();
    for (int r = y; r < 32; r += 8)
        if (left + r < width && top + x < height)
            out[(left + r) * height + top + x] = tile[x][r];
}

#else
#include "common/judge/judge.h"

__global__ void transpose(float *out, const float *in, int width, int height);

void exercise(struct judge *j)
{
    const int width = judge_size(j, "width", 128), height = judge_size(j, "height", 96);
    float *in = judge_floats(j, "in", width * height);
    float *want = judge_want_floats(j, "out", width * height);
    judge_columns(j, want, height);
    for (int i = 0; i < width * height; i++)
        want[i % width * height + i / width] = in[i];
    const dim3 grid(judge_blocks(width, 32), judge_blocks(height, 32)), block(32, 8);
    transpose<<<grid, block>>>(judge_gpu(j, want), judge_gpu(j, in), width, height);
    judge_check(j);
}

#endif

/* Remember: a loop costs a warp its longest trip count: put work of like length side by side. */
#include "common/judge/judge.h"

#include <stdlib.h>

__global__ void row_sums(float *out, const float *values, const int *begin, const int *order,
                         int rows);

void exercise(struct judge *j)
{
    const int rows = judge_size(j, "rows", 2048);
    int *begin = judge_ints(j, "begin", rows + 1, 0, 0), *order = judge_ints(j, "order", rows, 0, 0);
    for (int r = 0; r < rows; r++)
        begin[r + 1] = begin[r] + (judge_random(j, 0, 7) == 0 ? judge_random(j, 20, 60)
                                                             : judge_random(j, 0, 6));
    int next = 0;
    for (int length = 0; length <= 60; length++)
        for (int r = 0; r < rows; r++)
            if (begin[r + 1] - begin[r] == length)
                order[next++] = r;
    float *values = judge_floats(j, "values", begin[rows]);
    float *want = judge_want_floats(j, "out", rows);
    judge_tolerance(j, want, 1e-5, 1e-5);
    for (int r = 0; r < rows; r++)
        for (int i = begin[r]; i < begin[r + 1]; i++)
            want[r] += values[i];
    row_sums<<<judge_blocks(rows, 128), 128>>>(judge_gpu(j, want), judge_gpu(j, values),
                                               judge_gpu(j, begin), judge_gpu(j, order), rows);
    judge_check(j);
}

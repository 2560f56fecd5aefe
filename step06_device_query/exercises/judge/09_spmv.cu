/* Remember: give a row to as many threads as it has work for, side by side. */
#include "common/judge/judge.h"

__global__ void spmv(float *y, const float *value, const int *column, const int *begin,
                     const float *x, int rows);

void exercise(struct judge *j)
{
    const int rows = judge_size(j, "rows", 256), columns = 4096;
    int *begin = judge_ints(j, "begin", rows + 1, 0, 0);
    for (int r = 0; r < rows; r++)
        begin[r + 1] = begin[r] + judge_random(j, 60, 160);
    const int values = judge_let(j, "values", begin[rows]);
    float *value = judge_floats(j, "value", values), *x = judge_floats(j, "x", columns);
    int *column = judge_ints(j, "column", values, 0, 0);
    float *want = judge_want_floats(j, "y", rows);
    judge_tolerance(j, want, 1e-4, 1e-4);
    for (int r = 0; r < rows; r++) {
        const int first = judge_random(j, 0, columns - 160);
        for (int i = begin[r]; i < begin[r + 1]; i++) {
            column[i] = first + i - begin[r];
            want[r] += value[i] * x[column[i]];
        }
    }
    spmv<<<judge_blocks(rows, 4), 128>>>(judge_gpu(j, want), judge_gpu(j, value),
                                         judge_gpu(j, column), judge_gpu(j, begin),
                                         judge_gpu(j, x), rows);
    judge_check(j);
}

/* Remember: shared memory that is used again needs two barriers a round: before use, and before
 * overwriting. */
#include "common/judge/judge.h"

__global__ void product(float *C, const float *A, const float *B, int m, int n, int k);

void exercise(struct judge *j)
{
    const int m = judge_size(j, "m", 64), n = judge_size(j, "n", 96), k = judge_size(j, "k", 80);
    float *A = judge_floats(j, "A", m * k), *B = judge_floats(j, "B", k * n);
    float *want = judge_want_floats(j, "C", m * n);
    judge_columns(j, want, n);
    judge_tolerance(j, want, 1e-5, 1e-5);
    for (int row = 0; row < m; row++)
        for (int i = 0; i < k; i++)
            for (int column = 0; column < n; column++)
                want[row * n + column] += A[row * k + i] * B[i * n + column];
    const dim3 grid(judge_blocks(n, 16), judge_blocks(m, 16)), block(16, 16);
    product<<<grid, block>>>(judge_gpu(j, want), judge_gpu(j, A), judge_gpu(j, B), m, n, k);
    judge_check(j);
}

/* Remember: a fragment belongs to the whole warp; load_matrix_sync() needs the pitch, and the
 * layout is part of the fragment's type. */
#include "common/judge/judge.h"

__global__ void multiply(float *C, const float *A, const float *B, int n, int k);

void exercise(struct judge *j)
{
    const int m = judge_size_of(j, "m", 32, 16), n = judge_size_of(j, "n", 48, 16);
    const int k = judge_size_of(j, "k", 64, 16);
    float *A = judge_floats(j, "A", m * k), *B = judge_floats(j, "B", k * n);
    float *want = judge_want_floats(j, "C", m * n);
    judge_columns(j, want, n);
    judge_tolerance(j, want, 1e-4, 1e-4); /* tensor cores cut off where FP32 rounds */
    for (int row = 0; row < m; row++)
        for (int column = 0; column < n; column++)
            for (int i = 0; i < k; i++)
                want[row * n + column] += A[row * k + i] * B[i * n + column];
    if (m > 0 && n > 0)
        multiply<<<dim3(n / 16, m / 16), 32>>>(judge_gpu(j, want), judge_gpu(j, A), judge_gpu(j, B),
                                               n, k);
    judge_check(j);
}

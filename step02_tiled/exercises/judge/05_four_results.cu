/* Remember: what a thread keeps in registers it need not ask shared memory for: more results a
 * thread, fewer loads each. */
#include "common/judge/judge.h"

__global__ void product(float *C, const float *A, const float *B, int n);
extern int rows_per_thread;

void exercise(struct judge *j)
{
    const int n = judge_size_of(j, "n", 96, 32);
    if (n == 0)
        return;
    judge_read(j, rows_per_thread);
    if (rows_per_thread < 1 || 32 % rows_per_thread != 0)
        judge_reject(j, "ROWS is %d: 32 is no multiple of it", rows_per_thread);
    float *A = judge_floats(j, "A", n * n), *B = judge_floats(j, "B", n * n);
    float *want = judge_want_floats(j, "C", n * n);
    judge_columns(j, want, n);
    judge_tolerance(j, want, 1e-4, 1e-5);
    for (int row = 0; row < n; row++)
        for (int i = 0; i < n; i++)
            for (int column = 0; column < n; column++)
                want[row * n + column] += A[row * n + i] * B[i * n + column];
    product<<<dim3(n / 32, n / 32), dim3(32, 32 / rows_per_thread)>>>(
        judge_gpu(j, want), judge_gpu(j, A), judge_gpu(j, B), n);
    judge_check(j);
}

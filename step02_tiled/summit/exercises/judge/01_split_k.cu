/* Remember: too few tiles? Cut k: parts, a fence, a ticket, and the last block adds. */
#include "common/judge/judge.h"

__global__ void product(float *C, float *part, unsigned *tickets, const float *A, const float *B,
                        int m, int n, int k);
extern int splits;

void exercise(struct judge *j)
{
    const int m = judge_between(j, "m", 1, 16), n = judge_between(j, "n", 1, 16);
    const int k = judge_size(j, "k", 2048);
    judge_read(j, splits);
    if (splits < 1 || splits > 64)
        judge_reject(j, "SPLITS is %d: 1 to 64 blocks have a place for their part", splits);
    float *A = judge_floats(j, "A", m * k), *B = judge_floats(j, "B", k * n);
    float *want = judge_want_floats(j, "C", m * n);
    float *part = judge_scratch_floats(j, "part", 256 * splits);
    int *tickets = judge_scratch_ints(j, "tickets", 1);
    judge_columns(j, want, n);
    judge_tolerance(j, want, 1e-3, 1e-5);
    for (int row = 0; row < m; row++)
        for (int i = 0; i < k; i++)
            for (int column = 0; column < n; column++)
                want[row * n + column] += A[row * k + i] * B[i * n + column];
    unsigned *d_tickets = (unsigned *)judge_gpu(j, tickets);
    cudaMemset(d_tickets, 0, sizeof *d_tickets);
    product<<<splits, dim3(16, 16)>>>(judge_gpu(j, want), judge_gpu(j, part), d_tickets,
                                      judge_gpu(j, A), judge_gpu(j, B), m, n, k);
    judge_check(j);
}

/* Remember: a copy of 4 bytes asks for no alignment, and may go anywhere in shared memory: choose
 * the lanes for the sectors, and the pitch for the banks. */
#include "common/judge/judge.h"

__global__ void turn(float *out, const float *A, int m, int k);

void exercise(struct judge *j)
{
    const int m = judge_size(j, "m", 128), k = judge_size(j, "k", 511);
    float *A = judge_floats(j, "A", m * k), *want = judge_want_floats(j, "out", k * m);
    judge_columns(j, want, m);
    judge_specials(j, A, m * k);
    for (int row = 0; row < m; row++)
        for (int i = 0; i < k; i++)
            want[i * m + row] = A[row * k + i];
    turn<<<dim3(judge_blocks(k, 8), judge_blocks(m, 32)), 32>>>(judge_gpu(j, want), judge_gpu(j, A),
                                                                m, k);
    judge_check(j);
}

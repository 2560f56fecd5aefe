/* Why: the first barrier lets nobody read before everything is written, the second lets nobody
 * overwrite before everything is read. With one of them alone a race is left, which may go
 * unnoticed for years.
 *
 * Remember: shared memory that is used again needs two barriers a round: before use, and before
 * overwriting. */
#ifndef JUDGE

enum { TILE = 16 };

__global__ void product(float *C, const float *A, const float *B, int m, int n,
                        int k)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int begin = 0; begin < k; begin += TILE) {
        const bool in_a = row < m && begin + x < k;
        const bool in_b = begin + y < k && column < n;
        a[y][x] = in_a ? A[row * k + begin + x] : 0.0f;
        b[y][x] = in_b ? B[(begin + y) * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += a[y][i] * b[i][x];
        __syncthreads();
    }
    if (row < m && column < n)
        C[row * n + column] = sum;
}

#else
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

#endif

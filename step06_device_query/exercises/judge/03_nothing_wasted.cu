/* Remember: the block size must divide the thread slots, and be large enough for what else a block
 * takes. */
#include "common/judge/judge.h"

__global__ void products(float *x, int n);
extern int threads;

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 14);
    int resident = 0;
    float *want = judge_want_floats(j, "x", n), *before = judge_floats(j, "before", n);
    judge_read(j, threads);
    if (threads < 1)
        judge_reject(j, "THREADS is %d", threads);
    for (int i = 0; i < n; i++)
        want[i] = before[i] * before[i / threads * threads + i % threads / 2];
    judge_start(j, want, before);
    products<<<judge_blocks(n, threads), threads>>>(judge_gpu(j, want), n);
    judge_check(j);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, products, threads, 0);
    judge_goal(j, "threads on an SM", resident * threads, "=", 2048);
}

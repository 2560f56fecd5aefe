/* Remember: behind every launch two questions: cudaGetLastError(), and what synchronising
 * returns. */
#include "common/judge/judge.h"

cudaError_t twice_on_gpu(float *d_x, int n, int threads);

void exercise(struct judge *j)
{
    const int n = 1 + judge_size(j, "n - 1", 4095);
    float *want = judge_want_floats(j, "x", n), *before = judge_floats(j, "before", n);
    judge_start(j, want, before);
    for (int i = 0; i < n; i++)
        want[i] = 8.0f * before[i];
    float *d_x = judge_gpu(j, want);
    judge_value(j, "the code with 256 threads", judge_call_on_gpu(j, twice_on_gpu, d_x, n, 256),
                cudaSuccess);
    /* Which error it is depends on CUDA's version: 9 long, 1 since 13. */
    if (judge_call_on_gpu(j, twice_on_gpu, d_x, n, 2048) == cudaSuccess)
        judge_reject(j, "with 2048 threads the launch is refused, but the code is cudaSuccess");
    judge_value(j, "the code with 128 threads thereafter",
                judge_call_on_gpu(j, twice_on_gpu, d_x, n, 128), cudaSuccess);
    judge_fail_next_wait(j);
    judge_value(j, "the code with 64 threads, whose kernel fails",
                judge_call_on_gpu(j, twice_on_gpu, d_x, n, 64), cudaErrorLaunchFailure);
    judge_check(j);
}

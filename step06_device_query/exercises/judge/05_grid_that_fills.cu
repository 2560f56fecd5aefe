/* Remember: ask the GPU for its SMs and the runtime for resident blocks; hard-code neither. */
#include "common/judge/judge.h"

#include <stdio.h>

__global__ void kernel(float *x, int n);
int grid_for(int threads, size_t shared_bytes);

static void judge_one(struct judge *j, int threads, int kb)
{
    const size_t bytes = 4 * threads + 1024 * kb;
    char what[64];
    int sms = 0, resident = 0;
    /* The learner's code may have set another limit for an earlier call. */
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 48 << 10);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, bytes);
    snprintf(what, sizeof what, "grid_for(%d, %zu)", threads, bytes);
    judge_value(j, what, judge_call(j, grid_for, threads, bytes), sms * resident);
}

void exercise(struct judge *j)
{
    judge_one(j, 32 * judge_between(j, "warps in a block", 1, 8),
              judge_between(j, "KB of shared memory", 24, 40)); /* shared memory decides */
    judge_one(j, 1024, 4);                                      /* threads do */
    judge_one(j, 32, 1);                                        /* block slots do */
}

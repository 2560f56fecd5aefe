/* Remember: ask the GPU for its SMs and the runtime for resident blocks; hard-code neither. */
#include "common/judge/judge.h"

__global__ void kernel(float *x, int n);
int grid_for(int threads, size_t shared_bytes);

void exercise(struct judge *j)
{
    const int threads = 32 * judge_between(j, "warps in a block", 1, 8);
    const int bytes = 4 * threads + 1024 * judge_between(j, "KB of shared memory", 24, 40);
    int sms = 0, resident = 0;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, (size_t)bytes);
    judge_value(j, "the grid", judge_call(j, grid_for, threads, (size_t)bytes), sms * resident);
}

/* Why: the grid is then resident as a whole: no block waits for a slot, and there is no last wave
 * that fills the GPU only in part. The loop takes care of any n.
 *
 * Remember: ask the GPU for its SMs and the runtime for resident blocks; hard-code neither. */
#ifndef JUDGE

__global__ void kernel(float *x, int n)
{
    extern __shared__ float stage[];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        stage[threadIdx.x] = x[i];
        x[i] = 2.0f * stage[threadIdx.x];
    }
}

int grid_for(int threads, size_t shared_bytes)
{
    int device = 0, sms = 0, blocks = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                  shared_bytes);
    return sms * blocks;
}

#else
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
    judge_value(j, "the grid", grid_for(threads, (size_t)bytes), sms * resident);
}

#endif

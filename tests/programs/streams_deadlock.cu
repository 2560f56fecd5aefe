/* streams_deadlock.cu - two kernels of two streams that each wait for what the other one stores
 * behind its own question: a deadlock on a GPU, too, and no hang here. */
#include <cuda_runtime.h>
#include <stdio.h>

#include "common/cuda_check.h"

__global__ void ask_and_answer(volatile int *question, volatile int *answer)
{
    while (*question == 0) {
    }
    *answer = 1;
}

int main(void)
{
    int *flags;
    cudaStream_t streams[2];
    CUDA_CHECK(cudaMalloc(&flags, 2 * sizeof *flags));
    CUDA_CHECK(cudaMemset(flags, 0, 2 * sizeof *flags));
    for (int i = 0; i < 2; i++) {
        CUDA_CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        ask_and_answer<<<1, 32, 0, streams[i]>>>(flags + i, flags + 1 - i);
        CUDA_CHECK(cudaGetLastError());
    }
    printf("both wait: %d %d\n", cudaStreamQuery(streams[0]) == cudaErrorNotReady,
           cudaStreamQuery(streams[1]) == cudaErrorNotReady);
    const cudaError_t code = cudaStreamSynchronize(streams[0]);
    printf("the result: %s\n", cudaGetErrorName(code));
    return 0;
}

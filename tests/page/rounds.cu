/* rounds.cu - a loop of 100 rounds over shared memory, and two arms of which each has a loop: what the player
 * leaves out, and what it then shows. */
#include <cuda_runtime.h>

__global__ void many_rounds(int *out, int n)
{
    __shared__ int sums[64];
    sums[threadIdx.x] = 0;
#pragma unroll 1
    for (int round = 0; round < n; round++) {
        __syncthreads();
        int neighbour = sums[(threadIdx.x + 1) % 64];
        __syncthreads();
        sums[threadIdx.x] = neighbour + 1;
    }
    out[threadIdx.x] = sums[threadIdx.x];
}

__global__ void two_arms(int *out, int n)
{
    int value = threadIdx.x;
    if (threadIdx.x % 2 == 0) {
#pragma unroll 1
        for (int i = 0; i < n; i++) {
            value = value * 3 + out[i];
        }
    } else {
#pragma unroll 1
        for (int i = 0; i < n; i++) {
            value = value * 5 - out[i];
        }
    }
    out[64 + threadIdx.x] = value;
}

int main(void)
{
    int *out;
    cudaMalloc(&out, 1 << 12);
    cudaMemset(out, 0, 1 << 12);
    many_rounds<<<1, 64>>>(out, 100);
    two_arms<<<1, 64>>>(out, 50);
    return cudaDeviceSynchronize();
}

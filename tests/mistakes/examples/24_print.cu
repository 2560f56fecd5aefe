// A kernel prints more than its buffer holds
// races
// Cure: fewer lines (one thread of a block), or `cudaDeviceSetLimit(cudaLimitPrintfFifoSize, ...)` before the launch: what does not fit into 1 MB is lost on a GPU.
#include <cuda_runtime.h>
#include <stdio.h>
__global__ void report()
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    printf("%d: %f %f %f\n", i, 1.0 * i, 2.0 * i, 3.0 * i);
}
int main()
{
    report<<<128, 256>>>();
    cudaDeviceSynchronize();
}

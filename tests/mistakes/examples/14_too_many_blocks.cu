// More blocks wait for each other than the GPU holds
// always
// Cure: as many blocks as `cudaOccupancyMaxActiveBlocksPerMultiprocessor` says, each with a loop over its share; `cudaLaunchCooperativeKernel` rejects a grid that is too large.
#include <cuda_runtime.h>
__global__ void meet(int *count)
{
    if (threadIdx.x == 0) {
        atomicAdd(count, 1);
        while (*(volatile int *)count < gridDim.x) {
        }
    }
    __syncthreads();
}
int main()
{
    int *a;
    cudaMalloc(&a, sizeof *a);
    cudaMemset(a, 0, sizeof *a);
    meet<<<300, 1024>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

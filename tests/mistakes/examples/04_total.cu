// A total is read while other blocks still add to it
// races
// Cure: a second launch that reads it, or the last block that a counter lets know that it is the last. `__syncthreads()` is a barrier of one block.
#include <cuda_runtime.h>
__global__ void share(int *total, int *out)
{
    atomicAdd(total, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        out[blockIdx.x] = *total;
    }
}
int main()
{
    int *a;
    cudaMalloc(&a, 5 * sizeof *a);
    cudaMemset(a, 0, 5 * sizeof *a);
    share<<<4, 64>>>(a, a + 1);
    cudaDeviceSynchronize();
    cudaFree(a);
}

// A tile is read before all of it is there
// races
// Cure: `__syncthreads()` between the store and the load: each thread then waits for all of its block.
#include <cuda_runtime.h>
__global__ void reverse(int *a)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = a[threadIdx.x];
    a[threadIdx.x] = tile[63 - threadIdx.x];
}
int main()
{
    int *a;
    cudaMalloc(&a, 64 * sizeof *a);
    cudaMemset(a, 0, 64 * sizeof *a);
    reverse<<<1, 64>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

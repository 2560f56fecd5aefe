// Device memory is used before anything was stored there
// uninitialised
// Cure: `cudaMemset` or `cudaMemcpy` before the launch. Memory of `cudaMalloc` holds what was there before.
#include <cuda_runtime.h>
__global__ void add(int *sum, const int *a)
{
    atomicAdd(sum, a[threadIdx.x]);
}
int main()
{
    int *a;
    cudaMalloc(&a, 33 * sizeof *a);
    cudaMemset(a, 0, 32 * sizeof *a);
    add<<<1, 32>>>(a + 32, a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

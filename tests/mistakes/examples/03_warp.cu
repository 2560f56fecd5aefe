// Lanes of a warp exchange values without a word
// races
// Cure: `__syncwarp()` between the store and the load, or a shuffle. Since Volta the lanes of a warp need not run in step.
#include <cuda_runtime.h>
__global__ void swap_neighbours(int *a)
{
    __shared__ int s[32];
    s[threadIdx.x] = a[threadIdx.x];
    a[threadIdx.x] = s[threadIdx.x ^ 1];
}
int main()
{
    int *a;
    cudaMalloc(&a, 32 * sizeof *a);
    cudaMemset(a, 0, 32 * sizeof *a);
    swap_neighbours<<<1, 32>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

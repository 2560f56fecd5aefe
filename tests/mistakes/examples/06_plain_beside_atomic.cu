// A counter is set back by a plain store
// races
// Cure: `atomicExch(count, 0)`: only atomics go together with atomics.
#include <cuda_runtime.h>
__global__ void count_or_reset(int *count)
{
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        *count = 0;
    } else {
        atomicAdd(count, 1);
    }
}
int main()
{
    int *a;
    cudaMalloc(&a, sizeof *a);
    cudaMemset(a, 0, sizeof *a);
    count_or_reset<<<2, 32>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

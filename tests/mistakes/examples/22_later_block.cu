// A block waits for a later one
// always
// Cure: wait for blocks with a smaller number only, or draw the numbers from a counter (`atomicAdd(next, 1)`) when a block begins: those that have begun go on.
#include <cuda_runtime.h>
__global__ void backwards(volatile int *ready)
{
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        while (b + 1 < gridDim.x && ready[b + 1] == 0) {
        }
        ready[b] = 1;
    }
}
int main()
{
    int *a;
    cudaMalloc(&a, 600 * sizeof *a);
    cudaMemset(a, 0, 600 * sizeof *a);
    backwards<<<600, 1024>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

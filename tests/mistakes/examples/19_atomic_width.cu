// Two atomics of different width meet in one word
// races
// Cure: `atomicMax` of 64 bits in both branches, or a word of its own for the counter. Atomics of different width are not atomic to each other.
#include <cuda_runtime.h>
__global__ void best_and_count(unsigned long long *best)
{
    if (threadIdx.x % 2 == 0) {
        atomicMax(best, (unsigned long long)threadIdx.x << 32);
    } else {
        atomicAdd((unsigned *)best, 1);
    }
}
int main()
{
    unsigned long long *a;
    cudaMalloc(&a, sizeof *a);
    cudaMemset(a, 0, sizeof *a);
    best_and_count<<<1, 64>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

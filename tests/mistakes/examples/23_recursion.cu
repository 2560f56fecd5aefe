// A recursion needs more stack than a thread has
// always
// Cure: `cudaDeviceSetLimit(cudaLimitStackSize, 16384)` before the launch, or a loop: each thread has 1,024 bytes if nobody asks for more.
#include <cuda_runtime.h>
__device__ __noinline__ int walk(const int *next, int node)
{
    volatile int path[16];
    path[node % 16] = node;
    return next[node] < 0 ? node : walk(next, next[node]) + path[node % 16];
}
__global__ void sum_of_path(const int *next, int *out)
{
    *out = walk(next, 0);
}
int main()
{
    int *a, next[64];
    for (int i = 0; i < 64; i++) {
        next[i] = i < 63 ? i + 1 : -1;
    }
    cudaMalloc(&a, 65 * sizeof *a);
    cudaMemcpy(a, next, sizeof next, cudaMemcpyHostToDevice);
    sum_of_path<<<1, 1>>>(a, a + 64);
    cudaDeviceSynchronize();
    cudaFree(a);
}

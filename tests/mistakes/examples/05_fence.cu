// A flag is set without a fence behind the data
// races
// Cure: `__threadfence()` between the data and the flag, and between seeing the flag and reading the data; or `cuda::atomic_ref` with release and acquire.
#include <cuda_runtime.h>
__global__ void hand_over(int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        *data = 42;
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
        *out = *data;
    }
}
int main()
{
    int *a;
    cudaMalloc(&a, 3 * sizeof *a);
    cudaMemset(a, 0, 3 * sizeof *a);
    hand_over<<<2, 1>>>(a, a + 1, a + 2);
    cudaDeviceSynchronize();
    cudaFree(a);
}

// The host reads what a kernel may not have written yet
// races
// Cure: `cudaDeviceSynchronize()` before the host looks: a launch returns at once.
#include <cuda_runtime.h>
#include <stdio.h>
__global__ void answer(int *a)
{
    *a = 42;
}
int main()
{
    int *a;
    cudaMallocManaged(&a, sizeof *a);
    answer<<<1, 1>>>(a);
    printf("%d\n", *a);
    cudaFree(a);
}

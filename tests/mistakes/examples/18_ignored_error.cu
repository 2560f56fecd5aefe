// A launch fails, and nobody asks
// errors
// Cure: a block of at most 1,024 threads; and `cudaGetLastError()` behind each launch, because `<<<>>>` returns nothing. The program ends with exit code 1 instead of 0.
#include <cuda_runtime.h>
__global__ void twice(float *a)
{
    a[threadIdx.x] *= 2;
}
int main()
{
    float *a;
    cudaMalloc(&a, 2048 * sizeof *a);
    cudaMemset(a, 0, 2048 * sizeof *a);
    twice<<<1, 2048>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

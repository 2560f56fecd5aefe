// A thread misses its array
// always
// Cure: `if (i < n)` around what thread `i` does: the last block has more threads than there are elements left.
#include <cuda_runtime.h>
__global__ void scale(float *a)
{
    a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
int main()
{
    float *a;
    cudaMalloc(&a, 100 * sizeof *a);
    scale<<<2, 64>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

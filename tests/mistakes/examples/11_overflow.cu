// An index leaves its array for the neighbour
// races, uninitialised
// Cure: an index within the array: `a[(i + 1) % 32]` or a test before it.
#include <cuda_runtime.h>
__global__ void shift(int *out)
{
    __shared__ int a[32], b[32];
    a[threadIdx.x] = b[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = a[threadIdx.x + 1] + b[threadIdx.x];
}
int main()
{
    int *a;
    cudaMalloc(&a, 32 * sizeof *a);
    shift<<<1, 32>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

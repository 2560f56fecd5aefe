// The read-only path is asked for what the kernel stores
// races
// Cure: a plain load. `__ldg` (and `const __restrict__`) promises that nobody stores there while the kernel runs, so an old value may come back.
#include <cuda_runtime.h>
__global__ void store_and_read(int *a, int *out)
{
    a[threadIdx.x] = 7;
    out[threadIdx.x] = __ldg(a + threadIdx.x);
}
int main()
{
    int *a;
    cudaMalloc(&a, 64 * sizeof *a);
    cudaMemset(a, 0, 64 * sizeof *a);
    store_and_read<<<1, 32>>>(a, a + 32);
    cudaDeviceSynchronize();
    cudaFree(a);
}

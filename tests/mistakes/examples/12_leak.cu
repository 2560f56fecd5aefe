// Memory is not given back
// leaks
// Cure: `cudaFree(a)`.
#include <cuda_runtime.h>
int main()
{
    int *a;
    cudaMalloc(&a, 32 * sizeof *a);
    cudaMemset(a, 0, 32 * sizeof *a);
}

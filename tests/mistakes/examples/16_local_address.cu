// A thread uses the address of another thread's local variable
// uninitialised
// Cure: the value itself, or a variable in shared memory. Each thread has local memory of its own, all of it at the same addresses: thread 1 reads its own `best` here.
#include <cuda_runtime.h>
__global__ void first_best(int *out)
{
    __shared__ int *p;
    int best = threadIdx.x * 7;
    if (threadIdx.x == 0) {
        p = &best;
    }
    __syncthreads();
    out[threadIdx.x] = *p;
}
int main()
{
    int *a;
    cudaMalloc(&a, 64 * sizeof *a);
    first_best<<<1, 64>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

// A barrier waits for more threads than come
// always
// Cure: the number of threads that arrive: `init(&bar, 32)` here. The message says how many arrivals the phase lacks.
#include <cuda/barrier>
__global__ void first_warp(int *a)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        a[threadIdx.x] = 1;
        bar.arrive_and_wait();
    }
}
int main()
{
    int *a;
    cudaMalloc(&a, 64 * sizeof *a);
    first_warp<<<1, 64>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

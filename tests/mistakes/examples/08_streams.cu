// Two streams use one array, and nothing orders them
// races
// Cure: `cudaEventRecord()` in the first stream and `cudaStreamWaitEvent()` in the second, or one stream for both.
#include <cuda_runtime.h>
__global__ void fill(int *a)
{
    a[threadIdx.x] = threadIdx.x;
}
int main()
{
    int *a, host[32];
    cudaStream_t s, t;
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaMalloc(&a, sizeof host);
    fill<<<1, 32, 0, s>>>(a);
    cudaMemcpyAsync(host, a, sizeof host, cudaMemcpyDeviceToHost, t);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
}

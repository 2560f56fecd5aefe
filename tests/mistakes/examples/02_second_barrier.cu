// A tile is filled again while others still read it
// races
// Cure: a second `__syncthreads()` at the end of the round. That the result is right here is luck: nothing keeps one warp from being a round ahead.
#include <cuda_runtime.h>
__global__ void sums(const float *in, float *out)
{
    __shared__ float tile[64];
    float sum = 0;
    for (int t = 0; t < 4; t++) {
        tile[threadIdx.x] = in[64 * t + threadIdx.x];
        __syncthreads();
        sum += tile[63 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
int main()
{
    float *a;
    cudaMalloc(&a, 320 * sizeof *a);
    cudaMemset(a, 0, 320 * sizeof *a);
    sums<<<1, 64>>>(a, a + 256);
    cudaDeviceSynchronize();
    cudaFree(a);
}

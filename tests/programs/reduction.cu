/* Sum reduction: shared memory tree, then warp shuffles, partial sums added by a second launch. */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void reduce_shared(const double *in, double *out, unsigned int n)
{
    extern __shared__ double partial[];
    unsigned int i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
    double mine = i < n ? in[i] : 0.0;
    if (i + blockDim.x < n)
        mine += in[i + blockDim.x];
    partial[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (threadIdx.x < stride)
            partial[threadIdx.x] += partial[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = partial[0];
}

__inline__ __device__ double warp_sum(double value)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

__global__ void reduce_shuffle(const double *in, double *out, unsigned int n)
{
    __shared__ double of_warp[32];
    double sum = 0.0;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += in[i];
    sum = warp_sum(sum);
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    if (lane == 0)
        of_warp[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = lane < (int)blockDim.x / warpSize ? of_warp[lane] : 0.0;
        sum = warp_sum(sum);
        if (lane == 0)
            atomicAdd(out, sum);
    }
}

int main(void)
{
    const unsigned int n = 100001, threads = 128;
    double *in = (double *)malloc(n * sizeof(double)), want = 0.0, got[2] = {0.0, 0.0};
    for (unsigned int i = 0; i < n; i++) {
        in[i] = (double)(i % 100) - 20.0;
        want += in[i];
    }
    double *d_in, *d_partial, *d_sum;
    unsigned int blocks = (n + 2 * threads - 1) / (2 * threads);
    cudaMalloc(&d_in, n * sizeof(double));
    cudaMalloc(&d_partial, blocks * sizeof(double));
    cudaMalloc(&d_sum, sizeof(double));
    cudaMemcpy(d_in, in, n * sizeof(double), cudaMemcpyHostToDevice);

    reduce_shared<<<blocks, threads, threads * sizeof(double)>>>(d_in, d_partial, n);
    reduce_shared<<<1, 512, 512 * sizeof(double)>>>(d_partial, d_sum, blocks);
    cudaMemcpy(&got[0], d_sum, sizeof(double), cudaMemcpyDeviceToHost);

    cudaMemset(d_sum, 0, sizeof(double));
    reduce_shuffle<<<8, 256>>>(d_in, d_sum, n);
    cudaMemcpy(&got[1], d_sum, sizeof(double), cudaMemcpyDeviceToHost);

    if (cudaGetLastError() != cudaSuccess || got[0] != want || got[1] != want) {
        printf("FAILED: %.1f and %.1f, not %.1f\n", got[0], got[1], want);
        return 1;
    }
    printf("PASSED: %.1f\n", want);
    cudaFree(d_in);
    cudaFree(d_partial);
    cudaFree(d_sum);
    free(in);
    return 0;
}

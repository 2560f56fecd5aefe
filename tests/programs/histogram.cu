/* Histogram of bytes: atomics on global memory, and privatised in shared memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BINS 256

__global__ void histogram_global(const unsigned char *data, int n, unsigned int *bins)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&bins[data[i]], 1);
}

__global__ void histogram_shared(const unsigned char *data, int n, unsigned int *bins)
{
    __shared__ unsigned int local[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        local[b] = 0;
    __syncthreads();
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&local[data[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&bins[b], local[b]);
}

int main(void)
{
    const int n = 65537;
    unsigned char *data = (unsigned char *)malloc(n);
    unsigned int want[BINS] = {0}, got[BINS], state = 12345;
    for (int i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        data[i] = (unsigned char)((state >> 24) & (state >> 16)); /* small values are likelier */
        want[data[i]]++;
    }
    unsigned char *d_data;
    unsigned int *d_bins;
    cudaMalloc((void **)&d_data, n);
    cudaMalloc((void **)&d_bins, sizeof(got));
    cudaMemcpy(d_data, data, n, cudaMemcpyHostToDevice);

    int failures = 0;
    for (int version = 0; version < 2; version++) {
        cudaMemset(d_bins, 0, sizeof(got));
        if (version == 0)
            histogram_global<<<6, 192>>>(d_data, n, d_bins);
        else
            histogram_shared<<<6, 192>>>(d_data, n, d_bins);
        cudaError_t status = cudaDeviceSynchronize();
        if (status != cudaSuccess) {
            printf("%s\n", cudaGetErrorString(status));
            return 1;
        }
        cudaMemcpy(got, d_bins, sizeof(got), cudaMemcpyDeviceToHost);
        int right = memcmp(got, want, sizeof(got)) == 0;
        printf("%s: %s\n", version == 0 ? "global" : "shared", right ? "right" : "WRONG");
        failures += !right;
    }
    cudaFree(d_data);
    cudaFree(d_bins);
    free(data);
    return failures != 0;
}

/* Errors of launches that the program asks for, in both ways there are: SIMT_CHECK=errors has nothing to
 * say (expected/errors_read.txt). An error that another call returns is the program's own affair. */
#include <cstdio>
#include <cuda_runtime.h>

__global__ void ones(int *p) { p[threadIdx.x] = 1; }

static int failed;

static void expect(cudaError_t got, cudaError_t want, const char *what)
{
    printf("%s: %s\n", what, cudaGetErrorString(got));
    failed += got != want;
}

int main()
{
    int *p = nullptr;
    void *huge = nullptr;
    expect(cudaMalloc(&p, 64 * sizeof *p), cudaSuccess, "cudaMalloc");
    ones<<<1, 2048>>>(p);
    expect(cudaPeekAtLastError(), cudaErrorInvalidValue, "cudaPeekAtLastError");
    expect(cudaGetLastError(), cudaErrorInvalidValue, "cudaGetLastError");
    ones<<<0, 64>>>(p);
    expect(cudaGetLastError(), cudaErrorInvalidValue, "cudaGetLastError");
    expect(cudaMalloc(&huge, (size_t)1 << 50), cudaErrorMemoryAllocation, "cudaMalloc, 2^50 bytes");
    ones<<<1, 64>>>(p);
    expect(cudaDeviceSynchronize(), cudaSuccess, "cudaDeviceSynchronize");
    expect(cudaFree(p), cudaSuccess, "cudaFree");
    return failed != 0;
}

/* A failed assertion in a kernel: CUDA's line on stderr, cudaErrorAssert from the next call that
 * waits, and from every call after it until a reset. The exit code says whether all that is so. */
#include <cassert>

#include "tests/frontend/check.h"

__global__ void below(const int *values, int limit, int *out)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    assert(values[i] < limit);
    out[i] = values[i];
}

/* 0 .. 95, and zeros: so of four blocks of 32 threads, one alone has values above 66. */
static void fill(int *device)
{
    int host[128];
    for (int i = 0; i < 128; i++)
        host[i] = i < 96 ? i : 0;
    CHECK_OK(cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice));
}

/* The first that has 67 or more is thread 3 of block 2. */
static void check_failing(const int *values, int *out)
{
    below<<<4, 32>>>(values, 67, out);
    CHECK_OK(cudaGetLastError()); /* the launch itself was all right */
    CHECK_ERROR(cudaErrorAssert, cudaDeviceSynchronize());
    CHECK_ERROR(cudaErrorAssert, cudaDeviceSynchronize()); /* it stays */
    CHECK_ERROR(cudaErrorAssert, cudaGetLastError());
    CHECK_OK(cudaGetLastError()); /* nothing has failed since */
    CHECK_ERROR(cudaErrorAssert, cudaMemcpy(out, values, sizeof(int), cudaMemcpyDeviceToDevice));
    below<<<4, 32>>>(values, 128, out);
    CHECK_ERROR(cudaErrorAssert, cudaGetLastError());
    CHECK(strcmp(cudaGetErrorString(cudaErrorAssert), "device-side assert triggered") == 0);
}

static void check_holding(const int *values, int *out)
{
    int last = -1;
    below<<<4, 32>>>(values, 128, out);
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_OK(cudaMemcpy(&last, out + 95, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK_INT(last, 95);
}

int main(void)
{
    for (int round = 0; round < 2; round++) {
        int *values, *out;
        CHECK_OK(cudaMalloc(&values, 128 * sizeof(int)));
        CHECK_OK(cudaMalloc(&out, 128 * sizeof(int)));
        fill(values);
        check_holding(values, out);
        if (round == 0) {
            check_failing(values, out);
            CHECK_OK(cudaDeviceReset());
            CHECK_OK(cudaGetLastError());
        }
    }
    return check_done();
}

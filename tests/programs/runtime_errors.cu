/* CUDA's error rules, as a program sees them: errors of a launch are kept until they are read, a
 * fault of a kernel shows at the next call that waits and then stays, a reset ends it. What the
 * runtime says on stderr is wanted here; the exit code is the verdict. */
#include "tests/frontend/check.h"

#define CHECK_ERROR(expected, call)                                                                \
    do {                                                                                           \
        cudaError_t got_ = (call);                                                                 \
        if (got_ != (expected) && check_failures++ < 10)                                           \
            printf("%s:%d: %s is %s, not %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(got_), \
                   cudaGetErrorName(expected));                                                    \
    } while (0)
#define CHECK_OK(call) CHECK_ERROR(cudaSuccess, call)

__global__ void fill(int *out, int n, int value)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        out[i] = value;
}

__global__ void fill_without_guard(int *out, int value)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void __launch_bounds__(128) at_most_128(int *out) { out[threadIdx.x] = 1; }

static int first_of(const int *device)
{
    int value = -1;
    CHECK_OK(cudaMemcpy(&value, device, sizeof(value), cudaMemcpyDeviceToHost));
    return value;
}

static void check_refused_launches(int *device)
{
    fill<<<1, 2048>>>(device, 1, 1);
    CHECK_ERROR(cudaErrorInvalidConfiguration, cudaPeekAtLastError());
    CHECK_OK(cudaDeviceSynchronize()); /* it is no error of the device */
    CHECK_ERROR(cudaErrorInvalidConfiguration, cudaGetLastError());
    CHECK_OK(cudaGetLastError());
    fill<<<0, 32>>>(device, 1, 1);
    CHECK_ERROR(cudaErrorInvalidConfiguration, cudaGetLastError());
    fill<<<1, dim3(32, 32, 2)>>>(device, 1, 1);
    CHECK_ERROR(cudaErrorInvalidConfiguration, cudaGetLastError());
    fill<<<1, 32, 1 << 20>>>(device, 1, 1);
    CHECK_ERROR(cudaErrorInvalidValue, cudaGetLastError());
    at_most_128<<<1, 256>>>(device);
    CHECK_ERROR(cudaErrorInvalidValue, cudaGetLastError());
    fill<<<1, 32>>>(device, 1, 77); /* an error before does not disturb a launch */
    CHECK_INT(first_of(device), 77);
}

static void check_wrong_pointers(int *device)
{
    int host[4] = {1, 2, 3, 4}, *freed;
    CHECK_OK(cudaMalloc(&freed, 16));
    CHECK_OK(cudaFree(freed));
    CHECK_ERROR(cudaErrorInvalidValue, cudaFree(freed));
    CHECK_ERROR(cudaErrorInvalidValue, cudaFree(host));
    CHECK_ERROR(cudaErrorInvalidValue, cudaFree(device + 1));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemcpy(freed, host, 16, cudaMemcpyHostToDevice));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemcpy(device, host, 16, cudaMemcpyDeviceToHost));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGetLastError());
    CHECK_OK(cudaFree(NULL));
}

/* The fault is that of the fifth block: blocks before it may have written. */
static void check_fault(int *device, int *other)
{
    fill_without_guard<<<5, 64>>>(device, 5);
    CHECK_OK(cudaGetLastError()); /* the launch itself was all right */
    fill<<<1, 32>>>(other, 1, 99);
    CHECK_ERROR(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    CHECK_ERROR(cudaErrorIllegalAddress, cudaGetLastError());
    CHECK_ERROR(cudaErrorIllegalAddress, cudaGetLastError()); /* reading does not clear it */
    CHECK_ERROR(cudaErrorIllegalAddress, cudaFree(device));
    fill<<<1, 32>>>(other, 1, 99);
    CHECK_ERROR(cudaErrorIllegalAddress, cudaGetLastError());
    CHECK(strcmp(cudaGetErrorString(cudaErrorIllegalAddress),
                 "an illegal memory access was encountered") == 0);
}

static void check_after_reset(void)
{
    int *device;
    CHECK_OK(cudaDeviceReset());
    CHECK_OK(cudaGetLastError());
    CHECK_OK(cudaMalloc(&device, 256 * sizeof(int)));
    fill<<<4, 64>>>(device, 256, 42);
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_INT(first_of(device), 42);
    CHECK_OK(cudaFree(device));
}

int main(void)
{
    int *device, *other;
    CHECK_OK(cudaMalloc(&device, 4 * 64 * sizeof(int)));
    CHECK_OK(cudaMalloc(&other, sizeof(int)));
    check_refused_launches(device);
    check_wrong_pointers(device);
    check_fault(device, other);
    check_after_reset();
    return check_done();
}

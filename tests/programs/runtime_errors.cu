/* CUDA's error rules, as a program sees them: errors of a launch are kept until they are read, a
 * fault of a kernel shows at the next call that waits and then stays. What the runtime says on
 * stderr is wanted here; the exit code is the verdict. */
#include "tests/frontend/check.h"

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

/* A launch that CUDA documents to fail, but not with which code. */
#define CHECK_REJECTED(simulated)                                                                   \
    do {                                                                                           \
        cudaError_t rejection_ = cudaGetLastError();                                                 \
        CHECK(on_simulator ? rejection_ == (simulated) : rejection_ != cudaSuccess);                   \
    } while (0)

static void check_rejected_launches(int *device)
{
    fill<<<1, 2048>>>(device, 1, 1);
    CHECK_ERROR(cudaErrorInvalidValue, cudaPeekAtLastError());
    CHECK_OK(cudaDeviceSynchronize()); /* it is no error of the device */
    CHECK_ERROR(cudaErrorInvalidValue, cudaGetLastError());
    CHECK_OK(cudaGetLastError());
    fill<<<0, 32>>>(device, 1, 1);
    CHECK_ERROR(cudaErrorInvalidValue, cudaGetLastError());
    fill<<<1, dim3(32, 32, 2)>>>(device, 1, 1);
    CHECK_ERROR(cudaErrorInvalidValue, cudaGetLastError());
    fill<<<1, 32, 1 << 20>>>(device, 1, 1);
    CHECK_REJECTED(cudaErrorInvalidValue);
    at_most_128<<<1, 256>>>(device);
    CHECK_REJECTED(cudaErrorInvalidValue);
    fill<<<1, 32>>>(device, 1, 77); /* an error before does not disturb a launch */
    CHECK_INT(first_of(device), 77);
}

static void check_freed(void)
{
    int *freed;
    CHECK_OK(cudaMalloc(&freed, 16));
    CHECK_OK(cudaFree(freed));
    CHECK_ERROR(cudaErrorInvalidValue, cudaFree(freed));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGetLastError());
    CHECK_OK(cudaFree(NULL));
    CHECK_OK(cudaGetLastError());
}

/* What CUDA leaves undefined: a GPU's driver need not notice that a pointer is not the beginning of
 * an allocation, was freed, or is one of the other side. */
static void check_wrong_pointers(int *device)
{
    int host[4] = {1, 2, 3, 4}, *freed;
    CHECK_OK(cudaMalloc(&freed, 16));
    CHECK_OK(cudaFree(freed));
    CHECK_ERROR(cudaErrorInvalidValue, cudaFree(host));
    CHECK_ERROR(cudaErrorInvalidValue, cudaFree(device + 1));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemcpy(freed, host, 16, cudaMemcpyHostToDevice));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemcpy(device, host, 16, cudaMemcpyDeviceToHost));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGetLastError());
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

/* What every call says after a kernel has touched an illegal address. */
static void check_lost(int *other)
{
    int *more;
    CHECK_ERROR(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    CHECK_ERROR(cudaErrorIllegalAddress, cudaGetLastError());
    CHECK_ERROR(cudaErrorIllegalAddress, cudaDeviceSynchronize()); /* reading does not clear it */
    CHECK_ERROR(cudaErrorIllegalAddress, cudaMalloc(&more, 16));
    CHECK_ERROR(cudaErrorIllegalAddress, cudaFree(other));
    fill<<<1, 32>>>(other, 1, 99);
    CHECK_ERROR(cudaErrorIllegalAddress, cudaGetLastError());
    CHECK(strcmp(cudaGetErrorString(cudaErrorIllegalAddress),
                 "an illegal memory access was encountered") == 0);
}

/* A null pointer is what hardware notices as surely as the simulator does. */
static void check_null_pointer(void)
{
    int *other;
    CHECK_OK(cudaMalloc(&other, sizeof(int)));
    fill<<<1, 32>>>(NULL, 1, 5);
    CHECK_OK(cudaGetLastError()); /* the launch itself was all right */
    check_lost(other);
}

/* The fault is that of the fifth block, right behind the end of the array: a GPU notices only what
 * lies behind the end of a page. */
static void check_behind_end(void)
{
    int *device, *other;
    CHECK_OK(cudaMalloc(&device, 4 * 64 * sizeof(int)));
    CHECK_OK(cudaMalloc(&other, sizeof(int)));
    fill_without_guard<<<5, 64>>>(device, 5);
    CHECK_OK(cudaGetLastError());
    fill<<<1, 32>>>(other, 1, 99);
    check_lost(other);
}

/* The last fault stays: CUDA promises nothing to a process behind one but the same error again. The
 * simulator begins anew at cudaDeviceReset(). */
int main(void)
{
    int *device;
    CHECK_OK(cudaMalloc(&device, 4 * 64 * sizeof(int)));
    check_rejected_launches(device);
    check_freed();
    if (on_simulator)
        check_wrong_pointers(device);
    check_after_reset();
    if (on_simulator) {
        check_behind_end();
        check_after_reset();
    }
    check_null_pointer();
    return check_result();
}

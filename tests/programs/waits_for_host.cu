/* waits_for_host.cu - kernels that wait for the host: for a flag that it sets after the launch, for a
 * copy in another stream, for its answer to each of their questions. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/cuda_check.h"

__global__ void wait_for(volatile int *flag, const volatile int *data, int *out)
{
    while (*flag == 0) {
    }
    __threadfence_system();
    *out = *data;
}

static void flag_in_mapped_memory(void)
{
    volatile int *shared;
    CUDA_CHECK(cudaHostAlloc((void **)&shared, 3 * sizeof *shared, cudaHostAllocMapped));
    shared[0] = shared[1] = shared[2] = 0;
    wait_for<<<1, 1>>>(shared, shared + 1, (int *)shared + 2);
    CUDA_CHECK(cudaGetLastError());
    printf("mapped: not ready %d\n", cudaStreamQuery(0) == cudaErrorNotReady);
    shared[1] = 42;
    __sync_synchronize();
    shared[0] = 1;
    CUDA_CHECK(cudaDeviceSynchronize());
    printf("mapped: %d\n", shared[2]);
    CUDA_CHECK(cudaFreeHost((void *)shared));
}

static void flag_in_managed_memory(void)
{
    int *shared;
    cudaEvent_t done;
    CUDA_CHECK(cudaMallocManaged(&shared, 3 * sizeof *shared));
    CUDA_CHECK(cudaEventCreate(&done));
    shared[0] = shared[1] = 0;
    wait_for<<<4, 64>>>(shared, shared + 1, shared + 2);
    CUDA_CHECK(cudaEventRecord(done));
    printf("managed: not ready %d\n", cudaEventQuery(done) == cudaErrorNotReady);
    ((volatile int *)shared)[1] = 43;
    __sync_synchronize();
    ((volatile int *)shared)[0] = 1;
    CUDA_CHECK(cudaEventSynchronize(done));
    printf("managed: %d\n", shared[2]);
    CUDA_CHECK(cudaEventDestroy(done));
    CUDA_CHECK(cudaFree(shared));
}

static void flag_by_a_copy(void)
{
    cudaStream_t kernels, copies;
    int *device, out, *host;
    CUDA_CHECK(cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
    CUDA_CHECK(cudaMalloc(&device, 3 * sizeof *device));
    CUDA_CHECK(cudaMallocHost(&host, 2 * sizeof *host));
    CUDA_CHECK(cudaMemset(device, 0, 3 * sizeof *device));
    CUDA_CHECK(cudaDeviceSynchronize());
    wait_for<<<1, 32, 0, kernels>>>(device, device + 1, device + 2);
    host[0] = 1;
    host[1] = 44;
    CUDA_CHECK(cudaMemcpyAsync(device + 1, host + 1, sizeof *host, cudaMemcpyHostToDevice, copies));
    CUDA_CHECK(cudaMemcpyAsync(device, host, sizeof *host, cudaMemcpyHostToDevice, copies));
    CUDA_CHECK(cudaMemcpyAsync(&out, device + 2, sizeof out, cudaMemcpyDeviceToHost, kernels));
    CUDA_CHECK(cudaStreamSynchronize(kernels));
    printf("copied: %d\n", out);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaStreamDestroy(kernels));
    CUDA_CHECK(cudaStreamDestroy(copies));
    CUDA_CHECK(cudaFreeHost(host));
    CUDA_CHECK(cudaFree(device));
}

__global__ void ask(volatile int *question, volatile int *answer, int rounds, int *sum)
{
    *sum = 0;
    for (int i = 1; i <= rounds; i++) {
        *question = i;
        __threadfence_system();
        while (*answer != i * i) {
        }
        *sum += *answer;
    }
}

/* The host looks at memory, and makes no call at all meanwhile. */
static void questions_and_answers(void)
{
    volatile int *shared;
    enum { ROUNDS = 10 };
    CUDA_CHECK(cudaHostAlloc((void **)&shared, 3 * sizeof *shared, cudaHostAllocMapped));
    shared[0] = shared[1] = 0;
    ask<<<1, 1>>>(shared, shared + 1, ROUNDS, (int *)shared + 2);
    for (int i = 1; i <= ROUNDS; i++) {
        while (shared[0] != i) {
        }
        shared[1] = i * i;
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    printf("answers: %d\n", shared[2]);
    CUDA_CHECK(cudaFreeHost((void *)shared));
}

int main(int argc, char **)
{
    flag_in_mapped_memory();
    flag_in_managed_memory();
    flag_by_a_copy();
    questions_and_answers();
    if (argc > 1) { /* nobody ever sets it */
        int *shared;
        CUDA_CHECK(cudaMallocManaged(&shared, 3 * sizeof *shared));
        shared[0] = 0;
        wait_for<<<1, 1>>>(shared, shared + 1, shared + 2);
        printf("launched\n");
        fflush(stdout);
        cudaError_t code = cudaDeviceSynchronize();
        printf("%s\n", cudaGetErrorName(code));
    }
    return 0;
}

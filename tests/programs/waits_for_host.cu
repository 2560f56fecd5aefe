/* waits_for_host.cu - kernels that wait for the host: for a flag that it sets after the launch, for
 * a copy in another stream, for its answer to each of their questions; and works that are issued
 * behind one. */
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

__global__ void add(int *to, const int *from) { *to += *from; }

struct called {
    const volatile int *flag;
    int seen, times;
};
static void note(void *data)
{
    struct called *c = (struct called *)data;
    c->seen = *c->flag;
    c->times++;
}

/* All of it is issued before the first flag is set, and waits behind the kernel: copies (what a
 * pageable source held when the copy was issued), a fill, kernels, a function of the host, an
 * event, and another stream that waits for that. The last kernel waits for a flag of its own. */
static void work_behind_a_kernel_that_waits(void)
{
    volatile int *shared;
    int *device, *host, pageable = 100;
    struct called called = {NULL, -1, 0};
    cudaStream_t first, second;
    cudaEvent_t middle;
    float ms;
    CUDA_CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreate(&middle));
    CUDA_CHECK(cudaHostAlloc((void **)&shared, 4 * sizeof *shared, cudaHostAllocMapped));
    CUDA_CHECK(cudaMallocHost(&host, 2 * sizeof *host));
    CUDA_CHECK(cudaMalloc(&device, 4 * sizeof *device));
    CUDA_CHECK(cudaMemset(device, 0, 4 * sizeof *device));
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 4; i++)
        shared[i] = 0;
    called.flag = shared;
    wait_for<<<1, 1, 0, first>>>(shared, shared + 2, device);
    CUDA_CHECK(
        cudaMemcpyAsync(device + 1, &pageable, sizeof pageable, cudaMemcpyHostToDevice, first));
    pageable = -1;
    add<<<1, 1, 0, first>>>(device, device + 1); /* 42 + 100 */
    CUDA_CHECK(cudaMemsetAsync(device + 2, 1, sizeof *device, first));
    CUDA_CHECK(cudaLaunchHostFunc(first, note, &called));
    CUDA_CHECK(cudaEventRecord(middle, first));
    CUDA_CHECK(cudaStreamWaitEvent(second, middle, 0));
    CUDA_CHECK(cudaMemcpyAsync(host, device, sizeof *host, cudaMemcpyDeviceToHost, second));
    wait_for<<<1, 1, 0, second>>>(shared + 1, device + 2, device + 3);
    CUDA_CHECK(cudaMemcpyAsync(host + 1, device + 3, sizeof *host, cudaMemcpyDeviceToHost, second));
    printf("behind: not ready %d %d %d, called %d\n", cudaStreamQuery(first) == cudaErrorNotReady,
           cudaStreamQuery(second) == cudaErrorNotReady,
           cudaEventElapsedTime(&ms, middle, middle) == cudaErrorNotReady, called.times);
    shared[2] = 42;
    __sync_synchronize();
    shared[0] = 1;
    shared[1] = 1;
    CUDA_CHECK(cudaStreamSynchronize(second));
    printf("behind: %d %d, called %d after flag %d, ready %d\n", host[0], host[1], called.times,
           called.seen, cudaStreamQuery(first) == cudaSuccess);
    CUDA_CHECK(cudaEventDestroy(middle));
    CUDA_CHECK(cudaStreamDestroy(first));
    CUDA_CHECK(cudaStreamDestroy(second));
    CUDA_CHECK(cudaFreeHost(host));
    CUDA_CHECK(cudaFreeHost((void *)shared));
    CUDA_CHECK(cudaFree(device));
}

int main(int argc, char **)
{
    flag_in_mapped_memory();
    flag_in_managed_memory();
    flag_by_a_copy();
    questions_and_answers();
    work_behind_a_kernel_that_waits();
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

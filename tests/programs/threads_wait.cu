/* threads_wait.cu - a thread of the host that waits for what another thread is just launching: it knows from memory that
 * the kernel has begun, and must find all that the kernel does when its call returns. One kernel could wait for the host,
 * for all that is known of it; the other one could not. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <thread>

#include "common/cuda_check.h"

enum { BEGUN, RESULT, NEVER, WORDS, ROUNDS = 200000 };

__host__ __device__ static int rounds()
{
    unsigned sum = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        sum = sum * 3 + (i ^ sum >> 3);
    }
    return (int)(sum >> 1);
}

/* words[NEVER] stays 0: the second kernel could wait for the host, and does not. */
template <bool looks_at_the_host> __global__ void work(volatile int *words)
{
    words[BEGUN] = 1;
    __threadfence_system();
    const int result = rounds();
    while (looks_at_the_host && words[NEVER] != 0) {
    }
    words[RESULT] = result;
}

enum way { DEVICE, STREAM };

/* True: all that the kernel does was there. */
template <bool looks_at_the_host> static bool wait_for(const char *name, enum way way)
{
    volatile int *words;
    cudaStream_t stream;
    CUDA_CHECK(cudaHostAlloc((void **)&words, WORDS * sizeof *words, cudaHostAllocMapped));
    CUDA_CHECK(cudaStreamCreate(&stream));
    words[BEGUN] = words[RESULT] = words[NEVER] = 0;
    std::thread other([=] { work<looks_at_the_host><<<1, 1, 0, stream>>>(words); });
    while (words[BEGUN] == 0) {
    }
    if (way == DEVICE) {
        CUDA_CHECK(cudaDeviceSynchronize());
    } else {
        CUDA_CHECK(cudaStreamSynchronize(stream));
    }
    const bool good = words[RESULT] == rounds();
    printf("%s: %s\n", name, good ? "all of it" : "too early");
    other.join();
    CUDA_CHECK(cudaStreamDestroy(stream));
    CUDA_CHECK(cudaFreeHost((void *)words));
    return good;
}

int main(void)
{
    bool good = wait_for<false>("device, plain kernel", DEVICE);
    good &= wait_for<true>("device, kernel that looks at the host", DEVICE);
    good &= wait_for<false>("stream, plain kernel", STREAM);
    good &= wait_for<true>("stream, kernel that looks at the host", STREAM);
    return good ? 0 : 1;
}

/* cuda_check.h - every call of the CUDA runtime is checked, in every build.
 *
 * CUDA_CHECK(call) prints the call, its place, the error's name and its text on stderr and exits
 * with 2. A launch returns nothing, so CUDA_CHECK_LAUNCH() follows it: the first of its two checks
 * finds a launch that failed, the second an error while the kernel ran.
 * Usable from C and from .cu files. */
#ifndef COMMON_CUDA_CHECK_H
#define COMMON_CUDA_CHECK_H

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

static inline void cuda_check(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess) {
        return;
    }
    fflush(stdout); /* what was printed before the error stays before it */
    fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, call, cudaGetErrorName(error),
            cudaGetErrorString(error));
    exit(2);
}

#define CUDA_CHECK(call) cuda_check((call), #call, __FILE__, __LINE__)

#define CUDA_CHECK_LAUNCH()                                                                        \
    do {                                                                                           \
        cuda_check(cudaGetLastError(), "kernel launch", __FILE__, __LINE__);                       \
        cuda_check(cudaDeviceSynchronize(), "kernel execution", __FILE__, __LINE__);               \
    } while (0)

/* Fills an output with 0xff bytes (a NaN as float or double, -1 as int) before a launch that is
 * verified, so that yesterday's right answer cannot pass today's broken kernel. */
static inline void cuda_poison(void *device, size_t size_bytes)
{
    CUDA_CHECK(cudaMemset(device, 0xff, size_bytes));
}

#endif

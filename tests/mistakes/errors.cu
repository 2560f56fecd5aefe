/* Errors that nobody asks for. Each thread of the host has a last error of its own, so these launch from
 * one that ends: main() asks for its own (mistakes.h). */
#include <thread>

#include "mistakes.h"

__global__ void ones(int *p) { p[threadIdx.x] = 1; }

/* A block of 2,048 threads is none; the kernel does not run. */
static void launch_large(int *p, int threads)
{
    ones<<<1, threads>>>(p); // MISTAKE launch_that_failed ignored
}
TWINS(launch_that_failed)
{
    int *p = buffer<int>(2048);
    std::thread([=] { launch_large(p, right ? 1024 : 2048); }).join();
}

/* Behind one that failed, a launch that is all right tells nothing of it. */
static void launch_with_shared_memory(int *p, size_t bytes)
{
    ones<<<1, 64, bytes>>>(p); // MISTAKE failed_before_another ignored
    ones<<<1, 64>>>(p);
}
TWINS(failed_before_another)
{
    int *p = buffer<int>(64);
    std::thread([=] { launch_with_shared_memory(p, right ? 1024 : 1 << 20); }).join();
}

/* No call behind the launch would return the error; exit() keeps main() from asking. */
__global__ void ones_from(int *p, size_t first) { p[first + threadIdx.x] = 1; }
TWINS(fault_that_nobody_sees)
{
    int *p = buffer<int>(64);
    ones_from<<<1, 64>>>(p, right ? 0 : 1 << 20); // MISTAKE fault_that_nobody_sees ignored
    if (right) {
        cudaFree(p);
    }
    exit(0);
}

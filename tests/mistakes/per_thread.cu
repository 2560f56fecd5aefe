/* A default stream for each thread of the host. */
/* flags: --default-stream per-thread */
#include "mistakes.h"

#include <thread>

__global__ void fill(int *a, int x) { a[threadIdx.x] = x; }

/* Joining the thread orders the host's code, not the streams. */
TWINS(threads_have_streams)
{
    int *a = buffer<int>(256);
    must(cudaDeviceSynchronize());
    std::thread other([=] {
        fill<<<1, 256>>>(a, 1);
        if (right) {
            must(cudaStreamSynchronize(0));
        }
    });
    other.join();
    fill<<<1, 256>>>(a, 2); // MISTAKE threads_have_streams race.of.two.streams
}

/* What waits for the others is the legacy default stream, which is not the default here. */
TWINS(default_waits_for_nobody)
{
    int *a = buffer<int>(256);
    cudaStream_t s;
    must(cudaStreamCreate(&s));
    must(cudaDeviceSynchronize());
    fill<<<1, 256, 0, s>>>(a, 1);
    fill<<<1, 256, 0, right ? cudaStreamLegacy : 0>>>(a, 2); // MISTAKE default_waits_for_nobody race.of.two.streams
    must(cudaDeviceSynchronize());
    cudaStreamDestroy(s);
}

/* fourth_devices.cu - mistakes with two devices. */
#include "mistakes.h"
#include <unistd.h>

/* The program once more, with two devices. */
template <bool right> static void two_devices(const char *name)
{
    if (getenv("SIMT_DEVICES") == NULL) {
        char whole[64];
        snprintf(whole, sizeof whole, "%s%s", name, right ? "_right" : "");
        setenv("SIMT_DEVICES", "2", 1);
        execl("/proc/self/exe", "fourth_devices", whole, (char *)NULL);
        must(cudaErrorUnknown);
    }
}

__global__ void inc(int *a)
{
    a[threadIdx.x]++; // MISTAKE other_device simt
}
TWINS(other_device)
{
    two_devices<right>("other_device");
    int *p;
    must(cudaSetDevice(1));
    must(cudaMalloc(&p, 256));
    must(cudaMemset(p, 0, 256));
    must(cudaDeviceSynchronize());
    if (!right)
        must(cudaSetDevice(0));
    inc<<<1, 64>>>(p);
    cudaDeviceSynchronize();
    must(cudaSetDevice(1));
    cudaFree(p);
    must(cudaSetDevice(0));
}
TWINS(foreign_event)
{
    two_devices<right>("foreign_event");
    cudaEvent_t e;
    cudaStream_t s;
    must(cudaSetDevice(1));
    if (!right)
        must(cudaSetDevice(0));
    must(cudaEventCreate(&e));
    must(cudaSetDevice(1));
    must(cudaStreamCreate(&s));
    cudaError_t c = cudaEventRecord(e, s); // MISTAKE foreign_event simt
    if (right)
        must(c);
    must(cudaStreamDestroy(s));
    must(cudaEventDestroy(e));
    must(cudaSetDevice(0));
}
__global__ void inc2(int *a) { a[threadIdx.x]++; }
TWINS(peer_unordered)
{
    two_devices<right>("peer_unordered");
    cudaStream_t s0, s1;
    cudaEvent_t e;
    int *a = buffer<int>(64), *b;
    must(cudaStreamCreate(&s0));
    must(cudaEventCreate(&e));
    must(cudaSetDevice(1));
    must(cudaMalloc(&b, 256));
    must(cudaStreamCreate(&s1));
    must(cudaDeviceSynchronize());
    must(cudaSetDevice(0));
    must(cudaDeviceSynchronize());
    inc2<<<1, 64, 0, s0>>>(a);
    must(cudaEventRecord(e, s0));
    must(cudaSetDevice(1));
    if (right)
        must(cudaStreamWaitEvent(s1, e));
    must(cudaMemcpyPeerAsync(b, 1, a, 0, 256, s1)); // MISTAKE peer_unordered race
    must(cudaStreamSynchronize(s1));
    must(cudaSetDevice(0));
    must(cudaDeviceSynchronize());
    must(cudaStreamDestroy(s0));
    must(cudaStreamDestroy(s1));
    must(cudaEventDestroy(e));
    must(cudaFree(b));
}

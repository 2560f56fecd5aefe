/* third_devices.cu - mistakes with two devices. */
#include "mistakes.h"
#include <unistd.h>

/* The program once more, with two devices. */
static void two_devices(const char *name)
{
    if (getenv("SIMT_DEVICES") == NULL) {
        setenv("SIMT_DEVICES", "2", 1);
        execl("/proc/self/exe", "third_devices", name, (char *)NULL);
        must(cudaErrorUnknown);
    }
}

__global__ void fill(int *a)
{
    a[threadIdx.x] = 1; // MISTAKE other_device .
}
TWINS(other_device)
{
    int *d, can = 0;
    two_devices(right ? "other_device_right" : "other_device");
    must(cudaSetDevice(1));
    must(cudaMalloc(&d, 256));
    must(cudaSetDevice(0));
    cudaDeviceCanAccessPeer(&can, 0, 1);
    if (right) {
        cudaDeviceEnablePeerAccess(1, 0);
    }
    fill<<<1, 32>>>(d);
    cudaDeviceSynchronize();
    cudaFree(d);
}

/* devices.c - asks the CUDA runtime which devices there are (see devices.h). */
#include "step06_device_query/harness/devices.h"

#include <stdio.h>

#include "common/counters.h"
#include "common/cuda_check.h"
#include "common/device_limits.h"
#include "step06_device_query/harness/properties.h"

int devices_count(void)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0)
        return count;
    fprintf(stderr,
            "no CUDA device (%s): check the driver with nvidia-smi, or build with "
            "BACKEND=sim to run on the simulator\n",
            cudaGetErrorString(error == cudaSuccess ? cudaErrorNoDevice : error));
    exit(2);
}

static void print_version(const char *what, int version)
{
    printf("%s CUDA %d.%d", what, version / 1000, version % 1000 / 10);
}

static void print_peers(int device, int count)
{
    for (int other = 0; other < count; other++) {
        int access = 0;
        if (other == device)
            continue;
        CUDA_CHECK(cudaDeviceCanAccessPeer(&access, device, other));
        printf("  %s device %d's memory directly\n", access ? "reads and writes" : "cannot reach",
               other);
    }
}

void devices_print(int count, bool all)
{
    int driver, runtime;
    CUDA_CHECK(cudaDriverGetVersion(&driver));
    CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    if (backend_is_sim())
        printf("No GPU is asked: the simulator has the profile of one (SIMT_GPU chooses).\n");
    print_version("driver for", driver);
    print_version(", runtime", runtime);
    printf(", %d device%s\n", count, count == 1 ? "" : "s");
    for (int device = 0; device < count; device++) {
        struct gpu_limits limits;
        device_limits(device, &limits);
        printf("\ndevice %d: %s\n", device, limits.name);
        if (all)
            properties_print(&limits);
        else
            properties_print_brief(&limits);
        print_peers(device, count);
    }
}

void devices_write_json(int count)
{
    int driver, runtime;
    CUDA_CHECK(cudaDriverGetVersion(&driver));
    CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    printf("\"simulated\": %s, \"driver_cuda\": %d, \"runtime_cuda\": %d,\n \"devices\": [",
           backend_is_sim() ? "true" : "false", driver, runtime);
    for (int device = 0; device < count; device++) {
        struct gpu_limits limits;
        device_limits(device, &limits);
        printf("%s\n  ", device > 0 ? "," : "");
        properties_write_json(&limits);
    }
    printf("\n ]");
}

/* device_limits.c - asks a device for its limits (see device_limits.h). */
#include "device_limits.h"

#include <string.h>

#include "cuda_check.h"

static unsigned attribute(enum cudaDeviceAttr what, int device)
{
    int value = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&value, what, device));
    return (unsigned)value;
}

static void ask_chip(int device, struct gpu_limits *g)
{
    g->sm_count = attribute(cudaDevAttrMultiProcessorCount, device);
    g->sm_clock_khz = attribute(cudaDevAttrClockRate, device);
    g->memory_bus_bits = attribute(cudaDevAttrGlobalMemoryBusWidth, device);
    g->memory_clock_khz = attribute(cudaDevAttrMemoryClockRate, device);
    g->l2_bytes = attribute(cudaDevAttrL2CacheSize, device);
    g->async_engines = attribute(cudaDevAttrAsyncEngineCount, device);
    g->ecc = attribute(cudaDevAttrEccEnabled, device) != 0;
    g->const_bytes = attribute(cudaDevAttrTotalConstantMemory, device);
}

static void ask_sm(int device, struct gpu_limits *g)
{
    g->warp_size = attribute(cudaDevAttrWarpSize, device);
    g->max_threads_per_sm = attribute(cudaDevAttrMaxThreadsPerMultiProcessor, device);
    g->max_warps_per_sm = g->max_threads_per_sm / g->warp_size;
    g->max_blocks_per_sm = attribute(cudaDevAttrMaxBlocksPerMultiprocessor, device);
    g->registers_per_sm = attribute(cudaDevAttrMaxRegistersPerMultiprocessor, device);
    g->shared_bytes_per_sm = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
}

static void ask_block(int device, struct gpu_limits *g)
{
    g->max_threads_per_block = attribute(cudaDevAttrMaxThreadsPerBlock, device);
    g->registers_per_block = attribute(cudaDevAttrMaxRegistersPerBlock, device);
    g->shared_bytes_per_block = attribute(cudaDevAttrMaxSharedMemoryPerBlock, device);
    g->shared_bytes_per_block_opt_in = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    g->shared_bytes_reserved = attribute(cudaDevAttrReservedSharedMemoryPerBlock, device);
    g->max_block_dim[0] = attribute(cudaDevAttrMaxBlockDimX, device);
    g->max_block_dim[1] = attribute(cudaDevAttrMaxBlockDimY, device);
    g->max_block_dim[2] = attribute(cudaDevAttrMaxBlockDimZ, device);
    g->max_grid_dim[0] = attribute(cudaDevAttrMaxGridDimX, device);
    g->max_grid_dim[1] = attribute(cudaDevAttrMaxGridDimY, device);
    g->max_grid_dim[2] = attribute(cudaDevAttrMaxGridDimZ, device);
}

void device_limits(int device, struct gpu_limits *out)
{
    static struct cudaDeviceProp properties;
    CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%.*s", GPU_LIMITS_NAME_MAX - 1, properties.name);
    out->major = properties.major;
    out->minor = properties.minor;
    out->global_memory_bytes = properties.totalGlobalMem;
    ask_chip(device, out);
    ask_sm(device, out);
    ask_block(device, out);
    gpu_limits_fill_architecture(out);

    const struct gpu_limits *profile = gpu_limits_find(out->name);
    if (profile != NULL) {
        out->data_sheet_gb_per_s = profile->data_sheet_gb_per_s;
    }
    if (profile != NULL &&
        profile->major == 0) { /* the textbook SM has no compute capability to ask */
        *out = *profile;
    }
}

/* cudart_device.c - what a device has and which of CUDA's switches it
 * knows. All figures come from the GPU profile (SIMT_GPU) through one table of attributes. */
#include "runtime/cudart_devices.h"
#include "runtime/cudart_kernel.h"

#include <stdio.h>
#include <string.h>

/* The driver API's number of an attribute for which the runtime has no name. */
enum { VERSION = CUDART_VERSION, TENSOR_MAP_ACCESS_SUPPORTED = 127 };

/* ---- attributes ------------------------------------------------------------------------------ */

/* How many times faster float is than double: NVIDIA, CUDA C++ Programming Guide, "Throughput of
 * Native Arithmetic Instructions". The data-centre GPU of a generation is its x.0. */
static int double_ratio(const struct gpu_limits *g)
{
    if (g->minor == 0 && g->major >= 6 && g->major != 12) {
        return 2;
    }
    return g->major >= 8 ? 64 : 32;
}

/* What of the L2 may be set aside for data that stay: an H200's five eighths, an A100's three
 * quarters (NVIDIA A100 whitepaper). Others: nothing. */
static int persisting_l2_bytes(const struct gpu_limits *g)
{
    int eighths = 0;
    if (g->major == 9 && g->minor == 0) {
        eighths = 5;
    } else if (g->major == 8 && g->minor == 0) {
        eighths = 6;
    }
    return (int)(g->l2_bytes / 8) * eighths;
}

static void sizes(const struct gpu_limits *g, int value[])
{
    value[cudaDevAttrMaxThreadsPerBlock] = (int)g->max_threads_per_block;
    value[cudaDevAttrMaxBlockDimX] = (int)g->max_block_dim[0];
    value[cudaDevAttrMaxBlockDimY] = (int)g->max_block_dim[1];
    value[cudaDevAttrMaxBlockDimZ] = (int)g->max_block_dim[2];
    value[cudaDevAttrMaxGridDimX] = (int)g->max_grid_dim[0];
    value[cudaDevAttrMaxGridDimY] = (int)g->max_grid_dim[1];
    value[cudaDevAttrMaxGridDimZ] = (int)g->max_grid_dim[2];
    value[cudaDevAttrMaxSharedMemoryPerBlock] = (int)g->shared_bytes_per_block;
    value[cudaDevAttrMaxSharedMemoryPerBlockOptin] = (int)g->shared_bytes_per_block_opt_in;
    value[cudaDevAttrMaxSharedMemoryPerMultiprocessor] = (int)g->shared_bytes_per_sm;
    value[cudaDevAttrReservedSharedMemoryPerBlock] = (int)g->shared_bytes_reserved;
    value[cudaDevAttrTotalConstantMemory] = (int)g->const_bytes;
    value[cudaDevAttrWarpSize] = (int)g->warp_size;
    value[cudaDevAttrMaxRegistersPerBlock] = (int)g->registers_per_block;
    value[cudaDevAttrMaxRegistersPerMultiprocessor] = (int)g->registers_per_sm;
    value[cudaDevAttrMaxThreadsPerMultiProcessor] = (int)g->max_threads_per_sm;
    value[cudaDevAttrMaxBlocksPerMultiprocessor] = (int)g->max_blocks_per_sm;
    value[cudaDevAttrMultiProcessorCount] = (int)g->sm_count;
    value[cudaDevAttrClockRate] = (int)g->sm_clock_khz;
    value[cudaDevAttrMemoryClockRate] = (int)g->memory_clock_khz;
    value[cudaDevAttrGlobalMemoryBusWidth] = (int)g->memory_bus_bits;
    value[cudaDevAttrL2CacheSize] = (int)g->l2_bytes;
    value[cudaDevAttrMaxPersistingL2CacheSize] = persisting_l2_bytes(g);
    value[cudaDevAttrMaxAccessPolicyWindowSize] = persisting_l2_bytes(g) > 0 ? 128 << 20 : 0;
    value[cudaDevAttrEccEnabled] = g->ecc;
    value[cudaDevAttrAsyncEngineCount] = (int)g->async_engines;
    value[cudaDevAttrGpuOverlap] = g->async_engines > 0;
    value[cudaDevAttrComputeCapabilityMajor] = g->major;
    value[cudaDevAttrComputeCapabilityMinor] = g->minor;
    value[cudaDevAttrSingleToDoublePrecisionPerfRatio] = double_ratio(g);
}

static void texture_sizes(int value[])
{
#define LIMIT(attribute, property, elements) value[cudaDevAttr##attribute] = elements;
#include "runtime/texture_limits.def"
#undef LIMIT
    value[cudaDevAttrMaxTexture1DLinearWidth] = 1 << 28;
}

/* What the simulator can do. What it cannot (sparse arrays, other processes, links to other
 * devices) stays 0, whatever the GPU of the profile could do. */
static void abilities(int value[])
{
    value[cudaDevAttrMaxPitch] = 0x7fffffff;
    value[cudaDevAttrTextureAlignment] = 512;
    value[cudaDevAttrTexturePitchAlignment] = 32;
    value[cudaDevAttrSurfaceAlignment] = 512;
    value[cudaDevAttrCanMapHostMemory] = 1;
    value[cudaDevAttrConcurrentKernels] = 1;
    value[cudaDevAttrUnifiedAddressing] = 1;
    value[cudaDevAttrStreamPrioritiesSupported] = 1;
    value[cudaDevAttrGlobalL1CacheSupported] = 1;
    value[cudaDevAttrLocalL1CacheSupported] = 1;
    value[cudaDevAttrManagedMemory] = 1;
    value[cudaDevAttrConcurrentManagedAccess] = 1;
    value[cudaDevAttrComputePreemptionSupported] = 1;
    value[cudaDevAttrCanUseHostPointerForRegisteredMem] = 1;
    value[cudaDevAttrHostRegisterSupported] = 1;
    value[cudaDevAttrCooperativeLaunch] = 1;
    value[cudaDevAttrClusterLaunch] = runtime_limits()->major >= 9;
    value[TENSOR_MAP_ACCESS_SUPPORTED] = runtime_limits()->major >= 9;
    value[cudaDevAttrMemoryPoolsSupported] = 1;
    value[cudaDevAttrHostNumaId] = -1;
    value[cudaDevAttrNumaId] = -1;
}

static void attributes(int value[cudaDevAttrMax], int device)
{
    memset(value, 0, cudaDevAttrMax * sizeof *value);
    sizes(runtime_limits_of(device), value);
    texture_sizes(value);
    abilities(value);
    value[cudaDevAttrPciBusId] = device;
}

bool device_attribute_value(int device, int attribute, int *value)
{
    int values[cudaDevAttrMax];
    if (attribute < 1 || attribute >= cudaDevAttrMax) {
        return false;
    }
    attributes(values, device);
    *value = values[attribute];
    return true;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    cudaError_t code = runtime_enter_lost();
    AND_THEN(code, devices_check("cudaDeviceGetAttribute", device));
    if (code != cudaSuccess) {
        return code;
    }
    return value != NULL && device_attribute_value(device, (int)attribute, value)
               ? cudaSuccess
               : cuda_error(cudaErrorInvalidValue);
}

/* ---- properties ------------------------------------------------------------------------------ */

static void properties_of_blocks(struct cudaDeviceProp *p, const int *value)
{
    p->sharedMemPerBlock = (size_t)value[cudaDevAttrMaxSharedMemoryPerBlock];
    p->sharedMemPerBlockOptin = (size_t)value[cudaDevAttrMaxSharedMemoryPerBlockOptin];
    p->reservedSharedMemPerBlock = (size_t)value[cudaDevAttrReservedSharedMemoryPerBlock];
    p->regsPerBlock = value[cudaDevAttrMaxRegistersPerBlock];
    p->warpSize = value[cudaDevAttrWarpSize];
    p->maxThreadsPerBlock = value[cudaDevAttrMaxThreadsPerBlock];
    memcpy(p->maxThreadsDim, value + cudaDevAttrMaxBlockDimX, sizeof p->maxThreadsDim);
    memcpy(p->maxGridSize, value + cudaDevAttrMaxGridDimX, sizeof p->maxGridSize);
    p->multiProcessorCount = value[cudaDevAttrMultiProcessorCount];
    p->maxThreadsPerMultiProcessor = value[cudaDevAttrMaxThreadsPerMultiProcessor];
    p->maxBlocksPerMultiProcessor = value[cudaDevAttrMaxBlocksPerMultiprocessor];
    p->sharedMemPerMultiprocessor = (size_t)value[cudaDevAttrMaxSharedMemoryPerMultiprocessor];
    p->regsPerMultiprocessor = value[cudaDevAttrMaxRegistersPerMultiprocessor];
    p->cooperativeLaunch = value[cudaDevAttrCooperativeLaunch];
    p->clusterLaunch = value[cudaDevAttrClusterLaunch];
}

static void properties_of_memory(struct cudaDeviceProp *p, const int *value)
{
    p->memPitch = (size_t)value[cudaDevAttrMaxPitch];
    p->totalConstMem = (size_t)value[cudaDevAttrTotalConstantMemory];
    p->textureAlignment = (size_t)value[cudaDevAttrTextureAlignment];
    p->texturePitchAlignment = (size_t)value[cudaDevAttrTexturePitchAlignment];
    p->surfaceAlignment = (size_t)value[cudaDevAttrSurfaceAlignment];
    p->canMapHostMemory = value[cudaDevAttrCanMapHostMemory];
    p->ECCEnabled = value[cudaDevAttrEccEnabled];
    p->unifiedAddressing = value[cudaDevAttrUnifiedAddressing];
    p->memoryBusWidth = value[cudaDevAttrGlobalMemoryBusWidth];
    p->l2CacheSize = value[cudaDevAttrL2CacheSize];
    p->persistingL2CacheMaxSize = value[cudaDevAttrMaxPersistingL2CacheSize];
    p->accessPolicyMaxWindowSize = value[cudaDevAttrMaxAccessPolicyWindowSize];
    p->globalL1CacheSupported = value[cudaDevAttrGlobalL1CacheSupported];
    p->localL1CacheSupported = value[cudaDevAttrLocalL1CacheSupported];
    p->managedMemory = value[cudaDevAttrManagedMemory];
    p->concurrentManagedAccess = value[cudaDevAttrConcurrentManagedAccess];
    p->directManagedMemAccessFromHost = value[cudaDevAttrDirectManagedMemAccessFromHost];
    p->canUseHostPointerForRegisteredMem = value[cudaDevAttrCanUseHostPointerForRegisteredMem];
    p->memoryPoolsSupported = value[cudaDevAttrMemoryPoolsSupported];
    p->hostRegisterSupported = value[cudaDevAttrHostRegisterSupported];
}

static void properties_of_textures(struct cudaDeviceProp *p, const int *value)
{
#define LIMIT(attribute, property, elements) p->property = value[cudaDevAttr##attribute];
#include "runtime/texture_limits.def"
#undef LIMIT
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    int value[cudaDevAttrMax];
    cudaError_t code = runtime_enter_lost();
    AND_THEN(code, devices_check("cudaGetDeviceProperties", device));
    AND_THEN(code, runtime_need(prop));
    if (code != cudaSuccess) {
        return code;
    }
    attributes(value, device);
    memset(prop, 0, sizeof *prop);
    snprintf(prop->name, sizeof prop->name, "%s", runtime_limits_of(device)->name);
    snprintf(prop->uuid.bytes, sizeof prop->uuid.bytes, "simulated GPU %d", device);
    prop->pciBusID = value[cudaDevAttrPciBusId];
    prop->totalGlobalMem = runtime_limits_of(device)->global_memory_bytes;
    prop->major = value[cudaDevAttrComputeCapabilityMajor];
    prop->minor = value[cudaDevAttrComputeCapabilityMinor];
    prop->concurrentKernels = value[cudaDevAttrConcurrentKernels];
    prop->asyncEngineCount = value[cudaDevAttrAsyncEngineCount];
    prop->streamPrioritiesSupported = value[cudaDevAttrStreamPrioritiesSupported];
    prop->computePreemptionSupported = value[cudaDevAttrComputePreemptionSupported];
    prop->hostNumaId = value[cudaDevAttrHostNumaId];
    prop->deviceNumaId = value[cudaDevAttrNumaId];
    properties_of_blocks(prop, value);
    properties_of_memory(prop, value);
    properties_of_textures(prop, value);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device)
{
    cudaError_t code = runtime_enter();
    AND_THEN(code, devices_check("cudaDeviceGetPCIBusId", device));
    if (code == cudaSuccess && (id == NULL || length < (int)sizeof "0000:00:00.0")) {
        return cuda_error(cudaErrorInvalidValue);
    }
    if (code == cudaSuccess) {
        snprintf(id, (size_t)length, "0000:%02x:00.0", (unsigned)device & 0xff);
    }
    return code;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    unsigned bus;
    if (device == NULL || id == NULL) {
        return cuda_error(cudaErrorInvalidValue);
    }
    if (sscanf(id, "0000:%2x:00.0", &bus) != 1 || bus >= (unsigned)runtime_device_count()) {
        return cuda_error(cudaErrorInvalidDevice);
    }
    *device = (int)bus;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    if (version == NULL) {
        return cuda_error(cudaErrorInvalidValue);
    }
    *version = VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) { return cudaDriverGetVersion(version); }

/* ---- switches -------------------------------------------------------------------------------- */

/* Remembered and given back; none of them changes what the simulator computes or counts. */
static struct {
    unsigned flags;
    enum cudaFuncCache cache;
} switches = {.flags = cudaDeviceMapHost};

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    cudaError_t code = runtime_enter();
    if (code == cudaSuccess && (flags & ~(unsigned)cudaDeviceMask) != 0) {
        return cuda_error_saying(cudaErrorInvalidValue, "cudaSetDeviceFlags", "flags 0x%x", flags);
    }
    switches.flags = code == cudaSuccess ? flags | cudaDeviceMapHost : switches.flags;
    return code;
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    cudaError_t code = runtime_enter();
    if (code == cudaSuccess && (unsigned)config > cudaFuncCachePreferEqual) {
        return cuda_error(cudaErrorInvalidValue);
    }
    switches.cache = code == cudaSuccess ? config : switches.cache;
    return code;
}

enum cudaFuncCache device_cache_config(void) { return switches.cache; }

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    cudaError_t code = runtime_enter();
    if (code == cudaSuccess && (unsigned)config > cudaSharedMemBankSizeEightByte) {
        return cuda_error(cudaErrorInvalidValue);
    }
    return code; /* banks are four bytes wide since Maxwell; CUDA ignores it too */
}

/* A function that asks how the device is set. */
#define HOW_SET(name, type, answer)                                                                \
    cudaError_t name(type *place)                                                                  \
    {                                                                                              \
        cudaError_t code = runtime_enter();                                                        \
        AND_THEN(code, runtime_need(place));                                                       \
        if (code == cudaSuccess) {                                                                 \
            *place = answer;                                                                       \
        }                                                                                          \
        return code;                                                                               \
    }
HOW_SET(cudaGetDeviceFlags, unsigned int, switches.flags)
HOW_SET(cudaDeviceGetCacheConfig, enum cudaFuncCache, switches.cache)
HOW_SET(cudaDeviceGetSharedMemConfig, enum cudaSharedMemConfig, cudaSharedMemBankSizeFourByte)

cudaError_t cudaCtxResetPersistingL2Cache(void) { return runtime_enter(); }

cudaError_t cudaProfilerStart(void) { return runtime_enter(); }

cudaError_t cudaProfilerStop(void) { return runtime_enter(); }

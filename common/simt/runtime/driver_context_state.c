/* driver_context_state.c - what the driver API asks of the current context: its device, limits,
 * switches, peers. Most of it is the device's. */
#include "runtime/driver.h"

FORWARD(cuCtxGetDevice, (CUdevice * device), cudaGetDevice(device))
FORWARD(cuCtxSynchronize, (void), cudaDeviceSynchronize())
FORWARD(cuCtxSetLimit, (CUlimit limit, size_t value),
        cudaDeviceSetLimit((enum cudaLimit)limit, value))
FORWARD(cuCtxGetLimit, (size_t * value, CUlimit limit),
        cudaDeviceGetLimit(value, (enum cudaLimit)limit))
FORWARD(cuCtxSetCacheConfig, (CUfunc_cache config),
        cudaDeviceSetCacheConfig((enum cudaFuncCache)config))
FORWARD(cuCtxGetCacheConfig, (CUfunc_cache * config),
        cudaDeviceGetCacheConfig((enum cudaFuncCache *)config))
FORWARD(cuCtxGetStreamPriorityRange, (int *least, int *greatest),
        cudaDeviceGetStreamPriorityRange(least, greatest))
FORWARD(cuCtxResetPersistingL2Cache, (void), cudaCtxResetPersistingL2Cache())
FORWARD(cuProfilerStart, (void), cudaProfilerStart())
FORWARD(cuProfilerStop, (void), cudaProfilerStop())

static cudaError_t flags_of(unsigned int *flags)
{
    *flags = driver_current_context()->flags;
    return cudaSuccess;
}

static cudaError_t set_flags(unsigned int flags)
{
    driver_current_context()->flags = flags;
    return cudaSuccess;
}

FORWARD(cuCtxSetFlags, (unsigned int flags), set_flags(flags))
FORWARD(cuCtxGetFlags, (unsigned int *flags), flags_of(flags))

/* A context that the caller names; NULL: the current one. */
static CUresult named(const char *call, CUcontext *context)
{
    CUresult code = driver_begin(call);
    runtime_speak_as(NULL);
    *context = *context != NULL ? *context : driver_current_context();
    if (code == CUDA_SUCCESS && !driver_context_is_live(*context)) {
        code = driver_reject(CUDA_ERROR_INVALID_CONTEXT, call,
                             "context %p does not exist: it was destroyed, or never created",
                             (void *)*context);
    }
    return code;
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
    const CUresult code = named("cuCtxGetId", &context);
    if (code == CUDA_SUCCESS) {
        *id = context->id;
    }
    return code;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version)
{
    const CUresult code = named("cuCtxGetApiVersion", &context);
    if (code == CUDA_SUCCESS) {
        *version = CUDA_VERSION;
    }
    return code;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
    const CUresult code = named("cuCtxEnablePeerAccess", &peer);
    return code == CUDA_SUCCESS ? driver_code(cudaDeviceEnablePeerAccess(peer->device, flags))
                                : code;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    const CUresult code = named("cuCtxDisablePeerAccess", &peer);
    return code == CUDA_SUCCESS ? driver_code(cudaDeviceDisablePeerAccess(peer->device)) : code;
}

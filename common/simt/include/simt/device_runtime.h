/* simt/device_runtime.h - what kernels may call of the CUDA runtime, but for launches, which
 * simt/device_launch.h has. The simulator answers them under the names of CUDA 12's and 13's library
 * of device code (exec/device_runtime.def). */
#ifndef SIMT_DEVICE_RUNTIME_H
#define SIMT_DEVICE_RUNTIME_H

#include "../cuda_runtime_api.h"
#include "device.h"

#define SIMT_CALL(T, name, parameters, arguments)                                                  \
    extern "C" __attribute__((device)) T __cudaCDP2##name parameters;                              \
    SIMT_DEVICE T cuda##name parameters { return __cudaCDP2##name arguments; }

SIMT_CALL(cudaError_t, GetLastError, (), ())
SIMT_CALL(cudaError_t, PeekAtLastError, (), ())
SIMT_CALL(const char *, GetErrorString, (cudaError_t error), (error))
SIMT_CALL(const char *, GetErrorName, (cudaError_t error), (error))
SIMT_CALL(cudaError_t, GetDevice, (int *device), (device))
SIMT_CALL(cudaError_t, GetDeviceCount, (int *count), (count))
SIMT_CALL(cudaError_t, DeviceGetAttribute, (int *value, enum cudaDeviceAttr attribute, int device),
          (value, attribute, device))
SIMT_CALL(cudaError_t, DeviceGetLimit, (size_t *value, enum cudaLimit limit), (value, limit))
SIMT_CALL(cudaError_t, DeviceGetCacheConfig, (enum cudaFuncCache *config), (config))
SIMT_CALL(cudaError_t, RuntimeGetVersion, (int *version), (version))
SIMT_CALL(cudaError_t, Malloc, (void **pointer, size_t bytes), (pointer, bytes))
SIMT_CALL(cudaError_t, Free, (void *pointer), (pointer))
SIMT_CALL(cudaError_t, StreamCreateWithFlags, (cudaStream_t *stream, unsigned int flags),
          (stream, flags))
SIMT_CALL(cudaError_t, StreamDestroy, (cudaStream_t stream), (stream))
SIMT_CALL(cudaError_t, StreamWaitEvent,
          (cudaStream_t stream, cudaEvent_t event, unsigned int flags), (stream, event, flags))
SIMT_CALL(cudaError_t, EventCreateWithFlags, (cudaEvent_t *event, unsigned int flags),
          (event, flags))
SIMT_CALL(cudaError_t, EventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
SIMT_CALL(cudaError_t, EventDestroy, (cudaEvent_t event), (event))
SIMT_CALL(cudaError_t, MemcpyAsync,
          (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream),
          (to, from, bytes, kind, stream))
SIMT_CALL(cudaError_t, Memcpy2DAsync,
          (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
           size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
          (to, to_pitch, from, from_pitch, width, height, kind, stream))
SIMT_CALL(cudaError_t, Memcpy3DAsync, (const struct cudaMemcpy3DParms *p, cudaStream_t stream),
          (p, stream))
SIMT_CALL(cudaError_t, MemsetAsync, (void *to, int value, size_t bytes, cudaStream_t stream),
          (to, value, bytes, stream))
SIMT_CALL(cudaError_t, Memset2DAsync,
          (void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
          (to, pitch, value, width, height, stream))
SIMT_CALL(cudaError_t, Memset3DAsync,
          (struct cudaPitchedPtr to, int value, struct cudaExtent extent, cudaStream_t stream),
          (to, value, extent, stream))
#undef SIMT_CALL

template <typename T> SIMT_DEVICE cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
    return __cudaCDP2Malloc((void **)(void *)pointer, bytes);
}

#endif

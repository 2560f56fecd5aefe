/* streams.c - streams, events, errors and questions about the device. */
#include "common/judge/boxed/remote.h"

#include <string.h>

#define HANDLE(h) POINTER_VALUE(h)

static cudaError_t ask(enum box_request_kind what, uint64_t a, uint64_t b, uint64_t c,
                       uint64_t *result, uint64_t site)
{
    uint64_t results[2] = {0};
    const cudaError_t code = remote(what, ARGUMENTS(a, b, c), site, NULL, 0, results, NULL, 0);
    if (result != NULL) {
        *result = results[0];
    }
    return code;
}

static cudaError_t wait_for(enum box_request_kind what, uint64_t handle, uint64_t site)
{
    const cudaError_t code = ask(what, handle, 0, 0, NULL, site);
    if (code == cudaSuccess) {
        remote_waited();
    }
    return code;
}

/* --- streams ---------------------------------------------------------------------------------- */

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    uint64_t handle = 0;
    const cudaError_t code =
        ask(BOX_STREAM_NEW, flags, (uint64_t)(unsigned)priority, 0, &handle, CALL_SITE);
    *stream = (cudaStream_t)(uintptr_t)handle;
    return code;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return ask(BOX_STREAM_FREE, HANDLE(stream), 0, 0, NULL, CALL_SITE);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return wait_for(BOX_STREAM_WAIT, HANDLE(stream), CALL_SITE);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return wait_for(BOX_STREAM_ASK, HANDLE(stream), CALL_SITE);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    return ask(BOX_STREAM_AFTER, HANDLE(stream), HANDLE(event), flags, NULL, CALL_SITE);
}

/* --- events ----------------------------------------------------------------------------------- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    uint64_t handle = 0;
    const cudaError_t code = ask(BOX_EVENT_NEW, flags, 0, 0, &handle, CALL_SITE);
    *event = (cudaEvent_t)(uintptr_t)handle;
    return code;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return ask(BOX_EVENT_FREE, HANDLE(event), 0, 0, NULL, CALL_SITE);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return ask(BOX_EVENT_RECORD, HANDLE(event), HANDLE(stream), 0, NULL, CALL_SITE);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return wait_for(BOX_EVENT_WAIT, HANDLE(event), CALL_SITE);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return wait_for(BOX_EVENT_ASK, HANDLE(event), CALL_SITE);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t end)
{
    uint64_t bits = 0;
    const cudaError_t code =
        ask(BOX_EVENT_ELAPSED, HANDLE(begin), HANDLE(end), 0, &bits, CALL_SITE);
    memcpy(ms, &bits, sizeof *ms);
    return code;
}

/* --- errors ----------------------------------------------------------------------------------- */

cudaError_t cudaGetLastError(void) { return ask(BOX_LAST_ERROR, 0, 0, 0, NULL, CALL_SITE); }

cudaError_t cudaPeekAtLastError(void) { return ask(BOX_PEEK_ERROR, 0, 0, 0, NULL, CALL_SITE); }

static const char *text_of(enum box_request_kind what, cudaError_t code)
{
    static char texts[8][256];
    static unsigned next;
    char *const text = texts[next++ % 8];
    remote(what, ARGUMENTS((uint64_t)code), 0, NULL, 0, NULL, text, 255);
    return text;
}

const char *cudaGetErrorName(cudaError_t code) { return text_of(BOX_ERROR_NAME, code); }

const char *cudaGetErrorString(cudaError_t code) { return text_of(BOX_ERROR_TEXT, code); }

cudaError_t cudaDeviceSynchronize(void) { return wait_for(BOX_SYNCHRONIZE, 0, CALL_SITE); }

/* --- the device ------------------------------------------------------------------------------- */

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    uint64_t result = 0;
    const cudaError_t code = device == 0
                                 ? ask(BOX_ATTRIBUTE, (uint64_t)attribute, 0, 0, &result, CALL_SITE)
                                 : cudaErrorInvalidDevice;
    *value = (int)result;
    return code;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    return device != 0 ? cudaErrorInvalidDevice
                       : remote(BOX_PROPERTIES, NULL, CALL_SITE, NULL, 0, NULL, properties,
                                sizeof *properties);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *address)
{
    return remote(BOX_POINTER, ARGUMENTS(POINTER_VALUE(address)), CALL_SITE, NULL, 0, NULL,
                  attributes, sizeof *attributes);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    uint64_t results[2] = {0};
    const cudaError_t code = remote(BOX_MEMORY, NULL, CALL_SITE, NULL, 0, results, NULL, 0);
    *free_bytes = results[0];
    *total = results[1];
    return code;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

/* driver_stream.c - streams and events of the driver API: the runtime's, by other names. */
#include "runtime/driver.h"

FORWARD(cuStreamCreate, (CUstream * stream, unsigned int flags),
        cudaStreamCreateWithFlags(stream, flags))
FORWARD(cuStreamCreateWithPriority, (CUstream * stream, unsigned int flags, int priority),
        cudaStreamCreateWithPriority(stream, flags, priority))
FORWARD(cuStreamDestroy, (CUstream stream), cudaStreamDestroy(stream))
FORWARD(cuStreamSynchronize, (CUstream stream), cudaStreamSynchronize(stream))
FORWARD(cuStreamQuery, (CUstream stream), cudaStreamQuery(stream))
FORWARD(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned int flags),
        cudaStreamWaitEvent(stream, event, flags))
FORWARD(cuStreamGetPriority, (CUstream stream, int *priority),
        cudaStreamGetPriority(stream, priority))
FORWARD(cuStreamGetFlags, (CUstream stream, unsigned int *flags), cudaStreamGetFlags(stream, flags))
FORWARD(cuStreamGetId, (CUstream stream, unsigned long long *id), cudaStreamGetId(stream, id))
FORWARD(cuStreamAttachMemAsync,
        (CUstream stream, CUdeviceptr pointer, size_t length, unsigned int flags),
        cudaStreamAttachMemAsync(stream, driver_pointer(pointer), length, flags))
FORWARD(cuLaunchHostFunc, (CUstream stream, CUhostFn function, void *userData),
        cudaLaunchHostFunc(stream, function, userData))

/* The status that it is given has the same number in both APIs. */
FORWARD(cuStreamAddCallback,
        (CUstream stream, CUstreamCallback callback, void *userData, unsigned int flags),
        cudaStreamAddCallback(stream, (cudaStreamCallback_t)(void (*)(void))callback, userData,
                              flags))

static cudaError_t context_of(CUstream stream, CUcontext *context)
{
    *context = driver_current_context();
    return cudart_check_stream("cuStreamGetCtx", stream);
}

FORWARD(cuStreamGetCtx, (CUstream stream, CUcontext *context), context_of(stream, context))

FORWARD(cuEventCreate, (CUevent * event, unsigned int flags),
        cudaEventCreateWithFlags(event, flags))
FORWARD(cuEventRecord, (CUevent event, CUstream stream), cudaEventRecord(event, stream))
FORWARD(cuEventRecordWithFlags, (CUevent event, CUstream stream, unsigned int flags),
        cudaEventRecordWithFlags(event, stream, flags))
FORWARD(cuEventQuery, (CUevent event), cudaEventQuery(event))
FORWARD(cuEventSynchronize, (CUevent event), cudaEventSynchronize(event))
FORWARD(cuEventElapsedTime, (float *milliseconds, CUevent start, CUevent end),
        cudaEventElapsedTime(milliseconds, start, end))
FORWARD(cuEventDestroy, (CUevent event), cudaEventDestroy(event))

PER_THREAD(cuStreamSynchronize, _ptsz);
PER_THREAD(cuStreamQuery, _ptsz);
PER_THREAD(cuStreamWaitEvent, _ptsz);
PER_THREAD(cuStreamGetPriority, _ptsz);
PER_THREAD(cuStreamGetFlags, _ptsz);
PER_THREAD(cuStreamAddCallback, _ptsz);
PER_THREAD(cuLaunchHostFunc, _ptsz);
PER_THREAD(cuEventRecord, _ptsz);
PER_THREAD(cuEventRecordWithFlags, _ptsz);

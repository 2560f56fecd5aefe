/* cudart_stream.c - streams of the CUDA API. Work is done when it is issued, in the order of
 * issue, so a stream is empty whenever a call returns and there is nothing to wait for. */
#include "runtime/cudart_capture.h"
#include "runtime/cudart_flight.h"

#include <string.h>

#include "base/describe.h"
#include "base/handles.h"
#include "check/host/host_order.h"

enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 }; /* as on every card since Pascal */

struct CUstream_st {
    struct handle handle;
    unsigned flags;
    int priority, device;
    unsigned long long id;
};

static struct handle_pool streams = HANDLE_POOL(struct CUstream_st);
static unsigned long long streams_created;

static bool is_built_in(cudaStream_t stream)
{
    return stream == NULL || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

cudaError_t cudart_check_stream(const char *call, cudaStream_t stream)
{
    if (is_built_in(stream) || handle_is_live(&streams, stream)) {
        return cudaSuccess;
    }
    return cuda_error_saying(cudaErrorInvalidResourceHandle, call,
                             "stream %p does not exist: it was destroyed, or never created",
                             (void *)stream);
}

int cudart_stream_device(cudaStream_t stream)
{
    return is_built_in(stream) ? runtime_device() : stream->device;
}

cudaError_t cudart_check_stream_of_device(const char *call, cudaStream_t stream)
{
    const cudaError_t code = cudart_check_stream(call, stream);
    if (code != cudaSuccess || cudart_stream_device(stream) == runtime_device()) {
        return code;
    }
    return cuda_error_saying(cudaErrorInvalidResourceHandle, call,
                             "the stream is one of device %d, and the current device is %d: "
                             "cudaSetDevice(%d) before the launch",
                             stream->device, runtime_device(), stream->device);
}

void streams_visit(void (*visit)(void *state, const struct handle *h), void *state)
{
    handle_visit(&streams, visit, state);
}

void streams_forget(void)
{
    handle_destroy_all(&streams);
    host_order_forget_streams();
}

/* ---- life ------------------------------------------------------------------------------------ */

static cudaError_t create(const char *call, cudaStream_t *stream, unsigned int flags, int priority,
                          const void *site)
{
    cudaError_t code = runtime_enter();
    if (code != cudaSuccess) {
        return code;
    }
    if (stream == NULL || (flags != cudaStreamDefault && flags != cudaStreamNonBlocking)) {
        return cuda_error_saying(cudaErrorInvalidValue, "cudaStreamCreate", "flags 0x%x", flags);
    }
    struct CUstream_st *s = handle_create(&streams);
    s->handle.made_by = call;
    s->handle.made_at = site;
    s->flags = flags;
    s->device = runtime_device();
    s->priority = priority < GREATEST_PRIORITY ? GREATEST_PRIORITY
                  : priority > LEAST_PRIORITY  ? LEAST_PRIORITY
                                               : priority;
    s->id = 2 + __atomic_add_fetch(&streams_created, 1, __ATOMIC_RELAXED);
    *stream = s;
    host_order_stream_created(s, flags != cudaStreamNonBlocking);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    return create("cudaStreamCreateWithPriority", stream, flags, priority, CALL_SITE());
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    return create("cudaStreamCreateWithFlags", stream, flags, LEAST_PRIORITY, CALL_SITE());
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return create("cudaStreamCreate", stream, cudaStreamDefault, LEAST_PRIORITY, CALL_SITE());
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    cudaError_t code = runtime_enter();
    if (code != cudaSuccess) {
        return code;
    }
    if (is_built_in(stream)) {
        return cuda_error_saying(cudaErrorInvalidResourceHandle, "cudaStreamDestroy",
                                 "the default stream cannot be destroyed");
    }
    code = cudart_check_stream("cudaStreamDestroy", stream);
    if (code == cudaSuccess) {
        host_order_stream_destroyed(stream);
        handle_destroy(&streams, stream);
    }
    return code;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    cudaError_t code = runtime_enter();
    if (code == cudaSuccess && least != NULL) {
        *least = LEAST_PRIORITY;
    }
    if (code == cudaSuccess && greatest != NULL) {
        *greatest = GREATEST_PRIORITY;
    }
    return code;
}

/* ---- waiting --------------------------------------------------------------------------------- */

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    const char *call = "cudaStreamSynchronize";
    cudaError_t code = cudart_check_stream(call, stream);
    AND_THEN(code, capture_judge(call, stream, false));
    if (code == cudaSuccess) {
        flight_wait_for_others();
        host_order_host_waits_stream(call, stream);
    }
    const cudaError_t fault = runtime_enter();
    return fault != cudaSuccess ? fault : code;
}
PER_THREAD(cudaStreamSynchronize, _ptsz);

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    const char *call = "cudaStreamQuery";
    cudaError_t code = runtime_enter();
    AND_THEN(code, cudart_check_stream(call, stream));
    AND_THEN(code, capture_judge(call, stream, false));
    if (code == cudaSuccess && !host_order_says_stream_is_done(stream)) {
        return cudaErrorNotReady; /* no error: cudaGetLastError() does not tell it */
    }
    if (code == cudaSuccess) {
        host_order_host_waits_stream(call, stream);
    }
    return code;
}
PER_THREAD(cudaStreamQuery, _ptsz);

cudaError_t cudaDeviceSynchronize(void)
{
    const cudaError_t code = capture_judge("cudaDeviceSynchronize", NULL, true);
    if (code != cudaSuccess) {
        return code;
    }
    flight_wait_for_others();
    host_order_host_waits_all("cudaDeviceSynchronize");
    return runtime_enter();
}

/* ---- what a stream is ------------------------------------------------------------------------ */

static const struct CUstream_st default_stream = {.id = 1};

/* The stream behind a handle, or NULL after an error: *code. */
static const struct CUstream_st *stream_of(const char *call, cudaStream_t stream, cudaError_t *code)
{
    *code = runtime_enter();
    AND_THEN(*code, cudart_check_stream(call, stream));
    if (*code != cudaSuccess) {
        return NULL;
    }
    return is_built_in(stream) ? &default_stream : stream;
}

/* A function that asks for something of a stream, which is s. */
#define OF_STREAM(name, type, answer)                                                              \
    cudaError_t name(cudaStream_t stream, type *place)                                             \
    {                                                                                              \
        cudaError_t code;                                                                          \
        const struct CUstream_st *s = stream_of(#name, stream, &code);                             \
        if (s != NULL) {                                                                           \
            *place = answer;                                                                       \
        }                                                                                          \
        return code;                                                                               \
    }                                                                                              \
    PER_THREAD(name, _ptsz)
OF_STREAM(cudaStreamGetFlags, unsigned int, s->flags);
OF_STREAM(cudaStreamGetPriority, int, s->priority);
OF_STREAM(cudaStreamGetId, unsigned long long, stream == cudaStreamPerThread ? 2 : s->id);
OF_STREAM(cudaStreamGetDevice, int, cudart_stream_device(stream));

static bool is_hint(cudaStreamAttrID attribute)
{
    return attribute == cudaStreamAttributeAccessPolicyWindow ||
           attribute == cudaStreamAttributeSynchronizationPolicy ||
           attribute == cudaStreamAttributePriority;
}

/* Cache windows, priorities and how to wait: hints that change no result and are not kept. */
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue *value)
{
    cudaError_t code;
    if (stream_of("cudaStreamSetAttribute", stream, &code) == NULL) {
        return code;
    }
    return is_hint(attribute) && value != NULL ? cudaSuccess : cuda_error(cudaErrorInvalidValue);
}
PER_THREAD(cudaStreamSetAttribute, _ptsz);

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue *value)
{
    cudaError_t code;
    const struct CUstream_st *s = stream_of("cudaStreamGetAttribute", stream, &code);
    if (s == NULL) {
        return code;
    }
    if (!is_hint(attribute) || value == NULL) {
        return cuda_error(cudaErrorInvalidValue);
    }
    memset(value, 0, sizeof *value);
    if (attribute == cudaStreamAttributePriority) {
        value->priority = s->priority;
    } else if (attribute == cudaStreamAttributeSynchronizationPolicy) {
        value->syncPolicy = cudaSyncPolicyAuto;
    }
    return cudaSuccess;
}
PER_THREAD(cudaStreamGetAttribute, _ptsz);

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    cudaError_t code;
    if (stream_of("cudaStreamCopyAttributes", to, &code) != NULL) {
        stream_of("cudaStreamCopyAttributes", from, &code);
    }
    return code;
}
PER_THREAD(cudaStreamCopyAttributes, _ptsz);

/* ---- host functions -------------------------------------------------------------------------- */

/* It sees what the stream has done, and what it does with that the host's other code may learn by
 * its own means: so all of the host counts as having waited. */
static void run_host_function(const char *call, cudaStream_t stream)
{
    struct host_order_work work;
    host_order_begin(&work, stream, call);
    host_order_end(&work, true);
    host_order_host_waits_stream(call, stream);
}

/* Behind a launch that goes on by itself. */
struct call_later {
    cudaHostFn_t function;
    cudaStreamCallback_t callback; /* or that */
    cudaStream_t stream;
    void *data;
};

static void call(const struct call_later *c)
{
    runtime_in_host_function(true);
    if (c->callback != NULL) {
        c->callback(c->stream, runtime_fault_code(), c->data);
    } else if (!runtime_is_lost()) {
        c->function(c->data);
    }
    runtime_in_host_function(false);
}

static void run_call_later(void *state, struct simt_waiting *waiting)
{
    (void)waiting;
    call(state);
}

static void call_in_order(const char *name, const struct call_later *c)
{
    if (!host_order_put_off(c->stream, run_call_later, c, sizeof *c)) {
        run_host_function(name, c->stream);
        call(c);
    }
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *userData)
{
    cudaError_t code = runtime_enter_async();
    AND_THEN(code, cudart_check_stream("cudaLaunchHostFunc", stream));
    AND_THEN(code, runtime_need(function));
    if (code != cudaSuccess) {
        return code;
    }
    if (capture_of(stream) != NULL) {
        return capture_of(stream)->host(function, userData, stream);
    }
    call_in_order("cudaLaunchHostFunc",
                  &(struct call_later){.function = function, .stream = stream, .data = userData});
    return cudaSuccess;
}
PER_THREAD(cudaLaunchHostFunc, _ptsz);

/* Unlike a host function, a callback learns of a fault. */
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void *userData, unsigned int flags)
{
    cudaError_t code = runtime_enter_async();
    AND_THEN(code, cudart_check_stream("cudaStreamAddCallback", stream));
    if (code != cudaSuccess) {
        return code;
    }
    if (callback == NULL || flags != 0) {
        return cuda_error(cudaErrorInvalidValue);
    }
    code = capture_judge("cudaStreamAddCallback", stream, false);
    if (code != cudaSuccess) {
        return code;
    }
    call_in_order("cudaStreamAddCallback",
                  &(struct call_later){.callback = callback, .stream = stream, .data = userData});
    return cudaSuccess;
}
PER_THREAD(cudaStreamAddCallback, _ptsz);

/* cudart_event.c - events of the CUDA API. An event has happened when cudaEventRecord() returns;
 * its time is the computer's clock, so a difference says how long the simulator took, not how long
 * a GPU would have taken. */
#include "runtime/cudart_capture.h"
#include "runtime/cudart_flight.h"

#include <time.h>

#include "base/describe.h"
#include "base/handles.h"
#include "check/host/host_order.h"
#include "report/report.h"

struct CUevent_st {
    struct handle handle;
    struct timeline_clock clock; /* what it is behind */
    bool recorded;
    unsigned records; /* so far */
    unsigned flags;
    int device;
    struct timespec time;
    uint64_t launches; /* that had been issued */
};

static struct handle_pool events = HANDLE_POOL(struct CUevent_st);

void events_visit(void (*visit)(void *state, const struct handle *h), void *state)
{
    handle_visit(&events, visit, state);
}

void events_forget(void) { handle_destroy_all(&events); }

static cudaError_t check_event(const char *call, cudaEvent_t event)
{
    if (event != NULL && handle_is_live(&events, event)) {
        return cudaSuccess;
    }
    return cuda_error_saying(cudaErrorInvalidResourceHandle, call,
                             "event %p does not exist: it was destroyed, or never created",
                             (void *)event);
}

static cudaError_t create(const char *call, cudaEvent_t *event, unsigned int flags,
                          const void *site)
{
    cudaError_t code = runtime_enter();
    if (code != cudaSuccess) {
        return code;
    }
    unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (event == NULL) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "the address of an event is needed");
    }
    if ((flags & ~known) != 0) {
        return cuda_error_saying(cudaErrorInvalidValue, call,
                                 "flags 0x%x: cudaEventBlockingSync, cudaEventDisableTiming and "
                                 "cudaEventInterprocess are known",
                                 flags);
    }
    struct CUevent_st *e = handle_create(&events);
    e->handle.made_by = call;
    e->handle.made_at = site;
    e->flags = flags;
    e->device = runtime_device();
    *event = e;
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    return create("cudaEventCreateWithFlags", event, flags, CALL_SITE());
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return create("cudaEventCreate", event, cudaEventDefault, CALL_SITE());
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    cudaError_t code = runtime_enter();
    AND_THEN(code, check_event("cudaEventDestroy", event));
    if (code == cudaSuccess) {
        handle_destroy(&events, event);
    }
    return code;
}

/* An event is recorded in streams of its own device alone; any stream may wait for it. */
static cudaError_t check_devices(const char *call, cudaEvent_t event, cudaStream_t stream)
{
    const int device = cudart_stream_device(stream);
    if (device == event->device) {
        return cudaSuccess;
    }
    return cuda_error_saying(cudaErrorInvalidResourceHandle, call,
                             "the event is one of device %d, and the stream is one of device %d. "
                             "Cure: cudaSetDevice(%d) before the event is made",
                             event->device, device, device);
}

/* Behind a launch that goes on by itself: the time of a record that is still the newest. */
struct stamp {
    cudaEvent_t event;
    unsigned record;
};

static void stamp_later(void *state, struct simt_waiting *waiting)
{
    const struct stamp *s = state;
    (void)waiting;
    if (handle_is_live(&events, s->event) && s->event->records == s->record) {
        clock_gettime(CLOCK_MONOTONIC, &s->event->time);
    }
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    cudaError_t code = runtime_enter_async();
    AND_THEN(code, check_event("cudaEventRecord", event));
    AND_THEN(code, cudart_check_stream("cudaEventRecord", stream));
    AND_THEN(code, check_devices("cudaEventRecord", event, stream));
    if (code != cudaSuccess) {
        return code;
    }
    if (capture_of(stream) != NULL) {
        return capture_of(stream)->record(event, stream, flags);
    }
    if (flags != cudaEventRecordDefault) { /* the other flag belongs to captures */
        return cuda_error_saying(cudaErrorInvalidValue, "cudaEventRecordWithFlags", "flags 0x%x",
                                 flags);
    }
    event->recorded = true;
    event->records++;
    host_order_record(stream, &event->clock);
    event->launches = cudart_launches_issued();
    const struct stamp stamp = {event, event->records};
    if (!host_order_put_off(stream, stamp_later, &stamp, sizeof stamp)) {
        clock_gettime(CLOCK_MONOTONIC, &event->time);
    }
    return cudaSuccess;
}
PER_THREAD(cudaEventRecordWithFlags, _ptsz);

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}
PER_THREAD(cudaEventRecord, _ptsz);

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    const char *call = "cudaEventQuery";
    cudaError_t code = runtime_enter();
    AND_THEN(code, check_event(call, event));
    if (code == cudaSuccess && !host_order_says_event_is_done(&event->clock)) {
        return cudaErrorNotReady; /* no error: cudaGetLastError() does not tell it */
    }
    if (code == cudaSuccess) {
        flight_wait_for_others();
        host_order_host_waits_event(call, &event->clock);
    }
    return code;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    const char *call = "cudaEventSynchronize";
    cudaError_t code = check_event(call, event);
    if (code == cudaSuccess) {
        host_order_host_waits_event(call, &event->clock);
    }
    const cudaError_t fault = runtime_enter();
    return fault != cudaSuccess ? fault : code;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    cudaError_t code = runtime_enter_async();
    AND_THEN(code, cudart_check_stream("cudaStreamWaitEvent", stream));
    AND_THEN(code, check_event("cudaStreamWaitEvent", event));
    if (code == cudaSuccess && flags != cudaEventWaitDefault && capture_of(stream) == NULL) {
        return cuda_error(cudaErrorInvalidValue);
    }
    const struct capture_hooks *capture = code == cudaSuccess ? capture_under_way() : NULL;
    if (capture != NULL && capture->wait(stream, event, &code)) {
        return code;
    }
    if (code == cudaSuccess) {
        host_order_stream_waits(stream, &event->clock);
    }
    return code;
}
PER_THREAD(cudaStreamWaitEvent, _ptsz);

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    const char *call = "cudaEventElapsedTime";
    cudaError_t code = runtime_enter();
    AND_THEN(code, check_event(call, start));
    AND_THEN(code, check_event(call, end));
    AND_THEN(code, runtime_need(milliseconds));
    if (code != cudaSuccess) {
        return code;
    }
    bool timed = ((start->flags | end->flags) & cudaEventDisableTiming) == 0;
    if (!timed || !start->recorded || !end->recorded) {
        return cuda_error_saying(cudaErrorInvalidResourceHandle, call,
                                 timed ? "an event was never recorded"
                                       : "an event was created with cudaEventDisableTiming");
    }
    if (!host_order_event_is_done(&start->clock) || !host_order_event_is_done(&end->clock)) {
        return cudaErrorNotReady;
    }
    if (!host_order_host_knows_event(&end->clock)) {
        host_order_tells_call(
            call,
            "asks for the time of an event that the program has not waited for: on "
            "a GPU it is cudaErrorNotReady, as chance has it",
            "cudaEventSynchronize() of the second event before it");
    }
    double seconds = (double)(end->time.tv_sec - start->time.tv_sec);
    double nanoseconds = (double)(end->time.tv_nsec - start->time.tv_nsec);
    *milliseconds = (float)(1e3 * seconds + 1e-6 * nanoseconds);
    report_measured(start->launches, end->launches);
    return cudaSuccess;
}

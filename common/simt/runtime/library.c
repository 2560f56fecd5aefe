/* library.c - see library.h. */
#include "runtime/library.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/room.h"
#include "check/host/host_order.h"
#include "runtime/cudart_capture.h"
#include "runtime/cudart_devices.h"

struct simt_library {
    struct simt_library_call call;
    struct host_order_work work;
    simt_library_step step;
    unsigned char *state;
};

void simt_library_say(const char *call, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    runtime_say_list(call, format, args);
    va_end(args);
}

/* ---- what a work uses ------------------------------------------------------------------------ */

static void tell_use(struct simt_library *l, const unsigned char *at, uint64_t bytes,
                     enum simt_library_use use)
{
    struct memory *memory = devices_memory_of(at);
    if (memory_find(memory, (uint64_t)(uintptr_t)at) == NULL) {
        return; /* the caller's own, which the call has written when it returns */
    }
    if (l->work.kept && (use & LIBRARY_READS) != 0) {
        host_order_touches(&l->work, at, bytes, false);
    }
    if (l->work.kept && (use & LIBRARY_WRITES) != 0) {
        host_order_touches(&l->work, at, bytes, true);
    }
    if ((use & LIBRARY_WRITES) != 0 && memory_is_heard(memory)) {
        memory_changed(memory, MEMORY_WRITTEN, (uint64_t)(uintptr_t)at, bytes, 0);
    }
}

/* Bytes from the first to the last; 0 where there are more than addresses. */
static uint64_t extent_of(uint64_t width, uint64_t columns, uint64_t pitch)
{
    uint64_t bytes;
    return __builtin_mul_overflow(columns - 1, pitch, &bytes) ||
                   __builtin_add_overflow(bytes, width, &bytes)
               ? 0
               : bytes;
}

static void *use_box(struct simt_library *l, const char *role, const void *pointer,
                     const uint64_t box[3], enum simt_library_use use, enum pointer_side side)
{
    static unsigned char nothing[16];
    const uint64_t width = box[0], columns = box[1], pitch = box[2];
    if (width == 0 || columns == 0) {
        return nothing;
    }
    const uint64_t bytes = extent_of(width, columns, pitch);
    if (bytes == 0) {
        runtime_say(l->call.name, "the %s has more bytes than there are addresses", role);
        return NULL;
    }
    void *host = cudart_resolve_pointer(l->call.name, role, pointer, bytes, side);
    if (host == NULL) {
        return NULL;
    }
    if (pitch == width) {
        tell_use(l, pointer, bytes, use);
        return host;
    }
    for (uint64_t i = 0; i < columns; i++) {
        tell_use(l, (const unsigned char *)pointer + i * pitch, width, use);
    }
    return host;
}

void *simt_library_box(struct simt_library *l, const char *role, const void *pointer,
                       uint64_t width, uint64_t columns, uint64_t pitch, enum simt_library_use use)
{
    return use_box(l, role, pointer, (const uint64_t[]){width, columns, pitch}, use, SIDE_DEVICE);
}

void *simt_library_line(struct simt_library *l, const char *role, const void *pointer,
                        uint64_t bytes, enum simt_library_use use)
{
    return use_box(l, role, pointer, (const uint64_t[]){bytes, 1, bytes}, use, SIDE_DEVICE);
}

void *simt_library_host(struct simt_library *l, const char *role, const void *pointer,
                        uint64_t bytes, enum simt_library_use use)
{
    return use_box(l, role, pointer, (const uint64_t[]){bytes, 1, bytes}, use, SIDE_HOST);
}

/* Where the call waits, the host itself stores the result. */
static bool host_reaches(const struct simt_library *l, const void *pointer)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    const struct allocation *a = memory_find(devices_memory_of(pointer), address);
    if (!l->call.waits || a == NULL || a->delta == 0) {
        return true;
    }
    runtime_say(
        l->call.name,
        "the result %p is a device pointer, but the pointer mode is that of the host, whose "
        "memory is needed",
        pointer);
    return false;
}

void *simt_library_result(struct simt_library *l, const char *role, const void *pointer,
                          uint64_t bytes, enum simt_library_use use)
{
    const enum pointer_side side = l->call.waits ? SIDE_HOST : SIDE_DEVICE;
    return host_reaches(l, pointer)
               ? use_box(l, role, pointer, (const uint64_t[]){bytes, 1, bytes}, use, side)
               : NULL;
}

/* ---- doing it -------------------------------------------------------------------------------- */

/* Where counts are asked for, a reader must not look for these. */
static void say_that_nothing_is_counted(const char *library)
{
    static atomic_bool said;
    const char *report = getenv("SIMT_REPORT");
    if (report != NULL && report[0] != '\0' && !atomic_exchange(&said, true)) {
        fprintf(
            stderr,
            "simt: SIMT_REPORT: %s computes on the CPU here: what libraries do is in no count\n",
            library);
    }
}

static cudaError_t do_work(struct simt_library *l)
{
    if (runtime_is_lost()) {
        return runtime_fault_code();
    }
    host_order_begin(&l->work, l->call.stream, l->call.name);
    const bool good = l->step(l, l->state);
    host_order_end(&l->work, l->call.waits);
    return good ? cudaSuccess : cuda_error(cudaErrorInvalidValue);
}

static void forget(void *state)
{
    struct simt_library *l = state;
    free(l->state);
    free(l);
}

/* Behind a launch that goes on by itself. */
static void do_later(void *state, struct simt_waiting *waiting)
{
    struct simt_library *l = *(struct simt_library **)state;
    (void)waiting;
    do_work(l);
    forget(l);
}

static struct simt_library *kept(const struct simt_library *l, size_t bytes)
{
    struct simt_library *k = room_copy(l, 1, sizeof *l);
    k->state = room_copy(l->state, bytes, 1);
    return k;
}

static bool put_off(const struct simt_library *l, size_t bytes)
{
    if (l->call.waits || host_order_stream_is_done(l->call.stream)) {
        return false;
    }
    struct simt_library *k = kept(l, bytes);
    const bool is_put_off = host_order_put_off(l->call.stream, do_later, &k, sizeof k);
    if (!is_put_off) {
        forget(k);
    }
    return is_put_off;
}

static void do_in_graph(void *state) { do_work(state); }

/* A node of the graph, which keeps what the node needs. */
static cudaError_t capture(struct simt_library *l, size_t bytes)
{
    const cudaStream_t stream = l->call.stream;
    struct simt_library *k = kept(l, bytes);
    enum cudaStreamCaptureStatus status;
    cudaGraph_t graph = NULL;
    cudaUserObject_t owner = NULL;
    cudaError_t code = cudaStreamGetCaptureInfo(stream, &status, NULL, &graph, NULL, NULL, NULL);
    AND_THEN(code, cudaUserObjectCreate(&owner, k, forget, 1, cudaUserObjectNoDestructorSync));
    if (owner == NULL) {
        forget(k);
        return code;
    }
    code = cudaGraphRetainUserObject(graph, owner, 1, cudaGraphUserObjectMove);
    AND_THEN(code, capture_of(stream)->host(do_in_graph, k, stream));
    return code;
}

int simt_library_run(const struct simt_library_call *call, simt_library_step step,
                     const void *state, size_t bytes)
{
    struct simt_library l = {
        .call = *call, .step = step, .state = (unsigned char *)(uintptr_t)state};
    say_that_nothing_is_counted(call->library);
    cudaError_t code = runtime_enter_async();
    AND_THEN(code, cudart_check_stream(call->name, call->stream));
    if (code != cudaSuccess) {
        return (int)code;
    }
    if (capture_of(call->stream) != NULL) {
        code = call->waits ? capture_judge(call->name, call->stream, false) : cudaSuccess;
        AND_THEN(code, capture(&l, bytes));
        return (int)code;
    }
    if (put_off(&l, bytes)) {
        return (int)cudaSuccess;
    }
    code = do_work(&l);
    if (code == cudaSuccess && call->waits) {
        host_order_host_waits_stream(call->name, call->stream);
    }
    return (int)code;
}

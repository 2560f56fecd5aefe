/* cudart_copy.c - copies of the CUDA API, linear and pitched, and what a fill does. Every range
 * is judged before a byte moves. */
#include "runtime/cudart_copy.h"
#include "base/room.h"

#include "runtime/cudart_capture.h"
#include "runtime/cudart_devices.h"

#include "check/host/host_order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

cudaError_t copy_enter(struct copy_mode mode)
{
    return mode.waits ? runtime_enter() : runtime_enter_async();
}

struct sides {
    enum pointer_side to, from;
};

static bool sides_of(enum cudaMemcpyKind kind, struct sides *sides)
{
    static const struct sides table[] = {
        [cudaMemcpyHostToHost] = {SIDE_HOST, SIDE_HOST},
        [cudaMemcpyHostToDevice] = {SIDE_DEVICE, SIDE_HOST},
        [cudaMemcpyDeviceToHost] = {SIDE_HOST, SIDE_DEVICE},
        [cudaMemcpyDeviceToDevice] = {SIDE_DEVICE, SIDE_DEVICE},
        [cudaMemcpyDefault] = {SIDE_ANY, SIDE_ANY},
    };
    if ((unsigned)kind >= ARRAY_LENGTH(table)) {
        return false;
    }
    *sides = table[kind];
    return true;
}

/* ---- boxes: what every copy is --------------------------------------------------------------- */

static bool box_bytes(const struct box *b, uint64_t *bytes)
{
    uint64_t slices, rows;
    return !__builtin_mul_overflow(b->slice_pitch, b->depth - 1, &slices) &&
           !__builtin_mul_overflow(b->row_pitch, b->height - 1, &rows) &&
           !__builtin_add_overflow(slices, rows, bytes) &&
           !__builtin_add_overflow(*bytes, b->width, bytes);
}

static bool is_empty(const struct box *b)
{
    return b->width == 0 || b->height == 0 || b->depth == 0;
}

static unsigned char *row_of(void *base, const struct box *b, uint64_t z, uint64_t y)
{
    return (unsigned char *)base + z * b->slice_pitch + y * b->row_pitch;
}

struct move {
    void *to, *from; /* on the host */
    const struct box *to_box, *from_box;
};

static void move_box(void *state)
{
    const struct move *m = state;
    for (uint64_t z = 0; z < m->to_box->depth; z++) {
        for (uint64_t y = 0; y < m->to_box->height; y++) {
            memmove(row_of(m->to, m->to_box, z, y), row_of(m->from, m->from_box, z, y),
                    m->to_box->width);
        }
    }
}

/* Only the host's side can be short: that of the device has been judged. */
static cudaError_t move_judged(const char *call, struct move *m, uint64_t to_bytes,
                               uint64_t from_bytes)
{
    uint64_t wrong;
    runtime_lock();
    bool good = host_try(move_box, m, &wrong);
    runtime_unlock();
    if (good) {
        return cudaSuccess;
    }
    bool at_source = wrong - (uint64_t)(uintptr_t)m->from < from_bytes;
    uint64_t begin = (uint64_t)(uintptr_t)(at_source ? m->from : m->to);
    uint64_t bytes = at_source ? from_bytes : to_bytes;
    return cuda_error_saying(cudaErrorInvalidValue, call,
                             "the %s is to have %" PRIu64 " bytes at %p, but the host has memory "
                             "for %" PRIu64 " of them",
                             at_source ? "source" : "destination", bytes, (void *)(uintptr_t)begin,
                             memory_on_host(begin, bytes));
}

/* Tells the checkers of memory which device addresses have new contents, and where from. */
static void tell_rows(const void *to, const struct box *to_box, const void *from,
                      const struct box *from_box)
{
    struct memory *memory = devices_memory_of(to);
    bool from_device =
        from != NULL && memory_find(devices_memory_of(from), (uint64_t)(uintptr_t)from) != NULL;
    if (memory_find(memory, (uint64_t)(uintptr_t)to) == NULL) {
        return;
    }
    for (uint64_t z = 0; z < to_box->depth; z++) {
        for (uint64_t y = 0; y < to_box->height; y++) {
            uint64_t at = (uint64_t)(uintptr_t)row_of((void *)(uintptr_t)to, to_box, z, y);
            uint64_t source =
                from_device ? (uint64_t)(uintptr_t)row_of((void *)(uintptr_t)from, from_box, z, y)
                            : 0;
            memory_changed(memory, from_device ? MEMORY_COPIED : MEMORY_WRITTEN, at, to_box->width,
                           source);
        }
    }
}

/* For SIMT_CHECK=races: the rows of one side. */
static void touch_rows(struct host_order_work *w, const void *base, const struct box *b,
                       bool writes)
{
    for (uint64_t z = 0; z < b->depth; z++) {
        if (b->row_pitch == b->width || b->height == 1) {
            host_order_touches(w, row_of((void *)(uintptr_t)base, b, z, 0), b->width * b->height,
                               writes);
            continue;
        }
        for (uint64_t y = 0; y < b->height; y++) {
            host_order_touches(w, row_of((void *)(uintptr_t)base, b, z, y), b->width, writes);
        }
    }
}

/* Copies of and to host memory are over when a synchronous call returns; within the device they
 * are not waited for. From host to host an asynchronous one is synchronous, too. */
static bool host_waits(const void *to, const void *from, bool waits)
{
    bool to_device = memory_is_device_address(devices_memory_of(to), (uint64_t)(uintptr_t)to);
    bool from_device = memory_is_device_address(devices_memory_of(from), (uint64_t)(uintptr_t)from);
    return waits ? !to_device || !from_device : !to_device && !from_device;
}

/* The codes are an H200's: a single row is rejected, too, but with a pitch of 0, and with another
 * code. */
static cudaError_t check_pitch(const char *call, const struct box *b)
{
    const bool is_row = b->height <= 1 && b->depth <= 1;
    if (b->row_pitch < b->width && !(is_row && b->row_pitch == 0)) {
        return cuda_error_saying(is_row ? cudaErrorInvalidValue : cudaErrorInvalidPitchValue, call,
                                 "rows of %" PRIu64 " bytes do not fit a pitch of %" PRIu64,
                                 b->width, b->row_pitch);
    }
    return cudaSuccess;
}

/* Does a row of one box share bytes with a row of the other, where both have one pitch? */
static bool rows_overlap(uint64_t apart, const struct box *b)
{
    const uint64_t rows = b->height > 1 ? apart / b->row_pitch : 0;
    const uint64_t rest = b->height > 1 ? apart % b->row_pitch : apart;
    return (rows < b->height && rest < b->width) ||
           (rows + 1 < b->height && b->row_pitch - rest < b->width);
}

/* Of boxes of different pitch, and of several slices, nothing is said. */
static void judge_overlap(const char *call, const void *to, const struct box *b, const void *from,
                          const struct box *from_box)
{
    const uint64_t a = (uintptr_t)to, z = (uintptr_t)from;
    const uint64_t apart = a > z ? a - z : z - a;
    const bool alike = b->height == 1 || b->row_pitch == from_box->row_pitch;
    if (b->depth == 1 && alike && apart > 0 && rows_overlap(apart, b)) {
        host_order_tells_call(
            call,
            "copies between parts of an array that overlap: what comes out is not "
            "defined",
            "a copy to another array first, or a kernel");
    }
}

/* A copy or fill behind a launch that goes on by itself. */
struct copy_later {
    const char *call;
    void *to;
    const void *from;
    struct box to_box, from_box;
    enum cudaMemcpyKind kind;
    struct copy_mode mode;
    void *staged; /* the source's bytes, where that is ordinary memory of the host; else NULL */
};

static void run_copy_later(void *state, struct simt_waiting *waiting)
{
    const struct copy_later *l = state;
    (void)waiting;
    copy_between(l->call, l->to, &l->to_box, l->staged != NULL ? l->staged : l->from, &l->from_box,
                 l->kind, l->mode);
    free(l->staged);
}

static bool is_known(const void *pointer)
{
    return memory_find(devices_memory_of(pointer), (uint64_t)(uintptr_t)pointer) != NULL;
}

/* As on a card: from ordinary memory of the host it is staged at once, and to such memory the call
 * waits. */
static bool put_copy_off(const struct copy_later *copy, uint64_t from_bytes)
{
    struct copy_later l = *copy;
    if (l.mode.waits || !is_known(l.to) || host_order_stream_is_done(l.mode.stream)) {
        return false;
    }
    l.staged = is_known(l.from) ? NULL : room_copy(l.from, from_bytes, 1);
    l.mode.is_staged = l.staged != NULL;
    const bool is_put_off = host_order_put_off(l.mode.stream, run_copy_later, &l, sizeof l);
    if (!is_put_off) {
        free(l.staged);
    }
    return is_put_off;
}

cudaError_t copy_between(const char *call, void *to, const struct box *to_box, const void *from,
                         const struct box *from_box, enum cudaMemcpyKind kind,
                         struct copy_mode mode)
{
    struct sides sides;
    uint64_t to_bytes, from_bytes;
    cudaError_t code = copy_enter(mode);
    if (code != cudaSuccess || is_empty(to_box)) {
        return code;
    }
    if (capture_under_way() != NULL) {
        code = mode.waits ? capture_judge(call, NULL, true) : cudaSuccess;
        if (code != cudaSuccess || (!mode.waits && capture_of(mode.stream) != NULL)) {
            const struct cudaExtent e = {to_box->width, to_box->height, to_box->depth};
            const struct capture_side sides_to = {to, to_box->row_pitch, to_box->slice_pitch};
            const struct capture_side sides_from = {from, from_box->row_pitch,
                                                    from_box->slice_pitch};
            return code != cudaSuccess ? code
                                       : capture_box(&sides_to, &sides_from, e, kind, mode.stream);
        }
    }
    if (!sides_of(kind, &sides)) {
        return cuda_error_saying(cudaErrorInvalidMemcpyDirection, call, "direction %d is none",
                                 (int)kind);
    }
    code = check_pitch(call, to_box);
    AND_THEN(code, check_pitch(call, from_box));
    if (code != cudaSuccess) {
        return code;
    }
    if (!box_bytes(to_box, &to_bytes) || !box_bytes(from_box, &from_bytes)) {
        return cuda_error_saying(cudaErrorInvalidValue, call,
                                 "more bytes than there are addresses");
    }
    void *to_host = cudart_resolve_pointer(call, "destination", to, to_bytes, sides.to);
    void *from_host = to_host != NULL
                          ? cudart_resolve_pointer(call, "source", from, from_bytes, sides.from)
                          : NULL;
    if (from_host == NULL) {
        return cuda_error(cudaErrorInvalidValue);
    }
    if ((to_host == to && !cudart_judge_host_array(call, "destination", to, to_bytes)) ||
        (from_host == from && !cudart_judge_host_array(call, "source", from, from_bytes))) {
        return cuda_error(cudaErrorInvalidValue);
    }
    struct move move = {to_host, from_host, to_box, from_box};
    judge_overlap(call, to, to_box, from, from_box);
    if (runtime_is_lost() ||
        put_copy_off(&(struct copy_later){call, to, from, *to_box, *from_box, kind, mode, NULL},
                     from_bytes)) {
        return cudaSuccess;
    }
    struct host_order_work work;
    host_order_begin(&work, mode.stream, call);
    code = move_judged(call, &move, to_bytes, from_bytes);
    if (memory_is_heard(devices_memory_of(to))) {
        tell_rows(to, to_box, from, from_box);
    }
    if (work.kept) {
        if (!mode.is_staged) {
            touch_rows(&work, from, from_box, false);
        }
        touch_rows(&work, to, to_box, true);
        host_order_end(&work, host_waits(to, from, mode.waits));
    }
    return code;
}

struct fill {
    void *to;
    const struct box *box;
    unsigned value;
    unsigned element; /* bytes of the value: 1, 2 or 4 */
};

static void fill_row(void *to, uint64_t bytes, unsigned value, unsigned element)
{
    if (element == 1) {
        memset(to, (int)value, bytes);
        return;
    }
    for (uint64_t i = 0; i < bytes; i += element) {
        memcpy((unsigned char *)to + i, &value, element);
    }
}

static void fill_rows(void *state)
{
    const struct fill *f = state;
    for (uint64_t z = 0; z < f->box->depth; z++) {
        for (uint64_t y = 0; y < f->box->height; y++) {
            fill_row(row_of(f->to, f->box, z, y), f->box->width, f->value, f->element);
        }
    }
}

/* Registered memory of the host may be gone. */
static cudaError_t fill_judged(const char *call, struct fill *f, uint64_t bytes)
{
    uint64_t wrong;
    runtime_lock();
    bool good = host_try(fill_rows, f, &wrong);
    runtime_unlock();
    return good
               ? cudaSuccess
               : cuda_error_saying(cudaErrorInvalidValue, call,
                                   "the destination is to have %" PRIu64
                                   " bytes at %p, but the host has memory for %" PRIu64 " of them",
                                   bytes, f->to, memory_on_host((uint64_t)(uintptr_t)f->to, bytes));
}

struct fill_later {
    const char *call;
    void *to;
    struct box box;
    unsigned value, element;
    struct copy_mode mode;
};

static void run_fill_later(void *state, struct simt_waiting *waiting)
{
    const struct fill_later *l = state;
    (void)waiting;
    copy_fill_box(l->call, l->to, &l->box, l->value, l->element, l->mode);
}

cudaError_t copy_fill_box(const char *call, void *to, const struct box *b, unsigned value,
                          unsigned element, struct copy_mode mode)
{
    uint64_t bytes;
    cudaError_t code = copy_enter(mode);
    const struct capture_hooks *capture = mode.waits ? NULL : capture_of(mode.stream);
    if (code == cudaSuccess && capture != NULL && b->depth == 1) {
        return capture->fill(
            &(struct copy_fill){to, b->row_pitch, b->width, b->height, value, element},
            mode.stream);
    }
    if (code != cudaSuccess || is_empty(b)) {
        return code;
    }
    if (b->row_pitch < b->width && (b->height > 1 || b->depth > 1)) {
        return cuda_error_saying(cudaErrorInvalidValue, call,
                                 "rows of %" PRIu64 " bytes do not fit a pitch of %" PRIu64,
                                 b->width, b->row_pitch);
    }
    if (!box_bytes(b, &bytes)) {
        return cuda_error_saying(cudaErrorInvalidValue, call,
                                 "more bytes than there are addresses");
    }
    void *host = cudart_resolve_pointer(call, "destination", to, bytes, SIDE_DEVICE);
    if (host == NULL) {
        return cuda_error(cudaErrorInvalidValue);
    }
    const struct fill_later later = {call, to, *b, value, element, mode};
    if (!mode.waits && host_order_put_off(mode.stream, run_fill_later, &later, sizeof later)) {
        return cudaSuccess;
    }
    struct host_order_work work;
    host_order_begin(&work, mode.stream, call);
    struct fill fill = {host, b, value, element};
    code = runtime_is_lost() ? cudaSuccess : fill_judged(call, &fill, bytes);
    if (memory_is_heard(devices_memory_of(to))) {
        tell_rows(to, b, NULL, NULL);
    }
    if (work.kept) {
        touch_rows(&work, to, b, true);
        host_order_end(&work,
                       mode.waits && host_waits(to, to, true)); /* pinned and managed memory */
    }
    return code;
}

/* ---- linear ---------------------------------------------------------------------------------- */

cudaError_t copy_line(const char *call, void *to, const void *from, size_t bytes,
                      enum cudaMemcpyKind kind, struct copy_mode mode)
{
    struct box line = box_of_line(bytes);
    return copy_between(call, to, &line, from, &line, kind, mode);
}

COPY_CALLS(cudaMemcpy, copy_line(call, to, from, bytes, kind, mode), void *to, const void *from,
           size_t bytes, enum cudaMemcpyKind kind);

static cudaError_t check_devices(const char *call, int to, int from)
{
    const cudaError_t code = devices_check(call, to);
    return code == cudaSuccess ? devices_check(call, from) : code;
}

cudaError_t cudaMemcpyPeer(void *to, int toDevice, const void *from, int fromDevice, size_t bytes)
{
    const char *call = "cudaMemcpyPeer";
    cudaError_t code = check_devices(call, toDevice, fromDevice);
    return code == cudaSuccess
               ? copy_line(call, to, from, bytes, cudaMemcpyDeviceToDevice, COPY_WAITS)
               : code;
}

cudaError_t cudaMemcpyPeerAsync(void *to, int toDevice, const void *from, int fromDevice,
                                size_t bytes, cudaStream_t stream)
{
    const char *call = "cudaMemcpyPeerAsync";
    cudaError_t code = check_devices(call, toDevice, fromDevice);
    AND_THEN(code, cudart_check_stream(call, stream));
    return code == cudaSuccess
               ? copy_line(call, to, from, bytes, cudaMemcpyDeviceToDevice, COPY_QUEUED(stream))
               : code;
}

/* ---- pitched --------------------------------------------------------------------------------- */

static cudaError_t copy_rows(const char *call, void *to, size_t to_pitch, const void *from,
                             size_t from_pitch, size_t width, size_t height,
                             enum cudaMemcpyKind kind, struct copy_mode mode)
{
    const struct box to_box = box_of_plane(width, height, to_pitch);
    const struct box from_box = box_of_plane(width, height, from_pitch);
    return copy_between(call, to, &to_box, from, &from_box, kind, mode);
}

COPY_CALLS(cudaMemcpy2D, copy_rows(call, to, toPitch, from, fromPitch, width, height, kind, mode),
           void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
           size_t height, enum cudaMemcpyKind kind);

/* exec_device_runtime.c - what kernels call of the CUDA runtime: launches, copies and fills go into
 * the launch's queue (device_queue.h), which the host's side of the runtime empties when the grid
 * has ended. CDP2, the dynamic parallelism of CUDA 12 and 13, lets no kernel wait for another, so
 * that is one of the orders that may be.
 *
 * Streams and events of a kernel are numbers: the queue is emptied in the order of the calls, which
 * respects whatever they order. */
#include "exec/exec_native_state.h"

#include "machine/cuda_errors.h"
#include "machine/device_queue.h"

#include <inttypes.h>
#include <string.h>

enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    INVALID_PITCH = 12,
    MAX_DEPTH_EXCEEDED = 65,
    NOT_PERMITTED = 800
};

static bool give_code(const struct native_call_state *s, int code)
{
    return native_give(s, &code, sizeof code);
}

struct device_queue *device_queue_of(const struct native_call_state *s)
{
    return s->w->block->launch->queue;
}

/* The calling thread's number in the grid. */
static u64 thread_of(const struct native_call_state *s)
{
    const struct block *b = s->w->block;
    const struct simt_dim at = b->index, grid = b->launch->grid;
    const u64 number = ((u64)at.z * grid.y + at.y) * grid.x + at.x;
    return (number * b->warp_count + (u64)(s->w - b->warps)) * WARP_LANES + s->lane;
}

/* A call that has failed: cudaGetLastError() of the thread gives the code, too. */
bool device_end(const struct native_call_state *s, int code)
{
    if (code != SUCCESS && device_queue_of(s) != NULL) {
        device_queue_set_error(device_queue_of(s), thread_of(s), code);
    }
    return give_code(s, code);
}

bool device_last_error(struct native_call_state *s)
{
    return give_code(s, device_queue_of(s) != NULL
                            ? device_queue_error(device_queue_of(s), thread_of(s), true)
                            : 0);
}

bool device_peek_error(struct native_call_state *s)
{
    return give_code(s, device_queue_of(s) != NULL
                            ? device_queue_error(device_queue_of(s), thread_of(s), false)
                            : 0);
}

bool device_nothing(struct native_call_state *s) { return give_code(s, SUCCESS); }

/* ---- launches -------------------------------------------------------------------------------- */

/* NULL where the grid may launch nothing: then the launch returns an error. */
static bool prepare(struct native_call_state *s, struct device_item *item)
{
    struct device_queue *q = device_queue_of(s);
    u64 buffer = 0;
    if (q != NULL && q->depth < DEVICE_DEPTH) {
        const struct allocation *a =
            memory_alloc(s->w->block->memory, DEVICE_PARAMETER_BYTES, MEMORY_DEVICE,
                         "the parameters of a launch by a kernel", NULL);
        buffer = a != NULL ? a->begin : 0;
        item->buffer = buffer;
        if (buffer != 0) {
            device_queue_prepare(q, item);
        }
    }
    return native_give(s, &buffer, sizeof buffer);
}

bool device_parameter_buffer(struct native_call_state *s)
{
    struct device_item item = {.kind = DEVICE_LAUNCH, .function = arg_p(s, 0)};
    memcpy(&item.grid, s->args[1], sizeof item.grid);
    memcpy(&item.block, s->args[2], sizeof item.block);
    item.shared_bytes = (u32)arg_i(s, 3);
    return prepare(s, &item);
}

/* The launch itself names the kernel. */
bool device_plain_buffer(struct native_call_state *s)
{
    struct device_item item = {.kind = DEVICE_LAUNCH};
    return prepare(s, &item);
}

static bool launch(struct native_call_state *s, u64 buffer, u64 stream)
{
    struct device_queue *q = device_queue_of(s);
    int code = SUCCESS;
    if (q == NULL || buffer == 0) {
        return device_end(s, MAX_DEPTH_EXCEEDED);
    }
    if (!device_queue_issue(q, buffer, stream, &code)) {
        fault(s->w, s->in, s->lane, SIMT_ILLEGAL_ADDRESS,
              "cudaLaunchDevice: 0x%" PRIx64 " is no buffer of cudaGetParameterBuffer", buffer);
        return false;
    }
    return device_end(s, code);
}

bool device_launch(struct native_call_state *s) { return launch(s, arg_p(s, 0), arg_p(s, 1)); }

bool device_launch_named(struct native_call_state *s)
{
    struct device_item item = {.function = arg_p(s, 0)};
    memcpy(&item.grid, s->args[2], sizeof item.grid);
    memcpy(&item.block, s->args[3], sizeof item.block);
    item.shared_bytes = (u32)arg_i(s, 4);
    if (device_queue_of(s) != NULL) {
        device_queue_name(device_queue_of(s), arg_p(s, 1), &item);
    }
    return launch(s, arg_p(s, 1), arg_p(s, 5));
}

/* ---- copies and fills ------------------------------------------------------------------------ */

static bool issue(struct native_call_state *s, const struct device_item *item)
{
    struct device_queue *q = device_queue_of(s);
    if (q != NULL) {
        device_queue_add(q, item);
    }
    return device_end(s, q != NULL ? SUCCESS : NOT_PERMITTED);
}

bool device_copy(struct native_call_state *s)
{
    return issue(s, &(struct device_item){.kind = DEVICE_COPY,
                                          .to = arg_p(s, 0),
                                          .from = arg_p(s, 1),
                                          .bytes = arg_p(s, 2),
                                          .rows = 1,
                                          .layers = 1,
                                          .stream = arg_p(s, 4)});
}

bool device_fill(struct native_call_state *s)
{
    return issue(s, &(struct device_item){.kind = DEVICE_FILL,
                                          .to = arg_p(s, 0),
                                          .value = (u32)arg_i(s, 1),
                                          .bytes = arg_p(s, 2),
                                          .rows = 1,
                                          .layers = 1,
                                          .stream = arg_p(s, 3)});
}

bool device_copy_2d(struct native_call_state *s)
{
    const struct device_item item = {.kind = DEVICE_COPY,
                                     .to = arg_p(s, 0),
                                     .to_pitch = arg_p(s, 1),
                                     .from = arg_p(s, 2),
                                     .from_pitch = arg_p(s, 3),
                                     .bytes = arg_p(s, 4),
                                     .rows = arg_p(s, 5),
                                     .layers = 1,
                                     .stream = arg_p(s, 7)};
    if (item.bytes > item.to_pitch || item.bytes > item.from_pitch) {
        return device_end(s, INVALID_PITCH);
    }
    return issue(s, &item);
}

bool device_fill_2d(struct native_call_state *s)
{
    const struct device_item item = {.kind = DEVICE_FILL,
                                     .to = arg_p(s, 0),
                                     .to_pitch = arg_p(s, 1),
                                     .value = (u32)arg_i(s, 2),
                                     .bytes = arg_p(s, 3),
                                     .rows = arg_p(s, 4),
                                     .layers = 1,
                                     .stream = arg_p(s, 5)};
    return item.bytes > item.to_pitch ? device_end(s, INVALID_PITCH) : issue(s, &item);
}

/* As the kernel's memory has them: cudaPitchedPtr, cudaExtent, cudaPos, cudaMemcpy3DParms. */
struct pitched {
    u64 pointer, pitch, xsize, ysize;
};
struct extent {
    u64 width, height, depth;
};
struct copy_3d {
    u64 from_array, from_at[3];
    struct pitched from;
    u64 to_array, to_at[3];
    struct pitched to;
    struct extent extent;
    s32 kind, unused;
};

bool device_fill_3d(struct native_call_state *s)
{
    struct pitched to;
    struct extent extent;
    memcpy(&to, s->args[0], sizeof to);
    memcpy(&extent, s->args[2], sizeof extent);
    if (extent.width > to.pitch || (extent.depth > 1 && extent.height > to.ysize)) {
        return device_end(s, INVALID_VALUE);
    }
    return issue(s, &(struct device_item){.kind = DEVICE_FILL,
                                          .to = to.pointer,
                                          .to_pitch = to.pitch,
                                          .to_layer = to.pitch * to.ysize,
                                          .value = (u32)arg_i(s, 1),
                                          .bytes = extent.width,
                                          .rows = extent.height,
                                          .layers = extent.depth,
                                          .stream = arg_p(s, 3)});
}

static u64 begin_of(const struct pitched *p, const u64 at[3])
{
    return p->pointer + at[0] + p->pitch * (at[1] + p->ysize * at[2]);
}

bool device_copy_3d(struct native_call_state *s)
{
    struct copy_3d c;
    const void *from =
        native_bytes(s, "the parameters of cudaMemcpy3DAsync: read", arg_p(s, 0), sizeof c);
    if (from == NULL) {
        return false;
    }
    memcpy(&c, from, sizeof c);
    if (c.from_array != 0 || c.to_array != 0) {
        fault(s->w, s->in, s->lane, SIMT_NOT_SUPPORTED,
              "cudaMemcpy3DAsync in a kernel: copies of CUDA arrays are not simulated there");
        return false;
    }
    const struct extent e = c.extent;
    if (e.width > c.from.pitch || e.width > c.to.pitch ||
        (e.depth > 1 && (e.height > c.from.ysize || e.height > c.to.ysize))) {
        return device_end(s, INVALID_VALUE);
    }
    return issue(s, &(struct device_item){.kind = DEVICE_COPY,
                                          .to = begin_of(&c.to, c.to_at),
                                          .to_pitch = c.to.pitch,
                                          .to_layer = c.to.pitch * c.to.ysize,
                                          .from = begin_of(&c.from, c.from_at),
                                          .from_pitch = c.from.pitch,
                                          .from_layer = c.from.pitch * c.from.ysize,
                                          .bytes = e.width,
                                          .rows = e.height,
                                          .layers = e.depth,
                                          .stream = arg_p(s, 1)});
}

/* ---- the rest -------------------------------------------------------------------------------- */

bool device_store(struct native_call_state *s, u64 address, const void *value, size_t bytes)
{
    void *to = native_bytes(s, "the result of a call of the runtime: write", address, bytes);
    if (to != NULL) {
        memcpy(to, value, bytes);
        native_written(s, address, bytes);
    }
    return to != NULL;
}

bool device_create_stream(struct native_call_state *s)
{
    static _Atomic u64 created;
    const u64 handle = 0x1000 + ++created;
    return device_store(s, arg_p(s, 0), &handle, sizeof handle) && give_code(s, SUCCESS);
}

bool device_allocate(struct native_call_state *s)
{
    const struct allocation *a =
        memory_alloc_in_kernel(s->w->block->memory, arg_p(s, 1), " (cudaMalloc)");
    const u64 address = a != NULL ? a->begin : 0;
    return device_store(s, arg_p(s, 0), &address, sizeof address) &&
           give_code(s, a != NULL ? SUCCESS : OUT_OF_MEMORY);
}

bool device_give_back(struct native_call_state *s)
{
    const u64 address = arg_p(s, 0);
    const struct allocation *a = memory_find(s->w->block->memory, address);
    if (address != 0 && (a == NULL || !a->in_kernel || a->begin != address ||
                         !memory_free(s->w->block->memory, address, NULL))) {
        fault(s->w, s->in, s->lane, SIMT_ILLEGAL_ADDRESS,
              "cudaFree(0x%" PRIx64 ") in a kernel: no memory of cudaMalloc() in a kernel",
              address);
        return false;
    }
    warp_notice_frees(s->w);
    return give_code(s, SUCCESS);
}

/* A text in device memory. */
static bool give_text(struct native_call_state *s, const char *text)
{
    const struct allocation *a = memory_alloc(s->w->block->memory, strlen(text) + 1,
                                              MEMORY_CONSTANT, "the text of an error", NULL);
    const u64 address = a != NULL ? a->begin : 0;
    if (a != NULL) {
        strcpy((char *)(uintptr_t)(a->begin + (u64)a->delta), text);
    }
    return native_give(s, &address, sizeof address);
}

bool device_error_string(struct native_call_state *s)
{
    return give_text(s, cuda_error_text(arg_i(s, 0)));
}

bool device_error_name(struct native_call_state *s)
{
    return give_text(s, cuda_error_name(arg_i(s, 0)));
}

/* cudart_children.c - see cudart_children.h. A launch that a kernel has asked for wrongly is
 * explained and dropped. */
#include "runtime/cudart_children.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/registry.h"

static void *host_of(const struct request *parent, uint64_t address, uint64_t bytes)
{
    return memory_host(runtime_of(parent->kernel->device)->memory, address, bytes);
}

/* If not, that is explained; it is no error of the host's, and the grid's other launches go on. */
static bool is_possible(const struct request *r)
{
    const cudaError_t of_host = runtime_last_error();
    const bool possible = request_check(r) == cudaSuccess;
    cuda_error(of_host);
    return possible;
}

struct CUkern_st *children_kernel(const struct request *parent, uint64_t function, struct err *e)
{
    const char *name = simt_kernel_function(parent->kernel->kernel, function);
    if (name == NULL) {
        err_set(e, "the function's address is none");
        return NULL;
    }
    struct CUkern_st *k = registry_kernel_of(parent->kernel->image, name, e);
    return k != NULL && registry_load_kernel(k) == cudaSuccess ? k : NULL;
}

static bool launch(const struct device_item *item, const struct request *parent,
                   const struct children_place *place, children_runner run, void *state)
{
    struct err e = {0};
    struct CUkern_st *k = children_kernel(parent, item->function, &e);
    if (k == NULL) {
        runtime_say(parent->kernel->plain, "it launches what is no kernel: %s", e.text);
        return false;
    }
    const struct request r = {
        .kernel = k,
        .grid = {item->grid.x, item->grid.y, item->grid.z},
        .block = {item->block.x, item->block.y, item->block.z},
        .shared_bytes = item->shared_bytes,
    };
    const void *params = host_of(parent, item->buffer, simt_kernel_param_bytes(k->kernel));
    if (simt_kernel_param_bytes(k->kernel) > DEVICE_PARAMETER_BYTES || params == NULL) {
        runtime_say(k->plain, "more than %d bytes of arguments of a launch by a kernel",
                    DEVICE_PARAMETER_BYTES);
        return false;
    }
    return !is_possible(&r) || run(state, &r, params, place);
}

static void explain_bytes(const struct request *parent, const struct device_item *item,
                          uint64_t address)
{
    runtime_say(parent->kernel->plain,
                "%s in it: %llu bytes at 0x%llx are not inside an allocation of the device",
                item->kind == DEVICE_COPY ? "cudaMemcpyAsync" : "cudaMemsetAsync",
                (unsigned long long)item->bytes, (unsigned long long)address);
}

/* One row of it. */
static bool copy_row(const struct device_item *item, const struct request *parent, uint64_t to_at,
                     uint64_t from_at)
{
    struct memory *memory = runtime_of(parent->kernel->device)->memory;
    const bool copies = item->kind == DEVICE_COPY;
    void *to = host_of(parent, to_at, item->bytes);
    const void *from = copies ? host_of(parent, from_at, item->bytes) : to;
    if (to == NULL || from == NULL) {
        explain_bytes(parent, item, to == NULL ? to_at : from_at);
        return false;
    }
    if (copies) {
        memmove(to, from, item->bytes);
    } else {
        memset(to, (int)item->value, item->bytes);
    }
    if (memory_is_heard(memory)) {
        memory_changed(memory, copies ? MEMORY_COPIED : MEMORY_WRITTEN, to_at, item->bytes,
                       from_at);
    }
    return true;
}

static bool copy(const struct device_item *item, const struct request *parent)
{
    bool good = true;
    for (uint64_t z = 0; good && item->bytes > 0 && z < item->layers; z++) {
        for (uint64_t y = 0; good && y < item->rows; y++) {
            good = copy_row(item, parent, item->to + z * item->to_layer + y * item->to_pitch,
                            item->from + z * item->from_layer + y * item->from_pitch);
        }
    }
    return good;
}

/* A grid at the tail takes the place of the one that launched it, which has ended. */
static struct children_place place_of(const struct device_item *item, struct device_queue *queue)
{
    return item->stream == DEVICE_STREAM_TAIL ? (struct children_place){queue->depth, queue}
                                              : (struct children_place){queue->depth + 1, NULL};
}

static void forget_buffer(void *memory, uint64_t buffer) { memory_free(memory, buffer, NULL); }

bool children_run(struct device_queue *queue, const struct request *parent, children_runner run,
                  void *state)
{
    if (device_queue_is_unused(queue)) {
        return true;
    }
    struct memory *memory = runtime_of(parent->kernel->device)->memory;
    struct device_item *item;
    bool good = true;
    while (good && (queue->first != NULL || queue->tail_of == NULL) &&
           (item = device_queue_take(queue)) != NULL) {
        const struct children_place place = place_of(item, queue);
        good = item->kind == DEVICE_LAUNCH ? launch(item, parent, &place, run, state)
                                           : copy(item, parent);
        if (item->kind == DEVICE_LAUNCH) {
            forget_buffer(memory, item->buffer);
        }
        free(item);
    }
    if (good && queue->tail_of != NULL) {
        device_queue_hand_over(queue);
    }
    device_queue_close(queue, forget_buffer, memory);
    return good;
}

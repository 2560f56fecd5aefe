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

static bool launch(const struct device_item *item, const struct request *parent, unsigned depth,
                   children_runner run, void *state)
{
    struct err e = {0};
    const char *name = simt_kernel_function(parent->kernel->kernel, item->function);
    struct CUkern_st *k = name != NULL ? registry_kernel_of(parent->kernel->image, name, &e) : NULL;
    if (k == NULL || registry_load_kernel(k) != cudaSuccess) {
        runtime_say(parent->kernel->plain, "it launches what is no kernel: %s",
                    name != NULL ? e.text : "the function's address is none");
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
    return !is_possible(&r) || run(state, &r, params, depth);
}

static bool copy(const struct device_item *item, const struct request *parent)
{
    struct memory *memory = runtime_of(parent->kernel->device)->memory;
    const bool copies = item->kind == DEVICE_COPY;
    void *to = host_of(parent, item->to, item->bytes);
    const void *from = copies ? host_of(parent, item->from, item->bytes) : to;
    if (item->bytes > 0 && (to == NULL || from == NULL)) {
        runtime_say(parent->kernel->plain,
                    "%s in it: %llu bytes at 0x%llx are not inside an allocation of the device",
                    copies ? "cudaMemcpyAsync" : "cudaMemsetAsync", (unsigned long long)item->bytes,
                    (unsigned long long)(to == NULL ? item->to : item->from));
        return false;
    }
    if (item->bytes > 0 && copies) {
        memmove(to, from, item->bytes);
    } else if (item->bytes > 0) {
        memset(to, (int)item->value, item->bytes);
    }
    if (item->bytes > 0 && memory_is_heard(memory)) {
        memory_changed(memory, copies ? MEMORY_COPIED : MEMORY_WRITTEN, item->to, item->bytes,
                       item->from);
    }
    return true;
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
    while (good && (item = device_queue_take(queue)) != NULL) {
        good = item->kind == DEVICE_LAUNCH ? launch(item, parent, queue->depth + 1, run, state)
                                           : copy(item, parent);
        if (item->kind == DEVICE_LAUNCH) {
            forget_buffer(memory, item->buffer);
        }
        free(item);
    }
    device_queue_close(queue, forget_buffer, memory);
    return good;
}

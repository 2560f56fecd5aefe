/* box_memory.c - the memory of a program in its box: allocations, copies in all directions, fills
 * and the module's variables. See box_state.h. */
#include "common/judge/box_state.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PENDING = 512 };

static struct {
    unsigned char *bytes;
    uint64_t count, from;
} pending[MOST_PENDING];
static unsigned pending_count;
static unsigned char *fetched;

cudaError_t box_allocate(const struct box_request *r, uint64_t *result)
{
    void *address = NULL;
    size_t pitch = 0;
    const cudaError_t code = r->what == BOX_ALLOCATE ? cudaMalloc(&address, r->a[0])
                             : r->what == BOX_ALLOCATE_SHARED
                                 ? cudaMallocManaged(&address, r->a[0], cudaMemAttachGlobal)
                                 : cudaMallocPitch(&address, &pitch, r->a[0], r->a[1]);
    const uint64_t bytes = pitch > 0 ? pitch * r->a[1] : r->a[0];
    result[0] = (uint64_t)(uintptr_t)address;
    result[1] = pitch;
    if (code == cudaSuccess && address != NULL &&
        !box_remember(result[0], bytes, r->site, OF_PROGRAM)) {
        cudaFree(address);
        return cudaErrorMemoryAllocation;
    }
    if (code == cudaSuccess && address != NULL) {
        judge_name_memory(address, box_name_of(result[0]));
    }
    return code;
}

cudaError_t box_release(uint64_t address)
{
    struct memory *m = box_memory_at(address, 0);
    if (address == 0) {
        return cudaFree(NULL);
    }
    if (m == NULL || m->whose != OF_PROGRAM || m->address != address) {
        return cudaFree((void *)8);
    }
    m->freed = true; /* where it was made may still have to be said */
    return cudaFree((void *)(uintptr_t)address);
}

cudaError_t box_write(struct judge *j, const struct box_request *r, const unsigned char *data,
                      uint32_t bytes)
{
    struct memory *m = box_memory_at(r->a[0], bytes);
    void *const to = box_address(r->a[0], bytes);
    unsigned char *copy = malloc(bytes + 1);
    if (copy == NULL) {
        return cudaErrorMemoryAllocation;
    }
    memcpy(copy, data, bytes);
    if (m != NULL) {
        decoy_to_gpu(copy, bytes, r->a[0]);
        j->host_wrote = j->host_wrote || m->whose == OF_JUDGE;
    }
    cudaError_t code;
    if (r->a[2] == 0) {
        code = cudaMemcpy(to, copy, bytes, cudaMemcpyHostToDevice);
    } else {
        code = cudaMemcpyAsync(to, copy, bytes, cudaMemcpyHostToDevice, box_stream(r->a[1]));
        if (code == cudaSuccess) {
            cudaStreamSynchronize(box_stream(r->a[1])); /* the copy is gone in a moment */
        }
    }
    free(copy);
    return code;
}

static bool room_to_fetch(uint64_t bytes)
{
    free(fetched);
    fetched = bytes < BOX_MOST_BYTES ? malloc(bytes + 1) : NULL;
    return fetched != NULL;
}

struct box_answer box_fetch(const struct box_request *r)
{
    struct box_answer a = {.reply = {.code = cudaErrorMemoryAllocation}};
    if (room_to_fetch(r->a[1])) {
        a.reply.code =
            cudaMemcpy(fetched, box_address(r->a[0], r->a[1]), r->a[1], cudaMemcpyDeviceToHost);
    }
    if (a.reply.code == cudaSuccess) {
        decoy_from_gpu(fetched, r->a[1], r->a[0]);
        a.data = fetched;
        a.bytes = (uint32_t)r->a[1];
    }
    return a;
}

/* Its bytes are the program's when it has waited for them. */
cudaError_t box_fetch_later(const struct box_request *r, uint64_t *number)
{
    unsigned char *bytes = r->a[1] < BOX_MOST_BYTES ? malloc(r->a[1] + 1) : NULL;
    if (bytes == NULL || pending_count == MOST_PENDING) {
        free(bytes);
        return cudaErrorMemoryAllocation;
    }
    const cudaError_t code = cudaMemcpyAsync(bytes, box_address(r->a[0], r->a[1]), r->a[1],
                                             cudaMemcpyDeviceToHost, box_stream(r->a[2]));
    if (code != cudaSuccess) {
        free(bytes);
        return code;
    }
    pending[pending_count].bytes = bytes;
    pending[pending_count].count = r->a[1];
    pending[pending_count].from = r->a[0];
    *number = pending_count++;
    return code;
}

struct box_answer box_give_fetched(const struct box_request *r)
{
    struct box_answer a = {.reply = {.code = cudaErrorInvalidValue}};
    if (r->a[0] < pending_count && pending[r->a[0]].bytes != NULL) {
        decoy_from_gpu(pending[r->a[0]].bytes, pending[r->a[0]].count, pending[r->a[0]].from);
        a.reply.code = cudaSuccess;
        a.data = pending[r->a[0]].bytes;
        a.bytes = (uint32_t)pending[r->a[0]].count;
    }
    return a;
}

cudaError_t box_move(struct judge *j, const struct box_request *r)
{
    const struct memory *m = box_memory_at(r->a[0], r->a[2]);
    void *const to = box_address(r->a[0], r->a[2]), *const from = box_address(r->a[1], r->a[2]);
    if (m != NULL) {
        j->host_wrote = j->host_wrote || m->whose == OF_JUDGE;
        decoy_moved(r->a[0], r->a[1], r->a[2]);
    }
    return r->a[4] == 0
               ? cudaMemcpy(to, from, r->a[2], cudaMemcpyDeviceToDevice)
               : cudaMemcpyAsync(to, from, r->a[2], cudaMemcpyDeviceToDevice, box_stream(r->a[3]));
}

cudaError_t box_fill(const struct box_request *r)
{
    void *const to = box_address(r->a[0], r->a[2]);
    return r->a[4] == 0 ? cudaMemset(to, (int)r->a[1], r->a[2])
                        : cudaMemsetAsync(to, (int)r->a[1], r->a[2], box_stream(r->a[3]));
}

cudaError_t box_symbol(const char *name, const struct box_request *r, uint64_t *result)
{
    const void *const shadow = learner_variable(name);
    void *address = NULL;
    size_t bytes = 0;
    cudaError_t code = shadow == NULL ? cudaErrorInvalidSymbol : cudaGetSymbolSize(&bytes, shadow);
    code = code == cudaSuccess ? cudaGetSymbolAddress(&address, shadow) : code;
    if (code == cudaSuccess && box_memory_at((uint64_t)(uintptr_t)address, bytes) == NULL) {
        box_remember((uint64_t)(uintptr_t)address, bytes, r->site, OF_MODULE);
    }
    result[0] = (uint64_t)(uintptr_t)address;
    result[1] = bytes;
    return code;
}

void box_forget_copies(void)
{
    for (unsigned i = 0; i < pending_count; i++) {
        free(pending[i].bytes);
    }
    pending_count = 0;
}

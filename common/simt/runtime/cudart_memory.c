/* cudart_memory.c - device, pinned and managed memory of the CUDA API, and what pointers are. */
#include "runtime/cudart.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/simt_last.h"
#include "base/describe.h"
#include "check/host/host_order.h"
#include "runtime/cudart_advice.h"
#include "runtime/cudart_capture.h"
#include "runtime/cudart_devices.h"
#include "runtime/cudart_pool_memory.h"
#include "runtime/graph.h"

enum { PITCH = 512 }; /* rows of cudaMallocPitch() begin at multiples of this, as on a card */

static void *pointer_to(uint64_t address) { return (void *)(uintptr_t)address; }

/* ---- allocate -------------------------------------------------------------------------------- */

cudaError_t runtime_allocate_at(uint64_t again, const char *call, void **pointer, uint64_t bytes,
                                enum memory_kind kind, const void *site)
{
    cudaError_t code = runtime_enter();
    AND_THEN(code, capture_judge(call, NULL, true));
    if (code != cudaSuccess) {
        return code;
    }
    if (pointer == NULL) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "the address of a pointer is needed");
    }
    *pointer = NULL;
    if (bytes == 0) {
        return cudaSuccess;
    }
    struct memory *memory = runtime()->memory;
    const struct allocation *a = again != 0 ? memory_alloc_again(memory, again, bytes, call, site)
                                            : memory_alloc(memory, bytes, kind, call, site);
    if (a == NULL) {
        return cuda_error_saying(cudaErrorMemoryAllocation, call,
                                 "%" PRIu64 " bytes: %" PRIu64
                                 " are left on %s as this computer can simulate it",
                                 bytes, memory_available(memory), runtime_limits()->name);
    }
    if (kind != MEMORY_DEVICE && kind != MEMORY_ARRAY) {
        host_order_shares_memory();
    }
    *pointer = pointer_to(a->begin);
    if (runtime_device_count() > 1) {
        devices_allocated(runtime(), a);
    }
    return cudaSuccess;
}

cudaError_t runtime_allocate(const char *call, void **pointer, uint64_t bytes,
                             enum memory_kind kind, const void *site)
{
    return runtime_allocate_at(0, call, pointer, bytes, kind, site);
}

/* A stream that allocates or frees is one that touches all of the memory. */
void runtime_touches_all(const char *call, const char *verb, const void *pointer,
                         cudaStream_t stream)
{
    struct host_order_work work;
    host_order_begin(&work, stream, call);
    const struct allocation *a =
        work.kept ? memory_find(devices_memory_of(pointer), (uint64_t)(uintptr_t)pointer) : NULL;
    if (a != NULL) {
        work.hazard.verbs[1] = verb;
        host_order_touches(&work, pointer, a->bytes, true);
    }
    host_order_end(&work, false);
}

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    return runtime_allocate("cudaMalloc", pointer, bytes, MEMORY_DEVICE, CALL_SITE());
}

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags)
{
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) {
        return cuda_error_saying(cudaErrorInvalidValue, "cudaMallocManaged",
                                 "the flags are cudaMemAttachGlobal or cudaMemAttachHost, not %u",
                                 flags);
    }
    if (bytes == 0) {
        return cuda_error_saying(cudaErrorInvalidValue, "cudaMallocManaged", "0 bytes");
    }
    return runtime_allocate("cudaMallocManaged", pointer, bytes, MEMORY_MANAGED, CALL_SITE());
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    return runtime_allocate("cudaMallocHost", pointer, bytes, MEMORY_PINNED, CALL_SITE());
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
    unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if ((flags & ~known) != 0) {
        return cuda_error_saying(cudaErrorInvalidValue, "cudaHostAlloc", "unknown flags 0x%x",
                                 flags);
    }
    return runtime_allocate("cudaHostAlloc", pointer, bytes, MEMORY_PINNED, CALL_SITE());
}

static cudaError_t allocate_rows(const char *call, void **pointer, size_t *pitch, uint64_t width,
                                 uint64_t rows, const void *site)
{
    uint64_t row = align_up(width, PITCH), bytes;
    if (row < width || __builtin_mul_overflow(row, rows, &bytes)) {
        return cuda_error_saying(cudaErrorMemoryAllocation, call,
                                 "%" PRIu64 " rows of %" PRIu64 " bytes", rows, width);
    }
    cudaError_t code = runtime_allocate(call, pointer, bytes, MEMORY_DEVICE, site);
    if (code == cudaSuccess) {
        *pitch = row;
    }
    return code;
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    if (pitch == NULL) {
        return cuda_error_saying(cudaErrorInvalidValue, "cudaMallocPitch",
                                 "the pitch has no address");
    }
    return allocate_rows("cudaMallocPitch", pointer, pitch, width, height, CALL_SITE());
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pointer, struct cudaExtent extent)
{
    uint64_t rows;
    if (pointer == NULL) {
        return cuda_error_saying(cudaErrorInvalidValue, "cudaMalloc3D",
                                 "the pointer has no address");
    }
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) {
        return cuda_error_saying(cudaErrorMemoryAllocation, "cudaMalloc3D", "%zu x %zu rows",
                                 extent.height, extent.depth);
    }
    pointer->xsize = extent.width;
    pointer->ysize = extent.height;
    return allocate_rows("cudaMalloc3D", &pointer->ptr, &pointer->pitch, extent.width, rows,
                         CALL_SITE());
}

/* ---- free ------------------------------------------------------------------------------------ */

/* What would have been right for this live allocation. */
static const char *how_to_free(const struct allocation *a, uint64_t address)
{
    if (a == NULL) {
        return "";
    }
    if (a->in_kernel) {
        return ": free() in a kernel gives it back";
    }
    switch (a->kind) {
    case MEMORY_DEVICE:
    case MEMORY_MANAGED:
        return address == a->begin ? ": cudaFree frees it" : ": cudaFree takes its first byte";
    case MEMORY_ARRAY:
        return ": cudaFreeArray frees it";
    case MEMORY_PINNED:
        return a->registered         ? ": cudaHostUnregister releases it"
               : address == a->begin ? ": cudaFreeHost frees it"
                                     : ": cudaFreeHost takes its first byte";
    default:
        return ": a variable is never freed";
    }
}

static cudaError_t give_back(const char *call, void *pointer, bool pinned, const void *site)
{
    cudaError_t code = runtime_enter();
    if (code != cudaSuccess || pointer == NULL) {
        return code;
    }
    const struct runtime *owner = devices_owner(pointer);
    struct memory *memory = owner->memory;
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    if (!pinned && graph_memory_is_mine(pointer)) { /* of a graph that has been launched */
        return graph_memory_end(call, pointer) ? cudaSuccess : cuda_error(cudaErrorInvalidValue);
    }
    const struct allocation *a = memory_find(memory, address);
    bool is_pinned = a != NULL && a->kind == MEMORY_PINNED && !a->registered;
    bool is_device = a != NULL && (a->kind == MEMORY_DEVICE || a->kind == MEMORY_MANAGED) &&
                     !a->registered && !a->in_kernel;
    runtime_lock(); /* launches that are running end first, as on a card */
    bool freed = (pinned ? is_pinned : is_device) && memory_free(memory, address, site);
    if (freed && runtime_device_count() > 1) {
        devices_freed(owner, address);
    }
    runtime_unlock();
    if (freed) {
        return cudaSuccess;
    }
    char text[800];
    cudart_explain_pointer(pointer, text, sizeof text);
    return cuda_error_saying(cudaErrorInvalidValue, call, "%s%s", text, how_to_free(a, address));
}

cudaError_t cudaFree(void *pointer)
{
    host_order_host_waits_all("cudaFree"); /* of launches, as on a card */
    const cudaError_t code = give_back("cudaFree", pointer, false, CALL_SITE());
    if (code == cudaSuccess) {
        pool_memory_freed(pointer, false, NULL);
    }
    return code;
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    cudaError_t code = cudart_check_stream("cudaFreeAsync", stream);
    if (code == cudaSuccess && capture_of(stream) != NULL) {
        return capture_of(stream)->give_back(pointer, stream);
    }
    if (code == cudaSuccess) {
        runtime_touches_all("cudaFreeAsync", "freed", pointer, stream);
    }
    AND_THEN(code, give_back("cudaFreeAsync", pointer, false, CALL_SITE()));
    if (code == cudaSuccess) {
        pool_memory_freed(pointer, true, stream);
    }
    return code;
}
PER_THREAD(cudaFreeAsync, _ptsz);

cudaError_t cudaFreeHost(void *pointer)
{
    host_order_host_waits_all("cudaFreeHost");
    return give_back("cudaFreeHost", pointer, true, CALL_SITE());
}

void runtime_host_gone(const void *host, uint64_t bytes, const void *return_address)
{
    if (runtime_is_open() && host != NULL) {
        memory_host_gone(runtime()->memory, (uint64_t)(uintptr_t)host, bytes, return_address);
    }
}

/* ---- host memory ----------------------------------------------------------------------------- */

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags)
{
    const char *call = "cudaHostRegister";
    const void *site = CALL_SITE();
    cudaError_t code = runtime_enter();
    if (code != cudaSuccess) {
        return code;
    }
    unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory |
                     cudaHostRegisterReadOnly;
    if (pointer == NULL || bytes == 0 || (flags & ~known) != 0) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "pointer %p, %zu bytes, flags 0x%x",
                                 pointer, bytes, flags);
    }
    uint64_t there = memory_on_host((uint64_t)(uintptr_t)pointer, bytes);
    if (there < bytes) {
        return cuda_error_saying(cudaErrorInvalidValue, call,
                                 "the host has memory for %" PRIu64 " of the %zu bytes at %p",
                                 there, bytes, pointer);
    }
    const struct allocation *a =
        memory_register(runtime()->memory, pointer, bytes, MEMORY_PINNED, call, site);
    if (a == NULL) {
        return cuda_error_saying(cudaErrorHostMemoryAlreadyRegistered, call,
                                 "a part of the %zu bytes at %p is pinned already", bytes, pointer);
    }
    if (runtime_device_count() > 1) {
        devices_allocated(runtime(), a);
    }
    host_order_shares_memory();
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *pointer)
{
    const char *call = "cudaHostUnregister";
    const void *site = CALL_SITE();
    host_order_host_waits_all(call);
    cudaError_t code = runtime_enter();
    if (code != cudaSuccess) {
        return code;
    }
    const struct runtime *owner = devices_owner(pointer);
    struct memory *memory = owner->memory;
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    const struct allocation *a = memory_find(memory, address);
    bool registered = a != NULL && a->registered && a->kind == MEMORY_PINNED;
    if (!registered || !memory_free(memory, address, site)) {
        return cuda_error_saying(cudaErrorHostMemoryNotRegistered, call,
                                 "%p is not what cudaHostRegister was given", pointer);
    }
    devices_freed(owner, address);
    return cudaSuccess;
}

static const struct allocation *pinned_at(const void *pointer)
{
    const struct allocation *a = memory_find(runtime()->memory, (uint64_t)(uintptr_t)pointer);
    return a != NULL && a->kind == MEMORY_PINNED ? a : NULL;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
    cudaError_t code = runtime_enter();
    if (code != cudaSuccess) {
        return code;
    }
    if (device == NULL || flags != 0 || pinned_at(host) == NULL) {
        return cuda_error_saying(cudaErrorInvalidValue, "cudaHostGetDevicePointer",
                                 "%p is no pinned memory (cudaHostAlloc, cudaHostRegister)", host);
    }
    *device = host; /* one pointer serves both sides */
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *pointer)
{
    cudaError_t code = runtime_enter();
    if (code != cudaSuccess) {
        return code;
    }
    if (flags == NULL || pinned_at(pointer) == NULL) {
        return cuda_error_saying(cudaErrorInvalidValue, "cudaHostGetFlags",
                                 "%p is no pinned memory (cudaHostAlloc, cudaHostRegister)",
                                 pointer);
    }
    *flags = cudaHostAllocMapped | cudaHostAllocPortable;
    return cudaSuccess;
}

/* ---- queries --------------------------------------------------------------------------------- */

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    cudaError_t code = runtime_enter();
    if (code != cudaSuccess) {
        return code;
    }
    if (free_bytes == NULL || total_bytes == NULL) {
        return cuda_error(cudaErrorInvalidValue);
    }
    uint64_t used, limit;
    memory_usage(runtime()->memory, &used, &limit);
    *free_bytes = memory_available(runtime()->memory);
    *total_bytes = limit;
    return cudaSuccess;
}

static enum cudaMemoryType type_of(const struct allocation *a)
{
    return a->kind == MEMORY_MANAGED  ? cudaMemoryTypeManaged
           : a->kind == MEMORY_PINNED ? cudaMemoryTypeHost
                                      : cudaMemoryTypeDevice;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *pointer)
{
    cudaError_t code = runtime_enter();
    AND_THEN(code, runtime_need(out));
    if (code != cudaSuccess) {
        return code;
    }
    const struct runtime *owner = devices_owner(pointer);
    const struct allocation *a = memory_find(owner->memory, (uint64_t)(uintptr_t)pointer);
    void *same = (void *)(uintptr_t)pointer;
    memset(out, 0, sizeof *out);
    if (a == NULL) { /* ordinary host memory, or no memory at all: CUDA does not tell */
        out->type = cudaMemoryTypeUnregistered;
        out->device = cudaInvalidDeviceId;
        out->hostPointer = same;
        return cudaSuccess;
    }
    out->type = type_of(a);
    out->device = owner->device;
    out->devicePointer = same;
    out->hostPointer = out->type == cudaMemoryTypeDevice ? NULL : same;
    return cudaSuccess;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t length,
                                     unsigned int flags)
{
    (void)length;
    cudaError_t code = cudart_check_stream("cudaStreamAttachMemAsync", stream);
    bool known =
        flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
    if (code == cudaSuccess && !known) {
        return cuda_error_saying(cudaErrorInvalidValue, "cudaStreamAttachMemAsync",
                                 "unknown flags %u", flags);
    }
    AND_THEN(code, runtime_enter_async());
    AND_THEN(code, advice_check("cudaStreamAttachMemAsync", pointer, 1));
    return code;
}
PER_THREAD(cudaStreamAttachMemAsync, _ptsz);

void simt_name_memory(const void *device, const char *name)
{
    memory_call(runtime()->memory, (uint64_t)(uintptr_t)device, name);
}

/* memory.c - allocating, copying and setting, as the program knows them. */
#include "common/judge/boxed/remote.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST = 256 };

static struct {
    void *address;
    size_t bytes;
} shared[MOST];
static unsigned shared_count;

static struct {
    void *to;
    size_t bytes;
    uint64_t number;
} later[MOST];
static unsigned later_count;

/* --- managed memory and copies under way ------------------------------------------------------ */

void remote_before_launch(void)
{
    for (unsigned i = 0; i < shared_count; i++) {
        remote(BOX_WRITE, ARGUMENTS(POINTER_VALUE(shared[i].address)), 0, shared[i].address,
               shared[i].bytes, NULL, NULL, 0);
    }
}

void remote_waited(void)
{
    for (unsigned i = 0; i < shared_count; i++) {
        remote(BOX_FETCH, ARGUMENTS(POINTER_VALUE(shared[i].address), shared[i].bytes), 0, NULL, 0,
               NULL, shared[i].address, shared[i].bytes);
    }
    for (unsigned i = 0; i < later_count; i++) {
        remote(BOX_FETCHED, ARGUMENTS(later[i].number), 0, NULL, 0, NULL, later[i].to,
               later[i].bytes);
    }
    later_count = 0;
}

/* --- allocating ------------------------------------------------------------------------------- */

static cudaError_t allocate(enum box_request_kind what, void **address, uint64_t a, uint64_t b,
                            size_t *pitch, uint64_t site)
{
    uint64_t results[2] = {0};
    const cudaError_t code = remote(what, ARGUMENTS(a, b), site, NULL, 0, results, NULL, 0);
    if (code == cudaSuccess) {
        *address = (void *)(uintptr_t)results[0];
    }
    if (code == cudaSuccess && pitch != NULL) {
        *pitch = results[1];
    }
    return code;
}

cudaError_t cudaMalloc(void **address, size_t bytes)
{
    return allocate(BOX_ALLOCATE, address, bytes, 0, NULL, CALL_SITE);
}

cudaError_t cudaMallocAsync(void **address, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    return allocate(BOX_ALLOCATE, address, bytes, 0, NULL, CALL_SITE);
}

cudaError_t cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height)
{
    return allocate(BOX_ALLOCATE_PITCH, address, width, height, pitch, CALL_SITE);
}

cudaError_t cudaMallocManaged(void **address, size_t bytes, unsigned flags)
{
    (void)flags;
    const cudaError_t code = allocate(BOX_ALLOCATE_SHARED, address, bytes, 0, NULL, CALL_SITE);
    if (code != cudaSuccess || bytes == 0) {
        return code;
    }
    /* At the same address as in the judge, whose memory is elsewhere. */
    const uint64_t begin = POINTER_VALUE(*address) / 4096 * 4096;
    void *const at =
        mmap((void *)(uintptr_t)begin, POINTER_VALUE(*address) - begin + bytes,
             PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    bool there = at != MAP_FAILED;
    for (unsigned i = 0; i < shared_count && !there; i++) { /* a page may hold two of them */
        there = POINTER_VALUE(shared[i].address) / 4096 * 4096 <= begin &&
                POINTER_VALUE(shared[i].address) + shared[i].bytes > begin;
    }
    if (!there || shared_count == MOST) {
        return cudaErrorMemoryAllocation;
    }
    shared[shared_count].address = *address;
    shared[shared_count++].bytes = bytes;
    return cudaSuccess;
}

cudaError_t cudaFree(void *address)
{
    for (unsigned i = 0; i < shared_count; i++) {
        if (shared[i].address == address && address != NULL) {
            shared[i] = shared[--shared_count];
        }
    }
    return remote(BOX_FREE, ARGUMENTS(POINTER_VALUE(address)), CALL_SITE, NULL, 0, NULL, NULL, 0);
}

cudaError_t cudaFreeAsync(void *address, cudaStream_t stream)
{
    (void)stream;
    return cudaFree(address);
}

/* Pinned memory is memory of the host. */
cudaError_t cudaMallocHost(void **address, size_t bytes)
{
    *address = malloc(bytes + 1);
    return *address != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaHostAlloc(void **address, size_t bytes, unsigned flags)
{
    (void)flags;
    return cudaMallocHost(address, bytes);
}

cudaError_t cudaFreeHost(void *address)
{
    free(address);
    return cudaSuccess;
}

/* --- copying ---------------------------------------------------------------------------------- */

static bool of_the_gpu(const void *address)
{
    struct cudaPointerAttributes about = {0};
    return remote(BOX_POINTER, ARGUMENTS(POINTER_VALUE(address)), 0, NULL, 0, NULL, &about,
                  sizeof about) == cudaSuccess &&
           (about.type == cudaMemoryTypeDevice || about.type == cudaMemoryTypeManaged);
}

static enum cudaMemcpyKind kind_of(const void *to, const void *from, enum cudaMemcpyKind kind)
{
    if (kind != cudaMemcpyDefault) {
        return kind;
    }
    static const enum cudaMemcpyKind kinds[2][2] = {
        {cudaMemcpyHostToHost, cudaMemcpyDeviceToHost},
        {cudaMemcpyHostToDevice, cudaMemcpyDeviceToDevice}}; /* [to the GPU][from the GPU] */
    const bool there = of_the_gpu(to), here = of_the_gpu(from);
    return kinds[there][here];
}

static cudaError_t fetch_later(void *to, const void *from, size_t bytes, cudaStream_t stream,
                               uint64_t site)
{
    uint64_t results[2] = {0};
    const cudaError_t code =
        remote(BOX_FETCH_LATER, ARGUMENTS(POINTER_VALUE(from), bytes, POINTER_VALUE(stream)), site,
               NULL, 0, results, NULL, 0);
    if (code == cudaSuccess && later_count == MOST) {
        remote_waited();
    }
    if (code == cudaSuccess) {
        later[later_count].to = to;
        later[later_count].bytes = bytes;
        later[later_count++].number = results[0];
    }
    return code;
}

static cudaError_t copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                        cudaStream_t stream, bool asynchronous, uint64_t site)
{
    cudaError_t code;
    switch (kind_of(to, from, kind)) {
    case cudaMemcpyHostToDevice:
        code = remote(BOX_WRITE, ARGUMENTS(POINTER_VALUE(to), POINTER_VALUE(stream), asynchronous),
                      site, from, bytes, NULL, NULL, 0);
        break;
    case cudaMemcpyDeviceToHost:
        if (asynchronous) {
            return fetch_later(to, from, bytes, stream, site);
        }
        code = remote(BOX_FETCH, ARGUMENTS(POINTER_VALUE(from), bytes), site, NULL, 0, NULL, to,
                      bytes);
        break;
    case cudaMemcpyDeviceToDevice:
        code = remote(BOX_MOVE,
                      ARGUMENTS(POINTER_VALUE(to), POINTER_VALUE(from), bytes,
                                POINTER_VALUE(stream), asynchronous),
                      site, NULL, 0, NULL, NULL, 0);
        break;
    default:
        memmove(to, from, bytes);
        code = cudaSuccess;
    }
    if (!asynchronous && code == cudaSuccess) {
        remote_waited();
    }
    return code;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    return copy(to, from, bytes, kind, NULL, false, CALL_SITE);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return copy(to, from, bytes, kind, stream, true, CALL_SITE);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    cudaError_t code = cudaSuccess;
    for (size_t row = 0; row < height && code == cudaSuccess; row++) {
        code = copy((char *)to + row * to_pitch, (const char *)from + row * from_pitch, width, kind,
                    stream, true, CALL_SITE);
    }
    return code;
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    cudaError_t code = cudaSuccess;
    for (size_t row = 0; row < height && code == cudaSuccess; row++) {
        code = copy((char *)to + row * to_pitch, (const char *)from + row * from_pitch, width, kind,
                    NULL, false, CALL_SITE);
    }
    return code;
}

/* --- variables of the GPU --------------------------------------------------------------------- */

static cudaError_t symbol(const void *variable, uint64_t results[2], uint64_t site)
{
    const char *const name = remote_name(variable);
    return remote(BOX_SYMBOL, NULL, site, name, strlen(name) + 1, results, NULL, 0);
}

cudaError_t cudaGetSymbolAddress(void **address, const void *variable)
{
    uint64_t results[2] = {0};
    const cudaError_t code = symbol(variable, results, CALL_SITE);
    *address = (void *)(uintptr_t)results[0];
    return code;
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *variable)
{
    uint64_t results[2] = {0};
    const cudaError_t code = symbol(variable, results, CALL_SITE);
    *bytes = results[1];
    return code;
}

cudaError_t cudaMemcpyToSymbol(const void *variable, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind)
{
    uint64_t results[2] = {0};
    const cudaError_t code = symbol(variable, results, CALL_SITE);
    return code != cudaSuccess ? code
                               : copy((void *)(uintptr_t)(results[0] + offset), from, bytes, kind,
                                      NULL, false, CALL_SITE);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *variable, size_t bytes, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    uint64_t results[2] = {0};
    const cudaError_t code = symbol(variable, results, CALL_SITE);
    return code != cudaSuccess ? code
                               : copy(to, (const void *)(uintptr_t)(results[0] + offset), bytes,
                                      kind, NULL, false, CALL_SITE);
}

/* --- setting ---------------------------------------------------------------------------------- */

static cudaError_t set(void *to, int value, size_t bytes, cudaStream_t stream, bool asynchronous,
                       uint64_t site)
{
    return remote(BOX_SET,
                  ARGUMENTS(POINTER_VALUE(to), (uint64_t)(unsigned)value, bytes,
                            POINTER_VALUE(stream), asynchronous),
                  site, NULL, 0, NULL, NULL, 0);
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    return set(to, value, bytes, NULL, false, CALL_SITE);
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    return set(to, value, bytes, stream, true, CALL_SITE);
}

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    cudaError_t code = cudaSuccess;
    for (size_t row = 0; row < height && code == cudaSuccess; row++) {
        code = set((char *)to + row * pitch, value, width, NULL, false, CALL_SITE);
    }
    return code;
}

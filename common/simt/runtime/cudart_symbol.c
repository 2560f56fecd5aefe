/* cudart_symbol.c - __device__ and __constant__ variables: where they are, copies to and from them.
 */
#include "runtime/cudart_copy.h"

#include <inttypes.h>

#include "runtime/registry.h"

/* The device address of [offset, offset + bytes) of a variable. */
static cudaError_t part_of_symbol(const char *call, const void *symbol, size_t bytes, size_t offset,
                                  void **pointer)
{
    uint64_t address, size;
    cudaError_t code = registry_symbol(call, symbol, &address, &size);
    if (code == cudaSuccess && (offset > size || bytes > size - offset)) {
        return cuda_error_saying(cudaErrorInvalidValue, call,
                                 "%zu bytes at offset %zu of a variable of %" PRIu64 " bytes",
                                 bytes, offset, size);
    }
    *pointer = code == cudaSuccess ? (void *)(uintptr_t)(address + offset) : NULL;
    return code;
}

/* Where the part of the variable is, for a copy that may not be of the kind `opposite`. */
static cudaError_t part_to_copy(const char *call, const void *symbol, size_t bytes, size_t offset,
                                enum cudaMemcpyKind kind, enum cudaMemcpyKind opposite,
                                struct copy_mode mode, void **part)
{
    cudaError_t code = copy_enter(mode);
    AND_THEN(code, part_of_symbol(call, symbol, bytes, offset, part));
    if (code == cudaSuccess && (kind == opposite || kind == cudaMemcpyHostToHost)) {
        return cuda_error_saying(cudaErrorInvalidMemcpyDirection, call,
                                 "a variable is on the device");
    }
    return code;
}

static cudaError_t copy_to(const char *call, const void *symbol, const void *from, size_t bytes,
                           size_t offset, enum cudaMemcpyKind kind, struct copy_mode mode)
{
    void *part = NULL;
    cudaError_t code =
        part_to_copy(call, symbol, bytes, offset, kind, cudaMemcpyDeviceToHost, mode, &part);
    AND_THEN(code, copy_line(call, part, from, bytes, kind, mode));
    return code;
}

static cudaError_t copy_from(const char *call, void *to, const void *symbol, size_t bytes,
                             size_t offset, enum cudaMemcpyKind kind, struct copy_mode mode)
{
    void *part = NULL;
    cudaError_t code =
        part_to_copy(call, symbol, bytes, offset, kind, cudaMemcpyHostToDevice, mode, &part);
    AND_THEN(code, copy_line(call, to, part, bytes, kind, mode));
    return code;
}

COPY_CALLS(cudaMemcpyToSymbol, copy_to(call, symbol, from, bytes, offset, kind, mode),
           const void *symbol, const void *from, size_t bytes, size_t offset,
           enum cudaMemcpyKind kind);
COPY_CALLS(cudaMemcpyFromSymbol, copy_from(call, to, symbol, bytes, offset, kind, mode), void *to,
           const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind);

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol)
{
    cudaError_t code = runtime_enter();
    if (code != cudaSuccess) {
        return code;
    }
    return pointer != NULL ? part_of_symbol("cudaGetSymbolAddress", symbol, 0, 0, pointer)
                           : cuda_error(cudaErrorInvalidValue);
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    uint64_t address, size;
    cudaError_t code = runtime_enter();
    if (code != cudaSuccess) {
        return code;
    }
    code = bytes != NULL ? registry_symbol("cudaGetSymbolSize", symbol, &address, &size)
                         : cuda_error(cudaErrorInvalidValue);
    if (code == cudaSuccess) {
        *bytes = size;
    }
    return code;
}

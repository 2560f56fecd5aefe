/* cudart_limit.c - cudaDeviceSetLimit() and its twin. The heap and the stack of kernels are as
 * large as they say, and what printf may take is counted under SIMT_CHECK; the other limits are
 * remembered and given back: the simulator has no such bounds. */
#include "runtime/cudart.h"

#include "check/host/host_order.h"
#include "runtime/cudart_kernel.h"

#include <string.h>

enum { LIMIT_COUNT = cudaLimitPersistingL2CacheSize + 1 };

static struct {
    bool is_set[LIMIT_COUNT];
    size_t bytes[LIMIT_COUNT];
} limits;

void limits_forget(void) { memset(&limits, 0, sizeof limits); }

/* What a program finds that has set nothing, in bytes. */
static size_t usual_limit(enum cudaLimit limit)
{
    switch (limit) {
    case cudaLimitStackSize:
        return 1024;
    case cudaLimitPrintfFifoSize: /* 8,650,752 on an H200 */
        return (size_t)runtime_limits()->sm_count << 16;
    case cudaLimitMallocHeapSize:
        return (size_t)8 << 20;
    case cudaLimitMaxL2FetchGranularity:
        return 64;
    default:
        return 0;
    }
}

static size_t value_of(enum cudaLimit limit)
{
    return limits.is_set[limit] ? limits.bytes[limit] : usual_limit(limit);
}

bool limit_value(int limit, uint64_t *bytes)
{
    const bool known = limit >= 0 && limit < LIMIT_COUNT;
    *bytes = known ? value_of((enum cudaLimit)limit) : 0;
    return known;
}

static cudaError_t check_limit(const char *call, enum cudaLimit limit)
{
    if ((unsigned)limit >= LIMIT_COUNT) {
        return cuda_error_saying(cudaErrorUnsupportedLimit, call, "limit %d", (int)limit);
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    cudaError_t code = runtime_enter();
    AND_THEN(code, check_limit("cudaDeviceSetLimit", limit));
    if (code == cudaSuccess && limit == cudaLimitMallocHeapSize) {
        host_order_wait_for_launches();
        if (!memory_set_heap(runtime()->memory, value)) {
            return cuda_error_saying(
                cudaErrorInvalidValue, "cudaDeviceSetLimit",
                "cudaLimitMallocHeapSize: a kernel has called malloc() already");
        }
    }
    if (code == cudaSuccess && limit == cudaLimitStackSize) {
        host_order_wait_for_launches();
        simt_set_stack(runtime()->simt, value);
    }
    if (code == cudaSuccess) {
        limits.bytes[limit] = value;
        limits.is_set[limit] = true;
    }
    return code;
}

/* Unless the program has set it, what CUDA promises on every GPU; an H200 has more. */
size_t limit_of_printf(void)
{
    const enum cudaLimit limit = cudaLimitPrintfFifoSize;
    return limits.is_set[limit] ? limits.bytes[limit] : (size_t)1 << 20;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    cudaError_t code = runtime_enter();
    AND_THEN(code, check_limit("cudaDeviceGetLimit", limit));
    AND_THEN(code, runtime_need(value));
    if (code == cudaSuccess) {
        *value = value_of(limit);
    }
    return code;
}

/* cudart_device_calls.c - answers to what kernels ask of the CUDA runtime (machine/device_queue.h).
 * Workers of the grid call them: an error is the calling kernel's, and is not explained. */
#include "runtime/cudart_children.h"

#include "runtime/cudart_kernel.h"
#include "runtime/registry.h"

static int device_of(const void *grid) { return ((const struct request *)grid)->kernel->device; }

/* What the thread's device decides is asked for the grid's. */
#define ON_DEVICE_OF(grid, step)                                                                   \
    do {                                                                                           \
        const int before = runtime_device();                                                       \
        runtime_set_device(device_of(grid));                                                       \
        step;                                                                                      \
        runtime_set_device(before);                                                                \
    } while (0)

static int attribute(const void *grid, int number, int device, int *value)
{
    bool known = false;
    if (device < 0 || device >= runtime_device_count()) {
        return cudaErrorInvalidDevice;
    }
    ON_DEVICE_OF(grid, known = device_attribute_value(device, number, value));
    return known ? cudaSuccess : cudaErrorInvalidValue;
}

static int limit(const void *grid, int number, uint64_t *bytes)
{
    bool known = false;
    ON_DEVICE_OF(grid, known = limit_value(number, bytes));
    return known ? cudaSuccess : cudaErrorUnsupportedLimit;
}

static int devices(const void *grid, int *own, int *count)
{
    *own = device_of(grid);
    *count = runtime_device_count();
    return cudaSuccess;
}

static int cache(const void *grid, int *config)
{
    (void)grid;
    *config = (int)device_cache_config();
    return cudaSuccess;
}

/* Of the library of device code that CUDA 13 has, as kernels on an H200 see it. */
static int version(const void *grid, int *number)
{
    (void)grid;
    *number = 6000;
    return cudaSuccess;
}

static const struct CUkern_st *kernel_at(const void *grid, uint64_t function)
{
    struct err e = {0};
    const struct CUkern_st *k = NULL;
    ON_DEVICE_OF(grid, k = children_kernel(grid, function, &e));
    return k;
}

static int function(const void *grid, uint64_t address, void *attributes)
{
    const struct CUkern_st *k = kernel_at(grid, address);
    if (k == NULL) {
        return cudaErrorInvalidDeviceFunction;
    }
    ON_DEVICE_OF(grid, kernel_describe(k, attributes));
    return cudaSuccess;
}

static int blocks(const void *grid, uint64_t address, int threads, uint64_t shared_bytes,
                  int *count)
{
    const struct CUkern_st *k = kernel_at(grid, address);
    if (k == NULL) {
        return cudaErrorInvalidDeviceFunction;
    }
    ON_DEVICE_OF(grid, *count = (int)kernel_blocks_per_sm(k, (unsigned)threads, shared_bytes));
    return cudaSuccess;
}

const struct device_host device_calls = {
    .attributes_bytes = sizeof(struct cudaFuncAttributes),
    .function = function,
    .blocks = blocks,
    .attribute = attribute,
    .limit = limit,
    .devices = devices,
    .cache = cache,
    .version = version,
};

/* launch.c - kernels: what the compiler's code registers, and launches, which are asked of the
 * judge by the kernel's name. The GPU code in this program is not looked at. */
#include "common/judge/boxed/remote.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 256 };
static struct {
    const void *address;
    const char *name;
    bool known;
    struct box_layout layout;
} table[MOST_NAMES];
static unsigned table_count;

static struct {
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;
    uint64_t site; /* of <<<>>>; 0: no launch has begun */
} configuration;

void **__cudaRegisterFatBinary(void *binary);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *stub, char *device_function,
                            const char *name, int limit, void *thread, void *block, void *size,
                            void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *shadow, char *device_address, const char *name,
                       int is_extern, size_t bytes, int is_constant, int is_global);
char __cudaInitModule(void **handle);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                     struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared_bytes, cudaStream_t stream);

static void add(const void *address, const char *name)
{
    if (table_count < MOST_NAMES) {
        table[table_count].address = address;
        table[table_count++].name = name;
    }
}

static unsigned find(const void *address)
{
    unsigned i = 0;
    while (i < table_count && table[i].address != address) {
        i++;
    }
    return i;
}

const char *remote_name(const void *address)
{
    const unsigned i = find(address);
    return i < table_count ? table[i].name : "";
}

void **__cudaRegisterFatBinary(void *binary) { return binary; }
void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }
void __cudaUnregisterFatBinary(void **handle) { (void)handle; }

void __cudaRegisterFunction(void **handle, const char *stub, char *device_function,
                            const char *name, int limit, void *thread, void *block, void *size,
                            void *grid, int *warp)
{
    (void)handle, (void)device_function, (void)limit, (void)thread, (void)block, (void)size;
    (void)grid, (void)warp;
    add(stub, name);
}

void __cudaRegisterVar(void **handle, char *shadow, char *device_address, const char *name,
                       int is_extern, size_t bytes, int is_constant, int is_global)
{
    (void)handle, (void)device_address, (void)is_extern, (void)bytes, (void)is_constant;
    (void)is_global;
    add(shadow, name);
}

char __cudaInitModule(void **handle)
{
    (void)handle;
    return 1;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                     struct CUstream_st *stream)
{
    configuration.grid = grid;
    configuration.block = block;
    configuration.shared_bytes = shared_bytes;
    configuration.stream = stream;
    configuration.site = CALL_SITE;
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream)
{
    *grid = configuration.grid;
    *block = configuration.block;
    *shared_bytes = configuration.shared_bytes;
    *(cudaStream_t *)stream = configuration.stream;
    return cudaSuccess;
}

static cudaError_t know(unsigned i)
{
    cudaError_t code = cudaSuccess;
    if (!table[i].known) {
        code = remote(BOX_LAYOUT, NULL, 0, table[i].name, strlen(table[i].name) + 1, NULL,
                      &table[i].layout, sizeof table[i].layout);
        table[i].known = code == cudaSuccess;
    }
    return code;
}

static cudaError_t launch(const void *kernel, dim3 grid, dim3 block, void **arguments,
                          size_t shared_bytes, cudaStream_t stream, bool cooperative, uint64_t site)
{
    static char message[sizeof(struct box_launch) + BOX_NAME + 65536];
    const struct box_launch head = {{grid.x, grid.y, grid.z},
                                    {block.x, block.y, block.z},
                                    shared_bytes,
                                    POINTER_VALUE(stream),
                                    cooperative};
    const unsigned i = find(kernel);
    const char *const name = remote_name(kernel);
    size_t used = sizeof head + strlen(name) + 1;
    memcpy(message, &head, sizeof head);
    memcpy(message + sizeof head, name, strlen(name) + 1);
    if (i < table_count && know(i) == cudaSuccess) {
        for (uint32_t p = 0; p < table[i].layout.count; p++) {
            const uint32_t bytes = table[i].layout.bytes[p];
            memcpy(message + used, arguments[p], bytes);
            used += (bytes + 15u) / 16 * 16;
        }
    }
    message[used++] = 0;
    remote_before_launch();
    site = configuration.site != 0 ? configuration.site : site;
    configuration.site = 0;
    return remote(BOX_LAUNCH, NULL, site, message, used, NULL, NULL, 0);
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t shared_bytes, cudaStream_t stream)
{
    return launch(kernel, grid, block, arguments, shared_bytes, stream, false, CALL_SITE);
}

cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                        size_t shared_bytes, cudaStream_t stream)
{
    return launch(kernel, grid, block, arguments, shared_bytes, stream, true, CALL_SITE);
}

/* nvcc 13: a kernel's handle is here the address of its stub. */
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub)
{
    *kernel = (cudaKernel_t)(uintptr_t)stub;
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared_bytes, cudaStream_t stream)
{
    return launch((const void *)(uintptr_t)kernel, grid, block, arguments, shared_bytes, stream,
                  false, CALL_SITE);
}

/* --- questions about kernels ------------------------------------------------------------------ */

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel)
{
    const char *const name = remote_name(kernel);
    return remote(BOX_KERNEL_ATTRIBUTES, NULL, CALL_SITE, name, strlen(name) + 1, NULL, attributes,
                  sizeof *attributes);
}

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
    const char *const name = remote_name(kernel);
    return remote(BOX_KERNEL_SET, ARGUMENTS((uint64_t)attribute, (uint64_t)(unsigned)value),
                  CALL_SITE, name, strlen(name) + 1, NULL, NULL, 0);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int threads, size_t shared_bytes)
{
    const char *const name = remote_name(kernel);
    uint64_t results[2] = {0};
    const cudaError_t code =
        remote(BOX_OCCUPANCY, ARGUMENTS((uint64_t)(unsigned)threads, shared_bytes), CALL_SITE, name,
               strlen(name) + 1, results, NULL, 0);
    *blocks = (int)results[0];
    return code;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel,
                                                                   int threads, size_t shared_bytes,
                                                                   unsigned flags)
{
    (void)flags;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared_bytes);
}

/* simt/runtime_templates.h - the C++ face of the CUDA runtime: typed pointers, kernels and
 * variables instead of void *. Each is one call of the C function of the same name. */
#ifndef SIMT_RUNTIME_TEMPLATES_H
#define SIMT_RUNTIME_TEMPLATES_H

#include "../cuda_runtime_api.h"

#define SIMT_HOST static __inline__ __attribute__((unused))

/* Memory: cudaMalloc(&d_a, bytes) for any pointer d_a. */
template <typename T> SIMT_HOST cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
    return ::cudaMalloc((void **)(void *)pointer, bytes);
}
template <typename T>
SIMT_HOST cudaError_t cudaMallocHost(T **pointer, size_t bytes, unsigned int flags = 0)
{
    return ::cudaHostAlloc((void **)(void *)pointer, bytes, flags);
}
template <typename T>
SIMT_HOST cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned int flags)
{
    return ::cudaHostAlloc((void **)(void *)pointer, bytes, flags);
}
template <typename T>
SIMT_HOST cudaError_t cudaMallocManaged(T **pointer, size_t bytes,
                                        unsigned int flags = cudaMemAttachGlobal)
{
    return ::cudaMallocManaged((void **)(void *)pointer, bytes, flags);
}
template <typename T>
SIMT_HOST cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height)
{
    return ::cudaMallocPitch((void **)(void *)pointer, pitch, width, height);
}
template <typename T>
SIMT_HOST cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t stream)
{
    return ::cudaMallocAsync((void **)(void *)pointer, bytes, stream);
}
template <typename T>
SIMT_HOST cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t bytes, cudaMemPool_t pool,
                                              cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void **)(void *)pointer, bytes, pool, stream);
}
SIMT_HOST cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
                                      cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync(pointer, bytes, pool, stream);
}
template <typename T>
SIMT_HOST cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaMemPool_t pool,
                                      cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void **)(void *)pointer, bytes, pool, stream);
}
template <typename T>
SIMT_HOST cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags)
{
    return ::cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
template <typename T>
SIMT_HOST cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *pointer, size_t length = 0,
                                               unsigned int flags = cudaMemAttachSingle)
{
    return ::cudaStreamAttachMemAsync(stream, (void *)pointer, length, flags);
}

/* Variables. */
template <typename T>
SIMT_HOST cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes,
                                         size_t offset = 0,
                                         enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return ::cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
template <typename T>
SIMT_HOST cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes,
                                           size_t offset = 0,
                                           enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return ::cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
template <typename T>
SIMT_HOST cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes,
                                              size_t offset = 0,
                                              enum cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                              cudaStream_t stream = 0)
{
    return ::cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream);
}
template <typename T>
SIMT_HOST cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes,
                                                size_t offset = 0,
                                                enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                cudaStream_t stream = 0)
{
    return ::cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream);
}
template <typename T> SIMT_HOST cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol)
{
    return ::cudaGetSymbolAddress(pointer, (const void *)&symbol);
}
template <typename T> SIMT_HOST cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
    return ::cudaGetSymbolSize(bytes, (const void *)&symbol);
}

/* Kernels. */
template <typename T>
SIMT_HOST cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **arguments,
                                       size_t shared_bytes = 0, cudaStream_t stream = 0)
{
    return ::cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared_bytes, stream);
}
template <typename T>
SIMT_HOST cudaError_t cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block,
                                                  void **arguments, size_t shared_bytes = 0,
                                                  cudaStream_t stream = 0)
{
    return ::cudaLaunchCooperativeKernel((const void *)kernel, grid, block, arguments, shared_bytes,
                                         stream);
}
template <typename... Expected, typename... Given>
SIMT_HOST cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                         void (*kernel)(Expected...), Given &&...given)
{
    return [&](Expected... values) { /* each argument in the kernel's own type */
                                     void *arguments[] = {(void *)&values..., nullptr};
                                     return ::cudaLaunchKernelExC(config, (const void *)kernel,
                                                                  arguments);
    }(static_cast<Given &&>(given)...);
}
template <typename T>
SIMT_HOST cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, T *kernel)
{
    return ::cudaFuncGetAttributes(out, (const void *)kernel);
}
template <typename T>
SIMT_HOST cudaError_t cudaFuncSetAttribute(T *kernel, enum cudaFuncAttribute attribute, int value)
{
    return ::cudaFuncSetAttribute((const void *)kernel, attribute, value);
}
template <typename T>
SIMT_HOST cudaError_t cudaFuncSetCacheConfig(T *kernel, enum cudaFuncCache config)
{
    return ::cudaFuncSetCacheConfig((const void *)kernel, config);
}
template <typename T>
SIMT_HOST cudaError_t cudaFuncSetSharedMemConfig(T *kernel, enum cudaSharedMemConfig config)
{
    return ::cudaFuncSetSharedMemConfig((const void *)kernel, config);
}
template <typename T> SIMT_HOST cudaError_t cudaFuncGetName(const char **name, T *kernel)
{
    return ::cudaFuncGetName(name, (const void *)kernel);
}

/* Occupancy. */
template <typename T>
SIMT_HOST cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T kernel,
                                                                    int block_size,
                                                                    size_t shared_bytes)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, block_size,
                                                           shared_bytes);
}
template <typename T>
SIMT_HOST cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T kernel,
                                                                             int block_size,
                                                                             size_t shared_bytes,
                                                                             unsigned int flags)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, (const void *)kernel, block_size, shared_bytes, flags);
}
template <typename T>
SIMT_HOST cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared_bytes, T *kernel,
                                                                int blocks, int block_size)
{
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(shared_bytes, (const void *)kernel, blocks,
                                                       block_size);
}

template <typename... Parameters>
SIMT_HOST cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, void (*kernel)(Parameters...),
                                                     const cudaLaunchConfig_t *config)
{
    return ::cudaOccupancyMaxActiveClusters(clusters, (const void *)kernel, config);
}
template <typename... Parameters>
SIMT_HOST cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, void (*kernel)(Parameters...),
                                                           const cudaLaunchConfig_t *config)
{
    return ::cudaOccupancyMaxPotentialClusterSize(size, (const void *)kernel, config);
}

/* The block size with the most resident threads, and how many blocks then fill the device. Tries
 * multiples of the warp from the largest down, so that among equals the largest block wins. */
template <typename SharedBytesOfBlock, typename T>
SIMT_HOST cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(
    int *grid_size, int *block_size, T kernel, SharedBytesOfBlock shared_bytes_of_block,
    int block_limit = 0)
{
    int device, processors, processor_threads, blocks, best = 0;
    struct cudaFuncAttributes attributes;
    cudaError_t status = ::cudaGetDevice(&device);
    if (status == cudaSuccess) {
        status = ::cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    }
    if (status == cudaSuccess) {
        status = ::cudaDeviceGetAttribute(&processor_threads,
                                          cudaDevAttrMaxThreadsPerMultiProcessor, device);
    }
    if (status == cudaSuccess) {
        status = ::cudaFuncGetAttributes(&attributes, (const void *)kernel);
    }
    if (status != cudaSuccess) {
        return status;
    }
    int largest = attributes.maxThreadsPerBlock;
    if (block_limit > 0 && block_limit < largest) {
        largest = block_limit;
    }
    for (int size = (largest + 31) / 32 * 32; size > 0 && best < processor_threads; size -= 32) {
        int threads = size < largest ? size : largest;
        status = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, (const void *)kernel, threads, shared_bytes_of_block(threads));
        if (status != cudaSuccess) {
            return status;
        }
        if (blocks * threads > best) {
            best = blocks * threads;
            *block_size = threads;
            *grid_size = blocks * processors;
        }
    }
    return cudaSuccess;
}
template <typename T>
SIMT_HOST cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid_size, int *block_size, T kernel,
                                                         size_t shared_bytes = 0,
                                                         int block_limit = 0)
{
    return ::cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        grid_size, block_size, kernel, [=](int) { return shared_bytes; }, block_limit);
}

/* Events. */
SIMT_HOST cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return ::cudaEventCreateWithFlags(event, flags);
}

/* Extents and positions for the three-dimensional copies. */
SIMT_HOST struct cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch, size_t width,
                                                    size_t height)
{
    return cudaPitchedPtr{pointer, pitch, width, height};
}
SIMT_HOST struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    return cudaExtent{width, height, depth};
}
SIMT_HOST struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return cudaPos{x, y, z}; }

/* As they were called before CUDA 12. */
SIMT_HOST cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphNode_t *errorNode, char *log, size_t bytes)
{
    if (errorNode != NULL)
        *errorNode = NULL;
    if (log != NULL && bytes > 0)
        *log = '\0';
    return cudaGraphInstantiate(exec, graph, 0ull);
}
SIMT_HOST cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                          cudaGraphNode_t *errorNode,
                                          enum cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo info = {};
    cudaError_t code = cudaGraphExecUpdate(exec, graph, &info);
    if (errorNode != NULL)
        *errorNode = info.errorNode;
    if (result != NULL)
        *result = info.result;
    return code;
}

#undef SIMT_HOST

#endif

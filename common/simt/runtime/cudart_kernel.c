/* cudart_kernel.c - what a kernel is and how many of its blocks fit: function attributes and the
 * occupancy calls of the CUDA API. */
#include "runtime/cudart_kernel.h"

#include <inttypes.h>
#include <string.h>

#include "common/gpu/occupancy.h"
#include "runtime/cudart_cluster.h"
#include "runtime/registry.h"

/* The kernel behind a host function, loaded; NULL after an error, *code. */
static struct CUkern_st *loaded(const char *call, const void *function, cudaError_t *code)
{
    *code = runtime_enter();
    if (*code != cudaSuccess) {
        return NULL;
    }
    struct CUkern_st *k = registry_kernel(function);
    if (k == NULL) {
        *code = registry_no_kernel(call, function);
        return NULL;
    }
    *code = registry_load_kernel(k);
    return *code == cudaSuccess ? k : NULL;
}

/* ---- attributes ------------------------------------------------------------------------------ */

void kernel_describe(const struct CUkern_st *k, struct cudaFuncAttributes *out)
{
    memset(out, 0, sizeof *out);
    out->sharedSizeBytes = k->attributes.static_shared_bytes;
    out->constSizeBytes = k->attributes.const_bytes;
    out->localSizeBytes = k->attributes.local_bytes;
    out->maxThreadsPerBlock = (int)k->attributes.max_threads_per_block;
    out->numRegs = (int)k->attributes.registers;
    out->ptxVersion = registry_target(k); /* not the version of the PTX language: CUB reads this */
    out->binaryVersion = 10 * runtime_limits()->major + runtime_limits()->minor;
    out->maxDynamicSharedSizeBytes = (int)k->max_dynamic_shared;
    out->preferredShmemCarveout = k->carveout;
    out->requiredClusterWidth = (int)k->required_cluster.x;
    out->requiredClusterHeight = (int)k->required_cluster.y;
    out->requiredClusterDepth = (int)k->required_cluster.z;
    out->nonPortableClusterSizeAllowed = k->large_clusters;
    out->clusterDimMustBeSet = k->attributes.cluster[0] != 0;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *function)
{
    cudaError_t code;
    const struct CUkern_st *k = loaded("cudaFuncGetAttributes", function, &code);
    if (k == NULL) {
        return code;
    }
    if (out == NULL) {
        return cuda_error(cudaErrorInvalidValue);
    }
    kernel_describe(k, out);
    return cudaSuccess;
}

/* Static and dynamic shared memory together may reach what a block can opt in to. */
static cudaError_t set_dynamic_shared(struct CUkern_st *k, int value)
{
    const struct gpu_limits *g = runtime_limits();
    uint64_t fixed = k->attributes.static_shared_bytes;
    if (value < 0 || (uint64_t)value + fixed > g->shared_bytes_per_block_opt_in) {
        return cuda_error_saying(cudaErrorInvalidValue, "cudaFuncSetAttribute",
                                 "%s: %d bytes of dynamic shared memory beside %" PRIu64
                                 " static ones: %s has %u for a block",
                                 k->plain, value, fixed, g->name, g->shared_bytes_per_block_opt_in);
    }
    k->max_dynamic_shared = (uint64_t)value;
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
    cudaError_t code;
    struct CUkern_st *k = loaded("cudaFuncSetAttribute", function, &code);
    if (k == NULL) {
        return code;
    }
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        return set_dynamic_shared(k, value);
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < cudaSharedmemCarveoutDefault || value > cudaSharedmemCarveoutMaxShared) {
            return cuda_error(cudaErrorInvalidValue);
        }
        k->carveout = value; /* for occupancy; there is no cache that it could shrink */
        return cudaSuccess;
    default:
        return cluster_set_attribute(k, attribute, value);
    }
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config)
{
    cudaError_t code;
    struct CUkern_st *k = loaded("cudaFuncSetCacheConfig", function, &code);
    bool known = (unsigned)config <= cudaFuncCachePreferEqual;
    return k != NULL && !known ? cuda_error(cudaErrorInvalidValue) : code;
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config)
{
    cudaError_t code;
    struct CUkern_st *k = loaded("cudaFuncSetSharedMemConfig", function, &code);
    bool known = (unsigned)config <= cudaSharedMemBankSizeEightByte;
    return k != NULL && !known ? cuda_error(cudaErrorInvalidValue) : code;
}

cudaError_t cudaFuncGetName(const char **name, const void *function)
{
    cudaError_t code;
    const struct CUkern_st *k = loaded("cudaFuncGetName", function, &code);
    if (k == NULL) {
        return code;
    }
    if (name == NULL) {
        return cuda_error(cudaErrorInvalidValue);
    }
    *name = k->name;
    return cudaSuccess;
}

cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *bytes)
{
    cudaError_t code;
    const struct CUkern_st *k = loaded("cudaFuncGetParamInfo", function, &code);
    if (k == NULL) {
        return code;
    }
    uint64_t at, size;
    if (offset == NULL || index >= simt_kernel_param_count(k->kernel)) {
        return cuda_error(cudaErrorInvalidValue);
    }
    simt_kernel_param(k->kernel, (unsigned)index, &at, &size);
    *offset = at;
    if (bytes != NULL) {
        *bytes = size;
    }
    return cudaSuccess;
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
    cudaError_t code;
    struct CUkern_st *k = loaded("cudaGetKernel", function, &code);
    if (k != NULL && kernel == NULL) {
        return cuda_error(cudaErrorInvalidValue);
    }
    if (k != NULL) {
        registry_remember(k);
        *kernel = k;
    }
    return code;
}

/* ---- occupancy ------------------------------------------------------------------------------- */

/* As an H200 answers, a kernel's __launch_bounds__ do not matter here: a launch beyond them fails.
 */
unsigned kernel_blocks_per_sm(const struct CUkern_st *k, unsigned threads, uint64_t dynamic_shared)
{
    struct occupancy_request request = {
        .threads_per_block = threads,
        .registers_per_thread = k->attributes.registers,
        .static_shared_bytes = k->attributes.static_shared_bytes,
        .dynamic_shared_bytes = dynamic_shared,
    };
    struct gpu_limits limits = *runtime_limits();
    struct occupancy o;
    if (threads > limits.max_threads_per_block || dynamic_shared > k->max_dynamic_shared) {
        return 0;
    }
    limits.shared_bytes_per_sm =
        occupancy_carveout(&limits, k->carveout, request.static_shared_bytes + dynamic_shared);
    occupancy_compute(&limits, &request, &o);
    return o.blocks_per_sm;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *function, int blockSize, size_t sharedBytes, unsigned int flags)
{
    const char *call = "cudaOccupancyMaxActiveBlocksPerMultiprocessor";
    cudaError_t code;
    const struct CUkern_st *k = loaded(call, function, &code);
    if (k == NULL) {
        return code;
    }
    if (blocks == NULL || blockSize <= 0 || flags > cudaOccupancyDisableCachingOverride) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "a block of %d threads, flags 0x%x",
                                 blockSize, flags);
    }
    *blocks = (int)kernel_blocks_per_sm(k, (unsigned)blockSize, sharedBytes);
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int blockSize, size_t sharedBytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, function, blockSize, sharedBytes, cudaOccupancyDefault);
}

/* The share of a block, in units of 128 bytes, as an H200's driver computes it: without the 1 KB
 * that the system keeps of each block, so that one block fewer than asked for may fit beside it. */
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *sharedBytes, const void *function,
                                                      int blocks, int blockSize)
{
    const char *call = "cudaOccupancyAvailableDynamicSMemPerBlock";
    cudaError_t code;
    const struct CUkern_st *k = loaded(call, function, &code);
    if (k == NULL) {
        return code;
    }
    if (sharedBytes == NULL || blocks <= 0 || blockSize <= 0 ||
        kernel_blocks_per_sm(k, (unsigned)blockSize, 0) < (unsigned)blocks) {
        return cuda_error_saying(cudaErrorInvalidValue, call,
                                 "%d blocks of %d threads do not fit an SM", blocks, blockSize);
    }
    const uint64_t share = runtime_limits()->shared_bytes_per_sm / (unsigned)blocks / 128 * 128;
    const uint64_t room = share - k->attributes.static_shared_bytes;
    *sharedBytes = room < k->max_dynamic_shared ? room : k->max_dynamic_shared;
    return cudaSuccess;
}

/* driver_launch.c - functions of the driver API: attributes, occupancy and launches. A function is
 * a kernel of the runtime, whose calls take the kernel's handle as well as its stub. */
#include "runtime/driver.h"

#include <string.h>

#include "runtime/cudart_request.h"
#include "runtime/registry.h"

/* ---- attributes ------------------------------------------------------------------------------ */

static cudaError_t attribute_of(int *value, CUfunction_attribute attribute, CUfunction function)
{
    struct cudaFuncAttributes a;
    const cudaError_t code = cudaFuncGetAttributes(&a, function);
    if (code != cudaSuccess || value == NULL) {
        return code != cudaSuccess ? code : cudaErrorInvalidValue;
    }
    const int values[CU_FUNC_ATTRIBUTE_MAX] = {
        [CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = a.maxThreadsPerBlock,
        [CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = (int)a.sharedSizeBytes,
        [CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES] = (int)a.constSizeBytes,
        [CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES] = (int)a.localSizeBytes,
        [CU_FUNC_ATTRIBUTE_NUM_REGS] = a.numRegs,
        [CU_FUNC_ATTRIBUTE_PTX_VERSION] = a.ptxVersion,
        [CU_FUNC_ATTRIBUTE_BINARY_VERSION] = a.binaryVersion,
        [CU_FUNC_ATTRIBUTE_CACHE_MODE_CA] = a.cacheModeCA,
        [CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = a.maxDynamicSharedSizeBytes,
        [CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = a.preferredShmemCarveout,
        [CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET] = a.clusterDimMustBeSet,
        [CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH] = a.requiredClusterWidth,
        [CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT] = a.requiredClusterHeight,
        [CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH] = a.requiredClusterDepth,
        [CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED] = a.nonPortableClusterSizeAllowed,
        [CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE] =
            a.clusterSchedulingPolicyPreference,
    };
    if ((unsigned)attribute >= CU_FUNC_ATTRIBUTE_MAX) {
        return cudaErrorInvalidValue;
    }
    *value = values[attribute];
    return cudaSuccess;
}

FORWARD(cuFuncGetAttribute, (int *value, CUfunction_attribute attribute, CUfunction function),
        attribute_of(value, attribute, function))
FORWARD(cuFuncSetAttribute, (CUfunction function, CUfunction_attribute attribute, int value),
        cudaFuncSetAttribute(function, (enum cudaFuncAttribute)attribute, value))
FORWARD(cuFuncSetCacheConfig, (CUfunction function, CUfunc_cache config),
        cudaFuncSetCacheConfig(function, (enum cudaFuncCache)config))
FORWARD(cuFuncGetName, (const char **name, CUfunction function), cudaFuncGetName(name, function))
FORWARD(cuFuncGetParamInfo, (CUfunction function, size_t index, size_t *offset, size_t *bytes),
        cudaFuncGetParamInfo(function, index, offset, bytes))

/* ---- occupancy ------------------------------------------------------------------------------- */

FORWARD(cuOccupancyMaxActiveBlocksPerMultiprocessor,
        (int *blocks, CUfunction function, int blockSize, size_t sharedBytes),
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, blockSize, sharedBytes))
FORWARD(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
        (int *blocks, CUfunction function, int blockSize, size_t sharedBytes, unsigned int flags),
        cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, blockSize,
                                                               sharedBytes, flags))
FORWARD(cuOccupancyAvailableDynamicSMemPerBlock,
        (size_t * sharedBytes, CUfunction function, int blocks, int blockSize),
        cudaOccupancyAvailableDynamicSMemPerBlock(sharedBytes, function, blocks, blockSize))

/* The largest block with which the most threads fit an SM. */
static cudaError_t best_block(int *least_grid, int *best, CUfunction function,
                              CUoccupancyB2DSize shared_of, size_t shared, int limit,
                              unsigned flags)
{
    struct cudaFuncAttributes a;
    cudaError_t code = cudaFuncGetAttributes(&a, function);
    const int warp = (int)runtime_limits()->warp_size;
    int most = 0, fit = 0;
    limit = code == cudaSuccess && (limit == 0 || limit > a.maxThreadsPerBlock)
                ? a.maxThreadsPerBlock
                : limit;
    *best = 0;
    for (int above = (limit + warp - 1) / warp * warp; above > 0 && code == cudaSuccess;
         above -= warp) {
        const int threads = above < limit ? above : limit;
        int blocks = 0;
        code = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &blocks, function, threads, shared_of != NULL ? shared_of(threads) : shared, flags);
        if (blocks * threads > most) {
            most = blocks * threads;
            *best = threads;
            fit = blocks;
        }
    }
    *least_grid = fit * (int)runtime_limits()->sm_count;
    return code;
}

FORWARD(cuOccupancyMaxPotentialBlockSize,
        (int *minGridSize, int *blockSize, CUfunction function, CUoccupancyB2DSize sharedBytesOf,
         size_t sharedBytes, int blockSizeLimit),
        best_block(minGridSize, blockSize, function, sharedBytesOf, sharedBytes, blockSizeLimit, 0))
FORWARD(cuOccupancyMaxPotentialBlockSizeWithFlags,
        (int *minGridSize, int *blockSize, CUfunction function, CUoccupancyB2DSize sharedBytesOf,
         size_t sharedBytes, int blockSizeLimit, unsigned int flags),
        best_block(minGridSize, blockSize, function, sharedBytesOf, sharedBytes, blockSizeLimit,
                   flags))

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol)
{
    return cudaGetKernel((cudaKernel_t *)(void *)function, symbol);
}

/* ---- launches -------------------------------------------------------------------------------- */

enum { MOST_PARAMETERS = 4096 };

/* CU_LAUNCH_PARAM_BUFFER_POINTER: all parameters lie in one buffer, at the kernel's offsets. */
static cudaError_t unpack(struct CUkern_st *k, void **extra, void **parameters)
{
    unsigned char *buffer = NULL;
    size_t bytes = 0;
    for (unsigned i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
        buffer = extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER ? extra[i + 1] : buffer;
        bytes = extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE ? *(size_t *)extra[i + 1] : bytes;
    }
    const cudaError_t code = registry_load_kernel(k);
    const unsigned count = code == cudaSuccess ? simt_kernel_param_count(k->kernel) : 0;
    uint64_t end = 0;
    for (unsigned i = 0; i < count && i < MOST_PARAMETERS; i++) {
        uint64_t offset, size;
        simt_kernel_param(k->kernel, i, &offset, &size);
        if (buffer == NULL || offset + size > bytes) {
            return cuda_error_saying(cudaErrorInvalidValue, k->plain,
                                     "parameter %u needs bytes %llu to %llu of a buffer of %zu",
                                     i + 1, (unsigned long long)offset,
                                     (unsigned long long)(offset + size - 1), bytes);
        }
        parameters[i] = buffer + offset;
        end = offset + size;
    }
    if (code == cudaSuccess && bytes > end) { /* such as sizeof a struct with padding at its end */
        return cuda_error_saying(cudaErrorLaunchOutOfResources, k->plain,
                                 "its parameters are %llu bytes, and the buffer has %zu",
                                 (unsigned long long)end, bytes);
    }
    return code;
}

static cudaError_t launch(const struct request *asked, CUstream stream, void **extra)
{
    void *unpacked[MOST_PARAMETERS];
    struct request r = *asked;
    r.kernel = registry_kernel(r.kernel);
    if (r.kernel == NULL) {
        return cuda_error_saying(cudaErrorInvalidResourceHandle, NULL,
                                 "%p is no function of a loaded module", (void *)asked->kernel);
    }
    cudaError_t code = cudaSuccess;
    if (r.arguments == NULL && extra != NULL) {
        code = unpack(r.kernel, extra, unpacked);
        r.arguments = unpacked;
    }
    return code == cudaSuccess ? cudart_launch(&r, stream) : code;
}

static struct CUkern_st *kernel_of(CUfunction f) { return (struct CUkern_st *)(void *)f; }

FORWARD(cuLaunchKernel,
        (CUfunction function, unsigned int gridX, unsigned int gridY, unsigned int gridZ,
         unsigned int blockX, unsigned int blockY, unsigned int blockZ, unsigned int sharedBytes,
         CUstream stream, void **parameters, void **extra),
        launch(&(struct request){.kernel = kernel_of(function),
                                 .grid = {gridX, gridY, gridZ},
                                 .block = {blockX, blockY, blockZ},
                                 .shared_bytes = sharedBytes,
                                 .arguments = parameters},
               stream, extra))
PER_THREAD(cuLaunchKernel, _ptsz);

FORWARD(cuLaunchCooperativeKernel,
        (CUfunction function, unsigned int gridX, unsigned int gridY, unsigned int gridZ,
         unsigned int blockX, unsigned int blockY, unsigned int blockZ, unsigned int sharedBytes,
         CUstream stream, void **parameters),
        launch(&(struct request){.kernel = kernel_of(function),
                                 .grid = {gridX, gridY, gridZ},
                                 .block = {blockX, blockY, blockZ},
                                 .shared_bytes = sharedBytes,
                                 .arguments = parameters,
                                 .cooperative = true},
               stream, NULL))
PER_THREAD(cuLaunchCooperativeKernel, _ptsz);

static cudaError_t launch_with_attributes(const CUlaunchConfig *c, CUfunction function,
                                          void **parameters, void **extra)
{
    if (c == NULL) {
        return cudaErrorInvalidValue;
    }
    const cudaLaunchConfig_t config = {
        .gridDim = {c->gridDimX, c->gridDimY, c->gridDimZ},
        .blockDim = {c->blockDimX, c->blockDimY, c->blockDimZ},
        .dynamicSmemBytes = c->sharedMemBytes,
        .stream = c->hStream,
        .attrs = (cudaLaunchAttribute *)(void *)c->attrs, /* the same layout */
        .numAttrs = c->numAttrs,
    };
    void *unpacked[MOST_PARAMETERS];
    struct CUkern_st *k = registry_kernel(function);
    if (parameters == NULL && extra != NULL && k != NULL) {
        const cudaError_t code = unpack(k, extra, unpacked);
        return code == cudaSuccess ? cudaLaunchKernelExC(&config, k, unpacked) : code;
    }
    return cudaLaunchKernelExC(&config, function, parameters);
}

FORWARD(cuLaunchKernelEx,
        (const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra),
        launch_with_attributes(config, function, parameters, extra))
PER_THREAD(cuLaunchKernelEx, _ptsz);

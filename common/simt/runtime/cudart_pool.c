/* cudart_pool.c - the default memory pool of cudaMallocAsync(), whose release threshold programs
 * like to set. Freed memory goes back at once here, whatever the threshold. */
#include "runtime/cudart.h"

#include <string.h>

#include "base/describe.h"

struct CUmemPoolHandle_st {
    uint64_t release_threshold;
    int reuse[3]; /* cudaMemPoolReuse...: hints */
    uint64_t high_bytes;
};

static struct CUmemPoolHandle_st the_pool = {.reuse = {1, 1, 1}};

static cudaError_t check_pool(const char *call, cudaMemPool_t pool)
{
    cudaError_t code = runtime_enter();
    if (code == cudaSuccess && pool != &the_pool) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "%p is not the default memory pool",
                                 (void *)pool);
    }
    return code;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    cudaError_t code = runtime_enter();
    if (code == cudaSuccess && (pool == NULL || device != 0)) {
        return cuda_error(pool == NULL ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
    }
    if (code == cudaSuccess) {
        *pool = &the_pool;
    }
    return code;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    return cudaDeviceGetDefaultMemPool(pool, device);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    cudaError_t code = check_pool("cudaDeviceSetMemPool", pool);
    return code == cudaSuccess && device != 0 ? cuda_error(cudaErrorInvalidDevice) : code;
}

static uint64_t used_bytes(void)
{
    uint64_t used, limit;
    memory_usage(runtime()->memory, &used, &limit);
    the_pool.high_bytes = used > the_pool.high_bytes ? used : the_pool.high_bytes;
    return used;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    cudaError_t code = check_pool("cudaMemPoolSetAttribute", pool);
    if (code != cudaSuccess) {
        return code;
    }
    bool known = attribute >= cudaMemPoolReuseFollowEventDependencies &&
                 attribute <= cudaMemPoolAttrUsedMemHigh;
    if (value == NULL || !known || attribute == cudaMemPoolAttrReservedMemCurrent ||
        attribute == cudaMemPoolAttrUsedMemCurrent) {
        return cuda_error(cudaErrorInvalidValue);
    }
    if (attribute == cudaMemPoolAttrReleaseThreshold) {
        memcpy(&pool->release_threshold, value, sizeof pool->release_threshold);
    } else if (attribute <= cudaMemPoolReuseAllowInternalDependencies) {
        memcpy(&pool->reuse[attribute - 1], value, sizeof pool->reuse[0]);
    } else {
        pool->high_bytes = 0; /* a high-water mark may only be reset */
    }
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    cudaError_t code = check_pool("cudaMemPoolGetAttribute", pool);
    if (code != cudaSuccess) {
        return code;
    }
    uint64_t used = used_bytes(), answer;
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        memcpy(value, &pool->reuse[attribute - 1], sizeof pool->reuse[0]);
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
        answer = pool->release_threshold;
        break;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
        answer = pool->high_bytes;
        break;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent:
        answer = used;
        break;
    default:
        return cuda_error(cudaErrorInvalidValue);
    }
    memcpy(value, &answer, sizeof answer);
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
    (void)bytes; /* nothing is ever kept back */
    return check_pool("cudaMemPoolTrimTo", pool);
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream)
{
    const char *call = "cudaMallocFromPoolAsync";
    cudaError_t code = check_pool(call, pool);
    AND_THEN(code, cudart_check_stream(call, stream));
    AND_THEN(code, runtime_allocate(call, pointer, bytes, MEMORY_DEVICE, CALL_SITE()));
    if (code == cudaSuccess) {
        runtime_touches_all(call, "allocated", *pointer, stream);
    }
    return code;
}
PER_THREAD(cudaMallocFromPoolAsync, _ptsz);

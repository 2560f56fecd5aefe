/* cudart_pool.c - memory pools of cudaMallocAsync(): each GPU's default one and those of a
 * program's own. What a pool holds, says cudart_pool_memory.h. */
#include "runtime/cudart.h"

#include <string.h>

#include "base/describe.h"
#include "base/handles.h"
#include "runtime/cudart_capture.h"
#include "runtime/cudart_devices.h"
#include "runtime/cudart_pool.h"
#include "runtime/cudart_pool_memory.h"

struct CUmemPoolHandle_st {
    struct handle handle;
    int device;
    bool is_default;
    int reuse[3]; /* cudaMemPoolReuse...: hints */
    struct pool_memory *memory;
    uint32_t readers, writers; /* GPUs that may use it besides its own: one bit each */
};

enum { MOST_GPUS = 32 };

static struct handle_pool pools = HANDLE_POOL(struct CUmemPoolHandle_st);
static cudaMemPool_t defaults[MOST_GPUS], current[MOST_GPUS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static cudaMemPool_t new_pool(int device, const char *call, const void *site)
{
    cudaMemPool_t p = handle_create(&pools);
    p->device = device;
    p->memory = pool_memory_new();
    p->handle.made_by = call;
    p->handle.made_at = site;
    for (unsigned i = 0; i < ARRAY_LENGTH(p->reuse); i++) {
        p->reuse[i] = 1;
    }
    return p;
}

static cudaMemPool_t default_of(int device)
{
    pthread_mutex_lock(&lock);
    if (defaults[device] == NULL) {
        defaults[device] = new_pool(device, NULL, NULL);
        defaults[device]->is_default = true;
    }
    cudaMemPool_t pool = defaults[device];
    pthread_mutex_unlock(&lock);
    return pool;
}

static cudaError_t check_pool(const char *call, cudaMemPool_t pool)
{
    cudaError_t code = runtime_enter();
    if (code == cudaSuccess && (pool == NULL || !handle_is_live(&pools, pool))) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "%p is no memory pool", (void *)pool);
    }
    return code;
}

/* ---- allocation ------------------------------------------------------------------------------ */

static cudaError_t pool_allocate(const char *call, void **pointer, uint64_t bytes,
                                 cudaMemPool_t pool, cudaStream_t stream, const void *site)
{
    const int own = runtime_device(); /* the memory is the pool's device's */
    runtime_set_device(pool->device);
    const uint64_t again = pool_memory_place(pool->memory, bytes, stream);
    cudaError_t code = runtime_allocate_at(again, call, pointer, bytes, MEMORY_DEVICE, site);
    runtime_set_device(own);
    if (code == cudaSuccess && *pointer != NULL) {
        pool_memory_taken(pool->memory, *pointer, bytes);
    }
    if (code == cudaSuccess) {
        runtime_touches_all(call, "allocated", *pointer, stream);
    }
    return code;
}

static cudaMemPool_t pool_current(void)
{
    const int device = runtime_device();
    return current[device] != NULL ? current[device] : default_of(device);
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    const char *call = "cudaMallocAsync";
    cudaError_t code = cudart_check_stream(call, stream);
    if (code == cudaSuccess && pointer != NULL && capture_of(stream) != NULL) {
        return capture_of(stream)->allocate(pointer, bytes, stream);
    }
    AND_THEN(code, pool_allocate(call, pointer, bytes, pool_current(), stream, CALL_SITE()));
    return code;
}
PER_THREAD(cudaMallocAsync, _ptsz);

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream)
{
    const char *call = "cudaMallocFromPoolAsync";
    cudaError_t code = check_pool(call, pool);
    AND_THEN(code, cudart_check_stream(call, stream));
    AND_THEN(code, pool_allocate(call, pointer, bytes, pool, stream, CALL_SITE()));
    return code;
}
PER_THREAD(cudaMallocFromPoolAsync, _ptsz);

/* ---- which pool ------------------------------------------------------------------------------ */

static cudaError_t tell_pool(const char *call, cudaMemPool_t *out, int device, bool by_default)
{
    cudaError_t code = runtime_enter();
    AND_THEN(code, devices_check(call, device));
    if (code == cudaSuccess && out == NULL) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "the pool has no address");
    }
    if (code == cudaSuccess) {
        *out = by_default || current[device] == NULL ? default_of(device) : current[device];
    }
    return code;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    return tell_pool("cudaDeviceGetDefaultMemPool", pool, device, true);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    return tell_pool("cudaDeviceGetMemPool", pool, device, false);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    const char *call = "cudaDeviceSetMemPool";
    cudaError_t code = check_pool(call, pool);
    AND_THEN(code, devices_check(call, device));
    if (code == cudaSuccess && pool->device != device) {
        return cuda_error_saying(cudaErrorInvalidDevice, call,
                                 "the pool is in the memory of device %d, not of %d", pool->device,
                                 device);
    }
    if (code == cudaSuccess) {
        current[device] = pool;
    }
    return code;
}

/* ---- pools of a program's own ---------------------------------------------------------------- */

cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool, const struct cudaMemPoolProps *poolProps)
{
    const char *call = "cudaMemPoolCreate";
    cudaError_t code = runtime_enter();
    if (code != cudaSuccess) {
        return code;
    }
    if (memPool == NULL || poolProps == NULL) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "the %s have no address",
                                 memPool == NULL ? "pool" : "properties");
    }
    if (poolProps->allocType != cudaMemAllocationTypePinned ||
        poolProps->location.type != cudaMemLocationTypeDevice) {
        return cuda_error_saying(cudaErrorInvalidValue, call,
                                 "allocation type %d at a location of type %d: a pool has "
                                 "cudaMemAllocationTypePinned and cudaMemLocationTypeDevice",
                                 (int)poolProps->allocType, (int)poolProps->location.type);
    }
    if (poolProps->handleTypes != cudaMemHandleTypeNone) {
        return cuda_error_saying(cudaErrorNotSupported, call,
                                 "sharing with another process is not simulated");
    }
    code = devices_check(call, poolProps->location.id);
    if (code == cudaSuccess) {
        *memPool = new_pool(poolProps->location.id, call, CALL_SITE());
    }
    return code;
}

/* What was taken from it stays, as on a card. */
cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool)
{
    const char *call = "cudaMemPoolDestroy";
    cudaError_t code = check_pool(call, memPool);
    if (code == cudaSuccess && memPool->is_default) {
        return cuda_error_saying(cudaErrorInvalidValue, call,
                                 "the default memory pool is never destroyed");
    }
    if (code != cudaSuccess) {
        return code;
    }
    if (current[memPool->device] == memPool) {
        current[memPool->device] = NULL;
    }
    pool_memory_release(memPool->memory);
    handle_destroy(&pools, memPool);
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool, const struct cudaMemAccessDesc *descList,
                                 size_t count)
{
    const char *call = "cudaMemPoolSetAccess";
    cudaError_t code = check_pool(call, memPool);
    if (code == cudaSuccess && count > 0 && descList == NULL) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "the list has no address");
    }
    for (size_t i = 0; i < count && code == cudaSuccess; i++) {
        const struct cudaMemAccessDesc *d = &descList[i];
        code = devices_check(call, d->location.id);
        if (code == cudaSuccess && d->location.id == memPool->device &&
            d->flags != cudaMemAccessFlagsProtReadWrite) {
            return cuda_error_saying(cudaErrorInvalidDevice, call,
                                     "device %d owns the pool: its access cannot be revoked",
                                     d->location.id);
        }
        if (code == cudaSuccess && d->location.id != memPool->device) {
            const uint32_t bit = UINT32_C(1) << d->location.id;
            memPool->readers = (memPool->readers & ~bit) | (d->flags != 0 ? bit : 0);
            memPool->writers =
                (memPool->writers & ~bit) | (d->flags == cudaMemAccessFlagsProtReadWrite ? bit : 0);
            devices_set_peer(d->location.id, memPool->device, d->flags != 0);
        }
    }
    return code;
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t memPool,
                                 struct cudaMemLocation *location)
{
    const char *call = "cudaMemPoolGetAccess";
    cudaError_t code = check_pool(call, memPool);
    if (code == cudaSuccess && (flags == NULL || location == NULL)) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "the %s has no address",
                                 flags == NULL ? "answer" : "location");
    }
    AND_THEN(code, devices_check(call, location->id));
    if (code == cudaSuccess) {
        const uint32_t bit = UINT32_C(1) << location->id;
        const bool writes = location->id == memPool->device || (memPool->writers & bit) != 0;
        *flags = writes                          ? cudaMemAccessFlagsProtReadWrite
                 : (memPool->readers & bit) != 0 ? cudaMemAccessFlagsProtRead
                                                 : cudaMemAccessFlagsProtNone;
    }
    return code;
}

/* ---- attributes ------------------------------------------------------------------------------ */

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
        memcpy(&pool->memory->release_threshold, value, sizeof pool->memory->release_threshold);
    } else if (attribute <= cudaMemPoolReuseAllowInternalDependencies) {
        memcpy(&pool->reuse[attribute - 1], value, sizeof pool->reuse[0]);
    } else {
        pool_memory_reset_high(pool->memory, attribute == cudaMemPoolAttrUsedMemHigh);
    }
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    cudaError_t code = check_pool("cudaMemPoolGetAttribute", pool);
    if (code != cudaSuccess) {
        return code;
    }
    uint64_t answer;
    const struct pool_bytes bytes = pool_memory_bytes(pool->memory);
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        memcpy(value, &pool->reuse[attribute - 1], sizeof pool->reuse[0]);
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
        answer = pool->memory->release_threshold;
        break;
    case cudaMemPoolAttrReservedMemHigh:
        answer = bytes.reserved_high;
        break;
    case cudaMemPoolAttrUsedMemHigh:
        answer = bytes.used_high;
        break;
    case cudaMemPoolAttrReservedMemCurrent:
        answer = bytes.reserved;
        break;
    case cudaMemPoolAttrUsedMemCurrent:
        answer = bytes.used;
        break;
    default:
        return cuda_error(cudaErrorInvalidValue);
    }
    memcpy(value, &answer, sizeof answer);
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
    const cudaError_t code = check_pool("cudaMemPoolTrimTo", pool);
    if (code == cudaSuccess) {
        pool_memory_trim(pool->memory, bytes);
    }
    return code;
}

/* What was taken is gone; the pools of the program stay, and are empty. */
void pools_forget(void)
{
    current[runtime_device()] = NULL;
    pool_memory_forget();
}

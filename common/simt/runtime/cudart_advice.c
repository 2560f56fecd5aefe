/* cudart_advice.c - advice and prefetches of managed memory, and what cudaMemRangeGetAttribute()
 * tells of them.
 *
 * A hint changes no result here: what it promises is true at once. It is judged like any other
 * call, and kept, by pages, until the memory is freed. */
#include "runtime/cudart_advice.h"

#include <pthread.h>

#include "base/room.h"
#include "runtime/cudart_devices.h"

enum { PAGE = 4096 };

enum advised { READ_MOSTLY, PREFERRED, ACCESSED_BY, PREFETCHED };

/* One hint. Of several with one topic the latest counts, at each address; of ACCESSED_BY, which a
 * program gives for one processor after the other, only those of the same processor are of one
 * topic. */
struct hint {
    enum advised topic;
    bool is_set;
    struct cudaMemLocation at;
    uint64_t begin, end;
    uint64_t allocation, serial; /* the memory of which it was said */
    int device;                  /* that owns it */
};

static struct {
    pthread_mutex_t lock;
    struct hint *items; /* the earliest first */
    unsigned count, room;
} hints = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const struct cudaMemLocation nowhere = {cudaMemLocationTypeInvalid, cudaInvalidDeviceId};
static const struct cudaMemLocation the_host = {cudaMemLocationTypeHost, cudaCpuDeviceId};

static uint64_t address_of(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

cudaError_t advice_check(const char *call, const void *pointer, size_t bytes)
{
    struct memory *memory = runtime()->memory;
    const struct allocation *a = memory_find(memory, address_of(pointer));
    if (a == NULL || a->kind != MEMORY_MANAGED || bytes == 0 ||
        memory_host(memory, address_of(pointer), bytes) == NULL) {
        return cuda_error_saying(cudaErrorInvalidValue, call,
                                 "%zu bytes at %p are not inside memory of cudaMallocManaged",
                                 bytes, (void *)(uintptr_t)pointer);
    }
    return cudaSuccess;
}

/* ---- keep ------------------------------------------------------------------------------------ */

static bool same_topic(const struct hint *a, const struct hint *b)
{
    return a->topic == b->topic &&
           (a->topic != ACCESSED_BY || (a->at.type == b->at.type && a->at.id == b->at.id));
}

static bool is_stale(const struct hint *h)
{
    const struct allocation *a = runtime_device_is_open(h->device)
                                     ? memory_find(runtime_of(h->device)->memory, h->allocation)
                                     : NULL;
    return a == NULL || a->begin != h->allocation || a->serial != h->serial;
}

/* Drops what the new one replaces wholly, so that a loop of prefetches needs no more and more room.
 */
static void drop_replaced(const struct hint *by)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < hints.count; i++) {
        const struct hint *h = &hints.items[i];
        const bool covered = same_topic(h, by) && by->begin <= h->begin && h->end <= by->end;
        if (!covered && !is_stale(h)) {
            hints.items[kept++] = *h;
        }
    }
    hints.count = kept;
}

static void keep(enum advised topic, bool is_set, struct cudaMemLocation at, const void *pointer,
                 size_t bytes)
{
    const struct runtime *owner = devices_owner(pointer);
    const struct allocation *a = memory_find(owner->memory, address_of(pointer));
    const uint64_t last = a->begin + a->bytes;
    uint64_t begin = address_of(pointer) / PAGE * PAGE;
    uint64_t end = (address_of(pointer) + bytes + PAGE - 1) / PAGE * PAGE;
    begin = begin < a->begin ? a->begin : begin;
    end = end > last ? last : end;
    /* The host's number counts for nothing, nor does any place with READ_MOSTLY. */
    const bool no_number = topic == READ_MOSTLY || at.type == cudaMemLocationTypeHost;
    const struct hint h = {topic,     is_set,       no_number ? the_host : at, begin, end, a->begin,
                           a->serial, owner->device};
    pthread_mutex_lock(&hints.lock);
    drop_replaced(&h);
    ROOM_FOR_ONE(hints.items, hints.count, hints.room, 16);
    hints.items[hints.count++] = h;
    pthread_mutex_unlock(&hints.lock);
}

void advice_forget(int device)
{
    unsigned kept = 0;
    pthread_mutex_lock(&hints.lock);
    for (unsigned i = 0; i < hints.count; i++) {
        if (hints.items[i].device != device) {
            hints.items[kept++] = hints.items[i];
        }
    }
    hints.count = kept;
    pthread_mutex_unlock(&hints.lock);
}

static cudaError_t take_hint(const char *call, const void *pointer, size_t bytes,
                             struct cudaMemLocation location)
{
    cudaError_t code = runtime_enter_async();
    if (code == cudaSuccess && location.type == cudaMemLocationTypeDevice) {
        code = devices_check(call, location.id);
    }
    AND_THEN(code, advice_check(call, pointer, bytes));
    return code;
}

cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy) {
        return cuda_error_saying(cudaErrorInvalidValue, "cudaMemAdvise", "unknown advice %d",
                                 (int)advice);
    }
    const cudaError_t code = take_hint("cudaMemAdvise", pointer, bytes, location);
    if (code == cudaSuccess) { /* set and unset, topic by topic */
        const int number = (int)advice - cudaMemAdviseSetReadMostly;
        keep((enum advised)(number / 2), number % 2 == 0, location, pointer, bytes);
    }
    return code;
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, struct cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream)
{
    cudaError_t code = cudart_check_stream("cudaMemPrefetchAsync", stream);
    if (code == cudaSuccess && flags != 0) {
        return cuda_error_saying(cudaErrorInvalidValue, "cudaMemPrefetchAsync", "flags must be 0");
    }
    AND_THEN(code, take_hint("cudaMemPrefetchAsync", pointer, bytes, location));
    if (code == cudaSuccess) {
        keep(PREFETCHED, true, location, pointer, bytes);
    }
    return code;
}
PER_THREAD(cudaMemPrefetchAsync, _ptsz);

/* ---- ask ------------------------------------------------------------------------------------- */

/* What holds at one address; no location if nothing does. */
static struct cudaMemLocation latest(const struct hint *topic, uint64_t address)
{
    for (unsigned i = hints.count; i > 0; i--) {
        const struct hint *h = &hints.items[i - 1];
        if (same_topic(h, topic) && h->begin <= address && address < h->end && !is_stale(h)) {
            return h->is_set ? h->at : nowhere;
        }
    }
    return nowhere;
}

/* What holds in the whole range [begin, end). It changes only where a hint begins or ends. */
static struct cudaMemLocation common(const struct hint *topic, uint64_t begin, uint64_t end)
{
    const struct cudaMemLocation first = latest(topic, begin);
    for (unsigned i = 0; i < hints.count; i++) {
        const uint64_t edges[] = {hints.items[i].begin, hints.items[i].end};
        for (int k = 0; k < 2; k++) {
            const struct cudaMemLocation here =
                edges[k] > begin && edges[k] < end ? latest(topic, edges[k]) : first;
            if (here.type != first.type || here.id != first.id) {
                return nowhere;
            }
        }
    }
    return first;
}

static int device_id(struct cudaMemLocation at)
{
    return at.type == cudaMemLocationTypeDevice ? at.id
           : at.type == cudaMemLocationTypeHost ? cudaCpuDeviceId
                                                : cudaInvalidDeviceId;
}

/* The devices, then the CPU, of which it was said that they use the whole range. */
static void list_users(int *users, size_t room, uint64_t begin, uint64_t end)
{
    const int devices = runtime_device_count();
    size_t count = 0;
    for (int i = 0; i <= devices && count < room; i++) {
        const struct hint user = {
            .topic = ACCESSED_BY,
            .at = i < devices ? (struct cudaMemLocation){cudaMemLocationTypeDevice, i} : the_host};
        const struct cudaMemLocation at = common(&user, begin, end);
        if (at.type != cudaMemLocationTypeInvalid) {
            users[count++] = device_id(at);
        }
    }
    while (count < room) {
        users[count++] = cudaInvalidDeviceId;
    }
}

/* The topic of an attribute; preferred and prefetched have three each: device, type, id. */
static enum advised topic_of(enum cudaMemRangeAttribute attribute)
{
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
        return READ_MOSTLY;
    case cudaMemRangeAttributeAccessedBy:
        return ACCESSED_BY;
    case cudaMemRangeAttributePreferredLocation:
    case cudaMemRangeAttributePreferredLocationType:
    case cudaMemRangeAttributePreferredLocationId:
        return PREFERRED;
    default:
        return PREFETCHED;
    }
}

static int value_of(enum cudaMemRangeAttribute attribute, uint64_t begin, uint64_t end)
{
    const struct hint topic = {.topic = topic_of(attribute)};
    const struct cudaMemLocation at = common(&topic, begin, end);
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
        return at.type != cudaMemLocationTypeInvalid;
    case cudaMemRangeAttributePreferredLocationType:
    case cudaMemRangeAttributeLastPrefetchLocationType:
        return (int)at.type;
    case cudaMemRangeAttributePreferredLocationId:
    case cudaMemRangeAttributeLastPrefetchLocationId:
        return at.id;
    default:
        return device_id(at);
    }
}

static cudaError_t get_attribute(const char *call, void *data, size_t size,
                                 enum cudaMemRangeAttribute attribute, const void *pointer,
                                 size_t bytes)
{
    const bool list = attribute == cudaMemRangeAttributeAccessedBy;
    if (attribute < cudaMemRangeAttributeReadMostly ||
        attribute > cudaMemRangeAttributeLastPrefetchLocationId) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "unknown attribute %d",
                                 (int)attribute);
    }
    if (data == NULL || size == 0 || size % sizeof(int) != 0 || (!list && size != sizeof(int))) {
        return cuda_error_saying(cudaErrorInvalidValue, call,
                                 "%zu bytes for the result: this attribute takes %s", size,
                                 list ? "a multiple of 4" : "4");
    }
    const cudaError_t code = advice_check(call, pointer, bytes);
    if (code != cudaSuccess) {
        return code;
    }
    const uint64_t begin = address_of(pointer), end = begin + bytes;
    pthread_mutex_lock(&hints.lock);
    if (list) {
        list_users(data, size / sizeof(int), begin, end);
    } else {
        *(int *)data = value_of(attribute, begin, end);
    }
    pthread_mutex_unlock(&hints.lock);
    return cudaSuccess;
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t dataSize,
                                     enum cudaMemRangeAttribute attribute, const void *pointer,
                                     size_t bytes)
{
    cudaError_t code = runtime_enter();
    AND_THEN(code,
             get_attribute("cudaMemRangeGetAttribute", data, dataSize, attribute, pointer, bytes));
    return code;
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *dataSizes,
                                      enum cudaMemRangeAttribute *attributes, size_t count,
                                      const void *pointer, size_t bytes)
{
    cudaError_t code = runtime_enter();
    if (code == cudaSuccess &&
        (data == NULL || dataSizes == NULL || attributes == NULL || count == 0)) {
        return cuda_error_saying(cudaErrorInvalidValue, "cudaMemRangeGetAttributes",
                                 "it needs at least one attribute, with a place and its size");
    }
    for (size_t i = 0; i < count && code == cudaSuccess; i++) {
        code = get_attribute("cudaMemRangeGetAttributes", data[i], dataSizes[i], attributes[i],
                             pointer, bytes);
    }
    return code;
}

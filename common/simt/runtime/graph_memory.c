/* graph_memory.c - memory of a graph's allocation nodes: addresses that are known when the node is
 * made, with memory behind them between an allocation and a free node. See graph.h.
 *
 * Kernels see it as an allocation of its own, so that a use before or behind that time is an
 * illegal address. */
#include "runtime/graph.h"
#include "base/room.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 65536 };

struct piece {
    void *pointer; /* device addresses that no access can reach */
    void *host;    /* the memory */
    size_t bytes;  /* a multiple of a page */
    size_t wanted; /* as the node says */
    unsigned users;
    int device;
    bool in_use;
    struct piece *next;
};

static struct {
    pthread_mutex_t lock;
    struct piece *first;
    uint64_t used[RUNTIME_DEVICES], high[RUNTIME_DEVICES];
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct piece *find(const void *pointer)
{
    struct piece *p = memory.first;
    while (p != NULL && p->pointer != pointer) {
        p = p->next;
    }
    return p;
}

static void *map_pages(size_t bytes, int protection)
{
    void *at = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

cudaError_t graph_memory_reserve(const char *call, size_t bytes, void **pointer)
{
    struct piece *p = room_new(1, sizeof *p);
    const size_t pages = align_up(bytes, PAGE);
    if (pages < bytes || bytes > memory_available(runtime()->memory) ||
        (p->pointer = map_pages(pages, PROT_NONE)) == NULL ||
        (p->host = map_pages(pages, PROT_READ | PROT_WRITE)) == NULL) {
        free(p);
        return cuda_error_saying(cudaErrorMemoryAllocation, call, "%zu bytes are not left", bytes);
    }
    p->bytes = pages;
    p->wanted = bytes;
    p->users = 1;
    p->device = runtime_device();
    pthread_mutex_lock(&memory.lock);
    p->next = memory.first;
    memory.first = p;
    pthread_mutex_unlock(&memory.lock);
    *pointer = p->pointer;
    return cudaSuccess;
}

bool graph_memory_is_mine(const void *pointer)
{
    pthread_mutex_lock(&memory.lock);
    const bool mine = find(pointer) != NULL;
    pthread_mutex_unlock(&memory.lock);
    return mine;
}

void graph_memory_retain(void *pointer)
{
    pthread_mutex_lock(&memory.lock);
    struct piece *p = find(pointer);
    p->users += p != NULL;
    pthread_mutex_unlock(&memory.lock);
}

static void stop_use(struct piece *p)
{
    if (runtime_device_is_open(p->device)) {
        memory_free(runtime_of(p->device)->memory, (uint64_t)(uintptr_t)p->pointer, NULL);
    }
    memory.used[p->device] -= p->bytes;
    p->in_use = false;
}

/* Memory that is in use then stays until it is freed, as on a card. */
static void drop_unused(struct piece *p)
{
    if (p->users > 0 || p->in_use) {
        return;
    }
    struct piece **link = &memory.first;
    while (*link != p) {
        link = &(*link)->next;
    }
    *link = p->next;
    munmap(p->pointer, p->bytes);
    munmap(p->host, p->bytes);
    free(p);
}

void graph_memory_release(void *pointer)
{
    pthread_mutex_lock(&memory.lock);
    struct piece *p = find(pointer);
    if (p != NULL) {
        p->users--;
        drop_unused(p);
    }
    pthread_mutex_unlock(&memory.lock);
}

static bool begin_use(const char *call, struct piece *p)
{
    const struct allocation a = {
        .begin = (uint64_t)(uintptr_t)p->pointer,
        .bytes = p->wanted,
        .delta = (int64_t)((uint64_t)(uintptr_t)p->host - (uint64_t)(uintptr_t)p->pointer),
        .kind = MEMORY_DEVICE,
        .name = "an allocation node of a graph",
        .made_at = runtime_site(),
    };
    if (memory_map(runtime_of(p->device)->memory, &a) == NULL) {
        runtime_say(call, "%zu bytes at %p cannot be allocated", p->wanted, p->pointer);
        return false;
    }
    p->in_use = true;
    memory.used[p->device] += p->bytes;
    if (memory.used[p->device] > memory.high[p->device]) {
        memory.high[p->device] = memory.used[p->device];
    }
    return true;
}

bool graph_memory_begin(const char *call, void *pointer, bool again)
{
    pthread_mutex_lock(&memory.lock);
    struct piece *p = find(pointer);
    bool good = p != NULL && (!p->in_use || again);
    if (good && p->in_use) {
        stop_use(p);
    }
    if (!good) {
        runtime_say(call, "memory %p of the graph's last launch has not been freed", pointer);
    }
    good = good && begin_use(call, p);
    pthread_mutex_unlock(&memory.lock);
    return good;
}

bool graph_memory_end(const char *call, void *pointer)
{
    pthread_mutex_lock(&memory.lock);
    struct piece *p = find(pointer);
    const bool good = p != NULL && p->in_use;
    if (good) {
        stop_use(p);
        drop_unused(p);
    } else {
        runtime_say(call, "memory %p of a graph is freed already", pointer);
    }
    pthread_mutex_unlock(&memory.lock);
    return good;
}

/* ---- the API --------------------------------------------------------------------------------- */

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    return device >= 0 && device < runtime_device_count() ? cudaSuccess
                                                          : cuda_error(cudaErrorInvalidDevice);
}

/* What is reserved is what is used: nothing is kept back. */
cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value)
{
    if (device < 0 || device >= runtime_device_count() || value == NULL) {
        return cuda_error(cudaErrorInvalidValue);
    }
    const bool high =
        attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
    pthread_mutex_lock(&memory.lock);
    *(uint64_t *)value = high ? memory.high[device] : memory.used[device];
    pthread_mutex_unlock(&memory.lock);
    return cudaSuccess;
}

/* A high-water mark may be set back, to what is used now. */
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value)
{
    const bool high =
        attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
    if (device < 0 || device >= runtime_device_count() || value == NULL || !high) {
        return cuda_error(cudaErrorInvalidValue);
    }
    pthread_mutex_lock(&memory.lock);
    memory.high[device] = memory.used[device];
    pthread_mutex_unlock(&memory.lock);
    return cudaSuccess;
}

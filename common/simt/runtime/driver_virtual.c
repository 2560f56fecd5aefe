/* driver_virtual.c - virtual memory management of the driver API: addresses are reserved, memory is
 * created, mapped there and made accessible, each by a call of its own.
 *
 * A reservation is a range of device addresses that must not be touched, and beside it as long a
 * range of the host where what is mapped lies. Memory is a file without a name, so that it may be
 * mapped twice. Neighbours that are mapped and accessible are one allocation to kernels and copies.
 */
#include "runtime/driver.h"
#include "base/room.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check/host/host_order.h"

#define GRANULARITY ((size_t)2 << 20) /* as on a card */

struct piece { /* of memory, as cuMemCreate() makes it */
    struct handle handle;
    CUmemAllocationProp properties;
    size_t bytes;
    int file;
    unsigned users;   /* mappings, and the program until cuMemRelease() */
    unsigned handles; /* of cuMemCreate() and cuMemRetainAllocationHandle(), not yet released */
};

struct mapping {
    uint64_t offset, bytes; /* in the reservation */
    struct piece *piece;
    unsigned devices;     /* that may access it, a mask */
    struct mapping *next; /* at a higher offset */
};

struct reservation {
    uint64_t begin, bytes;
    unsigned char *host;
    struct mapping *mappings;
    struct reservation *next;
};

static struct handle_pool pieces = HANDLE_POOL(struct piece);
static struct {
    pthread_mutex_t lock;
    struct reservation *first;
} reservations = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_whole(size_t bytes) { return bytes > 0 && bytes % GRANULARITY == 0; }

static cudaError_t wrong_size(size_t bytes)
{
    return cuda_error_saying(cudaErrorInvalidValue, NULL,
                             "%zu bytes: sizes are multiples of the granularity, %zu bytes", bytes,
                             GRANULARITY);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static cudaError_t granularity(size_t *out, const CUmemAllocationProp *properties)
{
    if (out == NULL || properties == NULL) {
        return cudaErrorInvalidValue;
    }
    *out = GRANULARITY;
    return cudaSuccess;
}

FORWARD_ANYWHERE(cuMemGetAllocationGranularity,
                 (size_t * out, const CUmemAllocationProp *properties,
                  CUmemAllocationGranularity_flags option),
                 ((void)option, granularity(out, properties)))

static struct piece *piece_of(CUmemGenericAllocationHandle handle)
{
    struct piece *p = (struct piece *)(uintptr_t)handle;
    return p != NULL && handle_is_live(&pieces, p) ? p : NULL;
}

static cudaError_t no_piece(CUmemGenericAllocationHandle handle)
{
    return cuda_error_saying(cudaErrorInvalidValue, NULL, "0x%llx is no memory of cuMemCreate()",
                             handle);
}

static cudaError_t create(CUmemGenericAllocationHandle *handle, size_t bytes,
                          const CUmemAllocationProp *properties)
{
    if (handle == NULL || properties == NULL || !is_whole(bytes)) {
        return wrong_size(bytes);
    }
    if (properties->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE) {
        return cuda_error_saying(cudaErrorNotSupported, NULL,
                                 "sharing with another process or API is not simulated");
    }
    if (properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
        (properties->location.id < 0 || properties->location.id >= runtime_device_count())) {
        return cuda_error_saying(cudaErrorInvalidDevice, NULL, "device %d: there are %d",
                                 properties->location.id, runtime_device_count());
    }
    const int file = memfd_create("simulated device memory", MFD_CLOEXEC);
    if (file < 0 || bytes > memory_available(runtime()->memory) ||
        ftruncate(file, (off_t)bytes) != 0) {
        if (file >= 0) {
            close(file);
        }
        return cuda_error_saying(cudaErrorMemoryAllocation, NULL, "%zu bytes are not left", bytes);
    }
    struct piece *p = handle_create(&pieces);
    p->properties = *properties;
    p->bytes = bytes;
    p->file = file;
    p->users = p->handles = 1;
    *handle = (CUmemGenericAllocationHandle)(uintptr_t)p;
    return cudaSuccess;
}

FORWARD(cuMemCreate,
        (CUmemGenericAllocationHandle * handle, size_t bytes, const CUmemAllocationProp *properties,
         unsigned long long flags),
        ((void)flags, create(handle, bytes, properties)))

static void drop(struct piece *p)
{
    if (--p->users == 0) {
        close(p->file);
        handle_destroy(&pieces, p);
    }
}

static cudaError_t release(CUmemGenericAllocationHandle handle)
{
    struct piece *p = piece_of(handle);
    if (p == NULL || p->handles == 0) {
        return no_piece(handle);
    }
    p->handles--;
    drop(p);
    return cudaSuccess;
}

FORWARD(cuMemRelease, (CUmemGenericAllocationHandle handle), release(handle))

static cudaError_t properties_of(CUmemAllocationProp *out, CUmemGenericAllocationHandle handle)
{
    const struct piece *p = piece_of(handle);
    if (p == NULL) {
        return no_piece(handle);
    }
    *out = p->properties;
    return cudaSuccess;
}

FORWARD(cuMemGetAllocationPropertiesFromHandle,
        (CUmemAllocationProp * properties, CUmemGenericAllocationHandle handle),
        properties_of(properties, handle))

/* ---- addresses ------------------------------------------------------------------------------- */

static void *reserve_range(size_t bytes, size_t alignment)
{
    char *at = mmap(NULL, bytes + alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                    -1, 0);
    if (at == MAP_FAILED) {
        return NULL;
    }
    const size_t before = align_up((uint64_t)(uintptr_t)at, alignment) - (uint64_t)(uintptr_t)at;
    if (before > 0) {
        munmap(at, before);
    }
    if (alignment > before) {
        munmap(at + before + bytes, alignment - before);
    }
    return at + before;
}

static cudaError_t reserve(CUdeviceptr *address, size_t bytes, size_t alignment)
{
    if (address == NULL || !is_whole(bytes) || (alignment & (alignment - 1)) != 0) {
        return wrong_size(bytes);
    }
    struct reservation *r = room_new(1, sizeof *r);
    void *begin = reserve_range(bytes, alignment > GRANULARITY ? alignment : GRANULARITY);
    r->host = begin != NULL ? reserve_range(bytes, GRANULARITY) : NULL;
    if (r->host == NULL) {
        free(r);
        return cuda_error_saying(cudaErrorMemoryAllocation, NULL,
                                 "%zu bytes of addresses are not left", bytes);
    }
    r->begin = (uint64_t)(uintptr_t)begin;
    r->bytes = bytes;
    r->next = reservations.first;
    reservations.first = r;
    *address = r->begin;
    return cudaSuccess;
}

/* The reservation that holds all these bytes; NULL: explained. */
static struct reservation *find(CUdeviceptr address, size_t bytes)
{
    struct reservation *r = reservations.first;
    while (r != NULL && (address < r->begin || address + bytes > r->begin + r->bytes)) {
        r = r->next;
    }
    if (r == NULL) {
        runtime_say(NULL, "%zu bytes at 0x%llx are not inside a range of cuMemAddressReserve()",
                    bytes, address);
    }
    return r;
}

static cudaError_t give_back_range(CUdeviceptr address, size_t bytes)
{
    struct reservation *r = find(address, bytes);
    if (r == NULL || r->begin != address || r->bytes != bytes || r->mappings != NULL) {
        return r == NULL ? cudaErrorInvalidValue
                         : cuda_error_saying(cudaErrorInvalidValue, NULL,
                                             r->mappings != NULL
                                                 ? "memory is mapped there: cuMemUnmap() first"
                                                 : "all of the range is given back at once");
    }
    struct reservation **link = &reservations.first;
    while (*link != r) {
        link = &(*link)->next;
    }
    *link = r->next;
    munmap(driver_pointer(r->begin), r->bytes);
    munmap(r->host, r->bytes);
    free(r);
    return cudaSuccess;
}

/* ---- mappings -------------------------------------------------------------------------------- */

/* Neighbours that a device may access become one allocation of its memory. */
static void publish(struct reservation *r, int device, bool live)
{
    struct memory *memory = runtime_of(device)->memory;
    const unsigned bit = 1u << device;
    for (const struct mapping *m = r->mappings; m != NULL;) {
        const uint64_t begin = m->offset;
        uint64_t end = begin;
        while (m != NULL && m->offset == end && m->devices & bit) {
            end += m->bytes;
            m = m->next;
        }
        if (end == begin) {
            m = m->next;
        } else if (live) {
            memory_map(memory, &(struct allocation){
                                   .begin = r->begin + begin,
                                   .bytes = end - begin,
                                   .delta = (int64_t)((uint64_t)(uintptr_t)r->host - r->begin),
                                   .kind = MEMORY_DEVICE,
                                   .name = "cuMemMap"});
        } else {
            memory_free(memory, r->begin + begin, NULL);
        }
    }
}

static void publish_all(struct reservation *r, bool live)
{
    unsigned devices = 0;
    for (const struct mapping *m = r->mappings; m != NULL; m = m->next) {
        devices |= m->devices;
    }
    for (int d = 0; d < runtime_device_count(); d++) {
        if (devices >> d & 1) {
            publish(r, d, live);
        }
    }
}

static bool overlaps(const struct mapping *m, uint64_t offset, uint64_t bytes)
{
    return offset < m->offset + m->bytes && m->offset < offset + bytes;
}

static cudaError_t map(CUdeviceptr address, size_t bytes, size_t offset,
                       CUmemGenericAllocationHandle handle)
{
    struct piece *p = piece_of(handle);
    if (p == NULL || !is_whole(bytes)) {
        return p == NULL ? no_piece(handle) : wrong_size(bytes);
    }
    struct reservation *r = find(address, bytes);
    if (r == NULL || offset % GRANULARITY != 0 || offset + bytes > p->bytes) {
        return r == NULL
                   ? cudaErrorInvalidValue
                   : cuda_error_saying(cudaErrorInvalidValue, NULL,
                                       "%zu bytes from byte %zu of %zu", bytes, offset, p->bytes);
    }
    const uint64_t at = address - r->begin;
    struct mapping **link = &r->mappings;
    while (*link != NULL && (*link)->offset + (*link)->bytes <= at) {
        link = &(*link)->next;
    }
    if (*link != NULL && overlaps(*link, at, bytes)) {
        return cuda_error_saying(cudaErrorInvalidValue, NULL, "memory is mapped there already");
    }
    if (mmap(r->host + at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, p->file,
             (off_t)offset) == MAP_FAILED) {
        return cudaErrorMemoryAllocation;
    }
    struct mapping *m = room_new(1, sizeof *m);
    *m = (struct mapping){at, bytes, p, 0, *link};
    *link = m;
    p->users++;
    return cudaSuccess;
}

static cudaError_t retain(CUmemGenericAllocationHandle *handle, const void *pointer)
{
    const CUdeviceptr address = (CUdeviceptr)(uintptr_t)pointer;
    const struct reservation *r = find(address, 1);
    const struct mapping *m = r != NULL ? r->mappings : NULL;
    while (m != NULL && !overlaps(m, address - r->begin, 1)) {
        m = m->next;
    }
    if (handle == NULL || m == NULL) {
        return cuda_error_saying(cudaErrorInvalidValue, NULL, "no memory is mapped at %p", pointer);
    }
    m->piece->users++;
    m->piece->handles++;
    *handle = (CUmemGenericAllocationHandle)(uintptr_t)m->piece;
    return cudaSuccess;
}

FORWARD(cuMemRetainAllocationHandle, (CUmemGenericAllocationHandle * handle, void *address),
        retain(handle, address))

static cudaError_t unmap(CUdeviceptr address, size_t bytes)
{
    struct reservation *r = find(address, bytes);
    if (r == NULL) {
        return cudaErrorInvalidValue;
    }
    const uint64_t at = address - r->begin;
    publish_all(r, false);
    for (struct mapping **link = &r->mappings; *link != NULL;) {
        struct mapping *m = *link;
        if (m->offset < at || m->offset + m->bytes > at + bytes) {
            link = &m->next;
            continue;
        }
        mmap(r->host + m->offset, m->bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        *link = m->next;
        drop(m->piece);
        free(m);
    }
    publish_all(r, true);
    return cudaSuccess;
}

static cudaError_t set_access(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *list,
                              size_t count)
{
    struct reservation *r = find(address, bytes);
    if (r == NULL || (list == NULL && count > 0)) {
        return cudaErrorInvalidValue;
    }
    const uint64_t at = address - r->begin;
    publish_all(r, false);
    for (struct mapping *m = r->mappings; m != NULL; m = m->next) {
        for (size_t i = 0; i < count && overlaps(m, at, bytes); i++) {
            if (list[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE && list[i].location.id >= 0 &&
                list[i].location.id < runtime_device_count()) {
                const unsigned bit = 1u << list[i].location.id;
                m->devices &= ~bit;
                m->devices |= list[i].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ? 0 : bit;
            }
        }
    }
    publish_all(r, true);
    return cudaSuccess;
}

static cudaError_t get_access(unsigned long long *flags, const CUmemLocation *location,
                              CUdeviceptr address)
{
    const struct reservation *r = find(address, 1);
    if (r == NULL || location->type != CU_MEM_LOCATION_TYPE_DEVICE) {
        return cudaErrorInvalidValue;
    }
    *flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    for (const struct mapping *m = r->mappings; m != NULL; m = m->next) {
        if (overlaps(m, address - r->begin, 1) && m->devices >> location->id & 1) {
            *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        }
    }
    return cudaSuccess;
}

/* The work of launches that are under way comes first: it may use what changes. */
static cudaError_t begin_change(void)
{
    host_order_wait_for_launches();
    pthread_mutex_lock(&reservations.lock);
    return cudaSuccess;
}

static cudaError_t end_change(cudaError_t code)
{
    pthread_mutex_unlock(&reservations.lock);
    return code;
}

#define CHANGE(name, parameters, expression)                                                       \
    FORWARD(name, parameters, (begin_change(), end_change(expression)))

CHANGE(cuMemAddressReserve,
       (CUdeviceptr * address, size_t bytes, size_t alignment, CUdeviceptr wanted,
        unsigned long long flags),
       ((void)wanted, (void)flags, reserve(address, bytes, alignment)))
CHANGE(cuMemAddressFree, (CUdeviceptr address, size_t bytes), give_back_range(address, bytes))
CHANGE(cuMemMap,
       (CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
        unsigned long long flags),
       ((void)flags, map(address, bytes, offset, handle)))
CHANGE(cuMemUnmap, (CUdeviceptr address, size_t bytes), unmap(address, bytes))
CHANGE(cuMemSetAccess,
       (CUdeviceptr address, size_t bytes, const CUmemAccessDesc *list, size_t count),
       set_access(address, bytes, list, count))
CHANGE(cuMemGetAccess,
       (unsigned long long *flags, const CUmemLocation *location, CUdeviceptr address),
       get_access(flags, location, address))

/* memory.c - device addresses, and the host memory behind them.
 *
 * One reservation of address space is cut in two halves of equal size:
 *
 *     window  [base,        base + size)      device addresses; the host can never touch them
 *     store   [base + size, base + 2 * size)  the bytes; host pointer = device address + size
 *
 * A device allocation is named by its window address. Pinned and managed memory is named by its
 * store address, so that one pointer serves both sides (delta 0). Both come from one cursor that
 * moves upward and wraps at the end: an address is used again as late as possible, which is what
 * lets a stale pointer be explained. The unit is a granule of 64 KiB; table[granule] is the
 * allocation that holds it, or held it last, so a lookup is one load and takes no lock.
 *
 * Protected by `lock`: cursor, lapped, records, used bytes. Read without it: table, registered. */
#include "machine/memory.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/arena.h"

#define GRANULE       ((uint64_t)64 << 10)
#define LARGEST_SIZE  ((uint64_t)1 << 40) /* of each half */
#define SMALLEST_SIZE ((uint64_t)64 << 20)
#define COMMIT_STEP   ((uint64_t)64 << 20)
#define HUGE_PAGE     ((uint64_t)2 << 20)
#define HUGE_FROM     (2 * HUGE_PAGE)
#define JUNK_MOST     ((uint64_t)64 << 20)

enum { RECORDS_PER_CHUNK = 256 };

struct record_chunk {
    struct record_chunk *next;
    unsigned count;
    struct allocation records[RECORDS_PER_CHUNK];
};

/* Registered host memory lies anywhere, so it is kept in a list. A node is never taken out: its
 * allocation is replaced once that is freed. */
struct registered_node {
    struct registered_node *next;
    struct allocation *allocation;
};

/* Where kernels call malloc(). */
struct kernel_line {
    const char *name;
    struct kernel_line *next;
};

struct memory {
    uint64_t base, size;       /* the window; the store follows it */
    struct allocation **table; /* one entry per granule */
    struct registered_node *registered;
    uint64_t limit_bytes; /* what the card has */
    uint64_t host_bytes;  /* what this computer could give when the simulator was opened */
    struct kernel_line *kernel_lines;
    memory_listener listener; /* NULL: nobody */
    void *listener_state;

    pthread_mutex_t lock;
    uint64_t cursor;          /* offset into the window where the next allocation is tried */
    uint64_t committed;       /* the store is accessible up to this offset */
    bool lapped;              /* the cursor has wrapped: what lies ahead may be live */
    uint64_t used_bytes;      /* counted against limit_bytes */
    uint64_t used_host_bytes; /* counted against host_bytes: pinned memory too */
    uint64_t next_serial;
    struct record_chunk *records;
    struct arena arena;
};

/* ---- what the host can give ------------------------------------------------------------------ */

/* A number from a one-line file such as a container's memory limit; UINT64_MAX: none there. */
static uint64_t number_in_file(const char *path)
{
    FILE *file = fopen(path, "r");
    unsigned long long value = 0;
    bool found = file != NULL && fscanf(file, "%llu", &value) == 1;
    if (file != NULL) {
        fclose(file);
    }
    return found ? value : UINT64_MAX;
}

static uint64_t available_bytes(void)
{
    unsigned long long available_kib = 0;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "MemAvailable: %llu kB", &available_kib) == 1) {
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    struct sysinfo info = {0};
    sysinfo(&info);
    uint64_t swap = (uint64_t)info.freeswap * info.mem_unit;
    uint64_t free_ram = (uint64_t)info.freeram * info.mem_unit;
    return swap + (available_kib > 0 ? (uint64_t)available_kib << 10 : free_ram);
}

/* RAM and swap that are free now, less if a container or ulimit allows less. */
static uint64_t host_capacity(void)
{
    static const char *const container[][2] = {
        {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
        {"/sys/fs/cgroup/memory/memory.limit_in_bytes",
         "/sys/fs/cgroup/memory/memory.usage_in_bytes"},
    };
    uint64_t capacity = available_bytes();
    for (unsigned i = 0; i < ARRAY_LENGTH(container); i++) {
        uint64_t limit = number_in_file(container[i][0]);
        uint64_t used = number_in_file(container[i][1]);
        uint64_t left = limit > used ? limit - used : 0;
        if (limit != UINT64_MAX && left < capacity) {
            capacity = left;
        }
    }
    return capacity;
}

/* The size of each half: a quarter at most of the address space that `ulimit -v` leaves. */
static uint64_t first_size_to_try(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return LARGEST_SIZE;
    }
    uint64_t used = number_in_file("/proc/self/statm") * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t left = limit.rlim_cur > used ? limit.rlim_cur - used : 0;
    uint64_t size = LARGEST_SIZE;
    while (size > left / 4) {
        size /= 2;
    }
    return size;
}

static void *reserve(uint64_t bytes, int protection)
{
    void *at = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* ---- open and close -------------------------------------------------------------------------- */

static bool reserve_window(struct memory *m, struct err *e)
{
    for (uint64_t size = first_size_to_try(); size >= SMALLEST_SIZE; size /= 2) {
        void *window = reserve(2 * size, PROT_NONE);
        void *table = reserve(size / GRANULE * sizeof *m->table, PROT_READ | PROT_WRITE);
        if (window != NULL && table != NULL) {
            madvise(window, 2 * size, MADV_DONTDUMP);
            m->base = (uint64_t)(uintptr_t)window;
            m->size = size;
            m->table = table;
            return true;
        }
        if (window != NULL) {
            munmap(window, 2 * size);
        }
        if (table != NULL) {
            munmap(table, size / GRANULE * sizeof *m->table);
        }
    }
    return err_set(e,
                   "cannot reserve %llu MiB of address space for device memory: "
                   "a larger `ulimit -v` is needed",
                   (unsigned long long)(2 * SMALLEST_SIZE >> 20));
}

struct memory *memory_open(uint64_t limit_bytes, struct err *e)
{
    struct memory *m = calloc(1, sizeof *m);
    if (m == NULL) {
        err_set(e, "out of memory");
        return NULL;
    }
    if (!reserve_window(m, e)) {
        free(m);
        return NULL;
    }
    pthread_mutex_init(&m->lock, NULL);
    m->limit_bytes = limit_bytes;
    m->host_bytes = host_capacity();
    m->cursor = GRANULE; /* the first granule stays empty: base - 1 and base are no addresses */
    return m;
}

void memory_close(struct memory *m)
{
    if (m == NULL) {
        return;
    }
    munmap((void *)(uintptr_t)m->base, 2 * m->size);
    munmap(m->table, m->size / GRANULE * sizeof *m->table);
    pthread_mutex_destroy(&m->lock);
    arena_free(&m->arena);
    free(m);
}

void memory_listen(struct memory *m, memory_listener listener, void *state)
{
    m->listener = listener;
    m->listener_state = state;
}

void memory_changed(struct memory *m, enum memory_change change, uint64_t address, uint64_t bytes,
                    uint64_t from)
{
    if (m->listener != NULL) {
        m->listener(m->listener_state, change, address, bytes, from);
    }
}

void memory_visit(struct memory *m, void (*visit)(void *state, const struct allocation *a),
                  void *state)
{
    pthread_mutex_lock(&m->lock);
    for (const struct record_chunk *chunk = m->records; chunk != NULL; chunk = chunk->next) {
        for (unsigned i = 0; i < chunk->count; i++) {
            if (!chunk->records[i].freed) {
                visit(state, &chunk->records[i]);
            }
        }
    }
    pthread_mutex_unlock(&m->lock);
}

/* ---- lookups --------------------------------------------------------------------------------- */

static bool is_live(const struct allocation *a)
{
    return a != NULL && !__atomic_load_n(&a->freed, __ATOMIC_ACQUIRE);
}

static bool holds(const struct allocation *a, uint64_t address)
{
    return a != NULL && address - (a->begin - a->lead) < a->bytes + a->lead;
}

/* The allocation at the granule of `address`, live or not; NULL outside window and store. */
static struct allocation *table_entry(const struct memory *m, uint64_t address)
{
    uint64_t offset = address - m->base;
    if (offset >= 2 * m->size) {
        return NULL;
    }
    uint64_t granule = (offset < m->size ? offset : offset - m->size) / GRANULE;
    return __atomic_load_n(&m->table[granule], __ATOMIC_ACQUIRE);
}

static struct allocation *node_allocation(const struct registered_node *node)
{
    return __atomic_load_n(&node->allocation, __ATOMIC_ACQUIRE);
}

static struct allocation *find_live(const struct memory *m, uint64_t address)
{
    struct allocation *a = table_entry(m, address);
    if (holds(a, address) && is_live(a)) {
        return a;
    }
    const struct registered_node *node = __atomic_load_n(&m->registered, __ATOMIC_ACQUIRE);
    for (; node != NULL; node = node->next) {
        a = node_allocation(node);
        if (holds(a, address) && is_live(a)) {
            return a;
        }
    }
    return NULL;
}

/* ---- allocate and free ----------------------------------------------------------------------- */

/* The unmapped stretch behind an allocation: as long as the allocation, so that an index that is
 * wrong by a whole row or by a factor of two still hits nothing; 64 KiB at least. */
static uint64_t guard_bytes(const struct memory *m, uint64_t bytes)
{
    uint64_t most = m->size / 1024 > GRANULE ? m->size / 1024 : GRANULE;
    uint64_t guard = align_up(bytes, GRANULE);
    return guard < most ? guard : most;
}

static uint64_t span_bytes(const struct memory *m, uint64_t bytes)
{
    return align_up(bytes, GRANULE) + guard_bytes(m, bytes);
}

static struct allocation *new_record(struct memory *m)
{
    if (m->records == NULL || m->records->count == RECORDS_PER_CHUNK) {
        struct record_chunk *chunk = arena_alloc(&m->arena, sizeof *chunk);
        chunk->next = m->records;
        m->records = chunk;
    }
    struct allocation *a = &m->records->records[m->records->count++];
    a->serial = ++m->next_serial;
    return a;
}

/* Offset of an allocation in the window (or, the same number, in the store). */
static uint64_t offset_of(const struct memory *m, const struct allocation *a)
{
    uint64_t offset = a->begin - a->lead - m->base;
    return offset < m->size ? offset : offset - m->size;
}

/* The end, guard included, of the live allocation that a span at `offset` would meet first; 0 if
 * the span is free. */
static uint64_t obstacle_end(const struct memory *m, uint64_t offset, uint64_t span)
{
    for (uint64_t g = offset / GRANULE; g < (offset + span) / GRANULE; g++) {
        const struct allocation *a = m->table[g];
        if (is_live(a)) {
            return offset_of(m, a) + span_bytes(m, a->lead + a->bytes);
        }
    }
    return 0;
}

/* Finds `span` bytes of window without a live allocation, from the cursor on, wrapping once. */
static bool place(struct memory *m, uint64_t span, uint64_t *offset)
{
    uint64_t alignment = span >= HUGE_FROM ? HUGE_PAGE : GRANULE;
    uint64_t at = m->cursor;
    bool wrapped = false, lapped = m->lapped;
    for (;;) {
        at = align_up(at, alignment);
        if (span > m->size || at > m->size - span) {
            if (wrapped || span > m->size - alignment) {
                return false;
            }
            wrapped = lapped = true;
            at = alignment;
        }
        uint64_t next = lapped ? obstacle_end(m, at, span) : 0;
        if (next == 0) {
            m->lapped = lapped;
            m->cursor = at + span;
            *offset = at;
            return true;
        }
        at = next;
    }
}

static void *store_at(const struct memory *m, uint64_t offset)
{
    return (void *)(uintptr_t)(m->base + m->size + offset);
}

/* Makes the store accessible up to `end`. It is one mapping, however many allocations there are:
 * a mapping for each would meet the kernel's limit of 65,530. */
static bool commit(struct memory *m, uint64_t end)
{
    if (end <= m->committed) {
        return true;
    }
    uint64_t upto = align_up(end, COMMIT_STEP) < m->size ? align_up(end, COMMIT_STEP) : m->size;
    void *at = store_at(m, m->committed);
    if (mprotect(at, upto - m->committed, PROT_READ | PROT_WRITE) != 0) {
        return false;
    }
    madvise(at, upto - m->committed, MADV_NOHUGEPAGE);
    m->committed = upto;
    return true;
}

static bool on_card(enum memory_kind kind) { return kind != MEMORY_PINNED; }

static bool fits(const struct memory *m, uint64_t bytes, enum memory_kind kind)
{
    if (on_card(kind) && bytes > m->limit_bytes - m->used_bytes) {
        return false;
    }
    return m->used_host_bytes <= m->host_bytes && bytes <= m->host_bytes - m->used_host_bytes;
}

static struct allocation *alloc_locked(struct memory *m, uint64_t lead, uint64_t bytes,
                                       enum memory_kind kind)
{
    uint64_t offset;
    if (!fits(m, bytes, kind) || !place(m, span_bytes(m, lead + bytes), &offset) ||
        !commit(m, offset + lead + bytes)) {
        return NULL;
    }
    bool one_pointer = kind == MEMORY_MANAGED || kind == MEMORY_PINNED;
    struct allocation *a = new_record(m);
    a->begin = m->base + offset + lead + (one_pointer ? m->size : 0);
    a->lead = lead;
    a->bytes = bytes;
    a->delta = one_pointer ? 0 : (int64_t)m->size;
    a->kind = kind;
    m->used_bytes += on_card(kind) ? bytes : 0;
    m->used_host_bytes += bytes;
    return a;
}

/* Fresh memory holds what was there before, on a card: NaNs and -1 are told sooner than zeros. Of a
 * large one the ends: all of it would take its time, and the computer's memory. */
static void fill_with_junk(const struct allocation *a)
{
    uint8_t *host = (uint8_t *)(uintptr_t)(a->begin + (uint64_t)a->delta);
    const uint64_t part = a->bytes <= JUNK_MOST ? a->bytes : JUNK_MOST / 2;
    memset(host, 0xff, part);
    memset(host + a->bytes - part, 0xff, a->bytes > part ? part : 0);
}

static const struct allocation *alloc_behind(struct memory *m, uint64_t lead, uint64_t bytes,
                                             enum memory_kind kind, const char *name,
                                             const void *made_at)
{
    bytes = bytes > 0 ? bytes : 1;
    pthread_mutex_lock(&m->lock);
    struct allocation *a = alloc_locked(m, lead, bytes, kind);
    if (a != NULL) {
        a->name = name;
        a->made_at = made_at;
        a->in_kernel = lead > 0;
        uint64_t offset = offset_of(m, a);
        for (uint64_t g = offset / GRANULE; g <= (offset + lead + bytes - 1) / GRANULE; g++) {
            __atomic_store_n(&m->table[g], a, __ATOMIC_RELEASE);
        }
        if (bytes >= HUGE_FROM) { /* fewer page faults; a refusal costs speed, nothing else */
            madvise(store_at(m, offset), bytes, MADV_HUGEPAGE);
        }
    }
    pthread_mutex_unlock(&m->lock);
    if (a != NULL && kind == MEMORY_DEVICE) {
        fill_with_junk(a);
        memory_changed(m, MEMORY_MADE, a->begin, a->bytes, 0);
    }
    return a;
}

const struct allocation *memory_alloc(struct memory *m, uint64_t bytes, enum memory_kind kind,
                                      const char *name, const void *made_at)
{
    return alloc_behind(m, 0, bytes, kind, name, made_at);
}

/* A name that lives as long as the memory; kernels have few lines with malloc(). */
static const char *name_of_line(struct memory *m, const char *line)
{
    char text[192];
    snprintf(text, sizeof text, "malloc in a kernel%s", line);
    pthread_mutex_lock(&m->lock);
    struct kernel_line *known = m->kernel_lines;
    while (known != NULL && strcmp(known->name, text) != 0) {
        known = known->next;
    }
    if (known == NULL) {
        known = arena_alloc(&m->arena, sizeof *known);
        known->name = arena_strndup(&m->arena, text, strlen(text));
        known->next = m->kernel_lines;
        m->kernel_lines = known;
    }
    pthread_mutex_unlock(&m->lock);
    return known->name;
}

const struct allocation *memory_alloc_in_kernel(struct memory *m, uint64_t bytes, const char *line)
{
    return alloc_behind(m, 16, bytes, MEMORY_DEVICE, name_of_line(m, line), NULL);
}

/* Gives the pages back, so that the next allocation at this place reads zeros again. */
static void release_pages(struct memory *m, const struct allocation *a)
{
    void *at = store_at(m, offset_of(m, a));
    madvise(at, a->lead + a->bytes, MADV_DONTNEED);
    if (a->bytes >= HUGE_FROM) { /* so that the mapping is one piece again */
        madvise(at, a->bytes, MADV_NOHUGEPAGE);
    }
}

bool memory_free(struct memory *m, uint64_t begin, const void *freed_at)
{
    pthread_mutex_lock(&m->lock);
    struct allocation *a = find_live(m, begin);
    bool found = a != NULL && a->begin == begin;
    if (found) {
        a->freed_at = freed_at;
        __atomic_store_n(&a->freed, true, __ATOMIC_RELEASE);
        if (!a->registered) {
            m->used_bytes -= on_card(a->kind) ? a->bytes : 0;
            m->used_host_bytes -= a->bytes;
            release_pages(m, a);
        }
    }
    pthread_mutex_unlock(&m->lock);
    return found;
}

void memory_rebind(struct memory *m, uint64_t begin, void *host)
{
    pthread_mutex_lock(&m->lock);
    struct allocation *a = find_live(m, begin);
    assert(a != NULL && a->begin == begin);
    memcpy(host, (const void *)(uintptr_t)(begin + (uint64_t)a->delta), a->bytes);
    a->delta = (int64_t)((uint64_t)(uintptr_t)host - begin);
    pthread_mutex_unlock(&m->lock);
}

/* ---- registered host memory ------------------------------------------------------------------ */

static void publish_registered(struct memory *m, struct allocation *a)
{
    struct registered_node *node = m->registered;
    while (node != NULL && is_live(node->allocation)) {
        node = node->next;
    }
    if (node != NULL) {
        __atomic_store_n(&node->allocation, a, __ATOMIC_RELEASE);
        return;
    }
    node = arena_alloc(&m->arena, sizeof *node);
    node->next = m->registered;
    node->allocation = a;
    __atomic_store_n(&m->registered, node, __ATOMIC_RELEASE);
}

static bool overlaps_known(const struct memory *m, uint64_t begin, uint64_t bytes)
{
    if (begin + bytes > m->base && begin < m->base + 2 * m->size) {
        return true;
    }
    for (const struct registered_node *node = m->registered; node != NULL; node = node->next) {
        const struct allocation *a = node_allocation(node);
        if (is_live(a) && begin < a->begin + a->bytes && a->begin < begin + bytes) {
            return true;
        }
    }
    return false;
}

const struct allocation *memory_register(struct memory *m, void *host, uint64_t bytes,
                                         enum memory_kind kind, const char *name,
                                         const void *made_at)
{
    uint64_t begin = (uint64_t)(uintptr_t)host;
    if (bytes == 0 || begin + bytes < begin) {
        return NULL;
    }
    struct allocation *a = NULL;
    pthread_mutex_lock(&m->lock);
    if (!overlaps_known(m, begin, bytes)) {
        a = new_record(m);
        a->begin = begin;
        a->bytes = bytes;
        a->kind = kind;
        a->registered = true;
        a->name = name;
        a->made_at = made_at;
        publish_registered(m, a);
    }
    pthread_mutex_unlock(&m->lock);
    return a;
}

/* ---- answers --------------------------------------------------------------------------------- */

const struct allocation *memory_find(struct memory *m, uint64_t address)
{
    return find_live(m, address);
}

const struct allocation *memory_find_freed(struct memory *m, uint64_t address)
{
    const struct allocation *a = table_entry(m, address);
    if (holds(a, address)) {
        return is_live(a) ? NULL : a;
    }
    const struct allocation *latest = NULL;
    pthread_mutex_lock(&m->lock);
    for (const struct record_chunk *chunk = m->records; chunk != NULL; chunk = chunk->next) {
        for (unsigned i = 0; i < chunk->count; i++) {
            a = &chunk->records[i];
            if (a->registered && a->freed && holds(a, address) &&
                (latest == NULL || a->serial > latest->serial)) {
                latest = a;
            }
        }
    }
    pthread_mutex_unlock(&m->lock);
    return latest;
}

uint64_t memory_distance(const struct allocation *a, uint64_t address)
{
    if (address < a->begin) {
        return a->begin - address;
    }
    return holds(a, address) ? 0 : address - (a->begin + a->bytes - 1);
}

const struct allocation *memory_nearest(struct memory *m, uint64_t address)
{
    const struct allocation *nearest = NULL;
    pthread_mutex_lock(&m->lock);
    for (const struct record_chunk *chunk = m->records; chunk != NULL; chunk = chunk->next) {
        for (unsigned i = 0; i < chunk->count; i++) {
            const struct allocation *a = &chunk->records[i];
            if (is_live(a) && (nearest == NULL ||
                               memory_distance(a, address) < memory_distance(nearest, address))) {
                nearest = a;
            }
        }
    }
    pthread_mutex_unlock(&m->lock);
    return nearest;
}

void *memory_host(struct memory *m, uint64_t address, uint64_t bytes)
{
    const struct allocation *a = memory_find(m, address);
    if (a == NULL || bytes > a->begin + a->bytes - address) {
        return NULL;
    }
    return (void *)(uintptr_t)(address + (uint64_t)a->delta);
}

void memory_usage(struct memory *m, uint64_t *used_bytes, uint64_t *limit_bytes)
{
    pthread_mutex_lock(&m->lock);
    *used_bytes = m->used_bytes;
    *limit_bytes = m->limit_bytes;
    pthread_mutex_unlock(&m->lock);
}

uint64_t memory_available(struct memory *m)
{
    pthread_mutex_lock(&m->lock);
    uint64_t card = m->limit_bytes - m->used_bytes;
    uint64_t host = m->host_bytes - m->used_host_bytes;
    uint64_t window = m->size / 2; /* half of it is guards */
    host = host < window ? host : window;
    pthread_mutex_unlock(&m->lock);
    return card < host ? card : host;
}

bool memory_is_device_address(struct memory *m, uint64_t address)
{
    return address - m->base < m->size;
}

bool memory_is_mine(struct memory *m, uint64_t address) { return address - m->base < 2 * m->size; }

uint64_t memory_on_host(uint64_t address, uint64_t bytes)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t at = address & ~(page - 1);
    unsigned char resident;
    while ((at < address || at - address < bytes) &&
           mincore((void *)(uintptr_t)at, 1, &resident) == 0) {
        at += page;
    }
    return at <= address ? 0 : at - address < bytes ? at - address : bytes;
}

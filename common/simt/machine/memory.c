/* memory.c - device addresses, and the host memory behind them: where an allocation is placed, and
 * what it takes. How addresses are laid out, and what the lock protects, says memory_state.h. */
#include "machine/memory_state.h"
#include "base/room.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SMALLEST_SIZE ((uint64_t)64 << 20) /* of each half: less is of no use to a lesson */
#define COMMIT_STEP   ((uint64_t)64 << 20) /* one system call for a thousand small allocations */
#define HUGE_PAGE     ((uint64_t)2 << 20)
#define HUGE_FROM     (2 * HUGE_PAGE) /* below that, alignment would waste as much as it saves */
#define JUNK_MOST     ((uint64_t)64 << 20) /* of fresh memory that junk is written into */
/* Where windows lie, each below the one before it, if those places are free, which they are in
 * most processes. Addresses, and with them records and traces, are then the same in every run. */
#define WINDOW_AT   ((uint64_t)0x700000000000)
#define WINDOW_STEP ((uint64_t)2 << 40) /* the largest window */
#define WINDOWS     10

static void *reserve(uint64_t at, uint64_t bytes, int protection)
{
    void *got = mmap((void *)(uintptr_t)at, bytes, protection,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return got == MAP_FAILED ? NULL : got;
}

/* ---- open and close -------------------------------------------------------------------------- */

/* The first free place for a window: the kernel ignores a wish that it cannot fulfil. */
static void *reserve_place(uint64_t bytes)
{
    for (uint64_t i = 0; i < WINDOWS; i++) {
        uint64_t at = WINDOW_AT - i * WINDOW_STEP;
        void *got = reserve(at, bytes, PROT_NONE);
        if (got == NULL || (uint64_t)(uintptr_t)got == at) {
            return got;
        }
        munmap(got, bytes);
    }
    return reserve(0, bytes, PROT_NONE);
}

static bool reserve_window(struct memory *m, struct err *e)
{
    for (uint64_t size = memory_first_size(); size >= SMALLEST_SIZE; size /= 2) {
        void *window = reserve_place(2 * size);
        void *table = reserve(0, size / GRANULE * sizeof *m->table, PROT_READ | PROT_WRITE);
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

/* Where the latest memory that was closed lay, and how far it had got. */
static struct {
    pthread_mutex_t lock;
    uint64_t base, cursor;
} former = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void remember(const struct memory *m)
{
    pthread_mutex_lock(&former.lock);
    former.base = m->base;
    former.cursor = m->lapped ? 0 : m->cursor;
    pthread_mutex_unlock(&former.lock);
}

/* The next one goes on there, so that an old pointer is no new memory's by chance. */
static void go_on(struct memory *m)
{
    pthread_mutex_lock(&former.lock);
    if (former.base == m->base && former.cursor > m->cursor && former.cursor < m->size / 4) {
        m->cursor = m->first = former.cursor;
    }
    pthread_mutex_unlock(&former.lock);
}

struct memory *memory_open(uint64_t limit_bytes, struct err *e)
{
    struct memory *m = room_new(1, sizeof *m);
    if (!reserve_window(m, e)) {
        free(m);
        return NULL;
    }
    pthread_mutex_init(&m->lock, NULL);
    m->limit_bytes = limit_bytes;
    m->host_bytes = memory_host_capacity();
    m->heap_bytes = HEAP_BYTES;
    m->cursor = GRANULE; /* the first granule stays empty: base - 1 and base are no addresses */
    go_on(m);
    return m;
}

void memory_close(struct memory *m)
{
    if (m == NULL) {
        return;
    }
    remember(m);
    munmap((void *)(uintptr_t)m->base, 2 * m->size);
    munmap(m->table, m->size / GRANULE * sizeof *m->table);
    pthread_mutex_destroy(&m->lock);
    arena_free(&m->arena);
    free(m);
}

void memory_discard(struct memory *m)
{
    pthread_mutex_lock(&m->lock);
    madvise((void *)(uintptr_t)(m->base + m->size), m->committed, MADV_DONTNEED);
    pthread_mutex_unlock(&m->lock);
}

void memory_listen(struct memory *m, memory_listener listener, void *state)
{
    m->listener = listener;
    m->listener_state = state;
}

bool memory_is_heard(const struct memory *m) { return m->listener != NULL; }

void memory_ask_of_strangers(struct memory *m, memory_stranger stranger) { m->stranger = stranger; }

bool memory_is_strange(const struct memory *m, uint64_t address, char *text, size_t size)
{
    return m->stranger != NULL && m->stranger(address, text, size);
}

void memory_changed(struct memory *m, enum memory_change change, uint64_t address, uint64_t bytes,
                    uint64_t from)
{
    if (m->listener != NULL) {
        m->listener(m->listener_state, change, address, bytes, from);
    }
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

struct allocation *memory_new_record(struct memory *m)
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
        if (memory_is_live(a)) {
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
 * a mapping for each would come up against the kernel's limit of 65,530. */
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

static uint64_t heap_part(uint64_t bytes) { return align_up(bytes, 16); }

/* Takes so much of the kernels' heap. */
static bool take_from_heap(struct memory *m, uint64_t bytes)
{
    m->heap_in_use = true;
    if (bytes > m->heap_bytes || heap_part(bytes) > m->heap_bytes - m->used_heap_bytes) {
        m->heap_was_full = true;
        return false;
    }
    m->used_heap_bytes += heap_part(bytes);
    return true;
}

/* It may lie where memory of the host was freed. */
static void open_pages(struct memory *m, uint64_t offset, uint64_t bytes)
{
    if (m->closed_pages && m->lapped) {
        mprotect(store_at(m, offset), bytes, PROT_READ | PROT_WRITE);
    }
}

static bool is_for_host(enum memory_kind kind)
{
    return kind == MEMORY_MANAGED || kind == MEMORY_PINNED;
}

/* Whether so many bytes can lie at `begin`, where others lay. */
static bool place_again(const struct memory *m, uint64_t begin, uint64_t span, uint64_t *offset)
{
    if (begin == 0 || m->lapped || begin < m->base || begin - m->base + span > m->cursor ||
        obstacle_end(m, begin - m->base, span) != 0) {
        return false;
    }
    *offset = begin - m->base;
    return true;
}

/* again: where it should lie, or 0. */
static struct allocation *alloc_locked(struct memory *m, uint64_t again, uint64_t lead,
                                       uint64_t bytes, enum memory_kind kind)
{
    const uint64_t span = span_bytes(m, lead + bytes);
    uint64_t offset;
    if (!fits(m, bytes, kind) ||
        !(place_again(m, again, span, &offset) || place(m, span, &offset)) ||
        !commit(m, offset + lead + bytes)) {
        return NULL;
    }
    open_pages(m, offset, lead + bytes);
    const bool one_pointer = is_for_host(kind);
    struct allocation *a = memory_new_record(m);
    a->begin = m->base + offset + lead + (one_pointer ? m->size : 0);
    a->lead = lead;
    a->bytes = bytes;
    a->delta = one_pointer ? 0 : (int64_t)m->size;
    a->kind = kind;
    m->used_bytes += on_card(kind) ? bytes : 0;
    m->used_host_bytes += bytes;
    return a;
}

/* Fresh memory holds what was there before, on a card: NaNs and -1 are noticed sooner than zeros.
 * Of a large one the ends: all of it would take its time, and the computer's memory. */
static void fill_with_junk(const struct allocation *a)
{
    uint8_t *host = (uint8_t *)(uintptr_t)(a->begin + (uint64_t)a->delta);
    const uint64_t part = a->bytes <= JUNK_MOST ? a->bytes : JUNK_MOST / 2;
    memset(host, 0xff, part);
    memset(host + a->bytes - part, 0xff, a->bytes > part ? part : 0);
}

static const struct allocation *alloc_behind(struct memory *m, uint64_t again, uint64_t lead,
                                             uint64_t bytes, enum memory_kind kind,
                                             const char *name, const void *made_at)
{
    const bool in_kernel = lead > 0;
    bytes = bytes > 0 ? bytes : 1;
    pthread_mutex_lock(&m->lock);
    struct allocation *a = NULL;
    if (!in_kernel || take_from_heap(m, bytes)) {
        a = alloc_locked(m, again, lead, bytes, kind);
        m->used_heap_bytes -= in_kernel && a == NULL ? heap_part(bytes) : 0;
    }
    if (a != NULL) {
        a->name = name;
        a->made_at = made_at;
        a->in_kernel = in_kernel;
        uint64_t offset = offset_of(m, a);
        for (uint64_t g = offset / GRANULE; g <= (offset + lead + bytes - 1) / GRANULE; g++) {
            __atomic_store_n(&m->table[g], a, __ATOMIC_RELEASE);
        }
        if (bytes >=
            HUGE_FROM) { /* fewer page faults; if it is not taken, that costs speed, nothing else */
            madvise(store_at(m, offset), bytes, MADV_HUGEPAGE);
        }
    }
    pthread_mutex_unlock(&m->lock);
    if (a != NULL && kind == MEMORY_DEVICE) {
        fill_with_junk(a);
    }
    if (a != NULL && (kind == MEMORY_DEVICE || kind == MEMORY_ARRAY)) {
        memory_changed(m, MEMORY_MADE, a->begin, a->bytes, 0);
    }
    return a;
}

/* The same name, which lives as long as the memory; there are few different ones. */
static const char *keep_name(struct memory *m, const char *text)
{
    pthread_mutex_lock(&m->lock);
    struct kept_name *known = m->names;
    while (known != NULL && strcmp(known->name, text) != 0) {
        known = known->next;
    }
    if (known == NULL) {
        known = arena_alloc(&m->arena, sizeof *known);
        known->name = arena_strndup(&m->arena, text, strlen(text));
        known->next = m->names;
        m->names = known;
    }
    pthread_mutex_unlock(&m->lock);
    return known->name;
}

const struct allocation *memory_alloc(struct memory *m, uint64_t bytes, enum memory_kind kind,
                                      const char *name, const void *made_at)
{
    const bool of_module = kind == MEMORY_SYMBOL || kind == MEMORY_CONSTANT; /* unloaded one day */
    return alloc_behind(m, 0, 0, bytes, kind, of_module ? keep_name(m, name) : name, made_at);
}

const struct allocation *memory_alloc_again(struct memory *m, uint64_t begin, uint64_t bytes,
                                            const char *name, const void *made_at)
{
    return alloc_behind(m, begin, 0, bytes, MEMORY_DEVICE, name, made_at);
}

const struct allocation *memory_alloc_in_kernel(struct memory *m, uint64_t bytes, const char *line)
{
    char name[192];
    snprintf(name, sizeof name, "malloc in a kernel%s", line);
    return alloc_behind(m, 0, 16, bytes, MEMORY_DEVICE, keep_name(m, name), NULL);
}

/* Gives the pages back, so that the next allocation at this place reads zeros again. What the host
 * could reach it must not reach any more, as on a GPU. */
static void release_pages(struct memory *m, const struct allocation *a)
{
    void *at = store_at(m, offset_of(m, a));
    madvise(at, a->lead + a->bytes, MADV_DONTNEED);
    if (a->bytes >= HUGE_FROM) { /* so that the mapping is one piece again */
        madvise(at, a->bytes, MADV_NOHUGEPAGE);
    }
    if (is_for_host(a->kind)) {
        mprotect(at, span_bytes(m, a->lead + a->bytes), PROT_NONE);
        m->closed_pages = true;
    }
}

bool memory_free(struct memory *m, uint64_t begin, const void *freed_at)
{
    pthread_mutex_lock(&m->lock);
    struct allocation *a = memory_find_live(m, begin);
    bool found = a != NULL && a->begin == begin;
    if (found) {
        a->freed_at = freed_at;
        __atomic_store_n(&a->freed, true, __ATOMIC_RELEASE);
        __atomic_fetch_add(&m->frees, 1, __ATOMIC_RELEASE); /* after it: who sees this sees that */
        if (!a->registered) {
            m->used_bytes -= on_card(a->kind) ? a->bytes : 0;
            m->used_host_bytes -= a->bytes;
            m->used_heap_bytes -= a->in_kernel ? heap_part(a->bytes) : 0;
            release_pages(m, a);
        }
    }
    pthread_mutex_unlock(&m->lock);
    return found;
}

void memory_rebind(struct memory *m, uint64_t begin, void *host)
{
    pthread_mutex_lock(&m->lock);
    struct allocation *a = memory_find_live(m, begin);
    assert(a != NULL && a->begin == begin);
    memcpy(host, (const void *)(uintptr_t)(begin + (uint64_t)a->delta), a->bytes);
    a->delta = (int64_t)((uint64_t)(uintptr_t)host - begin);
    pthread_mutex_unlock(&m->lock);
}

void memory_call(struct memory *m, uint64_t begin, const char *name)
{
    pthread_mutex_lock(&m->lock);
    struct allocation *a = memory_find_live(m, begin);
    assert(a != NULL && a->begin == begin);
    a->called = name;
    pthread_mutex_unlock(&m->lock);
}

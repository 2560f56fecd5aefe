/* memory_state.h - what the files of memory share: its state, and the lookups that all of them
 * make.
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
 * Protected by `lock`: cursor, lapped, records, used bytes. Read without it: table, registered,
 * frees. */
#ifndef SIMT_MEMORY_STATE_H
#define SIMT_MEMORY_STATE_H

#include "machine/memory.h"

#include "base/arena.h"
#include "base/hostile.h"

#include <pthread.h>

#define GRANULE    ((uint64_t)64 << 10)
#define HEAP_BYTES ((uint64_t)8 << 20) /* CUDA C++ Programming Guide, "Heap Memory Allocation" */

enum { RECORDS_PER_CHUNK = UNLESS_HOSTILE(256, 2) };

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

/* Variables of modules, and where kernels call malloc(). */
struct kept_name {
    const char *name;
    struct kept_name *next;
};

struct memory {
    uint64_t base, size;       /* the window; the store follows it */
    struct allocation **table; /* one entry per granule */
    struct registered_node *registered;
    uint64_t limit_bytes; /* what the card has */
    uint64_t host_bytes;  /* what this computer could give when the simulator was opened */
    struct kept_name *names;
    memory_stranger stranger; /* NULL: there is one device */
    memory_listener listener; /* NULL: nobody */
    void *listener_state;

    pthread_mutex_t lock;
    uint64_t cursor;          /* offset into the window where the next allocation is tried */
    uint64_t first;           /* before that offset former memory has lain; 0: there was none */
    uint64_t committed;       /* the store is accessible up to this offset */
    bool closed_pages;        /* some of the store, behind memory of the host that was freed */
    bool lapped;              /* the cursor has wrapped: what lies ahead may be live */
    uint64_t used_bytes;      /* counted against limit_bytes */
    uint64_t used_host_bytes; /* counted against host_bytes: pinned memory too */
    uint64_t heap_bytes, used_heap_bytes; /* of malloc() in kernels */
    bool heap_in_use, heap_was_full;      /* ever */
    uint64_t next_serial;
    uint64_t frees; /* see memory_frees() */
    struct record_chunk *records;
    struct arena arena;
};

static inline bool memory_is_live(const struct allocation *a)
{
    return a != NULL && !__atomic_load_n(&a->freed, __ATOMIC_ACQUIRE);
}

static inline bool memory_holds(const struct allocation *a, uint64_t address)
{
    return a != NULL && address - (a->begin - a->lead) < a->bytes + a->lead;
}

/* The allocation at the granule of `address`, live or not; NULL outside window and store. */
static inline struct allocation *memory_table_entry(const struct memory *m, uint64_t address)
{
    uint64_t offset = address - m->base;
    if (offset >= 2 * m->size) {
        return NULL;
    }
    uint64_t granule = (offset < m->size ? offset : offset - m->size) / GRANULE;
    return __atomic_load_n(&m->table[granule], __ATOMIC_ACQUIRE);
}

static inline struct allocation *memory_registered(const struct registered_node *node)
{
    return __atomic_load_n(&node->allocation, __ATOMIC_ACQUIRE);
}

/* ---- memory.c -------------------------------------------------------------------------------- */

/* One more, with a serial number of its own. The caller holds the lock. */
struct allocation *memory_new_record(struct memory *m);

/* ---- memory_find.c --------------------------------------------------------------------------- */

struct allocation *memory_find_live(const struct memory *m, uint64_t address);

/* ---- memory_host.c --------------------------------------------------------------------------- */

/* RAM and swap that are free now, less if a container or ulimit allows less. */
uint64_t memory_host_capacity(void);
/* The size of each half that is tried first: a quarter at most of the address space that
 * `ulimit -v` leaves. */
uint64_t memory_first_size(void);

#endif

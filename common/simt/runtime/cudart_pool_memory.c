/* cudart_pool_memory.c - see cudart_pool_memory.h. */
#include "runtime/cudart_pool_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/room.h"

#define RESERVED_STEP ((uint64_t)32 << 20) /* measured on an H200: 20,000 bytes reserve so much */

/* What lies, or lay, at an address that a pool has given. */
struct taken {
    uint64_t bytes;
    struct pool_memory *pool; /* NULL: it was freed */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct map given; /* from addresses to struct taken */
static bool never_again;

void pool_memory_never_again(void) { never_again = true; }

struct pool_memory *pool_memory_new(void)
{
    struct pool_memory *p = room_new(1, sizeof *p);
    p->owners = 1;
    return p;
}

static void release_locked(struct pool_memory *p)
{
    p->owners--;
    if (p->owners == 0) {
        free(p);
    }
}

void pool_memory_release(struct pool_memory *p)
{
    pthread_mutex_lock(&lock);
    release_locked(p);
    pthread_mutex_unlock(&lock);
}

static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* ---- taking ---------------------------------------------------------------------------------- */

/* Where as many bytes were freed in that stream; 0: nowhere. */
static uint64_t freed_place(struct pool_memory *p, uint64_t bytes, cudaStream_t stream)
{
    for (unsigned i = 1; i <= POOL_FREED; i++) { /* the latest first */
        const unsigned at = (p->freed_next - i) % POOL_FREED;
        if (p->freed[at].begin != 0 && p->freed[at].bytes == bytes &&
            p->freed[at].stream == stream) {
            const uint64_t begin = p->freed[at].begin;
            p->freed[at].begin = 0;
            return begin;
        }
    }
    return 0;
}

static void note_taken(struct pool_memory *p, uint64_t begin, uint64_t bytes)
{
    struct taken *t = map_pointer(&given, begin);
    if (t == NULL) {
        t = room_new(1, sizeof *t);
        map_put_pointer(&given, begin, t);
    }
    *t = (struct taken){bytes, p};
    p->owners++;
    struct pool_bytes *b = &p->bytes;
    b->used += bytes;
    b->used_high = most(b->used_high, b->used);
    b->reserved = most(b->reserved, align_up(b->used, RESERVED_STEP));
    b->reserved_high = most(b->reserved_high, b->reserved);
}

uint64_t pool_memory_place(struct pool_memory *p, uint64_t bytes, cudaStream_t stream)
{
    pthread_mutex_lock(&lock);
    const uint64_t begin = never_again ? 0 : freed_place(p, bytes, stream);
    pthread_mutex_unlock(&lock);
    return begin;
}

void pool_memory_taken(struct pool_memory *p, const void *pointer, uint64_t bytes)
{
    pthread_mutex_lock(&lock);
    note_taken(p, (uint64_t)(uintptr_t)pointer, bytes);
    pthread_mutex_unlock(&lock);
}

/* ---- giving back ----------------------------------------------------------------------------- */

void pool_memory_freed(const void *pointer, bool in_stream, cudaStream_t stream)
{
    const uint64_t begin = (uint64_t)(uintptr_t)pointer;
    pthread_mutex_lock(&lock);
    struct taken *t = map_pointer(&given, begin);
    if (t != NULL && t->pool != NULL) {
        struct pool_memory *p = t->pool;
        p->bytes.used -= t->bytes;
        if (in_stream) {
            const unsigned at = p->freed_next++ % POOL_FREED;
            p->freed[at].begin = begin;
            p->freed[at].bytes = t->bytes;
            p->freed[at].stream = stream;
        }
        t->pool = NULL;
        release_locked(p);
    }
    pthread_mutex_unlock(&lock);
}

/* What is unused and above `keep` goes back to the GPU. */
static void trim(struct pool_memory *p, uint64_t keep)
{
    const uint64_t left = align_up(most(p->bytes.used, keep), RESERVED_STEP);
    if (left < p->bytes.reserved) {
        p->bytes.reserved = left;
        memset(p->freed, 0, sizeof p->freed);
    }
}

void pool_memory_trim(struct pool_memory *p, uint64_t keep_bytes)
{
    pthread_mutex_lock(&lock);
    trim(p, keep_bytes);
    pthread_mutex_unlock(&lock);
}

void pool_memory_forget(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < given.room; i++) {
        struct taken *t = (struct taken *)(uintptr_t)given.slots[i].value;
        if (t != NULL && t->pool != NULL) {
            t->pool->bytes = (struct pool_bytes){0};
            memset(t->pool->freed, 0, sizeof t->pool->freed);
            release_locked(t->pool);
        }
        free(t);
    }
    map_clear(&given);
    pthread_mutex_unlock(&lock);
}

/* ---- numbers --------------------------------------------------------------------------------- */

struct pool_bytes pool_memory_bytes(struct pool_memory *p)
{
    pthread_mutex_lock(&lock);
    if (p->bytes.reserved > p->release_threshold) {
        trim(p, p->release_threshold);
    }
    const struct pool_bytes bytes = p->bytes;
    pthread_mutex_unlock(&lock);
    return bytes;
}

void pool_memory_reset_high(struct pool_memory *p, bool used)
{
    pthread_mutex_lock(&lock);
    if (used) {
        p->bytes.used_high = p->bytes.used;
    } else {
        p->bytes.reserved_high = p->bytes.reserved;
    }
    pthread_mutex_unlock(&lock);
}

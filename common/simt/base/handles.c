/* handles.c - see handles.h. */
#include "base/handles.h"
#include "base/hostile.h"

#include <string.h>

enum { CHUNK_OBJECTS = UNLESS_HOSTILE(256, 2), REST_BEFORE_REUSE = 4096 };

struct handle_chunk {
    struct handle_chunk *next;
    unsigned count; /* slots handed out so far */
    unsigned char *slots;
};

static struct handle *slot_at(const struct handle_pool *pool, const struct handle_chunk *chunk,
                              unsigned index)
{
    return (struct handle *)(void *)(chunk->slots + index * pool->object_bytes);
}

static struct handle *new_slot(struct handle_pool *pool)
{
    struct handle_chunk *chunk = pool->chunks;
    if (chunk == NULL || chunk->count == CHUNK_OBJECTS) {
        chunk = arena_alloc(&pool->arena, sizeof *chunk);
        chunk->slots = arena_alloc(&pool->arena, CHUNK_OBJECTS * pool->object_bytes);
        chunk->next = pool->chunks;
        pool->chunks = chunk;
    }
    return slot_at(pool, chunk, chunk->count++);
}

static struct handle *reuse_slot(struct handle_pool *pool)
{
    if (pool->free_count < REST_BEFORE_REUSE) {
        return NULL;
    }
    struct handle *slot = pool->oldest_free;
    pool->oldest_free = slot->next_free;
    pool->free_count--;
    return slot;
}

void *handle_create(struct handle_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    struct handle *slot = reuse_slot(pool);
    slot = slot != NULL ? slot : new_slot(pool);
    memset(slot, 0, pool->object_bytes);
    slot->live = true;
    pthread_mutex_unlock(&pool->lock);
    return slot;
}

/* Compares addresses only: nothing is read before it is known to be a slot. */
static bool is_live_locked(const struct handle_pool *pool, const void *handle)
{
    for (const struct handle_chunk *c = pool->chunks; c != NULL; c = c->next) {
        uint64_t offset = (uint64_t)(uintptr_t)handle - (uint64_t)(uintptr_t)c->slots;
        if (offset < c->count * pool->object_bytes) {
            return offset % pool->object_bytes == 0 && ((const struct handle *)handle)->live;
        }
    }
    return false;
}

bool handle_is_live(struct handle_pool *pool, const void *handle)
{
    pthread_mutex_lock(&pool->lock);
    bool live = is_live_locked(pool, handle);
    pthread_mutex_unlock(&pool->lock);
    return live;
}

static void retire(struct handle_pool *pool, struct handle *slot)
{
    slot->live = false;
    slot->next_free = NULL;
    if (pool->free_count == 0) {
        pool->oldest_free = slot;
    } else {
        pool->newest_free->next_free = slot;
    }
    pool->newest_free = slot;
    pool->free_count++;
}

bool handle_destroy(struct handle_pool *pool, void *handle)
{
    pthread_mutex_lock(&pool->lock);
    bool live = is_live_locked(pool, handle);
    if (live) {
        retire(pool, handle);
    }
    pthread_mutex_unlock(&pool->lock);
    return live;
}

void handle_destroy_all(struct handle_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    for (struct handle_chunk *c = pool->chunks; c != NULL; c = c->next) {
        for (unsigned i = 0; i < c->count; i++) {
            if (slot_at(pool, c, i)->live) {
                retire(pool, slot_at(pool, c, i));
            }
        }
    }
    pthread_mutex_unlock(&pool->lock);
}

void handle_visit(struct handle_pool *pool, void (*visit)(void *state, const struct handle *h),
                  void *state)
{
    pthread_mutex_lock(&pool->lock);
    for (const struct handle_chunk *last = NULL; last != pool->chunks;) {
        const struct handle_chunk *c = pool->chunks;
        while (c->next != last) { /* chunks are listed the newest first */
            c = c->next;
        }
        for (unsigned i = 0; i < c->count; i++) {
            const struct handle *h = slot_at(pool, c, i);
            if (h->live) {
                visit(state, h);
            }
        }
        last = c;
    }
    pthread_mutex_unlock(&pool->lock);
}

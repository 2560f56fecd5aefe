/* memory_find.c - which allocation an address belongs to, belonged to, or lies nearest to; and how
 * much there is. */
#include "machine/memory_state.h"

struct allocation *memory_find_live(const struct memory *m, uint64_t address)
{
    struct allocation *a = memory_table_entry(m, address);
    if (memory_holds(a, address) && memory_is_live(a)) {
        return a;
    }
    const struct registered_node *node = __atomic_load_n(&m->registered, __ATOMIC_ACQUIRE);
    for (; node != NULL; node = node->next) {
        a = memory_registered(node);
        if (memory_holds(a, address) && memory_is_live(a)) {
            return a;
        }
    }
    return NULL;
}

const struct allocation *memory_find(struct memory *m, uint64_t address)
{
    return memory_find_live(m, address);
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

const struct allocation *memory_find_freed(struct memory *m, uint64_t address)
{
    const struct allocation *a = memory_table_entry(m, address);
    if (memory_holds(a, address)) {
        return memory_is_live(a) ? NULL : a;
    }
    const struct allocation *latest = NULL;
    if (__atomic_load_n(&m->registered, __ATOMIC_ACQUIRE) == NULL) {
        return NULL; /* so nothing that was registered is freed: each copy's host side comes here */
    }
    pthread_mutex_lock(&m->lock);
    for (const struct record_chunk *chunk = m->records; chunk != NULL; chunk = chunk->next) {
        for (unsigned i = 0; i < chunk->count; i++) {
            a = &chunk->records[i];
            if (a->registered && a->freed && memory_holds(a, address) &&
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
    return memory_holds(a, address) ? 0 : address - (a->begin + a->bytes - 1);
}

const struct allocation *memory_nearest(struct memory *m, uint64_t address)
{
    const struct allocation *nearest = NULL;
    pthread_mutex_lock(&m->lock);
    for (const struct record_chunk *chunk = m->records; chunk != NULL; chunk = chunk->next) {
        for (unsigned i = 0; i < chunk->count; i++) {
            const struct allocation *a = &chunk->records[i];
            if (memory_is_live(a) && (nearest == NULL || memory_distance(a, address) <
                                                             memory_distance(nearest, address))) {
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

const uint64_t *memory_frees(const struct memory *m) { return &m->frees; }

void memory_usage(struct memory *m, uint64_t *used_bytes, uint64_t *limit_bytes)
{
    pthread_mutex_lock(&m->lock);
    *used_bytes = m->used_bytes;
    *limit_bytes = m->limit_bytes;
    pthread_mutex_unlock(&m->lock);
}

bool memory_set_heap(struct memory *m, uint64_t bytes)
{
    pthread_mutex_lock(&m->lock);
    bool may = !m->heap_in_use;
    m->heap_bytes = may ? bytes : m->heap_bytes;
    pthread_mutex_unlock(&m->lock);
    return may;
}

uint64_t memory_full_heap(struct memory *m)
{
    pthread_mutex_lock(&m->lock);
    uint64_t bytes = m->heap_was_full ? m->heap_bytes : 0;
    pthread_mutex_unlock(&m->lock);
    return bytes;
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

bool memory_is_former(struct memory *m, uint64_t address)
{
    return address - m->base < m->first && memory_find(m, address) == NULL;
}

bool memory_is_device_address(struct memory *m, uint64_t address)
{
    return address - m->base < m->size;
}

void memory_window(struct memory *m, uint64_t *begin, uint64_t *end)
{
    *begin = m->base;
    *end = m->base + m->size;
}

bool memory_is_mine(struct memory *m, uint64_t address) { return address - m->base < 2 * m->size; }

/* memory_registered.c - memory that lies elsewhere and that kernels may use: the program's own,
 * which it registers, and what is mapped. How it is listed, says memory_state.h. */
#include "machine/memory_state.h"

static void publish_registered(struct memory *m, struct allocation *a)
{
    struct registered_node *node = m->registered;
    while (node != NULL && memory_is_live(node->allocation)) {
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
        const struct allocation *a = memory_registered(node);
        if (memory_is_live(a) && begin < a->begin + a->bytes && a->begin < begin + bytes) {
            return true;
        }
    }
    return false;
}

const struct allocation *memory_map(struct memory *m, const struct allocation *what)
{
    if (what->bytes == 0 || what->begin + what->bytes < what->begin) {
        return NULL;
    }
    struct allocation *a = NULL;
    pthread_mutex_lock(&m->lock);
    if (!overlaps_known(m, what->begin, what->bytes)) {
        a = memory_new_record(m);
        const uint64_t serial = a->serial;
        *a = *what;
        a->serial = serial;
        a->registered = true;
        publish_registered(m, a);
    }
    pthread_mutex_unlock(&m->lock);
    return a;
}

const struct allocation *memory_register(struct memory *m, void *host, uint64_t bytes,
                                         enum memory_kind kind, const char *name,
                                         const void *made_at)
{
    return memory_map(m, &(struct allocation){.begin = (uint64_t)(uintptr_t)host,
                                              .bytes = bytes,
                                              .kind = kind,
                                              .name = name,
                                              .made_at = made_at});
}

static bool is_there(const struct allocation *a)
{
    return memory_on_host(a->begin, a->bytes) == a->bytes;
}

void memory_host_gone(struct memory *m, uint64_t begin, uint64_t bytes, const void *freed_at)
{
    const struct registered_node *node = __atomic_load_n(&m->registered, __ATOMIC_ACQUIRE);
    for (; node != NULL; node = node->next) {
        const struct allocation *a = memory_registered(node);
        if (memory_is_live(a) && begin < a->begin + a->bytes && a->begin < begin + bytes) {
            memory_free(m, a->begin, freed_at);
        }
    }
}

void memory_check_registered(struct memory *m)
{
    const struct registered_node *node = __atomic_load_n(&m->registered, __ATOMIC_ACQUIRE);
    for (; node != NULL; node = node->next) {
        const struct allocation *a = memory_registered(node);
        if (memory_is_live(a) && a->kind == MEMORY_PINNED && !is_there(a)) {
            memory_free(m, a->begin, NULL);
        }
    }
}

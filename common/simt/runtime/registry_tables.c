/* registry_tables.c - what is registered: images, kernels and variables by address, and the memory
 * that they lie in. See registry_state.h. */
#include "runtime/registry_state.h"

#include <pthread.h>
#include <string.h>

#include "base/arena.h"

/* Open addressing; a key is the address of a stub or a shadow. */
struct address_table {
    const void **keys;
    void **values;
    unsigned count, capacity;
};

static struct {
    pthread_mutex_t lock;
    struct arena arena;
    struct image *images;
    struct address_table kernels, variables;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

void registry_lock(void) { pthread_mutex_lock(&registry.lock); }

void registry_unlock(void) { pthread_mutex_unlock(&registry.lock); }

void *registry_keep(size_t bytes) { return arena_alloc(&registry.arena, bytes); }

char *registry_keep_text(const char *text, size_t length)
{
    return arena_strndup(&registry.arena, text, length);
}

/* ---- address tables -------------------------------------------------------------------------- */

static unsigned slot_of(const struct address_table *t, const void *key)
{
    uint64_t hash = (uint64_t)(uintptr_t)key * HASH_MULTIPLIER;
    unsigned slot = (unsigned)(hash >> 32) & (t->capacity - 1);
    while (t->keys[slot] != NULL && t->keys[slot] != key) {
        slot = (slot + 1) & (t->capacity - 1);
    }
    return slot;
}

static void *table_find(const struct address_table *t, const void *key)
{
    return t->capacity > 0 && key != NULL ? t->values[slot_of(t, key)] : NULL;
}

static void table_put(struct address_table *t, const void *key, void *value);

static void table_grow(struct address_table *t)
{
    struct address_table old = *t;
    t->capacity = old.capacity > 0 ? 2 * old.capacity : 64;
    t->count = 0;
    t->keys = arena_alloc(&registry.arena, t->capacity * sizeof *t->keys);
    t->values = arena_alloc(&registry.arena, t->capacity * sizeof *t->values);
    for (unsigned i = 0; i < old.capacity; i++) {
        if (old.keys[i] != NULL) {
            table_put(t, old.keys[i], old.values[i]);
        }
    }
}

static void table_put(struct address_table *t, const void *key, void *value)
{
    if (2 * t->count >= t->capacity) {
        table_grow(t);
    }
    unsigned slot = slot_of(t, key);
    t->count += t->keys[slot] == NULL;
    t->keys[slot] = key;
    t->values[slot] = value;
}

/* ---- what is known --------------------------------------------------------------------------- */

void registry_add_image(struct image *image)
{
    image->next = registry.images;
    registry.images = image;
}

void registry_add_kernel(const void *key, struct CUkern_st *k)
{
    table_put(&registry.kernels, key, k);
}

void registry_add_variable(const void *shadow, struct device_variable *v)
{
    table_put(&registry.variables, shadow, v);
}

void registry_remember(struct CUkern_st *k)
{
    registry_lock();
    table_put(&registry.kernels, k, k);
    registry_unlock();
}

struct CUkern_st *registry_kernel_at(const void *stub)
{
    return table_find(&registry.kernels, stub);
}

struct device_variable *registry_variable(const void *shadow)
{
    return table_find(&registry.variables, shadow);
}

void registry_visit_images(void (*visit)(struct image *image))
{
    for (struct image *image = registry.images; image != NULL; image = image->next) {
        visit(image);
    }
}

void registry_visit_kernels(void (*visit)(struct CUkern_st *k))
{
    for (unsigned i = 0; i < registry.kernels.capacity; i++) {
        if (registry.kernels.values[i] != NULL) {
            visit(registry.kernels.values[i]);
        }
    }
}

/* registry_tables.c - what is registered: images, kernels and variables by address, and the memory
 * that they lie in. See registry_state.h. */
#include "runtime/registry_state.h"

#include <pthread.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"

static struct {
    pthread_mutex_t lock;
    struct arena arena;
    struct image *images;
    struct map kernels, variables; /* by the address of a stub or a shadow */
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

void registry_lock(void) { pthread_mutex_lock(&registry.lock); }

void registry_unlock(void) { pthread_mutex_unlock(&registry.lock); }

void *registry_keep(size_t bytes) { return arena_alloc(&registry.arena, bytes); }

char *registry_keep_text(const char *text, size_t length)
{
    return arena_strndup(&registry.arena, text, length);
}

static void put(struct map *m, const void *key, const void *value)
{
    map_put_pointer(m, (uintptr_t)key, value);
}

/* ---- what is known --------------------------------------------------------------------------- */

void registry_add_image(struct image *image)
{
    image->next = registry.images;
    registry.images = image;
}

void registry_add_kernel(const void *key, struct CUkern_st *k) { put(&registry.kernels, key, k); }

void registry_add_variable(const void *shadow, struct device_variable *v)
{
    put(&registry.variables, shadow, v);
}

void registry_remember(struct CUkern_st *k)
{
    registry_lock();
    put(&registry.kernels, k, k);
    registry_unlock();
}

struct CUkern_st *registry_kernel_at(const void *stub)
{
    return map_pointer(&registry.kernels, (uintptr_t)stub);
}

struct device_variable *registry_variable(const void *shadow)
{
    return map_pointer(&registry.variables, (uintptr_t)shadow);
}

void registry_visit_images(void (*visit)(struct image *image))
{
    for (struct image *image = registry.images; image != NULL; image = image->next) {
        visit(image);
    }
}

void registry_visit_kernels(void (*visit)(struct CUkern_st *k))
{
    for (size_t i = 0; i < registry.kernels.room; i++) {
        if (registry.kernels.slots[i].value != 0) {
            visit((struct CUkern_st *)(uintptr_t)registry.kernels.slots[i].value);
        }
    }
}

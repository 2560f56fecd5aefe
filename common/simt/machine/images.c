#include "machine/images.h"
#include "base/room.h"

#include <pthread.h>
#include <stdlib.h>

/* Handles index pages of pointers, which stay where they are; so a lookup needs no lock. */
enum { PAGE = 1024, PAGES = 1024 };
typedef _Atomic(struct image *) slot;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(slot *) pages[PAGES];
static uint64_t next_handle = 1;

static slot *slot_of(uint64_t handle)
{
    slot *page = handle < (uint64_t)PAGES * PAGE ? atomic_load(&pages[handle / PAGE]) : NULL;
    return page != NULL ? &page[handle % PAGE] : NULL;
}

static slot *next_slot(void)
{
    if (next_handle >= (uint64_t)PAGES * PAGE) {
        return NULL;
    }
    if (slot_of(next_handle) == NULL) {
        atomic_store(&pages[next_handle / PAGE], (slot *)room_new(PAGE, sizeof(slot)));
    }
    return slot_of(next_handle);
}

uint64_t images_add(const struct image *image)
{
    struct image *made = room_copy(image, 1, sizeof *image);
    uint64_t handle = 0;
    pthread_mutex_lock(&lock);
    slot *s = next_slot();
    if (s != NULL) {
        atomic_store(s, made);
        handle = next_handle++;
    } else {
        free(made);
    }
    pthread_mutex_unlock(&lock);
    return handle;
}

bool images_remove(uint64_t handle)
{
    pthread_mutex_lock(&lock);
    slot *s = slot_of(handle);
    struct image *gone = s != NULL ? atomic_exchange(s, NULL) : NULL;
    pthread_mutex_unlock(&lock);
    free(gone);
    return gone != NULL;
}

void images_remove_all(void)
{
    for (uint64_t handle = 1; handle < next_handle; handle++) {
        images_remove(handle);
    }
}

struct image *images_find(uint64_t handle)
{
    slot *s = slot_of(handle);
    return s != NULL ? atomic_load(s) : NULL;
}

bool image_is_alive(struct memory *m, struct image *image)
{
    const uint64_t frees = __atomic_load_n(memory_frees(m), __ATOMIC_ACQUIRE);
    if (atomic_load(&image->frees_seen) == frees) {
        return true;
    }
    const struct allocation *a = memory_find(m, image->begin);
    const bool alive = a != NULL && a->serial == image->allocation;
    if (alive) {
        atomic_store(&image->frees_seen, frees);
    }
    return alive;
}

/* map.h - a map from numbers (pages, addresses, keys) to numbers or pointers that are not 0.
 *
 * Open addressing in a power of two of slots, at most half of them full. Nothing is ever taken out
 * but everything. All zero is an empty map. */
#ifndef SIMT_MAP_H
#define SIMT_MAP_H

#include "base/base.h"

struct map_slot {
    uint64_t key;
    uint64_t value; /* 0: empty */
};

struct map {
    struct map_slot *slots;
    size_t room, count;
};

/* Here, as map_find(), for speed. The slot of that key, or the empty one where it belongs. */
static inline struct map_slot *map_slot(const struct map *m, uint64_t key)
{
    size_t at = (size_t)(key * HASH_MULTIPLIER >> 24) & (m->room - 1);
    while (m->slots[at].value != 0 && m->slots[at].key != key) {
        at = (at + 1) & (m->room - 1);
    }
    return &m->slots[at];
}

/* 0: there is none. */
static inline uint64_t map_find(const struct map *m, uint64_t key)
{
    return m->room > 0 ? map_slot(m, key)->value : 0;
}

static inline void *map_pointer(const struct map *m, uint64_t key)
{
    return (void *)(uintptr_t)map_find(m, key);
}

/* Adds a key, or changes its value, which is not 0. */
void map_put(struct map *m, uint64_t key, uint64_t value);
static inline void map_put_pointer(struct map *m, uint64_t key, const void *value)
{
    map_put(m, key, (uintptr_t)value);
}
/* Empty again; its room stays. */
void map_clear(struct map *m);
void map_free(struct map *m);

#endif

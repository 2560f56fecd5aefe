/* names.c - open addressing, doubled when half full. See names.h. */
#include "base/names.h"
#include "base/hostile.h"

#include <string.h>

enum { FIRST_CAPACITY = UNLESS_HOSTILE(64, 2) };

static unsigned slot_of(const struct names *n, const char *key)
{
    const uint64_t hash = names_hash(key, strlen(key));
    unsigned slot = (unsigned)(hash ^ hash >> 32) & (n->capacity - 1);
    while (n->keys[slot] != NULL && strcmp(n->keys[slot], key) != 0) {
        slot = (slot + 1) & (n->capacity - 1);
    }
    return slot;
}

static void grow(struct names *n)
{
    struct names old = *n;
    n->capacity = old.capacity == 0 ? FIRST_CAPACITY : old.capacity * 2;
    n->keys = arena_alloc(n->arena, n->capacity * sizeof *n->keys);
    n->values = arena_alloc(n->arena, n->capacity * sizeof *n->values);
    n->count = 0;
    for (unsigned i = 0; i < old.capacity; i++) {
        if (old.keys[i] != NULL) {
            names_add(n, old.keys[i], old.values[i]);
        }
    }
}

void names_add(struct names *n, const char *key, unsigned value)
{
    if (n->count * 2 >= n->capacity) {
        grow(n);
    }
    unsigned slot = slot_of(n, key);
    n->count += n->keys[slot] == NULL;
    n->keys[slot] = key;
    n->values[slot] = value;
}

bool names_find(const struct names *n, const char *key, unsigned *value)
{
    if (n->count == 0) {
        return false;
    }
    unsigned slot = slot_of(n, key);
    if (n->keys[slot] == NULL) {
        return false;
    }
    *value = n->values[slot];
    return true;
}

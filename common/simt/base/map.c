/* map.c - see map.h. */
#include "base/map.h"
#include "base/hostile.h"
#include "base/room.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = UNLESS_HOSTILE(64, 2) };

static void grow(struct map *m)
{
    const struct map old = *m;
    m->room = old.room > 0 ? 2 * old.room : FIRST_SLOTS;
    m->slots = room_new(m->room, sizeof *m->slots);
    for (size_t i = 0; i < old.room; i++) {
        if (old.slots[i].value != 0) {
            *map_slot(m, old.slots[i].key) = old.slots[i];
        }
    }
    free(old.slots);
}

void map_put(struct map *m, uint64_t key, uint64_t value)
{
    assert(value != 0);
    if (2 * m->count >= m->room) {
        grow(m);
    }
    struct map_slot *slot = map_slot(m, key);
    m->count += slot->value == 0;
    *slot = (struct map_slot){key, value};
}

void map_clear(struct map *m)
{
    if (m->count > 0) {
        memset(m->slots, 0, m->room * sizeof *m->slots);
    }
    m->count = 0;
}

void map_free(struct map *m)
{
    free(m->slots);
    *m = (struct map){0};
}

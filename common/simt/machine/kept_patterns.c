/* kept_patterns.c - see kept_patterns.h. */
#include "machine/kept_patterns.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

void kept_patterns_begin(struct kept_patterns *k, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        k[i].rest = KEPT_FIRST_REST;
        k[i].worth = KEPT_WORTH;
        k[i].next = 0;
        memset(k[i].after, 0, sizeof k[i].after);
        memset(k[i].keys, 0, sizeof k[i].keys);
        memset(k[i].versions, 0, sizeof k[i].versions);
        for (unsigned slot = 0; k[i].of != NULL && slot < PATTERN_SLOTS; slot++) {
            k[i].of[slot].mask = 0;
        }
    }
}

void kept_patterns_room(struct kept_patterns *k)
{
    if (k->of == NULL) {
        k->of = room_aligned(PATTERN_SLOTS, sizeof *k->of);
    }
}

void kept_patterns_free(struct kept_patterns *k, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        free(k[i].of);
    }
    free(k);
}

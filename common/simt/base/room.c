/* room.c - see room.h. */
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

void *room_cleared(void *items, unsigned *room, unsigned count, size_t size)
{
    if (count > *room) {
        free(items);
        items = malloc(count * size);
        *room = items != NULL ? count : 0;
    }
    if (*room >= count && items != NULL) {
        memset(items, 0, count * size);
    }
    return items;
}

void *room_extended(void *items, unsigned *room, unsigned count, size_t size)
{
    if (count <= *room) {
        return items;
    }
    char *grown = aligned_alloc(64, count * size);
    if (grown == NULL) {
        return NULL;
    }
    memset(grown, 0, count * size);
    if (*room > 0) {
        memcpy(grown, items, *room * size);
    }
    free(items);
    *room = count;
    return grown;
}

/* room.h - arrays that grow with the largest launch so far, and belong to nobody's arena. */
#ifndef SIMT_ROOM_H
#define SIMT_ROOM_H

#include <stddef.h>

/* Both: an array with room for *room elements of `size` bytes becomes one for at least `count`.
 * They return where it is now and set *room; NULL: out of memory. */

/* All elements that are asked for are 0. Without memory the old array is gone, and *room is 0. */
void *room_cleared(void *items, unsigned *room, unsigned count, size_t size);

/* Old elements stay as they are, new ones are 0; the array begins a cache line (size: a multiple of
 * 64). Without memory nothing has changed. */
void *room_extended(void *items, unsigned *room, unsigned count, size_t size);

#endif

/* room.h - the simulator's own memory, except for arenas: no request returns NULL.
 *
 * One policy for all of it: where the host has no memory left, the program ends with one line and
 * exit code 2, so callers need not look for NULL. What a simulated program asks for
 * (cudaMalloc, malloc in a kernel) is machine/memory.h's, and may fail as on a card. free() gives
 * everything back. */
#ifndef SIMT_ROOM_H
#define SIMT_ROOM_H

#include <stddef.h>
#include <stdio.h>

/* "simt: out of memory: cannot get N bytes", exit code 2. */
_Noreturn void room_is_gone(size_t bytes);

void *room_new(size_t count, size_t size); /* all 0 */
void *room_raw(size_t count, size_t size); /* of any content */
void *room_copy(const void *from, size_t count, size_t size);
char *room_text(const char *text);
void *room_aligned(size_t count,
                   size_t size); /* all 0; begins a cache line; size: in whole lines */
/* An array of so many elements, with what it held; what is new may hold anything. */
void *room_resized(void *old, size_t count, size_t size);

/* A stream into memory: *text and *length are set when it ends, and free(*text) gives it back. */
FILE *room_stream(char **text, size_t *length);
void room_stream_end(FILE *stream);

/* Room for one more element of an array that holds `count` and has room for `room`, which
 * doubles; at first it is `first`. */
#define ROOM_FOR_ONE(array, count, room, first)                                                    \
    do {                                                                                           \
        if ((count) >= (room)) {                                                                   \
            (room) = (room) > 0 ? 2 * (room) : (first);                                            \
            (array) = room_resized((array), (room), sizeof *(array));                              \
        }                                                                                          \
    } while (0)

/* Arrays that grow with the largest launch so far: one with room for *room elements becomes one for
 * at least `count`. Both return where it is now and set *room. */

/* All elements that are asked for are 0. */
void *room_cleared(void *items, unsigned *room, unsigned count, size_t size);
/* Old elements stay as they are, new ones are 0; the array begins a cache line. */
void *room_extended(void *items, unsigned *room, unsigned count, size_t size);

#endif

/* room.c - see room.h. */
#include "base/room.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void room_is_gone(size_t bytes)
{
    fflush(stdout);
    fprintf(stderr, "simt: out of memory: cannot get %zu bytes\n", bytes);
    _exit(2); /* what is called at a normal end would ask for memory, too */
}

/* At least one byte, so that a result is never NULL. */
static size_t bytes_of(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        room_is_gone(SIZE_MAX);
    }
    return bytes > 0 ? bytes : 1;
}

static void *there(void *p, size_t bytes)
{
    if (p == NULL) {
        room_is_gone(bytes);
    }
    return p;
}

void *room_new(size_t count, size_t size)
{
    const size_t bytes = bytes_of(count, size);
    return there(calloc(1, bytes), bytes);
}

void *room_raw(size_t count, size_t size)
{
    const size_t bytes = bytes_of(count, size);
    return there(malloc(bytes), bytes);
}

void *room_copy(const void *from, size_t count, size_t size)
{
    return memcpy(room_raw(count, size), from, count * size);
}

char *room_text(const char *text) { return room_copy(text, strlen(text) + 1, 1); }

void *room_aligned(size_t count, size_t size)
{
    enum { LINE = 64 };
    const size_t bytes = (bytes_of(count, size) + LINE - 1) / LINE * LINE;
    return memset(there(aligned_alloc(LINE, bytes), bytes), 0, bytes);
}

void *room_resized(void *old, size_t count, size_t size)
{
    const size_t bytes = bytes_of(count, size);
    return there(realloc(old, bytes), bytes);
}

FILE *room_stream(char **text, size_t *length)
{
    FILE *stream = open_memstream(text, length);
    if (stream == NULL) {
        room_is_gone(1);
    }
    return stream;
}

void room_stream_end(FILE *stream)
{
    const bool lost = ferror(stream) != 0;
    if (fclose(stream) != 0 || lost) {
        room_is_gone(1);
    }
}

void *room_cleared(void *items, unsigned *room, unsigned count, size_t size)
{
    if (count > *room) {
        free(items);
        *room = count;
        return room_new(count, size);
    }
    if (count > 0) {
        memset(items, 0, count * size);
    }
    return items;
}

void *room_extended(void *items, unsigned *room, unsigned count, size_t size)
{
    if (count <= *room) {
        return items;
    }
    void *grown = room_aligned(count, size);
    if (*room > 0) {
        memcpy(grown, items, *room * size);
    }
    free(items);
    *room = count;
    return grown;
}

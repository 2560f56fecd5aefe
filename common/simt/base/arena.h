/* arena.h - memory that is given back all at once: a module's text, tokens and code live and die
 * together, so nothing in them is freed by hand.
 *
 * Memory is zeroed and aligned to 64 bytes (a cache line). Without memory the
 * program ends: room.h. */
#ifndef SIMT_ARENA_H
#define SIMT_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena {
    struct arena_chunk *chunks;
    unsigned char *next;
    size_t left_bytes;
};

void *arena_alloc(struct arena *a, size_t bytes);
char *arena_strndup(struct arena *a, const char *text, size_t length);
/* Grows an array to hold at least count + 1 elements; the old array stays in the arena. */
void *arena_grow(struct arena *a, void *array, unsigned count, unsigned *capacity, size_t size);
/* Empty again; its first chunk stays for what is allocated next, unless it is a large one. */
void arena_clear(struct arena *a);
void arena_free(struct arena *a);

#endif

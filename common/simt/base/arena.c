#include "base/arena.h"
#include "base/hostile.h"
#include "base/room.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The first chunk is small, since many arenas are: pages that are not used are not touched. */
enum {
    ALIGNMENT = 64,
    FIRST_CHUNK_BYTES = UNLESS_HOSTILE(16 * 1024, ALIGNMENT),
    CHUNK_BYTES = UNLESS_HOSTILE(64 * 1024, ALIGNMENT),
    FIRST_CAPACITY = UNLESS_HOSTILE(8, 1)
};

struct arena_chunk {
    struct arena_chunk *next;
    size_t payload; /* bytes */
    unsigned char padding[ALIGNMENT - sizeof(struct arena_chunk *) - sizeof(size_t)];
    unsigned char bytes[];
};

static struct arena_chunk *new_chunk(struct arena *a, size_t payload)
{
    struct arena_chunk *chunk = NULL;
    if (payload > SIZE_MAX / 2 ||
        posix_memalign((void **)&chunk, ALIGNMENT, sizeof *chunk + payload) != 0) {
        room_is_gone(payload);
    }
    chunk->next = a->chunks;
    chunk->payload = payload;
    a->chunks = chunk;
    return chunk;
}

/* What is long gets a chunk of its own: the rest of the last one is still there for others. */
static void *place(struct arena *a, size_t rounded)
{
    if (rounded > a->left_bytes) {
        const size_t usual = a->chunks == NULL ? FIRST_CHUNK_BYTES : CHUNK_BYTES;
        if (rounded > usual / 4) {
            return new_chunk(a, rounded)->bytes;
        }
        a->next = new_chunk(a, usual)->bytes;
        a->left_bytes = usual;
    }
    void *result = a->next;
    a->next += rounded;
    a->left_bytes -= rounded;
    return result;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (rounded < bytes) {
        rounded = SIZE_MAX; /* overflow: new_chunk rejects it */
    }
    return memset(place(a, rounded), 0, bytes);
}

char *arena_strndup(struct arena *a, const char *text, size_t length)
{
    char *copy = arena_alloc(a, length + 1);
    memcpy(copy, text, length);
    return copy;
}

void *arena_grow(struct arena *a, void *array, unsigned count, unsigned *capacity, size_t size)
{
    if (count < *capacity) {
        return array;
    }
    unsigned grown = *capacity == 0 ? FIRST_CAPACITY : *capacity * 2;
    void *copy = arena_alloc(a, grown * size);
    if (count > 0) {
        memcpy(copy, array, count * size);
    }
    *capacity = grown;
    return copy;
}

void arena_clear(struct arena *a)
{
    struct arena_chunk *first = a->chunks;
    while (first != NULL && first->next != NULL) {
        a->chunks = first->next;
        free(first);
        first = a->chunks;
    }
    if (first == NULL || first->payload > CHUNK_BYTES) {
        arena_free(a);
        return;
    }
    *a = (struct arena){.chunks = first, .next = first->bytes, .left_bytes = first->payload};
}

void arena_free(struct arena *a)
{
    while (a->chunks != NULL) {
        struct arena_chunk *next = a->chunks->next;
        free(a->chunks);
        a->chunks = next;
    }
    *a = (struct arena){0};
}

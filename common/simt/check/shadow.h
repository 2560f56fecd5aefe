/* shadow.h - what the checkers remember of memory: for each word which threads wrote and read it
 * last, for each byte whether it has been given a value.
 *
 * Layer check. A cell stands for four bytes; where a kernel uses single bytes or pairs, for one.
 * Chunks of 4 KiB come into being when they are touched. Not thread-safe: each
 * worker has one for its blocks' own memory, and global memory's is used in turn (turn.h). */
#ifndef SIMT_SHADOW_H
#define SIMT_SHADOW_H

#include "base/map.h"

enum { SHADOW_CHUNK = 4096, SHADOW_WORD = 4 };

/* References to accesses (race.c), 0 for none: the last plain store, and two others that matter. Of
 * neighbouring cells each of the three lies side by side. */
struct cell {
    uint32_t *write, *other[2];
};

enum shadow_valid { VALID_UNKNOWN, VALID_NONE, VALID_ALL, VALID_SOME };

struct chunk {
    uint64_t key;    /* address / SHADOW_CHUNK */
    uint32_t *cells; /* of all cells `write`, then of all other[0], then of all other[1] */
    uint64_t *valid; /* VALID_SOME: one bit per byte */
    bool bytes;      /* a cell per byte */
    uint8_t state;   /* enum shadow_valid */
};

enum { SHADOW_LATEST = 64 };

struct shadow {
    struct map chunks;                   /* by address / SHADOW_CHUNK */
    struct chunk *latest[SHADOW_LATEST]; /* by the lowest bits of that; NULL: none */
};

struct shadow *shadow_open(void);
void shadow_close(struct shadow *s);
void shadow_forget_cells(struct shadow *s); /* the threads that wrote and read */

/* A chunk that is not among those that were used last. */
struct chunk *shadow_find_chunk(struct shadow *s, uint64_t key);

static inline struct chunk *shadow_chunk(struct shadow *s, uint64_t address)
{
    const uint64_t key = address / SHADOW_CHUNK;
    struct chunk *c = s->latest[key % SHADOW_LATEST];
    return c != NULL && c->key == key ? c : shadow_find_chunk(s, key);
}

void shadow_make_cells(struct chunk *c, unsigned bytes);

/* The cells of an aligned access of 1 to 16 bytes in its chunk, and how many they are. */
static inline struct cell shadow_cells(struct chunk *c, uint64_t address, unsigned bytes,
                                       unsigned *count)
{
    const unsigned offset = (unsigned)(address % SHADOW_CHUNK);
    if (c->cells == NULL || (!c->bytes && bytes < SHADOW_WORD)) {
        shadow_make_cells(c, bytes);
    }
    *count = c->bytes ? bytes : bytes / SHADOW_WORD;
    const unsigned all = c->bytes ? SHADOW_CHUNK : SHADOW_CHUNK / SHADOW_WORD;
    uint32_t *first = c->cells + (c->bytes ? offset : offset / SHADOW_WORD);
    return (struct cell){first, {first + all, first + 2 * (size_t)all}};
}

/* Marks bytes as having, or not having, a value. */
void shadow_set_valid(struct shadow *s, uint64_t address, uint64_t bytes, bool valid);
/* The bytes at `to` have a value where those at `from` have. */
void shadow_copy_valid(struct shadow *s, uint64_t to, uint64_t from, uint64_t bytes);
/* One bit per byte of an aligned access of at most 16 bytes: 1 where it has a value. */
uint32_t shadow_valid_bits(const struct chunk *c, uint64_t address, unsigned bytes);
/* Have all bytes of [low, high), which lie in this chunk, a value? */
bool shadow_is_valid(const struct chunk *c, uint64_t low, uint64_t high);
void shadow_set_valid_bits(struct chunk *c, uint64_t address, unsigned bytes, uint32_t bits);

#endif

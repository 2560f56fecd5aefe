/* shadow.c - see shadow.h. A hash table of chunks; those used last are found without it, as an
 * access of a warp seldom leaves them. */
#include "check/shadow.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORDS = SHADOW_CHUNK / SHADOW_WORD,
    BITMAP = SHADOW_CHUNK / 64,
    PARTS = 3 /* of a cell */
};

struct shadow *shadow_open(void) { return room_new(1, sizeof(struct shadow)); }

static struct chunk *chunk_in(const struct shadow *s, size_t slot)
{
    return (struct chunk *)(uintptr_t)s->chunks.slots[slot].value;
}

static void forget(struct shadow *s)
{
    for (size_t i = 0; i < s->chunks.room; i++) {
        struct chunk *c = chunk_in(s, i);
        if (c != NULL) {
            free(c->cells);
            free(c->valid);
            free(c);
        }
    }
    map_clear(&s->chunks);
    memset(s->latest, 0, sizeof s->latest);
}

void shadow_close(struct shadow *s)
{
    if (s != NULL) {
        forget(s);
        map_free(&s->chunks);
        free(s);
    }
}

void shadow_forget_cells(struct shadow *s)
{
    for (size_t i = 0; i < s->chunks.room; i++) {
        struct chunk *c = chunk_in(s, i);
        if (c != NULL) {
            free(c->cells);
            c->cells = NULL;
        }
    }
}

struct chunk *shadow_find_chunk(struct shadow *s, uint64_t key)
{
    struct chunk *c = map_pointer(&s->chunks, key);
    if (c == NULL) {
        c = room_new(1, sizeof *c);
        c->key = key;
        map_put_pointer(&s->chunks, key, c);
    }
    return s->latest[key % SHADOW_LATEST] = c;
}

/* Each byte of a word inherits what is known of the word. */
static void split_into_bytes(struct chunk *c)
{
    uint32_t *cells = room_new(PARTS * SHADOW_CHUNK, sizeof *cells);
    for (unsigned i = 0; c->cells != NULL && i < PARTS * SHADOW_CHUNK; i++) {
        cells[i] = c->cells[i / SHADOW_WORD];
    }
    free(c->cells);
    c->cells = cells;
    c->bytes = true;
}

void shadow_make_cells(struct chunk *c, unsigned bytes)
{
    if (bytes < SHADOW_WORD && !c->bytes) {
        split_into_bytes(c);
    }
    if (c->cells == NULL) {
        c->cells = room_new(PARTS * (c->bytes ? SHADOW_CHUNK : WORDS), sizeof *c->cells);
    }
}

/* ---- which bytes have a value ---------------------------------------------------------------- */

static void make_bitmap(struct chunk *c)
{
    if (c->state != VALID_SOME) {
        c->valid = c->valid != NULL ? c->valid : room_raw(BITMAP, sizeof *c->valid);
        memset(c->valid, c->state == VALID_NONE ? 0 : 0xff, BITMAP * sizeof *c->valid);
        c->state = VALID_SOME;
    }
}

void shadow_set_valid_bits(struct chunk *c, uint64_t address, unsigned bytes, uint32_t bits)
{
    unsigned offset = (unsigned)(address % SHADOW_CHUNK);
    uint64_t all = (UINT64_C(1) << bytes) - 1;
    if ((c->state == VALID_ALL && bits == all) || (c->state == VALID_NONE && bits == 0)) {
        return;
    }
    make_bitmap(c);
    uint64_t *word = &c->valid[offset / 64]; /* aligned: it does not leave the word */
    *word = (*word & ~(all << offset % 64)) | (uint64_t)bits << offset % 64;
}

uint32_t shadow_valid_bits(const struct chunk *c, uint64_t address, unsigned bytes)
{
    unsigned offset = (unsigned)(address % SHADOW_CHUNK);
    uint32_t all = (1u << bytes) - 1;
    return c->state == VALID_SOME   ? (uint32_t)(c->valid[offset / 64] >> offset % 64) & all
           : c->state == VALID_NONE ? 0
                                    : all;
}

static void set_bits(uint64_t *words, unsigned first, unsigned count, bool valid)
{
    for (unsigned end = first + count; first < end;) {
        unsigned part = 64 - first % 64 < end - first ? 64 - first % 64 : end - first;
        uint64_t mask = ~UINT64_C(0) >> (64 - part) << first % 64;
        words[first / 64] = valid ? words[first / 64] | mask : words[first / 64] & ~mask;
        first += part;
    }
}

bool shadow_is_valid(const struct chunk *c, uint64_t low, uint64_t high)
{
    const unsigned first = (unsigned)(low % SHADOW_CHUNK);
    const unsigned last = first + (unsigned)(high - low) - 1;
    const uint64_t head = ~UINT64_C(0) << first % 64, tail = ~UINT64_C(0) >> (63 - last % 64);
    if (c->state != VALID_SOME) {
        return c->state != VALID_NONE;
    }
    if (first / 64 == last / 64) {
        return (~c->valid[first / 64] & head & tail) == 0;
    }
    uint64_t missing = (~c->valid[first / 64] & head) | (~c->valid[last / 64] & tail);
    for (unsigned i = first / 64 + 1; i < last / 64; i++) {
        missing |= ~c->valid[i];
    }
    return missing == 0;
}

void shadow_set_valid(struct shadow *s, uint64_t address, uint64_t bytes, bool valid)
{
    while (bytes > 0) {
        struct chunk *c = shadow_chunk(s, address);
        uint64_t offset = address % SHADOW_CHUNK;
        uint64_t part = SHADOW_CHUNK - offset < bytes ? SHADOW_CHUNK - offset : bytes;
        if (part == SHADOW_CHUNK) {
            c->state = valid ? VALID_ALL : VALID_NONE;
        } else {
            make_bitmap(c);
            set_bits(c->valid, (unsigned)offset, (unsigned)part, valid);
        }
        address += part;
        bytes -= part;
    }
}

void shadow_copy_valid(struct shadow *s, uint64_t to, uint64_t from, uint64_t bytes)
{
    while (bytes > 0) {
        const struct chunk *c = shadow_chunk(s, from);
        uint64_t part = SHADOW_CHUNK - from % SHADOW_CHUNK;
        part = part < bytes ? part : bytes;
        if (c->state != VALID_SOME) {
            shadow_set_valid(s, to, part, c->state != VALID_NONE);
        }
        for (uint64_t i = 0; c->state == VALID_SOME && i < part; i++) {
            shadow_set_valid_bits(shadow_chunk(s, to + i), to + i, 1,
                                  shadow_valid_bits(c, from + i, 1));
        }
        to += part;
        from += part;
        bytes -= part;
    }
}

/* names.h - a map from names to numbers, and the hash of a text. */
#ifndef SIMT_NAMES_H
#define SIMT_NAMES_H

#include "base/arena.h"
#include "base/base.h"

struct names {
    struct arena *arena;
    const char **keys;
    unsigned *values;
    unsigned capacity, count;
};

/* A name that is added twice keeps its last value. Keys are not copied. */
void names_add(struct names *n, const char *key, unsigned value);
bool names_find(const struct names *n, const char *key, unsigned *value);

/* FNV-1a (Fowler, Noll, Vo), 64 bits. */
static inline uint64_t names_hash(const char *text, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    }
    return hash;
}

#endif

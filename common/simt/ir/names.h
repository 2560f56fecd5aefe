/* names.h - a map from names to numbers, for one function or one module. */
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

#endif

/* ranges.h - a set of numbers as ranges: those of launches, of which mostly many follow each other.
 * Empty when zeroed; ranges_free() empties it. */
#ifndef SIMT_RANGES_H
#define SIMT_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
    uint64_t from, to; /* without `to` */
};
struct ranges {
    struct range *items; /* ascending, with gaps between them */
    size_t count, capacity;
};

/* Adds from, from + 1, ... to - 1; nothing if there are none. */
void ranges_add(struct ranges *r, uint64_t from, uint64_t to);
bool ranges_holds(const struct ranges *r, uint64_t number);
/* Is any number in both? */
bool ranges_overlap(const struct ranges *a, const struct ranges *b);
/* How many numbers of a are in b, too. */
uint64_t ranges_common(const struct ranges *a, const struct ranges *b);
void ranges_free(struct ranges *r);

#endif

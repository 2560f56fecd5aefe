/* byte_set.h - sets of addresses, exact to the byte and compact: what a launch or a copy touched.
 *
 * Layer base. Whole pages of 4 KiB are a pair of numbers, however many; a page in part has a bit
 * for each byte: an eighth of what was touched at most. A set is built, then finished, then asked.
 */
#ifndef SIMT_BYTE_SET_H
#define SIMT_BYTE_SET_H

#include "base/base.h"

enum { BYTE_SET_PAGE = 4096, BYTE_SET_WORDS = BYTE_SET_PAGE / 64 };

/* Pages [first, end), all of their bytes; with bits: those of the one page. */
struct byte_span {
    uint64_t first, end;
    uint64_t *bits;
};

struct byte_set {
    struct byte_span *spans; /* of a finished set: in order, none twice */
    size_t count, room;
    struct byte_map *map; /* while it is built by accesses */
};

void byte_set_free(struct byte_set *s);
/* One access of at most BYTE_SET_PAGE bytes. */
void byte_set_add(struct byte_set *s, uint64_t address, uint64_t bytes);
/* Any range; cheap where it is long. */
void byte_set_add_range(struct byte_set *s, uint64_t address, uint64_t bytes);
/* What a finished set has of [from, from + bytes) it has at `to`, too, where it has had nothing. */
void byte_set_mirror(struct byte_set *s, uint64_t from, uint64_t bytes, uint64_t to);
void byte_set_finish(struct byte_set *s);

bool byte_set_is_empty(const struct byte_set *s);
bool byte_set_has(const struct byte_set *s, uint64_t address);
bool byte_set_equal(const struct byte_set *a, const struct byte_set *b);
/* True, and the lowest of the bytes that both have, if there is one. */
bool byte_set_overlap(const struct byte_set *a, const struct byte_set *b, uint64_t *address);
/* A byte of [address, address + bytes) that the set has. */
bool byte_set_overlaps_range(const struct byte_set *s, uint64_t address, uint64_t bytes,
                             uint64_t *first);

#endif

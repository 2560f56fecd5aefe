/* byte_set.c - see byte_set.h. */
#include "base/byte_set.h"
#include "base/map.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

/* Pages that accesses have touched: number -> their bits. */
struct byte_map {
    struct map pages;
    uint64_t last; /* the page that was touched last, */
    uint64_t *last_bits;
};

static uint64_t *bits_in(const struct byte_map *m, size_t slot)
{
    return (uint64_t *)(uintptr_t)m->pages.slots[slot].value;
}

void byte_set_free(struct byte_set *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->spans[i].bits);
    }
    for (size_t i = 0; s->map != NULL && i < s->map->pages.room; i++) {
        free(bits_in(s->map, i));
    }
    if (s->map != NULL) {
        map_free(&s->map->pages);
    }
    free(s->map);
    free(s->spans);
    *s = (struct byte_set){0};
}

/* ---- building -------------------------------------------------------------------------------- */

static uint64_t *bits_of_page(struct byte_set *s, uint64_t page)
{
    struct byte_map *m = s->map;
    if (m == NULL) {
        m = s->map = room_new(1, sizeof *m);
    }
    if (m->last_bits == NULL || m->last != page) {
        m->last = page;
        m->last_bits = map_pointer(&m->pages, page);
    }
    if (m->last_bits == NULL) {
        m->last_bits = room_new(BYTE_SET_WORDS, sizeof *m->last_bits);
        map_put_pointer(&m->pages, page, m->last_bits);
    }
    return m->last_bits;
}

/* Sets [from, to) of a page's bits. */
static void set_bits(uint64_t *bits, unsigned from, unsigned to)
{
    while (from < to) {
        const unsigned at = from % 64, part = to - from < 64 - at ? to - from : 64 - at;
        const uint64_t ones = part == 64 ? UINT64_MAX : (UINT64_C(1) << part) - 1;
        bits[from / 64] |= ones << at;
        from += part;
    }
}

void byte_set_add(struct byte_set *s, uint64_t address, uint64_t bytes)
{
    while (bytes > 0) {
        const unsigned offset = (unsigned)(address % BYTE_SET_PAGE);
        const uint64_t room = BYTE_SET_PAGE - offset, part = bytes < room ? bytes : room;
        set_bits(bits_of_page(s, address / BYTE_SET_PAGE), offset, offset + (unsigned)part);
        address += part;
        bytes -= part;
    }
}

static void append(struct byte_set *s, struct byte_span span)
{
    ROOM_FOR_ONE(s->spans, s->count, s->room, 8);
    s->spans[s->count++] = span;
}

void byte_set_add_range(struct byte_set *s, uint64_t address, uint64_t bytes)
{
    const uint64_t whole = align_up(address, BYTE_SET_PAGE),
                   end = (address + bytes) / BYTE_SET_PAGE * BYTE_SET_PAGE;
    if (end <= whole) {
        byte_set_add(s, address, bytes);
        return;
    }
    byte_set_add(s, address, whole - address);
    append(s, (struct byte_span){whole / BYTE_SET_PAGE, end / BYTE_SET_PAGE, NULL});
    byte_set_add(s, end, address + bytes - end);
}

static int in_order(const void *left, const void *right)
{
    const struct byte_span *a = left, *b = right;
    return a->first != b->first ? (a->first < b->first ? -1 : 1)
                                : (a->end < b->end) - (a->end > b->end);
}

static bool is_full(const uint64_t *bits)
{
    unsigned i = 0;
    while (i < BYTE_SET_WORDS && bits[i] == UINT64_MAX) {
        i++;
    }
    return i == BYTE_SET_WORDS;
}

static void take_map(struct byte_set *s)
{
    struct byte_map *m = s->map;
    if (m == NULL) {
        return;
    }
    for (size_t i = 0; i < m->pages.room; i++) {
        const uint64_t page = m->pages.slots[i].key;
        uint64_t *bits = bits_in(m, i);
        if (bits != NULL && is_full(bits)) {
            free(bits);
            append(s, (struct byte_span){page, page + 1, NULL});
        } else if (bits != NULL) {
            append(s, (struct byte_span){page, page + 1, bits});
        }
    }
    map_free(&m->pages);
    free(m);
    s->map = NULL;
}

/* Ranges may overlap each other and pages in part: what is covered goes. */
void byte_set_finish(struct byte_set *s)
{
    take_map(s);
    if (s->count == 0) {
        return;
    }
    qsort(s->spans, s->count, sizeof *s->spans, in_order);
    size_t kept = 0;
    uint64_t covered = 0; /* pages below are in the set as a whole */
    for (size_t i = 0; i < s->count; i++) {
        struct byte_span x = s->spans[i];
        if (x.end <= covered) {
            free(x.bits);
        } else if (x.bits != NULL) {
            s->spans[kept++] = x;
        } else {
            struct byte_span *before = kept > 0 ? &s->spans[kept - 1] : NULL;
            if (before != NULL && before->bits != NULL && before->first == x.first) {
                free(before->bits);
                kept--;
                before = kept > 0 ? &s->spans[kept - 1] : NULL;
            }
            if (before != NULL && before->bits == NULL && before->end >= x.first) {
                before->end = x.end;
            } else {
                s->spans[kept++] = x;
            }
            covered = x.end;
        }
    }
    s->count = kept;
}

/* ---- asking ---------------------------------------------------------------------------------- */

bool byte_set_is_empty(const struct byte_set *s) { return s->count == 0; }

/* The first span that does not end before the page. */
static size_t span_at(const struct byte_set *s, uint64_t page)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->spans[middle].end <= page) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool byte_set_has(const struct byte_set *s, uint64_t address)
{
    const uint64_t page = address / BYTE_SET_PAGE;
    const unsigned offset = (unsigned)(address % BYTE_SET_PAGE);
    const size_t at = span_at(s, page);
    return at < s->count && s->spans[at].first <= page &&
           (s->spans[at].bits == NULL || s->spans[at].bits[offset / 64] >> offset % 64 & 1);
}

bool byte_set_equal(const struct byte_set *a, const struct byte_set *b)
{
    if (a->count != b->count) {
        return false;
    }
    for (size_t i = 0; i < a->count; i++) {
        const struct byte_span *x = &a->spans[i], *y = &b->spans[i];
        if (x->first != y->first || x->end != y->end || (x->bits == NULL) != (y->bits == NULL) ||
            (x->bits != NULL && memcmp(x->bits, y->bits, BYTE_SET_PAGE / 8) != 0)) {
            return false;
        }
    }
    return true;
}

/* The first byte that two spans have in common; they overlap in pages. */
static bool spans_meet(const struct byte_span *a, const struct byte_span *b, uint64_t *address)
{
    const uint64_t page = a->first > b->first ? a->first : b->first;
    for (unsigned i = 0; i < BYTE_SET_WORDS; i++) {
        const uint64_t both = (a->bits != NULL ? a->bits[i] : UINT64_MAX) &
                              (b->bits != NULL ? b->bits[i] : UINT64_MAX);
        if (both != 0) {
            *address = page * BYTE_SET_PAGE + 64u * i + (unsigned)__builtin_ctzll(both);
            return true;
        }
    }
    return false;
}

bool byte_set_overlap(const struct byte_set *a, const struct byte_set *b, uint64_t *address)
{
    if (a->count == 0 || b->count == 0) {
        return false;
    }
    size_t i = span_at(a, b->spans[0].first), k = span_at(b, a->spans[0].first);
    while (i < a->count && k < b->count) {
        const struct byte_span *x = &a->spans[i], *y = &b->spans[k];
        if (x->first < y->end && y->first < x->end && spans_meet(x, y, address)) {
            return true;
        }
        if (x->end <= y->end) {
            i++;
        } else {
            k++;
        }
    }
    return false;
}

void byte_set_mirror(struct byte_set *s, uint64_t from, uint64_t bytes, uint64_t to)
{
    uint64_t first;
    if (!byte_set_overlaps_range(s, from, bytes, &first)) {
        return;
    }
    for (uint64_t i = first - from; i < bytes; i++) {
        if (byte_set_has(s, from + i)) {
            byte_set_add(s, to + i, 1);
        }
    }
    byte_set_finish(s);
}

bool byte_set_overlaps_range(const struct byte_set *s, uint64_t address, uint64_t bytes,
                             uint64_t *first)
{
    struct byte_set range = {0};
    byte_set_add_range(&range, address, bytes);
    byte_set_finish(&range);
    bool overlaps = byte_set_overlap(s, &range, first);
    byte_set_free(&range);
    return overlaps;
}

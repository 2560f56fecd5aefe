/* ranges.c - see ranges.h. */
#include "base/ranges.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

static uint64_t min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t max_u64(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* The first range that ends at `number` or behind it. */
static size_t first_not_before(const struct ranges *r, uint64_t number)
{
    size_t low = 0, high = r->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (r->items[middle].to < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void ranges_add(struct ranges *r, uint64_t from, uint64_t to)
{
    if (from >= to) {
        return;
    }
    const size_t at = first_not_before(r, from);
    size_t end = at; /* behind the ranges that become one with this */
    for (; end < r->count && r->items[end].from <= to; end++) {
        from = min_u64(from, r->items[end].from);
        to = max_u64(to, r->items[end].to);
    }
    if (end == at) {
        ROOM_FOR_ONE(r->items, r->count, r->capacity, 4);
        memmove(&r->items[at + 1], &r->items[at], (r->count - at) * sizeof *r->items);
        r->count++;
    } else {
        memmove(&r->items[at + 1], &r->items[end], (r->count - end) * sizeof *r->items);
        r->count -= end - at - 1;
    }
    r->items[at] = (struct range){from, to};
}

bool ranges_holds(const struct ranges *r, uint64_t number)
{
    const size_t at = first_not_before(r, number + 1);
    return at < r->count && r->items[at].from <= number;
}

uint64_t ranges_common(const struct ranges *a, const struct ranges *b)
{
    uint64_t common = 0;
    for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
        const uint64_t from = max_u64(a->items[i].from, b->items[k].from);
        const uint64_t to = min_u64(a->items[i].to, b->items[k].to);
        common += from < to ? to - from : 0;
        if (a->items[i].to <= b->items[k].to) {
            i++;
        } else {
            k++;
        }
    }
    return common;
}

bool ranges_overlap(const struct ranges *a, const struct ranges *b)
{
    return ranges_common(a, b) > 0;
}

void ranges_free(struct ranges *r)
{
    free(r->items);
    *r = (struct ranges){0};
}

/* interval.c - see interval.h. */
#include "check/interval.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

enum {
    GRANULE = 128, /* bytes: a row of 32 words */
    FIRST_ROOM = 64,
    MOST_ACCESSES = 4096, /* of an interval: 700 KB */
    WIDE = 64             /* granules from the first that an access may touch */
};
#define NO_PATTERN UINT32_MAX

void interval_free(struct interval *v)
{
    free(v->granules);
    free(v->log);
    *v = (struct interval){0};
}

void interval_begin_block(struct interval *v, uint32_t shared_bytes)
{
    const unsigned count = (shared_bytes + GRANULE - 1) / GRANULE;
    if (count > v->granule_count) {
        free(v->granules);
        v->granules = room_new(count, sizeof *v->granules);
        v->granule_count = count;
    }
    if (v->log == NULL) {
        v->room = FIRST_ROOM;
        v->log = room_raw(v->room, sizeof *v->log);
    }
    interval_next(v);
}

void interval_next(struct interval *v)
{
    v->count = 0;
    v->closed = false;
    if (++v->number == 0) { /* after four thousand million: older ones must not look like new */
        memset(v->granules, 0, v->granule_count * sizeof *v->granules);
        v->number = 1;
    }
}

void interval_close(struct interval *v) { v->closed = true; }

/* Lanes side by side, all of them each time at the same place modulo 32 of them: then a byte is
 * always the same lane's. Anything else: NO_PATTERN. */
static uint32_t pattern_of(const struct interval_access *a)
{
    const uint32_t lane = first_lane(a->head.lanes), bytes = a->head.bytes;
    const uint32_t base = a->address[lane] - lane * bytes;
    return a->head.row ? bytes << 16 | (base & (WARP_LANES * bytes - 1)) : NO_PATTERN;
}

/* Granules from `first` on that lanes touch, one bit each. */
static uint64_t granules_of(const struct interval_access *a, uint32_t first)
{
    uint64_t touched = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const uint64_t active = a->head.lanes >> i & 1u;
        touched |= active << ((a->address[i] / GRANULE - first) & (WIDE - 1));
    }
    return touched;
}

static bool fits(struct interval *v, struct granule *g, uint32_t pattern, uint32_t warp,
                 bool writes)
{
    if (g->interval != v->number) {
        *g = (struct granule){.interval = v->number, .pattern = pattern};
    }
    const uint32_t all = g->readers | g->writers;
    const bool alone = (all & ~warp) == 0;
    const bool same = g->pattern == pattern && pattern != NO_PATTERN;
    if (writes ? !alone || !same : (g->writers & ~warp) != 0 || (g->writers != 0 && !same)) {
        return false;
    }
    g->pattern = same ? pattern : NO_PATTERN;
    *(writes ? &g->writers : &g->readers) |= warp;
    return true;
}

static bool room_for_one_more(struct interval *v)
{
    if (v->count + 1 < v->room) {
        return true;
    }
    if (v->room == MOST_ACCESSES) {
        return false;
    }
    v->room *= 2;
    v->log = room_resized(v->log, v->room, sizeof *v->log);
    return true;
}

bool interval_keep(struct interval *v, bool writes)
{
    const struct interval_access *a = &v->log[v->count];
    const uint32_t first = a->head.low / GRANULE, last = (a->head.high - 1) / GRANULE;
    const uint32_t warp = UINT32_C(1) << a->head.warp;
    bool good = a->head.high > a->head.low && last < v->granule_count && last - first < WIDE;
    if (good) {
        const uint32_t pattern = pattern_of(a);
        uint64_t touched = first == last ? 1 : granules_of(a, first);
        for (; touched != 0 && good; touched &= touched - 1) {
            good = fits(v, &v->granules[first + (unsigned)__builtin_ctzll(touched)], pattern, warp,
                        writes);
        }
    }
    v->closed = !good || !room_for_one_more(v);
    v->count += good;
    return good;
}

/* caches_swaps.c - see caches_swaps.h. */
#include "time/caches_swaps.h"
#include "base/room.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 1 << 20, LINE_BYTES = 128 };

void swaps_open(struct swaps *s) { s->slots = room_new(SLOTS, sizeof *s->slots); }

void swaps_close(struct swaps *s) { free((void *)s->slots); }

void swaps_begin(struct swaps *s, const struct simt_launch *l, double resident_blocks)
{
    const double blocks = (double)l->grid.x * l->grid.y * l->grid.z;
    if (s->count > 0) {
        memset((void *)s->slots, 0, SLOTS * sizeof *s->slots);
    }
    s->count = s->atomics = 0;
    s->at_once = fmin(1, resident_blocks / blocks);
}

/* The word's number where allocations lie as they do in every run. */
static uint64_t word_of(const struct cache_lines *l, uint64_t address)
{
    unsigned i = 0;
    while (i + 1 < l->count && l->first + l->apart[i] != address / LINE_BYTES) {
        i++;
    }
    return (l->moved[i] * LINE_BYTES + address % LINE_BYTES) / 4;
}

void swaps_count(struct swaps *s, const struct access_event *a, const struct cache_lines *l)
{
    uint64_t room[WARP_LANES];
    const uint64_t *address = observer_addresses(a, room);
    atomic_fetch_add_explicit(&s->atomics, lanes_in(a->lanes), memory_order_relaxed);
    if (!ptx_has_modifier(a->origin, WORD_CAS)) {
        return;
    }
    atomic_fetch_add_explicit(&s->count, lanes_in(a->lanes), memory_order_relaxed);
    for (lane_mask left = a->lanes; left != 0; left &= left - 1) {
        const uint64_t word = word_of(l, address[first_lane(left)]);
        atomic_fetch_add_explicit(&s->slots[word * HASH_MULTIPLIER >> 44], 1, memory_order_relaxed);
    }
}

/* Of one of k threads that want a word. If all asked again in step it were half of them; where
 * hundreds wait, words that were read late find what they expect more often: 33 threads try 18
 * times on an H200, 132 48 times, 528 145 and 2112 430. */
static double tries_among(double k) { return fmax(1, fmin((k + 1) / 2, 1.27 * pow(k, 0.76))); }

double swaps_tries(const struct swaps *s)
{
    double tries = 0;
    for (unsigned i = 0; s->count > 0 && i < SLOTS; i++) {
        tries += s->slots[i] > 0 ? s->slots[i] * tries_among(s->slots[i] * s->at_once) : 0;
    }
    const double others = (double)(s->atomics - s->count);
    return s->atomics > 0 ? (tries + others) / (double)s->atomics : 1;
}

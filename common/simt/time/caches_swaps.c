/* caches_swaps.c - see caches_swaps.h. */
#include "time/caches_swaps.h"
#include "base/room.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 1 << 20, LINE_BYTES = 128 };

void swaps_open(struct swaps *s)
{
    s->slots = room_new(SLOTS, sizeof *s->slots);
    s->readers = room_new(SLOTS, sizeof *s->readers);
}

void swaps_close(struct swaps *s)
{
    free((void *)s->slots);
    free((void *)s->readers);
}

static bool swaps(const struct ptx_insn *in)
{
    return in != NULL && in->op == PTX_OP_ATOM && ptx_has_modifier(in, WORD_CAS);
}

void swaps_begin(struct swaps *s, const struct launch_event *launch, double resident_blocks)
{
    const struct simt_launch *l = launch->launch;
    const double blocks = (double)l->grid.x * l->grid.y * l->grid.z;
    if (s->any) {
        memset((void *)s->slots, 0, SLOTS * sizeof *s->slots);
        memset((void *)s->readers, 0, SLOTS * sizeof *s->readers);
    }
    s->any = false;
    for (unsigned i = 0; i < launch->kernel->code_count; i++) {
        s->any |= swaps(launch->kernel->origin[i]);
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

static void count_words(_Atomic uint32_t *slots, const struct access_event *a,
                        const struct cache_lines *l)
{
    uint64_t room[WARP_LANES];
    const uint64_t *address = observer_addresses(a, room);
    for (lane_mask left = a->lanes; left != 0; left &= left - 1) {
        const uint64_t word = word_of(l, address[first_lane(left)]);
        atomic_fetch_add_explicit(&slots[word * HASH_MULTIPLIER >> 44], 1, memory_order_relaxed);
    }
}

void swaps_read(struct swaps *s, const struct access_event *a, const struct cache_lines *l)
{
    count_words(s->readers, a, l);
}

void swaps_count(struct swaps *s, const struct access_event *a, const struct cache_lines *l)
{
    atomic_fetch_add_explicit(&s->atomics, lanes_in(a->lanes), memory_order_relaxed);
    if (swaps(a->origin)) {
        atomic_fetch_add_explicit(&s->count, lanes_in(a->lanes), memory_order_relaxed);
        count_words(s->slots, a, l);
    }
}

/* Of one of k threads that want a word. If all asked again in step it were half of them; where
 * hundreds wait, words that were read late find what they expect more often: 33 threads try 18
 * times on an H200, 132 48 times, 528 145 and 2112 430. */
static double tries_among(double k) { return fmax(1, fmin((k + 1) / 2, 1.27 * pow(k, 0.76))); }

/* Where most of those that read a word leave it as it is, each of them that is resident tries
 * twice. */
static double tries_of(double swapped, double readers, double at_once)
{
    return readers > 2 * swapped ? fmax(swapped, 2 * readers * at_once)
                                 : swapped * tries_among(swapped * at_once);
}

double swaps_tries(const struct swaps *s)
{
    double tries = 0;
    for (unsigned i = 0; s->count > 0 && i < SLOTS; i++) {
        tries += s->slots[i] > 0 ? tries_of(s->slots[i], s->readers[i], s->at_once) : 0;
    }
    const double others = (double)(s->atomics - s->count);
    return s->atomics > 0 ? (tries + others) / (double)s->atomics : 1;
}

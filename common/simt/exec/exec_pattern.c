/* exec_pattern.c - see exec_pattern.h. */
#include "exec/exec_pattern.h"
#include "exec/exec_address.h"
#include "exec/exec_mask.h"
#include "machine/kept_patterns.h"

#include <stddef.h>
#include <string.h>

static enum half_shape shape_of_half(const uint64_t *relative, unsigned bytes)
{
    uint64_t not_uniform = 0, not_contiguous = 0;
    for (unsigned i = 0; i < WARP_LANES / 2; i++) {
        uint64_t step = relative[i] - relative[0];
        not_uniform |= step;
        not_contiguous |= step ^ i * bytes;
    }
    return not_uniform == 0 ? HALF_UNIFORM : not_contiguous == 0 ? HALF_CONTIGUOUS : HALF_OTHER;
}

/* Here twice: where most patterns are new, it is not called. */
static inline __attribute__((always_inline)) void
learn_pattern(struct pattern *p, const uint64_t *address, lane_mask mask, unsigned bytes)
{
    const uint64_t first = address[first_lane(mask)];
    int64_t lowest = 0, highest = 0;
    uint64_t low_bits = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        int64_t relative = mask >> i & 1u ? (int64_t)(address[i] - first) : 0;
        p->relative[i] = (uint64_t)relative;
        low_bits |= (uint64_t)relative;
        lowest = relative < lowest ? relative : lowest;
        highest = relative > highest ? relative : highest;
    }
    p->mask = mask;
    p->leader_version = 0;
    p->lowest = lowest;
    p->highest = highest;
    p->low_bits = low_bits;
    p->wavefronts = 0;
    p->starts = 0;
    memset(p->sectors, 0, sizeof p->sectors);
    const bool full[2] = {(mask & 0xffffu) == 0xffffu, mask >> 16 == 0xffffu};
    const enum half_shape first_half = full[0] ? shape_of_half(p->relative, bytes) : HALF_OTHER;
    const enum half_shape second_half =
        full[1] ? shape_of_half(p->relative + 16, bytes) : HALF_OTHER;
    p->half_shape[0] = (uint8_t)first_half;
    p->half_shape[1] = (uint8_t)second_half;
    p->contiguous = first_half == HALF_CONTIGUOUS && second_half == HALF_CONTIGUOUS &&
                    address[16] - first == 16u * bytes;
}

/* --- kept ------------------------------------------------------------------------------------- */

/* Of the lanes and of where each lies: two patterns rarely have the same. */
static uint32_t key_of(const uint64_t *address, lane_mask mask)
{
    const uint32_t first = (uint32_t)address[first_lane(mask)];
    uint32_t key = mask * 0x9e3779b1u;
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        const uint32_t takes_part = 0u - (mask >> i & 1u);
        key += (((uint32_t)address[i] - first) & takes_part) * (0x85ebca6bu + 2 * i * 0x9e3779b1u);
    }
    return key;
}

static unsigned slot_with(const struct kept_patterns *k, uint32_t key)
{
    uint32_t found = 1u << PATTERN_SLOTS;
    for (unsigned i = 0; i < PATTERN_SLOTS; i++) {
        found |= (uint32_t)(k->keys[i] == key) << i;
    }
    return (unsigned)__builtin_ctz(found);
}

static bool fits(const struct pattern *kept, const uint64_t *address, lane_mask mask)
{
    const uint64_t first = address[first_lane(mask)];
    return kept->mask == mask && (mask_of_moved(address, first, kept->relative) & mask) == 0;
}

/* The instruction's pattern goes where it belongs, if it has not been replaced there. */
static void keep(struct kept_patterns *k, const struct pattern *p)
{
    struct pattern *kept = &k->of[p->slot];
    if (k->versions[p->slot] != p->version) {
        return;
    }
    if (kept->version != p->version) {
        memcpy(kept->relative, p->relative, sizeof kept->relative);
    }
    memcpy(&kept->mask, &p->mask, sizeof *p - offsetof(struct pattern, mask));
}

/* The allocation is the one of the last access, as a rule, and is asked again in any case. */
static void take(struct pattern *p, const struct pattern *kept)
{
    const uint64_t begin = p->begin, end = p->end;
    const int64_t delta = p->delta;
    *p = *kept;
    p->begin = begin;
    p->end = end;
    p->delta = delta;
    p->starts = 0;
}

/* One more is kept there from now on. */
static __attribute__((noinline)) void learn_for_slot(struct kept_patterns *k, struct pattern *p,
                                                     unsigned slot, const uint64_t *address,
                                                     lane_mask mask, unsigned bytes)
{
    p->slot = (uint8_t)slot;
    p->version = k->versions[slot] = ++k->newest;
    learn_pattern(p, address, mask, bytes);
}

static void count_hit(struct kept_patterns *k)
{
    const unsigned worth = k->worth + KEPT_GAIN;
    k->worth = (uint8_t)(worth < KEPT_MOST_WORTH ? worth : KEPT_MOST_WORTH);
}

static void count_miss(struct kept_patterns *k)
{
    if (--k->worth == 0) {
        k->worth = KEPT_WORTH_LATER;
        k->rest = KEPT_REST;
    }
}

/* Mostly the pattern comes that came after the last one before; else it is looked for. */
static void change_leader(struct kept_patterns *k, struct pattern *p, const uint64_t *address,
                          lane_mask mask, unsigned bytes)
{
    const unsigned last = p->slot, after = k->after[last];
    if (fits(&k->of[after], address, mask)) {
        take(p, &k->of[after]);
        count_hit(k);
        return;
    }
    const uint32_t key = key_of(address, mask);
    const unsigned found = slot_with(k, key);
    const unsigned slot = found < PATTERN_SLOTS ? found : k->next++ % PATTERN_SLOTS;
    k->after[last] = (uint8_t)slot;
    if (found < PATTERN_SLOTS && fits(&k->of[found], address, mask)) {
        take(p, &k->of[found]);
        count_hit(k);
    } else {
        learn_for_slot(k, p, slot, address, mask, bytes);
        k->keys[slot] = key;
        count_miss(k);
    }
}

/* The leader has found its own already. */
static void change_follower(struct kept_patterns *k, struct pattern *p, unsigned slot,
                            const uint64_t *address, lane_mask mask, unsigned bytes)
{
    if (fits(&k->of[slot], address, mask)) {
        take(p, &k->of[slot]);
    } else {
        learn_for_slot(k, p, slot, address, mask, bytes);
    }
}

/* Apart, so that what happens most for random addresses saves no registers for it. */
static __attribute__((noinline)) void change(struct warp *w, const struct insn *in,
                                             const uint64_t *address, struct pattern *p,
                                             struct kept_patterns *k)
{
    kept_patterns_room(k);
    keep(k, p);
    if (in->leader == 0) {
        change_leader(k, p, address, w->active, in->bytes);
    } else {
        k->rest = 0;
        change_follower(k, p, p[-(int)in->leader].slot, address, w->active, in->bytes);
    }
}

void exec_pattern_change(struct warp *w, const struct insn *in, const uint64_t *address,
                         unsigned site)
{
    struct pattern *p = &w->patterns[site];
    struct kept_patterns *k = &w->kept[site];
    const uint16_t rest = k[-(int)in->leader].rest;
    if (rest == 0) {
        change(w, in, address, p, k);
        return;
    }
    if (in->leader == 0) {
        k->rest--;
    } else {
        k->rest = rest;
        p->slot = p[-(int)in->leader].slot;
    }
    p->version = ++k->newest;
    learn_pattern(p, address, w->active, in->bytes);
}

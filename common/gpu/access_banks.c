/* access_banks.c - wavefronts and replays of one warp instruction in shared memory: rules, cost and
 * loops as in access.c.
 *
 * A pass moves one 4-byte word per bank, 128 bytes: lanes of 1, 2 and 4 bytes go as one group of
 * 32, of 8 bytes as two groups of 16, of 16 bytes as four groups of 8. A unit is what a lane
 * accesses, at least a word; units lie in rows of 128 bytes, and the place in the row is the slot.
 * Lanes of a group that want the same unit share a pass; different units in one slot do not. */
#include "access_repeated.h"

enum { LANES = ACCESS_LANES, ROW_BYTES = ACCESS_BANKS * ACCESS_BANK_BYTES };

static const uint32_t ALL = 0xffffffffu;

struct group_shape {
    unsigned slots;     /* units in a row, and lanes in a group */
    unsigned slot_bits; /* log2 of it */
};

/* Are all lanes the same distance apart? Its amount (modulo 2^32) goes to *stride. Each is compared
 * with where it would be, not with its neighbour: a vector of neighbours lies across two that have
 * just been stored, and waits for both. */
static bool one_stride(const uint32_t unit[LANES], uint32_t *stride)
{
    const uint32_t step = unit[1] - unit[0];
    uint32_t differences = 0;
    for (unsigned i = 0; i < LANES; i++) {
        differences |= unit[i] ^ (unit[0] + i * step);
    }
    *stride = step;
    return differences == 0;
}

/* Lanes of a full group that meet in a slot if all are `stride` apart: the greatest power of two
 * in the stride, but no more than there are. */
static unsigned strided_lanes_in_slot(uint32_t stride, unsigned slots)
{
    uint32_t power = stride & (0u - stride);
    return power == 0 || power > slots ? slots : power;
}

/* Rows from `first` on, 64 at most: a bit for each row that is wanted in a slot. The bits are found
 * for all lanes at once, so what is left for each lane is one `or`: half of the time of a loop over
 * the lanes that take part. */
static unsigned distinct_in_near_rows(const uint32_t unit[LANES], uint32_t lanes, uint32_t first,
                                      const struct group_shape *s)
{
    uint64_t rows[LANES] = {0}, bit[LANES], most = 0;
    for (unsigned i = 0; i < LANES; i++) {
        bit[i] = (uint64_t)(lanes >> i & 1u) << (((unit[i] >> s->slot_bits) - first) & 63u);
    }
    for (unsigned i = 0; i < LANES; i++) {
        rows[unit[i] & (s->slots - 1)] |= bit[i];
    }
    for (unsigned slot = 0; slot < LANES; slot++) {
        uint64_t wanted = (uint64_t)__builtin_popcountll(rows[slot]);
        most = wanted > most ? wanted : most;
    }
    return (unsigned)most;
}

/* Atomics do not share: every lane of the slot needs a pass of its own. */
static unsigned lanes_in_slot(const uint32_t unit[LANES], uint32_t lanes,
                              const struct group_shape *s)
{
    uint8_t count[LANES] = {0}, most = 0;
    for (; lanes; lanes &= lanes - 1) {
        unsigned slot = unit[__builtin_ctz(lanes)] & (s->slots - 1);
        count[slot]++;
        most = count[slot] > most ? count[slot] : most;
    }
    return most;
}

/* Any rows: a lane counts in its slot if none of the lanes before it wants its unit. */
static unsigned distinct_in_far_rows(const uint32_t unit[LANES], uint32_t lanes,
                                     const struct group_shape *s)
{
    return lanes_in_slot(unit, lanes & ~repeated_lanes(unit, lanes), s);
}

/* Passes of one group: the most distinct units that its lanes want in any slot. */
static unsigned distinct_in_slot(const uint32_t unit[LANES], uint32_t lanes,
                                 const struct group_shape *s)
{
    uint32_t low = ALL, high = 0;
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t absent = (lanes >> i & 1u) - 1; /* all ones if lane i takes no part */
        low = (unit[i] | absent) < low ? (unit[i] | absent) : low;
        high = (unit[i] & ~absent) > high ? (unit[i] & ~absent) : high;
    }
    const uint32_t first_row = low >> s->slot_bits, last_row = high >> s->slot_bits;
    if (high - low < s->slots) {
        return 1; /* within the length of a row: no two in one slot */
    }
    return last_row - first_row < 64 ? distinct_in_near_rows(unit, lanes, first_row, s)
                                     : distinct_in_far_rows(unit, lanes, s);
}

/* Active lanes whose numbers differ in bit x only want the same unit, wherever both are active. */
static bool pairs_agree(const uint32_t unit[LANES], uint32_t mask, unsigned x)
{
    uint32_t differences = 0;
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t both = (mask >> i & mask >> (i ^ x)) & 1u;
        differences |= (unit[i] ^ unit[i ^ x]) & (0u - both);
    }
    return differences == 0;
}

/* Loads of 8 and 16 bytes: two groups become one (16 and 16, or twice 8 and 8 lanes) if in the
 * whole warp each lane and its neighbour want the same unit, or each lane and the one two further:
 * lanes 0 and 1, 2 and 3, ...; or 0 and 2, 1 and 3, 4 and 6, ... */
static bool groups_merge(const uint32_t unit[LANES], uint32_t mask)
{
    return pairs_agree(unit, mask, 1) || pairs_agree(unit, mask, 2);
}

/* Sums the passes of the groups; a group without an active lane costs nothing. */
static struct access_shared
sum_groups(const uint32_t unit[LANES], uint32_t mask, unsigned group, const struct group_shape *s,
           unsigned (*passes)(const uint32_t *, uint32_t, const struct group_shape *))
{
    struct access_shared cost = {0, 0};
    uint32_t group_mask = group == LANES ? ALL : (1u << group) - 1;

    for (unsigned first = 0; first < LANES; first += group) {
        uint32_t lanes = mask & group_mask << first;
        if (lanes) {
            unsigned wavefronts = passes(unit, lanes, s);
            cost.wavefronts += wavefronts;
            cost.conflicts += wavefronts - 1;
        }
    }
    return cost;
}

static struct access_shared full_strided(uint32_t stride, unsigned group, unsigned shared_by,
                                         const struct group_shape *s)
{
    unsigned groups = LANES / group;
    unsigned passes = stride == 0 ? shared_by : strided_lanes_in_slot(stride, s->slots);
    struct access_shared cost = {groups * passes, groups * (passes - 1)};
    return cost;
}

static struct group_shape units_of_lanes(uint32_t unit[LANES], const uint32_t offset[LANES],
                                         unsigned bytes)
{
    unsigned shift = bytes <= 4 ? 2 : bytes == 8 ? 3 : 4;
    struct group_shape s = {ROW_BYTES >> shift, 7 - shift};
    for (unsigned i = 0; i < LANES; i++) {
        unit[i] = offset[i] >> shift;
    }
    return s;
}

struct access_shared access_shared_load(const uint32_t offset[LANES], uint32_t mask, unsigned bytes)
{
    uint32_t unit[LANES], stride;
    struct group_shape s = units_of_lanes(unit, offset, bytes);
    unsigned group = s.slots;

    if (mask == ALL && one_stride(unit, &stride)) {
        group = stride == 0 && group < LANES ? 2 * group : group;
        return full_strided(stride, group, 1, &s);
    }
    if (group < LANES && groups_merge(unit, mask)) {
        group *= 2;
    }
    return sum_groups(unit, mask, group, &s, distinct_in_slot);
}

unsigned access_shared_group(const uint32_t offset[LANES], uint32_t mask, unsigned bytes,
                             bool is_load)
{
    uint32_t unit[LANES];
    struct group_shape s = units_of_lanes(unit, offset, bytes);
    return is_load && s.slots < LANES && groups_merge(unit, mask) ? 2 * s.slots : s.slots;
}

struct access_shared access_shared_store(const uint32_t offset[LANES], uint32_t mask,
                                         unsigned bytes)
{
    uint32_t unit[LANES], stride;
    struct group_shape s = units_of_lanes(unit, offset, bytes);

    if (mask == ALL && one_stride(unit, &stride)) {
        return full_strided(stride, s.slots, 1, &s);
    }
    return sum_groups(unit, mask, s.slots, &s, distinct_in_slot);
}

struct access_shared access_shared_rows(const uint32_t offset[ACCESS_LANES], uint32_t mask)
{
    return access_shared_store(offset, mask, 16);
}

struct access_shared access_shared_atomic(const uint32_t offset[LANES], uint32_t mask,
                                          unsigned bytes)
{
    uint32_t unit[LANES], stride;
    struct group_shape s = units_of_lanes(unit, offset, bytes);

    if (mask == ALL && one_stride(unit, &stride)) {
        return full_strided(stride, s.slots, s.slots, &s);
    }
    return sum_groups(unit, mask, s.slots, &s, lanes_in_slot);
}

/* Compare-and-swap reads and writes: two wavefronts for each pass. */
struct access_shared access_shared_cas(const uint32_t offset[LANES], uint32_t mask, unsigned bytes)
{
    struct access_shared cost = access_shared_atomic(offset, mask, bytes);
    cost.wavefronts *= 2;
    return cost;
}

/* One round: groups go one after the other, and in each the first lane of every slot gets through,
 * unless a lane of an earlier group has changed its unit since this round's load. */
static uint32_t lanes_through(const uint32_t unit[LANES], uint32_t mask, uint32_t unchanged,
                              const struct group_shape *s, unsigned *wavefronts)
{
    uint32_t through = 0, changed = 0, group_mask = s->slots == LANES ? ALL : (1u << s->slots) - 1;

    for (unsigned first = 0; first < LANES; first += s->slots) {
        uint32_t slots_taken = 0, won = 0;
        for (uint32_t left = mask & group_mask << first; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            uint32_t slot = 1u << (unit[lane] & (s->slots - 1)), stale = 0;
            for (uint32_t c = changed; c; c &= c - 1) {
                stale |= unit[__builtin_ctz(c)] == unit[lane];
            }
            won |= (slots_taken & slot) || stale ? 0 : 1u << lane;
            slots_taken |= slot;
        }
        *wavefronts += slots_taken ? 2 : 0;
        changed |= won & ~unchanged;
        through |= won;
    }
    return through;
}

uint32_t access_shared_round(const uint32_t offset[LANES], uint32_t mask, unsigned bytes,
                             unsigned *wavefronts)
{
    uint32_t unit[LANES];
    const struct group_shape s = units_of_lanes(unit, offset, bytes);
    return lanes_through(unit, mask, 0, &s, wavefronts);
}

struct access_shared_loop access_shared_loop(const uint32_t offset[LANES], uint32_t mask,
                                             unsigned bytes, uint32_t unchanged)
{
    struct access_shared_loop loop = {0, {0, 0}, {0, 0}};
    uint32_t unit[LANES];
    struct group_shape s = units_of_lanes(unit, offset, bytes);

    while (mask) {
        struct access_shared load = access_shared_load(offset, mask, bytes);
        loop.load.wavefronts += load.wavefronts;
        loop.load.conflicts += load.conflicts;
        mask &= ~lanes_through(unit, mask, unchanged, &s, &loop.atomic.wavefronts);
        loop.rounds++;
    }
    return loop;
}

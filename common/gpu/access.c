/* access.c - sectors, wavefronts and replays of one warp instruction.
 *
 * Every rule below was found on an NVIDIA H200 with Nsight Compute, one warp and one instruction at
 * a time: tests/fidelity/probe.csv holds the recorded counters, and tests/unit/test_access.c holds
 * this file to each line of them (all but one of 5708).
 *
 * Called for every simulated access: cheap tests first (one stride, monotone, all within a small
 * range), the comparison of all lanes with all lanes last. Loops over lanes have 32 trips and no
 * early exit, so that the compiler turns them into a few vector instructions. */
#include "access.h"

#if defined __AVX512F__ && defined __AVX512CD__
#include <immintrin.h>
#endif

enum { LANES = ACCESS_LANES, ROW_BYTES = ACCESS_BANKS * ACCESS_BANK_BYTES, SECTOR_SHIFT = 5 };

static const uint32_t ALL = 0xffffffffu;

/* --- global memory -----------------------------------------------------------------------------
 * Loads and stores cost the distinct 32-byte sectors that active lanes touch
 * (l1tex__t_sectors_pipe_lsu_mem_global_op_{ld,st}, and ..._ldgsts_cache_access for cp.async). */

/* A lane that takes no part gets the address of the nearest participating lane before it (of the
 * first one, where there is none): no new sector, and what was monotone stays so. */
static void fill_absent(uint64_t filled[LANES], const uint64_t address[LANES], uint32_t mask)
{
    uint64_t last = address[__builtin_ctz(mask)];
    for (unsigned i = 0; i < LANES; i++) {
        last = (mask >> i & 1u) ? address[i] : last;
        filled[i] = last;
    }
}

/* Sectors that never fall from lane to lane: one more than the rises. 0 if they do fall. */
static unsigned distinct_if_monotone(const uint64_t address[LANES])
{
    uint64_t rises = 0, falls = 0;
    for (unsigned i = 1; i < LANES; i++) {
        uint64_t s = address[i] >> SECTOR_SHIFT, before = address[i - 1] >> SECTOR_SHIFT;
        rises += s > before;
        falls |= (uint64_t)(s < before);
    }
    return falls ? 0 : (unsigned)rises + 1;
}

/* Sectors that lie within 64 of each other: one bit each. 0 if they do not. */
static unsigned distinct_if_near(const uint64_t address[LANES])
{
    uint64_t low = UINT64_MAX, high = 0, bits = 0;
    for (unsigned i = 0; i < LANES; i++) {
        uint64_t s = address[i] >> SECTOR_SHIFT;
        low = s < low ? s : low;
        high = s > high ? s : high;
    }
    if (high - low >= 64) {
        return 0;
    }
    for (unsigned i = 0; i < LANES; i++) {
        bits |= UINT64_C(1) << ((address[i] >> SECTOR_SHIFT) - low);
    }
    return (unsigned)__builtin_popcountll(bits);
}

/* Any sectors: a lane counts if none of the lanes before it has its sector. */
static unsigned distinct_any(const uint64_t address[LANES])
{
    uint64_t repeated[LANES] = {0}, repeats = 0;
    for (unsigned earlier = 0; earlier + 1 < LANES; earlier++) {
        uint64_t s = address[earlier] >> SECTOR_SHIFT;
        for (unsigned i = 0; i < LANES; i++) {
            repeated[i] |= (uint64_t)((address[i] >> SECTOR_SHIFT == s) & (i > earlier));
        }
    }
    for (unsigned i = 0; i < LANES; i++) {
        repeats += repeated[i];
    }
    return LANES - (unsigned)repeats;
}

#if defined __AVX512F__ && defined __AVX512CD__

/* The low halves of 16 sectors' numbers; `far` collects bits of upper halves that differ. */
static __m512i sectors_of(const uint64_t address[16], __m512i first, __m512i *far)
{
    const __m512i low = _mm512_srli_epi64(_mm512_loadu_si512(address), SECTOR_SHIFT);
    const __m512i high = _mm512_srli_epi64(_mm512_loadu_si512(address + 8), SECTOR_SHIFT);
    *far = _mm512_or_si512(*far, _mm512_xor_si512(low, first));
    *far = _mm512_or_si512(*far, _mm512_xor_si512(high, first));
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)),
                              _mm512_cvtepi64_epi32(high), 1);
}

/* Any sectors within 128 GB of each other, else 0. The processor compares 16 lanes with each other
 * by itself (vpconflictd), and with the other 16, turned 16 times: some 100 cycles where the loops
 * below take 600, which was half of the time of a sparse matrix's product. */
static unsigned distinct_by_conflict(const uint64_t address[LANES], uint32_t mask)
{
    const uint64_t first = address[__builtin_ctz(mask)] >> SECTOR_SHIFT;
    const __m512i same = _mm512_set1_epi64((long long)first);
    uint64_t filled[LANES];
    if (mask != ALL) {
        for (unsigned i = 0; i < LANES; i++) {
            filled[i] = mask >> i & 1u ? address[i] : first << SECTOR_SHIFT;
        }
        address = filled;
    }
    __m512i far = _mm512_setzero_si512();
    const __m512i low = sectors_of(address, same, &far);
    const __m512i high = sectors_of(address + 16, same, &far);
    if (_mm512_test_epi64_mask(far, _mm512_set1_epi64((long long)(UINT64_MAX << 32))) != 0) {
        return 0;
    }
    const __m512i conflict_low = _mm512_conflict_epi32(low);
    const __m512i conflict_high = _mm512_conflict_epi32(high);
    __mmask16 again = _mm512_test_epi32_mask(conflict_high, conflict_high);
    __m512i turned = low;
    for (unsigned i = 0; i < 16; i++) {
        again |= _mm512_cmpeq_epi32_mask(high, turned);
        turned = _mm512_alignr_epi32(turned, turned, 1);
    }
    const __mmask16 repeated = _mm512_test_epi32_mask(conflict_low, conflict_low);
    return LANES - (unsigned)__builtin_popcount(repeated) - (unsigned)__builtin_popcount(again);
}

#else

static unsigned distinct_by_conflict(const uint64_t address[LANES], uint32_t mask)
{
    (void)address;
    (void)mask;
    return 0;
}

#endif

unsigned access_global_sectors(const uint64_t address[LANES], uint32_t mask, unsigned bytes)
{
    uint64_t filled[LANES];
    unsigned count;

    (void)bytes; /* an aligned access of at most 16 bytes lies in one sector */
    if (mask == 0) {
        return 0;
    }
    count = distinct_by_conflict(address, mask);
    if (count != 0) {
        return count;
    }
    if (mask != ALL) {
        fill_absent(filled, address, mask);
        address = filled;
    }
    count = distinct_if_monotone(address);
    if (count == 0) {
        count = distinct_if_near(address);
    }
    return count ? count : distinct_any(address);
}

/* Distinct keys with a number each; 32 at most, found by looking through them. */
struct sector_tally {
    unsigned count;
    uint64_t key[LANES];
    unsigned number[LANES];
};

static unsigned *tally_number(struct sector_tally *t, uint64_t key)
{
    unsigned at = 0;
    while (at < t->count && t->key[at] != key) {
        at++;
    }
    if (at == t->count) {
        t->key[at] = key;
        t->number[at] = 0;
        t->count++;
    }
    return &t->number[at];
}

static bool strictly_rising(const uint64_t address[LANES])
{
    uint64_t not_rising = 0;
    for (unsigned i = 1; i < LANES; i++) {
        not_rising |= (uint64_t)(address[i] <= address[i - 1]);
    }
    return not_rising == 0;
}

/* Replay r holds each address that more than r lanes hit. So a sector is paid for as often as its
 * most-shared address is hit. */
struct access_global_atomic access_global_atomic(const uint64_t address[LANES], uint32_t mask,
                                                 unsigned bytes)
{
    struct access_global_atomic cost = {0, 0};
    struct sector_tally lanes_of, replays_of; /* by address; by sector */

    if (mask == ALL && strictly_rising(address)) {
        cost.replays = 1;
        cost.sectors = access_global_sectors(address, mask, bytes);
        return cost;
    }
    lanes_of.count = replays_of.count = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        *tally_number(&lanes_of, address[__builtin_ctz(left)]) += 1;
    }
    for (unsigned i = 0; i < lanes_of.count; i++) {
        unsigned lanes = lanes_of.number[i];
        unsigned *replays = tally_number(&replays_of, lanes_of.key[i] >> SECTOR_SHIFT);
        *replays = lanes > *replays ? lanes : *replays;
        cost.replays = lanes > cost.replays ? lanes : cost.replays;
    }
    for (unsigned i = 0; i < replays_of.count; i++) {
        cost.sectors += replays_of.number[i];
    }
    return cost;
}

/* --- shared memory -----------------------------------------------------------------------------
 * A pass moves one 4-byte word per bank, 128 bytes: lanes of 1, 2 and 4 bytes go as one group of
 * 32, of 8 bytes as two groups of 16, of 16 bytes as four groups of 8. A unit is what a lane
 * accesses, at least a word; units lie in rows of 128 bytes, and the place in the row is the slot.
 * Lanes of a group that want the same unit share a pass; different units in one slot do not. */

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

/* Any rows: a lane counts in its slot if none of the lanes before it wants its unit. */
static unsigned distinct_in_far_rows(const uint32_t unit[LANES], uint32_t lanes,
                                     const struct group_shape *s)
{
    uint8_t wanted[LANES] = {0}, most = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left), slot = unit[lane] & (s->slots - 1);
        bool repeated = false;
        for (uint32_t before = lanes & ((1u << lane) - 1); before; before &= before - 1) {
            repeated |= unit[__builtin_ctz(before)] == unit[lane];
        }
        wanted[slot] = (uint8_t)(wanted[slot] + !repeated);
        most = wanted[slot] > most ? wanted[slot] : most;
    }
    return most;
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

/* --- predictions -------------------------------------------------------------------------------*/

void access_strided(uint64_t address[LANES], uint64_t base, uint64_t stride_bytes)
{
    for (unsigned i = 0; i < LANES; i++) {
        address[i] = base + i * stride_bytes;
    }
}

unsigned access_offset_sectors(unsigned bytes, uint64_t offset_elements)
{
    uint64_t address[LANES];
    access_strided(address, offset_elements * bytes, bytes);
    return access_global_sectors(address, ALL, bytes);
}

unsigned access_stride_sectors(unsigned bytes, uint64_t stride_elements)
{
    uint64_t address[LANES];
    access_strided(address, 0, stride_elements * bytes);
    return access_global_sectors(address, ALL, bytes);
}

unsigned access_sector_list(const uint64_t address[LANES], uint32_t mask, uint64_t sector[LANES])
{
    unsigned count = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint64_t s = address[__builtin_ctz(left)] >> SECTOR_SHIFT;
        unsigned at = count;
        while (at > 0 && sector[at - 1] > s) {
            at--;
        }
        if (at > 0 && sector[at - 1] == s) {
            continue;
        }
        for (unsigned i = count++; i > at; i--) {
            sector[i] = sector[i - 1];
        }
        sector[at] = s;
    }
    return count;
}

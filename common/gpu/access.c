/* access.c - sectors and replays of one warp instruction in global memory; access_banks.c:
 * wavefronts in shared memory.
 *
 * Every rule below was found on an NVIDIA H200 with Nsight Compute, one warp and one instruction at
 * a time: tests/fidelity/probe.csv holds the recorded counters, and tests/unit/test_access.c holds
 * both files to each line of them (all but one of 5708).
 *
 * Called for every simulated access: cheap tests first (one stride, monotone, all within a small
 * range), the comparison of all lanes with all lanes last. Loops over lanes have 32 trips and no
 * early exit, so that the compiler turns them into a few vector instructions. */
#include "access_repeated.h"

enum { LANES = ACCESS_LANES, SECTOR_SHIFT = 5 };

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

/* The low halves of 16 pieces' numbers, of 2^shift bytes each; `far` collects bits of upper halves
 * that differ. */
static __m512i pieces_of(const uint64_t address[16], unsigned shift, __m512i first, __m512i *far)
{
    const __m512i low = _mm512_srli_epi64(_mm512_loadu_si512(address), shift);
    const __m512i high = _mm512_srli_epi64(_mm512_loadu_si512(address + 8), shift);
    *far = _mm512_or_si512(*far, _mm512_xor_si512(low, first));
    *far = _mm512_or_si512(*far, _mm512_xor_si512(high, first));
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)),
                              _mm512_cvtepi64_epi32(high), 1);
}

/* Any sectors within 128 GB of each other, else 0; or pieces of 2^shift bytes. */
static unsigned distinct_by_conflict(const uint64_t address[LANES], uint32_t mask, unsigned shift)
{
    const uint64_t first = address[__builtin_ctz(mask)] >> shift;
    const __m512i same = _mm512_set1_epi64((long long)first);
    uint64_t filled[LANES];
    if (mask != ALL) {
        for (unsigned i = 0; i < LANES; i++) {
            filled[i] = mask >> i & 1u ? address[i] : first << shift;
        }
        address = filled;
    }
    __m512i far = _mm512_setzero_si512();
    const __m512i low = pieces_of(address, shift, same, &far);
    const __m512i high = pieces_of(address + 16, shift, same, &far);
    if (_mm512_test_epi64_mask(far, _mm512_set1_epi64((long long)(UINT64_MAX << 32))) != 0) {
        return 0;
    }
    return LANES - (unsigned)__builtin_popcount(repeated_numbers(low, high));
}

#else

static unsigned distinct_by_conflict(const uint64_t address[LANES], uint32_t mask, unsigned shift)
{
    (void)address;
    (void)mask;
    (void)shift;
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
    count = distinct_by_conflict(address, mask, SECTOR_SHIFT);
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

/* Do the addresses of lanes side by side, and of no others, rise by one distance that is not 0?
 * Most do: they are as many as the lanes. */
static bool is_strided(const uint64_t address[LANES], uint32_t mask)
{
    const unsigned first = (unsigned)__builtin_ctz(mask);
    const unsigned last = LANES - 1 - (unsigned)__builtin_clz(mask);
    const uint32_t lanes = mask >> first, next = first + 1 < LANES ? first + 1 : first;
    const uint64_t step = address[next] - address[first], base = address[first] - first * step;
    uint64_t differs = 0;
    if (address[last] - base != last * step) {
        return false; /* random ones need not all be looked at */
    }
    for (unsigned i = 0; i < LANES; i++) {
        differs |= (address[i] - base - i * step) & (0 - (uint64_t)(mask >> i & 1u));
    }
    return (lanes & (lanes + 1)) == 0 && step - 1 < UINT64_C(1) << 32 && differs == 0;
}

unsigned access_distinct(const uint64_t address[LANES], uint32_t mask)
{
    if (mask != 0 && (is_strided(address, mask) || (mask & (mask - 1)) == 0)) {
        return (unsigned)__builtin_popcount(mask);
    }
    unsigned distinct = mask != 0 ? distinct_by_conflict(address, mask, 0) : 0;
    if (distinct != 0) {
        return distinct;
    }
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint32_t before = mask & ((UINT32_C(1) << lane) - 1);
        uint64_t again = 0;
        for (unsigned i = 0; i < LANES; i++) {
            again |= (uint64_t)(address[i] == address[lane]) & (uint64_t)(before >> i);
        }
        distinct += (again & 1u) == 0;
    }
    return distinct;
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

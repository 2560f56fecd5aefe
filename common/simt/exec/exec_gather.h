/* exec_gather.h - values of 32 or 64 bits between a register's lanes and 32 places in memory.
 *
 * x86 with AVX-512 has instructions that take eight places at once: 45 cycles for a warp where the
 * loops take 70 to 130, more where lanes are off. A sanitizer does not see what they touch, so it
 * gets the loops. For exec_element.c.
 *
 * Several lanes may store at one place. An H200 serves lanes in groups of 32 (up to 4 bytes), 16 (8
 * bytes) or 8 (16 bytes), one group after the other; of a group, the lowest lane's value stays
 * (tests/fidelity/variants/accesses.cu). So stores begin with a group's highest lane. */
#ifndef SIMT_EXEC_GATHER_H
#define SIMT_EXEC_GATHER_H

#include "decode/kernel.h"
#include "exec/exec_types.h"

/* The lane that stores its 1 to 16 bytes in this turn, of 32. */
static inline unsigned lane_of_turn(unsigned turn, unsigned bytes)
{
    return turn ^ (bytes == 16 ? 7u : bytes == 8 ? 15u : 31u);
}

#if defined __AVX512F__ && defined __AVX512VL__ && !defined __SANITIZE_ADDRESS__ &&                \
    !defined __SANITIZE_THREAD__
#include <immintrin.h>

/* Lane i's place is base + place[i]. */
static inline void gather_32(u32 *d, const u8 *base, const u64 *place, lane_mask mask)
{
    for (unsigned i = 0; i < WARP_LANES; i += 8) {
        const __mmask8 lanes = (__mmask8)(mask >> i);
        const __m256i old = _mm256_loadu_si256((const __m256i *)(const void *)(d + i));
        const __m512i at = _mm512_loadu_si512(place + i);
        _mm256_storeu_si256((__m256i *)(void *)(d + i),
                            _mm512_mask_i64gather_epi32(old, lanes, at, base, 1));
    }
}

static inline void gather_64(u64 *d, const u8 *base, const u64 *place, lane_mask mask)
{
    for (unsigned i = 0; i < WARP_LANES; i += 8) {
        const __mmask8 lanes = (__mmask8)(mask >> i);
        const __m512i at = _mm512_loadu_si512(place + i), old = _mm512_loadu_si512(d + i);
        _mm512_storeu_si512(d + i, _mm512_mask_i64gather_epi64(old, lanes, at, base, 1));
    }
}

/* Bit i of the result is bit 31 - i of the mask. */
static inline lane_mask from_last_to_first(lane_mask mask)
{
    mask = (mask >> 1 & 0x55555555u) | (mask & 0x55555555u) << 1;
    mask = (mask >> 2 & 0x33333333u) | (mask & 0x33333333u) << 2;
    mask = (mask >> 4 & 0x0f0f0f0fu) | (mask & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(mask);
}

/* Eight numbers, the last one first. A scatter stores them in their order. */
static inline __m512i last_first_64(const u64 *numbers)
{
    const __m512i order = _mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm512_permutexvar_epi64(order, _mm512_loadu_si512(numbers));
}

static inline __m256i last_first_32(const u32 *numbers)
{
    const __m256i order = _mm256_set_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)(const void *)numbers),
                                       order);
}

static inline void scatter_32(const u32 *d, u8 *base, const u64 *place, lane_mask mask)
{
    const lane_mask turned = from_last_to_first(mask);
    for (unsigned i = 0; i < WARP_LANES; i += 8) {
        const unsigned first = WARP_LANES - 8 - i;
        _mm512_mask_i64scatter_epi32(base, (__mmask8)(turned >> i), last_first_64(place + first),
                                     last_first_32(d + first), 1);
    }
}

static inline void scatter_64(const u64 *d, u8 *base, const u64 *place, lane_mask mask)
{
    const lane_mask turned = from_last_to_first(mask);
    for (unsigned i = 0; i < WARP_LANES; i += 8) {
        const unsigned first = i ^ 8; /* 8, 0, 24, 16 */
        _mm512_mask_i64scatter_epi64(base, (__mmask8)(turned >> (WARP_LANES - 8 - first)),
                                     last_first_64(place + first), last_first_64(d + first), 1);
    }
}

#else

#define GATHER(T)                                                                                  \
    for (lane_mask left = mask; left != 0; left &= left - 1) {                                     \
        const unsigned i = first_lane(left);                                                       \
        d[i] = *(const T *)(uintptr_t)((uintptr_t)base + place[i]);                                \
    }
#define SCATTER(T)                                                                                 \
    for (unsigned turn = 0; turn < WARP_LANES; turn++) {                                           \
        const unsigned i = lane_of_turn(turn, sizeof(T));                                          \
        if (mask >> i & 1u) {                                                                      \
            *(T *)(uintptr_t)((uintptr_t)base + place[i]) = d[i];                                  \
        }                                                                                          \
    }

static inline void gather_32(u32 *d, const u8 *base, const u64 *place, lane_mask mask)
{
    GATHER(u32)
}

static inline void gather_64(u64 *d, const u8 *base, const u64 *place, lane_mask mask)
{
    GATHER(u64)
}

static inline void scatter_32(const u32 *d, u8 *base, const u64 *place, lane_mask mask)
{
    SCATTER(u32)
}

static inline void scatter_64(const u64 *d, u8 *base, const u64 *place, lane_mask mask)
{
    SCATTER(u64)
}

#undef GATHER
#undef SCATTER

#endif

#endif

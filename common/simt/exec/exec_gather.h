/* exec_gather.h - values of 32 or 64 bits between a register's lanes and 32 places in memory.
 *
 * x86 with AVX-512 has instructions that take eight places at once: 45 cycles for a warp where the
 * loops take 70 to 130, more where lanes are off. A sanitizer does not see what they touch, so it
 * gets the loops. Several lanes may store at one place: the highest one's value stays, both ways.
 * For exec_element.c. */
#ifndef SIMT_EXEC_GATHER_H
#define SIMT_EXEC_GATHER_H

#include "decode/kernel.h"
#include "exec/exec_types.h"

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

static inline void scatter_32(const u32 *d, u8 *base, const u64 *place, lane_mask mask)
{
    for (unsigned i = 0; i < WARP_LANES; i += 8) {
        const __m256i values = _mm256_loadu_si256((const __m256i *)(const void *)(d + i));
        const __m512i at = _mm512_loadu_si512(place + i);
        _mm512_mask_i64scatter_epi32(base, (__mmask8)(mask >> i), at, values, 1);
    }
}

static inline void scatter_64(const u64 *d, u8 *base, const u64 *place, lane_mask mask)
{
    for (unsigned i = 0; i < WARP_LANES; i += 8) {
        const __m512i at = _mm512_loadu_si512(place + i), values = _mm512_loadu_si512(d + i);
        _mm512_mask_i64scatter_epi64(base, (__mmask8)(mask >> i), at, values, 1);
    }
}

#else

#define GATHER(T)                                                                                  \
    for (lane_mask left = mask; left != 0; left &= left - 1) {                                     \
        const unsigned i = first_lane(left);                                                       \
        d[i] = *(const T *)(uintptr_t)((uintptr_t)base + place[i]);                                \
    }
#define SCATTER(T)                                                                                 \
    for (lane_mask left = mask; left != 0; left &= left - 1) {                                     \
        const unsigned i = first_lane(left);                                                       \
        *(T *)(uintptr_t)((uintptr_t)base + place[i]) = d[i];                                      \
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

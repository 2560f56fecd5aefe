/* access_repeated.h - lanes that want what a lane before them wants.
 *
 * The processor compares 16 lanes with each other by itself (vpconflictd), and with the other 16,
 * turned 16 times: some 100 cycles where loops take 600, which was half of the time of a sparse
 * matrix's product. */
#ifndef GPU_ACCESS_REPEATED_H
#define GPU_ACCESS_REPEATED_H

#include "access.h"

#if defined __AVX512F__ && defined __AVX512CD__
#include <immintrin.h>

/* A bit for each of 32 numbers that an earlier one is equal to. */
static inline uint32_t repeated_numbers(__m512i low, __m512i high)
{
    const __m512i conflict_low = _mm512_conflict_epi32(low);
    const __m512i conflict_high = _mm512_conflict_epi32(high);
    const __mmask16 repeated = _mm512_test_epi32_mask(conflict_low, conflict_low);
    __mmask16 again = _mm512_test_epi32_mask(conflict_high, conflict_high);
    __m512i turned[4] = {low, _mm512_alignr_epi32(low, low, 4), _mm512_alignr_epi32(low, low, 8),
                         _mm512_alignr_epi32(low, low, 12)}; /* four turn at the same time */
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned k = 0; k < 4; k++) {
            again |= _mm512_cmpeq_epi32_mask(high, turned[k]);
            turned[k] = _mm512_alignr_epi32(turned[k], turned[k], 1);
        }
    }
    return repeated | (uint32_t)again << 16;
}

/* A bit for each of these lanes whose number one of them before it has, too. */
static inline uint32_t repeated_lanes(const uint32_t number[ACCESS_LANES], uint32_t lanes)
{
    const uint32_t first = lanes & (0u - lanes);
    const __m512i absent = _mm512_set1_epi32((int)number[__builtin_ctz(lanes)]);
    const __m512i low = _mm512_mask_loadu_epi32(absent, (__mmask16)lanes, number);
    const __m512i high = _mm512_mask_loadu_epi32(absent, (__mmask16)(lanes >> 16), number + 16);
    return repeated_numbers(low, high) & lanes & ~first; /* absent ones may lie before the first */
}

#else

static inline uint32_t repeated_lanes(const uint32_t number[ACCESS_LANES], uint32_t lanes)
{
    uint32_t repeated = 0;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        bool again = false;
        for (uint32_t before = lanes & ((1u << lane) - 1); before; before &= before - 1) {
            again |= number[__builtin_ctz(before)] == number[lane];
        }
        repeated |= (uint32_t)again << lane;
    }
    return repeated;
}

#endif

#endif

/* exec_mask.h - what 32 lanes have found, in one word: the last step of comparisons.
 *
 * Compilers make a chain of shuffles of a loop that brings 32 values together, which takes longer
 * than the comparison before it; x86 has instructions for it. All arrays are 64-byte aligned. */
#ifndef SIMT_EXEC_MASK_H
#define SIMT_EXEC_MASK_H

#include "decode/kernel.h"
#include "exec/exec_types.h"

#if defined __AVX2__
#include <immintrin.h>
#endif

#if defined __AVX512DQ__

/* answers: -1 or 0 for each lane. */
static inline lane_mask mask_of_answers(const s32 answers[WARP_LANES])
{
    const lane_mask low = _mm512_movepi32_mask(_mm512_load_si512(answers));
    const lane_mask high = _mm512_movepi32_mask(_mm512_load_si512(answers + 16));
    return low | high << 16;
}

/* The lanes whose value is not 0. */
static inline lane_mask mask_of_nonzero(const u64 values[WARP_LANES])
{
    lane_mask mask = 0;
    for (unsigned i = 0; i < WARP_LANES; i += 8) {
        const __m512i eight = _mm512_load_si512(values + i);
        mask |= (lane_mask)_mm512_test_epi64_mask(eight, eight) << i;
    }
    return mask;
}

static inline bool are_zero(const u64 values[8])
{
    const __m512i eight = _mm512_load_si512(values);
    return _mm512_test_epi64_mask(eight, eight) == 0;
}

#else

static inline lane_mask mask_of_answers(const s32 answers[WARP_LANES])
{
    lane_mask mask = 0;
#if defined __AVX2__
    for (unsigned i = 0; i < WARP_LANES; i += 8) {
        const __m256 signs = _mm256_load_ps((const f32 *)(const void *)(answers + i));
        mask |= (lane_mask)_mm256_movemask_ps(signs) << i;
    }
#else
    for (unsigned i = 0; i < WARP_LANES; i++) {
        mask |= (lane_mask)answers[i] & 1u << i;
    }
#endif
    return mask;
}

static inline lane_mask mask_of_nonzero(const u64 values[WARP_LANES])
{
    lane_mask mask = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        mask |= (lane_mask)(values[i] != 0) << i;
    }
    return mask;
}

static inline bool are_zero(const u64 values[8])
{
    u64 any = 0;
    for (unsigned i = 0; i < 8; i++) {
        any |= values[i];
    }
    return any == 0;
}

#endif

#endif

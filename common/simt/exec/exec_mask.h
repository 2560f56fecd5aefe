/* exec_mask.h - what 32 lanes have found, in one word: the last step of comparisons.
 *
 * Compilers make a chain of shuffles of a loop that brings 32 values together, which takes longer
 * than the comparison before it; x86 has instructions for it. All arrays are 64-byte aligned. */
#ifndef SIMT_EXEC_MASK_H
#define SIMT_EXEC_MASK_H

#include "decode/kernel.h"
#include "exec/exec_types.h"

#include <stdalign.h>

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

/* The lanes whose 64-bit address is not `first` plus what belongs to the lane in relative[]. */
static inline lane_mask mask_of_moved(const u64 *address, u64 first, const u64 *relative)
{
    const __m512i from = _mm512_set1_epi64((long long)first);
    lane_mask mask = 0;
    for (unsigned i = 0; i < WARP_LANES; i += 8) {
        const __m512i distance = _mm512_sub_epi64(_mm512_loadu_si512(address + i), from);
        const __m512i known = _mm512_load_si512(relative + i);
        mask |= (lane_mask)_mm512_cmpneq_epi64_mask(distance, known) << i;
    }
    return mask;
}

/* The same of addresses of 32 bits, which count with their sign. */
static inline lane_mask mask_of_moved_narrow(const s32 *address, u64 first, const u64 *relative)
{
    const __m512i from = _mm512_set1_epi64((long long)first);
    lane_mask mask = 0;
    for (unsigned i = 0; i < WARP_LANES; i += 8) {
        const __m256i eight = _mm256_loadu_si256((const __m256i *)(const void *)(address + i));
        const __m512i distance = _mm512_sub_epi64(_mm512_cvtepi32_epi64(eight), from);
        const __m512i known = _mm512_load_si512(relative + i);
        mask |= (lane_mask)_mm512_cmpneq_epi64_mask(distance, known) << i;
    }
    return mask;
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

static inline lane_mask mask_of_moved(const u64 *address, u64 first, const u64 *relative)
{
    alignas(64) u64 moved[WARP_LANES];
    for (unsigned i = 0; i < WARP_LANES; i++) {
        moved[i] = (address[i] - first) ^ relative[i];
    }
    return mask_of_nonzero(moved);
}

static inline lane_mask mask_of_moved_narrow(const s32 *address, u64 first, const u64 *relative)
{
    alignas(64) u64 moved[WARP_LANES];
    for (unsigned i = 0; i < WARP_LANES; i++) {
        moved[i] = ((u64)(s64)address[i] - first) ^ relative[i];
    }
    return mask_of_nonzero(moved);
}

#endif

#endif

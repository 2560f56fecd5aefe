/* exec_mask.h - 32 answers to one lane mask: the last step of each comparison. */
#ifndef SIMT_EXEC_MASK_H
#define SIMT_EXEC_MASK_H

#include "decode/kernel.h"
#include "exec/exec_types.h"

#if defined __AVX2__
#include <immintrin.h>
#endif

/* answers: -1 or 0 for each lane, 64-byte aligned. Compilers make a chain of shuffles of the plain
 * loop, which took longer than the comparison; x86 has an instruction that collects sign bits. */
static inline lane_mask mask_of_answers(const s32 answers[WARP_LANES])
{
#if defined __AVX512DQ__
    const lane_mask low = _mm512_movepi32_mask(_mm512_load_si512(answers));
    const lane_mask high = _mm512_movepi32_mask(_mm512_load_si512(answers + 16));
    return low | high << 16;
#else
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
#endif
}

#endif

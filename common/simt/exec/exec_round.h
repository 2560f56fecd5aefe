/* exec_round.h - 32 lanes' results in 16 bits each: halves or bfloats, to the nearest. For
 * exec_half.c and exec_convert.c, whose handlers compute odd floats (odd_f32_of_f64()) in one loop
 * and round them in another one: each is vector code, where a loop for both was not. */
#ifndef SIMT_EXEC_ROUND_H
#define SIMT_EXEC_ROUND_H

#include "exec/exec.h"
#include "exec/exec_types.h"
#include "exec/exec_nearest.h"

#include <stdalign.h>

#if defined __AVX512F__
#include <immintrin.h>
#endif

/* What odd_f32_of_f64() gave for each lane, in 16 bits. */
struct rounded {
    alignas(64) u32 bits[WARP_LANES];
};

static inline void round_f16(struct rounded *r, const f32 odd[WARP_LANES])
{
#if defined __AVX512F__
    for (unsigned i = 0; i < WARP_LANES; i += 16) {
        const __m512 a = _mm512_load_ps(odd + i);
        const __m256i half = _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
        const __mmask16 nan = _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q);
        const __m512i wide = _mm512_cvtepu16_epi32(half);
        _mm512_store_si512(r->bits + i,
                           _mm512_mask_mov_epi32(wide, nan, _mm512_set1_epi32(0x7fff)));
    }
#else
    LANES { r->bits[i] = nearest_half_of_odd(odd[i]); }
#endif
}

static inline void round_bf16(struct rounded *r, const f32 odd[WARP_LANES])
{
    LANES { r->bits[i] = nearest_bfloat_of_odd(odd[i]); }
}

#endif

/* matrix_larger.h - the larger and the smaller ones of two vectors' elements, with the instructions
 * that the machine has for them. Pure functions. */
#ifndef SIMT_MATRIX_LARGER_H
#define SIMT_MATRIX_LARGER_H

#include "exec/matrix_vectors.h"

#if defined __AVX512F__ && defined __AVX512BW__ && defined __AVX512DQ__ && defined __AVX512VL__
#define HAS_AVX512
#include <immintrin.h>
#endif

/* The compiler does not find these instructions. */
#if defined HAS_AVX512
INLINE ints16 larger(ints16 a, ints16 b)
{
    return (ints16)_mm512_max_epi32((__m512i)a, (__m512i)b);
}
INLINE words16 larger_word(words16 a, words16 b)
{
    return (words16)_mm512_max_epu32((__m512i)a, (__m512i)b);
}
INLINE words16 smaller_word(words16 a, words16 b)
{
    return (words16)_mm512_min_epu32((__m512i)a, (__m512i)b);
}
INLINE bytes64 larger_bytes(bytes64 a, bytes64 b)
{
    return (bytes64)_mm512_max_epu8((__m512i)a, (__m512i)b);
}
INLINE bytes16 low_bytes(ints16 words) { return (bytes16)_mm512_cvtepi32_epi8((__m512i)words); }
#else
INLINE ints16 larger(ints16 a, ints16 b) { return floats_chosen(a > b, a, b); }
INLINE words16 larger_word(words16 a, words16 b)
{
    return (words16)floats_chosen(a > b, (ints16)a, (ints16)b);
}
INLINE words16 smaller_word(words16 a, words16 b)
{
    return (words16)floats_chosen(a < b, (ints16)a, (ints16)b);
}
INLINE bytes64 larger_bytes(bytes64 a, bytes64 b)
{
    const bytes64 mask = (bytes64)(a > b);
    return (mask & a) | (~mask & b);
}
INLINE bytes16 low_bytes(ints16 words) { return __builtin_convertvector(words, bytes16); }
#endif

INLINE bool any(ints16 mask)
{
#if defined HAS_AVX512
    return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask) != 0;
#else
    s32 together = 0;
    for (unsigned i = 0; i < 16; i++) {
        together |= mask[i];
    }
    return together != 0;
#endif
}

#endif

/* matrix_vectors.h - vectors of 16 rows: bits, floats, exponents as bytes. Pure functions. */
#ifndef SIMT_MATRIX_VECTORS_H
#define SIMT_MATRIX_VECTORS_H

#include "exec/exec_types.h"

#include <stdbool.h>

#if defined __AVX512F__ && defined __AVX512BW__ && defined __AVX512DQ__ && defined __AVX512VL__
#define HAS_AVX512
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

typedef f32 floats16 __attribute__((vector_size(64)));
typedef s32 ints16 __attribute__((vector_size(64)));
typedef u32 words16 __attribute__((vector_size(64)));
typedef u8 bytes64 __attribute__((vector_size(64)));
typedef f64 doubles16 __attribute__((vector_size(128)));
typedef s64 longs16 __attribute__((vector_size(128)));
/* The same in memory, as words: loaded and stored in one piece. */
typedef f32 floats16_there __attribute__((vector_size(64), aligned(4), may_alias));
typedef s32 ints16_there __attribute__((vector_size(64), aligned(4), may_alias));
typedef u8 bytes16 __attribute__((vector_size(16)));

enum {
    STEP = 1 << 23, /* of exponents in the bits of a float */
    INFINITE = 0x7f800000
};

#define AS_FIELD(exponent) (127 + (exponent)) /* as it stands in a float */
#define LOW(exponent)      (AS_FIELD(exponent) * STEP)

static inline floats16 floats_as_floats(ints16 bits)
{
    union {
        ints16 bits;
        floats16 floats;
    } both = {.bits = bits};
    return both.floats;
}

static inline ints16 floats_as_bits(floats16 floats)
{
    union {
        floats16 floats;
        ints16 bits;
    } both = {.floats = floats};
    return both.bits;
}

static inline ints16 floats_chosen(ints16 mask, ints16 yes, ints16 no)
{
    return (mask & yes) | (~mask & no);
}

static inline ints16 floats_all(s32 value) { return value - (ints16){0}; }

/* Words of a register pair as columns: word t of rows 0 to 7 (4 g + t of one register) and of 8
 * to 15. */
static inline void floats_columns_of_words(const u32 *upper, const u32 *lower, ints16 columns[4])
{
    static const ints16 halves = {0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23};
    const ints16_there *first = (const void *)upper, *second = (const void *)lower;
#pragma GCC unroll 4
    for (s32 t = 0; t < 4; t++) {
        const ints16 every = {t, 4 + t, 8 + t, 12 + t, 16 + t, 20 + t, 24 + t, 28 + t,
                              t, 4 + t, 8 + t, 12 + t, 16 + t, 20 + t, 24 + t, 28 + t};
        columns[t] = __builtin_shuffle(
            __builtin_shuffle((ints16)first[0], (ints16)first[1], every),
            __builtin_shuffle((ints16)second[0], (ints16)second[1], every), halves);
    }
}

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

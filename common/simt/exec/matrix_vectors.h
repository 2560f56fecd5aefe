/* matrix_vectors.h - vectors of 16 rows: bits, floats, exponents as bytes. Pure functions. */
#ifndef SIMT_MATRIX_VECTORS_H
#define SIMT_MATRIX_VECTORS_H

#include "exec/exec_types.h"

#include <stdbool.h>

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

#endif

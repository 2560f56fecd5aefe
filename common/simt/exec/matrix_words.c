/* matrix_words.c - registers of a warp as columns of 16 rows, and back: see exec_matrix.h. */
#include "exec/exec_matrix.h"
#include "exec/exec_values.h"
#include "exec/matrix_larger.h"

void exec_columns_of_words(const u32 *upper, const u32 *lower, ints16 columns[4])
{
    floats_columns_of_words(upper, lower, columns);
}

void exec_words_of_columns(const ints16 *columns, unsigned step, u32 *upper, u32 *lower)
{
    static const ints16 both = {0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29};
    const ints16 first = columns[0], second = columns[step], third = columns[(size_t)2 * step],
                 fourth = columns[(size_t)3 * step];
#pragma GCC unroll 4
    for (s32 quarter = 0; quarter < 4; quarter++) {
        const s32 g = 4 * quarter;
        const ints16 pairs = {g,     g + 16, 0, 0, g + 1, g + 17, 0, 0,
                              g + 2, g + 18, 0, 0, g + 3, g + 19, 0, 0};
        const ints16 words = __builtin_shuffle(__builtin_shuffle(first, second, pairs),
                                               __builtin_shuffle(third, fourth, pairs), both);
        *(ints16_there *)((quarter < 2 ? upper : lower) + 16 * (quarter % 2)) = words;
    }
}

#if defined HAS_AVX512
ints16 exec_halves_of(ints16 floats)
{
    const __m256i nearest =
        _mm512_cvtps_ph((__m512)floats_as_floats(floats), _MM_FROUND_TO_NEAREST_INT);
    const ints16 nan = (floats & 0x7fffffff) > 0x7f800000;
    return floats_chosen(nan, floats_all(0x7fff), (ints16)_mm512_cvtepu16_epi32(nearest));
}
#else
ints16 exec_halves_of(ints16 floats)
{
    ints16 halves;
    for (unsigned i = 0; i < 16; i++) {
        halves[i] = half_of_f64((f64)f32_of_bits((u32)floats[i]), ROUND_NEAREST);
    }
    return halves;
}
#endif

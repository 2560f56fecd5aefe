/* matrix_words.c - registers of a warp as columns of 16 rows, and back: see exec_matrix.h. */
#include "exec/exec_matrix.h"
#include "exec/exec_values.h"

void exec_columns_of_words(const u32 *upper, const u32 *lower, ints16 columns[4])
{
    static const ints16 halves = {0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23};
    const ints16_there *first = (const void *)upper, *second = (const void *)lower;
    for (s32 t = 0; t < 4; t++) {
        const ints16 every = {t, 4 + t, 8 + t, 12 + t, 16 + t, 20 + t, 24 + t, 28 + t,
                              t, 4 + t, 8 + t, 12 + t, 16 + t, 20 + t, 24 + t, 28 + t};
        columns[t] = __builtin_shuffle(
            __builtin_shuffle((ints16)first[0], (ints16)first[1], every),
            __builtin_shuffle((ints16)second[0], (ints16)second[1], every), halves);
    }
}

void exec_words_of_columns(const ints16 columns[4], u32 *upper, u32 *lower)
{
    static const ints16 both = {0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29};
    for (s32 quarter = 0; quarter < 4; quarter++) {
        const s32 g = 4 * quarter;
        const ints16 pairs = {g,     g + 16, 0, 0, g + 1, g + 17, 0, 0,
                              g + 2, g + 18, 0, 0, g + 3, g + 19, 0, 0};
        const ints16 words =
            __builtin_shuffle(__builtin_shuffle(columns[0], columns[1], pairs),
                              __builtin_shuffle(columns[2], columns[3], pairs), both);
        *(ints16_there *)((quarter < 2 ? upper : lower) + 16 * (quarter % 2)) = words;
    }
}

ints16 exec_halves_of(ints16 floats)
{
    ints16 halves;
    for (unsigned i = 0; i < 16; i++) {
        halves[i] = half_of_f64((f64)f32_of_bits((u32)floats[i]), ROUND_NEAREST);
    }
    return halves;
}

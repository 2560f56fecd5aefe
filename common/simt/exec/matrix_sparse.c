/* matrix_sparse.c - products whose rows are sparse: metadata says which k their elements stand for.
 *
 * Rows are written out, with zeros for what is not there, and multiplied like others: a zero takes
 * no part in a sum. */
#include "exec/exec_matrix.h"

#include <string.h>

/* --- metadata ----------------------------------------------------------------------------------
 */

/* The two bits of metadata number `index` of a row. Rows of 16-bit elements and wider ones lie in
 * halves of words, row g + 8 in the upper one; others have words of their own. */
static unsigned metadata_bits(const struct warp *w, const struct matrix_multiply *m, unsigned row,
                              unsigned index, unsigned per_row)
{
    const u32 *words = warp_ref(w, m->metadata);
    const unsigned lower = row / 8;
    unsigned lane, bit;
    if (tensor_formats[m->a].bits >= 16) {
        lane = per_row <= 8 ? m->selector : 2 * m->selector + index / 8;
        bit = 16 * lower + 2 * (index % 8);
    } else {
        lane = (per_row <= 16 ? 2 * m->selector : 2 * (index / 16)) + lower;
        bit = 2 * (index % 16);
    }
    return words[row % 8 * 4 + lane] >> bit & 3u;
}

unsigned exec_sparse_k(const struct warp *w, const struct matrix_multiply *m, unsigned row,
                       unsigned i)
{
    if (m->a == ELEMENT_TF32) {
        return 2 * i + metadata_bits(w, m, row, 2 * i, m->k) / 2;
    }
    if (tensor_formats[m->a].bits == 4) {
        return i / 4 * 8 + 2 * metadata_bits(w, m, row, i / 2, m->k / 4) + i % 2;
    }
    return i / 2 * 4 + metadata_bits(w, m, row, i, m->k / 2);
}

/* The same bits of all rows. */
static ints16 metadata_of_rows(const struct warp *w, const struct matrix_multiply *m,
                               unsigned index, unsigned per_row)
{
    static const ints16 is_lower = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};
    const u32 *words = warp_ref(w, m->metadata);
    ints16 columns[4], bits;
    floats_columns_of_words(words, words, columns);
    if (tensor_formats[m->a].bits >= 16) {
        const unsigned lane = per_row <= 8 ? m->selector : 2 * m->selector + index / 8;
        bits = columns[lane % 4] >> (16 & is_lower) >> (s32)(2 * (index % 8));
    } else {
        const unsigned lane = per_row <= 16 ? 2 * m->selector : 2 * (index / 16);
        bits = floats_chosen(is_lower, columns[(lane + 1) % 4], columns[lane % 4]) >>
               (s32)(2 * (index % 16));
    }
    return bits & 3;
}

/* --- rows written out --------------------------------------------------------------------------
 */

/* Elements of four k's of all rows (of TF32 two), from those that are there; -1 where two stand for
 * the same k. */
static ints16 write_out(const struct warp *w, const struct matrix_multiply *m, unsigned quad,
                        const struct float_rows *packed, ints16 four[4])
{
    const unsigned bits = tensor_formats[m->a].bits, words = m->a_count / 2;
    memset(four, 0, 4 * sizeof *four);
    if (m->a == ELEMENT_TF32) {
        const ints16 there = floats_as_bits(packed->value[floats_place(bits, words, quad)]);
        const ints16 second = metadata_of_rows(w, m, 2 * quad, m->k) > 1;
        four[0] = there & ~second;
        four[1] = there & second;
        return (ints16){0};
    }
    const ints16 first = floats_as_bits(packed->value[floats_place(bits, words, 2 * quad)]);
    const ints16 last = floats_as_bits(packed->value[floats_place(bits, words, 2 * quad + 1)]);
    const ints16 place = metadata_of_rows(w, m, 2 * quad, m->k / 2);
    const ints16 place_of_last = metadata_of_rows(w, m, 2 * quad + 1, m->k / 2);
    for (s32 i = 0; i < 4; i++) {
        four[i] = (first & (place == i)) | (last & (place_of_last == i));
    }
    return place == place_of_last;
}

/* The quads `first`, first + step and so on; the others are zeros. false: see exec_matrix.h. */
static bool rows_of(const struct warp *w, const struct matrix_multiply *m, unsigned first,
                    unsigned step, const struct float_rows *packed, struct float_rows *rows)
{
    const unsigned bits = tensor_formats[m->a].bits, per = m->a == ELEMENT_TF32 ? 2 : 4;
    ints16 twice = {0};
    memset(rows, 0, sizeof *rows);
    for (unsigned quad = first; quad < m->k / per; quad += step) {
        ints16 four[4];
        twice |= write_out(w, m, quad, packed, four);
        for (unsigned i = 0; i < per; i++) {
            const unsigned place = floats_place(bits, m->b_count, per * quad + i);
            rows->value[place] = floats_as_floats(four[i]);
        }
    }
    for (unsigned k = 0; k < m->k; k += 4) {
        floats_row_exponents(rows, k, floats_least_exponent(m->a, bits == 8));
    }
    return !any(twice);
}

/* --- products ----------------------------------------------------------------------------------
 */

/* FP8 is two sums: the even quads, then the odd ones; an infinity stays one. */
static bool multiply_fp8(const struct warp *w, const struct matrix_multiply *m,
                         struct float_tile *tile)
{
    const bool halves = m->rule.rounding == TENSOR_TO_F16;
    struct tensor_rule rule = m->rule;
    ints16 sums[MATRIX_COLUMNS] = {{0}};
    struct float_rows rows[2];
    if (floats_are_special(&tile->of_a) || !rows_of(w, m, 0, 2, &tile->rows, &rows[0]) ||
        !rows_of(w, m, 1, 2, &tile->rows, &rows[1])) {
        return false;
    }
    rule.accumulates_apart = false;
    rule.most = m->k;
    for (unsigned half = 0; half < 2; half++) {
        ints16 before[MATRIX_COLUMNS];
        memcpy(before, sums, sizeof sums);
        floats_multiply(&rows[half], &tile->columns, m->k, rule, sums, halves);
        for (unsigned n = 0; n < MATRIX_COLUMNS; n++) {
            const ints16 infinite = (before[n] & INFINITE) == INFINITE;
            sums[n] = floats_chosen(infinite, before[n], sums[n]);
        }
    }
    for (unsigned n = 0; n < MATRIX_COLUMNS; n++) {
        tile->c[n] = floats_added(tile->c[n], sums[n], m->rule);
    }
    return true;
}

bool exec_multiply_sparse(const struct warp *w, const struct matrix_multiply *m,
                          struct float_tile *tile)
{
    struct tensor_rule rule = m->rule;
    struct float_rows rows;
    if (floats_are_special(&tile->of_b)) {
        return false;
    }
    if (tensor_formats[m->a].bits == 8) {
        return multiply_fp8(w, m, tile);
    }
    if (!rows_of(w, m, 0, 1, &tile->rows, &rows)) {
        return false;
    }
    rule.most = m->k; /* products: as many zeros are among them */
    exec_multiply_tile(m, &rows, tile, rule);
    return true;
}

/* matrix_sparse.c - products whose rows are sparse: metadata says which k their elements stand for.
 *
 * Rows are written out, with zeros for what is not there, and multiplied like others: a zero takes
 * no part in a sum. */
#include "exec/exec_matrix.h"
#include "exec/matrix_larger.h"

#include <string.h>

/* --- metadata --------------------------------------------------------------------------------- */

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
static ints16 metadata_of_rows(const struct warp *w, const struct sparsity *s, unsigned index,
                               unsigned per_row)
{
    static const ints16 is_lower = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};
    const u32 *words = warp_ref(w, s->metadata);
    ints16 columns[4], bits;
    floats_columns_of_words(words, words, columns);
    if (tensor_formats[s->a].bits >= 16) {
        const unsigned lane = per_row <= 8 ? s->selector : 2 * s->selector + index / 8;
        bits = columns[lane % 4] >> (16 & is_lower) >> (s32)(2 * (index % 8));
    } else {
        const unsigned lane = per_row <= 16 ? 2 * s->selector : 2 * (index / 16);
        bits = floats_chosen(is_lower, columns[(lane + 1) % 4], columns[lane % 4]) >>
               (s32)(2 * (index % 16));
    }
    return bits & 3;
}

ints16 exec_sparse_places(const struct warp *w, const struct sparsity *s, unsigned i)
{
    if (s->a == ELEMENT_TF32) {
        return (metadata_of_rows(w, s, 2 * i, s->k) >> 1) + (s32)(2 * i);
    }
    return metadata_of_rows(w, s, i, s->k / 2) + (s32)(i / 2 * 4);
}

bool exec_write_out(const struct warp *w, const struct sparsity *s, const ints16 *packed,
                    ints16 *rows)
{
    const unsigned per = s->a == ELEMENT_TF32 ? 1 : 2; /* of each 2 * per elements */
    ints16 twice = {0};
    memset(rows, 0, s->k * sizeof *rows);
    for (unsigned i = 0; i < s->k / 2; i++) {
        const unsigned first = i / per * per * 2;
        const ints16 place = exec_sparse_places(w, s, i);
        for (unsigned k = first; k < first + 2 * per; k++) {
            const ints16 here = place == (s32)k;
            rows[k] |= here & packed[i];
        }
        twice |= i % per == 0 ? (ints16){0} : (ints16)(place == exec_sparse_places(w, s, i - 1));
    }
    return !any(twice);
}

/* --- rows written out ------------------------------------------------------------------------- */

/* Rows, of which the quads `first`, first + step and so on are written out; the others are zeros.
 * false: see exec_matrix.h. */
static bool rows_of(const struct warp *w, const struct matrix_multiply *m, unsigned first,
                    unsigned step, const struct float_rows *packed, struct float_rows *rows)
{
    const struct sparsity s = {m->a, m->k, m->selector, m->metadata};
    const unsigned bits = tensor_formats[m->a].bits;
    ints16 in_order[FLOATS_MOST_K], written[FLOATS_MOST_K];
    for (unsigned i = 0; i < m->k / 2; i++) {
        in_order[i] = floats_as_bits(packed->value[floats_place(bits, m->a_count / 2, i)]);
    }
    const bool good = exec_write_out(w, &s, in_order, written);
    for (unsigned k = 0; k < m->k; k++) {
        const bool here = k / 4 % step == first;
        rows->value[floats_place(bits, m->b_count, k)] =
            here ? floats_as_floats(written[k]) : (floats16){0};
    }
    for (unsigned k = 0; k < m->k; k += 4) {
        floats_row_exponents(rows, k, floats_least_exponent(m->a, bits == 8));
    }
    return good;
}

/* --- products --------------------------------------------------------------------------------- */

/* FP8 is two sums: the even quads, then the odd ones; an infinity stays one. */
static bool multiply_fp8(const struct warp *w, const struct matrix_multiply *m,
                         struct float_tile *tile)
{
    const bool halves = m->rule.rounding == TENSOR_TO_F16;
    struct tensor_rule rule = m->rule;
    ints16 sums[MATRIX_COLUMNS] = {{0}};
    struct float_rows rows[2];
    if (floats_are_special(&tile->a->of.range) || !rows_of(w, m, 0, 2, &tile->a->rows, &rows[0]) ||
        !rows_of(w, m, 1, 2, &tile->a->rows, &rows[1])) {
        return false;
    }
    rule.accumulates_apart = false;
    rule.most = m->k;
    for (unsigned half = 0; half < 2; half++) {
        ints16 before[MATRIX_COLUMNS];
        memcpy(before, sums, sizeof sums);
        floats_multiply(&rows[half], &tile->b->columns, m->k, rule, sums, halves);
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
    if (floats_are_special(&tile->b->of.range)) {
        return false;
    }
    if (tensor_formats[m->a].bits == 8) {
        return multiply_fp8(w, m, tile);
    }
    if (!rows_of(w, m, 0, 1, &tile->a->rows, &rows)) {
        return false;
    }
    rule.most = m->k; /* products: as many zeros are among them */
    exec_multiply_tile(m, &rows, tile, rule);
    return true;
}

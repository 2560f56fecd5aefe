/* matrix_tile.c - the operands of a part as floats, and their product: see exec_matrix.h.
 *
 * A product of matrices uses each fragment of A and B several times, mostly one after the other. So
 * the last fragment of each is kept with its words, and where the registers still hold these words
 * it is not unpacked again: comparing takes two fifths of the time of unpacking. */
#include "exec/exec_matrix.h"
#include "exec/matrix_larger.h"

static void words_of(const struct warp *w, const uint32_t *refs, unsigned count, const u32 **words)
{
    for (unsigned r = 0; r < count; r++) {
        words[r] = warp_ref(w, refs[r]);
    }
}

static bool is_kept(const struct float_fragment *f, enum tensor_format format, unsigned count,
                    const u32 *const words[])
{
    if (f->format != format || f->count != count) {
        return false;
    }
#pragma GCC unroll 1 /* most others differ in the first register */
    for (unsigned r = 0; r < count; r++) {
        const ints16_there *there = (const void *)words[r];
        if (any((f->words[r][0] ^ there[0]) | (f->words[r][1] ^ there[1]))) {
            return false;
        }
    }
    return true;
}

/* The fragment is kept; its range has been found. */
static void keep(struct float_fragment *f, enum tensor_format format, unsigned count,
                 const u32 *const words[])
{
    f->format = format;
    f->count = count;
#pragma GCC unroll 1
    for (unsigned r = 0; r < count; r++) {
        const ints16_there *there = (const void *)words[r];
        f->words[r][0] = there[0];
        f->words[r][1] = there[1];
    }
    f->is_near = floats_lie_within(&f->range, FLOATS_NEAR);
}

static const struct float_row_fragment *
rows_of(const struct warp *w, const struct matrix_multiply *m, const struct matrix_part *part)
{
    static _Thread_local struct float_row_fragment last;
    const u32 *words[MATRIX_MOST_A];
    words_of(w, part->a, m->a_count, words);
    if (!is_kept(&last.of, m->a, m->a_count, words)) {
        floats_of_row_registers(m->a, words, m->a_count, &last.rows, &last.of.range);
        keep(&last.of, m->a, m->a_count, words);
    }
    return &last;
}

static const struct float_column_fragment *
columns_of(const struct warp *w, const struct matrix_multiply *m, const struct matrix_part *part)
{
    static _Thread_local struct float_column_fragment last;
    const u32 *words[MATRIX_MOST_B];
    words_of(w, part->b, m->b_count, words);
    if (!is_kept(&last.of, m->b, m->b_count, words)) {
        floats_of_column_registers(m->b, words, m->b_count, &last.columns, &last.of.range);
        keep(&last.of, m->b, m->b_count, words);
    }
    return &last;
}

void exec_read_tile(const struct warp *w, const struct matrix_multiply *m,
                    const struct matrix_part *part, struct float_tile *tile)
{
    const u32 *c[MATRIX_MOST_C];
    tile->a = rows_of(w, m, part);
    tile->b = columns_of(w, m, part);
    words_of(w, part->c, m->c_count, c);
    floats_of_accumulator_registers(m->c, c, tile->c, &tile->of_c);
}

/* Where sums are added to the accumulators apart from the products, these may be any numbers. */
static bool is_near(const struct float_tile *t, struct tensor_rule rule)
{
    return t->a->of.is_near && t->b->of.is_near &&
           (rule.accumulates_apart || floats_lie_within(&t->of_c, FLOATS_NEAR_SUMS));
}

void exec_multiply_tile(const struct matrix_multiply *m, const struct float_rows *rows,
                        struct float_tile *tile, struct tensor_rule rule)
{
    const bool is_fp8 = tensor_formats[m->a].bits == 8;
    const bool halves = rule.rounding == TENSOR_TO_F16;
    const struct float_columns *columns = &tile->b->columns;
    if (is_near(tile, rule)) {
        floats_multiply(rows, columns, m->k, rule, tile->c, halves);
        return;
    }
    const bool special = floats_are_special(&tile->a->of.range) ||
                         floats_are_special(&tile->b->of.range) || floats_are_special(&tile->of_c);
    const struct far_operands o = {rows, columns, floats_least_exponent(m->a, is_fp8),
                                   floats_least_exponent(m->b, is_fp8), special};
    floats_multiply_far(&o, m->k, rule, tile->c, halves);
}

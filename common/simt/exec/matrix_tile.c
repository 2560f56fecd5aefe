/* matrix_tile.c - the operands of a part as floats, and their product: see exec_matrix.h. */
#include "exec/exec_matrix.h"

static void words_of(const struct warp *w, const uint32_t *refs, unsigned count, const u32 **words)
{
    for (unsigned r = 0; r < count; r++) {
        words[r] = warp_ref(w, refs[r]);
    }
}

void exec_read_tile(const struct warp *w, const struct matrix_multiply *m,
                    const struct matrix_part *part, struct float_tile *tile)
{
    const u32 *a[MATRIX_MOST_A], *b[MATRIX_MOST_B], *c[MATRIX_MOST_C];
    words_of(w, part->a, m->a_count, a);
    words_of(w, part->b, m->b_count, b);
    words_of(w, part->c, m->c_count, c);
    floats_of_row_registers(m->a, a, m->a_count, &tile->rows, &tile->of_a);
    floats_of_column_registers(m->b, b, m->b_count, &tile->columns, &tile->of_b);
    floats_of_accumulator_registers(m->c, c, tile->c, &tile->of_c);
}

void exec_multiply_tile(const struct matrix_multiply *m, const struct float_rows *rows,
                        struct float_tile *tile, struct tensor_rule rule)
{
    const bool is_fp8 = tensor_formats[m->a].bits == 8;
    const bool halves = rule.rounding == TENSOR_TO_F16;
    const struct float_range *of_c = rule.accumulates_apart ? &tile->of_b : &tile->of_c;
    if (floats_are_near(&tile->of_a, &tile->of_b, of_c)) {
        floats_multiply(rows, &tile->columns, m->k, rule, tile->c, halves);
        return;
    }
    const bool special = floats_are_special(&tile->of_a) || floats_are_special(&tile->of_b) ||
                         floats_are_special(&tile->of_c);
    const struct far_operands o = {rows, &tile->columns, floats_least_exponent(m->a, is_fp8),
                                   floats_least_exponent(m->b, is_fp8), special};
    floats_multiply_far(&o, m->k, rule, tile->c, halves);
}

/* matrix_floats.h - sums of products for 16 rows at a time: what common/gpu/tensor.h defines, for
 * numbers whose exponents lie so that single precision holds every product exactly.
 *
 * A term is cut off by a conversion to an integer: a * b * 2^kept / (the largest exponent's power
 * of two) is exact in single precision but for what is cut off, and a conversion cuts towards zero.
 * Operands with infinities, NaNs or far exponents are left to tensor_dot(). */
#ifndef SIMT_MATRIX_FLOATS_H
#define SIMT_MATRIX_FLOATS_H

#include "decode/matrix.h"
#include "exec/exec_types.h"

#include <stdbool.h>

enum { FLOATS_MOST_K = 64 };

typedef f32 floats16 __attribute__((vector_size(64)));
typedef s32 ints16 __attribute__((vector_size(64)));
/* The same in memory, as words: loaded and stored in one piece. */
typedef f32 floats16_there __attribute__((vector_size(64), aligned(4), may_alias));
typedef s32 ints16_there __attribute__((vector_size(64), aligned(4), may_alias));

/* 16 rows of A: of each k their values, and their exponents in steps of 2^23 (as in the bits of a
 * float). */
struct float_rows {
    floats16 value[FLOATS_MOST_K];
    ints16 exponent[FLOATS_MOST_K];
};

/* 8 columns of B: element k of column n is number 4 n + k mod 4 of group k / 4, as it is in
 * registers. Exponents have no bias: they are added to those of rows. */
enum { FLOATS_GROUP = 32 };
struct float_columns {
    f32 value[FLOATS_MOST_K / 4][FLOATS_GROUP];
    s32 exponent[FLOATS_MOST_K / 4][FLOATS_GROUP];
};

/* The least and the largest exponent that are not a zero's, of 16 groups of numbers; special: where
 * an infinity or a NaN is among them. */
struct float_range {
    ints16 least, largest, special;
};
struct float_range floats_no_range(void);

/* Elements as floats: bit patterns in words, from bit `shift` on. widened: FP8 as FP16, where no
 * number of FP8 is subnormal. Of rows, the elements k to k + 3; of columns, those of a group. */
void floats_of_rows(enum tensor_format format, bool widened, const ints16 words[4], unsigned shift,
                    struct float_rows *rows, unsigned k, struct float_range *range);
void floats_of_columns(enum tensor_format format, bool widened, const u32 words[FLOATS_GROUP],
                       unsigned shift, struct float_columns *columns, unsigned group,
                       struct float_range *range);
/* Eight columns of accumulators become FP32 bits. */
void floats_of_accumulators(enum tensor_format format, ints16 c[8], struct float_range *range);

/* May these products be added with an accumulator of any of those? */
bool floats_are_near(struct float_range a, struct float_range b, struct float_range c);

/* c (FP32 bits, of FP16 numbers if so said) + rows * column n, as FP32 bits, rounded as the rule
 * says. */
ints16 floats_multiply(const struct float_rows *rows, const struct float_columns *columns,
                       unsigned n, unsigned k, struct tensor_rule rule, ints16 c, bool c_is_half);

#endif

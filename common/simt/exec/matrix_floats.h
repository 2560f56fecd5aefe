/* matrix_floats.h - sums of products for 16 rows at a time: what common/gpu/tensor.h defines.
 *
 * A term is cut off by a conversion to an integer: a * b * 2^kept / (the largest exponent's power
 * of two) is exact in single precision but for what is cut off, and a conversion cuts towards zero.
 * floats_multiply() is for numbers whose exponents lie so that single precision holds every product
 * exactly; floats_multiply_far() takes all numbers, and at half the speed. */
#ifndef SIMT_MATRIX_FLOATS_H
#define SIMT_MATRIX_FLOATS_H

#include "decode/matrix.h"
#include "exec/matrix_vectors.h"

#include <stdbool.h>

enum { FLOATS_MOST_K = 64 };

/* Exponents are compared as bytes, four k of a row or column at a time: between -30 and 30 they
 * have the bias 92 there, so that a byte holds the sum of two, and a zero's, 0, is below all others
 * in any sum. */
enum { FLOATS_NEAR = 30, FLOATS_NEAR_SUMS = 2 * FLOATS_NEAR, FLOATS_BIAS = 92 };

/* 16 rows of A: of each k their values; of four k's their exponents, byte 4 row + k mod 4. */
struct float_rows {
    floats16 value[FLOATS_MOST_K];
    bytes64 exponent[FLOATS_MOST_K / 4];
};

/* 8 columns of B: element k of column n is number 4 n + k mod 4 of group k / 4, as it is in
 * registers. */
enum { FLOATS_GROUP = 32 };
struct float_columns {
    f32 value[FLOATS_MOST_K / 4][FLOATS_GROUP];
    u8 exponent[FLOATS_MOST_K / 4][FLOATS_GROUP];
};

/* Of groups of numbers the bits of the largest magnitude, and of the least that is not a zero's,
 * less one; both moved up by one bit, over the sign. fields: the largest exponents, as they stand
 * in floats, of those that are not looked at in this way. */
struct float_range {
    words16 largest, least;
    bytes64 fields;
};
struct float_range floats_no_range(void);

/* How numbers of a format are aligned: their smallest exponent. widened: FP8 as FP16, where no
 * number of FP8 is subnormal. */
s32 floats_least_exponent(enum tensor_format format, bool widened);

/* Elements as floats: bit patterns in the low bits of words. Of rows, the elements k to k + 3; of
 * columns, those of a group. `least` is the format's smallest exponent. */
void floats_of_rows(enum tensor_format format, s32 least, const ints16 words[4],
                    struct float_rows *rows, unsigned k, struct float_range *range);
void floats_of_columns(enum tensor_format format, s32 least, const u32 words[FLOATS_GROUP],
                       struct float_columns *columns, unsigned group, struct float_range *range);

/* All of an operand of mma: `count` registers, of rows two for each word of a row; *range is that
 * of these numbers alone. Of FP8, which becomes FP16, the elements k mod 4 < 2 come first: sums
 * take them first, as the machine code does. */
void floats_of_row_registers(enum tensor_format format, const u32 *const registers[],
                             unsigned count, struct float_rows *rows, struct float_range *range);
void floats_of_column_registers(enum tensor_format format, const u32 *const registers[],
                                unsigned count, struct float_columns *columns,
                                struct float_range *range);
/* Where the element i of a row or column of so many words is then. */
unsigned floats_place(unsigned bits, unsigned words, unsigned i);
/* The exponents of rows k to k + 3, whose values are there. */
void floats_row_exponents(struct float_rows *rows, unsigned k, s32 least);
/* Eight columns of accumulators, from registers; and FP16 or FP32 bits become FP32 bits. *range is
 * that of these numbers alone. */
void floats_of_accumulator_registers(enum tensor_format format, const u32 *const registers[],
                                     ints16 c[8], struct float_range *range);
void floats_of_accumulators(enum tensor_format format, ints16 c[8], struct float_range *range);
/* Are all of them zero or between 2^-limit and 2^(limit + 1)? */
bool floats_lie_within(const struct float_range *r, s32 limit);
/* May these products be added with an accumulator of any of those by floats_multiply()? */
bool floats_are_near(const struct float_range *a, const struct float_range *b,
                     const struct float_range *c);
/* Is there an infinity or a NaN? */
bool floats_are_special(const struct float_range *r);

/* c[n] + rows * column n for all eight columns, as FP32 bits, rounded as the rule says; c: FP32
 * bits, of FP16 numbers if so said. */
void floats_multiply(const struct float_rows *rows, const struct float_columns *columns, unsigned k,
                     struct tensor_rule rule, ints16 c[8], bool c_is_half);

/* The same of any numbers; least_a, least_b: the smallest exponents of their formats; special:
 * there are infinities or NaNs. */
struct far_operands {
    const struct float_rows *rows;
    const struct float_columns *columns;
    s32 least_a, least_b;
    bool special;
};
void floats_multiply_far(const struct far_operands *o, unsigned k, struct tensor_rule rule,
                         ints16 c[8], bool c_is_half);

/* Numbers as FP16, to the nearest even one, and back as FP32 bits; what is rounded to zero is +0.
 */
ints16 floats_nearest_half(doubles16 exact);
/* c + d, apart from the products: as an addition of FP32, or of FP16. */
ints16 floats_added(ints16 c, ints16 d, struct tensor_rule rule);

#endif

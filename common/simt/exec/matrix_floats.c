/* matrix_floats.c - sums of products of numbers whose exponents are near: see matrix_floats.h. */
#include "exec/exec_values.h"
#include "exec/matrix_floats.h"
#include "exec/matrix_larger.h"

#include <string.h>

/* --- rounding --------------------------------------------------------------------------------- */

/* FP16 as FP32 bits; what was rounded to zero has no sign. */
INLINE ints16 without_negative_zero(ints16 bits) { return bits & ((bits & 0x7fffffff) != 0); }

#if defined HAS_AVX512
/* Of numbers whose last bit is set where anything was cut off. */
INLINE ints16 halves_of_odd(floats16 odd)
{
    const __m256i half = _mm512_cvtps_ph((__m512)odd, _MM_FROUND_TO_NEAREST_INT);
    return without_negative_zero(floats_as_bits((floats16)_mm512_cvtph_ps(half)));
}

ints16 floats_nearest_half(doubles16 exact)
{
    floats16 odd;
    for (unsigned i = 0; i < 16; i++) {
        odd[i] = odd_f32_of_f64(exact[i]);
    }
    return halves_of_odd(odd);
}
#else
ints16 floats_nearest_half(doubles16 exact)
{
    ints16 result;
    for (unsigned i = 0; i < 16; i++) {
        result[i] = (s32)bits_of_f32(f32_of_half(half_of_f64(exact[i], 0)));
    }
    return without_negative_zero(result);
}
#endif

ints16 floats_added(ints16 c, ints16 d, struct tensor_rule rule)
{
    const floats16 a = floats_as_floats(c), b = floats_as_floats(d);
    if (rule.rounding == TENSOR_TO_F16) {
        return floats_nearest_half(__builtin_convertvector(a, doubles16) +
                                   __builtin_convertvector(b, doubles16));
    }
    const floats16 sum = a + b;
    return floats_chosen(sum == sum, floats_as_bits(sum), floats_all(0x7fffffff));
}

/* total * 2^(largest - kept), rounded; the largest exponent as in the bits of a float. Apart, since
 * the compiler would compute its constants even where it is not called. */
static __attribute__((noinline)) ints16 rounded_sum(ints16 products, ints16 addend, ints16 largest,
                                                    struct tensor_rule rule)
{
    const doubles16 total =
        __builtin_convertvector(products, doubles16) + __builtin_convertvector(addend, doubles16);
    const longs16 exponent = __builtin_convertvector(largest, longs16) << (52 - 23);
    longs16 bits = exponent + ((s64)(1023 - 127 - (s32)rule.kept) << 52);
    doubles16 exact;
    memcpy(&exact, &bits, sizeof exact);
    exact *= total;
    if (rule.rounding == TENSOR_TO_F16) {
        return floats_nearest_half(exact);
    }
    memcpy(&bits, &exact, sizeof bits);
    bits &= -((s64)1 << (rule.rounding == TENSOR_TO_E8M13 ? 39 : 29));
    memcpy(&exact, &bits, sizeof exact);
    return floats_as_bits(__builtin_convertvector(exact, floats16));
}

#if defined HAS_AVX512
enum { ROUNDS_AT_ONCE = true };

/* The same of what fits in 32 bits: a conversion cuts off. What does not has a negative number in
 * the result. */
INLINE ints16 rounds_if_fits(ints16 products, ints16 addend, ints16 largest,
                             struct tensor_rule rule, ints16 *result)
{
    const ints16 total = (ints16)((words16)products + (words16)addend);
    const ints16 overflow = (total ^ products) & (total ^ addend);
    const floats16 cut =
        (floats16)_mm512_cvt_roundepi32_ps((__m512i)total, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const floats16 unit = floats_as_floats(largest - (s32)rule.kept * STEP);
    if (rule.rounding == TENSOR_TO_F16) {
        const ints16 inexact = __builtin_convertvector(cut, ints16) != total;
        *result = halves_of_odd(floats_as_floats(floats_as_bits(cut) | (inexact & 1)) * unit);
    } else {
        const ints16 bits = floats_as_bits(cut * unit);
        *result = rule.rounding == TENSOR_TO_E8M13 ? bits & ~0x3ff : bits;
    }
    return overflow & (s32)0x80000000;
}
#else
enum { ROUNDS_AT_ONCE = false };

INLINE ints16 rounds_if_fits(ints16 products, ints16 addend, ints16 largest,
                             struct tensor_rule rule, ints16 *result)
{
    (void)products, (void)addend, (void)largest, (void)rule, (void)result;
    return floats_all(-1);
}
#endif

/* --- sums ------------------------------------------------------------------------------------- */

enum { NO_EXPONENT = LOW(-90) }; /* where all are zero */

/* Of the products of groups `group` to `end` of column n: the largest exponent of each row, as in
 * the bits of a float; less than any accumulator's where all are zero. */
INLINE ints16 largest_exponent(const struct float_rows *rows, const struct float_columns *columns,
                               unsigned n, unsigned group, unsigned end)
{
    bytes64 largest = {0};
    for (; group < end; group++) {
        s32 column;
        memcpy(&column, columns->exponent[group] + (size_t)4 * n, sizeof column);
        largest = larger_bytes(largest, rows->exponent[group] + (bytes64)floats_all(column));
    }
    largest = larger_bytes(largest, (bytes64)((words16)largest >> 16));
    largest = larger_bytes(largest, (bytes64)((words16)largest >> 8));
    return ((ints16)largest & 0xff) * STEP + (127 - 2 * FLOATS_BIAS) * STEP;
}

/* Two neighbouring columns, n and n + 1: each value of a row is loaded once. */
INLINE void sums_of_products(const struct float_rows *rows, const struct float_columns *columns,
                             unsigned n, unsigned group, unsigned end, const floats16 scale[2],
                             ints16 sum[2])
{
    const floats16 *row = rows->value + (size_t)4 * group;
    const f32 *column = columns->value[group] + (size_t)4 * n;
    ints16 first = {0}, second = {0};
    for (; group < end; group++, row += 4, column += FLOATS_GROUP) {
#pragma GCC unroll 4
        for (size_t t = 0; t < 4; t++) {
            first += __builtin_convertvector(row[t] * column[t] * scale[0], ints16);
            second += __builtin_convertvector(row[t] * column[4 + t] * scale[1], ints16);
        }
    }
    sum[0] = first;
    sum[1] = second;
}

/* The largest exponent of all terms of column n: of products and of the accumulator. */
INLINE ints16 largest_of_terms(const struct float_rows *rows, const struct float_columns *columns,
                               unsigned n, unsigned group, unsigned end, ints16 c, s32 least_c)
{
    ints16 of_c = c & INFINITE;
    if (least_c != 0) { /* known where this is inlined */
        of_c = larger(of_c, floats_all(least_c)) & ((c & 0x7fffffff) != 0);
    }
    const ints16 most = larger(of_c, largest_exponent(rows, columns, n, group, end));
    return larger(most, floats_all(NO_EXPONENT));
}

/* Of columns n and n + 1: what is to be added up, and the scale of the terms. */
INLINE void two_columns(const struct float_rows *rows, const struct float_columns *columns,
                        unsigned n, unsigned group, unsigned end, struct tensor_rule rule,
                        const ints16 c[2], const ints16 largest[2], ints16 products[2],
                        ints16 addend[2])
{
    floats16 scale[2];
#pragma GCC unroll 2
    for (unsigned i = 0; i < 2; i++) {
        scale[i] = floats_as_floats(
            (ints16)((254u + rule.kept) * (u32)STEP - (words16)largest[i])); /* modulo 2^32 */
    }
    sums_of_products(rows, columns, n, group, end, scale, products);
#pragma GCC unroll 2
    for (unsigned i = 0; i < 2; i++) {
        addend[i] = __builtin_convertvector(floats_as_floats(c[i]) * scale[i], ints16);
    }
}

INLINE void two_sums(const struct float_rows *rows, const struct float_columns *columns, unsigned n,
                     unsigned group, unsigned end, struct tensor_rule rule, ints16 c[2],
                     const ints16 largest[2])
{
    const bool chained = group != 0; /* c is a sum, which may have become an infinity */
    ints16 products[2], addend[2];
    two_columns(rows, columns, n, group, end, rule, c, largest, products, addend);
#pragma GCC unroll 2
    for (unsigned i = 0; i < 2; i++) {
        ints16 result;
        if (any(rounds_if_fits(products[i], addend[i], largest[i], rule, &result))) {
            result = rounded_sum(products[i], addend[i], largest[i], rule);
        }
        c[i] = chained ? floats_chosen((c[i] & INFINITE) == INFINITE, c[i], result) : result;
    }
}

/* All columns, unless a sum somewhere does not fit: false, and nothing is done. */
INLINE bool all_fit(const struct float_rows *rows, const struct float_columns *columns,
                    unsigned groups, struct tensor_rule rule, ints16 c[8], const ints16 largest[8])
{
    ints16 results[8], overflow = {0};
    for (unsigned n = 0; n < 8; n += 2) {
        ints16 products[2], addend[2];
        two_columns(rows, columns, n, 0, groups, rule, c + n, largest + n, products, addend);
#pragma GCC unroll 2
        for (unsigned i = 0; i < 2; i++) {
            overflow |=
                rounds_if_fits(products[i], addend[i], largest[n + i], rule, &results[n + i]);
        }
    }
    if (any(overflow)) {
        return false;
    }
    memcpy(c, results, sizeof results);
    return true;
}

/* One sum of all products: the most frequent kinds, each with its constants. */
INLINE void multiply_at_once(const struct float_rows *rows, const struct float_columns *columns,
                             unsigned groups, enum tensor_rounding rounding, ints16 c[8],
                             s32 least_c)
{
    const struct tensor_rule rule = {.kept = 25, .most = 4 * groups, .rounding = rounding};
    ints16 largest[8]; /* all before the first sum: else each sum waits for its own */
    for (unsigned n = 0; n < 8; n++) {
        largest[n] = largest_of_terms(rows, columns, n, 0, groups, c[n], least_c);
    }
    if (ROUNDS_AT_ONCE && all_fit(rows, columns, groups, rule, c, largest)) {
        return;
    }
    for (unsigned n = 0; n < 8; n += 2) { /* seldom: column by column */
        two_sums(rows, columns, n, 0, groups, rule, c + n, largest + n);
    }
}

static void multiply_in_turn(const struct float_rows *rows, const struct float_columns *columns,
                             unsigned groups, struct tensor_rule rule, ints16 c[8], s32 least_c)
{
    const unsigned most = rule.most / 4;
    for (unsigned n = 0; n < 8; n += 2) {
        ints16 sum[2] = {{0}, {0}};
        if (!rule.accumulates_apart) {
            memcpy(sum, c + n, sizeof sum);
        }
        for (unsigned g = 0; g < groups; g += most) {
            const unsigned end = g + most < groups ? g + most : groups;
            ints16 largest[2];
            for (unsigned i = 0; i < 2; i++) {
                largest[i] = largest_of_terms(rows, columns, n + i, g, end, sum[i], least_c);
            }
            two_sums(rows, columns, n, g, end, rule, sum, largest);
        }
        for (unsigned i = 0; i < 2; i++) {
            c[n + i] = rule.accumulates_apart ? floats_added(c[n + i], sum[i], rule) : sum[i];
        }
    }
}

void floats_multiply(const struct float_rows *rows, const struct float_columns *columns, unsigned k,
                     struct tensor_rule rule, ints16 c[8], bool c_is_half)
{
    const s32 least_c = c_is_half ? LOW(-14) : 0;
    const bool at_once = rule.kept == 25 && rule.most >= k && !rule.accumulates_apart;
    if (at_once && k == 16 && rule.rounding == TENSOR_TO_F32) {
        multiply_at_once(rows, columns, 4, TENSOR_TO_F32, c, 0);
    } else if (at_once && k == 8 && rule.rounding == TENSOR_TO_F32) {
        multiply_at_once(rows, columns, 2, TENSOR_TO_F32, c, 0);
    } else if (at_once && k == 16 && c_is_half) {
        multiply_at_once(rows, columns, 4, TENSOR_TO_F16, c, LOW(-14));
    } else {
        multiply_in_turn(rows, columns, k / 4, rule, c, least_c);
    }
}

/* matrix_far.c - floats_multiply_far() of matrix_floats.h.
 *
 * A number is a significand below 2 and an exponent apart, so that no product underflows. What is
 * not finite takes no part in the sums: sums of such numbers alone say afterwards which results are
 * infinities or NaNs. */
#include "exec/matrix_floats.h"
#include "exec/matrix_larger.h"

#include <string.h>

enum {
    SIGN = -0x7fffffff - 1,
    ZERO = -1000,     /* exponent of a zero */
    LEAST_SUM = -400, /* below the exponents of all products; to FP32 -133 is the least */
    NOTHING = -40     /* exponent of what is cut off as a whole */
};

/* 2^exponent, of exponents from -126 to 127. */
static inline floats16 power(ints16 exponent) { return floats_as_floats((exponent + 127) * STEP); }

struct parts {
    floats16 significand;
    ints16 exponent;
};

/* Of a number whose exponent is below `least` the significand is less than 1. */
static inline struct parts parts_of(floats16 value, s32 least)
{
    const ints16 bits = floats_as_bits(value), size = bits & 0x7fffffff, field = size >> 23;
    const ints16 fraction = size & (STEP - 1);
    const ints16 exponent = larger(field - 127, floats_all(least));
    /* what is subnormal in FP32 counts 2^-149, the least exponent being -126 */
    const floats16 counted = __builtin_convertvector(fraction, floats16) * 0x1p-23f;
    const floats16 normal = floats_as_floats(fraction | 127 * STEP) * power(field - 127 - exponent);
    const ints16 significand =
        floats_chosen(field == 0, floats_as_bits(counted), floats_as_bits(normal));
    const ints16 none = (size == 0) | (field == 255);
    return (struct parts){floats_as_floats((significand & ~none) | (bits & SIGN)),
                          floats_chosen(none, floats_all(ZERO), exponent)};
}

struct far {
    floats16 significand[FLOATS_MOST_K];
    ints16 exponent[FLOATS_MOST_K];
    struct {
        f32 significand[FLOATS_GROUP];
        s32 exponent[FLOATS_GROUP];
    } columns[FLOATS_MOST_K / 4];
};

static void take_apart(const struct far_operands *o, unsigned k, struct far *far)
{
    for (unsigned i = 0; i < k; i++) {
        const struct parts p = parts_of(o->rows->value[i], o->least_a);
        far->significand[i] = p.significand;
        far->exponent[i] = p.exponent;
    }
    for (unsigned group = 0; group < k / 4; group++) {
        for (unsigned half = 0; half < FLOATS_GROUP; half += 16) {
            const floats16_there *values = (const void *)(o->columns->value[group] + half);
            const struct parts p = parts_of(*values, o->least_b);
            memcpy(far->columns[group].significand + half, &p.significand, sizeof p.significand);
            memcpy(far->columns[group].exponent + half, &p.exponent, sizeof p.exponent);
        }
    }
}

/* The sum cut off behind 24 significant bits, or 14: a double holds it exactly. */
static ints16 cut_off(doubles16 total, struct tensor_rule rule)
{
    longs16 bits;
    memcpy(&bits, &total, sizeof bits);
    bits &= -((s64)1 << (rule.rounding == TENSOR_TO_E8M13 ? 39 : 29));
    memcpy(&total, &bits, sizeof total);
    return floats_as_bits(__builtin_convertvector(total, floats16));
}

/* bits * 2^exponent: an infinity where that is too large, cut off where it is subnormal. */
static ints16 moved(ints16 bits, ints16 exponent, struct tensor_rule rule)
{
    const ints16 sign = bits & SIGN, size = bits & ~SIGN, field = (size >> 23) + exponent;
    const ints16 drop = larger(1 - field, floats_all(0)), nothing = drop > 23;
    const ints16 whole = (size & (STEP - 1)) | STEP;
    const ints16 small = (whole >> (drop & 31)) & ~nothing;
    const ints16 kept = small & (rule.rounding == TENSOR_TO_E8M13 ? ~0x3ff : ~0);
    const ints16 normal = (size & (STEP - 1)) | (ints16)((words16)field << 23);
    const ints16 finite = floats_chosen(field > 0, normal, kept);
    const ints16 result = floats_chosen(field > 254, floats_all(INFINITE), finite);
    const ints16 is_zero = (size == 0) | (result == 0); /* which has no sign */
    return (result | sign) & ~is_zero;
}

/* total * 2^exponent as FP16; nothing that becomes FP16 is far from 1. */
static ints16 as_half(doubles16 total, ints16 exponent)
{
    longs16 factor = (__builtin_convertvector(exponent, longs16) + 1023) << 52;
    doubles16 exact;
    memcpy(&exact, &factor, sizeof exact);
    return floats_nearest_half(exact * total);
}

/* c + products of groups `group` to `end` of column n, all of finite numbers; c that is not is left
 * alone. */
static ints16 one_sum(const struct far *far, unsigned n, unsigned group, unsigned end,
                      struct tensor_rule rule, ints16 c, s32 least_c)
{
    const struct parts of_c = parts_of(floats_as_floats(c), least_c);
    const s32 least = rule.rounding == TENSOR_TO_F16 ? LEAST_SUM : -133;
    ints16 largest = larger(of_c.exponent, floats_all(least)), products = {0};
    for (unsigned g = group; g < end; g++) {
        const s32 *column = far->columns[g].exponent + (size_t)4 * n;
#pragma GCC unroll 4
        for (size_t t = 0; t < 4; t++) {
            largest = larger(largest, far->exponent[4 * g + t] + column[t]);
        }
    }
    const ints16 unit = largest - (s32)rule.kept;
    for (unsigned g = group; g < end; g++) {
        const s32 *exponents = far->columns[g].exponent + (size_t)4 * n;
        const f32 *column = far->columns[g].significand + (size_t)4 * n;
#pragma GCC unroll 4
        for (size_t t = 0; t < 4; t++) {
            const ints16 above = far->exponent[4 * g + t] + exponents[t] - unit;
            const floats16 scale = power(larger(above, floats_all(NOTHING)));
            products +=
                __builtin_convertvector(far->significand[4 * g + t] * column[t] * scale, ints16);
        }
    }
    const ints16 above = larger(of_c.exponent - unit, floats_all(NOTHING));
    const ints16 addend = __builtin_convertvector(of_c.significand * power(above), ints16);
    const doubles16 total =
        __builtin_convertvector(products, doubles16) + __builtin_convertvector(addend, doubles16);
    const ints16 sum = rule.rounding == TENSOR_TO_F16 ? as_half(total, unit)
                                                      : moved(cut_off(total, rule), unit, rule);
    return floats_chosen((c & INFINITE) == INFINITE, c, sum);
}

/* What of a number matters for a sum that is not finite: its sign, or that it is zero. */
static inline floats16 kind_of(floats16 value)
{
    const ints16 bits = floats_as_bits(value), size = bits & 0x7fffffff;
    const ints16 one = floats_all(127 * STEP) & (size != 0);
    return floats_as_floats(floats_chosen(size >= INFINITE, bits, one | (bits & SIGN)));
}

/* The same sum if a term is an infinity or a NaN, else `sum`. */
static ints16 sum_with_specials(const struct far_operands *o, unsigned n, unsigned group,
                                unsigned end, ints16 c, ints16 sum)
{
    floats16 kind = kind_of(floats_as_floats(c));
    for (unsigned i = 4 * group; i < 4 * end; i++) {
        const floats16 column = o->columns->value[i / 4][(size_t)4 * n + i % 4] - (floats16){0};
        kind += kind_of(o->rows->value[i]) * kind_of(column);
    }
    const ints16 bits = floats_as_bits(kind), size = bits & 0x7fffffff;
    const ints16 special = floats_chosen(size > INFINITE, floats_all(0x7fffffff), bits);
    return floats_chosen(size >= INFINITE, special, sum);
}

void floats_multiply_far(const struct far_operands *o, unsigned k, struct tensor_rule rule,
                         ints16 c[8], bool c_is_half)
{
    const s32 least_c = c_is_half ? -14 : -126;
    const unsigned groups = k / 4, most = rule.most / 4;
    struct far far;
    ints16 sums[8] = {{0}};
    take_apart(o, k, &far);
    if (!rule.accumulates_apart) {
        memcpy(sums, c, sizeof sums);
    }
    for (unsigned n = 0; n < 8; n++) {
        for (unsigned g = 0; g < groups; g += most) {
            const unsigned end = g + most < groups ? g + most : groups;
            const ints16 sum = one_sum(&far, n, g, end, rule, sums[n], least_c);
            sums[n] = o->special ? sum_with_specials(o, n, g, end, sums[n], sum) : sum;
        }
        c[n] = rule.accumulates_apart ? floats_added(c[n], sums[n], rule) : sums[n];
    }
}

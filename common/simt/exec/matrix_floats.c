/* matrix_floats.c - see matrix_floats.h. */
#include "exec/matrix_floats.h"
#include "exec/exec_values.h"

#include <string.h>

#if defined __AVX512F__
#include <immintrin.h>
#endif

enum {
    STEP = 1 << 23,          /* of exponents in the bits of a float */
    NO_EXPONENT = -(1 << 29) /* of a zero: below all others, and two of them do not overflow */
};

#define LOW(exponent) ((127 + (exponent)) * STEP)

/* --- formats -----------------------------------------------------------------------------------
 */

static floats16 as_floats(ints16 bits)
{
    floats16 f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static ints16 as_ints(floats16 f)
{
    ints16 bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static ints16 chosen(ints16 mask, ints16 yes, ints16 no) { return (mask & yes) | (~mask & no); }

static ints16 all(s32 value) { return value - (ints16){0}; }

static ints16 larger(ints16 a, ints16 b)
{
#if defined __AVX512F__ /* one instruction, which the compiler does not find */
    return (ints16)_mm512_max_epi32((__m512i)a, (__m512i)b);
#else
    return chosen(a > b, a, b);
#endif
}

struct float_range floats_no_range(void)
{
    return (struct float_range){.least = all(INT32_MAX), .largest = all(NO_EXPONENT)};
}

/* What a format is in FP32: its bits moved up, and times a power of two. */
struct scaling {
    unsigned shift; /* of exponent and fraction */
    f32 factor;     /* makes good the other bias */
    u32 magnitude;  /* bits of exponent and fraction */
    u32 sign;
    u32 first_special; /* magnitudes from here on are infinities or NaNs */
    s32 least;         /* the smallest exponent: subnormal numbers have it, too */
};

static const struct scaling scalings[] = {
    [ELEMENT_F16] = {13, 0x1p112f, 0x7fff, 0x8000, 0x7c00, LOW(-14)},
    [ELEMENT_BF16] = {16, 1, 0x7fff, 0x8000, 0x7f80, LOW(-126)},
    [ELEMENT_TF32] = {0, 1, 0x7fffe000, 0x80000000, 0x7f800000, LOW(-126)},
    [ELEMENT_E4M3] = {20, 0x1p120f, 0x7f, 0x80, 0x7f, LOW(-6)},
    [ELEMENT_E5M2] = {21, 0x1p112f, 0x7f, 0x80, 0x7c, LOW(-14)},
    [ELEMENT_F32] = {0, 1, 0x7fffffff, 0x80000000, 0x7f800000, LOW(-126)}};

/* value and exponent of 16 elements; a subnormal one has the exponent `least`. */
static ints16 unpack(const struct scaling *s, s32 least, ints16 words, floats16 *value,
                     struct float_range *range)
{
    const ints16 magnitude = words & (s32)s->magnitude;
    const ints16 negative = (words & (s32)s->sign) != 0;
    const floats16 size = as_floats(magnitude << (s32)s->shift) * s->factor;
    const ints16 bits = as_ints(size), zero = bits == 0;
    const ints16 exponent = chosen(zero, all(NO_EXPONENT), larger(bits & 0x7f800000, all(least)));
    *value = as_floats(bits | (negative & (s32)0x80000000));
    range->special |= magnitude >= (s32)s->first_special;
    range->largest = larger(range->largest, exponent);
    range->least = -larger(-range->least, -chosen(zero, all(INT32_MAX), exponent));
    return exponent;
}

static s32 least_of(enum tensor_format format, bool widened)
{
    return widened ? LOW(-14) : scalings[format].least;
}

void floats_of_rows(enum tensor_format format, bool widened, ints16 words, struct float_rows *rows,
                    unsigned k, struct float_range *range)
{
    rows->exponent[k] =
        unpack(&scalings[format], least_of(format, widened), words, &rows->value[k], range);
}

void floats_of_columns(enum tensor_format format, bool widened, const u32 words[FLOATS_GROUP],
                       unsigned shift, struct float_columns *columns, unsigned group,
                       struct float_range *range)
{
    for (unsigned half = 0; half < FLOATS_GROUP; half += 16) {
        ints16 sixteen;
        floats16 value;
        memcpy(&sixteen, words + half, sizeof sixteen);
        const ints16 exponent = unpack(&scalings[format], least_of(format, widened),
                                       sixteen >> (s32)shift, &value, range);
        memcpy(columns->value[group] + half, &value, sizeof value);
        memcpy(columns->exponent[group] + half, &exponent, sizeof exponent);
    }
}

ints16 floats_of_accumulators(enum tensor_format format, ints16 words, struct float_range *range)
{
    floats16 value;
    unpack(&scalings[format], scalings[format].least, words, &value, range);
    return as_ints(value);
}

static bool is_near(struct float_range r, s32 least, s32 largest)
{
    const ints16 far = (r.least < least) | (r.largest > largest) | r.special;
    s32 any = 0;
    for (unsigned i = 0; i < 16; i++) {
        any |= far[i];
    }
    return any == 0;
}

/* Products between 2^-60 and 2^60, and sums that are not much smaller or larger: nothing
 * underflows. */
bool floats_are_near(struct float_range a, struct float_range b, struct float_range c)
{
    return is_near(a, LOW(-30), LOW(30)) && is_near(b, LOW(-30), LOW(30)) &&
           is_near(c, LOW(-60), LOW(60));
}

/* --- sums --------------------------------------------------------------------------------------
 */

typedef f64 doubles16 __attribute__((vector_size(128)));
typedef s64 longs16 __attribute__((vector_size(128)));

/* total * 2^(largest - kept), exactly. */
static doubles16 scaled(doubles16 total, ints16 largest, struct tensor_rule rule)
{
    const longs16 exponent = __builtin_convertvector(largest, longs16) << (52 - 23);
    const longs16 bits = exponent + ((s64)(1023 - 127 - (s32)rule.kept) << 52);
    doubles16 factor;
    memcpy(&factor, &bits, sizeof factor);
    return total * factor;
}

/* As FP32 towards zero, with 23 or 13 fraction bits. */
static ints16 truncated(doubles16 exact, struct tensor_rule rule)
{
    const s64 kept = -((s64)1 << (rule.rounding == TENSOR_TO_E8M13 ? 39 : 29));
    longs16 bits;
    memcpy(&bits, &exact, sizeof bits);
    bits &= kept;
    memcpy(&exact, &bits, sizeof exact);
    return as_ints(__builtin_convertvector(exact, floats16));
}

static ints16 nearest_half(doubles16 exact)
{
    ints16 result;
    for (unsigned i = 0; i < 16; i++) {
        const u16 half = half_of_f64(exact[i], 0);
        result[i] = (s32)bits_of_f32(f32_of_half(half & 0x7fffu ? half : 0));
    }
    return result;
}

#if defined __AVX512F__
/* The sum of both as FP32 towards zero, if it fits in 32 bits everywhere: a conversion does it. */
static bool fits_and_truncates(ints16 products, ints16 addend, ints16 largest,
                               struct tensor_rule rule, ints16 *result)
{
    const ints16 total = (ints16)_mm512_add_epi32((__m512i)products, (__m512i)addend);
    const ints16 overflow = (total ^ products) & (total ^ addend);
    const __m512 size =
        _mm512_cvt_roundepi32_ps((__m512i)total, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const ints16 bits = as_ints((floats16)size * as_floats(largest - (s32)rule.kept * STEP));
    *result = rule.rounding == TENSOR_TO_E8M13 ? bits & ~0x3ff : bits;
    return _mm512_movepi32_mask((__m512i)overflow) == 0;
}
#else
static bool fits_and_truncates(ints16 products, ints16 addend, ints16 largest,
                               struct tensor_rule rule, ints16 *result)
{
    (void)products, (void)addend, (void)largest, (void)rule, (void)result;
    return false;
}
#endif

/* Of products k to end, and of `largest`: the largest exponent of each row. */
static ints16 largest_exponent(const struct float_rows *rows, const struct float_columns *columns,
                               unsigned n, unsigned k, unsigned end, ints16 largest)
{
    for (unsigned i = k; i < end; i += 4) {
        const s32 *column = columns->exponent[i / 4] + 4 * n;
#pragma GCC unroll 4
        for (unsigned t = 0; t < 4; t++) {
            largest = larger(largest, rows->exponent[i + t] + (column[t] - 127 * STEP));
        }
    }
    return largest;
}

static ints16 sum_of_products(const struct float_rows *rows, const struct float_columns *columns,
                              unsigned n, unsigned k, unsigned end, floats16 scale)
{
    ints16 sum = {0};
    for (unsigned i = k; i < end; i += 4) {
        const f32 *column = columns->value[i / 4] + 4 * n;
#pragma GCC unroll 4
        for (unsigned t = 0; t < 4; t++) {
            sum += __builtin_convertvector(rows->value[i + t] * column[t] * scale, ints16);
        }
    }
    return sum;
}

static inline ints16 one_sum(const struct float_rows *rows, const struct float_columns *columns,
                             unsigned n, unsigned k, unsigned end, struct tensor_rule rule,
                             ints16 c, s32 least_c)
{
    const ints16 size = c & 0x7fffffff, own = c & 0x7f800000;
    const ints16 of_c = chosen(size == 0, all(LOW(-90)), larger(own, all(least_c)));
    const ints16 largest = largest_exponent(rows, columns, n, k, end, of_c);
    const floats16 scale = as_floats((s32)(254 + rule.kept) * STEP - largest);
    const ints16 products = sum_of_products(rows, columns, n, k, end, scale);
    const ints16 addend = __builtin_convertvector(as_floats(c) * scale, ints16);
    ints16 result;
    if (rule.rounding != TENSOR_TO_F16 &&
        fits_and_truncates(products, addend, largest, rule, &result)) {
        return result;
    }
    const doubles16 total =
        __builtin_convertvector(products, doubles16) + __builtin_convertvector(addend, doubles16);
    const doubles16 exact = scaled(total, largest, rule);
    return rule.rounding == TENSOR_TO_F16 ? nearest_half(exact) : truncated(exact, rule);
}

ints16 floats_multiply(const struct float_rows *rows, const struct float_columns *columns,
                       unsigned n, unsigned k, struct tensor_rule rule, ints16 c, bool c_is_half)
{
    const s32 least_c = c_is_half ? LOW(-14) : LOW(-126);
    ints16 sum = rule.accumulates_apart ? (ints16){0} : c;
    for (unsigned i = 0; i < k; i += rule.most) {
        const unsigned end = i + rule.most < k ? i + rule.most : k;
        sum = one_sum(rows, columns, n, i, end, rule, sum, least_c);
    }
    return rule.accumulates_apart ? as_ints(as_floats(sum) + as_floats(c)) : sum;
}

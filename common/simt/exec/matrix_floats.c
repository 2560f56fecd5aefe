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
    bool is_near;      /* all its numbers are between 2^-30 and 2^30 */
};

/* A subnormal float as an operand costs the processor 150 cycles, and subnormal elements of the
 * narrow formats would be one. Of FP8, where they are frequent, they are made of integers. */
static inline __attribute__((always_inline)) floats16 size_of(struct scaling s, ints16 magnitude)
{
    const ints16 moved = magnitude << (s32)s.shift;
#if defined __AVX512F__
    const __m512i bits = (__m512i)moved;
    const __mmask16 small = _mm512_test_epi32_mask(bits, bits) &
                            _mm512_testn_epi32_mask(bits, _mm512_set1_epi32(0x7f800000));
    if (s.magnitude <= 0x7f && small != 0) {
        const floats16 units = __builtin_convertvector(moved, floats16) * (s.factor * 0x1p-100f);
        const __m512 others =
            (__m512)(as_floats((ints16)_mm512_mask_mov_epi32(bits, small, _mm512_setzero_si512())) *
                     s.factor);
        return (floats16)_mm512_mask_mov_ps(others, small, (__m512)(units * 0x1p-49f));
    }
#endif
    return as_floats(moved) * s.factor;
}

/* value and exponent of 16 elements; a subnormal one has the exponent `least`. (widened: FP8 as
 * FP16, where no number of FP8 is subnormal.) */
static inline __attribute__((always_inline)) ints16
unpack_as(struct scaling s, s32 least, ints16 words, floats16 *value, struct float_range *range)
{
    const ints16 magnitude = words & (s32)s.magnitude;
    const ints16 negative = (words & (s32)s.sign) != 0;
    const floats16 size = size_of(s, magnitude);
    const ints16 bits = as_ints(size), zero = bits == 0;
    const ints16 exponent = chosen(zero, all(NO_EXPONENT), larger(bits & 0x7f800000, all(least)));
    *value = as_floats(bits | (negative & (s32)0x80000000));
    range->special |= magnitude >= (s32)s.first_special;
    if (!s.is_near) {
        range->largest = larger(range->largest, exponent);
        range->least = -larger(-range->least, -chosen(zero, all(INT32_MAX), exponent));
    }
    return exponent;
}

/* Calls CODE with UNPACK(words, &value), which gives the exponents: a copy of it for each format,
 * so that what a format is are constants. */
#define UNPACK(words, value) unpack_as(format_is, least, words, value, range)
#define IN_FORMAT(code, ...)                                                                       \
    {                                                                                              \
        static const struct scaling format_is = {__VA_ARGS__};                                     \
        const s32 least = widened ? LOW(-14) : format_is.least;                                    \
        code break;                                                                                \
    }
#define FOR_EACH_FORMAT(code)                                                                      \
    switch (format) {                                                                              \
    case ELEMENT_F16:                                                                              \
        IN_FORMAT(code, 13, 0x1p112f, 0x7fff, 0x8000, 0x7c00, LOW(-14), true)                      \
    case ELEMENT_BF16:                                                                             \
        IN_FORMAT(code, 16, 1, 0x7fff, 0x8000, 0x7f80, LOW(-126), false)                           \
    case ELEMENT_TF32:                                                                             \
        IN_FORMAT(code, 0, 1, 0x7fffe000, 0x80000000, 0x7f800000, LOW(-126), false)                \
    case ELEMENT_E4M3:                                                                             \
        IN_FORMAT(code, 20, 0x1p120f, 0x7f, 0x80, 0x7f, LOW(-6), true)                             \
    case ELEMENT_E5M2:                                                                             \
        IN_FORMAT(code, 21, 0x1p112f, 0x7f, 0x80, 0x7c, LOW(-14), true)                            \
    default:                                                                                       \
        IN_FORMAT(code, 0, 1, 0x7fffffff, 0x80000000, 0x7f800000, LOW(-126), false)                \
    }

void floats_of_rows(enum tensor_format format, bool widened, const ints16 words[4], unsigned shift,
                    struct float_rows *rows, unsigned k, struct float_range *range)
{
    FOR_EACH_FORMAT(for (size_t t = 0; t < 4; t++) {
        rows->exponent[k + t] = UNPACK(words[t] >> (s32)shift, &rows->value[k + t]);
    })
}

void floats_of_columns(enum tensor_format format, bool widened, const u32 words[FLOATS_GROUP],
                       unsigned shift, struct float_columns *columns, unsigned group,
                       struct float_range *range)
{
    FOR_EACH_FORMAT(for (size_t half = 0; half < FLOATS_GROUP; half += 16) {
        floats16 value;
        const ints16 sixteen = *(const ints16_there *)(words + half) >> (s32)shift;
        const ints16 exponent = UNPACK(sixteen, &value);
        *(floats16_there *)(columns->value[group] + half) = value;
        *(ints16_there *)(columns->exponent[group] + half) = exponent - LOW(0);
    })
}

void floats_of_accumulators(enum tensor_format format, ints16 c[8], struct float_range *range)
{
    const bool widened = false;
    FOR_EACH_FORMAT(for (size_t n = 0; n < 8; n++) {
        floats16 value;
        UNPACK(c[n], &value);
        c[n] = as_ints(value);
    })
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

typedef u32 words16 __attribute__((vector_size(64)));
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
static inline ints16 largest_exponent(const struct float_rows *rows,
                                      const struct float_columns *columns, unsigned n, unsigned k,
                                      unsigned end, ints16 largest)
{
    const ints16 *row = rows->exponent + k, *last = rows->exponent + end;
    const s32 *column = columns->exponent[k / 4] + 4 * n;
    for (; row < last; row += 4, column += FLOATS_GROUP) {
#pragma GCC unroll 4
        for (size_t t = 0; t < 4; t++) {
            largest = larger(largest, row[t] + column[t]);
        }
    }
    return largest;
}

static inline ints16 sum_of_products(const struct float_rows *rows,
                                     const struct float_columns *columns, unsigned n, unsigned k,
                                     unsigned end, floats16 scale)
{
    const floats16 *row = rows->value + k, *last = rows->value + end;
    const f32 *column = columns->value[k / 4] + 4 * n;
    ints16 sum[2] = {{0}, {0}}; /* two chains of additions */
    for (; row < last; row += 4, column += FLOATS_GROUP) {
#pragma GCC unroll 4
        for (size_t t = 0; t < 4; t++) {
            sum[t % 2] += __builtin_convertvector(row[t] * column[t] * scale, ints16);
        }
    }
    return sum[0] + sum[1];
}

/* Apart, since the compiler would compute its constants even where it is not called. */
static __attribute__((noinline)) ints16 sum_in_doubles(ints16 products, ints16 addend,
                                                       ints16 largest, struct tensor_rule rule)
{
    const doubles16 total =
        __builtin_convertvector(products, doubles16) + __builtin_convertvector(addend, doubles16);
    const doubles16 exact = scaled(total, largest, rule);
    return rule.rounding == TENSOR_TO_F16 ? nearest_half(exact) : truncated(exact, rule);
}

static __attribute__((noinline)) ints16 sum_of_halves(floats16 a, floats16 b)
{
    return nearest_half(__builtin_convertvector(a, doubles16) +
                        __builtin_convertvector(b, doubles16));
}

static inline ints16 one_sum(const struct float_rows *rows, const struct float_columns *columns,
                             unsigned n, unsigned k, unsigned end, struct tensor_rule rule,
                             ints16 c, s32 least_c)
{
    const ints16 size = c & 0x7fffffff, own = c & 0x7f800000;
    const ints16 of_c = chosen(size == 0, all(LOW(-90)), larger(own, all(least_c)));
    const ints16 largest = largest_exponent(rows, columns, n, k, end, of_c);
    const floats16 scale = as_floats((ints16)((254u + rule.kept) * (u32)STEP - (words16)largest));
    const ints16 products = sum_of_products(rows, columns, n, k, end, scale);
    const ints16 addend = __builtin_convertvector(as_floats(c) * scale, ints16);
    ints16 result;
    if (rule.rounding != TENSOR_TO_F16 &&
        fits_and_truncates(products, addend, largest, rule, &result)) {
        return result;
    }
    return sum_in_doubles(products, addend, largest, rule);
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
    if (!rule.accumulates_apart) {
        return sum;
    }
    if (rule.rounding == TENSOR_TO_F16) {
        return sum_of_halves(as_floats(sum), as_floats(c));
    }
    return as_ints(as_floats(sum) + as_floats(c));
}

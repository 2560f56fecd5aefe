/* tensor.c - see tensor.h. */
#include "common/gpu/tensor.h"
#include "common/gpu/float_bits.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/* --- formats ---------------------------------------------------------------------------------- */

const struct tensor_format_info tensor_formats[ELEMENT_FORMATS] = {
    [ELEMENT_F16] = {"f16", 16, 5, 10, 0, true},    [ELEMENT_BF16] = {"bf16", 16, 8, 7, 0, true},
    [ELEMENT_TF32] = {"tf32", 32, 8, 10, 13, true}, [ELEMENT_E4M3] = {"e4m3", 8, 4, 3, 0, true},
    [ELEMENT_E5M2] = {"e5m2", 8, 5, 2, 0, true},    [ELEMENT_F32] = {"f32", 32, 8, 23, 0, true},
    [ELEMENT_F64] = {"f64", 64, 11, 52, 0, true},   [ELEMENT_S8] = {"s8", 8, 0, 0, 0, true},
    [ELEMENT_U8] = {"u8", 8, 0, 0, 0, false},       [ELEMENT_S4] = {"s4", 4, 0, 0, 0, true},
    [ELEMENT_U4] = {"u4", 4, 0, 0, 0, false},       [ELEMENT_B1] = {"b1", 1, 0, 0, 0, false},
    [ELEMENT_S32] = {"s32", 32, 0, 0, 0, true}};

/* --- rules ------------------------------------------------------------------------------------ */

/* MMA-Sim's table of mma, a row for each generation that differs from the one before: of sums of
 * FP16 and BF16, of TF32, and of FP8. wmma is made of the same machine instructions. `most` 0: all
 * products of an instruction are one sum. Volta's 4 is its HMMA.884, of which wmma has four. */
static const struct generation {
    unsigned gpu; /* from this compute capability on */
    unsigned kept, most, most_tf32;
    struct tensor_rule fp8;
} generations[] = {
    {70, 23, 4, 4, {0}},
    {75, 24, 8, 4, {0}},
    {80, 24, 8, 4, {0}},
    {89, 24, 8, 4, {.kept = 13, .most = 16, .rounding = TENSOR_TO_E8M13}},
    /* What an H200 adds to the table: mma of FP8 is two of FP16 there, whose sum an FP32 addition
     * brings to the accumulator. Of FP16 accumulators that is two HMMA of FP16, the first of them
     * from zero, and HADD2. */
    {90, 25, 0, 0, {.kept = 25, .accumulates_apart = true, .widens_fp8 = true}},
    {120, 25, 0, 0, {.kept = 25}},
};

static const struct generation *generation_of(unsigned gpu)
{
    const struct generation *found = generations;
    for (unsigned i = 0; i < sizeof generations / sizeof generations[0]; i++) {
        found = generations[i].gpu <= (gpu != 0 ? gpu : 90) ? &generations[i] : found;
    }
    return found;
}

struct tensor_rule tensor_rule_mma(unsigned gpu, enum tensor_format a,
                                   enum tensor_format accumulator, unsigned k)
{
    const struct generation *g = generation_of(gpu);
    const bool fp8 = a == ELEMENT_E4M3 || a == ELEMENT_E5M2;
    struct tensor_rule rule = g->fp8;
    if (!fp8) {
        rule = (struct tensor_rule){.kept = g->kept,
                                    .most = a == ELEMENT_TF32 ? g->most_tf32 : g->most};
    }
    if (rule.most == 0) {
        rule.most = rule.widens_fp8 ? k / 2 : k;
    }
    rule.rounding = accumulator == ELEMENT_F16 ? TENSOR_TO_F16 : rule.rounding;
    return rule;
}

struct tensor_rule tensor_rule_wgmma(enum tensor_format a, enum tensor_format accumulator)
{
    struct tensor_rule rule = {.kept = 25, .most = TENSOR_MOST_PRODUCTS, .rounding = TENSOR_TO_F32};
    if (a == ELEMENT_E4M3 || a == ELEMENT_E5M2) {
        rule.kept = 13;
        rule.rounding = TENSOR_TO_E8M13;
    }
    if (accumulator == ELEMENT_F16) {
        rule.rounding = TENSOR_TO_F16;
    }
    return rule;
}

/* --- numbers ---------------------------------------------------------------------------------- */

enum kind { FINITE, INFINITE, NOT_A_NUMBER };

/* (-1)^negative * significand * 2^(exponent - fraction). */
struct number {
    enum kind kind;
    bool negative;
    uint64_t significand; /* 0: zero */
    int exponent;
    unsigned fraction;
};

static struct number unpack(enum tensor_format format, uint32_t word)
{
    const struct tensor_format_info *f = &tensor_formats[format];
    const uint32_t top = (1u << f->exponent_bits) - 1, bits = word >> f->ignored;
    const uint32_t fraction = bits & ((1u << f->fraction_bits) - 1);
    const uint32_t biased = bits >> f->fraction_bits & top;
    struct number n = {.negative = word >> (f->bits - 1) & 1u, .fraction = f->fraction_bits};
    if (format == ELEMENT_E4M3) { /* has no infinity, and one NaN */
        n.kind = biased == top && fraction == 7 ? NOT_A_NUMBER : FINITE;
    } else if (biased == top) {
        n.kind = fraction != 0 ? NOT_A_NUMBER : INFINITE;
    }
    n.significand = biased == 0 ? fraction : fraction | 1u << f->fraction_bits;
    n.exponent = (biased == 0 ? 1 : (int)biased) - (int)(top >> 1);
    return n;
}

static struct number product_of(struct number a, struct number b)
{
    struct number p = {.kind = a.kind > b.kind ? a.kind : b.kind,
                       .negative = a.negative != b.negative,
                       .significand = a.significand * b.significand,
                       .exponent = a.exponent + b.exponent,
                       .fraction = a.fraction + b.fraction};
    if (p.kind == INFINITE && p.significand == 0) {
        p.kind = NOT_A_NUMBER; /* zero times infinity */
    }
    return p;
}

/* --- one sum ---------------------------------------------------------------------------------- */

struct sum {
    bool nan, positive_infinity, negative_infinity;
    struct number terms[TENSOR_MOST_PRODUCTS + 1];
    unsigned count;
    int largest; /* exponent */
};

static void add_term(struct sum *s, struct number t)
{
    if (t.kind == NOT_A_NUMBER) {
        s->nan = true;
    } else if (t.kind == INFINITE) {
        s->negative_infinity |= t.negative;
        s->positive_infinity |= !t.negative;
    } else if (t.significand != 0) {
        s->largest = s->count == 0 || t.exponent > s->largest ? t.exponent : s->largest;
        s->terms[s->count++] = t;
    }
}

/* The exact sum of the terms, each cut off `kept` bits behind the largest exponent. */
static int64_t aligned_sum(const struct sum *s, unsigned kept)
{
    int64_t total = 0;
    for (unsigned i = 0; i < s->count; i++) {
        const struct number *t = &s->terms[i];
        const int shift = (int)kept - (int)t->fraction - (s->largest - t->exponent);
        const uint64_t magnitude = shift >= 0    ? t->significand << shift
                                   : shift > -64 ? t->significand >> -shift
                                                 : 0;
        total += t->negative ? -(int64_t)magnitude : (int64_t)magnitude;
    }
    return total;
}

/* --- rounding --------------------------------------------------------------------------------- */

/* magnitude * 2^scale as FP32 of that many fraction bits, towards zero. */
static uint32_t truncated(uint64_t magnitude, int scale, int fraction_bits)
{
    const int exponent = 63 - __builtin_clzll(magnitude) + scale;
    const int last = (exponent < -126 ? -126 : exponent) - fraction_bits; /* the last place's */
    const int drop = last - scale;
    if (exponent > 127) {
        return 0x7f800000u;
    }
    if (drop > 0) {
        magnitude = drop >= 64 ? 0 : magnitude >> drop << drop;
    }
    return bits_of_f32((float)ldexp((double)magnitude, scale));
}

/* The same as FP16, to the nearest even number. */
static uint32_t nearest_f16(uint64_t magnitude, int scale)
{
    const int exponent = 63 - __builtin_clzll(magnitude) + scale;
    const int last = (exponent < -14 ? -14 : exponent) - 10;
    const double places = nearbyint(ldexp((double)magnitude, scale - last)); /* at most 2^11 */
    if (places >= 2048) {
        return places * ldexp(1, last) > 65504 ? 0x7c00u : (uint32_t)(last + 25 + 1) << 10;
    }
    if (places * ldexp(1, last) > 65504) {
        return 0x7c00u;
    }
    const uint32_t units = (uint32_t)places;
    return units < 1024 ? units : (uint32_t)(last + 25) << 10 | (units & 1023u);
}

/* A sum that is rounded to zero loses its sign. */
static uint32_t rounded(int64_t total, int scale, enum tensor_rounding rounding)
{
    const uint64_t magnitude = total < 0 ? (uint64_t)-total : (uint64_t)total;
    const bool half = rounding == TENSOR_TO_F16;
    if (magnitude == 0) {
        return 0;
    }
    const uint32_t size = half ? nearest_f16(magnitude, scale)
                               : truncated(magnitude, scale, rounding == TENSOR_TO_F32 ? 23 : 13);
    return size != 0 && total < 0 ? size | (half ? 0x8000u : 0x80000000u) : size;
}

static uint32_t one_sum(struct tensor_rule rule, enum tensor_format a_format, const uint32_t *a,
                        enum tensor_format b_format, const uint32_t *b, unsigned count, uint32_t c)
{
    struct sum s;
    const bool half = rule.rounding == TENSOR_TO_F16;
    s.nan = s.positive_infinity = s.negative_infinity = false;
    s.count = 0;
    s.largest = 0;
    for (unsigned i = 0; i < count; i++) {
        add_term(&s, product_of(unpack(a_format, a[i]), unpack(b_format, b[i])));
    }
    add_term(&s, unpack(half ? ELEMENT_F16 : ELEMENT_F32, c));
    if (!half && s.largest < -133) {
        s.largest = -133;
    }
    if (s.nan || (s.positive_infinity && s.negative_infinity)) {
        return half ? 0x7fffu : 0x7fffffffu;
    }
    if (s.positive_infinity || s.negative_infinity) {
        const uint32_t negative = s.negative_infinity;
        return half ? negative << 15 | 0x7c00u : negative << 31 | 0x7f800000u;
    }
    return rounded(aligned_sum(&s, rule.kept), s.largest - (int)rule.kept, rule.rounding);
}

static uint32_t add_f32(uint32_t a, uint32_t b)
{
    const float sum = f32_of_bits(a) + f32_of_bits(b);
    return sum == sum ? bits_of_f32(sum) : 0x7fffffffu;
}

/* Both are multiples of 2^-24 of at most 40 bits: the sum is exact before it is rounded. */
static uint32_t add_f16(uint32_t a, uint32_t b)
{
    struct sum s = {.count = 0};
    int64_t total = 0;
    add_term(&s, unpack(ELEMENT_F16, a));
    add_term(&s, unpack(ELEMENT_F16, b));
    if (s.nan || (s.positive_infinity && s.negative_infinity)) {
        return 0x7fffu;
    }
    if (s.positive_infinity || s.negative_infinity) {
        return (uint32_t)s.negative_infinity << 15 | 0x7c00u;
    }
    for (unsigned i = 0; i < s.count; i++) {
        const int64_t units = (int64_t)s.terms[i].significand << (s.terms[i].exponent + 14);
        total += s.terms[i].negative ? -units : units;
    }
    return rounded(total, -24, TENSOR_TO_F16);
}

uint32_t tensor_dot(struct tensor_rule rule, enum tensor_format a_format, const uint32_t *a,
                    enum tensor_format b_format, const uint32_t *b, unsigned count, uint32_t c)
{
    uint32_t sum = rule.accumulates_apart ? 0 : c;
    for (unsigned first = 0; first < count; first += rule.most) {
        const unsigned some = count - first < rule.most ? count - first : rule.most;
        sum = one_sum(rule, a_format, a + first, b_format, b + first, some, sum);
    }
    if (!rule.accumulates_apart) {
        return sum;
    }
    return rule.rounding == TENSOR_TO_F16 ? add_f16(sum, c) : add_f32(sum, c);
}

/* --- other types ------------------------------------------------------------------------------ */

uint32_t tensor_f16_of_fp8(enum tensor_format format, uint32_t word)
{
    const uint32_t sign = (word & 0x80u) << 8, rest = word & 0x7fu;
    if (format == ELEMENT_E5M2) {
        return word << 8; /* the upper half of an FP16 */
    }
    if (rest == 0x7f) {
        return 0x7fffu;
    }
    if (rest >= 8) {
        return sign | ((rest << 7) + (8u << 10)); /* the bias is 15 instead of 7 */
    }
    static const uint16_t subnormal[8] = {0,      0x1800, 0x1c00, 0x1e00,
                                          0x2000, 0x2100, 0x2200, 0x2300}; /* n * 2^-9 */
    return sign | subnormal[rest];
}

static const int host_rounding[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

static double quiet(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits |= UINT64_C(1) << 51;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A NaN comes through, quiet: b's before c's before a's. A new one is negative. */
static double fused(double a, double b, double c)
{
    const double sum = fma(a, b, c);
    if (sum == sum) {
        return sum;
    }
    if (b != b) {
        return quiet(b);
    }
    if (c != c) {
        return quiet(c);
    }
    return a != a ? quiet(a) : -(double)NAN;
}

uint64_t tensor_dot_f64(const uint64_t *a, const uint64_t *b, unsigned count, uint64_t c,
                        enum tensor_direction direction)
{
    double sum, x, y;
    if (direction != TENSOR_NEAREST) {
        fesetround(host_rounding[direction]);
    }
    memcpy(&sum, &c, sizeof sum);
    for (unsigned i = 0; i < count; i++) {
        memcpy(&x, &a[i], sizeof x);
        memcpy(&y, &b[i], sizeof y);
        sum = fused(x, y, sum);
    }
    if (direction != TENSOR_NEAREST) {
        fesetround(FE_TONEAREST);
    }
    memcpy(&c, &sum, sizeof c);
    return c;
}

uint32_t tensor_accumulate(int64_t products, uint32_t c, bool saturate)
{
    const int64_t exact = products + (int32_t)c;
    if (!saturate) {
        return c + (uint32_t)products;
    }
    return exact > INT32_MAX   ? (uint32_t)INT32_MAX
           : exact < INT32_MIN ? (uint32_t)INT32_MIN
                               : (uint32_t)exact;
}

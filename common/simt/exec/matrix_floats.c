/* matrix_floats.c - see matrix_floats.h. */
#include "exec/matrix_floats.h"
#include "exec/exec_values.h"

#include <string.h>

enum {
    STEP = 1 << 23,            /* of exponents in the bits of a float */
    NO_EXPONENT = -(1 << 29) /* of a zero: below all others, and two of them do not overflow */
};

#define LOW(exponent) ((127 + (exponent)) * STEP)

/* --- formats ----------------------------------------------------------------------------------- */

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

static ints16 larger(ints16 a, ints16 b) { return chosen(a > b, a, b); }

struct float_range floats_no_range(void)
{
    return (struct float_range){.least = all(INT32_MAX), .largest = all(NO_EXPONENT)};
}

/* What a format is in FP32: its bits moved up, and times a power of two. */
struct scaling {
    unsigned shift;    /* of exponent and fraction */
    f32 factor;        /* makes good the other bias */
    u32 magnitude;     /* bits of exponent and fraction */
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

void floats_of_column(enum tensor_format format, bool widened, const u32 *words, unsigned count,
                      struct float_column *column, struct float_range *range)
{
    for (unsigned k = 0; k < count; k += 16) {
        const unsigned some = count - k < 16 ? count - k : 16;
        ints16 sixteen = {0};
        floats16 value;
        memcpy(&sixteen, words + k, some * sizeof *words);
        const ints16 exponent =
            unpack(&scalings[format], least_of(format, widened), sixteen, &value, range);
        memcpy(column->value + k, &value, some * sizeof(f32));
        memcpy(column->exponent + k, &exponent, some * sizeof(s32));
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

/* Products between 2^-60 and 2^60, and sums that are not much smaller or larger: nothing underflows. */
bool floats_are_near(struct float_range a, struct float_range b, struct float_range c)
{
    return is_near(a, LOW(-30), LOW(30)) && is_near(b, LOW(-30), LOW(30)) &&
           is_near(c, LOW(-60), LOW(60));
}

/* --- sums -------------------------------------------------------------------------------------- */

/* total * 2^(largest - kept), rounded as FP32 towards zero to so many places, or as FP16 to nearest. */
static ints16 rounded(const f64 *total, ints16 largest, struct tensor_rule rule)
{
    ints16 result;
    for (unsigned i = 0; i < 16; i++) {
        const s64 scale = (s64)(largest[i] / STEP - 127 - (s32)rule.kept + 1023) << 52;
        const f64 exact = total[i] * f64_of_bits((u64)scale);
        const u64 dropped = rule.rounding == TENSOR_TO_E8M13 ? 39 : 29;
        const u64 bits = bits_of_f64(exact) >> dropped << dropped;
        result[i] = (s32)bits_of_f32((f32)f64_of_bits(bits));
    }
    return result;
}

static ints16 rounded_to_half(const f64 *total, ints16 largest, struct tensor_rule rule)
{
    ints16 result;
    for (unsigned i = 0; i < 16; i++) {
        const s64 scale = (s64)(largest[i] / STEP - 127 - (s32)rule.kept + 1023) << 52;
        const u16 half = half_of_f64(total[i] * f64_of_bits((u64)scale), 0);
        result[i] = (s32)bits_of_f32(f32_of_half(half & 0x7fffu ? half : 0));
    }
    return result;
}

static ints16 one_sum(const struct float_rows *rows, const struct float_column *column, unsigned k,
                      unsigned end, struct tensor_rule rule, ints16 c, s32 least_c)
{
    const ints16 size = c & 0x7fffffff, own = c & 0x7f800000;
    ints16 largest = chosen(size == 0, all(LOW(-90)), chosen(own < least_c, all(least_c), own));
    for (unsigned i = k; i < end; i++) {
        largest = larger(largest, rows->exponent[i] + (column->exponent[i] - 127 * STEP));
    }
    const floats16 scale = as_floats((s32)(254 + rule.kept) * STEP - largest);
    ints16 products = {0};
    for (unsigned i = k; i < end; i++) {
        products += __builtin_convertvector(rows->value[i] * column->value[i] * scale, ints16);
    }
    const ints16 addend = __builtin_convertvector(as_floats(c) * scale, ints16);
    f64 total[16];
    for (unsigned i = 0; i < 16; i++) {
        total[i] = (f64)products[i] + (f64)addend[i];
    }
    return rule.rounding == TENSOR_TO_F16 ? rounded_to_half(total, largest, rule)
                                          : rounded(total, largest, rule);
}

ints16 floats_multiply(const struct float_rows *rows, const struct float_column *column, unsigned k,
                       struct tensor_rule rule, ints16 c, bool c_is_half)
{
    const s32 least_c = c_is_half ? LOW(-14) : LOW(-126);
    ints16 sum = rule.accumulates_apart ? (ints16){0} : c;
    for (unsigned i = 0; i < k; i += rule.most) {
        sum = one_sum(rows, column, i, i + rule.most < k ? i + rule.most : k, rule, sum, least_c);
    }
    return rule.accumulates_apart ? as_ints(as_floats(sum) + as_floats(c)) : sum;
}

/* matrix_unpack.c - elements of matrices as floats: see matrix_floats.h. */
#include "exec/matrix_floats.h"
#include "exec/matrix_larger.h"

#include <string.h>

/* --- formats ---------------------------------------------------------------------------------- */

struct float_range floats_no_range(void)
{
    return (struct float_range){.least = (words16)floats_all(-1)};
}

s32 floats_least_exponent(enum tensor_format format, bool widened)
{
    if (widened) {
        return -14;
    }
    return 2 - (1 << (tensor_formats[format].exponent_bits - 1));
}

/* What a format is in FP32: its bits moved up, with another bias. */
struct scaling {
    u32 shift;     /* of exponent and fraction */
    s32 bias;      /* added to the bits that have been moved */
    f32 unit;      /* of a subnormal number; 0: it is one in FP32, too */
    u32 normal;    /* the least magnitude that is not subnormal */
    u32 magnitude; /* bits of exponent and fraction */
    u32 sign;
    u32 first_special; /* magnitudes from here on are infinities or NaNs */
    bool is_near;      /* all its numbers are between 2^-30 and 2^30 */
};

/* A subnormal float as an operand costs the processor 150 cycles: none is made of narrow formats.
 */
INLINE ints16 size_of(struct scaling s, ints16 magnitude)
{
    const ints16 moved = magnitude << (s32)s.shift;
    const ints16 special = magnitude >= (s32)s.first_special;
    if (s.unit == 0) {
        return moved;
    }
    const floats16 small = __builtin_convertvector(magnitude, floats16) * s.unit;
    const ints16 size =
        floats_chosen(magnitude < (s32)s.normal, floats_as_bits(small), moved + s.bias);
    return size | (special & INFINITE);
}

/* The bits of 16 elements as floats. */
INLINE ints16 unpack_as(struct scaling s, ints16 words)
{
#if defined HAS_AVX512
    if (s.magnitude == 0x7fff && s.is_near) {
        const __m256i halves = _mm512_cvtepi32_epi16((__m512i)words);
        return floats_as_bits((floats16)_mm512_cvtph_ps(halves));
    }
#endif
    const ints16 negative = (words & (s32)s.sign) != 0;
    return size_of(s, words & (s32)s.magnitude) | (negative & (s32)0x80000000);
}

/* Takes note of 16 numbers, whose bits were moved up by one. */
INLINE void note(struct scaling s, words16 moved, struct float_range *range)
{
    range->largest = larger_word(range->largest, moved);
    if (!s.is_near) {
        range->least = smaller_word(range->least, moved - 1);
    }
}

/* The smallest exponent of a format as mma takes it: FP8 becomes FP16 there. */
#define LEAST (format_is.is_near ? -14 : -126)

/* Calls CODE: a copy of it for each format, so that what a format is are constants. */
#define IN_FORMAT(code, ...)                                                                       \
    {                                                                                              \
        static const struct scaling format_is = {__VA_ARGS__};                                     \
        code break;                                                                                \
    }
#define FOR_EACH_FORMAT(code)                                                                      \
    switch (format) {                                                                              \
    case ELEMENT_F16:                                                                              \
        IN_FORMAT(code, 13, 112 * STEP, 0x1p-24f, 0x400, 0x7fff, 0x8000, 0x7c00, true)             \
    case ELEMENT_BF16:                                                                             \
        IN_FORMAT(code, 16, 0, 0, 0, 0x7fff, 0x8000, 0x7f80, false)                                \
    case ELEMENT_TF32:                                                                             \
        IN_FORMAT(code, 0, 0, 0, 0, 0x7fffe000, 0x80000000, 0x7f800000, false)                     \
    case ELEMENT_E4M3:                                                                             \
        IN_FORMAT(code, 20, 120 * STEP, 0x1p-9f, 0x08, 0x7f, 0x80, 0x7f, true)                     \
    case ELEMENT_E5M2:                                                                             \
        IN_FORMAT(code, 21, 112 * STEP, 0x1p-16f, 0x04, 0x7f, 0x80, 0x7c, true)                    \
    default:                                                                                       \
        IN_FORMAT(code, 0, 0, 0, 0, 0x7fffffff, 0x80000000, 0x7f800000, false)                     \
    }

/* Exponents of 64 numbers, given as they stand in floats, as bytes. */
static inline bytes64 near_exponents(bytes64 fields, s32 least)
{
    const bytes64 none = {0}, lowest = (u8)AS_FIELD(least) - none;
    const bytes64 aligned = larger_bytes(fields, lowest) - (u8)(127 - FLOATS_BIAS);
    return aligned & (bytes64)(fields != 0);
}

INLINE void four_rows(struct scaling s, s32 least, const ints16 words[4], s32 shift,
                      struct float_rows *rows, unsigned k, struct float_range *range)
{
    ints16 bits[4];
#pragma GCC unroll 4
    for (unsigned t = 0; t < 4; t++) {
        bits[t] = unpack_as(s, words[t] >> shift);
        rows->value[k + t] = floats_as_floats(bits[t]);
        if (!s.is_near) {
            note(s, (words16)bits[t] << 1, range);
        }
    }
    const words16 fields = ((words16)bits[0] >> 23 & 0xffu) | ((words16)bits[1] >> 15 & 0xff00u) |
                           ((words16)bits[2] >> 7 & 0xff0000u) |
                           ((words16)bits[3] << 1 & 0xff000000u);
    if (s.is_near) {
        range->fields = larger_bytes(range->fields, (bytes64)fields);
    }
    rows->exponent[k / 4] = near_exponents((bytes64)fields, least);
}

INLINE void one_group(struct scaling s, s32 least, const u32 words[FLOATS_GROUP], s32 shift,
                      struct float_columns *columns, unsigned group, struct float_range *range)
{
#pragma GCC unroll 2
    for (size_t half = 0; half < FLOATS_GROUP; half += 16) {
        const ints16 bits = unpack_as(s, *(const ints16_there *)(words + half) >> shift);
        const words16 moved = (words16)bits << 1;
        const ints16 field = (ints16)(moved >> 24);
        const ints16 aligned = larger(field, floats_all(AS_FIELD(least))) - (127 - FLOATS_BIAS);
        const bytes16 exponent = low_bytes(aligned & (field != 0));
        note(s, moved, range);
        *(floats16_there *)(columns->value[group] + half) = floats_as_floats(bits);
        memcpy(columns->exponent[group] + half, &exponent, sizeof exponent);
    }
}

void floats_of_rows(enum tensor_format format, s32 least, const ints16 words[4],
                    struct float_rows *rows, unsigned k, struct float_range *range)
{
    FOR_EACH_FORMAT(four_rows(format_is, least, words, 0, rows, k, range);)
}

void floats_of_columns(enum tensor_format format, s32 least, const u32 words[FLOATS_GROUP],
                       struct float_columns *columns, unsigned group, struct float_range *range)
{
    FOR_EACH_FORMAT(one_group(format_is, least, words, 0, columns, group, range);)
}

/* The group of the element i of word `along` of a row or column of so many words, `bits` wide. */
INLINE unsigned group_of(unsigned bits, unsigned words, unsigned along, unsigned i)
{
    return bits == 8 ? (i < 2 ? 0 : 2 * words) + 2 * along + i % 2 : 32 / bits * along + i;
}

unsigned floats_place(unsigned bits, unsigned words, unsigned i)
{
    const unsigned word = i / (32 / bits);
    return 4 * group_of(bits, words, word / 4, i % (32 / bits)) + word % 4;
}

void floats_row_exponents(struct float_rows *rows, unsigned k, s32 least)
{
    words16 fields = {0};
    for (unsigned t = 0; t < 4; t++) {
        fields |= ((words16)floats_as_bits(rows->value[k + t]) << 1 >> 24) << (8 * t);
    }
    rows->exponent[k / 4] = near_exponents((bytes64)fields, least);
}

/* Bits of an element, as a constant. */
#define BITS_OF(scaling)                                                                           \
    ((scaling).magnitude < 0x100 ? 8u : (scaling).magnitude < 0x10000 ? 16u : 32u)

INLINE void all_rows(struct scaling s, s32 least, const u32 *const registers[], unsigned count,
                     struct float_rows *rows, struct float_range *range)
{
    for (unsigned r = 0; r < count; r += 2) {
        ints16 words[4];
        floats_columns_of_words(registers[r], registers[r + 1], words);
        for (unsigned i = 0; i < 32 / BITS_OF(s); i++) {
            four_rows(s, least, words, (s32)(i * BITS_OF(s)), rows,
                      4 * group_of(BITS_OF(s), count / 2, r / 2, i), range);
        }
    }
}

INLINE void all_columns(struct scaling s, s32 least, const u32 *const registers[], unsigned count,
                        struct float_columns *columns, struct float_range *range)
{
    for (unsigned r = 0; r < count; r++) {
        for (unsigned i = 0; i < 32 / BITS_OF(s); i++) {
            one_group(s, least, registers[r], (s32)(i * BITS_OF(s)), columns,
                      group_of(BITS_OF(s), count, r, i), range);
        }
    }
}

void floats_of_row_registers(enum tensor_format format, const u32 *const registers[],
                             unsigned count, struct float_rows *rows, struct float_range *range)
{
    struct float_range r = floats_no_range(); /* stays in registers */
    FOR_EACH_FORMAT(all_rows(format_is, LEAST, registers, count, rows, &r);)
    *range = r;
}

void floats_of_column_registers(enum tensor_format format, const u32 *const registers[],
                                unsigned count, struct float_columns *columns,
                                struct float_range *range)
{
    struct float_range r = floats_no_range();
    FOR_EACH_FORMAT(all_columns(format_is, LEAST, registers, count, columns, &r);)
    *range = r;
}

INLINE void all_accumulators(struct scaling s, ints16 c[8], struct float_range *range)
{
#pragma GCC unroll 8
    for (unsigned n = 0; n < 8; n++) {
        c[n] = unpack_as(s, c[n]);
        note(s, (words16)c[n] << 1, range);
    }
}

void floats_of_accumulators(enum tensor_format format, ints16 c[8], struct float_range *range)
{
    struct float_range r = floats_no_range();
    FOR_EACH_FORMAT(all_accumulators(format_is, c, &r);)
    *range = r;
}

/* Column n is the half n mod 2 of a word, or a word of the register n mod 2. */
void floats_of_accumulator_registers(enum tensor_format format, const u32 *const registers[],
                                     ints16 c[8], struct float_range *range)
{
    ints16 words[2][4];
    if (format == ELEMENT_F16) {
        floats_columns_of_words(registers[0], registers[1], words[0]);
        for (unsigned n = 0; n < 8; n++) {
            c[n] = words[0][n / 2] >> (s32)(16 * (n % 2));
        }
        floats_of_accumulators(ELEMENT_F16, c, range);
        return;
    }
    floats_columns_of_words(registers[0], registers[2], words[0]);
    floats_columns_of_words(registers[1], registers[3], words[1]);
    for (unsigned n = 0; n < 8; n++) {
        c[n] = words[n % 2][n / 2];
    }
    floats_of_accumulators(ELEMENT_F32, c, range);
}

bool floats_lie_within(const struct float_range *r, s32 limit)
{
    return !any((ints16)(r->largest >= 2 * (u32)LOW(limit + 1)) |
                (ints16)(r->least < 2 * (u32)LOW(-limit) - 1) | (ints16)(r->fields == 0xff));
}

/* Products between 2^-60 and 2^60, and sums that are not much smaller or larger: nothing
 * underflows. */
bool floats_are_near(const struct float_range *a, const struct float_range *b,
                     const struct float_range *c)
{
    return floats_lie_within(a, FLOATS_NEAR) && floats_lie_within(b, FLOATS_NEAR) &&
           floats_lie_within(c, FLOATS_NEAR_SUMS);
}

bool floats_are_special(const struct float_range *r)
{
    return any((ints16)(r->largest >= 2 * (u32)INFINITE) | (ints16)(r->fields == 0xff));
}

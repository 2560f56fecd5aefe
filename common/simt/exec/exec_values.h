/* exec_values.h - bit patterns of floating-point values, and 16-bit formats that C lacks.
 * Pure functions on one lane's value. */
#ifndef SIMT_EXEC_VALUES_H
#define SIMT_EXEC_VALUES_H

#include "exec/exec_types.h"

#include <stdbool.h>
#include <string.h>

static inline u32 bits_of_f32(f32 a)
{
    u32 bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static inline f32 f32_of_bits(u32 bits)
{
    f32 a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

#define NEW_NAN_F64 UINT64_C(0xfff8000000000000) /* where no operand was a NaN */
static inline u64 bits_of_f64(f64 a)
{
    u64 bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static inline f64 f64_of_bits(u64 bits)
{
    f64 a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

/* Subnormal -> zero of the same sign. */
static inline f32 flush_f32(f32 a)
{
    u32 bits = bits_of_f32(a);
    return (bits & 0x7f800000u) == 0 ? f32_of_bits(bits & 0x80000000u) : a;
}

static inline f32 f32_of_half(u16 half)
{
    u32 sign = (u32)(half & 0x8000u) << 16;
    u32 exponent = half >> 10 & 31, fraction = half & 0x3ffu;
    if (exponent == 31) {
        return f32_of_bits(sign | 0x7f800000u | fraction << 13);
    }
    if (exponent == 0) { /* zero or subnormal: fraction * 2^-24, exact in a float */
        f32 value = (f32)fraction * 0x1p-24f;
        return f32_of_bits(bits_of_f32(value) | sign);
    }
    return f32_of_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

static inline f32 f32_of_bfloat(u16 value)
{
    return f32_of_bits((u32)value << 16);
}

/* Rounds the value significand * 2^exponent, significand < 2^63, exact, to a binary format. */
struct small_format {
    int fraction_bits, max_exponent; /* 10, 15 for half; 7, 127 for bfloat */
    u16 infinity, nan;
};

/* rounding: 0 nearest even, 1 zero, 2 down, 3 up (enum insn_rounding). */
static inline u16 small_of_f64(f64 a, struct small_format f, unsigned rounding)
{
    u64 bits = bits_of_f64(a);
    u16 sign = (u16)(bits >> 63 << 15);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    u64 fraction = bits & (((u64)1 << 52) - 1);
    if (exponent == 1024) {
        return fraction != 0 ? f.nan : (u16)(sign | f.infinity);
    }
    if (exponent == -1023) { /* zero, or a double's subnormal: rounds like the tiniest value */
        bool up = fraction != 0 && ((rounding == 3 && !sign) || (rounding == 2 && sign));
        return (u16)(sign | (up ? 1 : 0));
    }
    u64 significand = fraction | (u64)1 << 52;
    int lowest = 1 - f.max_exponent; /* exponent of the smallest normal number */
    int drop = 52 - f.fraction_bits + (exponent < lowest ? lowest - exponent : 0);
    if (drop > 62) {
        drop = 62; /* far below the smallest subnormal: only "is not zero" matters */
    }
    u64 kept = significand >> drop, rest = significand & (((u64)1 << drop) - 1);
    u64 half = (u64)1 << (drop - 1);
    bool up = rounding == 0   ? rest > half || (rest == half && (kept & 1))
              : rounding == 1 ? false
              : rounding == 2 ? rest != 0 && sign
                              : rest != 0 && !sign;
    kept += up;
    u64 biased = exponent < lowest ? 0 : (u64)(exponent + f.max_exponent - 1) << f.fraction_bits;
    u64 result = exponent < lowest ? kept : biased + kept; /* a carry moves on to the exponent */
    if (result >= f.infinity) {
        bool to_infinity = rounding == 0 || (rounding == 2 && sign) || (rounding == 3 && !sign);
        result = to_infinity ? f.infinity : f.infinity - 1u;
    }
    return (u16)(sign | result);
}

static const struct small_format half_format = {10, 15, 0x7c00, 0x7fff};
static const struct small_format bfloat_format = {7, 127, 0x7f80, 0x7fff};

static inline u16 half_of_f64(f64 a, unsigned rounding)
{
    return small_of_f64(a, half_format, rounding);
}

/* A double's NaN keeps its sign and the upper bits of its payload. */
static inline u16 half_of_nan(f64 a)
{
    u64 bits = bits_of_f64(a);
    return (u16)(bits >> 63 << 15 | 0x7e00u | (bits >> 42 & 0x1ffu));
}

static inline u16 bfloat_of_f64(f64 a, unsigned rounding)
{
    return small_of_f64(a, bfloat_format, rounding);
}

#endif

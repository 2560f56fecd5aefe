/* exec_values.h - bit patterns of floating-point values, and 16-bit formats that C lacks.
 * Pure functions on one lane's value. */
#ifndef SIMT_EXEC_VALUES_H
#define SIMT_EXEC_VALUES_H

#include "common/gpu/float_bits.h"
#include "exec/exec_types.h"

#include <stdbool.h>
#include <string.h>

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

/* What .sat makes of it: between 0 and 1. A NaN becomes +0. */
static inline f64 saturated(f64 a) { return a > 0 ? (a < 1 ? a : 1) : 0; }

/* Subnormal -> zero of the same sign. */
static inline f32 flush_f32(f32 a)
{
    u32 bits = bits_of_f32(a);
    return (bits & 0x7f800000u) == 0 ? f32_of_bits(bits & 0x80000000u) : a;
}

/* Without a branch, so that loops over lanes become vector code: exponent and fraction at a float's
 * places are the value times 2^-112, also of subnormal ones; infinities and NaNs need all exponent
 * bits besides. */
static inline f32 f32_of_half(u16 half)
{
    const u32 magnitude = half & 0x7fffu, sign = (u32)(half & 0x8000u) << 16;
    const u32 bits = bits_of_f32(f32_of_bits(magnitude << 13) * 0x1p112f);
    return f32_of_bits(sign | bits | (magnitude >= 0x7c00u ? 0x7f800000u : 0));
}

static inline f32 f32_of_bfloat(u16 value) { return f32_of_bits((u32)value << 16); }

/* Rounds the value significand * 2^exponent, significand < 2^63, exact, to a binary format. */
struct small_format {
    int fraction_bits, max_exponent; /* 10, 15 for half; 7, 127 for bfloat */
    u16 infinity, nan;
};

/* rounding: 0 nearest even, 1 zero, 2 down, 3 up (enum insn_rounding). Does a value round away from
 * zero, of which `kept` stays, `rest` is lost, and `half` would be half of the last place? */
static inline bool rounds_away(unsigned rounding, u64 kept, u64 rest, u64 half, bool negative)
{
    if (rounding == 0) {
        return rest > half || (rest == half && (kept & 1));
    }
    return rounding != 1 && rest != 0 && negative == (rounding == 2);
}

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
    kept += rounds_away(rounding, kept, rest, half, sign != 0);
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

/* Rounded to a float's bits towards odd: the last bit says whether anything was lost. A rounding to
 * a half or a bfloat then gives what it would give of the double itself, since a float has more
 * than two bits more than these. Without a branch, so that loops over lanes become vector code. */
static inline f32 odd_f32_of_f64(f64 a)
{
    const f32 near = (f32)a;
    const u32 bits = bits_of_f32(near);
    const bool exact = (f64)near == a, away = __builtin_fabs((f64)near) > __builtin_fabs(a);
    return f32_of_bits(exact ? bits : (bits - away) | 1u);
}

/* A double's NaN keeps its sign and the upper bits of its payload. */
static inline u16 f16_of_nan(f64 a)
{
    u64 bits = bits_of_f64(a);
    return (u16)(bits >> 63 << 15 | 0x7e00u | (bits >> 42 & 0x1ffu));
}

static inline u16 bf16_of_nan(f64 a)
{
    u64 bits = bits_of_f64(a);
    return (u16)(bits >> 63 << 15 | 0x7fc0u | (bits >> 45 & 0x3fu));
}

static inline u16 bfloat_of_f64(f64 a, unsigned rounding)
{
    return small_of_f64(a, bfloat_format, rounding);
}

#endif

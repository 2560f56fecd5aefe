/* simt/small_float.h - numbers of 16 bits and fewer, from and to doubles, by integer arithmetic.
 *
 * What no PTX instruction of the target converts goes through here: all of it on the host, rounding
 * modes that cvt lacks, and the 6- and 4-bit formats. A format is its number of exponent and
 * fraction bits; its bias is 2^(exponent bits - 1) - 1. */
#ifndef SIMT_SMALL_FLOAT_H
#define SIMT_SMALL_FLOAT_H

#include "device.h"

template <typename, typename> struct simt_same; /* is complete if both types are one */
template <typename type> struct simt_same<type, type> {
    typedef type itself;
};

enum simt_rounding { simt_to_nearest, simt_to_zero, simt_upward, simt_downward };

/* Which bits stand for the largest number, an infinity and NaN. */
struct simt_small_format {
    int exponent_bits, fraction_bits;
    unsigned int largest, infinity, nan; /* infinity is `largest` where a format has none */
};

SIMT_BOTH constexpr simt_small_format simt_half_format() { return {5, 10, 0x7bff, 0x7c00, 0x7fff}; }
SIMT_BOTH constexpr simt_small_format simt_bfloat_format()
{
    return {8, 7, 0x7f7f, 0x7f80, 0x7fff};
}

/* value as bits of the format. An overflow gives infinity, or, if it saturates or the mode rounds
 * it toward zero, the largest number; a NaN has no sign. */
SIMT_BOTH_LONG unsigned int simt_small_bits(double value, simt_small_format f, simt_rounding mode,
                                            bool saturates = false)
{
    unsigned long long bits = __builtin_bit_cast(unsigned long long, value);
    unsigned long long magnitude = bits & 0x7fffffffffffffff;
    bool negative = bits >> 63;
    unsigned int sign = negative ? 1u << (f.exponent_bits + f.fraction_bits) : 0;
    if (magnitude > 0x7ff0000000000000) {
        return f.nan;
    }
    if (magnitude == 0x7ff0000000000000) {
        return sign | (saturates ? f.largest : f.infinity);
    }
    /* The significand with its leading one, and how far to the right the format's last place is. */
    int bias = (1 << (f.exponent_bits - 1)) - 1, lowest = 1 - bias;
    int exponent = (int)(magnitude >> 52) - 1023;
    unsigned long long significand =
        (magnitude & 0xfffffffffffff) | (magnitude >> 52 ? 0x10000000000000 : 0);
    int shift = 52 - f.fraction_bits + (exponent < lowest ? lowest - exponent : 0);
    unsigned long long rest = significand, halfway = ~0ull; /* far below half of the last place */
    unsigned long long kept = 0;
    if (shift <= 54) {
        kept = significand >> shift;
        rest = significand & ((1ull << shift) - 1);
        halfway = 1ull << (shift - 1);
    }
    bool up = mode == simt_to_nearest ? rest > halfway || (rest == halfway && (kept & 1))
              : mode == simt_upward   ? rest != 0 && !negative
              : mode == simt_downward ? rest != 0 && negative
                                      : false;
    /* A carry out of the fraction moves into the exponent. */
    unsigned long long result = kept + up;
    if (exponent >= lowest) {
        result += (unsigned long long)(exponent + bias - 1) << f.fraction_bits;
    }
    if (result > f.largest) {
        bool away = mode == simt_to_nearest || (mode == simt_upward && !negative) ||
                    (mode == simt_downward && negative);
        result = away && !saturates ? f.infinity : f.largest;
    }
    return sign | (unsigned int)result;
}

/* The number that the bits stand for: every small number is a float. */
SIMT_BOTH_LONG float simt_small_value(unsigned int bits, simt_small_format f)
{
    unsigned int sign = bits >> (f.exponent_bits + f.fraction_bits) & 1;
    unsigned int magnitude = bits & ((1u << (f.exponent_bits + f.fraction_bits)) - 1);
    unsigned int exponent = magnitude >> f.fraction_bits;
    unsigned int fraction = magnitude & ((1u << f.fraction_bits) - 1);
    int bias = (1 << (f.exponent_bits - 1)) - 1;
    if (magnitude > f.infinity || (magnitude == f.nan && f.nan != f.largest)) {
        /* NaN keeps its payload. */
        return __builtin_bit_cast(float,
                                  sign << 31 | 0x7f800000 | fraction << (23 - f.fraction_bits));
    }
    if (magnitude == f.infinity && f.infinity != f.largest) {
        return __builtin_bit_cast(float, sign << 31 | 0x7f800000);
    }
    if (exponent == 0 && f.exponent_bits < 8) { /* zero or subnormal */
        float unit = __builtin_bit_cast(
            float, (128u - (unsigned int)bias - (unsigned int)f.fraction_bits) << 23);
        float value = (float)fraction * unit;
        return sign ? -value : value;
    }
    unsigned int wide = f.exponent_bits < 8 ? exponent + 127 - (unsigned int)bias : exponent;
    return __builtin_bit_cast(float, sign << 31 | wide << 23 | fraction << (23 - f.fraction_bits));
}

/* A number rounded to an integer between two bounds, as cvt does: what lies beyond ends at the
 * bound, NaN gives `nan`. */
template <typename T>
SIMT_BOTH_LONG T simt_small_to_integer(float value, simt_rounding mode, T least, T most, T nan)
{
    if (value != value) {
        return nan;
    }
    double whole = mode == simt_to_nearest ? __builtin_rint((double)value)
                   : mode == simt_to_zero  ? __builtin_trunc((double)value)
                   : mode == simt_upward   ? __builtin_ceil((double)value)
                                           : __builtin_floor((double)value);
    return whole <= (double)least ? least : whole >= (double)most ? most : (T)whole;
}

/* An integer as a double whose last bit stands for all that does not fit, so that a second rounding
 * comes out as one rounding would. */
SIMT_BOTH double simt_odd_double(unsigned long long v)
{
    return v >> 53 == 0 ? (double)v : (double)(v >> 11 | ((v & 0x7ff) != 0)) * 2048.0;
}
SIMT_BOTH double simt_odd_double(long long v)
{
    return v < 0 ? -simt_odd_double(0ull - (unsigned long long)v)
                 : simt_odd_double((unsigned long long)v);
}

/* a * b + c with a last bit that stands for what a double cannot hold: the product is exact, and
 * rounding the sum to odd lets the second rounding see that something was lost. */
SIMT_BOTH_LONG double simt_fused(double a, double b, double c)
{
    double product = a * b, sum = product + c, part = sum - product;
    double lost = (product - (sum - part)) + (c - part);
    unsigned long long bits = __builtin_bit_cast(unsigned long long, sum);
    if (!(lost < 0 || lost > 0) || (bits & 1)) {
        return sum;
    }
    return __builtin_bit_cast(double, (lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

/* The smaller and the larger: -0 lies below +0; of a number and a NaN, the number. */
SIMT_BOTH double simt_less(double a, double b)
{
    return a < b ? a : b < a ? b : a != a ? b : b != b ? a : __builtin_signbit(a) ? a : b;
}
SIMT_BOTH double simt_more(double a, double b)
{
    return a > b ? a : b > a ? b : a != a ? b : b != b ? a : __builtin_signbit(a) ? b : a;
}

#endif

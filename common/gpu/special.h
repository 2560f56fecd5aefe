/* special.h - the special function unit (MUFU): rcp, rsqrt, sqrt, lg2, ex2, sin, cos and tanh of
 * .approx, whose results PTX leaves to the GPU, with an H200's bits.
 *
 * NVIDIA does not document the unit beyond its interpolator (S. F. Oberman, M. Y. Siu, "A
 * High-Performance Area-Efficient Multifunction Interpolator", ARITH 2005): the leading bits of a
 * fraction choose a segment and its three coefficients; the others are the offset in c0 + c1 offset
 * + c2 offset^2. The rest was found from what an H200 (driver 580.159.04, CUDA 13.0) returned for
 * every operand of one or two octaves, 92 million in all:
 *
 *  segments      of 2^17 fractions of 23 bits each, 64 for an octave or a quarter of a turn;
 *                128 of 2^16 for rcp.
 *  coefficients  c0 has 25 to 27 bits, c1 16, c2 10 or 11. One set of them agrees with all
 *                results of a segment.
 *  square        partial products of the offset by itself, each pair of bits taken once;
 *                columns below 2^19 are left out. rcp's offset of 16 bits is doubled first.
 *  sum           exact, with a constant for what the square lacks and for rounding; then cut
 *                off.
 *
 * What surrounds the sum: ex2 takes 23 fraction bits of x, sin and cos 25 of the turn, cut off, and
 * a negative fraction (or the second and fourth quarter) inverts all of them, where a negation
 * would add 1. lg2 adds the exponent, and inverts a negative sum. rsqrt of 4^n and lg2 of 1 are
 * exact. Operands that are subnormal count as 0; ptxas scales them in instructions around the unit
 * where there is no .ftz, and does the division's scaling and sin's product by 1 / (2 pi), as its
 * machine code shows.
 *
 * tanh.approx has 51 segments of 2^17 operands each: 1 to 16 for an octave, of whose numbers as
 * many low bits are cut off as that takes.
 *
 * With these rules the 15 instructions of floats, with and without .ftz, give an H200's bits for
 * every one of the 2^32 operands (tests/unit/test_special.c keeps hashes of some). */
#ifndef SPECIAL_H
#define SPECIAL_H

#include "common/gpu/float_bits.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Of each segment, from the top: 32 bits c0, 16 bits c1, 16 bits c2, without their signs. */
extern const uint64_t special_rcp_segments[128], special_rsqrt_segments[128],
    special_sqrt_segments[128], special_lg2_segments[64], special_sin_segments[64],
    special_ex2_segments[64];

/* Of tanh, whose slopes need more bits: 24 bits c0, 20 bits c1, 16 bits c2. */
extern const uint64_t special_tanh_segments[51];

/* x * x / 2^19 for x of 17 bits, without the columns below 2^19: bit i of x meets bit j above it in
 * column i + j + 1, and itself in column 2 i. Of the bits from 8 on only the products of bits 8 and
 * 9 among themselves are left out, so (4 a + b)^2 - b^2 = 8 a (2 a + b) stays; bit 7 - k meets bits
 * from 11 + k on. (Row by row, as the adders have it, this takes twice the instructions.) */
static inline uint32_t special_square(uint32_t x)
{
    const uint32_t a = x >> 10, b = x >> 8 & 3;
    uint32_t sum = a * (2 * a + b);
    for (unsigned k = 0; k < 6; k++) {
        sum += x >> (7 - k) & 1 ? x >> (11 + k) : 0;
    }
    return sum;
}

enum special_curve { SPECIAL_RISES_FASTER, SPECIAL_RISES_SLOWER, SPECIAL_FALLS };

/* constant + c0 2^place and the two terms of the offset, with the curve's signs; operand: of the
 * square */
static inline uint64_t special_sum(enum special_curve curve, const uint64_t *segments, int number,
                                   unsigned place, int constant, uint32_t offset, uint32_t operand)
{
    const uint64_t segment = segments[number];
    const uint32_t c0 = (uint32_t)(segment >> 32), c1_c2 = (uint32_t)segment;
    const uint64_t start = ((uint64_t)c0 << place) + (uint64_t)(int64_t)constant;
    const uint64_t slope = (uint64_t)(c1_c2 >> 16) * offset;
    const uint64_t bend = (c1_c2 & 0xffff) * special_square(operand);
    return curve == SPECIAL_RISES_FASTER ? start + slope + bend : start + slope - bend;
}

/* The same sum / 2^place, cut off, from numbers of 32 bits, of which a vector holds twice as many.
 * Below c0, which has no bits there, the sum is 2^8 upper + lower: the slope's offset is cut in
 * two, so that upper is below 2^25 and lower below 2^27, and what both lose is cut off twice. */
static inline uint32_t special_sum_cut(enum special_curve curve, const uint64_t *segments,
                                       int number, unsigned place, int constant, uint32_t offset,
                                       uint32_t operand)
{
    const uint64_t segment = segments[number];
    const uint32_t c0 = (uint32_t)(segment >> 32), c1_c2 = (uint32_t)segment;
    const int32_t c1 = (int32_t)(c1_c2 >> 16), c2 = (int32_t)(c1_c2 & 0xffff);
    const int32_t upper = c1 * (int32_t)(offset >> 8), slope = c1 * (int32_t)(offset & 0xff);
    const int32_t bend = c2 * (int32_t)special_square(operand);
    const int32_t lower = curve == SPECIAL_FALLS          ? constant - slope + bend
                          : curve == SPECIAL_RISES_FASTER ? constant + slope + bend
                                                          : constant + slope - bend;
    const int32_t terms = (curve == SPECIAL_FALLS ? -upper : upper) + (lower >> 8);
    return c0 + (uint32_t)(terms >> (place - 8));
}

#define SPECIAL_SIGN 0x80000000u
#define SPECIAL_INF  0x7f800000u
#define SPECIAL_NAN  0x7fffffffu

/* Below, results are bits until the end, and choices are between integers: so a loop over 32 lanes
 * becomes vector code. */

/* sum / 2^places, cut off to 24 bits; a subnormal result is 0. sum: below 2^53, so exact as double.
 */
static inline uint32_t special_cut(uint32_t sign, uint64_t sum, int places)
{
    const double exact = (double)(int64_t)sum;
    uint64_t bits;
    memcpy(&bits, &exact, sizeof bits);
    const int exponent = (int)(bits >> 52) - 1023 - places + 127;
    const uint32_t fraction = (uint32_t)(bits >> 29) & 0x7fffff;
    return exponent <= 0 ? sign : sign | (uint32_t)exponent << 23 | fraction;
}

/* significand * 2^exponent for a significand of 24 bits; a subnormal result is 0. */
static inline uint32_t special_scaled(uint32_t sign, uint32_t significand, int exponent)
{
    const int raised = exponent + 150;
    return raised <= 0 ? sign : sign | (uint32_t)raised << 23 | (significand & 0x7fffff);
}

static inline int special_exponent(uint32_t bits) { return (int)(bits >> 23 & 0xff) - 127; }

static inline bool special_is_nan(uint32_t bits) { return (bits & ~SPECIAL_SIGN) > SPECIAL_INF; }

/* The result of a function without a value at negative numbers. */
static inline float special_if_positive(uint32_t bits, uint32_t at_zero, uint32_t at_infinity,
                                        uint32_t value)
{
    const int exponent = special_exponent(bits);
    uint32_t result = exponent == 128 ? at_infinity : value;
    result = bits >> 31 ? SPECIAL_NAN : result;
    result = exponent == -127 ? at_zero : result;
    return f32_of_bits(special_is_nan(bits) ? SPECIAL_NAN : result);
}

/* ---- the unit: subnormal operands and results are 0 ------------------------------------------ */

/* 2^24 / x for x = 1.fraction; 2^24 for x = 1. */
static inline uint32_t special_rcp_significand(uint32_t fraction)
{
    const uint32_t offset = fraction & 0xffff;
    return special_sum_cut(SPECIAL_FALLS, special_rcp_segments, (int)(fraction >> 16), 13, 2023,
                           offset, offset << 1) >>
           2;
}

static inline float special_rcp_unit(float x)
{
    const uint32_t bits = bits_of_f32(x), sign = bits & SPECIAL_SIGN;
    const int exponent = special_exponent(bits);
    const uint32_t significand = special_rcp_significand(bits & 0x7fffff);
    uint32_t result = special_scaled(sign, significand, (int)(significand >> 24) - 24 - exponent);
    result = exponent == 128 ? sign : exponent == -127 ? sign | SPECIAL_INF : result;
    return f32_of_bits(special_is_nan(bits) ? SPECIAL_NAN : result);
}

/* 2^24 / sqrt(x) for x = 1.fraction, or twice that; one less for x = 1. */
static inline uint32_t special_rsqrt_significand(uint32_t odd, uint32_t fraction)
{
    const uint32_t offset = fraction & 0x1ffff;
    return special_sum_cut(SPECIAL_FALLS, special_rsqrt_segments,
                           (int)(64 * odd + (fraction >> 17)), 14, -1, offset, offset) >>
           2;
}

static inline float special_rsqrt_unit(float x)
{
    const uint32_t bits = bits_of_f32(x), fraction = bits & 0x7fffff;
    const uint32_t odd = (bits >> 23 & 1) ^ 1; /* the exponent is */
    const int half = (special_exponent(bits) - (int)odd) / 2;
    const int exact = odd == 0 && fraction == 0;
    const uint32_t significand = special_rsqrt_significand(odd, fraction);
    const uint32_t value = special_scaled(0, exact ? 0 : significand, exact - 24 - half);
    return special_if_positive(bits, (bits & SPECIAL_SIGN) | SPECIAL_INF, 0, value);
}

static inline float special_sqrt_unit(float x)
{
    const uint32_t bits = bits_of_f32(x), fraction = bits & 0x7fffff, offset = bits & 0x1ffff;
    const uint32_t odd = (bits >> 23 & 1) ^ 1;
    const int half = (special_exponent(bits) - (int)odd) / 2;
    const uint32_t sum =
        special_sum_cut(SPECIAL_RISES_SLOWER, special_sqrt_segments,
                        (int)(64 * odd + (fraction >> 17)), 15 - odd, -1, offset, offset);
    const uint32_t value = special_scaled(0, sum >> 2, half - 23);
    return special_if_positive(bits, bits & SPECIAL_SIGN, SPECIAL_INF, value);
}

static inline float special_lg2_unit(float x)
{
    const uint32_t bits = bits_of_f32(x), fraction = bits & 0x7fffff, offset = bits & 0x1ffff;
    const uint64_t of_fraction = special_sum(SPECIAL_RISES_SLOWER, special_lg2_segments,
                                             (int)(fraction >> 17), 12, 837, offset, offset);
    const int64_t sum =
        special_exponent(bits) * (INT64_C(1) << 38) + (int64_t)(of_fraction & ~UINT64_C(1));
    const int64_t negative = sum >> 63; /* all ones, or 0: a choice would be a branch */
    const uint64_t magnitude = (uint64_t)((sum ^ negative) & ~(negative & 3));
    const uint32_t not_one = 0u - (bits != 0x3f800000);
    const uint32_t value = special_cut((uint32_t)negative & SPECIAL_SIGN, magnitude, 38) & not_one;
    return special_if_positive(bits, SPECIAL_SIGN | SPECIAL_INF, SPECIAL_INF, value);
}

static inline float special_ex2_unit(float x)
{
    const uint32_t bits = bits_of_f32(x), size = bits & ~SPECIAL_SIGN;
    const int exponent = special_exponent(bits);
    const uint32_t significand = (bits & 0x7fffff) | 0x800000;
    const int left = exponent < 0   ? 0
                     : exponent < 7 ? exponent
                                    : 7; /* 2^7 and beyond: seen below */
    const int right = exponent > 0 ? 0 : exponent > -24 ? -exponent : 24;
    const uint32_t magnitude = significand << left >> right;
    const uint32_t inverted = magnitude & 0x7fffff ? ~magnitude : 0 - magnitude;
    const int32_t fixed = (int32_t)(bits >> 31 ? inverted : magnitude);
    const uint32_t offset = (uint32_t)fixed & 0x1ffff;
    const uint32_t sum = special_sum_cut(SPECIAL_RISES_FASTER, special_ex2_segments,
                                         fixed >> 17 & 63, 13, 6114, offset, offset) >>
                         2;
    const uint32_t large = bits >> 31 ? 0 : SPECIAL_INF;
    const uint32_t result = size >= 0x43000000 ? large : special_scaled(0, sum, (fixed >> 23) - 23);
    return f32_of_bits(special_is_nan(bits) ? SPECIAL_NAN : result);
}

/* So many bits to one side, at most 32; 0 where it is to the other side. */
static inline int special_shift(int bits)
{
    const int at_most = bits < 32 ? bits : 32;
    return at_most > 0 ? at_most : 0;
}

/* sin (quarters 0) or cos (quarters 1) of `turns` whole turns. */
static inline float special_turn(float turns, unsigned quarters)
{
    const uint32_t bits = bits_of_f32(turns);
    const int left =
        special_exponent(bits) + 2; /* of a significand of 23 bits, to 25 fraction bits */
    const uint64_t significand =
        ((bits & 0x7fffff) | 0x800000) & (0u - (uint32_t)(left != -125)); /* subnormal: 0 */
    const int up = special_shift(left), down = special_shift(-left);
    const uint64_t fixed =
        significand << up >> down; /* of large numbers only the last 25 bits, which are 0 */
    const uint32_t quarter = ((uint32_t)(fixed >> 23) + quarters) & 3;
    const uint32_t fraction = (uint32_t)fixed & 0x7fffff;
    const uint32_t falls = quarter & 1, whole = fraction == 0;
    const uint32_t from_zero = fraction ^ (0x7fffff & (0u - (falls & ~whole)));
    const uint32_t offset = from_zero & 0x1ffff;
    const uint64_t sum = special_sum(SPECIAL_RISES_SLOWER, special_sin_segments,
                                     (int)(from_zero >> 17), 13, 0, offset, offset);
    const uint64_t at_top = 0 - (uint64_t)(falls & whole), one = UINT64_C(1) << 38;
    const uint32_t sign = quarter << 30 & SPECIAL_SIGN,
                   flips = quarters == 0 ? bits & SPECIAL_SIGN : 0;
    const uint32_t value = special_cut(sign ^ flips, (sum & ~at_top) | (one & at_top), 38);
    return f32_of_bits(special_exponent(bits) == 128 ? SPECIAL_NAN : value);
}

/* tanh.approx. Below 2^-8 the result is the operand, from 8 on 1. */
static inline float special_tanh(float x)
{
    /* of [2^-8, 2^-7) and the ten octaves after it: their first segments, and how many bits are
     * cut off */
    static const uint32_t first[16] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43};
    static const uint32_t cut[16] = {6, 6, 6, 5, 5, 4, 4, 4, 3, 2, 3};
    const uint32_t bits = bits_of_f32(x), size = bits & ~SPECIAL_SIGN;
    const uint32_t fraction = bits & 0x7fffff, octave = (size >> 23) - 119;
    const bool inside = octave < 11;
    const uint32_t places = cut[(int)(inside ? octave : 0)];
    const uint32_t segment = first[(int)(inside ? octave : 0)] + (fraction >> 17 >> places);
    const uint32_t offset = fraction >> places & 0x1ffff;
    const uint64_t row = special_tanh_segments[(int)(inside ? segment : 0)];
    const uint64_t sum = (row >> 40 << 16) + (row >> 20 & 0xfffff) * offset -
                         4 * (row & 0xffff) * special_square(offset);
    const uint32_t value = special_cut(0, sum, 40);
    const uint32_t outside = size < 0x3b800000 ? size : 0x3f800000;
    const uint32_t result = (bits & SPECIAL_SIGN) | (inside ? value : outside);
    return f32_of_bits(special_is_nan(bits) ? SPECIAL_NAN : result);
}

/* ---- instructions without .ftz; with it, the operand is flushed before and the result behind ----
 */

/* What an operand is multiplied with so that its reciprocal is no subnormal number: 2^24, 1/4 or 1.
 */
static inline float special_rcp_scale(float x)
{
    const uint32_t size = bits_of_f32(x) & 0x7fffffff;
    return f32_of_bits(size < 0x00800000   ? 0x4b800000
                       : size > 0x7e800000 ? 0x3e800000
                                           : 0x3f800000);
}

static inline float special_rcp(float x)
{
    return special_rcp_unit(x * special_rcp_scale(x)) * special_rcp_scale(x);
}

/* Positive numbers that are not subnormal, infinities and NaN are left alone. */
static inline bool special_is_small(float x) { return (int32_t)bits_of_f32(x) < 0x00800000; }

static inline float special_rsqrt(float x)
{
    const bool small = special_is_small(x);
    return special_rsqrt_unit(x * (small ? 0x1p24f : 1)) * (small ? 0x1p12f : 1);
}

static inline float special_sqrt(float x)
{
    const bool small = special_is_small(x);
    return special_sqrt_unit(x * (small ? 0x1p24f : 1)) * (small ? 0x1p-12f : 1);
}

static inline float special_lg2(float x)
{
    const bool small = special_is_small(x);
    return special_lg2_unit(x * (small ? 0x1p24f : 1)) - (small ? 24.0f : 0.0f);
}

static inline float special_ex2(float x)
{
    const bool small = bits_of_f32(x) > 0xc2fc0000; /* below -126 */
    const float root = special_ex2_unit(x * (small ? 0.5f : 1));
    return root * (small ? root : 1);
}

/* x / (2 pi), rounded towards zero */
static inline float special_turns(float x)
{
    const double product = (double)x * 0x1.45f306p-3f;
    const float near = (float)product;
    const double far = (double)f32_of_bits(bits_of_f32(near) & ~SPECIAL_SIGN);
    uint64_t size, near_size;
    memcpy(&size, &product, sizeof size);
    memcpy(&near_size, &far, sizeof near_size);
    return f32_of_bits(bits_of_f32(near) - (near_size > (size & ~UINT64_C(0) >> 1)));
}

static inline float special_sin(float x) { return special_turn(special_turns(x), 0); }

static inline float special_cos(float x) { return special_turn(special_turns(x), 1); }

/* div.approx */
static inline float special_div(float a, float b)
{
    const float scale =
        f32_of_bits((bits_of_f32(b) & 0x7fffffff) < 0x00800000 ? 0x4b800000 : 0x3f800000);
    return a * scale * special_rcp_unit(b * scale);
}

/* div.full */
static inline float special_div_full(float a, float b)
{
    return a * special_rcp_scale(b) * special_rcp_unit(b * special_rcp_scale(b));
}

/* ---- double: the high word alone counts, and alone is not 0 in the result -------------------- */

static inline uint32_t special_high(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (uint32_t)(bits >> 32);
}

static inline double special_of_high(uint32_t high)
{
    const uint64_t bits = (uint64_t)high << 32;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* significand * 2^exponent, for a significand of 24 bits of which 21 are kept. */
static inline uint32_t special_scaled_high(uint32_t sign, uint32_t significand, int exponent)
{
    const int raised = exponent + 1023 + 23;
    return raised <= 0 ? sign : sign | (uint32_t)raised << 20 | (significand >> 3 & 0xfffff);
}

/* rcp.approx.ftz.f64 */
static inline double special_rcp_double(double x)
{
    const uint32_t high = special_high(x), sign = high & SPECIAL_SIGN;
    const int exponent = (int)(high >> 20 & 0x7ff) - 1023;
    const uint32_t significand = special_rcp_significand((high & 0xfffff) << 3);
    uint32_t result =
        special_scaled_high(sign, significand, (int)(significand >> 24) - 24 - exponent);
    result = exponent == 1024 ? sign : exponent == -1023 ? sign | 0x7ff00000 : result;
    return special_of_high(x != x ? SPECIAL_NAN : result);
}

/* rsqrt.approx.ftz.f64 */
static inline double special_rsqrt_double(double x)
{
    const uint32_t high = special_high(x), fraction = (high & 0xfffff) << 3;
    const int exponent = (int)(high >> 20 & 0x7ff) - 1023;
    const uint32_t odd = (uint32_t)exponent & 1;
    const int exact = odd == 0 && fraction == 0;
    const uint32_t significand = special_rsqrt_significand(odd, fraction);
    const int half = (exponent - (int)odd) / 2;
    uint32_t result = special_scaled_high(0, exact ? 0 : significand, exact - 24 - half);
    result = exponent == 1024 ? 0 : result;
    result = high >> 31 ? SPECIAL_NAN : result;
    result = exponent == -1023 ? (high & SPECIAL_SIGN) | 0x7ff00000 : result;
    return special_of_high(x != x ? SPECIAL_NAN : result);
}

/* rsqrt.approx.f64: one step of third order from the unit's result, as ptxas expands it; of
 * 131,072 numbers of all sizes every bit is an H200's. */
static inline double special_rsqrt_refined(double x)
{
    const bool subnormal = x < 0x1p-1022;
    const double operand = subnormal ? x * 0x1p54 : x;
    const double root = special_rsqrt_double(operand);
    const double lost = __builtin_fma(operand, -(root * root), 1);
    const double better = __builtin_fma(__builtin_fma(lost, 0.375, 0.5), root * lost, root) *
                          (subnormal ? 0x1p27 : 1);
    return x > 0 && x < (double)INFINITY ? better : 1 / __builtin_sqrt(x);
}

/* ---- CUDA's library -------------------------------------------------------------------------- */

/* With an H200's bits. Each also for the 32 lanes of a warp, as vector code. */
float special_exp2f(float x);
float special_expf(float x);
float special_logf(float x);
float special_erfcf(float x);
void special_exp2f_lanes(float *restrict result, const float *restrict x);
void special_expf_lanes(float *restrict result, const float *restrict x);
void special_logf_lanes(float *restrict result, const float *restrict x);
void special_erfcf_lanes(float *restrict result, const float *restrict x);

#endif

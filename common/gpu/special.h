/* special.h - the special function unit: functions whose approximation PTX leaves to the GPU, with
 * an H200's bits.
 *
 * NVIDIA does not document the unit beyond its interpolator (S. F. Oberman, M. Y. Siu, "A
 * High-Performance Area-Efficient Multifunction Interpolator", ARITH 2005): the leading bits of a
 * fraction choose a segment and its three coefficients, the others are the offset in c0 + c1 offset
 * + c2 offset^2. The rest was found by taking ex2.approx of all 2^23 fractions on an H200 (driver
 * 580.159.04, CUDA 13.0):
 *
 *  fraction      x becomes a fixed-point number of 23 fraction bits; what lies behind them is cut
 *                off. Of a negative x whose fraction is not 0 all bits are inverted (a negation
 *                would add 1 to them).
 *  segments      64, chosen by the leading 6 bits; the offset in a segment has 17.
 *  coefficients  c0 has 26 bits (units of 2^-25), c1 16 bits, c2 10 bits.
 *  square        partial products of the offset by itself, each pair of bits taken once; columns
 *                below 2^19 are left out.
 *  sum           exact, with a constant for what the square lacks and for rounding; then cut off.
 *
 * With these rules one set of coefficients remains for each segment, and all 2^23 results agree. So
 * do 24,576 results of exp2f(), __expf() and expf() for numbers of all sizes, which the rules were
 * not made from (tests/unit/test_special.c). Other functions of the unit (rcp, rsqrt, sqrt, lg2,
 * sin, cos, tanh) come from the C library until they have been recorded. */
#ifndef SPECIAL_H
#define SPECIAL_H

#include <stdint.h>
#include <string.h>

struct special_segment {
    uint32_t c0, c1, c2;
};
extern const struct special_segment special_ex2_segments[64];

/* x * x / 2^19 for x of 17 bits, without the columns below 2^19. Bit i of x meets those above it in
 * columns i + j + 1, itself in column 2 i. */
static inline uint32_t special_square(uint32_t x)
{
    uint32_t sum = 0;
    for (unsigned i = 2; i < 17; i++) {
        const uint32_t above = i < 9 ? x >> (18 - i) : x >> (i + 1) << (2 * i - 17);
        const uint32_t itself = i < 10 ? 0 : 1u << (2 * i - 19);
        sum += x >> i & 1 ? above + itself : 0;
    }
    return sum;
}

/* MUFU.EX2, which ex2.approx.ftz.f32 is: 2^x; subnormal numbers are 0, as operand and as result. */
static inline float special_ex2_unit(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int exponent = (int)(bits >> 23 & 0xff) - 127;
    const uint32_t significand = (bits & 0x7fffff) | 0x800000;
    const int left = exponent < 0   ? 0
                     : exponent < 7 ? exponent
                                    : 7; /* 2^7 and beyond: seen below */
    const int right = exponent > 0 ? 0 : exponent > -24 ? -exponent : 24;
    const uint32_t magnitude = significand << left >> right;
    const uint32_t inverted = magnitude & 0x7fffff ? ~magnitude : 0 - magnitude;
    const int32_t fixed = (int32_t)(bits >> 31 ? inverted : magnitude);

    const struct special_segment *s = &special_ex2_segments[fixed >> 17 & 63];
    const uint32_t offset = (uint32_t)fixed & 0x1ffff;
    const uint64_t sum = ((uint64_t)s->c0 << 13) + (uint64_t)s->c1 * offset +
                         (uint64_t)(s->c2 * special_square(offset)) + 6114;
    const int32_t raised = (fixed >> 23) + 127;
    uint32_t result = (uint32_t)raised << 23 | ((uint32_t)(sum >> 15) & 0x7fffff);
    result = raised <= 0 || x < -127.0f ? 0 : result;
    result = x >= 128.0f ? 0x7f800000 : result;
    result = x != x ? bits : result;
    float value;
    memcpy(&value, &result, sizeof value);
    return value;
}

/* ex2.approx.f32: ptxas halves x where 2^x is subnormal, and squares the result. */
static inline float special_ex2(float x)
{
    const float root = special_ex2_unit(x < -126.0f ? x * 0.5f : x);
    return x < -126.0f ? root * root : root;
}

/* expf() of CUDA's library: x / ln 2 is split into a whole number and a rest, whose power is ex2's.
 */
float special_expf(float x);

/* exp2f() of CUDA's library: ex2.approx. */
float special_exp2f(float x);

#endif

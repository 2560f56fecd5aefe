/* special.c - functions of CUDA's library, with an H200's bits. Choices are between values, so that
 * a loop over 32 lanes is vector code; this file must not be compiled with contraction of a product
 * and a sum (-ffp-contract=fast), which the standard of C forbids. */
#include "common/gpu/special.h"

#include <math.h>

/* A loop with a call in it is no vector code. */
#define LANE static inline __attribute__((always_inline))

/* 2^whole for whole numbers from -126 to 127 */
static inline float special_power(float whole)
{
    return f32_of_bits((uint32_t)((int32_t)whole + 127) << 23);
}

/* exp2f() is ex2.approx. */
LANE float exp2f_of(float x) { return special_ex2(x); }

/* expf() splits x / ln 2 into a whole number and a rest, whose power is ex2's. */
LANE float expf_of(float x)
{
    const float log2_e = 0x1.715476p+0f, log2_e_rest = 0x1.4ae0c0p-26f;
    const float place = fmaf(x, log2_e / 252, 0.5f); /* of x / ln 2 in [-126, 126], from 0 to 1 */
    const float positive = place > 0 ? place : 0, clamped = positive < 1 ? positive : 1;
    const float whole = (float)__builtin_floor((double)clamped * 252) - 126;
    const float rest = fmaf(x, log2_e_rest, fmaf(x, log2_e, -whole));
    return special_ex2_unit(rest) * special_power(whole);
}

/* logf(): x = 2^n (1 + y) for y from -1/3 to 1/3, whose logarithm is a polynomial. */
LANE float logf_of(float x)
{
    const int small = x < 0x1p-126f;
    const float scaled = x * (small ? 0x1p23f : 1);
    const uint32_t bits = bits_of_f32(scaled), octave = (bits - 0x3f2aaaab) & 0xff800000;
    const float n = fmaf((float)(int32_t)octave, 0x1p-23f, small ? -23 : 0);
    const float y = f32_of_bits(bits - octave) - 1;
    float p = fmaf(-0x1.0aa04ep-3f, y, 0x1.2073ecp-3f);
    p = fmaf(p, y, -0x1.f19b98p-4f);
    p = fmaf(p, y, 0x1.1e52aap-3f);
    p = fmaf(p, y, -0x1.55b172p-3f);
    p = fmaf(p, y, 0x1.99da16p-3f);
    p = fmaf(p, y, -0x1.fffe44p-3f);
    p = fmaf(p, y, 0x1.5554f0p-2f);
    p = fmaf(p, y, -0.5f);
    const float value = fmaf(n, 0x1.62e430p-1f, fmaf(y * p, y, y));
    const float outside = fmaf(scaled, (float)INFINITY, (float)INFINITY);
    const float result = bits < 0x7f800000 ? value : outside;
    return scaled == 0 ? -(float)INFINITY : result;
}

/* erfcf(): (1 + 2 a) exp(a^2) erfc(a) is a polynomial of (a - 4) / (a + 4) (M. M. Shepherd, J. G.
 * Laframboise, "Chebyshev Approximation of (1 + 2x) exp(x^2) erfc x in 0 <= x < infinity",
 * Mathematics of Computation 36, 1981); a: |x|. What rounding has lost of the quotients and of a^2
 * is found by fma and added. */
LANE float erfcf_of(float x)
{
    const float a = __builtin_fabsf(x);
    const float of_sum = special_rcp_unit(a + 4), near = (a - 4) * of_sum;
    const float lost = fmaf(-near, a, fmaf(-4, near + 1, a));
    const float q = fmaf(of_sum, lost, near);
    float p = fmaf(0x1.d34122p-11f, q, 0x1.cdc0b6p-8f);
    p = fmaf(p, q, -0x1.03f696p-6f);
    p = fmaf(p, q, 0x1.2a6e76p-5f);
    p = fmaf(p, q, -0x1.10f8b4p-4f);
    p = fmaf(p, q, 0x1.8043aap-4f);
    p = fmaf(p, q, -0x1.9da848p-4f);
    p = fmaf(p, q, 0x1.16e9bcp-4f);
    p = fmaf(p, q, 0x1.f7e2e0p-7f);
    p = fmaf(p, q, -0x1.1df1a8p-3f);
    p = fmaf(p, q, 0x1.3ba592p+0f);
    const float of_line = special_rcp_unit(fmaf(2, a, 1)), first = p * of_line;
    const float quotient = fmaf(fmaf(a, first * -2, p) - first, of_line, first);
    const float square = a * a, far = __builtin_truncf(-square * 0x1.715476p+0f);
    const float whole = far < -126 ? -126 : far;
    const float rest = fmaf(whole, 0x1.05c610p-29f, fmaf(whole, -0x1.62e430p-1f, -square));
    const float power = special_ex2_unit(rest * 0x1.715476p+0f) * special_power(whole);
    const float exponential = fmaf(power, fmaf(-a, a, square), power);
    const float tail = a > 0x1.41c290p+3f ? 0 : quotient * exponential;
    return x < 0 ? 2 - tail : tail;
}

/* The GPU has one NaN. */
LANE float of_gpu(float y)
{
    const uint32_t bits = bits_of_f32(y);
    return f32_of_bits(special_is_nan(bits) ? SPECIAL_NAN : bits);
}

/* A function of one lane, and of the lanes of a warp. */
#define FUNCTION(name)                                                                             \
    float special_##name(float x) { return of_gpu(name##_of(x)); }                                 \
    void special_##name##_lanes(float *restrict result, const float *restrict x)                   \
    {                                                                                              \
        for (int lane = 0; lane < 32; lane++) {                                                    \
            result[lane] = of_gpu(name##_of(x[lane]));                                             \
        }                                                                                          \
    }
FUNCTION(exp2f)
FUNCTION(expf)
FUNCTION(logf)
FUNCTION(erfcf)

/* simt/math_more.h - math functions made of those in simt/math.h, which includes this file. */
#ifndef SIMT_MATH_MORE_H
#define SIMT_MATH_MORE_H

/* ------------------------------------------------------------- parts of a number */

/* x = fraction in [0.5, 1) times 2 to the exponent. */
SIMT_DEVICE double frexp(double x, int *exponent)
{
    if (x == 0 || !(__builtin_fabs(x) < __builtin_inf())) {
        *exponent = 0;
        return x + x; /* a NaN becomes quiet */
    }
    int scale = __builtin_fabs(x) < 2.2250738585072014e-308 ? 54 : 0; /* subnormal */
    unsigned long long bits = __builtin_bit_cast(unsigned long long, scale ? x * 0x1p54 : x);
    *exponent = (int)((bits >> 52) & 0x7ff) - 1022 - scale;
    return __builtin_bit_cast(double, (bits & 0x800fffffffffffffull) | 0x3fe0000000000000ull);
}
SIMT_DEVICE float frexpf(float x, int *exponent) { return (float)frexp((double)x, exponent); }
SIMT_DEVICE float frexp(float x, int *exponent) { return frexpf(x, exponent); }

SIMT_DEVICE double modf(double x, double *whole)
{
    double w = trunc(x);
    *whole = w;
    double fraction = __builtin_fabs(x) < __builtin_inf() ? x - w : x == x ? 0 : x;
    return copysign(fraction, x);
}
SIMT_DEVICE float modff(float x, float *whole)
{
    float w = truncf(x);
    *whole = w;
    float fraction = __builtin_fabsf(x) < __builtin_inff() ? x - w : x == x ? 0 : x;
    return copysignf(fraction, x);
}
SIMT_DEVICE float modf(float x, float *whole) { return modff(x, whole); }

SIMT_DEVICE int ilogb(double x)
{
    if (x == 0 || x != x) {
        return -2147483647 - 1;
    }
    if (__builtin_fabs(x) == __builtin_inf()) {
        return 2147483647;
    }
    int exponent;
    frexp(x, &exponent);
    return exponent - 1;
}
SIMT_DEVICE int ilogbf(float x) { return ilogb((double)x); }
SIMT_DEVICE int ilogb(float x) { return ilogbf(x); }

/* The remainder and the low three bits of the rounded quotient, with its sign. */
SIMT_DEVICE double remquo(double x, double y, int *quotient)
{
    double ax = __builtin_fabs(x), ay = __builtin_fabs(y);
    double rest = ay < 0x1p1020 ? fmod(ax, 8 * ay) : ax;
    double r = remainder(rest, ay);
    int q = (rest - r) / ay > 0 ? (int)rint((rest - r) / ay) & 7 : 0;
    *quotient = (x < 0) != (y < 0) ? -q : q;
    return __builtin_signbit(x) ? -r : r;
}
SIMT_DEVICE float remquof(float x, float y, int *quotient)
{
    return (float)remquo((double)x, (double)y, quotient);
}
SIMT_DEVICE float remquo(float x, float y, int *quotient) { return remquof(x, y, quotient); }

SIMT_DEVICE double nan(const char *) { return __builtin_nan(""); }
SIMT_DEVICE float nanf(const char *) { return __builtin_nanf(""); }

/* ------------------------------------------------------------- sine and cosine */

SIMT_DEVICE void sincos(double x, double *sine, double *cosine)
{
    *sine = sin(x);
    *cosine = cos(x);
}
SIMT_DEVICE void sincosf(float x, float *sine, float *cosine)
{
    *sine = sinf(x);
    *cosine = cosf(x);
}
SIMT_DEVICE void sincos(float x, float *sine, float *cosine) { sincosf(x, sine, cosine); }
/* ------------------------------------------------------------- lengths of vectors */

SIMT_DEVICE double norm3d(double x, double y, double z) { return hypot(hypot(x, y), z); }
SIMT_DEVICE double norm4d(double x, double y, double z, double w)
{
    return hypot(hypot(x, y), hypot(z, w));
}
SIMT_DEVICE double rnorm3d(double x, double y, double z) { return 1 / norm3d(x, y, z); }
SIMT_DEVICE double rnorm4d(double x, double y, double z, double w)
{
    return 1 / norm4d(x, y, z, w);
}
SIMT_DEVICE double norm(int count, const double *v)
{
    double length = 0;
    for (int i = 0; i < count; i++) {
        length = hypot(length, v[i]);
    }
    return length;
}
SIMT_DEVICE double rnorm(int count, const double *v) { return 1 / norm(count, v); }
/* Floats: their squares neither overflow nor vanish in double. */
SIMT_DEVICE float norm3df(float x, float y, float z)
{
    return (float)sqrt((double)x * x + (double)y * y + (double)z * z);
}
SIMT_DEVICE float norm4df(float x, float y, float z, float w)
{
    return (float)sqrt((double)x * x + (double)y * y + (double)z * z + (double)w * w);
}
SIMT_DEVICE float rnorm3df(float x, float y, float z)
{
    return (float)rsqrt((double)x * x + (double)y * y + (double)z * z);
}
SIMT_DEVICE float rnorm4df(float x, float y, float z, float w)
{
    return (float)rsqrt((double)x * x + (double)y * y + (double)z * z + (double)w * w);
}
SIMT_DEVICE float normf(int count, const float *v)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += (double)v[i] * v[i];
    }
    return (float)sqrt(sum);
}
SIMT_DEVICE float rnormf(int count, const float *v)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += (double)v[i] * v[i];
    }
    return (float)rsqrt(sum);
}

#endif

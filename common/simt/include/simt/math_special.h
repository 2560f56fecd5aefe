/* simt/math_special.h - special functions of CUDA that the C library lacks: inverse error
 * functions, the scaled one, the normal quantile, modified Bessel functions.
 *
 * Included by simt/math.h. Formulas: Abramowitz and Stegun, Handbook of Mathematical Functions
 * (chapters 7, 9 and 26); S. Winitzki's first guess of the inverse error function. */
#ifndef SIMT_MATH_SPECIAL_H
#define SIMT_MATH_SPECIAL_H

#define SIMT_SQRT_PI 1.77245385090551602730

/* x with erfc(x) = y. A first guess, then Halley's iteration, which triples the right digits. */
SIMT_DEVICE double erfcinv(double y)
{
    if (!(y >= 0 && y <= 2)) {
        return __builtin_nan("");
    }
    if (y == 0 || y == 2) {
        return y == 0 ? __builtin_inf() : -__builtin_inf();
    }
    double tail = y < 1 ? y : 2 - y;
    double t = sqrt(-2 * log(tail / 2));
    double x =
        (t - (2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481))) * 0.7071067811865475;
    for (int i = 0; i < 3; i++) {
        double d = (tail - erfc(x)) * (SIMT_SQRT_PI / 2) * exp(x * x);
        x -= d / (1 + x * d);
    }
    return y < 1 ? x : -x;
}

/* x with erf(x) = y; near 0 through erf itself, which keeps the digits that 1 - y loses. */
SIMT_DEVICE double erfinv(double y)
{
    double size = fabs(y);
    if (!(size <= 1)) {
        return __builtin_nan("");
    }
    if (size > 0.5) {
        return copysign(erfcinv(1 - size), y);
    }
    double l = log1p(-y * y), a = 0.147, b = 2 / (3.14159265358979324 * a) + l / 2;
    double x = copysign(sqrt(sqrt(b * b - l / a) - b), y);
    for (int i = 0; i < 3; i++) {
        double d = (erf(x) - y) * (SIMT_SQRT_PI / 2) * exp(x * x);
        x -= d / (1 + x * d);
    }
    return y == 0 ? y : x;
}

SIMT_DEVICE double normcdfinv(double p) { return -1.41421356237309505 * erfcinv(2 * p); }

/* exp(x x) erfc(x): for large x by its asymptotic series, where the product would be 0 times
 * infinity. The square is split so that its rounding does not grow in exp. */
SIMT_DEVICE double erfcx(double x)
{
    if (x > 25) {
        double r = 1 / (2 * x * x), term = 1, sum = 1;
        for (int k = 1; k < 9; k++) {
            sum += term *= -(2 * k - 1) * r;
        }
        return sum / (x * SIMT_SQRT_PI);
    }
    double square = x * x, rest = fma(x, x, -square);
    double product = exp(square) * erfc(x);
    return product + product * rest;
}

/* Modified Bessel functions of the first kind, order 0 and 1: power series, or asymptotic. */
SIMT_DEVICE double simt_bessel_i(int order, double x)
{
    double size = fabs(x);
    if (size > 20) {
        double mu = 4.0 * order * order, term = 1, sum = 1;
        for (int k = 1; k < 20; k++) {
            sum += term *= -(mu - (2.0 * k - 1) * (2 * k - 1)) / (k * 8 * size);
        }
        double half = exp(size / 2); /* in two steps: exp(size) overflows sooner */
        return half * (half / sqrt(6.28318530717958648 * size)) * sum;
    }
    double quarter = x * x / 4, term = order == 0 ? 1 : size / 2, sum = term;
    for (int k = 1; k < 60; k++) {
        sum += term *= quarter / ((double)k * (k + order));
    }
    return sum;
}
SIMT_DEVICE double cyl_bessel_i0(double x) { return simt_bessel_i(0, x); }
SIMT_DEVICE double cyl_bessel_i1(double x) { return copysign(simt_bessel_i(1, x), x); }

#define SIMT_AS_FLOAT(name)                                                                        \
    SIMT_DEVICE float name##f(float x) { return (float)name((double)x); }                          \
    SIMT_DEVICE float name(float x) { return name##f(x); }

SIMT_AS_FLOAT(erfinv)
SIMT_AS_FLOAT(erfcinv)
SIMT_AS_FLOAT(normcdfinv)
SIMT_AS_FLOAT(erfcx)
SIMT_AS_FLOAT(cyl_bessel_i0)
SIMT_AS_FLOAT(cyl_bessel_i1)
#undef SIMT_AS_FLOAT
#undef SIMT_SQRT_PI

#endif

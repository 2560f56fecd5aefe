/* simt/math_special.h - modified Bessel functions of the first kind, which kernels alone call.
 *
 * Included by simt/math.h. Formulas: Abramowitz and Stegun, Handbook of Mathematical Functions
 * (chapter 9). */
#ifndef SIMT_MATH_SPECIAL_H
#define SIMT_MATH_SPECIAL_H

/* Order 0 and 1: power series, or asymptotic. */
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

SIMT_AS_FLOAT(cyl_bessel_i0)
SIMT_AS_FLOAT(cyl_bessel_i1)
#undef SIMT_AS_FLOAT

#endif

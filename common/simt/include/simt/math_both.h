/* simt/math_both.h - functions of CUDA that the C library lacks and that programs call on either
 * side: sines of multiples of pi, inverse error functions, the scaled one, the normal distribution.
 *
 * Included twice, with SIMT_SIDE as what a function of that side begins with: by simt/math.h for
 * kernels, by simt/math_host.h behind <cmath> for the host. Formulas: Abramowitz and Stegun,
 * Handbook of Mathematical Functions (chapters 7 and 26); S. Winitzki's first guess of the inverse
 * error function. */

/* ------------------------------------------------------------- multiples of pi */

/* sin(pi x) and cos(pi x): the argument is reduced exactly before pi makes it inexact. */
SIMT_SIDE double sinpi(double x)
{
    double r = x - 2 * rint(x / 2); /* [-1, 1] */
    if (r > 0.5) {
        r = 1 - r;
    } else if (r < -0.5) {
        r = -1 - r;
    }
    return r == 0 ? copysign(0.0, x) : sin(r * 3.14159265358979323846);
}
SIMT_SIDE double cospi(double x)
{
    double r = fabs(x - 2 * rint(x / 2)); /* [0, 1] */
    return r == 0.5 ? 0.0 : sin((0.5 - r) * 3.14159265358979323846);
}
SIMT_SIDE float sinpif(float x) { return (float)sinpi((double)x); }
SIMT_SIDE float cospif(float x) { return (float)cospi((double)x); }
SIMT_SIDE float sinpi(float x) { return sinpif(x); }
SIMT_SIDE float cospi(float x) { return cospif(x); }

SIMT_SIDE void sincospi(double x, double *sine, double *cosine)
{
    *sine = sinpi(x);
    *cosine = cospi(x);
}
SIMT_SIDE void sincospif(float x, float *sine, float *cosine)
{
    *sine = sinpif(x);
    *cosine = cospif(x);
}
SIMT_SIDE void sincospi(float x, float *sine, float *cosine) { sincospif(x, sine, cosine); }

/* ------------------------------------------------------------- the normal distribution */

SIMT_SIDE double normcdf(double x) { return 0.5 * erfc(x * -0.70710678118654752440); }
SIMT_SIDE float normcdff(float x) { return (float)normcdf((double)x); }
SIMT_SIDE float normcdf(float x) { return normcdff(x); }

/* ------------------------------------------------------------- error functions */

#define SIMT_SQRT_PI 1.77245385090551602730

/* x with erfc(x) = y. A first guess, then Halley's iteration, which triples the right digits. */
SIMT_SIDE double erfcinv(double y)
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
SIMT_SIDE double erfinv(double y)
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

SIMT_SIDE double normcdfinv(double p) { return -1.41421356237309505 * erfcinv(2 * p); }

/* exp(x x) erfc(x): for large x by its asymptotic series, where the product would be 0 times
 * infinity. The square is split so that its rounding does not grow in exp. */
SIMT_SIDE double erfcx(double x)
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

#define SIMT_AS_FLOAT(name)                                                                        \
    SIMT_SIDE float name##f(float x) { return (float)name((double)x); }                            \
    SIMT_SIDE float name(float x) { return name##f(x); }

SIMT_AS_FLOAT(erfinv)
SIMT_AS_FLOAT(erfcinv)
SIMT_AS_FLOAT(normcdfinv)
SIMT_AS_FLOAT(erfcx)
#undef SIMT_AS_FLOAT
#undef SIMT_SQRT_PI

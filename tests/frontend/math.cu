/* The math functions of the CUDA documentation, float and double, against the C library, within
 * the documented error: a few units in the last place. */
#include "check.h"

/* name, how far apart in units of the last place (float, double) */
#define ONE_ARGUMENT(F)                                                                            \
    F(acos, 2)                                                                                     \
    F(asin, 2)                                                                                     \
    F(atan, 2)                                                                                     \
    F(acosh, 4)                                                                                    \
    F(asinh, 4)                                                                                    \
    F(atanh, 4)                                                                                    \
    F(cbrt, 2)                                                                                     \
    F(ceil, 0)                                                                                     \
    F(cos, 2)                                                                                      \
    F(cosh, 2)                                                                                     \
    F(erf, 2)                                                                                      \
    F(erfc, 5)                                                                                     \
    F(exp, 2)                                                                                      \
    F(exp2, 2)                                                                                     \
    F(expm1, 2)                                                                                    \
    F(fabs, 0)                                                                                     \
    F(floor, 0)                                                                                    \
    F(lgamma, 6)                                                                                   \
    F(log, 2)                                                                                      \
    F(log10, 3)                                                                                    \
    F(log1p, 2)                                                                                    \
    F(log2, 2)                                                                                     \
    F(logb, 0)                                                                                     \
    F(nearbyint, 0)                                                                                \
    F(rint, 0)                                                                                     \
    F(round, 0)                                                                                    \
    F(sin, 2)                                                                                      \
    F(sinh, 3)                                                                                     \
    F(sqrt, 0)                                                                                     \
    F(tan, 4)                                                                                      \
    F(tanh, 2)                                                                                     \
    F(tgamma, 11)                                                                                  \
    F(trunc, 0)

#define TWO_ARGUMENTS(F)                                                                           \
    F(atan2, 3)                                                                                    \
    F(copysign, 0)                                                                                 \
    F(fdim, 0)                                                                                     \
    F(fmax, 0)                                                                                     \
    F(fmin, 0)                                                                                     \
    F(fmod, 0)                                                                                     \
    F(hypot, 3)                                                                                    \
    F(nextafter, 0)                                                                                \
    F(pow, 8)                                                                                      \
    F(remainder, 0)

#define COUNT(name, ulps) +1
#define FUNCTIONS         (0 ONE_ARGUMENT(COUNT) TWO_ARGUMENTS(COUNT))

/* Per function: name(double), namef(float), name(float) as C++ overload. */
__global__ void compute(double a, double b, double *out)
{
    float x = (float)a, y = (float)b;
    (void)y;
#define KERNEL_1(name, ulps)                                                                       \
    *out++ = name(a);                                                                              \
    *out++ = name##f(x);                                                                           \
    *out++ = name(x);
#define KERNEL_2(name, ulps)                                                                       \
    *out++ = name(a, b);                                                                           \
    *out++ = name##f(x, y);                                                                        \
    *out++ = name(x, y);
    ONE_ARGUMENT(KERNEL_1)
    TWO_ARGUMENTS(KERNEL_2)
}

static void check(double a, double b, double *out)
{
    compute<<<1, 1>>>(a, b, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    float x = (float)a, y = (float)b;
#define HOST(call, callf, name, ulps)                                                              \
    check_float(out[0], call, ulps * 2.3e-16, #name, __LINE__);                                    \
    check_float(out[1], callf, ulps * 1.2e-7, #name "f", __LINE__);                                \
    check_float(out[2], callf, ulps * 1.2e-7, #name "(float)", __LINE__);                          \
    out += 3;
#define HOST_1(name, ulps) HOST(name(a), name##f(x), name, ulps)
#define HOST_2(name, ulps) HOST(name(a, b), name##f(x, y), name, ulps)
    ONE_ARGUMENT(HOST_1)
    TWO_ARGUMENTS(HOST_2)
}

struct parts {
    double fraction, whole, mantissa, sine, cosine, quotient_rest, negated_half;
    float fractionf, wholef, mantissaf, sinef, cosinef;
    int exponent, exponentf, quotient, ilogb;
    long long rounded, rounded_away;
    int classes;
};

__global__ void take_apart(double a, struct parts *out)
{
    out->fraction = modf(a, &out->whole);
    out->fractionf = modff((float)a, &out->wholef);
    out->mantissa = frexp(a, &out->exponent);
    out->mantissaf = frexpf((float)a, &out->exponentf);
    sincos(a, &out->sine, &out->cosine);
    sincosf((float)a, &out->sinef, &out->cosinef);
    out->quotient_rest = remquo(a, 0.3, &out->quotient);
    out->ilogb = ilogb(a);
    out->rounded = llrint(a);
    out->rounded_away = llround(a);
    out->negated_half = ldexp(-a, -1);
    out->classes =
        (isnan(a) != 0) | (isinf(a) != 0) << 1 | (isfinite(a) != 0) << 2 | (signbit(a) != 0) << 3;
}

static void check_parts(double a, struct parts *out)
{
    take_apart<<<1, 1>>>(a, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    double whole;
    float wholef;
    int exponent, quotient;
    CHECK_FLOAT(out->fraction, modf(a, &whole), 0);
    CHECK_FLOAT(out->whole, whole, 0);
    CHECK_FLOAT(out->fractionf, modff((float)a, &wholef), 0);
    CHECK_FLOAT(out->wholef, wholef, 0);
    CHECK_FLOAT(out->negated_half, ldexp(-a, -1), 0);
    CHECK_INT(out->classes, (isnan(a) != 0) | (isinf(a) != 0) << 1 | (isfinite(a) != 0) << 2 |
                                (signbit(a) != 0) << 3);
    if (!isfinite(a))
        return;
    CHECK_FLOAT(out->mantissa, frexp(a, &exponent), 0);
    CHECK_INT(out->exponent, exponent);
    CHECK_FLOAT(out->mantissaf, frexpf((float)a, &exponent), 0);
    CHECK_INT(out->exponentf, exponent);
    CHECK_FLOAT(out->sine, sin(a), 5e-16);
    CHECK_FLOAT(out->cosine, cos(a), 5e-16);
    CHECK_FLOAT(out->sinef, sinf((float)a), 3e-7);
    CHECK_FLOAT(out->cosinef, cosf((float)a), 3e-7);
    CHECK_FLOAT(out->quotient_rest, remquo(a, 0.3, &quotient), 0);
    CHECK_INT(out->quotient & 7, quotient & 7);
    CHECK_INT(out->rounded, llrint(a));
    CHECK_INT(out->rounded_away, llround(a));
    if (a != 0)
        CHECK_INT(out->ilogb, ilogb(a));
}

__global__ void cuda_only(double *out)
{
    out[0] = rsqrt(16.0);
    out[1] = rcbrt(27.0);
    out[2] = sinpi(0.5) + sinpi(1.0) + cospi(1.0);
    out[3] = sinpif(1e6f + 0.5f);
    out[4] = normcdf(0.0);
    out[5] = norm3d(2.0, 3.0, 6.0);
    out[6] = rnorm3df(2.0f, 3.0f, 6.0f);
    out[7] = rhypot(3.0, 4.0);
    out[8] = exp10(3.0);
    out[9] = exp10f(2.0f);
    out[10] = fdividef(7.0f, 2.0f);
    out[11] = norm4df(1.0f, 2.0f, 4.0f, 10.0f);
    out[12] = j0(1.0) + y1f(2.0f) + jn(2, 1.5);
    out[13] = fmin(out[13], out[14]); /* -0 is below +0: unlike C, PTX says so */
    out[14] = fmaxf((float)out[14], -0.0f);
}

int main(void)
{
    double *out = make_array<double>(3 * FUNCTIONS);
    check(0.5, 0.25, out);
    check(0.9, -1.7, out);
    check(1.5, 2.0, out);
    check(2.5, 0.3, out);
    check(-0.5, 3.0, out);
    check(-3.7, 2.0, out);
    check(20.0, -0.1, out);
    check(0.0, 1.0, out);
    check(-0.0, 1.0, out);
    check(INFINITY, 1.0, out);
    check(NAN, 1.0, out);
    check(1.0, NAN, out);

    struct parts *parts = make_array<struct parts>(1);
    const double values[] = {0.0, -0.0, 1.0, -2.75, 1e-310, 3.5, -4.5, 1e10 + 0.5, 0.45};
    for (int i = 0; i < (int)(sizeof(values) / sizeof(values[0])); i++)
        check_parts(values[i], parts);
    check_parts(INFINITY, parts);
    check_parts(NAN, parts);

    out[13] = 0.0;
    out[14] = -0.0;
    cuda_only<<<1, 1>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_FLOAT(out[0], 0.25, 1e-15);
    CHECK_FLOAT(out[1], 1.0 / 3, 1e-15);
    CHECK_FLOAT(out[2], 0.0, 0);
    CHECK_FLOAT(out[3], 1.0, 0);
    CHECK_FLOAT(out[4], 0.5, 0);
    CHECK_FLOAT(out[5], 7.0, 1e-15);
    CHECK_FLOAT(out[6], 1.0 / 7, 2e-7);
    CHECK_FLOAT(out[7], 0.2, 1e-15);
    CHECK_FLOAT(out[8], 1000.0, 1e-15);
    CHECK_FLOAT(out[9], 100.0, 2e-7);
    CHECK_FLOAT(out[10], 3.5, 0);
    CHECK_FLOAT(out[11], 11.0, 2e-7);
    CHECK_FLOAT(out[12], j0(1.0) + y1f(2.0f) + jn(2, 1.5), 1e-6);
    CHECK_FLOAT(out[13], -0.0, 0);
    CHECK_FLOAT(out[14], -0.0, 0);
    return check_done();
}

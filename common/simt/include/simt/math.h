/* simt/math.h - the CUDA math functions for device code: sinf, exp, fmaf, rsqrt, abs, min, max ...
 *
 * What PTX has an instruction for becomes that instruction: square roots, fma, rounding, minimum.
 * The rest is a call of __simt_NAME, which the simulator answers with the C library's NAME
 * (common/simt/exec/native.def lists them). This header comes before <cmath>: std::sin(float) is
 * constexpr in libstdc++, which clang would take for a device function, unless a device function
 * of that signature is already in namespace std. */
#ifndef SIMT_MATH_H
#define SIMT_MATH_H

#include "device.h"
#include "float_intrinsics.h"

/* ------------------------------------------------------------- answered by the C library */

#define SIMT_NATIVE extern "C" __attribute__((device, const))

/* name: the double function; namef and the overload name(float); name(integer) is name(double). */
#define SIMT_OVERLOADS_1(name, expression, expressionf)                                            \
    SIMT_DEVICE double name(double x) { return expression; }                                       \
    SIMT_DEVICE float name##f(float x) { return expressionf; }                                     \
    SIMT_DEVICE float name(float x) { return name##f(x); }                                         \
    template <typename T> SIMT_DEVICE typename simt_if_integer<T>::type name(T x)                  \
    {                                                                                              \
        return name((double)x);                                                                    \
    }
#define SIMT_OVERLOADS_2(name, expression, expressionf)                                            \
    SIMT_DEVICE double name(double x, double y) { return expression; }                             \
    SIMT_DEVICE float name##f(float x, float y) { return expressionf; }                            \
    SIMT_DEVICE float name(float x, float y) { return name##f(x, y); }

#define SIMT_NATIVE_1(name)                                                                        \
    SIMT_NATIVE double __simt_##name(double);                                                      \
    SIMT_NATIVE float __simt_##name##f(float);                                                     \
    SIMT_OVERLOADS_1(name, __simt_##name(x), __simt_##name##f(x))
#define SIMT_NATIVE_2(name)                                                                        \
    SIMT_NATIVE double __simt_##name(double, double);                                              \
    SIMT_NATIVE float __simt_##name##f(float, float);                                              \
    SIMT_OVERLOADS_2(name, __simt_##name(x, y), __simt_##name##f(x, y))
/* With -use_fast_math the float function is the approximate intrinsic. */
#ifdef __USE_FAST_MATH__
#define SIMT_NATIVE_1_FAST(name)                                                                   \
    SIMT_NATIVE double __simt_##name(double);                                                      \
    SIMT_OVERLOADS_1(name, __simt_##name(x), __##name##f(x))
#define SIMT_NATIVE_2_FAST(name)                                                                   \
    SIMT_NATIVE double __simt_##name(double, double);                                              \
    SIMT_OVERLOADS_2(name, __simt_##name(x, y), __##name##f(x, y))
#else
#define SIMT_NATIVE_1_FAST(name) SIMT_NATIVE_1(name)
#define SIMT_NATIVE_2_FAST(name) SIMT_NATIVE_2(name)
#endif

/* simt_if_integer<T>::type exists, and is double, for integers only. */
template <typename T> struct simt_if_integer {
};
#define SIMT_INTEGER(integer)                                                                      \
    template <> struct simt_if_integer<integer> {                                                  \
        typedef double type;                                                                       \
    };
SIMT_INTEGER(bool)
SIMT_INTEGER(char)
SIMT_INTEGER(signed char)
SIMT_INTEGER(unsigned char)
SIMT_INTEGER(short)
SIMT_INTEGER(unsigned short)
SIMT_INTEGER(int)
SIMT_INTEGER(unsigned int)
SIMT_INTEGER(long)
SIMT_INTEGER(unsigned long)
SIMT_INTEGER(long long)
SIMT_INTEGER(unsigned long long)
#undef SIMT_INTEGER

SIMT_NATIVE_1(acos)
SIMT_NATIVE_1(acosh)
SIMT_NATIVE_1(asin)
SIMT_NATIVE_1(asinh)
SIMT_NATIVE_1(atan)
SIMT_NATIVE_1(atanh)
SIMT_NATIVE_1(cbrt)
SIMT_NATIVE_1_FAST(cos)
SIMT_NATIVE_1(cosh)
SIMT_NATIVE_1(erf)
SIMT_NATIVE_1(erfc)
SIMT_NATIVE_1_FAST(exp)
SIMT_NATIVE_1_FAST(exp10)
SIMT_NATIVE_1(exp2)
SIMT_NATIVE_1(expm1)
SIMT_NATIVE_1(j0)
SIMT_NATIVE_1(j1)
SIMT_NATIVE_1(lgamma)
SIMT_NATIVE_1_FAST(log)
SIMT_NATIVE_1_FAST(log10)
SIMT_NATIVE_1(log1p)
SIMT_NATIVE_1_FAST(log2)
SIMT_NATIVE_1(logb)
SIMT_NATIVE_1_FAST(sin)
SIMT_NATIVE_1(sinh)
SIMT_NATIVE_1_FAST(tan)
SIMT_NATIVE_1(tanh)
SIMT_NATIVE_1(tgamma)
SIMT_NATIVE_1(y0)
SIMT_NATIVE_1(y1)

SIMT_NATIVE_2(atan2)
SIMT_NATIVE_2(fmod)
SIMT_NATIVE_2(hypot)
SIMT_NATIVE_2(nextafter)
SIMT_NATIVE_2_FAST(pow)
SIMT_NATIVE_2(remainder)

SIMT_NATIVE double __simt_jn(int, double);
SIMT_NATIVE float __simt_jnf(int, float);
SIMT_NATIVE double __simt_yn(int, double);
SIMT_NATIVE float __simt_ynf(int, float);
SIMT_NATIVE double __simt_ldexp(double, int);
SIMT_NATIVE float __simt_ldexpf(float, int);
SIMT_DEVICE double jn(int n, double x) { return __simt_jn(n, x); }
SIMT_DEVICE float jnf(int n, float x) { return __simt_jnf(n, x); }
SIMT_DEVICE double yn(int n, double x) { return __simt_yn(n, x); }
SIMT_DEVICE float ynf(int n, float x) { return __simt_ynf(n, x); }
SIMT_DEVICE double ldexp(double x, int n) { return __simt_ldexp(x, n); }
SIMT_DEVICE float ldexpf(float x, int n) { return __simt_ldexpf(x, n); }
SIMT_DEVICE float ldexp(float x, int n) { return ldexpf(x, n); }
SIMT_DEVICE double scalbn(double x, int n) { return ldexp(x, n); }
SIMT_DEVICE float scalbnf(float x, int n) { return ldexpf(x, n); }
SIMT_DEVICE float scalbn(float x, int n) { return ldexpf(x, n); }
SIMT_DEVICE int __simt_clamp_exponent(long n)
{
    return n > 100000 ? 100000 : n < -100000 ? -100000 : (int)n;
}
SIMT_DEVICE double scalbln(double x, long n) { return ldexp(x, __simt_clamp_exponent(n)); }
SIMT_DEVICE float scalblnf(float x, long n) { return ldexpf(x, __simt_clamp_exponent(n)); }
SIMT_DEVICE float scalbln(float x, long n) { return scalblnf(x, n); }

/* ------------------------------------------------------------- PTX instructions */

SIMT_OVERLOADS_1(ceil, __builtin_ceil(x), __builtin_ceilf(x))
SIMT_OVERLOADS_1(fabs, __builtin_fabs(x), __builtin_fabsf(x))
SIMT_OVERLOADS_1(floor, __builtin_floor(x), __builtin_floorf(x))
SIMT_OVERLOADS_1(nearbyint, __builtin_nearbyint(x), __builtin_nearbyintf(x))
SIMT_OVERLOADS_1(rint, __builtin_rint(x), __builtin_rintf(x))
SIMT_OVERLOADS_1(round, __builtin_round(x), __builtin_roundf(x))
SIMT_OVERLOADS_1(trunc, __builtin_trunc(x), __builtin_truncf(x))
#ifdef SIMT_APPROXIMATE_SQRT /* -prec-sqrt=false */
SIMT_OVERLOADS_1(sqrt, __builtin_sqrt(x), SIMT_APPROX(sqrt)(x))
#else
SIMT_OVERLOADS_1(sqrt, __builtin_sqrt(x), __builtin_sqrtf(x))
#endif
SIMT_OVERLOADS_1(rsqrt, __nvvm_rsqrt_approx_d(x), SIMT_APPROX(rsqrt)(x))
SIMT_OVERLOADS_1(rcbrt, 1.0 / cbrt(x), 1.0f / cbrtf(x))
SIMT_OVERLOADS_2(copysign, __builtin_copysign(x, y), __builtin_copysignf(x, y))
SIMT_OVERLOADS_2(fmax, __builtin_fmax(x, y), __builtin_fmaxf(x, y))
SIMT_OVERLOADS_2(fmin, __builtin_fmin(x, y), __builtin_fminf(x, y))
/* x - y where x > y, else 0; NaN in, NaN out */
SIMT_OVERLOADS_2(fdim, x <= y ? 0.0 : x - y, x <= y ? 0.0f : x - y)
SIMT_OVERLOADS_2(rhypot, 1.0 / hypot(x, y), 1.0f / hypotf(x, y))

SIMT_DEVICE double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
SIMT_DEVICE float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
SIMT_DEVICE float fma(float x, float y, float z) { return fmaf(x, y, z); }
SIMT_DEVICE float fdividef(float x, float y)
{
#ifdef __USE_FAST_MATH__
    return __fdividef(x, y);
#else
    return x / y;
#endif
}

#define SIMT_TO_INTEGER(name, type, expression, expressionf)                                       \
    SIMT_DEVICE type name(double x) { return expression; }                                         \
    SIMT_DEVICE type name##f(float x) { return expressionf; }                                      \
    SIMT_DEVICE type name(float x) { return name##f(x); }

SIMT_TO_INTEGER(lrint, long, __double2ll_rn(x), __float2ll_rn(x))
SIMT_TO_INTEGER(llrint, long long, __double2ll_rn(x), __float2ll_rn(x))
SIMT_TO_INTEGER(lround, long, __double2ll_rz(round(x)), __float2ll_rz(roundf(x)))
SIMT_TO_INTEGER(llround, long long, __double2ll_rz(round(x)), __float2ll_rz(roundf(x)))

#include "math_more.h"
#define SIMT_SIDE SIMT_DEVICE
#include "math_both.h"
#undef SIMT_SIDE
#include "math_special.h"

/* ------------------------------------------------------------- integers, minimum, maximum */

SIMT_DEVICE int abs(int x) { return x < 0 ? -x : x; }
SIMT_DEVICE long labs(long x) { return x < 0 ? -x : x; }
SIMT_DEVICE long long llabs(long long x) { return x < 0 ? -x : x; }
SIMT_DEVICE long abs(long x) { return labs(x); }
SIMT_DEVICE long long abs(long long x) { return llabs(x); }
SIMT_DEVICE double abs(double x) { return __builtin_fabs(x); }
SIMT_DEVICE float abs(float x) { return __builtin_fabsf(x); }

/* min and max without std:: exist on the host, too: for either side by themselves, so that a
 * program may declare the host's once more, as it may through nvcc. */
#define SIMT_MIN_MAX_SIDE(side, result, a_type, b_type)                                            \
    side result min(a_type a, b_type b) { return (result)a < (result)b ? a : b; }                  \
    side result max(a_type a, b_type b) { return (result)a > (result)b ? a : b; }
#define SIMT_MIN_MAX(result, a_type, b_type)                                                       \
    SIMT_MIN_MAX_SIDE(SIMT_DEVICE, result, a_type, b_type)                                         \
    SIMT_MIN_MAX_SIDE(static __inline__ __attribute__((host, unused)), result, a_type, b_type)

SIMT_MIN_MAX(int, int, int)
SIMT_MIN_MAX(unsigned int, unsigned int, unsigned int)
SIMT_MIN_MAX(unsigned int, int, unsigned int)
SIMT_MIN_MAX(unsigned int, unsigned int, int)
SIMT_MIN_MAX(long, long, long)
SIMT_MIN_MAX(unsigned long, unsigned long, unsigned long)
SIMT_MIN_MAX(unsigned long, long, unsigned long)
SIMT_MIN_MAX(unsigned long, unsigned long, long)
SIMT_MIN_MAX(long long, long long, long long)
SIMT_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
SIMT_MIN_MAX(unsigned long long, long long, unsigned long long)
SIMT_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef SIMT_MIN_MAX
#undef SIMT_MIN_MAX_SIDE

/* Of a number and a NaN, the number, as fminf and min.f32 have it. */
#define SIMT_MIN_MAX_FLOAT(result, a_type, b_type, suffix)                                         \
    SIMT_DEVICE result min(a_type a, b_type b) { return fmin##suffix((result)a, (result)b); }      \
    SIMT_DEVICE result max(a_type a, b_type b) { return fmax##suffix((result)a, (result)b); }      \
    static __inline__ __attribute__((host, unused)) result min(a_type a, b_type b)                 \
    {                                                                                              \
        return __builtin_fmin##suffix((result)a, (result)b);                                       \
    }                                                                                              \
    static __inline__ __attribute__((host, unused)) result max(a_type a, b_type b)                 \
    {                                                                                              \
        return __builtin_fmax##suffix((result)a, (result)b);                                       \
    }

SIMT_MIN_MAX_FLOAT(float, float, float, f)
SIMT_MIN_MAX_FLOAT(double, double, double, )
SIMT_MIN_MAX_FLOAT(double, float, double, )
SIMT_MIN_MAX_FLOAT(double, double, float, )
#undef SIMT_MIN_MAX_FLOAT

#define SIMT_MIN_MAX_NAMED(side, prefix, T)                                                        \
    side T prefix##min(T a, T b) { return a < b ? a : b; }                                         \
    side T prefix##max(T a, T b) { return a > b ? a : b; }
#define SIMT_MIN_MAX(prefix, T)                                                                    \
    SIMT_MIN_MAX_NAMED(SIMT_DEVICE, prefix, T)                                                     \
    SIMT_MIN_MAX_NAMED(static __inline__ __attribute__((host, unused)), prefix, T)

SIMT_MIN_MAX(u, unsigned int)
SIMT_MIN_MAX(ll, long long)
SIMT_MIN_MAX(ull, unsigned long long)
#undef SIMT_MIN_MAX
#undef SIMT_MIN_MAX_NAMED

/* ------------------------------------------------------------- the same names in std:: */

namespace std
{
using ::abs;
using ::acos;
using ::acosf;
using ::acosh;
using ::acoshf;
using ::asin;
using ::asinf;
using ::asinh;
using ::asinhf;
using ::atan;
using ::atan2;
using ::atan2f;
using ::atanf;
using ::atanh;
using ::atanhf;
using ::cbrt;
using ::cbrtf;
using ::ceil;
using ::ceilf;
using ::copysign;
using ::copysignf;
using ::cos;
using ::cosf;
using ::cosh;
using ::coshf;
using ::erf;
using ::erfc;
using ::erfcf;
using ::erff;
using ::exp;
using ::exp2;
using ::exp2f;
using ::expf;
using ::expm1;
using ::expm1f;
using ::fabs;
using ::fabsf;
using ::fdim;
using ::fdimf;
using ::floor;
using ::floorf;
using ::fma;
using ::fmaf;
using ::fmax;
using ::fmaxf;
using ::fmin;
using ::fminf;
using ::fmod;
using ::fmodf;
using ::frexp;
using ::frexpf;
using ::hypot;
using ::hypotf;
using ::ilogb;
using ::ilogbf;
using ::labs;
using ::ldexp;
using ::ldexpf;
using ::lgamma;
using ::lgammaf;
using ::llabs;
using ::llrint;
using ::llrintf;
using ::llround;
using ::llroundf;
using ::log;
using ::log10;
using ::log10f;
using ::log1p;
using ::log1pf;
using ::log2;
using ::log2f;
using ::logb;
using ::logbf;
using ::logf;
using ::lrint;
using ::lrintf;
using ::lround;
using ::lroundf;
using ::modf;
using ::modff;
using ::nearbyint;
using ::nearbyintf;
using ::nextafter;
using ::nextafterf;
using ::pow;
using ::powf;
using ::remainder;
using ::remainderf;
using ::remquo;
using ::remquof;
using ::rint;
using ::rintf;
using ::round;
using ::roundf;
using ::scalbln;
using ::scalblnf;
using ::scalbn;
using ::scalbnf;
using ::sin;
using ::sinf;
using ::sinh;
using ::sinhf;
using ::sqrt;
using ::sqrtf;
using ::tan;
using ::tanf;
using ::tanh;
using ::tanhf;
using ::tgamma;
using ::tgammaf;
using ::trunc;
using ::truncf;
} // namespace std

#undef SIMT_NATIVE
#undef SIMT_NATIVE_1
#undef SIMT_NATIVE_1_FAST
#undef SIMT_NATIVE_2
#undef SIMT_NATIVE_2_FAST
#undef SIMT_OVERLOADS_1
#undef SIMT_OVERLOADS_2
#undef SIMT_TO_INTEGER

#endif

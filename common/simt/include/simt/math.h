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

/* Where a name stands besides the global namespace: those of the C++ library in std, as well; those
 * of CUDA alone nowhere. */
#define SIMT_STD(name)                                                                             \
    namespace std                                                                                  \
    {                                                                                              \
    using ::name;                                                                                  \
    using ::name##f;                                                                               \
    }
#define SIMT_OWN(name)

/* name: the double function; namef and the overload name(float); name(integer) is name(double).
 * where: SIMT_STD or SIMT_OWN. */
#define SIMT_OVERLOADS_1(where, name, expression, expressionf)                                     \
    SIMT_DEVICE double name(double x) { return expression; }                                       \
    SIMT_DEVICE float name##f(float x) { return expressionf; }                                     \
    SIMT_DEVICE float name(float x) { return name##f(x); }                                         \
    template <typename T> SIMT_DEVICE typename simt_if_integer<T>::type name(T x)                  \
    {                                                                                              \
        return name((double)x);                                                                    \
    }                                                                                              \
    where(name)
#define SIMT_OVERLOADS_2(where, name, expression, expressionf)                                     \
    SIMT_DEVICE double name(double x, double y) { return expression; }                             \
    SIMT_DEVICE float name##f(float x, float y) { return expressionf; }                            \
    SIMT_DEVICE float name(float x, float y) { return name##f(x, y); }                             \
    where(name)

#define SIMT_NATIVE_1(where, name)                                                                 \
    SIMT_NATIVE double __simt_##name(double);                                                      \
    SIMT_NATIVE float __simt_##name##f(float);                                                     \
    SIMT_OVERLOADS_1(where, name, __simt_##name(x), __simt_##name##f(x))
#define SIMT_NATIVE_2(where, name)                                                                 \
    SIMT_NATIVE double __simt_##name(double, double);                                              \
    SIMT_NATIVE float __simt_##name##f(float, float);                                              \
    SIMT_OVERLOADS_2(where, name, __simt_##name(x, y), __simt_##name##f(x, y))
/* With -use_fast_math the float function is the approximate intrinsic. */
#ifdef __USE_FAST_MATH__
#define SIMT_NATIVE_1_FAST(where, name)                                                            \
    SIMT_NATIVE double __simt_##name(double);                                                      \
    SIMT_OVERLOADS_1(where, name, __simt_##name(x), __##name##f(x))
#define SIMT_NATIVE_2_FAST(where, name)                                                            \
    SIMT_NATIVE double __simt_##name(double, double);                                              \
    SIMT_OVERLOADS_2(where, name, __simt_##name(x, y), __##name##f(x, y))
#else
#define SIMT_NATIVE_1_FAST(where, name) SIMT_NATIVE_1(where, name)
#define SIMT_NATIVE_2_FAST(where, name) SIMT_NATIVE_2(where, name)
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

SIMT_NATIVE_1(SIMT_STD, acos)
SIMT_NATIVE_1(SIMT_STD, acosh)
SIMT_NATIVE_1(SIMT_STD, asin)
SIMT_NATIVE_1(SIMT_STD, asinh)
SIMT_NATIVE_1(SIMT_STD, atan)
SIMT_NATIVE_1(SIMT_STD, atanh)
SIMT_NATIVE_1(SIMT_STD, cbrt)
SIMT_NATIVE_1_FAST(SIMT_STD, cos)
SIMT_NATIVE_1(SIMT_STD, cosh)
SIMT_NATIVE_1(SIMT_STD, erf)
SIMT_NATIVE_1(SIMT_STD, erfc)
SIMT_NATIVE_1_FAST(SIMT_STD, exp)
SIMT_NATIVE_1_FAST(SIMT_OWN, exp10)
SIMT_NATIVE_1(SIMT_STD, exp2)
SIMT_NATIVE_1(SIMT_STD, expm1)
SIMT_NATIVE_1(SIMT_OWN, j0)
SIMT_NATIVE_1(SIMT_OWN, j1)
SIMT_NATIVE_1(SIMT_STD, lgamma)
SIMT_NATIVE_1_FAST(SIMT_STD, log)
SIMT_NATIVE_1_FAST(SIMT_STD, log10)
SIMT_NATIVE_1(SIMT_STD, log1p)
SIMT_NATIVE_1_FAST(SIMT_STD, log2)
SIMT_NATIVE_1(SIMT_STD, logb)
SIMT_NATIVE_1_FAST(SIMT_STD, sin)
SIMT_NATIVE_1(SIMT_STD, sinh)
SIMT_NATIVE_1_FAST(SIMT_STD, tan)
SIMT_NATIVE_1(SIMT_STD, tanh)
SIMT_NATIVE_1(SIMT_STD, tgamma)
SIMT_NATIVE_1(SIMT_OWN, y0)
SIMT_NATIVE_1(SIMT_OWN, y1)

SIMT_NATIVE_2(SIMT_STD, atan2)
SIMT_NATIVE_2(SIMT_STD, fmod)
SIMT_NATIVE_2(SIMT_STD, hypot)
SIMT_NATIVE_2(SIMT_STD, nextafter)
SIMT_NATIVE_2_FAST(SIMT_STD, pow)
SIMT_NATIVE_2(SIMT_STD, remainder)

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

SIMT_OVERLOADS_1(SIMT_STD, ceil, __builtin_ceil(x), __builtin_ceilf(x))
SIMT_OVERLOADS_1(SIMT_STD, fabs, __builtin_fabs(x), __builtin_fabsf(x))
SIMT_OVERLOADS_1(SIMT_STD, floor, __builtin_floor(x), __builtin_floorf(x))
SIMT_OVERLOADS_1(SIMT_STD, nearbyint, __builtin_nearbyint(x), __builtin_nearbyintf(x))
SIMT_OVERLOADS_1(SIMT_STD, rint, __builtin_rint(x), __builtin_rintf(x))
SIMT_OVERLOADS_1(SIMT_STD, round, __builtin_round(x), __builtin_roundf(x))
SIMT_OVERLOADS_1(SIMT_STD, trunc, __builtin_trunc(x), __builtin_truncf(x))
#ifdef SIMT_APPROXIMATE_SQRT /* -prec-sqrt=false */
SIMT_OVERLOADS_1(SIMT_STD, sqrt, __builtin_sqrt(x), SIMT_APPROX(sqrt)(x))
#else
SIMT_OVERLOADS_1(SIMT_STD, sqrt, __builtin_sqrt(x), __builtin_sqrtf(x))
#endif
SIMT_OVERLOADS_1(SIMT_OWN, rsqrt, __nvvm_rsqrt_approx_d(x), SIMT_APPROX(rsqrt)(x))
SIMT_OVERLOADS_1(SIMT_OWN, rcbrt, 1.0 / cbrt(x), 1.0f / cbrtf(x))
SIMT_OVERLOADS_2(SIMT_STD, copysign, __builtin_copysign(x, y), __builtin_copysignf(x, y))
SIMT_OVERLOADS_2(SIMT_STD, fmax, __builtin_fmax(x, y), __builtin_fmaxf(x, y))
SIMT_OVERLOADS_2(SIMT_STD, fmin, __builtin_fmin(x, y), __builtin_fminf(x, y))
/* x - y where x > y, else 0; NaN in, NaN out */
SIMT_OVERLOADS_2(SIMT_STD, fdim, x <= y ? 0.0 : x - y, x <= y ? 0.0f : x - y)
SIMT_OVERLOADS_2(SIMT_OWN, rhypot, 1.0 / hypot(x, y), 1.0f / hypotf(x, y))

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

#define SIMT_TO_INTEGER(where, name, type, expression, expressionf)                                \
    SIMT_DEVICE type name(double x) { return expression; }                                         \
    SIMT_DEVICE type name##f(float x) { return expressionf; }                                      \
    SIMT_DEVICE type name(float x) { return name##f(x); }                                          \
    where(name)

SIMT_TO_INTEGER(SIMT_STD, lrint, long, __double2ll_rn(x), __float2ll_rn(x))
SIMT_TO_INTEGER(SIMT_STD, llrint, long long, __double2ll_rn(x), __float2ll_rn(x))
SIMT_TO_INTEGER(SIMT_STD, lround, long, __double2ll_rz(round(x)), __float2ll_rz(roundf(x)))
SIMT_TO_INTEGER(SIMT_STD, llround, long long, __double2ll_rz(round(x)), __float2ll_rz(roundf(x)))

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

/* ------------------------------------------------------------- other names of std */

SIMT_STD(fma)
SIMT_STD(frexp)
SIMT_STD(ilogb)
SIMT_STD(ldexp)
SIMT_STD(modf)
SIMT_STD(remquo)
SIMT_STD(scalbln)
SIMT_STD(scalbn)
namespace std
{
using ::abs;
using ::labs;
using ::llabs;
} // namespace std

#undef SIMT_STD
#undef SIMT_OWN
#undef SIMT_NATIVE
#undef SIMT_NATIVE_1
#undef SIMT_NATIVE_1_FAST
#undef SIMT_NATIVE_2
#undef SIMT_NATIVE_2_FAST
#undef SIMT_OVERLOADS_1
#undef SIMT_OVERLOADS_2
#undef SIMT_TO_INTEGER

#endif

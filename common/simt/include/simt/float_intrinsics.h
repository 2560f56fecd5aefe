/* simt/float_intrinsics.h - arithmetic with a named rounding mode, conversions, approximations.
 *
 * _rn to nearest even, _rz toward zero, _ru up, _rd down (PTX calls these rn, rz, rp, rm). The
 * approximations are the PTX approx instructions that CUDA documents for them. */
#ifndef SIMT_FLOAT_INTRINSICS_H
#define SIMT_FLOAT_INTRINSICS_H

#include "device.h"

#define SIMT_ARITHMETIC(suffix, mode)                                                              \
    SIMT_DEVICE float __fadd_##suffix(float x, float y) { return __nvvm_add_##mode##_f(x, y); }    \
    SIMT_DEVICE float __fsub_##suffix(float x, float y) { return __nvvm_add_##mode##_f(x, -y); }   \
    SIMT_DEVICE float __fmul_##suffix(float x, float y) { return __nvvm_mul_##mode##_f(x, y); }    \
    SIMT_DEVICE float __fdiv_##suffix(float x, float y) { return __nvvm_div_##mode##_f(x, y); }    \
    SIMT_DEVICE float __frcp_##suffix(float x) { return __nvvm_rcp_##mode##_f(x); }                \
    SIMT_DEVICE float __fsqrt_##suffix(float x) { return __nvvm_sqrt_##mode##_f(x); }              \
    SIMT_DEVICE float __fmaf_##suffix(float x, float y, float z)                                   \
    {                                                                                              \
        return __nvvm_fma_##mode##_f(x, y, z);                                                     \
    }                                                                                              \
    SIMT_DEVICE float __fmaf_ieee_##suffix(float x, float y, float z)                              \
    {                                                                                              \
        return __nvvm_fma_##mode##_f(x, y, z);                                                     \
    }                                                                                              \
    SIMT_DEVICE double __dadd_##suffix(double x, double y) { return __nvvm_add_##mode##_d(x, y); } \
    SIMT_DEVICE double __dsub_##suffix(double x, double y)                                         \
    {                                                                                              \
        return __nvvm_add_##mode##_d(x, -y);                                                       \
    }                                                                                              \
    SIMT_DEVICE double __dmul_##suffix(double x, double y) { return __nvvm_mul_##mode##_d(x, y); } \
    SIMT_DEVICE double __ddiv_##suffix(double x, double y) { return __nvvm_div_##mode##_d(x, y); } \
    SIMT_DEVICE double __drcp_##suffix(double x) { return __nvvm_rcp_##mode##_d(x); }              \
    SIMT_DEVICE double __dsqrt_##suffix(double x) { return __nvvm_sqrt_##mode##_d(x); }            \
    SIMT_DEVICE double __fma_##suffix(double x, double y, double z)                                \
    {                                                                                              \
        return __nvvm_fma_##mode##_d(x, y, z);                                                     \
    }

SIMT_ARITHMETIC(rn, rn)
SIMT_ARITHMETIC(rz, rz)
SIMT_ARITHMETIC(ru, rp)
SIMT_ARITHMETIC(rd, rm)
#undef SIMT_ARITHMETIC

/* Conversions, by assembly: the compiler may assume that its own never overflow, these saturate,
 * and turn NaN into 0. `mode` rounds to a float, `mode`i to an integer. */
#define SIMT_CONVERT(name, to, from, instruction, to_letter, from_letter)                          \
    SIMT_DEVICE to name(from x)                                                                    \
    {                                                                                              \
        to y;                                                                                      \
        asm("cvt." instruction " %0, %1;" : "=" to_letter(y) : from_letter(x));                    \
        return y;                                                                                  \
    }
#define SIMT_CONVERSIONS(suffix, mode)                                                             \
    SIMT_CONVERT(__float2int_##suffix, int, float, mode "i.s32.f32", "r", "f")                     \
    SIMT_CONVERT(__float2uint_##suffix, unsigned int, float, mode "i.u32.f32", "r", "f")           \
    SIMT_CONVERT(__float2ll_##suffix, long long, float, mode "i.s64.f32", "l", "f")                \
    SIMT_CONVERT(__float2ull_##suffix, unsigned long long, float, mode "i.u64.f32", "l", "f")      \
    SIMT_CONVERT(__double2int_##suffix, int, double, mode "i.s32.f64", "r", "d")                   \
    SIMT_CONVERT(__double2uint_##suffix, unsigned int, double, mode "i.u32.f64", "r", "d")         \
    SIMT_CONVERT(__double2ll_##suffix, long long, double, mode "i.s64.f64", "l", "d")              \
    SIMT_CONVERT(__double2ull_##suffix, unsigned long long, double, mode "i.u64.f64", "l", "d")    \
    SIMT_CONVERT(__double2float_##suffix, float, double, mode ".f32.f64", "f", "d")                \
    SIMT_CONVERT(__int2float_##suffix, float, int, mode ".f32.s32", "f", "r")                      \
    SIMT_CONVERT(__uint2float_##suffix, float, unsigned int, mode ".f32.u32", "f", "r")            \
    SIMT_CONVERT(__ll2float_##suffix, float, long long, mode ".f32.s64", "f", "l")                 \
    SIMT_CONVERT(__ull2float_##suffix, float, unsigned long long, mode ".f32.u64", "f", "l")       \
    SIMT_CONVERT(__ll2double_##suffix, double, long long, mode ".f64.s64", "d", "l")               \
    SIMT_CONVERT(__ull2double_##suffix, double, unsigned long long, mode ".f64.u64", "d", "l")

SIMT_CONVERSIONS(rn, "rn")
SIMT_CONVERSIONS(rz, "rz")
SIMT_CONVERSIONS(ru, "rp")
SIMT_CONVERSIONS(rd, "rm")
#undef SIMT_CONVERT
#undef SIMT_CONVERSIONS

SIMT_DEVICE double __int2double_rn(int x) { return (double)x; }
SIMT_DEVICE double __uint2double_rn(unsigned int x) { return (double)x; }

/* Bits. */
SIMT_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
SIMT_DEVICE unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
SIMT_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
SIMT_DEVICE float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
SIMT_DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
SIMT_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
SIMT_DEVICE int __double2hiint(double x)
{
    return (int)(__builtin_bit_cast(unsigned long long, x) >> 32);
}
SIMT_DEVICE int __double2loint(double x) { return (int)__builtin_bit_cast(unsigned long long, x); }
SIMT_DEVICE double __hiloint2double(int high, int low)
{
    return __builtin_bit_cast(double,
                              ((unsigned long long)(unsigned int)high << 32) | (unsigned int)low);
}

/* Approximations; with -ftz=true they flush subnormals. */
#ifdef __CUDA_FTZ
#define SIMT_APPROX(name) __nvvm_##name##_approx_ftz_f
#define SIMT_SATURATE     __nvvm_saturate_ftz_f
#else
#define SIMT_APPROX(name) __nvvm_##name##_approx_f
#define SIMT_SATURATE     __nvvm_saturate_f
#endif

SIMT_DEVICE float __saturatef(float x) { return SIMT_SATURATE(x); }
SIMT_DEVICE float __fdividef(float x, float y) { return SIMT_APPROX(div)(x, y); }
SIMT_DEVICE float __sinf(float x) { return SIMT_APPROX(sin)(x); }
SIMT_DEVICE float __cosf(float x) { return SIMT_APPROX(cos)(x); }
SIMT_DEVICE float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
SIMT_DEVICE float __log2f(float x) { return SIMT_APPROX(lg2)(x); }
SIMT_DEVICE float __logf(float x) { return __log2f(x) * 0.693147181f; }   /* ln 2 */
SIMT_DEVICE float __log10f(float x) { return __log2f(x) * 0.301029996f; } /* log10 2 */
SIMT_DEVICE float __exp2f(float x) { return SIMT_APPROX(ex2)(x); }
SIMT_DEVICE float __expf(float x) { return __exp2f(x * 1.442695041f); }   /* log2 e */
SIMT_DEVICE float __exp10f(float x) { return __exp2f(x * 3.321928095f); } /* log2 10 */
SIMT_DEVICE float __powf(float x, float y) { return __exp2f(y * __log2f(x)); }
SIMT_DEVICE float __tanhf(float x)
{
    float y;
    asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
SIMT_DEVICE void __sincosf(float x, float *sine, float *cosine)
{
    *sine = __sinf(x);
    *cosine = __cosf(x);
}
/* One over the square root, correctly rounded: the double result has 29 bits to spare. */
SIMT_DEVICE float __frsqrt_rn(float x) { return (float)(1.0 / __nvvm_sqrt_rn_d((double)x)); }

#endif

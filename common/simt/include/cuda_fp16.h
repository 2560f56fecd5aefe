/* cuda_fp16.h - half and half2: 16-bit floats, on device by PTX's f16 instructions, on host
 * through float.
 *
 * A half has 11 significant bits, a float 24 = 2 * 11 + 2: then rounding a sum, product or quotient
 * to float first and to half afterwards changes nothing, so host and device agree bit for bit. */
#ifndef SIMT_CUDA_FP16_H
#define SIMT_CUDA_FP16_H

#include "cuda_runtime.h"

#if defined(__CUDA__)

#define SIMT_HALF_METHOD __attribute__((host, device, always_inline, nodebug))

/* ------------------------------------------------------------- conversion of bits */

/* A number as half bits: mode 0 nearest even, 1 toward zero, 2 up, 3 down. */
static __inline__ __attribute__((host, device, unused)) unsigned short simt_half_bits(double value,
                                                                                      int mode)
{
    unsigned long long bits = __builtin_bit_cast(unsigned long long, value);
    unsigned long long magnitude = bits & 0x7fffffffffffffff;
    unsigned int sign = (unsigned int)(bits >> 48 & 0x8000);
    if (magnitude > 0x7ff0000000000000) {
        return 0x7fff; /* NaN */
    }
    if (magnitude == 0x7ff0000000000000) {
        return (unsigned short)(sign | 0x7c00);
    }
    /* The significand with its leading one, and how far to the right the half's last place is. */
    int exponent = (int)(magnitude >> 52) - 1023;
    unsigned long long significand =
        (magnitude & 0xfffffffffffff) | (magnitude >> 52 ? 0x10000000000000 : 0);
    int shift = exponent >= -14 ? 42 : 42 + (-14 - exponent);
    unsigned long long rest = significand, halfway = ~0ull; /* far below half of the last place */
    unsigned int half = 0;
    if (shift <= 54) {
        half = (unsigned int)(significand >> shift);
        rest = significand & ((1ull << shift) - 1);
        halfway = 1ull << (shift - 1);
    }
    bool up = mode == 0   ? rest > halfway || (rest == halfway && (half & 1))
              : mode == 2 ? rest != 0 && !sign
              : mode == 3 ? rest != 0 && sign
                          : false;
    if (exponent > 15) { /* beyond the largest half */
        half = 0x7bff;
        up = mode == 0 || (mode == 2 && !sign) || (mode == 3 && sign);
    } else if (exponent >= -14) {
        half = half - 0x400 + ((unsigned int)(exponent + 15) << 10);
    }
    /* A carry out of the significand moves into the exponent, and from the largest to infinity. */
    return (unsigned short)(sign | (half + up));
}

static __inline__ __attribute__((host, device, unused)) float simt_half_value(unsigned short half)
{
    unsigned int sign = (unsigned int)(half & 0x8000) << 16;
    unsigned int exponent = half >> 10 & 0x1f, fraction = half & 0x3ff;
    if (exponent == 0) { /* zero or subnormal: fraction * 2^-24 */
        float magnitude = (float)fraction * 0x1p-24f;
        return sign ? -magnitude : magnitude;
    }
    unsigned int bits =
        exponent == 31 ? 0x7f800000 | fraction << 13 : (exponent + 112) << 23 | fraction << 13;
    return __builtin_bit_cast(float, sign | bits);
}

/* ------------------------------------------------------------- the types */

struct __half_raw {
    unsigned short x;
};

struct __attribute__((aligned(2))) __half {
    unsigned short __x;

    __half() = default;
    SIMT_HALF_METHOD __half(__half_raw raw) : __x(raw.x) {}
    SIMT_HALF_METHOD __half(float v) : __x(from_float(v)) {}
    SIMT_HALF_METHOD __half(double v) : __x(simt_half_bits(v, 0)) {}
    SIMT_HALF_METHOD __half(int v) : __x(simt_half_bits((double)v, 0)) {}
    SIMT_HALF_METHOD __half(unsigned int v) : __x(simt_half_bits((double)v, 0)) {}
    SIMT_HALF_METHOD __half(long v) : __x(simt_half_bits((double)v, 0)) {}
    SIMT_HALF_METHOD __half(unsigned long v) : __x(simt_half_bits((double)v, 0)) {}
    SIMT_HALF_METHOD __half(long long v) : __x(simt_half_bits((double)v, 0)) {}
    SIMT_HALF_METHOD __half(unsigned long long v) : __x(simt_half_bits((double)v, 0)) {}
    SIMT_HALF_METHOD __half(short v) : __x(from_float((float)v)) {}
    SIMT_HALF_METHOD operator float() const { return to_float(__x); }
    SIMT_HALF_METHOD operator __half_raw() const { return __half_raw{__x}; }

    SIMT_HALF_METHOD static unsigned short from_float(float v)
    {
#ifdef __CUDA_ARCH__
        unsigned short bits;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(v));
        return bits;
#else
        return simt_half_bits(v, 0);
#endif
    }
    SIMT_HALF_METHOD static float to_float(unsigned short bits)
    {
#ifdef __CUDA_ARCH__
        float v;
        asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(bits));
        return v;
#else
        return simt_half_value(bits);
#endif
    }
};
typedef __half half;

struct __half2_raw {
    unsigned short x, y;
};

struct __attribute__((aligned(4))) __half2 {
    __half x, y;

    __half2() = default;
    SIMT_HALF_METHOD __half2(__half low, __half high) : x(low), y(high) {}
};
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

SIMT_BOTH __half simt_half(unsigned short bits) { return __half(__half_raw{bits}); }
SIMT_BOTH unsigned short __half_as_ushort(__half h) { return h.__x; }
SIMT_BOTH short __half_as_short(__half h) { return (short)h.__x; }
SIMT_BOTH __half __ushort_as_half(unsigned short bits) { return simt_half(bits); }
SIMT_BOTH __half __short_as_half(short bits) { return simt_half((unsigned short)bits); }

/* ------------------------------------------------------------- conversions */

SIMT_BOTH float __half2float(__half h) { return __half::to_float(h.__x); }
SIMT_BOTH __half __float2half(float v) { return simt_half(__half::from_float(v)); }
SIMT_BOTH __half __float2half_rn(float v) { return __float2half(v); }
#ifdef __CUDA_ARCH__
#define SIMT_TO_HALF(name, type, letter, instruction, mode)                                        \
    SIMT_BOTH __half name(type v)                                                                  \
    {                                                                                              \
        unsigned short bits;                                                                       \
        asm(instruction " %0, %1;" : "=h"(bits) : letter(v));                                      \
        return simt_half(bits);                                                                    \
    }
#else
#define SIMT_TO_HALF(name, type, letter, instruction, mode)                                        \
    SIMT_BOTH __half name(type v) { return simt_half(simt_half_bits(v, mode)); }
#endif

SIMT_TO_HALF(__float2half_rz, float, "f", "cvt.rz.f16.f32", 1)
SIMT_TO_HALF(__float2half_ru, float, "f", "cvt.rp.f16.f32", 2)
SIMT_TO_HALF(__float2half_rd, float, "f", "cvt.rm.f16.f32", 3)
SIMT_TO_HALF(__double2half, double, "d", "cvt.rn.f16.f64", 0)
#undef SIMT_TO_HALF
SIMT_BOTH __half2 __float2half2_rn(float v) { return __half2(__float2half(v), __float2half(v)); }
SIMT_BOTH __half2 __floats2half2_rn(float a, float b)
{
    return __half2(__float2half(a), __float2half(b));
}
SIMT_BOTH __half2 __float22half2_rn(float2 v) { return __floats2half2_rn(v.x, v.y); }
SIMT_BOTH float2 __half22float2(__half2 v)
{
    return make_float2(__half2float(v.x), __half2float(v.y));
}
SIMT_BOTH float __low2float(__half2 v) { return __half2float(v.x); }
SIMT_BOTH float __high2float(__half2 v) { return __half2float(v.y); }

SIMT_BOTH __half __low2half(__half2 v) { return v.x; }
SIMT_BOTH __half __high2half(__half2 v) { return v.y; }
SIMT_BOTH __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
SIMT_BOTH __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
SIMT_BOTH __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }
SIMT_BOTH __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
SIMT_BOTH __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
SIMT_BOTH __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
SIMT_BOTH __half2 __half2half2(__half v) { return __half2(v, v); }
SIMT_BOTH __half2 make_half2(__half a, __half b) { return __half2(a, b); }

/* Integers: to half to nearest even, to integer in the mode of the name, ends saturate. */
#define SIMT_HALF_TO(name, type, suffix, floats)                                                   \
    SIMT_DEVICE type __half2##name##_##suffix(__half h) { return floats(__half2float(h)); }
#define SIMT_HALF_INTEGER(name, type, float2)                                                      \
    SIMT_HALF_TO(name, type, rn, float2##_rn)                                                      \
    SIMT_HALF_TO(name, type, rz, float2##_rz)                                                      \
    SIMT_HALF_TO(name, type, ru, float2##_ru)                                                      \
    SIMT_HALF_TO(name, type, rd, float2##_rd)                                                      \
    SIMT_BOTH __half __##name##2half_rn(type v) { return __half(v); }

SIMT_HALF_INTEGER(int, int, __float2int)
SIMT_HALF_INTEGER(uint, unsigned int, __float2uint)
SIMT_HALF_INTEGER(ll, long long, __float2ll)
SIMT_HALF_INTEGER(ull, unsigned long long, __float2ull)
#undef SIMT_HALF_TO
#undef SIMT_HALF_INTEGER

/* ------------------------------------------------------------- arithmetic */

#ifdef __CUDA_ARCH__
#define SIMT_HALF_OP(op, a, b, host)                                                               \
    unsigned short bits;                                                                           \
    asm(op ".f16 %0, %1, %2;" : "=h"(bits) : "h"((a).__x), "h"((b).__x));                          \
    return simt_half(bits)
#else
#define SIMT_HALF_OP(op, a, b, host) return __float2half(host)
#endif

SIMT_BOTH __half __hadd(__half a, __half b) { SIMT_HALF_OP("add", a, b, (float)a + (float)b); }
SIMT_BOTH __half __hsub(__half a, __half b) { SIMT_HALF_OP("sub", a, b, (float)a - (float)b); }
SIMT_BOTH __half __hmul(__half a, __half b) { SIMT_HALF_OP("mul", a, b, (float)a * (float)b); }
SIMT_BOTH __half __hdiv(__half a, __half b) { return __float2half((float)a / (float)b); }
/* The product is exact in double. So is the sum, unless the product lies so far below c that it
 * cannot decide a tie; then one rounding to half is right. */
SIMT_BOTH __half __hfma(__half a, __half b, __half c)
{
#ifdef __CUDA_ARCH__
    unsigned short bits;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(bits) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return simt_half(bits);
#else
    return __double2half((double)(float)a * (double)(float)b + (double)(float)c);
#endif
}
SIMT_BOTH __half __hneg(__half a) { return simt_half((unsigned short)(a.__x ^ 0x8000)); }
SIMT_BOTH __half __habs(__half a) { return simt_half((unsigned short)(a.__x & 0x7fff)); }
SIMT_BOTH bool __hisnan(__half a) { return (a.__x & 0x7fff) > 0x7c00; }
SIMT_BOTH int __hisinf(__half a) { return a.__x == 0x7c00 ? 1 : a.__x == 0xfc00 ? -1 : 0; }
/* Of a number and a NaN, the number. */
SIMT_BOTH __half __hmax(__half a, __half b)
{
    return __hisnan(a) ? b : __hisnan(b) ? a : (float)a > (float)b || (b.__x == 0x8000) ? a : b;
}
SIMT_BOTH __half __hmin(__half a, __half b)
{
    return __hisnan(a) ? b : __hisnan(b) ? a : (float)a < (float)b || (a.__x == 0x8000) ? a : b;
}
SIMT_BOTH __half __hadd_sat(__half a, __half b)
{
    return __hmin(__hmax(__hadd(a, b), simt_half(0)), simt_half(0x3c00));
}

#define SIMT_HALF_COMPARE(name, op)                                                                \
    SIMT_BOTH bool __h##name(__half a, __half b) { return (float)a op(float) b; }                  \
    SIMT_BOTH bool __hb##name##2(__half2 a, __half2 b)                                             \
    {                                                                                              \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                         \
    }                                                                                              \
    SIMT_BOTH __half2 __h##name##2(__half2 a, __half2 b)                                           \
    {                                                                                              \
        return __half2(__half(__h##name(a.x, b.x) ? 1.0f : 0.0f),                                  \
                       __half(__h##name(a.y, b.y) ? 1.0f : 0.0f));                                 \
    }                                                                                              \
    SIMT_BOTH bool operator op(const __half &a, const __half &b) { return __h##name(a, b); }       \
    SIMT_BOTH bool operator op(const __half2 &a, const __half2 &b) { return __hb##name##2(a, b); }

SIMT_HALF_COMPARE(eq, ==)
SIMT_HALF_COMPARE(ne, !=)
SIMT_HALF_COMPARE(lt, <)
SIMT_HALF_COMPARE(le, <=)
SIMT_HALF_COMPARE(gt, >)
SIMT_HALF_COMPARE(ge, >=)
#undef SIMT_HALF_COMPARE

/* Both halves at once: one f16x2 instruction. */
#ifdef __CUDA_ARCH__
#define SIMT_HALF2_OP(op, a, b, host)                                                              \
    unsigned int bits;                                                                             \
    asm(op ".f16x2 %0, %1, %2;"                                                                    \
        : "=r"(bits)                                                                               \
        : "r"(__builtin_bit_cast(unsigned int, __half2_raw{a.x.__x, a.y.__x})),                    \
          "r"(__builtin_bit_cast(unsigned int, __half2_raw{b.x.__x, b.y.__x})));                   \
    return __half2(simt_half((unsigned short)bits), simt_half((unsigned short)(bits >> 16)))
#else
#define SIMT_HALF2_OP(op, a, b, host) return __half2(host(a.x, b.x), host(a.y, b.y))
#endif

SIMT_BOTH __half2 __hadd2(__half2 a, __half2 b) { SIMT_HALF2_OP("add", a, b, __hadd); }
SIMT_BOTH __half2 __hsub2(__half2 a, __half2 b) { SIMT_HALF2_OP("sub", a, b, __hsub); }
SIMT_BOTH __half2 __hmul2(__half2 a, __half2 b) { SIMT_HALF2_OP("mul", a, b, __hmul); }
SIMT_BOTH __half2 __h2div(__half2 a, __half2 b)
{
    return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}
SIMT_BOTH __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
#ifdef __CUDA_ARCH__
    unsigned int bits;
    asm("fma.rn.f16x2 %0, %1, %2, %3;"
        : "=r"(bits)
        : "r"(__builtin_bit_cast(unsigned int, __half2_raw{a.x.__x, a.y.__x})),
          "r"(__builtin_bit_cast(unsigned int, __half2_raw{b.x.__x, b.y.__x})),
          "r"(__builtin_bit_cast(unsigned int, __half2_raw{c.x.__x, c.y.__x})));
    return __half2(simt_half((unsigned short)bits), simt_half((unsigned short)(bits >> 16)));
#else
    return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
#endif
}
SIMT_BOTH __half2 __hneg2(__half2 a) { return __half2(__hneg(a.x), __hneg(a.y)); }
SIMT_BOTH __half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }
SIMT_BOTH __half2 __hmax2(__half2 a, __half2 b)
{
    return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
SIMT_BOTH __half2 __hmin2(__half2 a, __half2 b)
{
    return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y));
}

#define SIMT_HALF_OPERATOR(op, function, function2)                                                \
    SIMT_BOTH __half operator op(const __half &a, const __half &b) { return function(a, b); }      \
    SIMT_BOTH __half &operator op##=(__half &a, const __half &b) { return a = function(a, b); }    \
    SIMT_BOTH __half2 operator op(const __half2 &a, const __half2 &b) { return function2(a, b); }  \
    SIMT_BOTH __half2 &operator op##=(__half2 &a, const __half2 &b) { return a = function2(a, b); }

SIMT_HALF_OPERATOR(+, __hadd, __hadd2)
SIMT_HALF_OPERATOR(-, __hsub, __hsub2)
SIMT_HALF_OPERATOR(*, __hmul, __hmul2)
SIMT_HALF_OPERATOR(/, __hdiv, __h2div)
#undef SIMT_HALF_OPERATOR
SIMT_BOTH __half operator-(const __half &a) { return __hneg(a); }
SIMT_BOTH __half operator+(const __half &a) { return a; }
SIMT_BOTH __half2 operator-(const __half2 &a) { return __hneg2(a); }

/* ------------------------------------------------------------- functions, through float */

#define SIMT_HALF_FUNCTION(name, expression)                                                       \
    SIMT_DEVICE __half h##name(__half h)                                                           \
    {                                                                                              \
        float x = __half2float(h);                                                                 \
        return __float2half(expression);                                                           \
    }                                                                                              \
    SIMT_DEVICE __half2 h2##name(__half2 v) { return __half2(h##name(v.x), h##name(v.y)); }

SIMT_HALF_FUNCTION(sqrt, sqrtf(x))
SIMT_HALF_FUNCTION(rsqrt, rsqrtf(x))
SIMT_HALF_FUNCTION(rcp, 1.0f / x)
SIMT_HALF_FUNCTION(exp, expf(x))
SIMT_HALF_FUNCTION(exp2, exp2f(x))
SIMT_HALF_FUNCTION(exp10, exp10f(x))
SIMT_HALF_FUNCTION(log, logf(x))
SIMT_HALF_FUNCTION(log2, log2f(x))
SIMT_HALF_FUNCTION(log10, log10f(x))
SIMT_HALF_FUNCTION(sin, sinf(x))
SIMT_HALF_FUNCTION(cos, cosf(x))
SIMT_HALF_FUNCTION(ceil, ceilf(x))
SIMT_HALF_FUNCTION(floor, floorf(x))
SIMT_HALF_FUNCTION(rint, rintf(x))
SIMT_HALF_FUNCTION(trunc, truncf(x))
#undef SIMT_HALF_FUNCTION

/* ------------------------------------------------------------- memory and lanes */

SIMT_DEVICE __half __ldg(const __half *p) { return simt_half(__ldg((const unsigned short *)p)); }
SIMT_DEVICE __half2 __ldg(const __half2 *p)
{
    unsigned int bits = __ldg((const unsigned int *)p);
    return __half2(simt_half((unsigned short)bits), simt_half((unsigned short)(bits >> 16)));
}

#define SIMT_HALF_SHUFFLE(name, lane_type)                                                         \
    SIMT_DEVICE __half name(unsigned int mask, __half v, lane_type lane, int width = 32)           \
    {                                                                                              \
        return simt_half((unsigned short)name(mask, (unsigned int)v.__x, lane, width));            \
    }                                                                                              \
    SIMT_DEVICE __half2 name(unsigned int mask, __half2 v, lane_type lane, int width = 32)         \
    {                                                                                              \
        unsigned int bits = name(mask, v.x.__x | (unsigned int)v.y.__x << 16, lane, width);        \
        return __half2(simt_half((unsigned short)bits), simt_half((unsigned short)(bits >> 16)));  \
    }

SIMT_HALF_SHUFFLE(__shfl_sync, int)
SIMT_HALF_SHUFFLE(__shfl_up_sync, unsigned int)
SIMT_HALF_SHUFFLE(__shfl_down_sync, unsigned int)
SIMT_HALF_SHUFFLE(__shfl_xor_sync, int)
#undef SIMT_HALF_SHUFFLE

SIMT_DEVICE __half2 atomicAdd(__half2 *address, __half2 v)
{
    unsigned int old, bits = v.x.__x | (unsigned int)v.y.__x << 16;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(address), "r"(bits)
                 : "memory");
    return __half2(simt_half((unsigned short)old), simt_half((unsigned short)(old >> 16)));
}
SIMT_DEVICE __half atomicAdd(__half *address, __half v)
{
    unsigned short old;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;"
                 : "=h"(old)
                 : "l"(address), "h"(v.__x)
                 : "memory");
    return simt_half(old);
}

#undef SIMT_HALF_OP
#undef SIMT_HALF2_OP
#undef SIMT_HALF_METHOD

#endif

#endif

/* simt/float16.h - a 16-bit float and a pair of them: types, conversions, operators.
 *
 * Read once for half and once for bfloat16. The reader defines
 *     SIMT_T, SIMT_T2          the types: __half, __half2
 *     SIMT_RAW, SIMT_RAW2      their bits: __half_raw, __half2_raw
 *     SIMT_PTX                 PTX's name: "f16"
 *     SIMT_FORMAT              simt_half_format()
 *     SIMT_WORD(before, after) a function's name from what surrounds the word: __float2##half##_rn
 *     SIMT_PAIR                the function that makes a pair of a value: __half2half2
 *     SIMT_MEMBERS             further members of the type
 *     SIMT_SINCE, SIMT_SUMS_SINCE   the __CUDA_ARCH__ from which PTX rounds floats to the type and
 * has its fma, and from which it has its sums, comparisons and integers SIMT_WIDEN the instruction
 * that makes a float of 16 bits and finds the words undefined behind it. On the device PTX's
 * instructions do the work, where the GPU has them; elsewhere integer and double arithmetic, with
 * the same bits as the result. */

#ifdef __CUDA_ARCH__
#define SIMT_ARCH __CUDA_ARCH__
#else
#define SIMT_ARCH -1 /* the host */
#endif
#if SIMT_ARCH >= 0
#define SIMT_IN_KERNEL(...) __VA_ARGS__
#define SIMT_ON_HOST(...)
#else
#define SIMT_IN_KERNEL(...)
#define SIMT_ON_HOST(...) __VA_ARGS__
#endif
#if SIMT_ARCH >= SIMT_SINCE
#define SIMT_BY_PTX(...) __VA_ARGS__
#define SIMT_IN_C(...)
#else
#define SIMT_BY_PTX(...)
#define SIMT_IN_C(...) __VA_ARGS__
#endif
#if SIMT_ARCH >= SIMT_SUMS_SINCE
#define SIMT_WITH_SUMS(...) __VA_ARGS__
#define SIMT_WITHOUT_SUMS(...)
#else
#define SIMT_WITH_SUMS(...)
#define SIMT_WITHOUT_SUMS(...) __VA_ARGS__
#endif
#if SIMT_ARCH >= 800 /* of either type: minimum, maximum, fma.relu */
#define SIMT_WITH_MINIMUM(...) __VA_ARGS__
#define SIMT_WITHOUT_MINIMUM(...)
#else
#define SIMT_WITH_MINIMUM(...)
#define SIMT_WITHOUT_MINIMUM(...) __VA_ARGS__
#endif

/* ------------------------------------------------------------- the types */

struct SIMT_T {
    unsigned short __x;

    SIMT_T() = default;
    SIMT_METHOD constexpr SIMT_T(const SIMT_RAW &raw) : __x(raw.x) {}
    SIMT_METHOD SIMT_T(float v) : __x(simt_from(v)) {}
    SIMT_METHOD SIMT_T(double v) : __x(simt_from(v)) {}
#define SIMT_FROM(type, wide)                                                                      \
    SIMT_METHOD SIMT_T(type v) : __x(simt_from((wide)v)) {}                                        \
    SIMT_METHOD SIMT_T &operator=(type v) { return *this = SIMT_T(v); }
    SIMT_FROM(short, int)
    SIMT_FROM(unsigned short, unsigned int)
    SIMT_FROM(int, int)
    SIMT_FROM(unsigned int, unsigned int)
    SIMT_FROM(long long, long long)
    SIMT_FROM(unsigned long long, unsigned long long)
#undef SIMT_FROM
    SIMT_METHOD SIMT_T(long v) : __x(simt_from((long long)v)) {}
    SIMT_METHOD SIMT_T(unsigned long v) : __x(simt_from((unsigned long long)v)) {}
    SIMT_METHOD SIMT_T &operator=(float v) { return *this = SIMT_T(v); }
    SIMT_METHOD SIMT_T &operator=(double v) { return *this = SIMT_T(v); }
    SIMT_METHOD SIMT_T &operator=(const SIMT_RAW &raw)
    {
        __x = raw.x;
        return *this;
    }
    SIMT_METHOD volatile SIMT_T &operator=(const SIMT_RAW &raw) volatile
    {
        __x = raw.x;
        return *this;
    }
    SIMT_METHOD volatile SIMT_T &operator=(const volatile SIMT_RAW &raw) volatile
    {
        __x = raw.x;
        return *this;
    }
    SIMT_METHOD operator SIMT_RAW() const { return SIMT_RAW{__x}; }
    SIMT_METHOD operator SIMT_RAW() const volatile { return SIMT_RAW{__x}; }
    SIMT_METHOD operator float() const { return simt_to_float(__x); }
    SIMT_METHOD constexpr operator bool() const { return (__x & 0x7fff) != 0; }
    /* Toward zero; what does not fit ends at the bound, NaN gives 0. */
#define SIMT_TO(type, least, most)                                                                 \
    SIMT_METHOD operator type() const                                                              \
    {                                                                                              \
        return simt_small_to_integer<type>(simt_to_float(__x), simt_to_zero, least, most, 0);      \
    }
    SIMT_TO(signed char, -128, 127)
    SIMT_TO(unsigned char, 0, 255)
    SIMT_TO(char, -128, 127)
    SIMT_TO(short, -32768, 32767)
    SIMT_TO(unsigned short, 0, 65535)
    SIMT_TO(int, -0x7fffffff - 1, 0x7fffffff)
    SIMT_TO(unsigned int, 0, 0xffffffff)
#undef SIMT_TO
#define SIMT_TO(type, least, most, nan)                                                            \
    SIMT_METHOD operator type() const                                                              \
    {                                                                                              \
        return simt_small_to_integer<type>(simt_to_float(__x), simt_to_zero, least, most, nan);    \
    }
    SIMT_TO(long long, -0x7fffffffffffffff - 1, 0x7fffffffffffffff, -0x7fffffffffffffff - 1)
    SIMT_TO(unsigned long long, 0, 0xffffffffffffffff, 0x8000000000000000)
    SIMT_TO(long, -0x7fffffffffffffff - 1, 0x7fffffffffffffff, -0x7fffffffffffffff - 1)
    SIMT_TO(unsigned long, 0, 0xffffffffffffffff, 0x8000000000000000)
#undef SIMT_TO
    SIMT_MEMBERS

    SIMT_METHOD static unsigned short simt_rounded(double v, simt_rounding mode = simt_to_nearest)
    {
        return (unsigned short)simt_small_bits(v, SIMT_FORMAT, mode);
    }
    SIMT_METHOD static float simt_to_float(unsigned short bits)
    {
        SIMT_IN_KERNEL(float v; asm(SIMT_WIDEN : "=f"(v) : "h"(bits)); return v;)
        SIMT_ON_HOST(return simt_small_value(bits, SIMT_FORMAT);)
    }
#define SIMT_FROM(type, ptx, letter, wide, with, without)                                          \
    SIMT_METHOD static unsigned short simt_from(type v)                                            \
    {                                                                                              \
        with(unsigned short bits; asm("cvt.rn." SIMT_PTX "." ptx " %0, %1;"                        \
                                      : "=h"(bits)                                                 \
                                      : letter(v));                                                \
             return bits;) without(return simt_rounded(wide(v));)                                  \
    }
    SIMT_FROM(float, "f32", "f", double, SIMT_BY_PTX, SIMT_IN_C)
    SIMT_FROM(double, "f64", "d", double, SIMT_WITH_SUMS, SIMT_WITHOUT_SUMS)
    SIMT_FROM(int, "s32", "r", double, SIMT_WITH_SUMS, SIMT_WITHOUT_SUMS)
    SIMT_FROM(unsigned int, "u32", "r", double, SIMT_WITH_SUMS, SIMT_WITHOUT_SUMS)
    SIMT_FROM(long long, "s64", "l", simt_odd_double, SIMT_WITH_SUMS, SIMT_WITHOUT_SUMS)
    SIMT_FROM(unsigned long long, "u64", "l", simt_odd_double, SIMT_WITH_SUMS, SIMT_WITHOUT_SUMS)
#undef SIMT_FROM
    SIMT_METHOD static SIMT_T simt_of(unsigned int bits)
    {
        return SIMT_T(SIMT_RAW{(unsigned short)bits});
    }
} __attribute__((aligned(2)));

struct __attribute__((aligned(4))) SIMT_T2 {
    SIMT_T x, y;

    SIMT_T2() = default;
    SIMT_METHOD constexpr SIMT_T2(const SIMT_T &low, const SIMT_T &high) : x(low), y(high) {}
    SIMT_METHOD SIMT_T2(const SIMT_RAW2 &raw) : x(SIMT_RAW{raw.x}), y(SIMT_RAW{raw.y}) {}
    /* A template, so that `pair = {}` is no assignment of a raw pair, too. */
    template <typename raw, typename = typename simt_same<raw, SIMT_RAW2>::itself>
    SIMT_METHOD SIMT_T2 &operator=(const raw &from)
    {
        return *this = SIMT_T2(from);
    }
    SIMT_METHOD operator SIMT_RAW2() const { return SIMT_RAW2{x.__x, y.__x}; }

    SIMT_METHOD unsigned int simt_bits() const { return x.__x | (unsigned int)y.__x << 16; }
    SIMT_METHOD static SIMT_T2 simt_of(unsigned int bits)
    {
        return SIMT_T2(SIMT_T::simt_of(bits), SIMT_T::simt_of(bits >> 16));
    }
};

SIMT_BOTH unsigned short SIMT_WORD(__, _as_ushort)(SIMT_T v) { return v.__x; }
SIMT_BOTH short SIMT_WORD(__, _as_short)(SIMT_T v) { return (short)v.__x; }
SIMT_BOTH SIMT_T SIMT_WORD(__ushort_as_, )(unsigned short bits) { return SIMT_T::simt_of(bits); }
SIMT_BOTH SIMT_T SIMT_WORD(__short_as_, )(short bits)
{
    return SIMT_T::simt_of((unsigned short)bits);
}

/* ------------------------------------------------------------- conversions */

SIMT_BOTH float SIMT_WORD(__, 2float)(SIMT_T v) { return SIMT_T::simt_to_float(v.__x); }
SIMT_BOTH SIMT_T SIMT_WORD(__float2, )(float v) { return SIMT_T(v); }
SIMT_BOTH SIMT_T SIMT_WORD(__float2, _rn)(float v) { return SIMT_T(v); }
SIMT_BOTH SIMT_T SIMT_WORD(__double2, )(double v) { return SIMT_T(v); }
SIMT_BOTH SIMT_T SIMT_WORD(__float2, _rz)(float v)
{
    SIMT_BY_PTX(unsigned short bits; asm("cvt.rz." SIMT_PTX ".f32 %0, %1;"
                                         : "=h"(bits)
                                         : "f"(v));
                return SIMT_T::simt_of(bits);)
    SIMT_IN_C(return SIMT_T::simt_of(SIMT_T::simt_rounded((double)v, simt_to_zero));)
}
SIMT_BOTH SIMT_T SIMT_WORD(__float2, _ru)(float v)
{
    return SIMT_T::simt_of(SIMT_T::simt_rounded((double)v, simt_upward));
}
SIMT_BOTH SIMT_T SIMT_WORD(__float2, _rd)(float v)
{
    return SIMT_T::simt_of(SIMT_T::simt_rounded((double)v, simt_downward));
}
SIMT_BOTH SIMT_T2 SIMT_WORD(__float2, 2_rn)(float v) { return SIMT_T2(SIMT_T(v), SIMT_T(v)); }
SIMT_BOTH SIMT_T2 SIMT_WORD(__floats2, 2_rn)(float low, float high)
{
    SIMT_BY_PTX(unsigned int bits; asm("cvt.rn." SIMT_PTX "x2.f32 %0, %1, %2;"
                                       : "=r"(bits)
                                       : "f"(high), "f"(low));
                return SIMT_T2::simt_of(bits);)
    SIMT_IN_C(return SIMT_T2(SIMT_T(low), SIMT_T(high));)
}
SIMT_BOTH SIMT_T2 SIMT_WORD(__float22, 2_rn)(float2 v)
{
    return SIMT_WORD(__floats2, 2_rn)(v.x, v.y);
}
SIMT_BOTH float2 SIMT_WORD(__, 22float2)(SIMT_T2 v) { return make_float2((float)v.x, (float)v.y); }
SIMT_BOTH float __low2float(SIMT_T2 v) { return (float)v.x; }
SIMT_BOTH float __high2float(SIMT_T2 v) { return (float)v.y; }

SIMT_BOTH SIMT_T SIMT_WORD(__low2, )(SIMT_T2 v) { return v.x; }
SIMT_BOTH SIMT_T SIMT_WORD(__high2, )(SIMT_T2 v) { return v.y; }
SIMT_BOTH SIMT_T2 SIMT_WORD(__low2, 2)(SIMT_T2 v) { return SIMT_T2(v.x, v.x); }
SIMT_BOTH SIMT_T2 SIMT_WORD(__high2, 2)(SIMT_T2 v) { return SIMT_T2(v.y, v.y); }
SIMT_BOTH SIMT_T2 __lowhigh2highlow(SIMT_T2 v) { return SIMT_T2(v.y, v.x); }
SIMT_BOTH SIMT_T2 SIMT_WORD(__lows2, 2)(SIMT_T2 a, SIMT_T2 b) { return SIMT_T2(a.x, b.x); }
SIMT_BOTH SIMT_T2 SIMT_WORD(__highs2, 2)(SIMT_T2 a, SIMT_T2 b) { return SIMT_T2(a.y, b.y); }
SIMT_BOTH SIMT_T2 SIMT_WORD(__halves2, 2)(SIMT_T low, SIMT_T high) { return SIMT_T2(low, high); }
SIMT_BOTH SIMT_T2 SIMT_PAIR(SIMT_T v) { return SIMT_T2(v, v); }
SIMT_BOTH SIMT_T2 SIMT_WORD(make_, 2)(SIMT_T low, SIMT_T high) { return SIMT_T2(low, high); }

/* From and to integers, in the mode of the name. */
#define SIMT_INTEGER_MODE(name, type, ptx, letter, suffix, mode, rounding, wide, least, most, nan) \
    SIMT_BOTH SIMT_T SIMT_WORD(__##name##2, _##suffix)(type v)                                     \
    {                                                                                              \
        SIMT_WITH_SUMS(unsigned short bits; asm("cvt." mode "." SIMT_PTX "." ptx " %0, %1;"        \
                                                : "=h"(bits)                                       \
                                                : letter(v));                                      \
                       return SIMT_T::simt_of(bits);)                                              \
        SIMT_WITHOUT_SUMS(return SIMT_T::simt_of(SIMT_T::simt_rounded(wide(v), rounding));)        \
    }                                                                                              \
    SIMT_BOTH type SIMT_WORD(__, 2##name##_##suffix)(SIMT_T v)                                     \
    {                                                                                              \
        SIMT_WITH_SUMS(type result; asm("cvt." mode "i." ptx "." SIMT_PTX " %0, %1;"               \
                                        : "=" letter(result)                                       \
                                        : "h"(v.__x));                                             \
                       return result;)                                                             \
        SIMT_WITHOUT_SUMS(                                                                         \
            return simt_small_to_integer<type>((float)v, rounding, least, most, nan);)             \
    }
#define SIMT_INTEGER(name, type, ptx, letter, wide, least, most, nan)                              \
    SIMT_INTEGER_MODE(name, type, ptx, letter, rn, "rn", simt_to_nearest, wide, least, most, nan)  \
    SIMT_INTEGER_MODE(name, type, ptx, letter, rz, "rz", simt_to_zero, wide, least, most, nan)     \
    SIMT_INTEGER_MODE(name, type, ptx, letter, ru, "rp", simt_upward, wide, least, most, nan)      \
    SIMT_INTEGER_MODE(name, type, ptx, letter, rd, "rm", simt_downward, wide, least, most, nan)
SIMT_INTEGER(short, short, "s16", "h", (double), -32768, 32767, 0)
SIMT_INTEGER(ushort, unsigned short, "u16", "h", (double), 0, 65535, 0)
SIMT_INTEGER(int, int, "s32", "r", (double), -0x7fffffff - 1, 0x7fffffff, 0)
SIMT_INTEGER(uint, unsigned int, "u32", "r", (double), 0, 0xffffffff, 0)
SIMT_INTEGER(ll, long long, "s64", "l", simt_odd_double, -0x7fffffffffffffff - 1,
             0x7fffffffffffffff, -0x7fffffffffffffff - 1)
SIMT_INTEGER(ull, unsigned long long, "u64", "l", simt_odd_double, 0, 0xffffffffffffffff,
             0x8000000000000000)
#undef SIMT_INTEGER
#undef SIMT_INTEGER_MODE
SIMT_BOTH signed char SIMT_WORD(__, 2char_rz)(SIMT_T v) { return (signed char)v; }
SIMT_BOTH unsigned char SIMT_WORD(__, 2uchar_rz)(SIMT_T v) { return (unsigned char)v; }

#include "float16_functions.h"
#ifdef __CUDA__
#include "float16_memory.h"
#endif

#undef SIMT_T
#undef SIMT_T2
#undef SIMT_RAW
#undef SIMT_RAW2
#undef SIMT_PTX
#undef SIMT_FORMAT
#undef SIMT_WORD
#undef SIMT_PAIR
#undef SIMT_MEMBERS
#undef SIMT_SINCE
#undef SIMT_SUMS_SINCE
#undef SIMT_WIDEN
#undef SIMT_ARCH
#undef SIMT_IN_KERNEL
#undef SIMT_ON_HOST
#undef SIMT_BY_PTX
#undef SIMT_IN_C
#undef SIMT_WITH_SUMS
#undef SIMT_WITHOUT_SUMS
#undef SIMT_WITH_MINIMUM
#undef SIMT_WITHOUT_MINIMUM

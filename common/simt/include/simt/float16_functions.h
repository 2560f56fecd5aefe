/* simt/float16_functions.h - arithmetic, comparisons and functions of a 16-bit float and of pairs.
 *
 * Read after simt/float16.h, with the same words defined, once for half and once for bfloat16: the
 * functions have one name for both. A function of two values has a twin for two pairs. */

/* One instruction of two or three operands: of one value, whose bits travel in 16, and of a pair.
 */
#define SIMT_ASM_2(type, letter, word, bits, ptx)                                                  \
    word result;                                                                                   \
    asm(ptx " %0, %1, %2;" : "=" letter(result) : letter(bits(a)), letter(bits(b)));               \
    return type::simt_of(result);
#define SIMT_ASM_3(type, letter, word, bits, ptx)                                                  \
    word result;                                                                                   \
    asm(ptx " %0, %1, %2, %3;"                                                                     \
        : "=" letter(result)                                                                       \
        : letter(bits(a)), letter(bits(b)), letter(bits(c)));                                      \
    return type::simt_of(result);
#define SIMT_BITS(v)  v.__x
#define SIMT_BITS2(v) v.simt_bits()

/* name, the pair's name, the instruction, where it is used and where it is not, and what is done
 * there. */
#define SIMT_BINARY(name, name2, ptx, with, without, other)                                        \
    SIMT_BOTH SIMT_T name(SIMT_T a, SIMT_T b){                                                     \
        with(SIMT_ASM_2(SIMT_T, "h", unsigned short, SIMT_BITS, ptx "." SIMT_PTX))                 \
            without(other)} SIMT_BOTH SIMT_T2                                                      \
    name2(SIMT_T2 a, SIMT_T2 b)                                                                    \
    {                                                                                              \
        with(SIMT_ASM_2(SIMT_T2, "r", unsigned int, SIMT_BITS2, ptx "." SIMT_PTX "x2"))            \
            without(return SIMT_T2(name(a.x, b.x), name(a.y, b.y));)                               \
    }
#define SIMT_TERNARY(name, name2, ptx, with, without, rounded)                                     \
    SIMT_BOTH SIMT_T name(SIMT_T a, SIMT_T b, SIMT_T c)                                            \
    {                                                                                              \
        with(SIMT_ASM_3(SIMT_T, "h", unsigned short, SIMT_BITS, ptx "." SIMT_PTX))                 \
            without(double fused = simt_fused((float)a, (float)b, (float)c);                       \
                    return SIMT_T::simt_of(SIMT_T::simt_rounded(rounded));)                        \
    }                                                                                              \
    SIMT_BOTH SIMT_T2 name2(SIMT_T2 a, SIMT_T2 b, SIMT_T2 c)                                       \
    {                                                                                              \
        with(SIMT_ASM_3(SIMT_T2, "r", unsigned int, SIMT_BITS2, ptx "." SIMT_PTX "x2"))            \
            without(return SIMT_T2(name(a.x, b.x, c.x), name(a.y, b.y, c.y));)                     \
    }
/* x and y are the operands as doubles, where products of two values are exact and sums exact or far
 * from a tie. */
#define SIMT_ROUNDED(expression)                                                                   \
    double x = (float)a, y = (float)b;                                                             \
    return SIMT_T::simt_of(SIMT_T::simt_rounded(expression));

SIMT_TERNARY(__hfma, __hfma2, "fma.rn", SIMT_BY_PTX, SIMT_IN_C, fused)
SIMT_TERNARY(__hfma_relu, __hfma2_relu, "fma.rn.relu", SIMT_WITH_MINIMUM, SIMT_WITHOUT_MINIMUM,
             fused <= 0 ? 0 : fused)

/* A sum or product of the name with _rn is never joined to an fma. */
#if SIMT_ARCH < SIMT_SINCE || SIMT_ARCH >= SIMT_SUMS_SINCE
#define SIMT_SUM(name, name2, ptx, expression)                                                     \
    SIMT_BINARY(name, name2, ptx, SIMT_BY_PTX, SIMT_IN_C, SIMT_ROUNDED(expression))
SIMT_SUM(__hadd, __hadd2, "add", x + y)
SIMT_SUM(__hsub, __hsub2, "sub", x - y)
SIMT_SUM(__hmul, __hmul2, "mul", x *y)
SIMT_SUM(__hadd_rn, __hadd2_rn, "add.rn", x + y)
SIMT_SUM(__hsub_rn, __hsub2_rn, "sub.rn", x - y)
SIMT_SUM(__hmul_rn, __hmul2_rn, "mul.rn", x *y)
#else /* bfloat16 before sm_90: a 1 + b, b -1 + a, a b + -0 */
#define SIMT_SUM(name, name2, first, second, third, constant)                                      \
    SIMT_BOTH SIMT_T name(SIMT_T a, SIMT_T b)                                                      \
    {                                                                                              \
        const SIMT_T c = SIMT_T::simt_of(constant);                                                \
        return __hfma(first, second, third);                                                       \
    }                                                                                              \
    SIMT_BOTH SIMT_T2 name2(SIMT_T2 a, SIMT_T2 b)                                                  \
    {                                                                                              \
        const SIMT_T2 c = SIMT_T2::simt_of(constant | (unsigned int)(constant) << 16);             \
        return __hfma2(first, second, third);                                                      \
    }
SIMT_SUM(__hadd, __hadd2, a, c, b, 0x3f80)
SIMT_SUM(__hsub, __hsub2, b, c, a, 0xbf80)
SIMT_SUM(__hmul, __hmul2, a, b, c, 0x8000)
SIMT_SUM(__hadd_rn, __hadd2_rn, a, c, b, 0x3f80)
SIMT_SUM(__hsub_rn, __hsub2_rn, b, c, a, 0xbf80)
SIMT_SUM(__hmul_rn, __hmul2_rn, a, b, c, 0x8000)
#endif
#undef SIMT_SUM

#define SIMT_LIMIT(name, name2, ptx, expression)                                                   \
    SIMT_BINARY(name, name2, ptx, SIMT_WITH_MINIMUM, SIMT_WITHOUT_MINIMUM, SIMT_ROUNDED(expression))
SIMT_LIMIT(__hmax, __hmax2, "max", simt_more(x, y))
SIMT_LIMIT(__hmin, __hmin2, "min", simt_less(x, y))
SIMT_LIMIT(__hmax_nan, __hmax2_nan, "max.NaN", x != x || y != y ? x + y : simt_more(x, y))
SIMT_LIMIT(__hmin_nan, __hmin2_nan, "min.NaN", x != x || y != y ? x + y : simt_less(x, y))
#undef SIMT_LIMIT

/* The same between 0 and 1, where NaN gives 0. */
SIMT_BOTH SIMT_T simt_clamped(SIMT_T v)
{
    return __hmin(__hmax(v, SIMT_T::simt_of(0)), SIMT_T(1.0f));
}
SIMT_BOTH SIMT_T2 simt_clamped(SIMT_T2 v)
{
    return __hmin2(__hmax2(v, SIMT_T2::simt_of(0)), SIMT_T2(SIMT_T(1.0f), SIMT_T(1.0f)));
}
#define SIMT_SATURATES(name, name2, plain, plain2)                                                 \
    SIMT_BOTH SIMT_T name(SIMT_T a, SIMT_T b) { return simt_clamped(plain(a, b)); }                \
    SIMT_BOTH SIMT_T2 name2(SIMT_T2 a, SIMT_T2 b) { return simt_clamped(plain2(a, b)); }
SIMT_SATURATES(__hadd_sat, __hadd2_sat, __hadd, __hadd2)
SIMT_SATURATES(__hsub_sat, __hsub2_sat, __hsub, __hsub2)
SIMT_SATURATES(__hmul_sat, __hmul2_sat, __hmul, __hmul2)
#undef SIMT_SATURATES
SIMT_BOTH SIMT_T __hfma_sat(SIMT_T a, SIMT_T b, SIMT_T c) { return simt_clamped(__hfma(a, b, c)); }
SIMT_BOTH SIMT_T2 __hfma2_sat(SIMT_T2 a, SIMT_T2 b, SIMT_T2 c)
{
    return simt_clamped(__hfma2(a, b, c));
}

/* The real part in x, the imaginary part in y. */
SIMT_BOTH SIMT_T2 __hcmadd(SIMT_T2 a, SIMT_T2 b, SIMT_T2 c)
{
    SIMT_T real = __hfma(a.x, b.x, c.x), imaginary = __hfma(a.x, b.y, c.y);
    return SIMT_T2(__hfma(SIMT_T::simt_of(a.y.__x ^ 0x8000u), b.y, real),
                   __hfma(a.y, b.x, imaginary));
}

/* ------------------------------------------------------------- signs and kinds */

SIMT_BOTH bool __hisnan(SIMT_T a) { return (a.__x & 0x7fff) > SIMT_FORMAT.infinity; }
SIMT_BOTH int __hisinf(SIMT_T a)
{
    return (a.__x & 0x7fff) != SIMT_FORMAT.infinity ? 0 : a.__x >> 15 ? -1 : 1;
}
SIMT_BOTH SIMT_T2 __hisnan2(SIMT_T2 a)
{
    return SIMT_T2(SIMT_T(__hisnan(a.x) ? 1.0f : 0.0f), SIMT_T(__hisnan(a.y) ? 1.0f : 0.0f));
}
#define SIMT_SIGN(name, name2, ptx, bits)                                                          \
    SIMT_BOTH SIMT_T name(SIMT_T a)                                                                \
    {                                                                                              \
        SIMT_BY_PTX(unsigned short result; asm(ptx "." SIMT_PTX " %0, %1;"                         \
                                               : "=h"(result)                                      \
                                               : "h"(a.__x));                                      \
                    return SIMT_T::simt_of(result);)                                               \
        SIMT_IN_C(return SIMT_T::simt_of(__hisnan(a) ? SIMT_FORMAT.nan : (bits));)                 \
    }                                                                                              \
    SIMT_BOTH SIMT_T2 name2(SIMT_T2 a)                                                             \
    {                                                                                              \
        SIMT_BY_PTX(unsigned int result; asm(ptx "." SIMT_PTX "x2 %0, %1;"                         \
                                             : "=r"(result)                                        \
                                             : "r"(a.simt_bits()));                                \
                    return SIMT_T2::simt_of(result);)                                              \
        SIMT_IN_C(return SIMT_T2(name(a.x), name(a.y));)                                           \
    }
SIMT_SIGN(__hneg, __hneg2, "neg", a.__x ^ 0x8000u)
SIMT_SIGN(__habs, __habs2, "abs", a.__x & 0x7fffu)
#undef SIMT_SIGN

/* ------------------------------------------------------------- comparisons */

/* Of values; of pairs: 1.0 or 0.0, all bits or none, and whether it holds for both. word is PTX's;
 * with a u after it, a NaN makes the comparison true instead of false. */
#define SIMT_COMPARE(word, condition)                                                              \
    SIMT_BOTH bool __h##word(SIMT_T a, SIMT_T b)                                                   \
    {                                                                                              \
        SIMT_WITH_SUMS(unsigned short result; asm("{ .reg .pred p; setp." #word "." SIMT_PTX       \
                                                  " p, %1, %2; selp.u16 %0, 1, 0, p; }"            \
                                                  : "=h"(result)                                   \
                                                  : "h"(a.__x), "h"(b.__x));                       \
                       return result != 0;)                                                        \
        SIMT_WITHOUT_SUMS(float x = (float)a, y = (float)b; return condition;)                     \
    }                                                                                              \
    SIMT_BOTH SIMT_T2 __h##word##2(SIMT_T2 a, SIMT_T2 b)                                           \
    {                                                                                              \
        SIMT_WITH_SUMS(SIMT_ASM_2(SIMT_T2, "r", unsigned int, SIMT_BITS2,                          \
                                  "set." #word "." SIMT_PTX "x2." SIMT_PTX "x2"))                  \
        SIMT_WITHOUT_SUMS(return SIMT_T2(SIMT_T(__h##word(a.x, b.x) ? 1.0f : 0.0f),                \
                                         SIMT_T(__h##word(a.y, b.y) ? 1.0f : 0.0f));)              \
    }                                                                                              \
    SIMT_BOTH unsigned int __h##word##2_mask(SIMT_T2 a, SIMT_T2 b)                                 \
    {                                                                                              \
        SIMT_WITH_SUMS(unsigned int result; asm("set." #word ".u32." SIMT_PTX "x2 %0, %1, %2;"     \
                                                : "=r"(result)                                     \
                                                : "r"(a.simt_bits()), "r"(b.simt_bits()));         \
                       return result;)                                                             \
        SIMT_WITHOUT_SUMS(return (__h##word(a.x, b.x) ? 0xffffu : 0) |                             \
                                     (__h##word(a.y, b.y) ? 0xffff0000u : 0);)                     \
    }                                                                                              \
    SIMT_BOTH bool __hb##word##2(SIMT_T2 a, SIMT_T2 b)                                             \
    {                                                                                              \
        return __h##word##2_mask(a, b) == 0xffffffff;                                              \
    }

SIMT_COMPARE(eq, x == y)
SIMT_COMPARE(ne, x<y || x> y)
SIMT_COMPARE(lt, x < y)
SIMT_COMPARE(le, x <= y)
SIMT_COMPARE(gt, x > y)
SIMT_COMPARE(ge, x >= y)
SIMT_COMPARE(equ, !(x < y || x > y))
SIMT_COMPARE(neu, x != y)
SIMT_COMPARE(ltu, !(x >= y))
SIMT_COMPARE(leu, !(x > y))
SIMT_COMPARE(gtu, !(x <= y))
SIMT_COMPARE(geu, !(x < y))
#undef SIMT_COMPARE

/* ------------------------------------------------------------- functions */

/* Rounded once, from a double: x is the operand. The result is the number nearest to the function's
 * value; a NaN has no sign. */
SIMT_BOTH SIMT_T simt_result(double v, SIMT_T *)
{
    return v != v ? SIMT_T::simt_of(SIMT_FORMAT.nan) : SIMT_T(v);
}
#ifdef __CUDA__
#define SIMT_FUNCTION(name, expression)                                                            \
    SIMT_DEVICE SIMT_T h##name(SIMT_T a)                                                           \
    {                                                                                              \
        double x = (float)a;                                                                       \
        return simt_result(expression, (SIMT_T *)0);                                               \
    }                                                                                              \
    SIMT_DEVICE SIMT_T2 h2##name(SIMT_T2 a) { return SIMT_T2(h##name(a.x), h##name(a.y)); }

SIMT_FUNCTION(sqrt, ::sqrt(x))
SIMT_FUNCTION(rsqrt, ::rsqrt(x))
SIMT_FUNCTION(rcp, 1.0 / x)
SIMT_FUNCTION(exp, ::exp(x))
SIMT_FUNCTION(exp2, ::exp2(x))
SIMT_FUNCTION(exp10, ::exp10(x))
SIMT_FUNCTION(log, ::log(x))
SIMT_FUNCTION(log2, ::log2(x))
SIMT_FUNCTION(log10, ::log10(x))
SIMT_FUNCTION(sin, ::sin(x))
SIMT_FUNCTION(cos, ::cos(x))
SIMT_FUNCTION(tanh, ::tanh(x))
SIMT_FUNCTION(ceil, ::ceil(x))
SIMT_FUNCTION(floor, ::floor(x))
SIMT_FUNCTION(rint, ::rint(x))
SIMT_FUNCTION(trunc, ::trunc(x))
#undef SIMT_FUNCTION

#if SIMT_ARCH >= SIMT_SUMS_SINCE
SIMT_DEVICE SIMT_T htanh_approx(SIMT_T a)
{
    unsigned short result;
    asm("tanh.approx." SIMT_PTX " %0, %1;" : "=h"(result) : "h"(a.__x));
    return SIMT_T::simt_of(result);
}
SIMT_DEVICE SIMT_T2 h2tanh_approx(SIMT_T2 a)
{
    unsigned int result;
    asm("tanh.approx." SIMT_PTX "x2 %0, %1;" : "=r"(result) : "r"(a.simt_bits()));
    return SIMT_T2::simt_of(result);
}
#else
SIMT_DEVICE SIMT_T htanh_approx(SIMT_T a)
{
    float result;
    asm("tanh.approx.f32 %0, %1;" : "=f"(result) : "f"((float)a));
    return SIMT_T(result);
}
SIMT_DEVICE SIMT_T2 h2tanh_approx(SIMT_T2 a)
{
    return SIMT_T2(htanh_approx(a.x), htanh_approx(a.y));
}
#endif
#endif

SIMT_BOTH SIMT_T __hdiv(SIMT_T a, SIMT_T b)
{
    return simt_result((double)(float)a / (double)(float)b, (SIMT_T *)0);
}
SIMT_BOTH SIMT_T2 __h2div(SIMT_T2 a, SIMT_T2 b)
{
    return SIMT_T2(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}

/* ------------------------------------------------------------- operators */

#define SIMT_OPERATOR(op, function, function2)                                                     \
    SIMT_BOTH SIMT_T operator op(const SIMT_T &a, const SIMT_T &b) { return function(a, b); }      \
    SIMT_BOTH SIMT_T &operator op##=(SIMT_T &a, const SIMT_T &b) { return a = function(a, b); }    \
    SIMT_BOTH SIMT_T2 operator op(const SIMT_T2 &a, const SIMT_T2 &b) { return function2(a, b); }  \
    SIMT_BOTH SIMT_T2 &operator op##=(SIMT_T2 &a, const SIMT_T2 &b) { return a = function2(a, b); }
SIMT_OPERATOR(+, __hadd, __hadd2)
SIMT_OPERATOR(-, __hsub, __hsub2)
SIMT_OPERATOR(*, __hmul, __hmul2)
SIMT_OPERATOR(/, __hdiv, __h2div)
#undef SIMT_OPERATOR

#define SIMT_STEP(op, plain, type, one)                                                            \
    SIMT_BOTH type &operator op(type &a) { return a = a plain one; }                               \
    SIMT_BOTH type operator op(type &a, int)                                                       \
    {                                                                                              \
        type before = a;                                                                           \
        a = a plain one;                                                                           \
        return before;                                                                             \
    }
#define SIMT_ONES SIMT_T2(SIMT_T(1.0f), SIMT_T(1.0f))
SIMT_STEP(++, +, SIMT_T, SIMT_T(1.0f))
SIMT_STEP(--, -, SIMT_T, SIMT_T(1.0f))
SIMT_STEP(++, +, SIMT_T2, SIMT_ONES)
SIMT_STEP(--, -, SIMT_T2, SIMT_ONES)
#undef SIMT_STEP
#undef SIMT_ONES
SIMT_BOTH SIMT_T operator+(const SIMT_T &a) { return a; }
SIMT_BOTH SIMT_T operator-(const SIMT_T &a) { return __hneg(a); }
SIMT_BOTH SIMT_T2 operator+(const SIMT_T2 &a) { return a; }
SIMT_BOTH SIMT_T2 operator-(const SIMT_T2 &a) { return __hneg2(a); }

/* Of pairs: whether it holds for both. */
#define SIMT_OPERATOR(op, word)                                                                    \
    SIMT_BOTH bool operator op(const SIMT_T &a, const SIMT_T &b) { return __h##word(a, b); }       \
    SIMT_BOTH bool operator op(const SIMT_T2 &a, const SIMT_T2 &b) { return __hb##word##2(a, b); }
SIMT_OPERATOR(==, eq)
SIMT_OPERATOR(!=, neu)
SIMT_OPERATOR(<, lt)
SIMT_OPERATOR(<=, le)
SIMT_OPERATOR(>, gt)
SIMT_OPERATOR(>=, ge)
#undef SIMT_OPERATOR

#undef SIMT_ASM_2
#undef SIMT_ASM_3
#undef SIMT_BITS
#undef SIMT_BITS2
#undef SIMT_BINARY
#undef SIMT_ROUNDED
#undef SIMT_TERNARY

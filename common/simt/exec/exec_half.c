/* exec_half.c - arithmetic on half (f16) and bfloat (bf16) values and on pairs of them (x2).
 * Each lane is computed in double, where products of 16-bit formats are exact and sums of two
 * values exact or far from a tie, and rounded once to the result's format. */
#include "exec/exec.h"
#include "exec/exec_types.h"
#include "exec/exec_values.h"

#include <math.h>

static inline f64 read_f16(u16 a) { return f32_of_half(a); }

static inline u16 write_f16(f64 a) { return nearest_half_of_f64(a); }

static inline f64 read_bf16(u16 a) { return f32_of_bfloat(a); }

static inline u16 write_bf16(f64 a) { return bfloat_of_f64(a, ROUND_NEAREST); }

static inline f64 least(f64 a, f64 b)
{
    return a < b ? a : b < a ? b : a != a ? b : b != b ? a : signbit(a) ? a : b;
}

static inline f64 greatest(f64 a, f64 b)
{
    return a > b ? a : b > a ? b : a != a ? b : b != b ? a : signbit(a) ? b : a;
}

/* The sign of a * b on a magnitude. */
static inline f64 xor_sign(f64 magnitude, f64 a, f64 b)
{
    return !signbit(a) != !signbit(b) ? -magnitude : magnitude;
}

/* a + b for a product that may itself be a tie of bf16, and a value far below it: what the double
 * loses stays in its last bit (rounding to odd), so that the second rounding sees it. */
static inline f64 sum_to_odd(f64 a, f64 b)
{
    f64 sum = a + b, part = sum - a;
    f64 lost = (a - (sum - part)) + (b - part);
    u64 bits = bits_of_f64(sum);
    bool exact = !(lost < 0 || lost > 0); /* infinities and NaNs are */
    return exact || bits & 1 ? sum : f64_of_bits((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

/* tanh.approx as an H200 gives it: cut off, not rounded; below 129/2^15 the operand itself, from 8
 * on 1. Of the 65,536 operands of f16, 48 give a neighbour of the card's result; of bf16's, 2. */
static inline f64 tanh_approx(f64 a, bool is_half)
{
    f64 magnitude = fabs(a);
    if (!(magnitude >= 129 * 0x1p-15)) {
        return a;
    }
    f64 t = magnitude >= 8 ? 1 : tanh(magnitude);
    return copysign(is_half ? (f64)f32_of_half(half_of_f64(t, ROUND_ZERO))
                            : (f64)f32_of_bfloat(bfloat_of_f64(t, ROUND_ZERO)),
                    a);
}

static inline f64 modified(f64 a, uint32_t flags)
{
    return flags & INSN_SAT ? (a > 0 ? (a < 1 ? a : 1) : 0) : a;
}

static inline u16 flushed(u16 a, u16 exponent_bits, uint32_t flags)
{
    return flags & INSN_FTZ && (a & exponent_bits) == 0 ? a & 0x8000u : a;
}

/* Negative becomes +0; a NaN stays one. */
#define RELU(a)                                                                                    \
    ({                                                                                             \
        f64 r = a;                                                                                 \
        r <= 0 ? 0 : r;                                                                            \
    })

/* The NaN that a tensor copy puts outside of an array (exec_tensor.c); fma.oob takes it for zero.
 */
static inline bool is_out_of_bounds(u16 a) { return a == 0x7ff7; }

#define EXPONENT_f16  0x7c00u
#define EXPONENT_bf16 0x7f80u

#define ONE_VALUE(F, expression, a16, b16, c16)                                                    \
    ({                                                                                             \
        f64 a = read_##F(flushed((u16)(a16), EXPONENT_##F, in->flags));                            \
        f64 b = read_##F(flushed((u16)(b16), EXPONENT_##F, in->flags));                            \
        f64 c = read_##F(flushed((u16)(c16), EXPONENT_##F, in->flags));                            \
        const bool is_half = EXPONENT_##F == EXPONENT_f16;                                         \
        const bool oob = is_out_of_bounds((u16)(a16)) || is_out_of_bounds((u16)(b16)) ||           \
                         is_out_of_bounds((u16)(c16));                                             \
        (void)is_half;                                                                             \
        (void)oob;                                                                                 \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        (u32) flushed(write_##F(modified(expression, in->flags)), EXPONENT_##F, in->flags);        \
    })

#define FORMAT(name, F, expression)                                                                \
    HANDLER(name##_##F)                                                                            \
    {                                                                                              \
        u32 *d = warp_ref(w, in->d);                                                               \
        const u32 *ra = warp_ref(w, in->a), *rb = warp_ref(w, in->b), *rc = warp_ref(w, in->c);    \
        WRITE_LANES(u32, d, ONE_VALUE(F, expression, ra[i], rb[i], rc[i]));                        \
        return in + 1;                                                                             \
    }                                                                                              \
    HANDLER(name##_##F##x2)                                                                        \
    {                                                                                              \
        u32 *d = warp_ref(w, in->d);                                                               \
        const u32 *ra = warp_ref(w, in->a), *rb = warp_ref(w, in->b), *rc = warp_ref(w, in->c);    \
        WRITE_LANES(u32, d,                                                                        \
                    ONE_VALUE(F, expression, ra[i], rb[i], rc[i]) |                                \
                        ONE_VALUE(F, expression, ra[i] >> 16, rb[i] >> 16, rc[i] >> 16) << 16);    \
        return in + 1;                                                                             \
    }

/* HALF(name, expression): a, b, c are doubles. */
#define HALF_ROWS                                                                                  \
    HALF(add, a + b)                                                                               \
    HALF(sub, a - b)                                                                               \
    HALF(mul, a *b)                                                                                \
    HALF(fma, sum_to_odd(a *b, c))                                                                 \
    HALF(fmsub, sum_to_odd(a *b, -c))                                                              \
    HALF(fnmadd, sum_to_odd(-a *b, c))                                                             \
    HALF(fma_relu, RELU(sum_to_odd(a *b, c)))                                                      \
    HALF(fma_oob, oob ? 0 : sum_to_odd(a *b, c))                                                   \
    HALF(fma_oob_relu, oob ? 0 : RELU(sum_to_odd(a *b, c)))                                        \
    HALF(neg, -a)                                                                                  \
    HALF(abs, fabs(a))                                                                             \
    HALF(min, least(a, b))                                                                         \
    HALF(max, greatest(a, b))                                                                      \
    HALF(min_nan, a != a || b != b ? (f64)NAN : least(a, b))                                       \
    HALF(max_nan, a != a || b != b ? (f64)NAN : greatest(a, b))                                    \
    HALF(min_xorsign, xor_sign(least(fabs(a), fabs(b)), a, b))                                     \
    HALF(max_xorsign, xor_sign(greatest(fabs(a), fabs(b)), a, b))                                  \
    HALF(min_nan_xorsign, a != a || b != b ? (f64)NAN : xor_sign(least(fabs(a), fabs(b)), a, b))   \
    HALF(max_nan_xorsign,                                                                          \
         a != a || b != b ? (f64)NAN : xor_sign(greatest(fabs(a), fabs(b)), a, b))                 \
    HALF(ex2, exp2(a))                                                                             \
    HALF(tanh, tanh_approx(a, is_half))

#define HALF(name, expression) FORMAT(name, f16, expression) FORMAT(name, bf16, expression)
HALF_ROWS
#undef HALF

#define HALF(name, expression)                                                                     \
    WORK_ROW(name##_f16), WORK_ROW(name##_f16x2), WORK_ROW(name##_bf16), WORK_ROW(name##_bf16x2),
const struct handler exec_half_table[] = {HALF_ROWS{0}};

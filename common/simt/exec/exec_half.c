/* exec_half.c - arithmetic on half (f16) and bfloat (bf16) values and on pairs of them (x2).
 * Each lane is computed in double, where products of 16-bit formats are exact and sums of two
 * values exact or far from a tie, and rounded once to the result's format: all 32 lanes to odd
 * floats first, then all of them to 16 bits. Each of these loops is vector code, where one loop for
 * both was not: fma of a warp takes a tenth of the instructions. */
#include "common/gpu/special.h"
#include "exec/exec.h"
#include "exec/exec_round.h"
#include "exec/exec_types.h"
#include "exec/exec_values.h"

#include <math.h>

/* Subnormals become zeros, with .ftz. */
static inline u16 flushed(u16 a, u16 exponent_bits, uint32_t flags)
{
    return flags & INSN_FTZ && (a & exponent_bits) == 0 ? a & 0x8000u : a;
}

#define EXPONENT_f16  0x7c00u
#define EXPONENT_bf16 0x7f80u

/* An operand of all lanes, 16 bits of each from bit `shift` on. */
struct operand {
    alignas(64) f32 value[WARP_LANES];
};

/* What an operation computes with; `ra` and `rb` are the registers themselves. */
struct operands {
    struct operand a, b, c;
    const u32 *ra, *rb;
    unsigned shift;
    bool is_half;
};

/* An operation on all lanes, whose results are odd floats. It is one function for both formats and
 * for pairs: a compiler would take seconds for one of each. */
struct operation {
    void (*lanes)(f32 odd[WARP_LANES], const struct operands *o);
    unsigned operands;
};

static inline void read_f16(struct operand *o, const u32 *ra, unsigned shift, uint32_t flags)
{
#if defined __AVX512F__
    const __m512i exponent = _mm512_set1_epi32(EXPONENT_f16), sign = _mm512_set1_epi32(0x8000);
    for (unsigned i = 0; i < WARP_LANES; i += 16) {
        __m512i a = _mm512_srli_epi32(_mm512_loadu_si512(ra + i), shift);
        if (flags & INSN_FTZ) {
            a = _mm512_mask_and_epi32(a, _mm512_testn_epi32_mask(a, exponent), a, sign);
        }
        _mm512_store_ps(o->value + i, _mm512_cvtph_ps(_mm512_cvtepi32_epi16(a)));
    }
#else
    LANES { o->value[i] = f32_of_half(flushed((u16)(ra[i] >> shift), EXPONENT_f16, flags)); }
#endif
}

static inline void read_bf16(struct operand *o, const u32 *ra, unsigned shift, uint32_t flags)
{
    LANES { o->value[i] = f32_of_bfloat(flushed((u16)(ra[i] >> shift), EXPONENT_bf16, flags)); }
}

/* Where neither is below the other: of a number and a NaN the number, of equal ones `equal`. */
static inline f64 number_of(f64 a, f64 b, f64 equal) { return a != a ? b : b != b ? a : equal; }

static inline f64 by_sign(f64 a, f64 minus, f64 plus) { return signbit(a) ? minus : plus; }

static inline f64 least(f64 a, f64 b)
{
    return a < b ? a : b < a ? b : number_of(a, b, by_sign(a, a, b));
}

static inline f64 greatest(f64 a, f64 b)
{
    return a > b ? a : b > a ? b : number_of(a, b, by_sign(a, b, a));
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

/* Results of the special function unit are cut off, not rounded; only ex2's can be too large. */
static inline f64 cut_off(f32 result, bool is_half)
{
    if (is_half && result >= 0x1p16f) {
        return INFINITY;
    }
    return is_half ? (f64)f32_of_half(half_of_f64(result, ROUND_ZERO))
                   : (f64)f32_of_bfloat(bfloat_of_f64(result, ROUND_ZERO));
}

/* Negative becomes +0; a NaN stays one. */
#define RELU(a)                                                                                    \
    ({                                                                                             \
        f64 r = a;                                                                                 \
        r <= 0 ? 0 : r;                                                                            \
    })

/* The NaN that a tensor copy puts outside of an array (exec_tensor.c), of either sign: fma.oob
 * takes a factor that is one for zero, and the summand with it. */
static inline bool is_out_of_bounds(u32 a) { return (a & 0x7fff) == 0x7ff7; }

/* .sat: a float that is rounded to odd lies on the same side of 0 and 1 as what it stands for. */
static void saturate(f32 odd[WARP_LANES])
{
    LANES { odd[i] = odd[i] > 0 ? (odd[i] < 1 ? odd[i] : 1) : 0; }
}

static void flush(struct rounded *r, u16 exponent_bits)
{
    LANES { r->bits[i] = flushed((u16)r->bits[i], exponent_bits, INSN_FTZ); }
}

/* Results for the upper or the lower halves of registers; then handlers for one and for both. */
#define FORMAT(F)                                                                                  \
    static void results_##F(struct rounded *result, const struct warp *w, const struct insn *in,   \
                            const struct operation *operation, unsigned shift)                     \
    {                                                                                              \
        struct operands o;                                                                         \
        alignas(64) f32 odd[WARP_LANES];                                                           \
        o.ra = warp_ref(w, in->a);                                                                 \
        o.rb = warp_ref(w, in->b);                                                                 \
        o.shift = shift;                                                                           \
        o.is_half = EXPONENT_##F == EXPONENT_f16;                                                  \
        read_##F(&o.a, o.ra, shift, in->flags);                                                    \
        if (operation->operands > 1) {                                                             \
            read_##F(&o.b, o.rb, shift, in->flags);                                                \
        }                                                                                          \
        if (operation->operands > 2) {                                                             \
            read_##F(&o.c, warp_ref(w, in->c), shift, in->flags);                                  \
        }                                                                                          \
        operation->lanes(odd, &o);                                                                 \
        if (in->flags & INSN_SAT) {                                                                \
            saturate(odd);                                                                         \
        }                                                                                          \
        round_##F(result, odd);                                                                    \
        if (in->flags & INSN_FTZ) {                                                                \
            flush(result, EXPONENT_##F);                                                           \
        }                                                                                          \
    }                                                                                              \
    static const struct insn *one_##F(struct warp *w, const struct insn *in,                       \
                                      const struct operation *operation)                           \
    {                                                                                              \
        u32 *d = warp_ref(w, in->d);                                                               \
        struct rounded r;                                                                          \
        results_##F(&r, w, in, operation, 0);                                                      \
        WRITE_LANES(u32, d, r.bits[i]);                                                            \
        return in + 1;                                                                             \
    }                                                                                              \
    static const struct insn *both_##F(struct warp *w, const struct insn *in,                      \
                                       const struct operation *operation)                          \
    {                                                                                              \
        u32 *d = warp_ref(w, in->d);                                                               \
        struct rounded low, high;                                                                  \
        results_##F(&low, w, in, operation, 0);                                                    \
        results_##F(&high, w, in, operation, 16);                                                  \
        WRITE_LANES(u32, d, low.bits[i] | high.bits[i] << 16);                                     \
        return in + 1;                                                                             \
    }
FORMAT(f16)
FORMAT(bf16)

/* HALF(name, operands, expression): a, b, c are doubles. */
#define HALF_ROWS                                                                                  \
    HALF(add, 2, a + b)                                                                            \
    HALF(sub, 2, a - b)                                                                            \
    HALF(mul, 2, a *b)                                                                             \
    HALF(fma, 3, sum_to_odd(a *b, c))                                                              \
    HALF(fmsub, 3, sum_to_odd(a *b, -c))                                                           \
    HALF(fnmadd, 3, sum_to_odd(-a *b, c))                                                          \
    HALF(fma_relu, 3, RELU(sum_to_odd(a *b, c)))                                                   \
    HALF(fma_oob, 3, oob ? 0 : sum_to_odd(a *b, c))                                                \
    HALF(fma_oob_relu, 3, oob ? 0 : RELU(sum_to_odd(a *b, c)))                                     \
    HALF(neg, 1, -a)                                                                               \
    HALF(abs, 1, fabs(a))                                                                          \
    HALF(min, 2, least(a, b))                                                                      \
    HALF(max, 2, greatest(a, b))                                                                   \
    HALF(min_nan, 2, a != a || b != b ? (f64)NAN : least(a, b))                                    \
    HALF(max_nan, 2, a != a || b != b ? (f64)NAN : greatest(a, b))                                 \
    HALF(min_xorsign, 2, xor_sign(least(fabs(a), fabs(b)), a, b))                                  \
    HALF(max_xorsign, 2, xor_sign(greatest(fabs(a), fabs(b)), a, b))                               \
    HALF(min_nan_xorsign, 2,                                                                       \
         a != a || b != b ? (f64)NAN : xor_sign(least(fabs(a), fabs(b)), a, b))                    \
    HALF(max_nan_xorsign, 2,                                                                       \
         a != a || b != b ? (f64)NAN : xor_sign(greatest(fabs(a), fabs(b)), a, b))                 \
    HALF(ex2, 1, cut_off(special_ex2((f32)a), is_half))                                            \
    HALF(tanh, 1, cut_off(special_tanh((f32)a), is_half))

#define HALF(name, count, expression)                                                              \
    static void lanes_##name(f32 odd[WARP_LANES], const struct operands *o)                        \
    {                                                                                              \
        const u32 *ra = o->ra, *rb = o->rb;                                                        \
        const unsigned shift = o->shift;                                                           \
        const bool is_half = o->is_half;                                                           \
        (void)is_half;                                                                             \
        LANES                                                                                      \
        {                                                                                          \
            const f64 a = o->a.value[i], b = o->b.value[i], c = o->c.value[i];                     \
            const bool oob = is_out_of_bounds(ra[i] >> shift) || is_out_of_bounds(rb[i] >> shift); \
            (void)oob;                                                                             \
            (void)b;                                                                               \
            (void)c;                                                                               \
            odd[i] = odd_f32_of_f64(expression);                                                   \
        }                                                                                          \
    }                                                                                              \
    static const struct operation half_##name = {lanes_##name, count};                             \
    HANDLER(name##_f16) { return one_f16(w, in, &half_##name); }                                   \
    HANDLER(name##_f16x2) { return both_f16(w, in, &half_##name); }                                \
    HANDLER(name##_bf16) { return one_bf16(w, in, &half_##name); }                                 \
    HANDLER(name##_bf16x2) { return both_bf16(w, in, &half_##name); }
HALF_ROWS
#undef HALF

#define HALF(name, count, expression)                                                              \
    WORK_ROW(name##_f16), WORK_ROW(name##_f16x2), WORK_ROW(name##_bf16), WORK_ROW(name##_bf16x2),
const struct handler exec_half_table[] = {HALF_ROWS{0}};

/* exec_float.c - float and double arithmetic, comparisons are in exec_logic.c. Rows:
 * exec_float.def.
 *
 * What rounds in a direction is computed by exec_directed.h. A float result that is a NaN is the
 * canonical 0x7fffffff, as the PTX manual says for .f32; doubles keep a payload. */
#include "common/gpu/special.h"
#include "exec/exec.h"
#include "exec/exec_directed.h"
#include "exec/exec_types.h"
#include "exec/exec_values.h"

#include <math.h>

#define ABSOLUTE(a)    _Generic((a), f32 : __builtin_fabsf, f64 : __builtin_fabs)(a)
#define SQUARE_ROOT(a) _Generic((a), f32 : __builtin_sqrtf, f64 : __builtin_sqrt)(a)
/* A float's from special.h; what stands for double is an expression. */
#define UNIT(name, of_double) _Generic((a), f32 : special_##name((f32)a), f64 : (of_double))
#define UNIT2(name, of_double)                                                                     \
    _Generic((a), f32 : special_##name((f32)a, (f32)b), f64 : (of_double))
#define FUSED(a, b, c) _Generic((a), f32 : __builtin_fmaf, f64 : __builtin_fma)(a, b, c)
#define NOT_A_NUMBER   ((T)__builtin_nanf(""))
#define PREFER(x, y)   (x != x ? x : y)

/* A NaN loses to a number, and -0 is below +0; equal values may still differ in their sign. */
#define MINIMUM(a, b)           (a < b ? a : b < a ? b : NUMBER_OF(a, b, BY_SIGN(a, a, b)))
#define MAXIMUM(a, b)           (a > b ? a : b > a ? b : NUMBER_OF(a, b, BY_SIGN(a, b, a)))
#define NUMBER_OF(a, b, equal)  (a != a ? b : b != b ? a : (equal))
#define BY_SIGN(a, minus, plus) (SIGN_BIT(a) ? minus : plus)
#define SIGN_BIT(a)             _Generic((a), f32 : sign_f32, f64 : sign_f64)(a)

#define MAGNITUDE(a) (SIGN_BIT(a) ? -(a) : (a))
/* The sign of a * b on a magnitude. */
#define XOR_SIGN(magnitude, a, b) (SIGN_BIT(a) != SIGN_BIT(b) ? -(magnitude) : (magnitude))

static inline bool sign_f32(f32 a) { return bits_of_f32(a) >> 31; }

static inline bool sign_f64(f64 a) { return bits_of_f64(a) >> 63; }

static inline f32 result_f32(f32 a, f32 payload)
{
    (void)payload;
    return a == a ? a : f32_of_bits(0x7fffffffu);
}

/* A NaN operand comes through quiet, with its sign: also through neg and abs. A new one, as of
 * infinity less infinity, is negative on a GPU, as it is on x86; on ARM it would be positive. */
static inline f64 result_f64(f64 a, f64 payload)
{
    f64 nan = f64_of_bits(payload == payload ? NEW_NAN_F64 : bits_of_f64(payload) | (u64)1 << 51);
    return a == a ? a : nan;
}

static inline f32 input_f32(f32 a, bool ftz) { return ftz ? flush_f32(a) : a; }

static inline f64 input_f64(f64 a, bool ftz)
{
    (void)ftz; /* of doubles only the special function unit's instructions have it */
    return a;
}

static inline f32 finish_f32(f32 a, f32 payload, bool ftz, bool sat)
{
    a = ftz ? flush_f32(a) : a;
    if (sat) {
        a = a > 0 ? (a < 1 ? a : 1) : 0; /* as saturated() does */
    }
    return result_f32(a, payload);
}

/* .ftz: the special function unit has its own NaN. */
static inline f64 finish_f64(f64 a, f64 payload, bool ftz, bool sat)
{
    if (ftz) {
        return a;
    }
    return sat ? saturated(a) : result_f64(a, payload);
}

/* One fast handler and one that honours modifiers, for a type; ra, rb, rc: storage of operands.
 * BEFORE: what is done first, if the instruction names a direction. */
#define PAIR(name, F, OPERANDS, READ, READ_MODIFIED, expression, payload, BEFORE)                  \
    HANDLER(name##_##F)                                                                            \
    {                                                                                              \
        typedef F T;                                                                               \
        (void)(T)0;                                                                                \
        F *d = warp_ref(w, in->d);                                                                 \
        OPERANDS(F)                                                                                \
        WRITE_LANES(F, d, ({ READ(F) result_##F(expression, payload); }));                         \
        return in + 1;                                                                             \
    }                                                                                              \
    HANDLER(name##_##F##_mod)                                                                      \
    {                                                                                              \
        typedef F T;                                                                               \
        (void)(T)0;                                                                                \
        F *d = warp_ref(w, in->d);                                                                 \
        OPERANDS(F)                                                                                \
        const bool ftz = in->flags & INSN_FTZ, sat = in->flags & INSN_SAT;                         \
        BEFORE                                                                                     \
        WRITE_LANES_SELDOM(F, d, ({                                                                \
                               READ_MODIFIED(F)                                                    \
                               finish_##F(expression, payload, ftz, sat);                          \
                           }));                                                                    \
        return in + 1;                                                                             \
    }

/* The operands as they are computed with, and their results, which then only have to be finished.
 */
#define DIRECTION(name, F, READ_MODIFIED, B, C, payload)                                           \
    if (insn_rounding(in) != ROUND_NEAREST) {                                                      \
        _Alignas(64) F rounded[WARP_LANES];                                                        \
        directed_##name##_##F(rounded, INPUT_##F(ra), INPUT_##F(B), INPUT_##F(C),                  \
                              insn_rounding(in));                                                  \
        WRITE_LANES_SELDOM(F, d, ({                                                                \
                               READ_MODIFIED(F)                                                    \
                               finish_##F(rounded[i], payload, ftz, sat);                          \
                           }));                                                                    \
        return in + 1;                                                                             \
    }
#define INPUT_f64(lanes) lanes
#define INPUT_f32(lanes) (ftz ? flush_lanes(lanes, (f32[WARP_LANES]){0}) : lanes)

static const f32 *flush_lanes(const f32 *lanes, f32 flushed[WARP_LANES])
{
    LANES { flushed[i] = flush_f32(lanes[i]); }
    return flushed;
}

#define OPERANDS1(F) const F *ra = warp_ref(w, in->a);
#define OPERANDS2(F) OPERANDS1(F) const F *rb = warp_ref(w, in->b);
#define OPERANDS3(F) OPERANDS2(F) const F *rc = warp_ref(w, in->c);
#define READ1(F)     F a = ra[i];
#define READ2(F)     READ1(F) F b = rb[i];
#define READ3(F)     READ2(F) F c = rc[i];
#define MODIFIED1(F) F a = input_##F(ra[i], ftz);
#define MODIFIED2(F) MODIFIED1(F) F b = input_##F(rb[i], ftz);
#define MODIFIED3(F) MODIFIED2(F) F c = input_##F(rc[i], ftz);

#define FLOAT1(name, expression)                                                                   \
    PAIR(name, f32, OPERANDS1, READ1, MODIFIED1, expression, a, )                                  \
    PAIR(name, f64, OPERANDS1, READ1, MODIFIED1, expression, a, )
#define FLOAT2(name, expression, payload)                                                          \
    PAIR(name, f32, OPERANDS2, READ2, MODIFIED2, expression, payload, )                            \
    PAIR(name, f64, OPERANDS2, READ2, MODIFIED2, expression, payload, )
#define DIRECTED1(name, F, expression)                                                             \
    DIRECTED(name, F, expression)                                                                  \
    PAIR(name, F, OPERANDS1, READ1, MODIFIED1, expression, a,                                      \
         DIRECTION(name, F, MODIFIED1, ra, ra, a))
#define DIRECTED2(name, F, expression, payload)                                                    \
    DIRECTED(name, F, expression)                                                                  \
    PAIR(name, F, OPERANDS2, READ2, MODIFIED2, expression, payload,                                \
         DIRECTION(name, F, MODIFIED2, rb, rb, payload))
#define DIRECTED3(name, F, expression, payload)                                                    \
    DIRECTED(name, F, expression)                                                                  \
    PAIR(name, F, OPERANDS3, READ3, MODIFIED3, expression, payload,                                \
         DIRECTION(name, F, MODIFIED3, rb, rc, payload))
#define ROUNDED1(name, expression)                                                                 \
    DIRECTED1(name, f32, expression)                                                               \
    DIRECTED1(name, f64, expression)
#define ROUNDED2(name, expression, payload)                                                        \
    DIRECTED2(name, f32, expression, payload)                                                      \
    DIRECTED2(name, f64, expression, payload)
#define ROUNDED3(name, expression, payload)                                                        \
    DIRECTED3(name, f32, expression, payload)                                                      \
    DIRECTED3(name, f64, expression, payload)
#include "exec/exec_float.def"
#undef FLOAT1
#undef FLOAT2
#undef ROUNDED1
#undef ROUNDED2
#undef ROUNDED3

/* copysign touches the sign bit alone: a NaN keeps its payload. */
#define SIGN(name, R, expression)                                                                  \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        R *d = warp_ref(w, in->d);                                                                 \
        const R *ra = warp_ref(w, in->a), *rb = warp_ref(w, in->b);                                \
        (void)rb;                                                                                  \
        WRITE_LANES(R, d, (expression));                                                           \
        return in + 1;                                                                             \
    }
#define TOP(R) ((R)1 << (8 * sizeof(R) - 1))
SIGN(copysign_f32, u32, (ra[i] & TOP(u32)) | (rb[i] & ~TOP(u32)))
SIGN(copysign_f64, u64, (ra[i] & TOP(u64)) | (rb[i] & ~TOP(u64)))

#define FOUR(name)                                                                                 \
    WORK_ROW(name##_f32), WORK_ROW(name##_f64), ROUNDING_ROW(name##_f32_mod),                      \
        ROUNDING_ROW(name##_f64_mod),
#define FLOAT1(name, expression)            FOUR(name)
#define FLOAT2(name, expression, payload)   FOUR(name)
#define ROUNDED1(name, expression)          FOUR(name)
#define ROUNDED2(name, expression, payload) FOUR(name)
#define ROUNDED3(name, expression, payload) FOUR(name)
HANDLER_TABLE(float) = {
#include "exec/exec_float.def"
    WORK_ROW(copysign_f32), WORK_ROW(copysign_f64), {0}};

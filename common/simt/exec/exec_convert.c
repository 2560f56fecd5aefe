/* exec_convert.c - cvt: every pair of scalar types. Values outside the range of an integer result
 * are clamped when they come from a float (always) or when .sat is given. */
#include "exec/exec.h"
#include "exec/exec_round.h"
#include "exec/exec_rounding.h"
#include "exec/exec_types.h"
#include "exec/exec_values.h"

#include <limits.h>
#include <math.h>

/* --- integer to integer: cvt_u8_s32; _sat clamps -------------------------------------------- */

#define LEAST_u8  0
#define LEAST_u16 0
#define LEAST_u32 0
#define LEAST_u64 0
#define LEAST_s8  INT8_MIN
#define LEAST_s16 INT16_MIN
#define LEAST_s32 INT32_MIN
#define LEAST_s64 INT64_MIN
#define MOST_u8   UINT8_MAX
#define MOST_u16  UINT16_MAX
#define MOST_u32  UINT32_MAX
#define MOST_u64  UINT64_MAX
#define MOST_s8   INT8_MAX
#define MOST_s16  INT16_MAX
#define MOST_s32  INT32_MAX
#define MOST_s64  INT64_MAX

/* Storage of a result: narrower integers are extended to the 32 bits of a register's lane. */
typedef u32 store_u8, store_u16, store_u32, store_s8, store_s16, store_s32;
typedef u64 store_u64, store_s64;

#define INT_TO_INT(D, S)                                                                           \
    HANDLER(cvt_##D##_##S)                                                                         \
    {                                                                                              \
        store_##D *d = warp_ref(w, in->d);                                                         \
        const store_##S *ra = warp_ref(w, in->a);                                                  \
        WRITE_LANES(store_##D, d, (D)(S)ra[i]);                                                    \
        return in + 1;                                                                             \
    }                                                                                              \
    HANDLER(cvt_sat_##D##_##S)                                                                     \
    {                                                                                              \
        store_##D *d = warp_ref(w, in->d);                                                         \
        const store_##S *ra = warp_ref(w, in->a);                                                  \
        WRITE_LANES_SELDOM(store_##D, d, ({                                                        \
                               __int128 a = (S)ra[i];                                              \
                               (D)(a < LEAST_##D ? LEAST_##D : a > MOST_##D ? MOST_##D : a);       \
                           }));                                                                    \
        return in + 1;                                                                             \
    }

static inline f64 clamped(f64 a, const struct insn *in)
{
    return in->flags & INSN_SAT ? saturated(a) : a;
}

/* --- integer to float ------------------------------------------------------------------------ */

#define INT_TO_FLOAT(D, S)                                                                         \
    HANDLER(cvt_##D##_##S)                                                                         \
    {                                                                                              \
        D *d = warp_ref(w, in->d);                                                                 \
        const store_##S *ra = warp_ref(w, in->a);                                                  \
        const unsigned rounding = insn_rounding(in);                                               \
        round_as(rounding);                                                                        \
        if (in->flags & INSN_SAT) {                                                                \
            WRITE_LANES_SELDOM(D, d, (D)clamped((D)(S)ra[i], in));                                 \
        } else { /* vector code: a fifth of the time */                                            \
            WRITE_LANES(D, d, (D)(S)ra[i]);                                                        \
        }                                                                                          \
        round_as_usual(rounding);                                                                  \
        return in + 1;                                                                             \
    }

/* --- float to integer ------------------------------------------------------------------------ */

static inline f64 round_f64(f64 a, unsigned rounding)
{
    if (rounding == ROUND_NEAREST) {
        return rint(a);
    }
    if (rounding == ROUND_ZERO) {
        return trunc(a);
    }
    return rounding == ROUND_DOWN ? floor(a) : ceil(a);
}

#define CLAMPED(D, a) (a <= (f64)LEAST_##D ? LEAST_##D : a >= (f64)MOST_##D ? MOST_##D : (D)a)

/* The bounds are exact doubles: 2^63 and 2^64 are the first values that no longer fit. */
#define ROUNDED(D, a, rounding)                                                                    \
    ({                                                                                             \
        f64 rounded = round_f64(a, rounding);                                                      \
        rounded != rounded ? NAN_AS_##D : CLAMPED(D, rounded);                                     \
    })

#define FLOAT_TO_INT(D, S)                                                                         \
    HANDLER(cvt_##D##_##S)                                                                         \
    {                                                                                              \
        store_##D *d = warp_ref(w, in->d);                                                         \
        const S *ra = warp_ref(w, in->a);                                                          \
        const unsigned rounding = insn_rounding(in);                                               \
        const bool ftz = in->flags & INSN_FTZ;                                                     \
        WRITE_LANES_SELDOM(store_##D, d, ({                                                        \
                               f64 a = ftz ? flush_f32((f32)ra[i]) : ra[i];                        \
                               (D) ROUNDED(D, a, rounding);                                        \
                           }));                                                                    \
        return in + 1;                                                                             \
    }

/* What a NaN becomes: 0 from a float to 32 bits or fewer, else the sign bit, as H200 hardware
 * does (the PTX manual defines only the first). */
#define NAN_AS_u8  (sizeof(ra[0]) == 8 ? (u8)1 << 7 : 0)
#define NAN_AS_s8  (sizeof(ra[0]) == 8 ? INT8_MIN : 0)
#define NAN_AS_u16 (sizeof(ra[0]) == 8 ? (u16)1 << 15 : 0)
#define NAN_AS_s16 (sizeof(ra[0]) == 8 ? INT16_MIN : 0)
#define NAN_AS_u32 (sizeof(ra[0]) == 8 ? (u32)1 << 31 : 0u)
#define NAN_AS_s32 (sizeof(ra[0]) == 8 ? INT32_MIN : 0)
#define NAN_AS_u64 ((u64)1 << 63)
#define NAN_AS_s64 INT64_MIN

/* The most common one, in vector code: truncation of a float to an int. */
HANDLER(cvt_rzi_s32_f32)
{
    u32 *d = warp_ref(w, in->d);
    const f32 *ra = warp_ref(w, in->a);
    WRITE_LANES(u32, d, ({
                    f32 a = ra[i];
                    bool inside = a > -2147483648.0f && a < 2147483648.0f;
                    s32 value = (s32)(inside ? a : 0);
                    inside || a != a ? value : a > 0 ? INT32_MAX : INT32_MIN;
                }));
    return in + 1;
}

#define FROM_INTEGERS(ROW, D)                                                                      \
    ROW(D, u8) ROW(D, u16) ROW(D, u32) ROW(D, u64) ROW(D, s8) ROW(D, s16) ROW(D, s32) ROW(D, s64)
#define TO_INTEGERS(ROW)                                                                           \
    FROM_INTEGERS(ROW, u8)                                                                         \
    FROM_INTEGERS(ROW, u16)                                                                        \
    FROM_INTEGERS(ROW, u32)                                                                        \
    FROM_INTEGERS(ROW, u64)                                                                        \
    FROM_INTEGERS(ROW, s8)                                                                         \
    FROM_INTEGERS(ROW, s16)                                                                        \
    FROM_INTEGERS(ROW, s32)                                                                        \
    FROM_INTEGERS(ROW, s64)
#define FROM_FLOATS(ROW)                                                                           \
    ROW(u8, f32)                                                                                   \
    ROW(u16, f32)                                                                                  \
    ROW(u32, f32)                                                                                  \
    ROW(u64, f32)                                                                                  \
    ROW(s8, f32)                                                                                   \
    ROW(s16, f32)                                                                                  \
    ROW(s32, f32)                                                                                  \
    ROW(s64, f32) ROW(u8, f64) ROW(u16, f64) ROW(u32, f64) ROW(u64, f64) ROW(s8, f64)              \
        ROW(s16, f64) ROW(s32, f64) ROW(s64, f64)
TO_INTEGERS(INT_TO_INT)
FROM_INTEGERS(INT_TO_FLOAT, f32)
FROM_INTEGERS(INT_TO_FLOAT, f64)
FROM_FLOATS(FLOAT_TO_INT)

/* --- float to float -------------------------------------------------------------------------- */

static inline f32 canonical(f32 a) { return a == a ? a : f32_of_bits(0x7fffffffu); }

HANDLER(cvt_f64_f32)
{
    f64 *d = warp_ref(w, in->d);
    const f32 *ra = warp_ref(w, in->a);
    const bool ftz = in->flags & INSN_FTZ;
    WRITE_LANES(f64, d, clamped(ftz ? canonical(flush_f32(ra[i])) : ra[i], in));
    return in + 1;
}

/* A NaN keeps the upper bits of its payload; .ftz looks at the value before it is rounded. */
HANDLER(cvt_f32_f64)
{
    f32 *d = warp_ref(w, in->d);
    const f64 *ra = warp_ref(w, in->a);
    const bool ftz = in->flags & INSN_FTZ;
    const unsigned rounding = insn_rounding(in);
    round_as(rounding);
    WRITE_LANES(f32, d, ({
                    f64 a = clamped(ra[i], in);
                    ftz &&fabs(a) < 0x1p-126 ? copysignf(0, (f32)a) : (f32)a;
                }));
    round_as_usual(rounding);
    return in + 1;
}

/* Same type: rounds to an integral value when in->conversion says so, else only .ftz and .sat. Each
 * step is a loop of its own, which is vector code: a choice for each lane is not. */
#define INTEGRAL(F, suffix)                                                                        \
    static void integral_##F(F a[WARP_LANES], unsigned rounding)                                   \
    {                                                                                              \
        switch (rounding) {                                                                        \
        case ROUND_NEAREST:                                                                        \
            LANES { a[i] = rint##suffix(a[i]); }                                                   \
            break;                                                                                 \
        case ROUND_ZERO:                                                                           \
            LANES { a[i] = trunc##suffix(a[i]); }                                                  \
            break;                                                                                 \
        case ROUND_DOWN:                                                                           \
            LANES { a[i] = floor##suffix(a[i]); }                                                  \
            break;                                                                                 \
        default:                                                                                   \
            LANES { a[i] = ceil##suffix(a[i]); }                                                   \
        }                                                                                          \
    }
INTEGRAL(f32, f)
INTEGRAL(f64, )

HANDLER(cvt_f32_f32)
{
    f32 *d = warp_ref(w, in->d);
    const f32 *ra = warp_ref(w, in->a);
    alignas(64) f32 a[WARP_LANES];
    LANES { a[i] = ra[i]; }
    if (in->flags & INSN_FTZ) {
        LANES { a[i] = flush_f32(a[i]); }
    }
    if (in->conversion) {
        integral_f32(a, insn_rounding(in));
    }
    if (in->flags & INSN_SAT) {
        LANES { a[i] = (f32)saturated(a[i]); }
    }
    WRITE_LANES(f32, d, canonical(a[i]));
    return in + 1;
}

HANDLER(cvt_f64_f64)
{
    f64 *d = warp_ref(w, in->d);
    const f64 *ra = warp_ref(w, in->a);
    alignas(64) f64 a[WARP_LANES];
    LANES { a[i] = ra[i]; }
    if (in->conversion) {
        integral_f64(a, insn_rounding(in));
    }
    if (in->flags & INSN_SAT) {
        LANES { a[i] = saturated(a[i]); }
    }
    WRITE_LANES(f64, d, a[i]);
    return in + 1;
}

/* --- 16-bit floats --------------------------------------------------------------------------- */

/* The 53 highest bits, the last of them standing for all below it, so that rounding to fewer bits
 * gives what rounding the whole integer would. */
static inline f64 odd_f64(u64 a)
{
    return a >> 53 == 0 ? (f64)a : (f64)(a >> 11 | ((a & 0x7ffu) != 0)) * 0x1p11;
}

#define READ_f16(x)  ((f64)f32_of_half((u16)(x)))
#define READ_bf16(x) ((f64)f32_of_bfloat((u16)(x)))
#define READ_f32(x)  ((f64)(in->flags & INSN_FTZ ? flush_f32(x) : (x)))
#define READ_f64(x)  (x)
#define READ_u8(x)   ((f64)(u8)(x))
#define READ_u16(x)  ((f64)(u16)(x))
#define READ_u32(x)  ((f64)(u32)(x))
#define READ_u64(x)  odd_f64(x)
#define READ_s8(x)   ((f64)(s8)(x))
#define READ_s16(x)  ((f64)(s16)(x))
#define READ_s32(x)  ((f64)(s32)(x))
#define READ_s64(x)  ((s64)(x) < 0 ? -odd_f64(0 - (u64)(x)) : odd_f64(x))
typedef u32 store_f16, store_bf16;
typedef f32 store_f32;
typedef f64 store_f64;

/* in->conversion: rounds to an integral value, or makes negative values +0. */
/* .satfinite */
static inline u16 largest_for_infinity(u16 bits, u16 infinity, const struct insn *in)
{
    return in->flags & INSN_FINITE && (bits & 0x7fffu) == infinity ? (u16)(bits - 1) : bits;
}
#define HALF_RESULT(a, rounding)                                                                   \
    largest_for_infinity((rounding) == ROUND_NEAREST ? nearest_half_of_f64(a)                      \
                                                     : half_of_f64(a, rounding),                   \
                         half_format.infinity, in)
#define BFLOAT_RESULT(a, rounding)                                                                 \
    largest_for_infinity(bfloat_of_f64(a, rounding), bfloat_format.infinity, in)

/* What most conversions do, in two loops of vector code: see exec_round.h. */
static inline bool rounds_at_once(const struct insn *in)
{
    return insn_rounding(in) == ROUND_NEAREST && in->conversion == CONVERT_PLAIN &&
           (in->flags & (INSN_SAT | INSN_FTZ | INSN_FINITE)) == 0;
}

#define ROUNDED_AT_ONCE(D, READ, ra)                                                               \
    ({                                                                                             \
        alignas(64) f32 odd[WARP_LANES];                                                           \
        struct rounded result;                                                                     \
        LANES { odd[i] = odd_f32_of_f64(READ((ra)[i])); }                                          \
        round_##D(&result, odd);                                                                   \
        result;                                                                                    \
    })

#define TO_SMALL(D, S, convert)                                                                    \
    HANDLER(cvt_##D##_##S)                                                                         \
    {                                                                                              \
        u32 *d = warp_ref(w, in->d);                                                               \
        const store_##S *ra = warp_ref(w, in->a);                                                  \
        const unsigned rounding = insn_rounding(in);                                               \
        if (rounds_at_once(in) && sizeof(ra[0]) != 8) {                                            \
            const struct rounded r = ROUNDED_AT_ONCE(D, READ_##S, ra);                             \
            WRITE_LANES(u32, d, r.bits[i]);                                                        \
            return in + 1;                                                                         \
        }                                                                                          \
        WRITE_LANES_SELDOM(                                                                        \
            u32, d, ({                                                                             \
                f64 a = clamped(READ_##S(ra[i]), in);                                              \
                a = in->conversion == CONVERT_INTEGRAL ? round_f64(a, rounding) : a;               \
                a = in->conversion == CONVERT_RELU && a <= 0 ? 0 : a;                              \
                a != a && sizeof(ra[0]) == 8 ? D##_of_nan(a) : convert(a, rounding);               \
            }));                                                                                   \
        return in + 1;                                                                             \
    }
#define TO_HALF(S)   TO_SMALL(f16, S, HALF_RESULT)
#define TO_BFLOAT(S) TO_SMALL(bf16, S, BFLOAT_RESULT)
#define SMALL_SOURCES(ROW)                                                                         \
    ROW(f16)                                                                                       \
    ROW(bf16)                                                                                      \
    ROW(f32) ROW(f64) ROW(u8) ROW(u16) ROW(u32) ROW(u64) ROW(s8) ROW(s16) ROW(s32) ROW(s64)
SMALL_SOURCES(TO_HALF)
SMALL_SOURCES(TO_BFLOAT)

#define FROM_SMALL(D, S)                                                                           \
    HANDLER(cvt_##D##_##S)                                                                         \
    {                                                                                              \
        store_##D *d = warp_ref(w, in->d);                                                         \
        const u32 *ra = warp_ref(w, in->a);                                                        \
        const unsigned rounding = insn_rounding(in);                                               \
        WRITE_LANES_SELDOM(store_##D, d, ({                                                        \
                               f64 a = READ_##S(ra[i]);                                            \
                               SMALL_RESULT_##D(a, rounding);                                      \
                           }));                                                                    \
        return in + 1;                                                                             \
    }
#define SMALL_INT(D, a, rounding) ((D)ROUNDED(D, a, rounding))
#define SMALL_RESULT_u8(a, r)     SMALL_INT(u8, a, r)
#define SMALL_RESULT_u16(a, r)    SMALL_INT(u16, a, r)
#define SMALL_RESULT_u32(a, r)    SMALL_INT(u32, a, r)
#define SMALL_RESULT_u64(a, r)    SMALL_INT(u64, a, r)
#define SMALL_RESULT_s8(a, r)     SMALL_INT(s8, a, r)
#define SMALL_RESULT_s16(a, r)    SMALL_INT(s16, a, r)
#define SMALL_RESULT_s32(a, r)    SMALL_INT(s32, a, r)
#define SMALL_RESULT_s64(a, r)    SMALL_INT(s64, a, r)
#define SMALL_RESULT_f32(a, r)    ((void)(r), canonical((f32)clamped(a, in)))
#define SMALL_RESULT_f64(a, r)    ((void)(r), clamped(a, in))
#define SMALL_RESULTS(ROW, S)                                                                      \
    ROW(u8, S)                                                                                     \
    ROW(u16, S) ROW(u32, S) ROW(u64, S) ROW(s8, S) ROW(s16, S) ROW(s32, S) ROW(s64, S) ROW(f64, S)
SMALL_RESULTS(FROM_SMALL, f16)
SMALL_RESULTS(FROM_SMALL, bf16)
FROM_SMALL(f32, f16)

/* A bfloat is the upper half of a float; only .ftz makes its NaN the canonical one. */
HANDLER(cvt_f32_bf16)
{
    f32 *d = warp_ref(w, in->d);
    const u32 *ra = warp_ref(w, in->a);
    const bool ftz = in->flags & INSN_FTZ;
    WRITE_LANES(f32, d, ({
                    f32 a = f32_of_bfloat((u16)ra[i]);
                    a = ftz ? canonical(flush_f32(a)) : a;
                    in->flags &INSN_SAT ? (f32)clamped(a, in) : a;
                }));
    return in + 1;
}

/* cvt.rn.f16x2.f32 d, a, b: a goes to the upper half. */
#define PACK(name, D, convert)                                                                     \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        u32 *d = warp_ref(w, in->d);                                                               \
        const f32 *ra = warp_ref(w, in->a), *rb = warp_ref(w, in->b);                              \
        const unsigned rounding = insn_rounding(in);                                               \
        if (rounds_at_once(in)) {                                                                  \
            const struct rounded high = ROUNDED_AT_ONCE(D, (f64), ra);                             \
            const struct rounded low = ROUNDED_AT_ONCE(D, (f64), rb);                              \
            WRITE_LANES(u32, d, high.bits[i] << 16 | low.bits[i]);                                 \
            return in + 1;                                                                         \
        }                                                                                          \
        const bool relu = in->conversion;                                                          \
        WRITE_LANES_SELDOM(u32, d, ({                                                              \
                               f64 high = clamped(READ_f32(ra[i]), in);                            \
                               f64 low = clamped(READ_f32(rb[i]), in);                             \
                               high = relu && high <= 0 ? 0 : high;                                \
                               low = relu && low <= 0 ? 0 : low;                                   \
                               (u32) convert(high, rounding) << 16 | convert(low, rounding);       \
                           }));                                                                    \
        return in + 1;                                                                             \
    }
PACK(cvt_f16x2_f32, f16, HALF_RESULT)
PACK(cvt_bf16x2_f32, bf16, BFLOAT_RESULT)

/* 10 bits of fraction. cvt.rna (in->literal 1): ties away from zero, a NaN loses its low bits. */
static inline u32 tf32_of_f32(u32 a, bool away, unsigned rounding, bool relu)
{
    u32 magnitude = a & 0x7fffffffu;
    u32 half = away ? 0x1000u : rounding == ROUND_NEAREST ? 0xfffu + (a >> 13 & 1) : 0;
    if (magnitude > 0x7f800000u && !away) {
        return 0x7fffe000u;
    }
    if (relu && a >> 31) {
        return 0;
    }
    return (magnitude < 0x7f800000u ? a + half : a) & 0xffffe000u;
}

HANDLER(cvt_tf32_f32)
{
    u32 *d = warp_ref(w, in->d);
    const u32 *ra = warp_ref(w, in->a);
    const unsigned rounding = insn_rounding(in);
    const bool away = in->literal, relu = in->conversion == CONVERT_RELU;
    const bool finite = in->flags & INSN_FINITE; /* an H200 steps down from NaNs, too */
    WRITE_LANES(u32, d, ({
                    u32 bits = tf32_of_f32(ra[i], away, rounding, relu);
                    finite && (bits & 0x7f800000u) == 0x7f800000u ? bits - 0x2000u : bits;
                }));
    return in + 1;
}

#define ROW_OF(D, S)     WORK_ROW(cvt_##D##_##S),
#define SAT_ROW_OF(D, S) WORK_ROW(cvt_sat_##D##_##S),
#define FLOAT_ROW(D, S)  ROUNDING_ROW(cvt_##D##_##S),
#define HALF_ROW(S)      ROW_OF(f16, S)
#define BFLOAT_ROW(S)    ROW_OF(bf16, S)
#define EVERY_ROW                                                                                  \
    TO_INTEGERS(ROW_OF)                                                                            \
    TO_INTEGERS(SAT_ROW_OF)                                                                        \
    FROM_INTEGERS(FLOAT_ROW, f32)                                                                  \
    FROM_INTEGERS(FLOAT_ROW, f64)                                                                  \
    FROM_FLOATS(ROW_OF)                                                                            \
    SMALL_SOURCES(HALF_ROW)                                                                        \
    SMALL_SOURCES(BFLOAT_ROW)                                                                      \
    SMALL_RESULTS(ROW_OF, f16)                                                                     \
    SMALL_RESULTS(ROW_OF, bf16)
HANDLER_TABLE(convert) = {EVERY_ROW WORK_ROW(cvt_f32_f16),
                          WORK_ROW(cvt_f32_bf16),
                          ROUNDING_ROW(cvt_f32_f64),
                          WORK_ROW(cvt_f64_f32),
                          WORK_ROW(cvt_f32_f32),
                          WORK_ROW(cvt_f64_f64),
                          WORK_ROW(cvt_f16x2_f32),
                          WORK_ROW(cvt_bf16x2_f32),
                          WORK_ROW(cvt_tf32_f32),
                          WORK_ROW(cvt_rzi_s32_f32),
                          {0}};

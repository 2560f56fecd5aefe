/* exec_logic.c - comparisons, predicates, selection. A predicate is a lane mask, so logic on
 * predicates is logic on one word, and a comparison turns 32 lanes into 32 bits. */
#include "exec/exec.h"
#include "exec/exec_mask.h"
#include "exec/exec_types.h"
#include "exec/exec_values.h"

/* setp.CMP.BOOL p|q, a, b, c: p = (a CMP b) BOOL c, q = !(a CMP b) BOOL c. in->d is p, in->c is q
 * (or NO_REF), in->e is c (or NO_REF), in->combine says which BOOL. */
enum { BOOL_AND, BOOL_OR, BOOL_XOR };

static lane_mask combine(lane_mask a, lane_mask b, unsigned how)
{
    return how == BOOL_AND ? a & b : how == BOOL_OR ? a | b : a ^ b;
}

APART const struct insn *finish_combined(struct warp *w, const struct insn *in, lane_mask m)
{
    const lane_mask c = read_predicate(w, in->e, in->flags & INSN_C_NEGATED);
    write_predicate(w, in->d, combine(m, c, in->combine));
    write_predicate(w, in->c, combine(~m, c, in->combine));
    return in + 1;
}

static inline const struct insn *finish_compare(struct warp *w, const struct insn *in, lane_mask m)
{
    if (in->e != NO_REF) {
        return finish_combined(w, in, m);
    }
    write_predicate(w, in->d, m);
    write_predicate(w, in->c, ~m);
    return in + 1;
}

#define COMPARE(name, R, READ, condition)                                                          \
    HANDLER(setp_##name)                                                                           \
    {                                                                                              \
        const R *ra = warp_ref(w, in->a), *rb = warp_ref(w, in->b);                                \
        _Alignas(64) s32 answers[WARP_LANES];                                                      \
        LANES { READ answers[i] = (condition) ? -1 : 0; }                                          \
        return finish_compare(w, in, mask_of_answers(answers));                                    \
    }

#define AS(T)                                                                                      \
    T a = (T)ra[i];                                                                                \
    T b = (T)rb[i];
#define FLUSHED                                                                                    \
    f32 a = flush_f32(ra[i]);                                                                      \
    f32 b = flush_f32(rb[i]);
#define ORDERED (a == a && b == b)

#define EQUALITY_ROWS(ROW, type, R, READ)                                                          \
    ROW(eq_##type, R, READ, a == b) ROW(ne_##type, R, READ, a != b)
#define ORDER_ROWS(ROW, type, R, READ)                                                             \
    ROW(lt_##type, R, READ, a < b)                                                                 \
    ROW(le_##type, R, READ, a <= b)                                                                \
    ROW(gt_##type, R, READ, a > b)                                                                 \
    ROW(ge_##type, R, READ, a >= b)
/* Ordered comparisons are false with a NaN, the ...u forms are true. */
#define FLOAT_ROWS(ROW, type, R, READ)                                                             \
    ROW(eq_##type, R, READ, a == b)                                                                \
    ROW(ne_##type, R, READ, ORDERED &&a != b)                                                      \
    ORDER_ROWS(ROW, type, R, READ)                                                                 \
    ROW(equ_##type, R, READ, !(ORDERED && a != b))                                                 \
    ROW(neu_##type, R, READ, a != b)                                                               \
    ROW(ltu_##type, R, READ, !(a >= b))                                                            \
    ROW(leu_##type, R, READ, !(a > b))                                                             \
    ROW(gtu_##type, R, READ, !(a <= b))                                                            \
    ROW(geu_##type, R, READ, !(a < b))                                                             \
    ROW(num_##type, R, READ, ORDERED)                                                              \
    ROW(nan_##type, R, READ, !ORDERED)

#define COMPARE_ROWS(ROW)                                                                          \
    EQUALITY_ROWS(ROW, b16, u32, AS(u16))                                                          \
    EQUALITY_ROWS(ROW, b32, u32, AS(u32))                                                          \
    EQUALITY_ROWS(ROW, b64, u64, AS(u64))                                                          \
    ORDER_ROWS(ROW, u16, u32, AS(u16))                                                             \
    ORDER_ROWS(ROW, u32, u32, AS(u32))                                                             \
    ORDER_ROWS(ROW, u64, u64, AS(u64))                                                             \
    ORDER_ROWS(ROW, s16, u32, AS(s16))                                                             \
    ORDER_ROWS(ROW, s32, u32, AS(s32))                                                             \
    ORDER_ROWS(ROW, s64, u64, AS(s64))                                                             \
    FLOAT_ROWS(ROW, f32, f32, AS(f32))                                                             \
    FLOAT_ROWS(ROW, ftz_f32, f32, FLUSHED)                                                         \
    FLOAT_ROWS(ROW, f64, f64, AS(f64))
COMPARE_ROWS(COMPARE)

/* Halves and bfloats are compared as floats, each comparison by one function for all formats. */
#define COMPARE_FLOATS(name, R, READ, condition)                                                   \
    APART lane_mask compare_##name(const f32 *ra, const f32 *rb)                                   \
    {                                                                                              \
        _Alignas(64) s32 answers[WARP_LANES];                                                      \
        LANES { READ answers[i] = (condition) ? -1 : 0; }                                          \
        return mask_of_answers(answers);                                                           \
    }
FLOAT_ROWS(COMPARE_FLOATS, floats, f32, AS(f32))

APART void read_f16(f32 *a, const u32 *ra)
{
    LANES { a[i] = f32_of_half((u16)ra[i]); }
}

APART void read_ftz_f16(f32 *a, const u32 *ra)
{
    LANES { a[i] = f32_of_half((ra[i] & 0x7c00u) == 0 ? ra[i] & 0x8000u : (u16)ra[i]); }
}

APART void read_bf16(f32 *a, const u32 *ra)
{
    LANES { a[i] = f32_of_bfloat((u16)ra[i]); }
}

APART const struct insn *compare_small(struct warp *w, const struct insn *in,
                                       void (*read)(f32 *a, const u32 *ra),
                                       lane_mask (*compare)(const f32 *ra, const f32 *rb))
{
    _Alignas(64) f32 a[WARP_LANES], b[WARP_LANES];
    read(a, warp_ref(w, in->a));
    read(b, warp_ref(w, in->b));
    return finish_compare(w, in, compare(a, b));
}

#define COMPARE_SMALL(comparison, F)                                                               \
    HANDLER(setp_##comparison##_##F)                                                               \
    {                                                                                              \
        return compare_small(w, in, read_##F, compare_##comparison##_floats);                      \
    }
#define SMALL_ROWS(ROW, F)                                                                         \
    ROW(eq, F)                                                                                     \
    ROW(ne, F)                                                                                     \
    ROW(lt, F)                                                                                     \
    ROW(le, F)                                                                                     \
    ROW(gt, F)                                                                                     \
    ROW(ge, F)                                                                                     \
    ROW(equ, F)                                                                                    \
    ROW(neu, F)                                                                                    \
    ROW(ltu, F)                                                                                    \
    ROW(leu, F)                                                                                    \
    ROW(gtu, F)                                                                                    \
    ROW(geu, F)                                                                                    \
    ROW(num, F)                                                                                    \
    ROW(nan, F)
#define ALL_SMALL_ROWS(ROW) SMALL_ROWS(ROW, f16) SMALL_ROWS(ROW, ftz_f16) SMALL_ROWS(ROW, bf16)
ALL_SMALL_ROWS(COMPARE_SMALL)

#define TEST(name, R, T, condition)                                                                \
    HANDLER(testp_##name)                                                                          \
    {                                                                                              \
        const R *ra = warp_ref(w, in->a);                                                          \
        _Alignas(64) s32 answers[WARP_LANES];                                                      \
        LANES                                                                                      \
        {                                                                                          \
            T a = ra[i];                                                                           \
            answers[i] = (condition) ? -1 : 0;                                                     \
        }                                                                                          \
        write_predicate(w, in->d, mask_of_answers(answers));                                       \
        return in + 1;                                                                             \
    }
#define TEST_ROWS(ROW)                                                                             \
    ROW(finite_f32, f32, f32, __builtin_isfinite(a))                                               \
    ROW(infinite_f32, f32, f32, __builtin_isinf(a))                                                \
    ROW(number_f32, f32, f32, a == a)                                                              \
    ROW(notanumber_f32, f32, f32, a != a)                                                          \
    ROW(normal_f32, f32, f32, __builtin_isnormal(a) || a == 0)                                     \
    ROW(subnormal_f32, f32, f32, a != 0 && flush_f32(a) == 0)                                      \
    ROW(finite_f64, f64, f64, __builtin_isfinite(a))                                               \
    ROW(infinite_f64, f64, f64, __builtin_isinf(a))                                                \
    ROW(number_f64, f64, f64, a == a)                                                              \
    ROW(notanumber_f64, f64, f64, a != a)                                                          \
    ROW(normal_f64, f64, f64, __builtin_isnormal(a) || a == 0)                                     \
    ROW(subnormal_f64, f64, f64, __builtin_isfinite(a) && a != 0 && !__builtin_isnormal(a))
TEST_ROWS(TEST)

/* selp d, a, b, p: p is in->c. */
#define SELECT(name, R)                                                                            \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        R *d = warp_ref(w, in->d);                                                                 \
        const R *ra = warp_ref(w, in->a), *rb = warp_ref(w, in->b);                                \
        const lane_mask p = read_predicate(w, in->c, in->flags & INSN_C_NEGATED);                  \
        WRITE_LANES(R, d, LANE_ACTIVE(p) ? ra[i] : rb[i]);                                         \
        return in + 1;                                                                             \
    }
SELECT(selp_32, u32)
SELECT(selp_64, u64)

/* slct with a float selector: c >= 0, and -0 counts as 0; a NaN selects b. */
#define SELECT_FLOAT(name, R, READ)                                                                \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        R *d = warp_ref(w, in->d);                                                                 \
        const R *ra = warp_ref(w, in->a), *rb = warp_ref(w, in->b);                                \
        const f32 *rc = warp_ref(w, in->c);                                                        \
        WRITE_LANES(R, d, READ(rc[i]) >= 0 ? ra[i] : rb[i]);                                       \
        return in + 1;                                                                             \
    }
#define PLAIN(a) (a)
SELECT_FLOAT(slct_32_f32, u32, PLAIN)
SELECT_FLOAT(slct_64_f32, u64, PLAIN)
SELECT_FLOAT(slct_32_ftz_f32, u32, flush_f32)
SELECT_FLOAT(slct_64_ftz_f32, u64, flush_f32)

#define PREDICATE_LOGIC(name, expression)                                                          \
    HANDLER(name##_pred)                                                                           \
    {                                                                                              \
        lane_mask a = read_predicate(w, in->a, in->flags & INSN_A_NEGATED);                        \
        lane_mask b = read_predicate(w, in->b, in->flags & INSN_B_NEGATED);                        \
        (void)b;                                                                                   \
        write_predicate(w, in->d, expression);                                                     \
        return in + 1;                                                                             \
    }
PREDICATE_LOGIC(and, a &b)
PREDICATE_LOGIC(or, a | b)
PREDICATE_LOGIC(xor, a ^ b)
PREDICATE_LOGIC(not, ~a)
PREDICATE_LOGIC(mov, a)

#define COMPARE_OF(name, ...) WORK_ROW(setp_##name),
#define SMALL_OF(comparison, F) WORK_ROW(setp_##comparison##_##F),
#define TEST_OF(name, ...) WORK_ROW(testp_##name),
HANDLER_TABLE(logic) = {
    COMPARE_ROWS(COMPARE_OF) ALL_SMALL_ROWS(SMALL_OF) TEST_ROWS(TEST_OF) WORK_ROW(selp_32),
    WORK_ROW(selp_64),
    WORK_ROW(slct_32_f32),
    WORK_ROW(slct_64_f32),
    WORK_ROW(slct_32_ftz_f32),
    WORK_ROW(slct_64_ftz_f32),
    HANDLER_ROW(and_pred, WORK, QUIET, AND), /* one source may settle it */
    HANDLER_ROW(or_pred, WORK, QUIET, OR),
    WORK_ROW(xor_pred),
    WORK_ROW(not_pred),
    WORK_ROW(mov_pred),
    {0}};

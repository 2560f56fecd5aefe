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

static inline const struct insn *finish_compare(struct warp *w, const struct insn *in, lane_mask m)
{
    lane_mask inverse = ~m;
    if (in->e != NO_REF) {
        lane_mask c = read_predicate(w, in->e, in->flags & INSN_C_NEGATED);
        m = combine(m, c, in->combine);
        inverse = combine(inverse, c, in->combine);
    }
    write_predicate(w, in->d, m);
    write_predicate(w, in->c, inverse);
    return in + 1;
}

static inline f32 flushed_half(u16 half)
{
    return f32_of_half((half & 0x7c00u) == 0 ? half & 0x8000u : half);
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
#define FLUSHED_HALVES                                                                             \
    f32 a = flushed_half((u16)ra[i]);                                                              \
    f32 b = flushed_half((u16)rb[i]);
#define HALVES                                                                                     \
    f32 a = f32_of_half((u16)ra[i]);                                                               \
    f32 b = f32_of_half((u16)rb[i]);
#define BFLOATS                                                                                    \
    f32 a = f32_of_bfloat((u16)ra[i]);                                                             \
    f32 b = f32_of_bfloat((u16)rb[i]);
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
    FLOAT_ROWS(ROW, f64, f64, AS(f64))                                                             \
    FLOAT_ROWS(ROW, ftz_f16, u32, FLUSHED_HALVES)                                                  \
    FLOAT_ROWS(ROW, f16, u32, HALVES)                                                              \
    FLOAT_ROWS(ROW, bf16, u32, BFLOATS)
COMPARE_ROWS(COMPARE)

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
#define TEST_OF(name, ...) WORK_ROW(testp_##name),
HANDLER_TABLE(logic) = {
    COMPARE_ROWS(COMPARE_OF) TEST_ROWS(TEST_OF) WORK_ROW(selp_32),
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

/* exec_atomic.c - atom and red. On global memory they are atomic between worker threads (the C11
 * atomics of the compiler); a block's shared and local memory belongs to one thread.
 *
 * Operands: d the old value (NO_REF: red), a the address, b the operand, c the second one (cas:
 * b is compared, c is written). Lanes take their turn in ascending order. */
#include "exec/exec_address.h"
#include "exec/atomic_rounds.h"
#include "exec/exec_atomic.h"
#include "exec/exec_nearest.h"
#include "exec/exec_types.h"

#include <math.h>
#include <stdatomic.h>

/* The new value from the old one. x and y are the operands. */
#define ATOMIC_ROWS(ROW)                                                                           \
    ROW(add_u32, u32, old + x)                                                                     \
    ROW(add_u64, u64, old + x)                                                                     \
    ROW(add_f32, u32, sum_f32(old, x, space))                                                      \
    ROW(add_f64, u64, sum_f64(old, x, space))                                                      \
    ROW(add_f16, u16, nearest_half_of_f64((f64)f32_of_half(old) + f32_of_half(x)))                 \
    ROW(add_bf16, u16, nearest_bfloat_of_f64((f64)f32_of_bfloat(old) + f32_of_bfloat(x)))          \
    ROW(add_f16x2, u32, add_pairs(old, x, false))                                                  \
    ROW(add_bf16x2, u32, add_pairs(old, x, true))                                                  \
    ROW(min_u32, u32, x < old ? x : old)                                                           \
    ROW(min_u64, u64, x < old ? x : old)                                                           \
    ROW(min_s32, u32, (s32)x < (s32)old ? x : old)                                                 \
    ROW(min_s64, u64, (s64)x < (s64)old ? x : old)                                                 \
    ROW(max_u32, u32, x > old ? x : old)                                                           \
    ROW(max_u64, u64, x > old ? x : old)                                                           \
    ROW(max_s32, u32, (s32)x > (s32)old ? x : old)                                                 \
    ROW(max_s64, u64, (s64)x > (s64)old ? x : old)                                                 \
    ROW(inc_u32, u32, old >= x ? 0 : old + 1)                                                      \
    ROW(dec_u32, u32, old == 0 || old > x ? x : old - 1)                                           \
    ROW(and_b32, u32, old &x)                                                                      \
    ROW(and_b64, u64, old &x)                                                                      \
    ROW(or_b32, u32, old | x)                                                                      \
    ROW(or_b64, u64, old | x)                                                                      \
    ROW(xor_b32, u32, old ^ x)                                                                     \
    ROW(xor_b64, u64, old ^ x)                                                                     \
    ROW(exch_b32, u32, x)                                                                          \
    ROW(exch_b64, u64, x)                                                                          \
    ROW(cas_b16, u16, old == x ? y : old)                                                          \
    ROW(cas_b32, u32, old == x ? y : old)                                                          \
    ROW(cas_b64, u64, old == x ? y : old)

/* The units beside the caches add to global memory: subnormal floats are zeros there, and the NaN
 * of a double comes through as it is. Shared memory is added to by the ordinary instructions. */
static inline u32 sum_f32(u32 old, u32 x, enum ptx_space space)
{
    f32 a = f32_of_bits(old), b = f32_of_bits(x);
    f32 sum = space == PTX_GLOBAL ? flush_f32(flush_f32(a) + flush_f32(b)) : a + b;
    return sum == sum ? bits_of_f32(sum) : 0x7fffffffu;
}

static inline u64 bits_of_sum(f64 sum) { return sum == sum ? bits_of_f64(sum) : NEW_NAN_F64; }

static inline u64 sum_f64(u64 old, u64 x, enum ptx_space space)
{
    f64 a = f64_of_bits(old), b = f64_of_bits(x);
    if (space == PTX_GLOBAL) {
        return b != b ? x : a != a ? old : bits_of_sum(a + b);
    }
    u64 quiet = (u64)1 << 51;
    return a != a ? old | quiet : b != b ? x | quiet : bits_of_sum(a + b);
}

static u32 add_pairs(u32 a, u32 b, bool bfloat)
{
    u32 result = 0;
    for (unsigned shift = 0; shift < 32; shift += 16) {
        u16 x = (u16)(a >> shift), y = (u16)(b >> shift);
        u16 sum = bfloat ? nearest_bfloat_of_f64((f64)f32_of_bfloat(x) + f32_of_bfloat(y))
                         : nearest_half_of_f64((f64)f32_of_half(x) + f32_of_half(y));
        result |= (u32)sum << shift;
    }
    return result;
}

/* Memory that no other thread of the host has: a block's shared, a lane's local one. */
static inline bool is_own_memory(enum ptx_space space)
{
    return space == PTX_SHARED || space == PTX_LOCAL;
}

/* Replaces *p by the expression of its old value, which is returned. A locked instruction of this
 * machine takes 20 cycles for each lane, and only global memory is others', too. */
#define UPDATE(name, T, expression)                                                                \
    static inline T update_own_##name(T *p, T x, T y, enum ptx_space space, bool *changed)         \
    {                                                                                              \
        const T old = *p, next = expression;                                                       \
        (void)y;                                                                                   \
        (void)space;                                                                               \
        *p = next;                                                                                 \
        *changed |= old != next;                                                                   \
        return old;                                                                                \
    }                                                                                              \
    static T update_##name(T *p, T x, T y, enum ptx_space space, bool *changed)                    \
    {                                                                                              \
        T old = __atomic_load_n(p, __ATOMIC_RELAXED), next;                                        \
        (void)y;                                                                                   \
        if (is_own_memory(space)) {                                                                \
            return update_own_##name(p, x, y, space, changed);                                     \
        }                                                                                          \
        do {                                                                                       \
            next = expression;                                                                     \
        } while (!__atomic_compare_exchange_n(p, &old, next, true, __ATOMIC_SEQ_CST,               \
                                              __ATOMIC_RELAXED));                                  \
        *changed |= old != next;                                                                   \
        return old;                                                                                \
    }
ATOMIC_ROWS(UPDATE)

/* An atomic that changes nothing has only asked: a lock that is taken, a sum to which 0 is added.
 */
static void has_updated(struct warp *w, const struct insn *in, const struct reach *r,
                        enum ptx_space space, bool changed)
{
    if (!changed) {
        warp_asks(w, in, r->start, reach_lane(r, first_lane(w->active)), space == PTX_GLOBAL);
    }
    w->polled = true;
    w->did |= changed && space == PTX_GLOBAL ? DID_NEWS : 0;
}

/* The rounds in which lanes of the running instruction meant global memory, and in which some meant
 * shared memory; 1 where it is no loop. */
static _Thread_local struct {
    unsigned global, shared;
} rounds_in;

/* A generic atomic asks shared memory, too (decode_atomic.c). */
static void count_asking(struct warp *w, const struct insn *in)
{
    unsigned times = rounds_in.global > rounds_in.shared ? rounds_in.global - rounds_in.shared : 0;
    if (in->way == WAY_LOOP || in->way == WAY_LEAST) {
        times = rounds_in.global != 0 || rounds_in.shared != 0;
    }
    w->sites[in->site + 1].b += times * in->count_bytes;
}

static bool reach_atomic(struct warp *w, const struct insn *in, const uint64_t *address,
                         enum ptx_space space, struct reach *r)
{
    unsigned generic = in->space == PTX_GENERIC;
    w->fuel -= lanes_in(w->active); /* each lane works for itself: an endless loop ends in time */
    switch (space) {
    case PTX_SHARED:
        rounds_in.shared = 1;
        return exec_reach_shared(w, in, address, in->site + generic, SITE_SHARED_ATOM, r);
    case PTX_LOCAL:
        return exec_reach_local(w, in, address, in->site + 2 * generic, r);
    case PTX_PARAM:
        fault(w, in, first_lane(w->active), SIMT_ILLEGAL_ADDRESS,
              "atomic operation on a kernel parameter");
        return false;
    default:
        rounds_in.global = 1;
        return exec_reach_global(w, in, address, in->site,
                                 in->d == NO_REF && !generic ? SITE_GLOBAL_RED : SITE_GLOBAL_ATOM,
                                 r);
    }
}

/* A 16-bit operand lies in a 32-bit lane. */
typedef u32 lane_u16, lane_u32;
typedef u64 lane_u64;

/* The lanes of one instruction take their turn: with which values, and what came of it. */
struct turns {
    const void *b, *c;
    void *d; /* NULL: the old values are not read */
    const struct reach *reach;
    lane_mask lanes;
    enum ptx_space space;
    bool loop, changed;
    lane_mask unchanged; /* lanes whose update left the value as it was, where it is a loop */
};

/* Loops over the lanes. Most atomics of a histogram take the first one, which has half as many
 * instructions for each lane. */
struct atomic {
    void (*own)(struct turns *t);
    void (*any)(struct turns *t);
    u64 (*next)(u64 old, u64 x); /* what an update makes of an old value */
};

/* A loop, which is counted when it is done. */
static __attribute__((noinline)) void step_loop(struct warp *w, const struct insn *in,
                                                const struct atomic *a, struct turns *t)
{
    const unsigned generic = in->space == PTX_GENERIC, loads = in->site + (generic ? 3 : 1);
    struct atomic_loop loop = {.next = a->next, .reach = t->reach};
    if (in->way != WAY_LOOP) {
        atomic_loop_begins(w, in, &loop);
    }
    a->any(t);
    if (in->way == WAY_LOOP) {
        exec_reach_count_loop(w, in, in->site + generic, loads, t->reach, t->unchanged);
    } else if (in->way == WAY_LEAST) {
        atomic_count_least(&loop, &w->sites[in->site + generic], &w->sites[loads]);
    } else {
        const unsigned rounds = atomic_count_words(w, in, &loop, t->space);
        *(t->space == PTX_SHARED ? &rounds_in.shared : &rounds_in.global) = rounds;
    }
}

static bool step_by(struct warp *w, const struct insn *in, const uint64_t *address,
                    enum ptx_space space, const struct atomic *a)
{
    struct reach r;
    const void *const b = warp_ref(w, in->b);
    struct turns t = {.b = b,
                      .c = in->c != NO_REF ? warp_ref(w, in->c) : b,
                      .d = in->d != NO_REF ? warp_ref(w, in->d) : NULL,
                      .reach = &r,
                      .space = space,
                      .loop = in->way >= WAY_LOOP && space == PTX_SHARED};
    if (!reach_atomic(w, in, address, space, &r)) {
        return false;
    }
    t.lanes = w->active;
    if (t.loop || (in->way == WAY_WORDS && space == PTX_GLOBAL)) {
        step_loop(w, in, a, &t);
    } else {
        (is_own_memory(space) && r.host != NULL ? a->own : a->any)(&t);
    }
    has_updated(w, in, &r, space, t.changed);
    return true;
}

static const struct insn *run_atomic(struct warp *w, const struct insn *in, reach_step step)
{
    const uint64_t *address = exec_reach_addresses(w, in);
    bool good;
    if (in->space == PTX_GENERIC) {
        rounds_in.global = rounds_in.shared = 0;
        good = exec_reach_generic(w, in, address, step);
        count_asking(w, in);
    } else {
        good = step(w, in, address, (enum ptx_space)in->space);
    }
    warp_notice_frees(w);
    return good ? in + 1 : NULL;
}

#define ATOMIC(name, T, expression)                                                                \
    static void own_##name(struct turns *t)                                                        \
    {                                                                                              \
        const lane_##T *b = t->b, *c = t->c;                                                       \
        lane_##T *d = t->d;                                                                        \
        uint8_t *const host = t->reach->host;                                                      \
        const uint64_t *relative = t->reach->relative;                                             \
        const enum ptx_space space = t->space;                                                     \
        bool changed = false;                                                                      \
        for (lane_mask left = t->lanes; left != 0; left &= left - 1) {                             \
            unsigned i = first_lane(left);                                                         \
            T *p = (T *)(void *)(host + (int64_t)relative[i]);                                     \
            T old = update_own_##name(p, (T)b[i], (T)c[i], space, &changed);                       \
            if (d != NULL) {                                                                       \
                d[i] = old;                                                                        \
            }                                                                                      \
        }                                                                                          \
        t->changed = changed;                                                                      \
    }                                                                                              \
    static void any_##name(struct turns *t)                                                        \
    {                                                                                              \
        const lane_##T *b = t->b, *c = t->c;                                                       \
        lane_##T *d = t->d;                                                                        \
        for (lane_mask left = t->lanes; left != 0; left &= left - 1) {                             \
            unsigned i = first_lane(left);                                                         \
            T *p = (T *)(void *)reach_lane(t->reach, i);                                           \
            T old = update_##name(p, (T)b[i], (T)c[i], t->space, &t->changed);                     \
            if (d != NULL) {                                                                       \
                d[i] = old;                                                                        \
            }                                                                                      \
            t->unchanged |= (lane_mask)(t->loop && *p == old) << i;                                \
        }                                                                                          \
    }                                                                                              \
    static u64 next_##name(u64 before, u64 operand)                                                \
    {                                                                                              \
        const enum ptx_space space = PTX_SHARED;                                                   \
        const T old = (T)before, x = (T)operand, y = x;                                            \
        (void)space;                                                                               \
        (void)old;                                                                                 \
        (void)y;                                                                                   \
        return (T)(expression);                                                                    \
    }                                                                                              \
    static bool step_##name(struct warp *w, const struct insn *in, const uint64_t *address,        \
                            enum ptx_space space)                                                  \
    {                                                                                              \
        static const struct atomic a = {own_##name, any_##name, next_##name};                      \
        return step_by(w, in, address, space, &a);                                                 \
    }                                                                                              \
    HANDLER(atom_##name) { return run_atomic(w, in, step_##name); }
ATOMIC_ROWS(ATOMIC)

/* --- vectors of global memory: each element is an atomic of its own ----------------------------
 * b and d are rows of registers, in->elements of them one behind the other. */

static inline u16 least_half(u16 a, u16 b, bool bfloat, bool greatest)
{
    const f32 x = bfloat ? f32_of_bfloat(a) : f32_of_half(a);
    const f32 y = bfloat ? f32_of_bfloat(b) : f32_of_half(b);
    if (x != x || y != y) {
        return x == x ? a : y == y ? b : 0x7fff;
    }
    if (x < y || y < x) {
        return (x < y) != greatest ? a : b;
    }
    return (a >> 15 != 0) != greatest ? a : b; /* -0 is less than +0 */
}

static u32 least_pairs(u32 a, u32 b, bool bfloat, bool greatest)
{
    return (u32)least_half((u16)a, (u16)b, bfloat, greatest) |
           (u32)least_half((u16)(a >> 16), (u16)(b >> 16), bfloat, greatest) << 16;
}

#define VECTOR_ONLY_ROWS(ROW)                                                                      \
    ROW(min_f16, u16, least_half(old, x, false, false))                                            \
    ROW(max_f16, u16, least_half(old, x, false, true))                                             \
    ROW(min_bf16, u16, least_half(old, x, true, false))                                            \
    ROW(max_bf16, u16, least_half(old, x, true, true))                                             \
    ROW(min_f16x2, u32, least_pairs(old, x, false, false))                                         \
    ROW(max_f16x2, u32, least_pairs(old, x, false, true))                                          \
    ROW(min_bf16x2, u32, least_pairs(old, x, true, false))                                         \
    ROW(max_bf16x2, u32, least_pairs(old, x, true, true))
VECTOR_ONLY_ROWS(UPDATE)

#define VECTOR_ROWS(ROW)                                                                           \
    ROW(add_f32, u32, )                                                                            \
    ROW(add_f16, u16, )                                                                            \
    ROW(add_bf16, u16, )                                                                           \
    ROW(add_f16x2, u32, )                                                                          \
    ROW(add_bf16x2, u32, )                                                                         \
    VECTOR_ONLY_ROWS(ROW)

static bool is_global(struct warp *w, const struct insn *in, enum ptx_space space)
{
    if (space != PTX_GLOBAL) {
        fault(w, in, first_lane(w->active), SIMT_ILLEGAL_ADDRESS,
              "a vector atomic outside of global memory: other memory has none");
    }
    return space == PTX_GLOBAL;
}

#define VECTOR_ATOMIC(name, T, expression)                                                         \
    static bool step_v_##name(struct warp *w, const struct insn *in, const uint64_t *address,      \
                              enum ptx_space space)                                                \
    {                                                                                              \
        struct reach r;                                                                            \
        const u32 *b = warp_ref(w, in->b);                                                         \
        u32 *d = in->d != NO_REF ? warp_ref(w, in->d) : NULL;                                      \
        bool changed = false;                                                                      \
        if (!is_global(w, in, space) || !reach_atomic(w, in, address, space, &r)) {                \
            return false;                                                                          \
        }                                                                                          \
        for (lane_mask left = w->active; left != 0; left &= left - 1) {                            \
            unsigned i = first_lane(left);                                                         \
            T *p = (T *)(void *)reach_lane(&r, i);                                                 \
            for (unsigned e = 0; e < in->elements; e++) {                                          \
                T old = update_##name(p + e, (T)b[e * WARP_LANES + i], 0, space, &changed);        \
                if (d != NULL) {                                                                   \
                    d[e * WARP_LANES + i] = old;                                                   \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        has_updated(w, in, &r, space, changed);                                                    \
        return true;                                                                               \
    }                                                                                              \
    HANDLER(atom_v_##name) { return run_atomic(w, in, step_v_##name); }
VECTOR_ROWS(VECTOR_ATOMIC)

/* --- 16 bytes -----------------------------------------------------------------------------------
 * b, c and d are rows of two registers of 64 bits. Not every machine has a locked instruction for
 * them: on memory that others see, they take turns with each other. */

struct wide_value {
    u64 low, high;
};

static struct wide_value wide_at(const u64 *row, unsigned lane)
{
    return (struct wide_value){row[lane], row[WARP_LANES + lane]};
}

/* Replaces *p by `next` if it is `expected`, or by all means; returns what it was. */
static struct wide_value replace_wide(struct wide_value *p, const struct wide_value *expected,
                                      struct wide_value next, bool *changed)
{
    static atomic_flag turn = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set_explicit(&turn, memory_order_acquire)) {
    }
    const struct wide_value old = {__atomic_load_n(&p->low, __ATOMIC_RELAXED),
                                   __atomic_load_n(&p->high, __ATOMIC_RELAXED)};
    if (expected == NULL || (old.low == expected->low && old.high == expected->high)) {
        *changed |= old.low != next.low || old.high != next.high;
        __atomic_store_n(&p->low, next.low, __ATOMIC_RELAXED);
        __atomic_store_n(&p->high, next.high, __ATOMIC_RELAXED);
    }
    atomic_flag_clear_explicit(&turn, memory_order_release);
    return old;
}

static bool step_wide(struct warp *w, const struct insn *in, const uint64_t *address,
                      enum ptx_space space)
{
    struct reach r;
    const u64 *b = warp_ref(w, in->b), *c = in->c != NO_REF ? warp_ref(w, in->c) : NULL;
    u64 *d = warp_ref(w, in->d);
    bool changed = false;
    if (!reach_atomic(w, in, address, space, &r)) {
        return false;
    }
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        const unsigned i = first_lane(left);
        const struct wide_value first = wide_at(b, i), next = c != NULL ? wide_at(c, i) : first;
        const struct wide_value old = replace_wide((struct wide_value *)(void *)reach_lane(&r, i),
                                                   c != NULL ? &first : NULL, next, &changed);
        d[i] = old.low;
        d[WARP_LANES + i] = old.high;
    }
    has_updated(w, in, &r, space, changed);
    return true;
}

HANDLER(atom_b128) { return run_atomic(w, in, step_wide); }

/* --- for bulk reductions ---------------------------------------------------------------------- */

#define BULK_UPDATE_2 u16
#define BULK_UPDATE_4 u32
#define BULK_UPDATE_8 u64
#define BULK_UPDATE(name, bytes)                                                                   \
    void exec_update_##name(void *p, const void *x, enum ptx_space space)                          \
    {                                                                                              \
        BULK_UPDATE_##bytes value;                                                                 \
        memcpy(&value, x, sizeof value);                                                           \
        bool changed = false;                                                                      \
        update_##name(p, value, 0, space, &changed);                                               \
    }
REDUCTION_ROWS(BULK_UPDATE)

#define ROW_OF(name, T, expression)        HANDLER_ROW(atom_##name, WORK, ATOMIC, OPCODE),
#define VECTOR_ROW_OF(name, T, expression) HANDLER_ROW(atom_v_##name, WORK, ATOMIC, OPCODE),
const struct handler exec_atomic_table[] = {ATOMIC_ROWS(ROW_OF) VECTOR_ROWS(VECTOR_ROW_OF)
                                                HANDLER_ROW(atom_b128, WORK, ATOMIC, OPCODE),
                                            {0}};

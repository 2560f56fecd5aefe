/* host_fma.c - a product and sum of floats with one rounding, for a warp: WebAssembly has no
 * instruction for it, and host_fmaf() of host.h, lane by lane, takes most of a matrix product's
 * time.
 *
 * The product of two floats is exact as a double. The sum is rounded to a double, then to a float.
 * The second rounding can only go wrong where the first one ends halfway between two floats: where
 * the low 29 bits of the double are 1 and 28 zeros. Below the normal floats halfway lies elsewhere,
 * so each such result counts as doubtful, too; a result of zero is exact. Groups of 16 lanes with a
 * doubtful one are computed again by host_fmaf().
 *
 * The linker puts __wrap_exec_find() in the place of exec_find(), through which the decoder asks
 * for all handlers, so that no source of the simulator knows of this file. */
#include "exec/exec.h"

#include <string.h>
#include <wasm_simd128.h>

enum { GROUP = 16, GROUP_VECTORS = GROUP / 4 };

/* Of a group's lanes; the signs are those bits of a double, if that operand is negated. */
struct operands {
    const float *a, *b, *c;
    v128_t sign_a, sign_c;
};

/* Smallest values over a group's lanes, by which doubtful results are found. */
struct doubts {
    v128_t halfway; /* signed: INT32_MIN of a double that lies halfway */
    v128_t
        magnitude;  /* unsigned: twice a result's bits without its sign, less 1; zero comes last */
    v128_t numbers; /* all bits, unless a result is a NaN */
};

/* Two floats of memory as doubles, one load: shuffles of a vector's halves take longer. */
static inline v128_t two(const float *at, v128_t sign)
{
    return wasm_v128_xor(wasm_f64x2_promote_low_f32x4(wasm_v128_load64_zero(at)), sign);
}

static inline v128_t sums_of_two(const struct operands *o, unsigned i)
{
    return wasm_f64x2_add(wasm_f64x2_mul(two(o->a + i, o->sign_a), two(o->b + i, (v128_t){0})),
                          two(o->c + i, o->sign_c));
}

static inline v128_t fused_four(const struct operands *o, unsigned i, struct doubts *d)
{
    const v128_t low = sums_of_two(o, i), high = sums_of_two(o, i + 2);
    const v128_t tails = wasm_i32x4_shuffle(low, high, 0, 2, 4, 6);
    const v128_t sum = wasm_i32x4_shuffle(wasm_f32x4_demote_f64x2_zero(low),
                                          wasm_f32x4_demote_f64x2_zero(high), 0, 1, 4, 5);
    d->halfway = wasm_i32x4_min(d->halfway, wasm_i32x4_shl(tails, 3));
    d->magnitude = wasm_u32x4_min(
        d->magnitude, wasm_i32x4_sub(wasm_i32x4_add(sum, sum), wasm_i32x4_const_splat(1)));
    d->numbers = wasm_v128_and(d->numbers, wasm_f32x4_eq(sum, sum));
    return sum;
}

static inline bool doubtful(const struct doubts *d)
{
    const v128_t smallest_normal = wasm_i32x4_const_splat(0x00800000 * 2);
    const v128_t inexact =
        wasm_v128_or(wasm_i32x4_eq(d->halfway, wasm_i32x4_const_splat(INT32_MIN)),
                     wasm_u32x4_lt(d->magnitude, smallest_normal));
    return wasm_v128_any_true(wasm_v128_or(inexact, wasm_v128_not(d->numbers)));
}

static inline float with_sign(float a, bool negated) { return negated ? -a : a; }

/* Negated: the sign of a, or that of c, is turned around. */
static void fused_one_by_one(float *to, const float *a, const float *b, const float *c,
                             bool negated_a, bool negated_c)
{
    for (unsigned i = 0; i < GROUP; i++) {
        const float sum = host_fmaf(with_sign(a[i], negated_a), b[i], with_sign(c[i], negated_c));
        to[i] = sum == sum ? sum : __builtin_nanf("0x3fffff");
    }
}

/* `to` may be a, b or c: it is written last. */
static inline void fused_group(float *to, const float *a, const float *b, const float *c,
                               bool negated_a, bool negated_c)
{
    const struct operands o = {a, b, c, wasm_f64x2_splat(negated_a ? -0.0 : 0.0),
                               wasm_f64x2_splat(negated_c ? -0.0 : 0.0)};
    struct doubts d = {wasm_i32x4_const_splat(0), wasm_i32x4_const_splat(-1),
                       wasm_i32x4_const_splat(-1)};
    v128_t sums[GROUP_VECTORS];
#pragma clang loop unroll(full)
    for (unsigned v = 0; v < GROUP_VECTORS; v++) {
        sums[v] = fused_four(&o, 4 * v, &d);
    }
    if (doubtful(&d)) {
        fused_one_by_one(to, a, b, c, negated_a, negated_c);
        return;
    }
#pragma clang loop unroll(full)
    for (unsigned v = 0; v < GROUP_VECTORS; v++) {
        wasm_v128_store(to + 4 * v, sums[v]);
    }
}

static inline const struct insn *fused_warp(struct warp *w, const struct insn *in, bool negated_a,
                                            bool negated_c)
{
    const float *a = warp_ref(w, in->a), *b = warp_ref(w, in->b), *c = warp_ref(w, in->c);
    float *d = warp_ref(w, in->d), some[WARP_LANES];
    const bool all = w->active == FULL_MASK;
    float *to = all ? d : some;
    for (unsigned from = 0; from < WARP_LANES; from += GROUP) {
        fused_group(to + from, a + from, b + from, c + from, negated_a, negated_c);
    }
    for (unsigned i = 0; !all && i < WARP_LANES; i++) {
        d[i] = LANE_ACTIVE(w->active) ? some[i] : d[i];
    }
    return in + 1;
}

HANDLER(fma_f32) { return fused_warp(w, in, false, false); }
HANDLER(fmsub_f32) { return fused_warp(w, in, false, true); }
HANDLER(fnmadd_f32) { return fused_warp(w, in, true, false); }

const struct handler *__real_exec_find(const char *name);
const struct handler *__wrap_exec_find(const char *name);

const struct handler *__wrap_exec_find(const char *name)
{
    static const struct handler fused[] = {WORK_ROW(fma_f32), WORK_ROW(fmsub_f32),
                                           WORK_ROW(fnmadd_f32)};
    for (unsigned i = 0; i < ARRAY_LENGTH(fused); i++) {
        if (strcmp(name, fused[i].name) == 0) {
            return &fused[i];
        }
    }
    return __real_exec_find(name);
}

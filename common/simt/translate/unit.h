/* unit.h - what a translated kernel is made of: emit.c writes a text that includes this file, and a
 * C compiler makes machine code of both.
 *
 * A part is a piece of a basic block that a warp goes through in one go. It executes the handlers
 * of the interpreter, expanded in place: their operands are constants then, so no reference is
 * looked up, nothing is dispatched, and what one handler stores the next one finds in a vector
 * register. Branches within a warp that stays together, and accesses that lie as they did the last
 * time, are the macros below. Whatever else happens is left to the interpreter, at the very
 * instruction: nothing here reports, diverges, faults or learns an address pattern.
 *
 * Registers live where the interpreter keeps them, so that it can go on anywhere. */
#ifndef SIMT_UNIT_H
#define SIMT_UNIT_H

#define SIMT_TRANSLATED
#include "exec/exec_known.h"
#include "translate/temps.h"

#include "common/gpu/special_tables.c"
#include "exec/exec_convert.c"
#include "exec/exec_element.c"
#include "exec/exec_float.c"
#include "exec/exec_int.c"
#include "exec/exec_logic.c"

#define ALWAYS            static inline __attribute__((always_inline))
#define OUT_OF_LINE       static __attribute__((noinline))
#define LIKELY(condition) __builtin_expect((condition), 1)

/* --- parts -------------------------------------------------------------------------------------
 *
 * `w` is the warp, `k` the kernel's code, `in` the instruction with its operands as constants, and
 * `v` what the handlers see of the warp: nobody else knows of it, so the compiler knows that it
 * does not change. A part is expanded twice, once for a full warp.
 *
 * A part goes on in another one behind the end of its body, when its variables are gone: so that is
 * a jump, however often a loop goes round, and takes no stack. */
#define PART(pc)                                                                                   \
    ALWAYS const struct insn *body_##pc(struct warp *w, const struct insn *k, lane_mask active)
#define LEADS(pc)                                                                                  \
    static const struct insn *part_##pc(struct warp *w, const struct insn *at)                     \
    {                                                                                              \
        const struct insn *const k = at - (pc);                                                    \
        const lane_mask active = w->active;                                                        \
        const struct insn *const next =                                                            \
            active == FULL_MASK ? body_##pc(w, k, FULL_MASK) : body_##pc(w, k, active);
#define TO(pc)                                                                                     \
    if (next == k + (pc)) {                                                                        \
        return part_##pc(w, next);                                                                 \
    }
#define NOWHERE_ELSE                                                                               \
    return next;                                                                                   \
    }

#define BEGIN                                                                                      \
    struct warp seen, *const v = &seen;                                                            \
    seen.active = active;                                                                          \
    seen.base[REF_FRAME] = w->base[REF_FRAME];                                                     \
    seen.base[REF_CONST] = w->base[REF_CONST];                                                     \
    seen.base[REF_SPECIAL] = w->base[REF_SPECIAL];                                                 \
    _Alignas(64) u8 temps[TEMP_BYTES];                                                             \
    seen.base[REF_TEMP] = temps;                                                                   \
    u8 *const shared = w->block->shared;                                                           \
    const u8 *const params = w->block->params;                                                     \
    (void)shared;                                                                                  \
    (void)params;

#define GO(pc) return k + (pc)

/* The interpreter executes the instruction, and then whatever follows. */
#define LEAVE(pc) return k[pc].handler(w, &k[pc])

#define WORK(name, pc) (void)exec_##name(v, &text[pc])

/* By the interpreter's handler. Lanes may have left. */
#define CALL(pc, how)                                                                              \
    do {                                                                                           \
        const struct insn *next = k[pc].how(w, &k[pc]);                                            \
        if (next != &k[pc] + 1 || w->active != active) {                                           \
            return next;                                                                           \
        }                                                                                          \
    } while (0)
#define HANDLED(pc) CALL(pc, handler)
#define GUARDED(pc) CALL(pc, run)

/* Lanes that wait for others at a block's head meet them there, and a turn may end. */
#define ENTER(pc)                                                                                  \
    do {                                                                                           \
        if ((text[pc].flags & INSN_JOIN && w->reconverge != NO_PC) ||                              \
            text[pc].flags & INSN_YIELDS || !LIKELY(w->fuel > 0)) {                                \
            HANDLED(pc);                                                                           \
        } else {                                                                                   \
            w->fuel -= text[pc].c;                                                                 \
            w->sites[text[pc].site].a++;                                                           \
            w->sites[text[pc].site].b += lanes_in(active);                                         \
        }                                                                                          \
    } while (0)

/* --- branches: `jump` is a goto, or GO() ------------------------------------------------------ */
#define COUNT_BRANCH(pc)                                                                           \
    do {                                                                                           \
        if (!(text[pc].flags & INSN_UNCOUNTED)) {                                                  \
            w->sites[text[pc].site].a++;                                                           \
        }                                                                                          \
    } while (0)
#define JUMP(pc, jump)                                                                             \
    do {                                                                                           \
        COUNT_BRANCH(pc);                                                                          \
        jump;                                                                                      \
    } while (0)
#define JUMP_IF(pc, jump)                                                                          \
    do {                                                                                           \
        const lane_mask taken =                                                                    \
            active & read_predicate(v, text[pc].a, text[pc].flags & INSN_A_NEGATED);               \
        if (taken == active) {                                                                     \
            COUNT_BRANCH(pc);                                                                      \
            jump;                                                                                  \
        }                                                                                          \
        if (taken != 0) {                                                                          \
            LEAVE(pc);                                                                             \
        }                                                                                          \
        COUNT_BRANCH(pc);                                                                          \
    } while (0)

/* --- parameters of the launch, the same for all lanes ----------------------------------------- */
#define LD_PARAM(pc)                                                                               \
    do {                                                                                           \
        if (text[pc].move == MOVE_32) {                                                            \
            u32 value, *d = warp_ref(v, text[pc].d);                                               \
            memcpy(&value, params + text[pc].offset, sizeof value);                                \
            write_all_32(d, value, active);                                                        \
        } else {                                                                                   \
            u64 value, *d = warp_ref(v, text[pc].d);                                               \
            memcpy(&value, params + text[pc].offset, sizeof value);                                \
            write_all_64(d, value, active);                                                        \
        }                                                                                          \
    } while (0)

ALWAYS void write_all_32(u32 *d, u32 value, lane_mask active)
{
    LANES { d[i] = LANE_ACTIVE(active) ? value : d[i]; }
}

ALWAYS void write_all_64(u64 *d, u64 value, lane_mask active)
{
    LANES { d[i] = LANE_ACTIVE(active) ? value : d[i]; }
}

/* --- accesses that lie as they did the last time -----------------------------------------------
 *
 * What reach_known_global() and its neighbours in exec_known.h do, in an order that suits
 * constants. */
ALWAYS bool lies_as_known(const struct warp *v, const struct insn *in, const struct pattern *p,
                          u64 first, u64 start)
{
    return LIKELY(start - p->first_start < p->starts) &&
           LIKELY(((start | p->low_bits) & (in->bytes - 1u)) == 0) &&
           LIKELY(reach_lies_as_before(v, in, p, first));
}

enum { BOTH_UNIFORM = HALF_UNIFORM * 0x101, BOTH_CONTIGUOUS = HALF_CONTIGUOUS * 0x101 };

ALWAYS u16 shapes_of(const struct pattern *p)
{
    u16 shapes;
    memcpy(&shapes, p->half_shape, sizeof shapes);
    return shapes;
}

/* Half a warp's values side by side in memory, which may lie anywhere. */
typedef u32 half_of_32 __attribute__((vector_size(64), aligned(4), may_alias));
typedef u64 half_of_64 __attribute__((vector_size(128), aligned(8), may_alias));

/* false: the lanes lie otherwise. */
#define MOVE(BITS)                                                                                 \
    ALWAYS bool load_##BITS(u##BITS *d, const struct pattern *p, const u8 *host)                   \
    {                                                                                              \
        const u16 shapes = shapes_of(p);                                                           \
        const u8 *const second = host + (s64)p->relative[16];                                      \
        half_of_##BITS low, high;                                                                  \
        if (shapes == BOTH_CONTIGUOUS) {                                                           \
            low = *(const half_of_##BITS *)host;                                                   \
            high = *(const half_of_##BITS *)second;                                                \
        } else if (shapes == BOTH_UNIFORM) {                                                       \
            low = *(const u##BITS *)host - (half_of_##BITS){0};                                    \
            high = *(const u##BITS *)second - (half_of_##BITS){0};                                 \
        } else {                                                                                   \
            return false;                                                                          \
        }                                                                                          \
        *(half_of_##BITS *)d = low;                                                                \
        *(half_of_##BITS *)(d + 16) = high;                                                        \
        return true;                                                                               \
    }                                                                                              \
    ALWAYS bool store_##BITS(const u##BITS *d, const struct pattern *p, u8 *host)                  \
    {                                                                                              \
        if (!p->contiguous) {                                                                      \
            return false;                                                                          \
        }                                                                                          \
        *(half_of_##BITS *)host = *(const half_of_##BITS *)d;                                      \
        *(half_of_##BITS *)(host + BITS * 2) = *(const half_of_##BITS *)(d + 16);                  \
        return true;                                                                               \
    }
MOVE(32)
MOVE(64)

OUT_OF_LINE void load_otherwise(struct warp *w, const struct insn *in, const struct pattern *p,
                                u8 *host)
{
    const struct reach r = {.relative = p->relative, .pattern = p, .host = host};
    exec_load_elements(w, in, &r);
}

OUT_OF_LINE void store_otherwise(struct warp *w, const struct insn *in, const struct pattern *p,
                                 u8 *host)
{
    const struct reach r = {.relative = p->relative, .pattern = p, .host = host};
    exec_store_elements(w, in, &r);
}

/* Registers that are variables here (temps.h) go where the interpreter has them, and come back. */
ALWAYS void show_register(const struct warp *v, struct warp *w, u32 ref, bool wide)
{
    if (ref != NO_REF && (ref & 3u) == REF_TEMP) {
        memcpy(w->base[REF_FRAME] + (ref & ~3u), warp_ref(v, ref), wide ? 256 : 128);
    }
}

ALWAYS void take_register(const struct warp *v, const struct warp *w, u32 ref, bool wide)
{
    if (ref != NO_REF && (ref & 3u) == REF_TEMP) {
        memcpy(warp_ref(v, ref), w->base[REF_FRAME] + (ref & ~3u), wide ? 256 : 128);
    }
}

/* `real` is the interpreter's instruction, which knows the same as `in`. */
ALWAYS void load_from(const struct warp *v, struct warp *w, const struct insn *in,
                      const struct insn *real, const struct pattern *p, u8 *host)
{
    void *const d = in->d != NO_REF ? warp_ref(v, in->d) : NULL;
    const bool one = in->elements == 1 && in->d != NO_REF;
    if (!one) {
        load_otherwise(w, real, p, host);
    } else if (!((in->move == MOVE_32 && LIKELY(load_32(d, p, host))) ||
                 (in->move == MOVE_64 && LIKELY(load_64(d, p, host))))) {
        const struct reach r = {.relative = p->relative, .pattern = p, .host = host};
        load_element(v, &r, in->move, in->d, 0);
    }
}

ALWAYS void store_to(const struct warp *v, struct warp *w, const struct insn *in,
                     const struct insn *real, const struct pattern *p, u8 *host)
{
    const void *const d = in->d != NO_REF ? warp_ref(v, in->d) : NULL;
    const bool one = in->elements == 1 && in->d != NO_REF;
    if (one && in->move == MOVE_32) {
        if (!LIKELY(store_32(d, p, host))) {
            scatter_32(d, host, p->relative, v->active);
        }
    } else if (one && in->move == MOVE_64) {
        if (!LIKELY(store_64(d, p, host))) {
            scatter_64(d, host, p->relative, v->active);
        }
    } else {
        store_otherwise(w, real, p, host);
    }
}

/* The interpreter executes an access, of which one register is data. */
ALWAYS bool by_interpreter(const struct warp *v, struct warp *w, const struct insn *in,
                           const struct insn *real)
{
    show_register(v, w, in->a, in->flags & INSN_ADDRESS64);
    show_register(v, w, in->d, in->move == MOVE_64);
    const bool good = real->handler(w, real) != NULL;
    take_register(v, w, in->d, in->move == MOVE_64);
    return good;
}

#define GLOBAL(pc, move, deed)                                                                     \
    do {                                                                                           \
        const u64 first = reach_first(v, &text[pc]), start = first + (u64)text[pc].offset;         \
        const struct pattern *const p = &w->patterns[text[pc].site];                               \
        const unsigned sectors = p->sectors[start & 31u];                                          \
        if (!lies_as_known(v, &text[pc], p, first, start) || !LIKELY(sectors != 0)) {              \
            if (!by_interpreter(v, w, &text[pc], &k[pc])) {                                        \
                return NULL;                                                                       \
            }                                                                                      \
            break;                                                                                 \
        }                                                                                          \
        w->sites[text[pc].site].a++;                                                               \
        w->sites[text[pc].site].b += sectors;                                                      \
        move(v, w, &text[pc], &k[pc], p, (u8 *)(uintptr_t)(start + (u64)p->delta));                \
        deed;                                                                                      \
    } while (0)
#define LD_GLOBAL(pc) GLOBAL(pc, load_from, (void)0)
#define ST_GLOBAL(pc) GLOBAL(pc, store_to, w->did |= DID_NEWS)

#define SHARED(pc, move)                                                                           \
    do {                                                                                           \
        const bool merged = text[pc].flags & INSN_MERGED;                                          \
        const u64 first = reach_first(v, &text[pc]), start = first + (u64)text[pc].offset;         \
        const struct pattern *const p = &w->patterns[text[pc].site];                               \
        if (!lies_as_known(v, &text[pc], p, first, start) ||                                       \
            (!merged && !LIKELY(p->wavefronts != 0 && p->low_address == (start & 3u)))) {          \
            if (!by_interpreter(v, w, &text[pc], &k[pc])) {                                        \
                return NULL;                                                                       \
            }                                                                                      \
            break;                                                                                 \
        }                                                                                          \
        if (!merged) {                                                                             \
            w->sites[text[pc].site].a++;                                                           \
            w->sites[text[pc].site].b += p->wavefronts;                                            \
            w->sites[text[pc].site].c += p->conflicts;                                             \
        }                                                                                          \
        move(v, w, &text[pc], &k[pc], p, shared + start);                                          \
    } while (0)
#define LD_SHARED(pc) SHARED(pc, load_from)
#define ST_SHARED(pc) SHARED(pc, store_to)

#endif

/* exec_move.c - halves of registers, windows of generic addresses. */
#include "exec/exec_address.h"
#include "exec/exec_types.h"
#include "machine/cluster.h"

#include <math.h>

/* pack: the parts of d, from its lowest one on, are the low bits of a, b, c and e. */
#define PACK(name, R, expression)                                                                  \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        R *d = warp_ref(w, in->d);                                                                 \
        const u32 *a = warp_ref(w, in->a), *b = warp_ref(w, in->b);                                \
        WRITE_LANES(R, d, expression);                                                             \
        return in + 1;                                                                             \
    }
PACK(pack_2x32, u64, (u64)b[i] << 32 | a[i])
PACK(pack_2x16, u32, b[i] << 16 | (a[i] & 0xffffu))
PACK(pack_2x8, u32, (b[i] & 0xffu) << 8 | (a[i] & 0xffu))

HANDLER(pack_4x16)
{
    u64 *d = warp_ref(w, in->d);
    const u32 *ra = warp_ref(w, in->a), *rb = warp_ref(w, in->b), *rc = warp_ref(w, in->c),
              *re = warp_ref(w, in->e);
    WRITE_LANES(u64, d,
                (u64)(re[i] & 0xffffu) << 48 | (u64)(rc[i] & 0xffffu) << 32 |
                    (u64)(rb[i] & 0xffffu) << 16 | (ra[i] & 0xffffu));
    return in + 1;
}

/* unpack: part k of a goes to d, b, c, e. A part may overwrite a, so a is copied first. */
#define UNPACK(name, R, parts, shift, mask)                                                        \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        const R *ra = warp_ref(w, in->a);                                                          \
        alignas(64) R copy[WARP_LANES];                                                            \
        LANES { copy[i] = ra[i]; }                                                                 \
        for (unsigned k = 0; k < (parts); k++) {                                                   \
            if (in->element[k] != NO_REF) {                                                        \
                u32 *d = warp_ref(w, in->element[k]);                                              \
                WRITE_LANES(u32, d, copy[i] >> k * (shift) & (mask));                              \
            }                                                                                      \
        }                                                                                          \
        return in + 1;                                                                             \
    }
UNPACK(unpack_2x32, u64, 2, 32, 0xffffffffu)
UNPACK(unpack_4x16, u64, 4, 16, 0xffffu)
UNPACK(unpack_2x16, u32, 2, 16, 0xffffu)
UNPACK(unpack_2x8, u32, 2, 8, 0xffu)

/* Shared memory of the own block: not of others in its cluster. */
HANDLER(isspacep_own)
{
    const u64 *ra = warp_ref(w, in->a);
    const u64 rank = w->block->rank + 1;
    lane_mask inside = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const u64 owner = ra[i] >> CLUSTER_SHIFT & 0xffffffu;
        inside |= (lane_mask)(ra[i] >> 48 == WINDOW_SHARED && (owner == 0 || owner == rank)) << i;
    }
    write_predicate(w, in->d, inside);
    return in + 1;
}

/* in->literal: the window; -1 for constant memory, which has none of its own. */
HANDLER(isspacep)
{
    const u64 *ra = warp_ref(w, in->a);
    lane_mask inside = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        bool here = (int64_t)(ra[i] >> 48) == in->literal;
        if (in->literal <= 0 && LANE_ACTIVE(w->active)) {
            const struct allocation *a = memory_find(w->block->memory, ra[i]);
            bool constant = a != NULL && a->kind == MEMORY_CONSTANT;
            here = in->literal == 0 ? here && !constant : constant;
        }
        inside |= (lane_mask)here << i;
    }
    write_predicate(w, in->d, inside);
    return in + 1;
}

/* --- cache policies: an H200's 64 bits (recorded), which programs hand on unseen -------------- */

/* What lines that hit become, in->move, and what the others do, in->elements (decode_hint.c). */
static u64 policy_class(const struct insn *in)
{
    enum { UNCHANGED, NORMAL, FIRST, LAST };
    static const u8 primary[] = {[UNCHANGED] = 0, [NORMAL] = 6, [FIRST] = 2, [LAST] = 4};
    return primary[in->move] + (in->elements == FIRST ? 1u : 0u);
}

/* How many of 16 lines. */
HANDLER(policy_of_fraction)
{
    u64 *d = warp_ref(w, in->d);
    const f32 *fraction = warp_ref(w, in->a);
    const u64 class = 0x10 | policy_class(in);
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        const unsigned i = first_lane(left);
        const s64 lines = (s64)ceilf(16 * fraction[i]);
        d[i] = class << 56 | (u64)(lines < 1 ? 0 : lines > 16 ? 15 : lines - 1) << 52;
    }
    return in + 1;
}

/* The range in pieces of 4 KB or of a larger power of two, of which there are at most 128. */
HANDLER(policy_of_range)
{
    enum { LEAST_SHIFT = 12, MOST_PIECES = 128 };
    u64 *d = warp_ref(w, in->d);
    const u64 *address = exec_reach_addresses(w, in);
    const u32 *bytes = warp_ref(w, in->b), *all = warp_ref(w, in->c);
    const u64 class = 0x18 | policy_class(in);
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        const unsigned i = first_lane(left);
        const u64 begin = address[i] + (u64)in->offset;
        unsigned larger = 0;
        while (((u64)all[i] + ((u64)1 << (LEAST_SHIFT + larger)) - 1) >> (LEAST_SHIFT + larger) >
               MOST_PIECES) {
            larger++;
        }
        const u64 piece = (u64)1 << (LEAST_SHIFT + larger);
        const u64 pieces = bytes[i] == 0 ? 0 : (begin % piece + bytes[i] + piece - 1) / piece;
        d[i] = class << 56 | (u64)larger << 52 | (begin / piece & 0x7f) << 44 | pieces << 37;
    }
    return in + 1;
}

const struct handler exec_move_table[] = {HANDLER_ROW(pack_2x32, WORK, QUIET, JOIN),
                                          HANDLER_ROW(pack_2x16, WORK, QUIET, JOIN),
                                          HANDLER_ROW(pack_2x8, WORK, QUIET, JOIN),
                                          HANDLER_ROW(pack_4x16, WORK, QUIET, JOIN),
                                          HANDLER_ROW(unpack_2x32, WORK, QUIET, UNPACK),
                                          HANDLER_ROW(unpack_4x16, WORK, QUIET, UNPACK),
                                          HANDLER_ROW(unpack_2x16, WORK, QUIET, UNPACK),
                                          HANDLER_ROW(unpack_2x8, WORK, QUIET, UNPACK),
                                          WORK_ROW(isspacep),
                                          WORK_ROW(isspacep_own),
                                          WORK_ROW(policy_of_fraction),
                                          WORK_ROW(policy_of_range),
                                          {0}};

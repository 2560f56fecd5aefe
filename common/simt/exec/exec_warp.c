/* exec_warp.c - instructions by which the lanes of a warp talk to each other, and clocks.
 *
 * A .sync instruction waits for the lanes of its mask. Usually they are all here; if not, the
 * split is put aside until they are (warp_block_split). Lanes that have exited are not waited
 * for. */
#include "exec/exec.h"
#include "exec/exec_mask.h"
#include "exec/exec_types.h"

#include <string.h>
#include <time.h>

/* The mask operand must be the same in all lanes that execute the instruction together. Returns
 * true if every living lane of it is here. */
static bool all_here(const struct warp *w, uint32_t mask_ref, lane_mask *members)
{
    *members = ((const u32 *)warp_ref(w, mask_ref))[first_lane(w->active)];
    return (*members & w->live & ~w->active) == 0;
}

static const struct insn *mask_lacks_caller(struct warp *w, const struct insn *in,
                                            lane_mask members)
{
    return fault(w, in, first_lane(w->active & ~members), SIMT_BAD_SHUFFLE,
                 "a lane executes a warp-wide instruction whose mask 0x%08x does not name it",
                 members);
}

#define WAIT_FOR(mask_ref)                                                                         \
    lane_mask members;                                                                             \
    if (!all_here(w, mask_ref, &members)) {                                                        \
        return warp_block_split(w, in, members);                                                   \
    }                                                                                              \
    if (w->active & ~members) {                                                                    \
        return group_by_mask(w, in, mask_ref, members);                                            \
    }

/* Lanes with different masks (a warp that works as several groups) take turns by mask. */
static const struct insn *group_by_mask(struct warp *w, const struct insn *in, uint32_t mask_ref,
                                        lane_mask members)
{
    const u32 *masks = warp_ref(w, mask_ref);
    const lane_mask all = w->active;
    lane_mask left = all;
    (void)members;
    while (left != 0) {
        lane_mask group = masks[first_lane(left)], same = 0;
        for (unsigned i = 0; i < WARP_LANES; i++) {
            same |= (lane_mask)(left >> i & 1u && masks[i] == group) << i;
        }
        if ((same & ~group) != 0 || (group & w->live & ~same) != 0) {
            return mask_lacks_caller(w, in, group);
        }
        w->active = same;
        if (in->handler(w, in) == NULL) {
            w->active = all;
            return NULL;
        }
        left &= ~same;
    }
    w->active = all;
    return in + 1;
}

HANDLER(bar_warp_sync)
{
    WAIT_FOR(in->a)
    return in + 1;
}

/* --- shuffles: d, predicate e (may be NO_REF), value a, lane b, clamp c, mask in guard's twin ---
 * c is packed by the compiler: bits 0..4 the clamp, bits 8..12 the segment mask. in->members holds
 * the reference of the member mask. */

enum shuffle { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY, SHUFFLE_IDX };

/* The lane whose value `lane` reads; *inside is -1 if it lies in the segment, else 0 and the lane
 * reads its own. */
static inline u32 source_lane(unsigned lane, u32 b, u32 c, enum shuffle mode, s32 *inside)
{
    const s32 own = (s32)lane, value = (s32)(b & 31u), clamp = (s32)(c & 31u);
    const s32 segment = (s32)(c >> 8 & 31u), lowest = own & segment;
    const s32 highest = lowest | (clamp & ~segment);
    s32 from = lowest | (value & ~segment);
    if (mode == SHUFFLE_UP) {
        from = own - value;
    } else if (mode == SHUFFLE_DOWN) {
        from = own + value;
    } else if (mode == SHUFFLE_BFLY) {
        from = own ^ value;
    }
    *inside = -(mode == SHUFFLE_UP ? from >= highest : from <= highest);
    return (u32)((from & *inside) | (own & ~*inside));
}

/* What a lane gets from one that takes no part, with SIMT_SHUFFLE=poison: a NaN. */
#define POISON 0x7fffdeadu

/* The first active lane that reads one that was launched and takes no part, or WARP_LANES. */
static unsigned lane_that_reads_absent(const struct warp *w, const u32 from[WARP_LANES])
{
    const lane_mask absent = w->launched & ~w->active;
    for (lane_mask left = absent != 0 ? w->active : 0; left != 0; left &= left - 1) {
        if (absent >> from[first_lane(left)] & 1u) {
            return first_lane(left);
        }
    }
    return WARP_LANES;
}

/* result[i] = values[from[i]]. */
static inline void permute(const u32 values[WARP_LANES], const u32 from[WARP_LANES],
                           u32 result[WARP_LANES])
{
#if defined __AVX512F__ /* of the loop below compilers make gathers, as from memory */
    const __m512i low = _mm512_loadu_si512(values), high = _mm512_loadu_si512(values + 16);
    for (unsigned i = 0; i < WARP_LANES; i += 16) {
        const __m512i lanes = _mm512_load_si512(from + i);
        _mm512_store_si512(result + i, _mm512_permutex2var_epi32(low, lanes, high));
    }
#else
    LANES { result[i] = values[from[i]]; }
#endif
}

/* The values of the lanes from[]; 0 of a lane that the block lacks. */
static inline void values_of(const struct warp *w, const u32 *ra, const u32 from[WARP_LANES],
                             u32 value[WARP_LANES])
{
    const lane_mask launched = w->launched, absent = launched & ~w->active;
    permute(ra, from, value);
    if (launched != FULL_MASK) {
        LANES { value[i] &= 0u - (launched >> from[i] & 1u); }
    }
    if (w->block->poison_shuffles) {
        LANES { value[i] = absent >> from[i] & 1u ? POISON : value[i]; }
    }
}

/* Inlined for each mode: its loops are vector code. */
static inline __attribute__((always_inline)) const struct insn *
shuffle(struct warp *w, const struct insn *in, enum shuffle mode)
{
    WAIT_FOR((uint32_t)in->members)
    const u32 *rb = warp_ref(w, in->b), *rc = warp_ref(w, in->c);
    alignas(64) u32 from[WARP_LANES], value[WARP_LANES];
    alignas(64) s32 inside[WARP_LANES];
    LANES { from[i] = source_lane(i, rb[i], rc[i], mode, &inside[i]); }
    const unsigned lost = w->block->poison_shuffles ? WARP_LANES : lane_that_reads_absent(w, from);
    if (lost != WARP_LANES) {
        return fault(w, in, lost, SIMT_BAD_SHUFFLE,
                     "shuffle reads lane %u, which takes no part (lanes 0x%08x do): its value "
                     "is undefined",
                     from[lost], w->active);
    }
    if (in->d != NO_REF) {
        u32 *d = warp_ref(w, in->d);
        values_of(w, warp_ref(w, in->a), from, value);
        WRITE_LANES(u32, d, value[i]);
    }
    write_predicate(w, in->e, mask_of_answers(inside));
    return in + 1;
}

HANDLER(shfl_up) { return shuffle(w, in, SHUFFLE_UP); }

HANDLER(shfl_down) { return shuffle(w, in, SHUFFLE_DOWN); }

HANDLER(shfl_bfly) { return shuffle(w, in, SHUFFLE_BFLY); }

HANDLER(shfl_idx) { return shuffle(w, in, SHUFFLE_IDX); }

unsigned exec_shuffle_source(const struct warp *w, const struct insn *in, unsigned lane)
{
    enum shuffle mode = SHUFFLE_IDX;
    if (in->handler == exec_shfl_up) {
        mode = SHUFFLE_UP;
    } else if (in->handler == exec_shfl_down) {
        mode = SHUFFLE_DOWN;
    } else if (in->handler == exec_shfl_bfly) {
        mode = SHUFFLE_BFLY;
    }
    const u32 *rb = warp_ref(w, in->b), *rc = warp_ref(w, in->c);
    s32 inside;
    return source_lane(lane, rb[lane], rc[lane], mode, &inside);
}

/* --- votes: predicate a; b is the member mask ------------------------------------------------- */

HANDLER(vote_ballot)
{
    WAIT_FOR(in->b)
    u32 *d = warp_ref(w, in->d);
    lane_mask p = read_predicate(w, in->a, in->flags & INSN_A_NEGATED) & w->active;
    WRITE_LANES(u32, d, p);
    return in + 1;
}

/* p: the lanes whose predicate holds. */
#define VOTE(name, condition)                                                                      \
    HANDLER(vote_##name)                                                                           \
    {                                                                                              \
        WAIT_FOR(in->b)                                                                            \
        lane_mask p = read_predicate(w, in->a, in->flags & INSN_A_NEGATED) & w->active;            \
        write_predicate(w, in->d, condition ? FULL_MASK : 0);                                      \
        return in + 1;                                                                             \
    }
VOTE(all, p == w->active)
VOTE(any, p != 0)
VOTE(uni, p == 0 || p == w->active)

HANDLER(activemask)
{
    u32 *d = warp_ref(w, in->d);
    u32 mask = w->active;
    WRITE_LANES(u32, d, mask);
    return in + 1;
}

/* The leader of the lanes: the lowest one. d: its number (NO_REF: not kept); e: the lane is it. */
HANDLER(elect)
{
    WAIT_FOR(in->b)
    const u32 leader = first_lane(w->active);
    if (in->d != NO_REF) {
        u32 *d = warp_ref(w, in->d);
        WRITE_LANES(u32, d, leader);
    }
    write_predicate(w, in->e, 1u << leader);
    return in + 1;
}

/* --- match: value a, member mask b; d the lanes with the same value, e the predicate of .all ---
 */

#define MATCH(bits, R)                                                                             \
    HANDLER(match_any_b##bits)                                                                     \
    {                                                                                              \
        WAIT_FOR(in->b)                                                                            \
        u32 *d = warp_ref(w, in->d);                                                               \
        const R *ra = warp_ref(w, in->a);                                                          \
        u32 equal[WARP_LANES];                                                                     \
        for (unsigned i = 0; i < WARP_LANES; i++) {                                                \
            equal[i] = 0;                                                                          \
            for (unsigned j = 0; j < WARP_LANES; j++) {                                            \
                equal[i] |= (u32)(ra[i] == ra[j]) << j;                                            \
            }                                                                                      \
        }                                                                                          \
        WRITE_LANES(u32, d, equal[i] & w->active);                                                 \
        return in + 1;                                                                             \
    }                                                                                              \
    HANDLER(match_all_b##bits)                                                                     \
    {                                                                                              \
        WAIT_FOR(in->b)                                                                            \
        const R *ra = warp_ref(w, in->a);                                                          \
        R first = ra[first_lane(w->active)];                                                       \
        bool same = true;                                                                          \
        for (unsigned i = 0; i < WARP_LANES; i++) {                                                \
            same &= !LANE_ACTIVE(w->active) || ra[i] == first;                                     \
        }                                                                                          \
        u32 *d = warp_ref(w, in->d);                                                               \
        WRITE_LANES(u32, d, same ? w->active : 0);                                                 \
        write_predicate(w, in->e, same ? FULL_MASK : 0);                                           \
        return in + 1;                                                                             \
    }
MATCH(32, u32)
MATCH(64, u64)

/* --- redux: value a, member mask b ------------------------------------------------------------ */

#define REDUX(name, T, start, expression)                                                          \
    HANDLER(redux_##name)                                                                          \
    {                                                                                              \
        WAIT_FOR(in->b)                                                                            \
        u32 *d = warp_ref(w, in->d);                                                               \
        const u32 *ra = warp_ref(w, in->a);                                                        \
        T total = start;                                                                           \
        for (lane_mask left = w->active; left != 0; left &= left - 1) {                            \
            T x = (T)ra[first_lane(left)];                                                         \
            total = expression;                                                                    \
        }                                                                                          \
        WRITE_LANES(u32, d, (u32)total);                                                           \
        return in + 1;                                                                             \
    }
REDUX(add_u32, u32, 0, total + x)
REDUX(add_s32, u32, 0, total + x)
REDUX(min_u32, u32, UINT32_MAX, x < total ? x : total)
REDUX(min_s32, s32, INT32_MAX, x < total ? x : total)
REDUX(max_u32, u32, 0, x > total ? x : total)
REDUX(max_s32, s32, INT32_MIN, x > total ? x : total)
REDUX(and_b32, u32, UINT32_MAX, total &x)
REDUX(or_b32, u32, 0, total | x)
REDUX(xor_b32, u32, 0, total ^ x)

/* --- clocks: nanoseconds of the host. They grow, and that is all a program may rely on. ------- */

static u64 host_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (u64)now.tv_sec * 1000000000u + (u64)now.tv_nsec;
}

HANDLER(clock_32)
{
    u32 *d = warp_ref(w, in->d);
    u32 now = (u32)(host_nanoseconds() >> in->literal); /* %clock_hi: 32 */
    WRITE_LANES(u32, d, now);
    return in + 1;
}

HANDLER(clock_64)
{
    u64 *d = warp_ref(w, in->d);
    u64 now = host_nanoseconds();
    WRITE_LANES(u64, d, now);
    return in + 1;
}

const struct handler exec_warp_table[] = {HANDLER_ROW(bar_warp_sync, WORK, SYNC_A, OPCODE),
                                          HANDLER_ROW(shfl_up, WORK, SYNC_MEMBERS, OPCODE),
                                          HANDLER_ROW(shfl_down, WORK, SYNC_MEMBERS, OPCODE),
                                          HANDLER_ROW(shfl_bfly, WORK, SYNC_MEMBERS, OPCODE),
                                          HANDLER_ROW(shfl_idx, WORK, SYNC_MEMBERS, OPCODE),
                                          HANDLER_ROW(vote_ballot, WORK, SYNC_B, OPCODE),
                                          HANDLER_ROW(vote_all, WORK, SYNC_B, OPCODE),
                                          HANDLER_ROW(vote_any, WORK, SYNC_B, OPCODE),
                                          HANDLER_ROW(vote_uni, WORK, SYNC_B, OPCODE),
                                          HANDLER_ROW(elect, WORK, SYNC_B, OPCODE),
                                          HANDLER_ROW(match_any_b32, WORK, SYNC_B, OPCODE),
                                          HANDLER_ROW(match_any_b64, WORK, SYNC_B, OPCODE),
                                          HANDLER_ROW(match_all_b32, WORK, SYNC_B, OPCODE),
                                          HANDLER_ROW(match_all_b64, WORK, SYNC_B, OPCODE),
                                          HANDLER_ROW(redux_add_u32, WORK, SYNC_B, OPCODE),
                                          HANDLER_ROW(redux_add_s32, WORK, SYNC_B, OPCODE),
                                          HANDLER_ROW(redux_min_u32, WORK, SYNC_B, OPCODE),
                                          HANDLER_ROW(redux_min_s32, WORK, SYNC_B, OPCODE),
                                          HANDLER_ROW(redux_max_u32, WORK, SYNC_B, OPCODE),
                                          HANDLER_ROW(redux_max_s32, WORK, SYNC_B, OPCODE),
                                          HANDLER_ROW(redux_and_b32, WORK, SYNC_B, OPCODE),
                                          HANDLER_ROW(redux_or_b32, WORK, SYNC_B, OPCODE),
                                          HANDLER_ROW(redux_xor_b32, WORK, SYNC_B, OPCODE),
                                          WORK_ROW(activemask),
                                          HANDLER_ROW(clock_32, WORK, QUIET, CLEAR),
                                          HANDLER_ROW(clock_64, WORK, QUIET, CLEAR),
                                          {0}};

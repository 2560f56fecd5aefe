/* exec.h - the handlers: each executes one decoded instruction for all active lanes of a warp.
 *
 * Handlers are found by name when a kernel is decoded (exec_find), never while it runs.
 * A handler is a plain 32-trip loop that the compiler turns into vector instructions: one loop
 * without a mask for a full warp, one that keeps the old value of lanes that are switched off. */
#ifndef SIMT_EXEC_H
#define SIMT_EXEC_H

#include "machine/warp.h"

/* The handler of that name, or NULL: the decoder then rejects the instruction. */
const struct handler *exec_find(const char *name);
/* All handlers, for tests: false if there are fewer. */
bool exec_handler_at(unsigned i, const struct handler **handler);

/* The lane whose value a shuffle is about to give to `lane`; in->handler is one of shfl_*. */
unsigned exec_shuffle_source(const struct warp *w, const struct insn *in, unsigned lane);

/* Each exec_*.c file contributes a table that ends with a NULL name. */
extern const struct handler exec_narrow_table[], exec_int_table[], exec_float_table[],
    exec_half_table[], exec_convert_table[], exec_logic_table[], exec_memory_table[],
    exec_atomic_table[], exec_flow_table[], exec_warp_table[], exec_move_table[],
    exec_mbarrier_table[], exec_cluster_table[], exec_bulk_table[], exec_tensor_table[],
    exec_tensormap_table[], exec_image_table[], exec_matrix_table[], exec_fragment_table[],
    exec_warpgroup_table[], exec_copy_table[], exec_video_table[], exec_stack_table[],
    exec_quads_table[], exec_surface_table[];

/* Runs in->handler for the lanes whose guard holds. */
const struct insn *exec_guarded(struct warp *w, const struct insn *in);

/* A row of such a table, for HANDLER(name): the words of handler.h, without their prefixes. */
#define HANDLER_ROW(name, kind, event, marks)                                                      \
    {                                                                                              \
#name, exec_##name, KIND_##kind, EVENT_##event, MARKS_##marks, false                       \
    }
/* The row of most: it computes as its opcode says, and observers want to know nothing of it. */
#define WORK_ROW(name) HANDLER_ROW(name, WORK, QUIET, OPCODE)
/* The same of a handler that sets the host's rounding mode. */
#define ROUNDING_ROW(name)                                                                         \
    {                                                                                              \
#name, exec_##name, KIND_WORK, EVENT_QUIET, MARKS_OPCODE, true                             \
    }

/* APART: of what several handlers share and seldom need, one copy is enough. In a translated kernel
 * it is expanded as they are, so that operands are constants there, too. */
#if defined SIMT_TRANSLATED
#define APART static inline __attribute__((always_inline))
#define HANDLER(name)                                                                              \
    static inline __attribute__((always_inline))                                                   \
    const struct insn *exec_##name(struct warp *w, const struct insn *in)
#define HANDLER_TABLE(group)                                                                       \
    static const struct handler exec_table_of_##group[] __attribute__((unused))
#else
#define APART                static __attribute__((noinline))
#define HANDLER(name)        static const struct insn *exec_##name(struct warp *w, const struct insn *in)
#define HANDLER_TABLE(group) const struct handler exec_##group##_table[]
#endif

/* Slots either coincide or do not overlap, so no iteration depends on another one. */
#define LANES _Pragma("GCC ivdep") for (unsigned i = 0; i < WARP_LANES; i++)

#define LANE_ACTIVE(mask) ((mask) >> i & 1u)

/* Writes EXPR to lane i of d (storage type R) for the active lanes. */
#define WRITE_LANES(R, d, EXPR)                                                                    \
    do {                                                                                           \
        if (w->active == FULL_MASK) {                                                              \
            LANES { (d)[i] = (R)(EXPR); }                                                          \
        } else {                                                                                   \
            const lane_mask write_mask = w->active;                                                \
            LANES                                                                                  \
            {                                                                                      \
                R written = (R)(EXPR);                                                             \
                (d)[i] = LANE_ACTIVE(write_mask) ? written : (d)[i];                               \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/* The same for what runs seldom: one loop over all lanes, whose results a function writes. A
 * compiler makes half as much machine code of it. */
#if defined SIMT_TRANSLATED
#define WRITE_LANES_SELDOM WRITE_LANES
#else
#define WRITE_LANES_SELDOM(R, d, EXPR)                                                             \
    do {                                                                                           \
        _Alignas(64) R results[WARP_LANES];                                                        \
        LANES { results[i] = (R)(EXPR); }                                                          \
        _Static_assert(sizeof(R) == 4 || sizeof(R) == 8, "the size of a register's lane");         \
        (sizeof(R) == 8 ? exec_write_64 : exec_write_32)(w, (d), results);                         \
    } while (0)
#endif
/* d: the register, results: 32 of 4 or 8 bytes, of which those of the active lanes are written. */
void exec_write_32(const struct warp *w, void *d, const void *results);
void exec_write_64(const struct warp *w, void *d, const void *results);

/* A predicate has one bit per lane. */
static inline void write_predicate(const struct warp *w, uint32_t ref, lane_mask value)
{
    if (ref != NO_REF) {
        uint32_t *p = warp_ref(w, ref);
        *p = (*p & ~w->active) | (value & w->active);
    }
}

static inline lane_mask read_predicate(const struct warp *w, uint32_t ref, bool negated)
{
    lane_mask value = *(const uint32_t *)warp_ref(w, ref);
    return negated ? ~value : value;
}

static inline unsigned insn_rounding(const struct insn *in)
{
    return in->flags >> INSN_ROUND_SHIFT & 3u;
}

#endif

/* observed_access.h - which lanes an instruction is about to use, and which addresses: read off its
 * operands before it runs. For exec_observed.c alone. */
#ifndef SIMT_OBSERVED_ACCESS_H
#define SIMT_OBSERVED_ACCESS_H

#include "exec/exec.h"
#include "exec/exec_values.h"
#include "machine/observer.h"

/* Active ones whose guard holds. */
lane_mask observed_lanes(const struct warp *w, const struct insn *in);
/* Finds the space of the first lane's address and narrows *lanes to those whose generic address
 * lies in the same window. Returns the addresses without the window: in room, if they have one. */
const uint64_t *observed_resolve(const struct insn *in, const uint64_t *generic, lane_mask *lanes,
                                 enum ptx_space *space, uint64_t *room);
/* Operand a and the offset, of all 32 lanes. */
void observed_addresses(const struct warp *w, const struct insn *in, uint64_t *address);
/* The same of the first of these lanes alone. */
static inline uint64_t observed_first_address(const struct warp *w, const struct insn *in,
                                              lane_mask lanes)
{
    const unsigned lane = first_lane(lanes);
    const uint64_t base = in->flags & INSN_ADDRESS64
                              ? ((const uint64_t *)warp_ref(w, in->a))[lane]
                              : (uint64_t)((const int32_t *)warp_ref(w, in->a))[lane];
    return base + (uint64_t)in->offset;
}

/* Fills start, low and high. */
void observed_bounds(struct access_event *e);
/* Tells of the stores of each space before they are executed. */
void observed_stores(struct warp *w, const struct insn *in, const uint64_t *generic,
                     struct access_event *event, lane_mask left);
/* What of an access of shared memory is known before it runs, in short; its lanes are filled in,
 * and its address is room for 32. */
void observed_shared_access(const struct warp *w, const struct insn *in, struct shared_access *a,
                            uint32_t *address);
/* Nobody is interested in this load: struct quiet_range. */
bool observed_is_quiet(const struct warp *w, const struct insn *in, uint32_t pc);
/* One thread of a cooperative grid's block makes an atomic: it may arrive at a barrier of the grid.
 * Those that still wait at the one before are to look first: else they would seem to have waited
 * for this arrival, too. */
bool observed_may_arrive(const struct warp *w, const struct insn *in);
/* The lanes that a conditional branch is about to take. */
static inline lane_mask observed_taken(const struct warp *w, const struct insn *in)
{
    return w->active & read_predicate(w, in->a, in->flags & INSN_A_NEGATED);
}

/* Tells of a conditional branch, or one by a table, before it runs. */
void observed_branch(struct warp *w, const struct insn *in, uint32_t pc);
void observed_table_branch(struct warp *w, const struct insn *in, uint32_t pc);
/* Tells what lanes are about to do to other blocks' shared memory, and returns the others.
 * Addresses that name the own block by its rank lose the rank. */
lane_mask observed_remote(struct warp *w, const struct insn *in, uint64_t *generic, lane_mask lanes,
                          struct access_event event);
/* An instruction of an mbarrier: runs it and tells, lane by lane (observed_mbarrier.c). */
const struct insn *observed_mbarrier(struct warp *w, const struct insn *in,
                                     const struct ptx_insn *origin, uint32_t pc, exec_fn run);

/* The same of copies by the bulk engine, and of their groups (observed_bulk.c). */
const struct insn *observed_bulk(struct warp *w, const struct insn *in,
                                 const struct ptx_insn *origin, uint32_t pc, exec_fn run);

/* What orders threads (observed_order.c): runs it and tells, or tells before it runs. */
const struct insn *observed_barrier(struct warp *w, const struct insn *in, uint32_t pc, exec_fn run,
                                    bool waits);
const struct insn *observed_if_synced(struct warp *w, const struct insn *in, uint32_t pc,
                                      exec_fn run, uint32_t mask_ref);
const struct insn *observed_exit(struct warp *w, const struct insn *in, uint32_t pc, exec_fn run);
void observed_async(struct warp *w, const struct ptx_insn *origin, uint32_t pc, lane_mask lanes);
enum fence_scope observed_fence_scope(const struct ptx_insn *origin);

/* Products of warpgroups, and their groups (observed_warpgroup.c). */
const struct insn *observed_warpgroup(struct warp *w, const struct insn *in,
                                      const struct ptx_insn *origin, uint32_t pc, exec_fn run);

/* Textures and surfaces: which texels are read, and which elements are stored
 * (observed_image.c). */
const struct insn *observed_image(struct warp *w, const struct insn *in, exec_fn run,
                                  struct access_event event);

/* Runs a load or store of global or shared memory and tells it by its pattern, without addresses.
 */
const struct insn *observed_pattern(struct warp *w, exec_fn run, struct access_event *event);
/* The same of cp.async: what it reads, and what it writes. */
const struct insn *observed_copy(struct warp *w, const struct insn *in, exec_fn run,
                                 struct access_event event);

/* What a site has counted meanwhile. */
static inline struct site observed_cost(const struct site *now, const struct site *before)
{
    return (struct site){now->a - before->a, now->b - before->b, now->c - before->c};
}

#endif

/* observed_order.c - what orders threads: barriers, lanes that come together, fences, groups of
 * asynchronous copies, ends; see observed_access.h. */
#include "exec/observed_access.h"
#include "exec/exec.h"

#include <string.h>

/* A barrier is run again when it opens, or when lanes that came first have been joined; the warp
 * has come once the barrier has counted it. */
const struct insn *observed_barrier(struct warp *w, const struct insn *in, uint32_t pc, exec_fn run,
                                    bool waits)
{
    unsigned id = ((const uint32_t *)warp_ref(w, in->a))[first_lane(w->active)];
    const uint64_t before = w->sites[in->site].a;
    const struct insn *next = run(w, in);
    const struct block *b = w->block;
    if (id < BARRIERS && w->sites[in->site].a != before && !b->fault->set) {
        OBSERVE(b->observers, barrier, w, pc, id, waits);
        if (b->barriers[id].arrived == 0) {
            OBSERVE(b->observers, barrier_open, w, id);
        }
    }
    return next;
}

/* Lanes that came here together, one event for each mask among them. */
static void tell_warp_sync(struct warp *w, uint32_t pc, lane_mask lanes, const uint32_t *mask)
{
    while (lanes != 0) {
        lane_mask group = 0;
        LANES { group |= (lane_mask)(mask[i] == mask[first_lane(lanes)]) << i; }
        group &= lanes;
        OBSERVE(w->block->observers, warp_sync, w, pc, group);
        lanes &= ~group;
    }
}

const struct insn *observed_if_synced(struct warp *w, const struct insn *in, uint32_t pc,
                                      exec_fn run, uint32_t mask_ref)
{
    const lane_mask lanes = w->active;
    uint32_t mask[WARP_LANES]; /* a match may write over its mask */
    memcpy(mask, warp_ref(w, mask_ref), sizeof mask);
    const struct insn *next = run(w, in);
    if (next == in + 1) { /* else these lanes wait for others; see warp_block_split() */
        tell_warp_sync(w, pc, lanes, mask);
    }
    return next;
}

enum fence_scope observed_fence_scope(const struct ptx_insn *origin)
{
    return ptx_has_modifier(origin, WORD_CTA) ? FENCE_BLOCK
           : ptx_has_modifier(origin, WORD_SYS) || ptx_has_modifier(origin, WORD_CLUSTER)
               ? FENCE_SYSTEM
               : FENCE_DEVICE;
}

void observed_async(struct warp *w, const struct ptx_insn *origin, uint32_t pc, lane_mask lanes)
{
    enum async_kind kind = ptx_has_modifier(origin, WORD_COMMIT_GROUP) ? ASYNC_COMMIT : ASYNC_WAIT;
    uint64_t groups = origin->operand_count > 0 ? origin->operands[0].bits : 0;
    OBSERVE(w->block->observers, async, w, pc, lanes, kind, (unsigned)groups);
}

const struct insn *observed_exit(struct warp *w, const struct insn *in, uint32_t pc, exec_fn run)
{
    const lane_mask lanes = observed_lanes(w, in);
    struct block *b = w->block;
    unsigned waiting = 0;
    for (unsigned id = 0; id < BARRIERS; id++) {
        waiting |= (unsigned)(b->barriers[id].arrived > 0) << id;
    }
    if (lanes != 0) {
        OBSERVE(b->observers, leave, w, pc, lanes);
    }
    const struct insn *next = run(w, in);
    for (unsigned id = 0; id < BARRIERS; id++) { /* barriers that no thread waits for any more */
        if (waiting >> id & 1u && b->barriers[id].arrived == 0) {
            OBSERVE(b->observers, barrier_open, w, id);
        }
    }
    return next;
}

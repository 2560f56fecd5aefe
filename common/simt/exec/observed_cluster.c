/* observed_cluster.c - reports what lanes are about to do to the shared memory of other blocks of
 * their cluster. For exec_observed.c alone. */
#include "exec/observed_access.h"
#include "machine/cluster.h"

/* The lanes whose address lies in another block's memory; the own block by its rank is the own
 * block, and its addresses lose the rank. */
static lane_mask remote_lanes(const struct warp *w, const struct insn *in, uint64_t *generic,
                              lane_mask lanes)
{
    lane_mask remote = 0;
    for (lane_mask left = lanes; left != 0; left &= left - 1) {
        const unsigned i = first_lane(left);
        const uint64_t inside = generic[i] & (WINDOW_BASE(1) - 1);
        const bool shared = in->space == PTX_SHARED || generic[i] >> WINDOW_SHIFT == WINDOW_SHARED;
        if (shared && inside >> CLUSTER_SHIFT != 0) {
            const bool is_own = cluster_block(w->block, inside) == w->block;
            generic[i] = is_own ? (generic[i] & ~inside) | CLUSTER_OFFSET(inside) : generic[i];
            remote |= (lane_mask)!is_own << i;
        }
    }
    return remote;
}

/* Those of the lanes that mean the same block as the first one. What will be a fault is left out of
 * *good: there is no place to remember it. */
static lane_mask lanes_of_block(const struct warp *w, const uint64_t *generic, lane_mask lanes,
                                unsigned bytes, uint64_t *offset, lane_mask *good)
{
    const uint64_t window = WINDOW_BASE(1) - 1;
    const struct block *owner = cluster_block(w->block, generic[first_lane(lanes)] & window);
    lane_mask same = 0;
    *good = 0;
    for (lane_mask left = lanes; left != 0; left &= left - 1) {
        const unsigned i = first_lane(left);
        const bool is_there = cluster_block(w->block, generic[i] & window) == owner;
        offset[i] = CLUSTER_OFFSET(generic[i]);
        same |= (lane_mask)is_there << i;
        *good |= (lane_mask)(is_there && owner != NULL && offset[i] % bytes == 0 &&
                             offset[i] + bytes <= owner->shared_bytes)
                 << i;
    }
    return same;
}

lane_mask observed_remote(struct warp *w, const struct insn *in, uint64_t *generic, lane_mask lanes,
                          struct access_event event)
{
    const bool may_be_remote = in->flags & INSN_CLUSTER || in->space == PTX_GENERIC;
    if (!may_be_remote || !w->block->kernel->shares_memory) {
        return lanes;
    }
    const struct observers *all = w->block->observers;
    const lane_mask remote = remote_lanes(w, in, generic, lanes);
    uint64_t offset[WARP_LANES] = {0};
    event.space = PTX_SHARED;
    event.address = offset;
    event.bytes = in->bytes;
    for (lane_mask left = all->wants & OBSERVE_ORDER ? remote : 0; left != 0;) {
        const struct block *owner =
            cluster_block(w->block, generic[first_lane(left)] & (WINDOW_BASE(1) - 1));
        left &= ~lanes_of_block(w, generic, left, in->bytes, offset, &event.lanes);
        if (event.lanes != 0) {
            observed_bounds(&event);
            OBSERVE(all, remote, w, &event, owner);
        }
    }
    return lanes & ~remote;
}

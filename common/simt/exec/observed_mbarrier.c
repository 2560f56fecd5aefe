/* observed_mbarrier.c - reports what each lane does with an mbarrier: lane by lane, since the phase
 * that one arrives in may end with the arrival of another. For exec_observed.c alone. */
#include "exec/exec_types.h"
#include "machine/cluster.h"
#include "machine/mbarrier.h"
#include "exec/observed_access.h"

#include <string.h>

/* The word as it is now, MBARRIER_NONE where none can be. */
static u64 word_at(const struct warp *w, u64 offset)
{
    const struct block *b = w->block;
    u64 word = MBARRIER_NONE;
    if (b->shared_bytes >= sizeof word && offset <= b->shared_bytes - sizeof word) {
        memcpy(&word, b->shared + offset, sizeof word);
    }
    return word;
}

static void tell_lane(struct warp *w, const struct insn *in, const struct ptx_insn *origin,
                      uint32_t pc, unsigned lane, u64 offset, unsigned before)
{
    const struct observers *all = w->block->observers;
    if (ptx_has_modifier(origin, WORD_INIT)) {
        OBSERVE(all, mbarrier, w, pc, lane, MBARRIER_INIT, offset, 0);
    } else if (ptx_has_modifier(origin, WORD_TEST_WAIT) ||
               ptx_has_modifier(origin, WORD_TRY_WAIT)) {
        if (read_predicate(w, in->d, false) >> lane & 1u) {
            unsigned past = (mbarrier_phase(word_at(w, offset)) - 1) % MBARRIER_PHASES;
            OBSERVE(all, mbarrier, w, pc, lane, MBARRIER_PASSED, offset, past);
        } else {
            OBSERVE(all, mbarrier, w, pc, lane, MBARRIER_ASKED, offset, before);
        }
    } else if (origin->op == PTX_OP_CP) {
        OBSERVE(all, mbarrier, w, pc, lane, MBARRIER_COPIES, offset, before);
    } else if (ptx_has_modifier(origin, WORD_ARRIVE) ||
               ptx_has_modifier(origin, WORD_ARRIVE_DROP)) {
        OBSERVE(all, mbarrier, w, pc, lane, MBARRIER_ARRIVE, offset, before);
    }
}

const struct insn *observed_mbarrier(struct warp *w, const struct insn *in,
                                     const struct ptx_insn *origin, uint32_t pc, exec_fn run)
{
    const lane_mask active = w->active, lanes = observed_lanes(w, in);
    const struct insn *next = in + 1;
    u64 address[WARP_LANES];
    observed_addresses(w, in, address);
    for (lane_mask left = lanes; left != 0 && next != NULL; left &= left - 1) {
        unsigned lane = first_lane(left);
        u64 offset = address[lane] & (WINDOW_BASE(1) - 1);
        const struct block *owner = cluster_block(w->block, offset);
        offset = owner == w->block ? CLUSTER_OFFSET(offset) : offset;
        unsigned before = mbarrier_phase(word_at(w, offset));
        w->active = 1u << lane;
        next = run(w, in);
        w->active = active;
        if (next != NULL && owner == w->block) {
            tell_lane(w, in, origin, pc, lane, offset, before);
        } else if (next != NULL && owner != NULL && w->block->observers->wants & OBSERVE_ORDER) {
            OBSERVE(w->block->observers, remote_arrive, w, lane, owner, CLUSTER_OFFSET(offset));
        }
    }
    return next;
}

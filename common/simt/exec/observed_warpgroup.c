/* observed_warpgroup.c - reports which shared memory wgmma.mma_async reads, and its groups. For
 * exec_observed.c alone. */
#include "exec/exec_warpgroup.h"
#include "exec/observed_access.h"

enum { CHUNK = 16 };

struct reader {
    struct warp *w;
    uint32_t pc;
};

static void tell_chunk(void *state, u32 offset)
{
    const struct reader *r = state;
    const struct bulk_event e = {
        .kind = PRODUCT_READS, .block = r->w->block, .offset = offset, .bytes = CHUNK};
    OBSERVE(r->w->block->observers, bulk, r->w, r->pc, 0, &e);
}

const struct insn *observed_warpgroup(struct warp *w, const struct insn *in,
                                      const struct ptx_insn *origin, uint32_t pc, exec_fn run)
{
    const struct insn *next = run(w, in);
    if (next != in + 1) {
        return next; /* not all lanes are there, or a fault */
    }
    const bool commits = ptx_has_modifier(origin, WORD_COMMIT_GROUP);
    if (commits || ptx_has_modifier(origin, WORD_WAIT_GROUP)) {
        const u64 left = origin->operand_count > 0 ? origin->operands[0].bits : 0;
        const struct bulk_event e = {
            .kind = commits ? PRODUCT_COMMITS : PRODUCT_WAITS, .block = w->block, .bytes = left};
        OBSERVE(w->block->observers, bulk, w, pc, 0, &e);
    } else if (in->warpgroup != NULL) {
        const struct bulk_event e = {.kind = PRODUCT_BEGINS, .block = w->block};
        struct reader r = {w, pc};
        OBSERVE(w->block->observers, bulk, w, pc, 0, &e);
        exec_warpgroup_chunks(w, in, tell_chunk, &r);
    }
    return next;
}

/* observed_bulk.c - reports which shared memory the bulk engine fills and reads, lane by lane. For
 * exec_observed.c alone. */
#include "exec/exec_bulk.h"
#include "exec/exec_types.h"
#include "exec/observed_access.h"
#include "machine/cluster.h"
#include "machine/mbarrier.h"

#include <string.h>

static u64 in_window(u64 address) { return address & (WINDOW_BASE(1) - 1); }

static u64 bytes_of(struct warp *w, const struct insn *in, unsigned lane)
{
    return in->elements > 1 || exec_is_tensor(in) ? exec_tensor_extent(w, in, lane)
                                                  : ((const u32 *)warp_ref(w, in->c))[lane];
}

static unsigned phase_at(const struct block *b, u64 offset)
{
    u64 word = 0;
    if (offset + sizeof word <= b->shared_bytes) {
        memcpy(&word, b->shared + offset, sizeof word);
    }
    return mbarrier_phase(word);
}

enum { MOST_EVENTS = MOST_CLUSTER_BLOCKS + 1 };

static struct bulk_event fill_event(const struct warp *w, struct bulk_target target, u64 bytes,
                                    bool adds)
{
    const u64 to = in_window(target.to), bar = in_window(target.mbarrier);
    struct block *b = cluster_block(w->block, to);
    return (struct bulk_event){.kind = BULK_FILLS,
                               .block = b,
                               .offset = CLUSTER_OFFSET(to),
                               .bytes = bytes,
                               .adds = adds,
                               .mbarrier = CLUSTER_OFFSET(bar),
                               .phase = b != NULL ? phase_at(b, CLUSTER_OFFSET(bar)) : 0};
}

/* What a lane's copy does to shared memory: what it fills, and what it reads. */
static unsigned find_events(struct warp *w, const struct insn *in, const struct ptx_insn *origin,
                            unsigned lane, struct bulk_event *events)
{
    const u64 bytes = bytes_of(w, in, lane);
    struct bulk_target targets[MOST_CLUSTER_BLOCKS];
    const bool stores = ptx_has_modifier(origin, WORD_BULK_GROUP);
    const bool adds = ptx_has_modifier(origin, WORD_REDUCE);
    const unsigned filled = stores ? 0 : bulk_targets(w, in, lane, targets);
    unsigned count = 0;
    for (unsigned i = 0; i < filled; i++) {
        events[count++] = fill_event(w, targets[i], bytes, adds);
    }
    if (stores || !ptx_has_modifier(origin, WORD_GLOBAL)) {
        const u64 from = in_window(bulk_operand(w, stores ? in->a : in->b, lane));
        struct bulk_event read = {.kind = BULK_READS,
                                  .block = cluster_block(w->block, from),
                                  .offset = CLUSTER_OFFSET(from),
                                  .bytes = bytes,
                                  .in_group = stores};
        if (filled > 0) {
            read.mbarrier = events[0].mbarrier;
            read.phase = events[0].phase;
            read.notified = events[0].block;
        }
        events[count++] = read;
    }
    return count;
}

static bool is_valid(const struct bulk_event *e)
{
    return e->block != NULL && e->offset + e->bytes <= e->block->shared_bytes;
}

static const struct insn *copy_of_lane(struct warp *w, const struct insn *in,
                                       const struct ptx_insn *origin, uint32_t pc, exec_fn run,
                                       unsigned lane)
{
    struct bulk_event events[MOST_EVENTS];
    const unsigned count = find_events(w, in, origin, lane, events);
    const struct insn *next = run(w, in);
    for (unsigned i = 0; i < count && next != NULL; i++) {
        if (is_valid(&events[i])) {
            OBSERVE(w->block->observers, bulk, w, pc, lane, &events[i]);
        }
    }
    return next;
}

static const struct insn *group(struct warp *w, const struct insn *in,
                                const struct ptx_insn *origin, uint32_t pc, exec_fn run)
{
    const bool commits = ptx_has_modifier(origin, WORD_COMMIT_GROUP);
    const u64 left = origin->operand_count > 0 ? origin->operands[0].bits : 0;
    const struct bulk_event e = {.kind = commits ? BULK_COMMITS : BULK_WAITS, .bytes = left};
    for (lane_mask lanes = observed_lanes(w, in); lanes != 0; lanes &= lanes - 1) {
        OBSERVE(w->block->observers, bulk, w, pc, first_lane(lanes), &e);
    }
    return run(w, in);
}

/* st.async and red.async: the elements of each lane, all by one instruction. */
static const struct insn *store_async(struct warp *w, const struct insn *in,
                                      const struct ptx_insn *origin, uint32_t pc, exec_fn run)
{
    const lane_mask lanes = observed_lanes(w, in);
    struct bulk_event events[WARP_LANES];
    for (lane_mask left = lanes; left != 0; left &= left - 1) {
        const unsigned lane = first_lane(left);
        const struct bulk_target target = {bulk_operand(w, in->a, lane),
                                           bulk_operand(w, in->e, lane)};
        events[lane] = fill_event(w, target, in->bytes, origin->op == PTX_OP_RED);
    }
    const struct insn *next = run(w, in);
    for (lane_mask left = next != NULL ? lanes : 0; left != 0; left &= left - 1) {
        const unsigned lane = first_lane(left);
        if (is_valid(&events[lane])) {
            OBSERVE(w->block->observers, bulk, w, pc, lane, &events[lane]);
        }
    }
    return next;
}

const struct insn *observed_bulk(struct warp *w, const struct insn *in,
                                 const struct ptx_insn *origin, uint32_t pc, exec_fn run)
{
    const lane_mask active = w->active, lanes = observed_lanes(w, in);
    const struct insn *next = in + 1;
    if (origin->op == PTX_OP_ST || origin->op == PTX_OP_RED) {
        return store_async(w, in, origin, pc, run);
    }
    if (ptx_has_modifier(origin, WORD_COMMIT_GROUP) || ptx_has_modifier(origin, WORD_WAIT_GROUP)) {
        return group(w, in, origin, pc, run);
    }
    for (lane_mask left = lanes; left != 0 && next != NULL; left &= left - 1) {
        w->active = 1u << first_lane(left);
        next = copy_of_lane(w, in, origin, pc, run, first_lane(left));
        w->active = active;
    }
    return next;
}

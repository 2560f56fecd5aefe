/* observed_repeat.c - loads and stores whose repeats are counted (machine/repeats.h): each runs its
 * handler, and is counted or told. */
#include "exec/observed_access.h"
#include "exec/observed_kernel.h"
#include "machine/repeats.h"

static const struct insn *count_or_tell(struct warp *w, const struct insn *in, exec_fn run)
{
    const lane_mask lanes = observed_lanes(w, in);
    const struct site before = w->sites[in->site];
    const uint64_t start = lanes != 0 ? observed_first_address(w, in, lanes) : 0;
    const struct insn *next = run(w, in);
    struct repeats *r = w->block->repeats;
    if (next != NULL && lanes != 0 &&
        !repeats_count(r, w, in, start, in->space == PTX_GLOBAL, r->log->samples)) {
        const struct site cost = observed_cost(&w->sites[in->site], &before);
        repeats_tell(r, w, in, lanes, start, &cost);
    }
    return next;
}

static const struct insn *tell_repeat(struct warp *w, const struct insn *in)
{
    const struct observed_kernel *o = observed_copy_of(w->block->kernel);
    return count_or_tell(w, in, o->run[in - o->kernel.code]);
}

/* The same for most of them, whose lanes are all active ones; in copies, so that it is known what
 * they are, and whether somebody samples lines, who wants all requests in their order. */
static inline __attribute__((always_inline)) const struct insn *
tell_repeat_of_all(struct warp *w, const struct insn *in, bool global, bool leads, bool samples)
{
    const struct observed_kernel *o = observed_copy_of(w->block->kernel);
    const exec_fn run = o->run[in - o->kernel.code];
    const uint64_t start = observed_first_address(w, in, w->active);
    struct repeats *r = w->block->repeats;
    const struct insn *next = run(w, in);
    if (next == NULL) {
        return next;
    }
    if (leads && !repeats_count_all(r, w, in, start, global, samples)) {
        repeats_lead(r, w, in, start);
    } else if (!leads && !repeats_count(r, w, in, start, global, samples)) {
        repeats_tell(r, w, in, w->active, start, NULL);
    }
    return next;
}

static const struct insn *tell_repeat_global(struct warp *w, const struct insn *in)
{
    return tell_repeat_of_all(w, in, true, false, false);
}

static const struct insn *tell_repeat_sampled(struct warp *w, const struct insn *in)
{
    return tell_repeat_of_all(w, in, true, false, w->block->repeats->log->samples);
}

static const struct insn *tell_repeat_own(struct warp *w, const struct insn *in)
{
    return tell_repeat_of_all(w, in, false, false, false); /* of the block, or of the threads */
}

static const struct insn *tell_leader_global(struct warp *w, const struct insn *in)
{
    return tell_repeat_of_all(w, in, true, true, false);
}

static const struct insn *tell_leader_sampled(struct warp *w, const struct insn *in)
{
    return tell_repeat_of_all(w, in, true, true, w->block->repeats->log->samples);
}

static const struct insn *tell_leader_own(struct warp *w, const struct insn *in)
{
    return tell_repeat_of_all(w, in, false, true, false);
}

exec_fn observed_repeat_reporter(const struct observed_kernel *o, uint32_t pc)
{
    static const exec_fn of_global[2][2] = {{tell_repeat_global, tell_repeat_sampled},
                                            {tell_leader_global, tell_leader_sampled}};
    const struct insn *in = &o->kernel.code[pc];
    if (!observed_is_simple(in)) {
        return tell_repeat;
    }
    if (in->flags & INSN_LED) {
        return o->run[pc];
    }
    const bool leads = o->kernel.led[in->site].count > 0;
    if (in->space != PTX_GLOBAL) {
        return leads ? tell_leader_own : tell_repeat_own;
    }
    return of_global[leads][(o->wants & OBSERVE_IN_ORDER) != 0];
}

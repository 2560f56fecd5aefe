/* warp_call.c - functions that a warp enters and leaves: frames of registers, local memory. Called
 * by handlers. */
#include "machine/split.h"

/* Where a callee's registers go: behind its caller's, and where no other split keeps its own.
 * Splits take turns, and each function lays out its registers in its own way, so lanes of one would
 * write over the other's. Two splits in the same function do share: a lane has its own part. */
static uint32_t place_frame(const struct warp *w, uint32_t at, const struct kernel_func *callee)
{
    unsigned i = 0;
    while (i < w->split_count) {
        const struct split *s = &w->splits[i++];
        if (s->state == SPLIT_FREE) { /* its function may be one of another kernel */
            continue;
        }
        uint32_t end = s->frame + w->block->kernel->funcs[s->func]->frame_bytes;
        bool shared = s->frame == at && s->func == callee->index;
        if (!shared && s->frame < at + callee->frame_bytes && at < end) {
            at = end;
            i = 0;
        }
    }
    return at;
}

/* Where the stacks of these lanes end is kept in the frame of the running function, or comes from
 * there. */
static void keep_stack(struct warp *w, lane_mask lanes, bool restores)
{
    const struct split *s = &w->splits[w->current];
    const struct kernel_func *f = w->block->kernel->funcs[s->func];
    if (f->uses_stack) {
        uint32_t *kept = (uint32_t *)(void *)(w->stack + s->frame + f->stack_ends);
        for (; lanes != 0; lanes &= lanes - 1) {
            const unsigned i = first_lane(lanes);
            *(restores ? &w->stack_end[i] : &kept[i]) = restores ? kept[i] : w->stack_end[i];
        }
    }
}

const struct insn *warp_call(struct warp *w, const struct insn *in, lane_mask lanes,
                             const struct call_site *call, const struct kernel_func *callee)
{
    const struct kernel *k = w->block->kernel;
    const struct kernel_func *caller = k->funcs[w->splits[w->current].func];
    uint32_t frame = w->splits[w->current].frame + caller->frame_bytes;
    frame = place_frame(w, frame, callee);
    int parent = split_insert_parent(w, w->current, split_pc(w, in) + 1);
    struct split *s = &w->splits[w->current];
    w->splits[parent].is_call = true;
    w->splits[parent].call = (uint32_t)(call - k->calls);
    w->splits[parent].mask = w->active & ~lanes;
    w->active = lanes;
    s->reconverge = w->reconverge = NO_PC;
    s->frame = frame;
    s->local += (uint32_t)align_up(caller->local_bytes, LOCAL_ALIGNMENT);
    s->func = callee->index;
    if (s->frame + callee->frame_bytes > w->block->stack_limit ||
        s->local + callee->local_bytes > w->block->local_stride) {
        return fault(w, in, first_lane(lanes), SIMT_ILLEGAL_ADDRESS,
                     "stack overflow: calls are nested too deeply (%u bytes of local memory a "
                     "thread; cudaDeviceSetLimit(cudaLimitStackSize, ...) gives more)",
                     w->block->local_stride);
    }
    w->base[REF_FRAME] = w->stack + s->frame;
    w->local_offset = s->local;
    keep_stack(w, lanes, false);
    return split_code(w) + callee->entry_pc;
}

int warp_caller(const struct warp *w)
{
    int i = w->splits[w->current].parent;
    while (!w->splits[i].is_call) {
        i = w->splits[i].parent;
    }
    return i;
}

const struct insn *warp_return(struct warp *w, const struct insn *in, lane_mask leaving)
{
    if (leaving == 0) {
        return in + 1;
    }
    keep_stack(w, leaving, true);
    w->splits[warp_caller(w)].mask |= leaving;
    return split_leave(w, in, leaving);
}

/* warp_yield.c - lanes in a loop in which they wait for others (ptxas/yield.c), as a GPU runs them.
 *
 * At the head of each round they execute YIELD: nobody waits for them any more, the warp's other
 * splits take their turn, and splits that come to the same YIELD go on as one. Who leaves the loop
 * goes on at once. Called by handlers. */
#include "machine/split.h"

#include <string.h>

/* The call that the running function was entered by; -1: it is the kernel. */
static int call_above(const struct warp *w)
{
    int above = w->splits[w->current].parent;
    while (above >= 0 && !w->splits[above].is_call) {
        above = w->splits[above].parent;
    }
    return above;
}

/* Lanes that wait here for the running split go on without it. */
static void let_go(struct warp *w, int waiting, int call)
{
    if (w->splits[waiting].mask == 0) {
        return;
    }
    const int index = split_new(w);
    struct split *freed = &w->splits[index];
    *freed = w->splits[waiting];
    freed->parent = call;
    freed->reconverge = NO_PC;
    freed->children = 0;
    w->splits[waiting].mask = 0;
    if (call >= 0) {
        w->splits[call].children++;
    }
    split_push_ready(w, index);
}

/* The running split waits for nobody but at the end of its call. */
static void go_alone(struct warp *w, int call)
{
    struct split *s = &w->splits[w->current];
    const int parent = s->parent;
    s->reconverge = w->reconverge = NO_PC;
    if (parent == call) {
        return;
    }
    s->parent = call;
    if (call >= 0) {
        w->splits[call].children++;
    }
    split_drop_child(w, parent);
}

/* Splits that have yielded here before become part of the running one. */
static void take_in(struct warp *w, uint32_t pc)
{
    const struct split *s = &w->splits[w->current];
    unsigned kept = 0;
    for (unsigned i = 0; i < w->ready_count; i++) {
        struct split *other = &w->splits[w->ready[i]];
        if (other->yielded && other->pc == pc && other->frame == s->frame &&
            other->parent == s->parent) {
            w->active |= other->mask;
            other->state = SPLIT_FREE;
            if (other->parent >= 0) {
                w->splits[other->parent].children--;
            }
        } else {
            w->ready[kept++] = w->ready[i];
        }
    }
    w->ready_count = kept;
}

bool warp_yields(struct warp *w, const struct insn *in, const struct insn **next)
{
    if (w->splits[w->current].parent < 0 && w->ready_count == 0) {
        w->splits[w->current].yielded = false; /* the whole warp, mostly: nobody else is there */
        w->splits[w->current].reconverge = w->reconverge = NO_PC;
        return false;
    }
    const int call = call_above(w);
    for (int above = w->splits[w->current].parent; above != call; above = w->splits[above].parent) {
        let_go(w, above, call);
    }
    go_alone(w, call);
    take_in(w, split_pc(w, in));
    struct split *s = &w->splits[w->current];
    s->yielded = !s->yielded && w->ready_count > 0;
    if (!s->yielded) {
        return false;
    }
    const uint16_t index = (uint16_t)w->current;
    split_save(w, in);
    s->state = SPLIT_READY;
    memmove(w->ready + 1, w->ready, w->ready_count * sizeof *w->ready);
    w->ready[0] = index; /* below all others */
    w->ready_count++;
    *next = split_next(w);
    return true;
}

const struct insn *warp_leave_loop(struct warp *w, const struct insn *in, lane_mask taken)
{
    const bool target_leaves = (in->flags & INSN_TAKEN_FIRST) != 0;
    const lane_mask leaving = target_leaves ? taken : w->active & ~taken;
    const uint32_t behind = split_pc(w, in) + 1, target = (uint32_t)in->target;
    const uint32_t out = target_leaves ? target : behind, on = target_leaves ? behind : target;
    if (leaving == 0) {
        return split_code(w) + on;
    }
    if (leaving != w->active) {
        split_off(w, w->active & ~leaving, on);
        w->active = leaving;
    }
    go_alone(w, call_above(w));
    return split_code(w) + out;
}

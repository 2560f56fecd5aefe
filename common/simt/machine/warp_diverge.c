/* warp_diverge.c - how lanes of a warp part at a branch, wait for each other where the branch says,
 * come together again, and leave. Called by handlers. */
#include "machine/cluster.h"
#include "machine/split.h"

void split_drop_child(struct warp *w, int parent)
{
    while (parent >= 0) {
        struct split *p = &w->splits[parent];
        if (--p->children > 0) {
            return;
        }
        if (p->mask != 0) {
            split_push_ready(w, parent);
            return;
        }
        p->state = SPLIT_FREE;
        parent = p->parent;
    }
}

static const struct insn *child_gone(struct warp *w, int parent)
{
    w->slices = 0;
    w->asked |= w->polled;
    w->polled = false;
    split_drop_child(w, parent);
    return split_next(w);
}

void split_off(struct warp *w, lane_mask lanes, uint32_t target)
{
    int parent = w->splits[w->current].parent;
    if (target == w->reconverge) {
        w->splits[parent].mask |= lanes;
        return;
    }
    int index = split_new(w);
    w->splits[index] = w->splits[w->current];
    w->splits[index].mask = lanes;
    w->splits[index].pc = target;
    if (parent >= 0) {
        w->splits[parent].children++;
    }
    split_push_ready(w, index);
}

/* Climbs from the running split past those parents of its call that wait before `point`. */
static int climb_to(const struct warp *w, const struct insn *point)
{
    const struct insn *code = split_code(w);
    int child = w->current;
    int above = w->splits[child].parent;
    while (above >= 0 && !w->splits[above].is_call && code[w->splits[above].pc].d < point->d) {
        child = above;
        above = w->splits[child].parent;
    }
    return child;
}

/* The parent of `child`, if it waits at `point`; else -1. */
static int parent_at(const struct warp *w, int child, const struct insn *point)
{
    int above = w->splits[child].parent;
    bool waits =
        above >= 0 && !w->splits[above].is_call && split_code(w) + w->splits[above].pc == point;
    return waits ? above : -1;
}

/* A parent is to wait at pc, in its rank among those that do; unless there is one already. */
static void wait_at(struct warp *w, uint32_t pc)
{
    const struct insn *point = split_code(w) + pc;
    int child = climb_to(w, point);
    if (parent_at(w, child, point) >= 0) {
        return;
    }
    split_insert_parent(w, child, pc);
    w->splits[child].reconverge = pc;
    if (child == w->current) {
        w->reconverge = pc;
    }
}

static void wait_at_all(struct warp *w, const struct insn *branch)
{
    for (const uint32_t *pc = w->block->kernel->points + branch->points; *pc != NO_PC; pc++) {
        wait_at(w, *pc);
    }
}

const struct insn *warp_diverge(struct warp *w, const struct insn *in, lane_mask taken,
                                uint32_t target)
{
    lane_mask rest = w->active & ~taken;
    uint32_t next = split_pc(w, in) + 1;
    wait_at_all(w, in);
    if (next == w->reconverge || (in->flags & INSN_TAKEN_FIRST && target != w->reconverge)) {
        split_off(w, rest, next);
        w->active = taken;
        return split_code(w) + target;
    }
    split_off(w, taken, target);
    w->active = rest;
    return in + 1;
}

const struct insn *warp_diverge_many(struct warp *w, const struct insn *in, const uint32_t *targets)
{
    lane_mask left = w->active;
    wait_at_all(w, in);
    for (;;) {
        uint32_t target = targets[first_lane(left)];
        lane_mask same = 0;
        for (unsigned i = 0; i < WARP_LANES; i++) {
            same |= (lane_mask)((left >> i & 1) && targets[i] == target) << i;
        }
        left &= ~same;
        if (left == 0) { /* the last group stays in the running split; ENTER lets it arrive */
            w->active = same;
            return split_code(w) + target;
        }
        split_off(w, same, target);
    }
}

const struct insn *warp_diverge_call(struct warp *w, const struct insn *in, lane_mask first)
{
    lane_mask rest = w->active & ~first;
    wait_at_all(w, in);
    split_off(w, rest, split_pc(w, in));
    w->active = first;
    return in;
}

bool warp_arrives(struct warp *w, const struct insn *in, const struct insn **next)
{
    struct split *s = &w->splits[w->current];
    int above = parent_at(w, climb_to(w, in), in);
    if (above < 0) {
        return false;
    }
    w->splits[above].mask |= w->active;
    s->state = SPLIT_FREE;
    *next = child_gone(w, s->parent);
    return true;
}

const struct insn *split_leave(struct warp *w, const struct insn *in, lane_mask leaving)
{
    struct split *s = &w->splits[w->current];
    if (leaving != w->active) {
        w->active &= ~leaving;
        return in + 1;
    }
    s->state = SPLIT_FREE;
    return child_gone(w, s->parent);
}

const struct insn *warp_exit(struct warp *w, const struct insn *in, lane_mask leaving)
{
    if (leaving == 0) {
        return in + 1;
    }
    w->live &= ~leaving;
    w->did |= DID_NEWS;
    w->block->threads_exited += lanes_in(leaving);
    if (w->block->cluster->arrived > 0) {
        cluster_exit(w, leaving);
    }
    return split_leave(w, in, leaving);
}

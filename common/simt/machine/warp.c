/* warp.c - splits: how a warp diverges, calls, returns, waits and comes together again.
 * See warp.h for the picture. Handlers (exec_*.c) call these; block.c calls warp_run. */
#include "machine/observer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Turns of a loop that polls, before lanes that wait behind it go ahead of it. Sooner, a loop that is only long
     * would be split, and count more than on a GPU. */
    RELEASE_AFTER_SLICES = 4,
    SPIN_SLICE = 500, /* warp instructions of a spinning warp's turn: others do what it waits for */
    FIRST_SPLITS = 8          /* room for them at first; it doubles */
};

static const struct insn *code_of(const struct warp *w) { return w->block->kernel->code; }

static uint32_t pc_of(const struct warp *w, const struct insn *in)
{
    return (uint32_t)(in - code_of(w));
}

static void grow_splits(struct warp *w)
{
    unsigned grown = w->split_count == 0 ? FIRST_SPLITS : w->split_count * 2;
    struct split *splits = realloc(w->splits, grown * sizeof *splits);
    uint16_t *ready = realloc(w->ready, grown * sizeof *ready);
    if (splits == NULL || ready == NULL) {
        abort(); /* a few kilobytes: there is nothing sensible left to do */
    }
    memset(splits + w->split_count, 0, (grown - w->split_count) * sizeof *splits);
    w->splits = splits;
    w->ready = ready;
    w->split_count = grown;
}

static int new_split(struct warp *w)
{
    for (unsigned i = 0; i < w->split_count; i++) {
        if (w->splits[i].state == SPLIT_FREE) {
            return (int)i;
        }
    }
    unsigned first = w->split_count;
    grow_splits(w);
    return (int)first;
}

static void push_ready(struct warp *w, int index)
{
    w->splits[index].state = SPLIT_READY;
    w->ready[w->ready_count++] = (uint16_t)index;
}

static const struct insn *load_split(struct warp *w, int index)
{
    const struct split *s = &w->splits[index];
    w->current = index;
    w->active = s->mask;
    w->reconverge = s->reconverge;
    w->base[REF_FRAME] = w->stack + s->frame;
    w->local_offset = s->local;
    return code_of(w) + s->pc;
}

static void save_current(struct warp *w, const struct insn *in)
{
    w->splits[w->current].mask = w->active;
    w->splits[w->current].pc = pc_of(w, in);
}

/* --- warp barriers in divergent code -------------------------------------------------------- */

static bool same_barrier(const struct warp *w, const struct split *a, const struct split *b)
{
    if (b->state != SPLIT_BLOCKED || a->members != b->members) {
        return false;
    }
    const struct insn *code = code_of(w);
    bool any_point = code[a->pc].flags & INSN_ANY_POINT && code[b->pc].flags & INSN_ANY_POINT;
    return any_point || (a->pc == b->pc && a->frame == b->frame);
}

static lane_mask lanes_arrived(const struct warp *w, const struct split *s)
{
    lane_mask met = 0;
    for (unsigned i = 0; i < w->split_count; i++) {
        if (same_barrier(w, s, &w->splits[i])) {
            met |= w->splits[i].mask;
        }
    }
    return met;
}

/* All lanes that s waits for have come: run the instruction once, for all of them together. */
static void complete_barrier(struct warp *w, const struct split *s, lane_mask met)
{
    const struct split meeting = *s;
    const struct insn *in = code_of(w) + meeting.pc;
    w->active = met;
    w->base[REF_FRAME] = w->stack + meeting.frame;
    if (!(in->flags & INSN_ANY_POINT) && in->handler(w, in) == NULL) {
        return; /* a fault */
    }
    if (w->block->observers != NULL && w->block->observers->wants & OBSERVE_ORDER) {
        OBSERVE(w->block->observers, warp_sync, w, meeting.pc, met);
    }
    for (unsigned i = w->split_count; i-- > 0;) {
        if (same_barrier(w, &meeting, &w->splits[i])) {
            w->splits[i].pc++;
            push_ready(w, (int)i);
        }
    }
}

/* Splits that have come to the same block barrier go on as one, if they wait below one parent. */
static bool merge_at_barrier(struct warp *w, int first)
{
    struct split *s = &w->splits[first];
    for (unsigned i = 0; i < w->split_count; i++) {
        struct split *other = &w->splits[i];
        if (other == s || !same_barrier(w, s, other)) {
            continue;
        }
        if (other->parent != s->parent || other->reconverge != s->reconverge) {
            return false;
        }
        s->mask |= other->mask;
        other->state = SPLIT_FREE;
        if (other->parent >= 0) {
            w->splits[other->parent].children--;
        }
    }
    push_ready(w, first);
    return true;
}

static void report_missing(struct warp *w, const struct split *blocked)
{
    const struct insn *in = code_of(w) + blocked->pc;
    lane_mask missing = blocked->members & w->live & ~blocked->mask;
    if (in->flags & INSN_BLOCK_BARRIER) {
        fault(w, in, first_lane(blocked->mask), SIMT_BARRIER,
              "barrier in divergent code: lanes 0x%08x of the warp are here, lanes 0x%08x are not: "
              "every thread of the block must reach the same barrier",
              blocked->mask, missing);
    } else {
        fault(w, in, first_lane(blocked->mask), SIMT_BAD_SHUFFLE,
              "lanes 0x%08x wait here for lanes 0x%08x of their warp (mask 0x%08x), which never "
              "come: every lane named in the mask must execute the instruction",
              blocked->mask, missing, blocked->members);
    }
}

/* Every split is blocked or waits for its children: let a complete meeting happen. */
static bool resolve_blocked(struct warp *w)
{
    const struct split *blocked = NULL;
    for (unsigned i = 0; i < w->split_count; i++) {
        const struct split *s = &w->splits[i];
        if (s->state == SPLIT_BLOCKED) {
            lane_mask met = lanes_arrived(w, s);
            bool complete = (s->members & w->live & ~met) == 0;
            if (complete && !(code_of(w)[s->pc].flags & INSN_BLOCK_BARRIER)) {
                complete_barrier(w, s, met);
                return true;
            }
            if (complete && merge_at_barrier(w, (int)i)) {
                return true;
            }
            blocked = s;
        }
    }
    assert(blocked != NULL);
    report_missing(w, blocked);
    return false;
}

/* Goes on with another split, or stops the warp: done, or a fault. */
static const struct insn *pick_ready(struct warp *w)
{
    w->current = -1;
    if (w->live == 0) {
        w->state = WARP_DONE;
        block_warp_done(w);
        return NULL;
    }
    while (w->ready_count == 0) {
        if (!resolve_blocked(w) || w->block->fault->set) {
            return NULL;
        }
    }
    return load_split(w, w->ready[--w->ready_count]);
}

/* A child of `parent` has arrived or vanished; the last one wakes the parent. */
static void drop_child(struct warp *w, int parent)
{
    while (parent >= 0) {
        struct split *p = &w->splits[parent];
        if (--p->children > 0) {
            return;
        }
        if (p->mask != 0) {
            push_ready(w, parent);
            return;
        }
        p->state = SPLIT_FREE;
        parent = p->parent;
    }
}

static const struct insn *child_gone(struct warp *w, int parent)
{
    w->slices = 0;
    w->polled = false;
    drop_child(w, parent);
    return pick_ready(w);
}

/* --- what handlers call --------------------------------------------------------------------- */

/* Puts a parent that resumes at pc between a split and its parent. */
static int insert_parent(struct warp *w, int child, uint32_t pc)
{
    int index = new_split(w);
    struct split *below = &w->splits[child];
    struct split *parent = &w->splits[index];
    *parent = *below;
    parent->state = SPLIT_PARENT;
    parent->is_call = false;
    parent->mask = 0;
    parent->pc = pc;
    parent->children = 1;
    below->parent = index;
    return index;
}

/* Splits `lanes` off the running split; they go to `target`, which may be the meeting point. */
static void split_off(struct warp *w, lane_mask lanes, uint32_t target)
{
    int parent = w->splits[w->current].parent;
    if (target == w->reconverge) {
        w->splits[parent].mask |= lanes;
        return;
    }
    int index = new_split(w);
    w->splits[index] = w->splits[w->current];
    w->splits[index].mask = lanes;
    w->splits[index].pc = target;
    if (parent >= 0) {
        w->splits[parent].children++;
    }
    push_ready(w, index);
}

/* Climbs from the running split past those parents of its call that wait before `point`. */
static int climb_to(const struct warp *w, const struct insn *point)
{
    const struct insn *code = code_of(w);
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
        above >= 0 && !w->splits[above].is_call && code_of(w) + w->splits[above].pc == point;
    return waits ? above : -1;
}

/* A parent is to wait at pc, in its rank among those that do; unless there is one already. */
static void wait_at(struct warp *w, uint32_t pc)
{
    const struct insn *point = code_of(w) + pc;
    int child = climb_to(w, point);
    if (parent_at(w, child, point) >= 0) {
        return;
    }
    insert_parent(w, child, pc);
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
    uint32_t next = pc_of(w, in) + 1;
    wait_at_all(w, in);
    if (next == w->reconverge || (in->flags & INSN_TAKEN_FIRST && target != w->reconverge)) {
        split_off(w, rest, next);
        w->active = taken;
        return code_of(w) + target;
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
            return code_of(w) + target;
        }
        split_off(w, same, target);
    }
}

const struct insn *warp_diverge_call(struct warp *w, const struct insn *in, lane_mask first)
{
    lane_mask rest = w->active & ~first;
    wait_at_all(w, in);
    split_off(w, rest, pc_of(w, in));
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

/* `leaving` lanes go away from the running split; the others go on behind `in`. */
static const struct insn *leave(struct warp *w, const struct insn *in, lane_mask leaving)
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
    w->block->threads_exited += lanes_in(leaving);
    return leave(w, in, leaving);
}

/* Where a callee's registers go: behind its caller's, and where no other split keeps its own.
 * Splits take turns, and each function lays out its registers in its own way, so lanes of one would
 * write over lanes of the other. Two splits in the same function do share: a lane has its own part.
 */
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

const struct insn *warp_call(struct warp *w, const struct insn *in, lane_mask lanes,
                             const struct call_site *call, const struct kernel_func *callee)
{
    const struct kernel *k = w->block->kernel;
    const struct kernel_func *caller = k->funcs[w->splits[w->current].func];
    uint32_t frame = w->splits[w->current].frame + caller->frame_bytes;
    frame = place_frame(w, frame, callee);
    int parent = insert_parent(w, w->current, pc_of(w, in) + 1);
    struct split *s = &w->splits[w->current];
    w->splits[parent].is_call = true;
    w->splits[parent].call = (uint32_t)(call - k->calls);
    w->splits[parent].mask = w->active & ~lanes;
    w->active = lanes;
    s->reconverge = w->reconverge = NO_PC;
    s->frame = frame;
    s->local += caller->local_bytes;
    s->func = callee->index;
    if (s->frame + callee->frame_bytes > w->block->stack_limit ||
        s->local + callee->local_bytes > w->block->local_stride) {
        return fault(w, in, first_lane(lanes), SIMT_ILLEGAL_ADDRESS,
                     "stack overflow: calls are nested too deeply (%u bytes of local memory a "
                     "thread)",
                     w->block->local_stride);
    }
    w->base[REF_FRAME] = w->stack + s->frame;
    w->local_offset = s->local;
    return code_of(w) + callee->entry_pc;
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
    w->splits[warp_caller(w)].mask |= leaving;
    return leave(w, in, leaving);
}

const struct insn *warp_block_split(struct warp *w, const struct insn *in, lane_mask members)
{
    save_current(w, in);
    w->splits[w->current].state = SPLIT_BLOCKED;
    w->splits[w->current].members = members;
    return pick_ready(w);
}

/* --- time slices ---------------------------------------------------------------------------- */

/* A split spins, and lanes that have left its loop wait for it at the meeting point. They may hold
 * what it spins for, so they go ahead; the spinning lanes join them again further on. Only a loop
 * that asks memory can be waiting for others; a warp that has needed this once gets short slices
 * and is let go at once from then on. */
static void release_waiting(struct warp *w)
{
    w->polled = false;
    for (unsigned i = 0; i < w->split_count; i++) {
        if (w->splits[i].state == SPLIT_PARENT && w->splits[i].mask != 0) {
            int index = new_split(w);
            struct split *p = &w->splits[i];
            w->splits[index] = *p;
            w->splits[index].is_call = false;
            w->splits[index].children = 0;
            p->mask = 0;
            if (p->parent >= 0) {
                w->splits[p->parent].children++;
            }
            push_ready(w, index);
            w->spins = true;
        }
    }
}

const struct insn *warp_out_of_fuel(struct warp *w, const struct insn *in)
{
    struct block *b = w->block;
    w->resume = in;
    if (b->fuel <= w->slice - w->fuel) {
        return fault(w, in, first_lane(w->active), SIMT_TIMEOUT,
                     "the kernel does not end: one block has done the work of %lld warp "
                     "instructions (set SIMT_MAX_INSTRUCTIONS to allow more)",
                     (long long)b->max_instructions);
    }
    w->turn += w->slice - w->fuel;
    if (w->turn < (w->spins ? SPIN_SLICE : b->turn) && !w->rested) {
        return NULL; /* the other warps' turn */
    }
    b->yielded |= w->rested;
    w->turn = 0;
    w->rested = false;
    if (++w->slices >= (w->spins ? 1 : RELEASE_AFTER_SLICES) && w->polled) {
        release_waiting(w);
    }
    if (w->ready_count > 0) { /* the split goes to the bottom of the stack, the top runs */
        save_current(w, in);
        int spinning = w->current;
        int next = w->ready[w->ready_count - 1];
        memmove(w->ready + 1, w->ready, (w->ready_count - 1) * sizeof *w->ready);
        w->ready[0] = (uint16_t)spinning;
        w->resume = load_split(w, next);
    }
    return NULL;
}

void warp_forget_allocations(struct warp *w)
{
    for (unsigned i = 0; i < w->block->kernel->pattern_count; i++) {
        w->patterns[i].begin = w->patterns[i].end = 0;
    }
}

void warp_run(struct warp *w)
{
    const int64_t left = w->block->fuel > 0 ? w->block->fuel : 0;
    w->slice = w->spins ? SPIN_SLICE : block_slice(w->block);
    w->slice = w->fuel = w->slice < left ? w->slice : left;
    const struct insn *in = w->resume;
    while (in != NULL) {
        in = in->run(w, in);
    }
    w->block->fuel -= w->slice - w->fuel;
}

/* --- beginning and end ---------------------------------------------------------------------- */

static void fill_special(struct warp *w, enum special which, uint32_t value)
{
    for (unsigned i = 0; i < WARP_LANES; i++) {
        w->special[which][i] = value;
    }
}

static void fill_thread_index(struct warp *w, const struct simt_dim *block)
{
    for (unsigned i = 0; i < WARP_LANES; i++) {
        uint32_t t = w->number * WARP_LANES + i;
        w->special[SPECIAL_TID_X][i] = t % block->x;
        w->special[SPECIAL_TID_Y][i] = t / block->x % block->y;
        w->special[SPECIAL_TID_Z][i] = t / block->x / block->y;
        w->special[SPECIAL_LANEID][i] = i;
        w->special[SPECIAL_LANEMASK_EQ][i] = 1u << i;
        w->special[SPECIAL_LANEMASK_LT][i] = (1u << i) - 1;
        w->special[SPECIAL_LANEMASK_LE][i] = (2u << i) - 1;
        w->special[SPECIAL_LANEMASK_GT][i] = ~((2u << i) - 1);
        w->special[SPECIAL_LANEMASK_GE][i] = ~((1u << i) - 1);
    }
}

/* What does not change from block to block of a launch. */
void warp_prepare(struct warp *w, struct block *b, unsigned number)
{
    const struct simt_launch *l = b->launch;
    w->block = b;
    w->number = number;
    fill_thread_index(w, &l->block);
    fill_special(w, SPECIAL_NTID_X, l->block.x);
    fill_special(w, SPECIAL_NTID_Y, l->block.y);
    fill_special(w, SPECIAL_NTID_Z, l->block.z);
    fill_special(w, SPECIAL_NCTAID_X, l->grid.x);
    fill_special(w, SPECIAL_NCTAID_Y, l->grid.y);
    fill_special(w, SPECIAL_NCTAID_Z, l->grid.z);
    fill_special(w, SPECIAL_WARPID, number);
    fill_special(w, SPECIAL_NWARPID, b->warp_count);
    fill_special(w, SPECIAL_NSMID, b->sm_count);
    fill_special(w, SPECIAL_GRIDID, b->grid_id);
    fill_special(w, SPECIAL_DYNAMIC_SHARED, l->dynamic_shared_bytes);
    fill_special(w, SPECIAL_TOTAL_SHARED, b->shared_bytes);
    fill_special(w, SPECIAL_WORKSPACE_LOW, (uint32_t)b->workspace);
    fill_special(w, SPECIAL_WORKSPACE_HIGH, (uint32_t)(b->workspace >> 32));
    fill_special(w, SPECIAL_RESERVED_0, b->reserved_offset);
    fill_special(w, SPECIAL_RESERVED_1, b->reserved_offset + RESERVED_SHARED_BYTES / 4);
    fill_special(w, SPECIAL_RESERVED_END, b->reserved_offset + RESERVED_SHARED_BYTES);
    fill_special(w, SPECIAL_RESERVED_SIZE, RESERVED_SHARED_BYTES);
    unsigned first = number * WARP_LANES;
    unsigned left = b->thread_count - first;
    w->launched = left >= WARP_LANES ? FULL_MASK : (1u << left) - 1;
    if (w->splits == NULL) {
        grow_splits(w);
    }
}

void warp_start(struct warp *w)
{
    const struct block *b = w->block;
    fill_special(w, SPECIAL_CTAID_X, b->index.x);
    fill_special(w, SPECIAL_CTAID_Y, b->index.y);
    fill_special(w, SPECIAL_CTAID_Z, b->index.z);
    fill_special(w, SPECIAL_SMID, b->sm);
    for (unsigned i = 0; i < w->split_count; i++) {
        w->splits[i].state = SPLIT_FREE;
    }
    w->splits[0] = (struct split){.state = SPLIT_READY,
                                  .mask = w->launched,
                                  .pc = b->kernel->funcs[0]->entry_pc,
                                  .reconverge = NO_PC,
                                  .parent = -1};
    w->ready_count = 0;
    w->live = w->launched;
    w->state = WARP_READY;
    w->released = w->polled = w->spins = false;
    w->slices = 0;
    w->turn = 0;
    w->rested = false;
    w->resume = load_split(w, 0);
}

void warp_free(struct warp *w)
{
    free(w->splits);
    free(w->ready);
}

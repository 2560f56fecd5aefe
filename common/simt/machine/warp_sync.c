/* warp_sync.c - splits of a warp that wait for each other at barriers, in divergent code; and which
 * split goes on next. */
#include "machine/split.h"

#include "machine/observer.h"

#include <stdio.h>
#include <assert.h>

static bool same_barrier(const struct warp *w, const struct split *a, const struct split *b)
{
    if (b->state != SPLIT_BLOCKED || a->members != b->members) {
        return false;
    }
    const struct insn *code = split_code(w);
    bool any_point = code[a->pc].flags & INSN_ANY_POINT && code[b->pc].flags & INSN_ANY_POINT;
    return any_point || (a->pc == b->pc && a->frame == b->frame);
}

static lane_mask lanes_arrived(const struct warp *w, const struct split *s)
{
    lane_mask arrived = 0;
    for (unsigned i = 0; i < w->split_count; i++) {
        if (same_barrier(w, s, &w->splits[i])) {
            arrived |= w->splits[i].mask;
        }
    }
    return arrived;
}

/* All lanes that s waits for have come: run the instruction once, for all of them together. */
static void complete_barrier(struct warp *w, const struct split *s, lane_mask arrived)
{
    const struct split barrier = *s;
    const struct insn *in = split_code(w) + barrier.pc;
    w->active = arrived;
    w->base[REF_FRAME] = w->stack + barrier.frame;
    if (!(in->flags & INSN_ANY_POINT) && in->handler(w, in) == NULL) {
        return; /* a fault */
    }
    if (w->block->observers != NULL && w->block->observers->wants & OBSERVE_ORDER) {
        OBSERVE(w->block->observers, warp_sync, w, barrier.pc, arrived);
    }
    for (unsigned i = w->split_count; i-- > 0;) {
        if (same_barrier(w, &barrier, &w->splits[i])) {
            w->splits[i].pc++;
            split_push_ready(w, (int)i);
        }
    }
}

/* Splits that have come to the same block barrier go on as one, if they are below one parent: then
 * they join it at the same point, too. */
static bool merge_at_barrier(struct warp *w, int first)
{
    struct split *s = &w->splits[first];
    for (unsigned i = 0; i < w->split_count; i++) {
        struct split *other = &w->splits[i];
        if (other == s || !same_barrier(w, s, other)) {
            continue;
        }
        if (other->parent != s->parent) {
            return false;
        }
        s->mask |= other->mask;
        other->state = SPLIT_FREE;
        if (other->parent >= 0) {
            w->splits[other->parent].children--;
        }
    }
    split_push_ready(w, first);
    return true;
}

/* "; lanes 0x0000ffff wait at x.cu:12", where others have come to another barrier; else "". */
static void describe_elsewhere(const struct warp *w, const struct split *blocked, char *text,
                               size_t size)
{
    const struct insn *code = split_code(w);
    char line[256];
    text[0] = '\0';
    for (unsigned i = 0; i < w->split_count; i++) {
        const struct split *s = &w->splits[i];
        if (s->state == SPLIT_BLOCKED && s->pc != blocked->pc &&
            code[s->pc].flags & INSN_BLOCK_BARRIER) {
            fault_line(w->block->kernel, &code[s->pc], line, sizeof line);
            snprintf(text, size, "; lanes 0x%08x wait%s", s->mask, line);
            return;
        }
    }
}

static void report_missing(struct warp *w, const struct split *blocked)
{
    char elsewhere[320];
    const struct insn *in = split_code(w) + blocked->pc;
    lane_mask missing = blocked->members & w->live & ~blocked->mask;
    if (in->flags & INSN_BLOCK_BARRIER) {
        describe_elsewhere(w, blocked, elsewhere, sizeof elsewhere);
        fault(
            w, in, first_lane(blocked->mask), SIMT_BARRIER,
            "barrier in divergent code: lanes 0x%08x of the warp are here, lanes 0x%08x are not%s: "
            "every thread of the block must reach the same barrier",
            blocked->mask, missing, elsewhere);
    } else {
        fault(w, in, first_lane(blocked->mask), SIMT_BAD_SHUFFLE,
              "lanes 0x%08x wait here for lanes 0x%08x of their warp (mask 0x%08x), which never "
              "come: every lane named in the mask must execute the instruction",
              blocked->mask, missing, blocked->members);
    }
}

/* Lanes that the split waits for, of the same call, wait at a reconvergence point for it. Where all
 * ways from there come past its instruction, they are let go: a compiler that threads a jump into a
 * loop makes such a loop of one that waits nowhere. */
static bool fetch_missing(struct warp *w, const struct split *blocked)
{
    const uint32_t pc = blocked->pc, frame = blocked->frame;
    const lane_mask missing = blocked->members & w->live & ~blocked->mask;
    bool any = false;
    for (unsigned i = 0; i < w->split_count; i++) {
        const struct split *s = &w->splits[i];
        if (s->state == SPLIT_PARENT && (s->mask & missing) != 0 && s->frame == frame &&
            ways_lead_to(w->block->kernel, s->pc, pc)) {
            split_release(w, (int)i);
            any = true;
        }
    }
    return any;
}

/* Every split is blocked or waits for its children: complete a barrier that all have come to. */
static bool resolve_blocked(struct warp *w)
{
    const struct split *blocked = NULL;
    for (unsigned i = 0; i < w->split_count; i++) {
        const struct split *s = &w->splits[i];
        if (s->state == SPLIT_BLOCKED) {
            lane_mask arrived = lanes_arrived(w, s);
            bool complete = (s->members & w->live & ~arrived) == 0;
            if (complete && !(split_code(w)[s->pc].flags & INSN_BLOCK_BARRIER)) {
                complete_barrier(w, s, arrived);
                return true;
            }
            if (complete && merge_at_barrier(w, (int)i)) {
                return true;
            }
            blocked = s;
        }
    }
    assert(blocked != NULL);
    for (unsigned i = 0; i < w->split_count; i++) {
        const struct split *s = &w->splits[i];
        const bool of_warp = s->state == SPLIT_BLOCKED &&
                             !(split_code(w)[s->pc].flags & INSN_BLOCK_BARRIER);
        if (of_warp && fetch_missing(w, s)) {
            return true;
        }
    }
    report_missing(w, blocked);
    return false;
}

const struct insn *split_next(struct warp *w)
{
    w->current = -1;
    if (w->live == 0) {
        w->state = WARP_DONE;
        return NULL;
    }
    while (w->ready_count == 0) {
        if (!resolve_blocked(w) || atomic_load(w->block->stop)) {
            return NULL;
        }
    }
    return split_load(w, w->ready[--w->ready_count]);
}

const struct insn *warp_block_split(struct warp *w, const struct insn *in, lane_mask members)
{
    split_save(w, in);
    w->splits[w->current].state = SPLIT_BLOCKED;
    w->splits[w->current].members = members;
    return split_next(w);
}

/* trace_part.c - a trace of fewer warps and steps: of the others only what they write to shared
 * memory stays; see trace.h. */
#include "watch/trace.h"

#include <string.h>

struct part {
    struct trace *from; /* in whose arena all of it lives */
    struct trace *to;
    int *vector_of; /* index there, plus 1; 0: not taken over yet */
};

static int take_vector(struct part *p, int index)
{
    if (index < 0) {
        return index;
    }
    if (p->vector_of[index] == 0) {
        p->to->vectors[p->to->vector_count++] = p->from->vectors[index];
        p->vector_of[index] = (int)p->to->vector_count;
    }
    return p->vector_of[index] - 1;
}

static bool writes_shared(const struct trace *t, const struct trace_step *s)
{
    const struct trace_access *a = s->access >= 0 ? &t->accesses[s->access] : NULL;
    return a != NULL && a->space == PTX_SHARED && a->kind != ACCESS_LOAD;
}

static void take_step(struct part *p, const struct trace_step *from)
{
    struct trace *to = p->to;
    struct trace_step *s = &to->steps[to->step_count++];
    *s = *from;
    for (unsigned i = 0; i < TRACE_REGISTERS; i++) {
        s->value[i] = from->warp < to->played ? take_vector(p, from->value[i]) : TRACE_NOTHING;
    }
    if (from->warp >= to->played) {
        s->waiting_count = 0;
    }
    if (from->access >= 0) {
        struct trace_access *a = &to->accesses[to->access_count];
        *a = p->from->accesses[from->access];
        a->address = take_vector(p, a->address);
        for (unsigned i = 0; i < 4; i++) {
            a->written[i] = take_vector(p, a->written[i]);
        }
        s->access = (int)to->access_count++;
    }
}

/* Steps of a warp, and of those how many were passed. */
struct passed {
    unsigned all, so_far;
    uint64_t left_out, first_left_out;
};

/* Of a warp's steps the first ones and fewer of the last, and what it writes to shared memory. */
static bool is_kept(const struct trace *t, const struct trace_step *s, const struct passed *w,
                    unsigned most)
{
    const unsigned last = most / 3;
    const bool inside = w->so_far >= most - last && w->so_far + last < w->all;
    return most == 0 || !inside || writes_shared(t, s);
}

static void note_gap(struct part *p, const struct trace_step *s, struct passed *w)
{
    struct trace *to = p->to;
    if (w->left_out == 0) {
        return;
    }
    to->gaps =
        arena_grow(&p->from->arena, to->gaps, to->gap_count, &to->gap_capacity, sizeof *to->gaps);
    to->gaps[to->gap_count++] = (struct trace_gap){.warp = s->warp,
                                                   .before = s->number,
                                                   .left_out = w->left_out,
                                                   .first_left_out = w->first_left_out,
                                                   .head = s->pc};
    w->left_out = 0;
}

static void pass_step(struct part *p, const struct trace_step *s, struct passed *w, unsigned most)
{
    const bool played = s->warp < p->to->played;
    const bool kept = played ? is_kept(p->from, s, w, most) : writes_shared(p->from, s);
    w->so_far++;
    if (kept) {
        note_gap(p, s, w);
        take_step(p, s);
    } else if (played) {
        w->first_left_out = w->left_out == 0 ? s->number : w->first_left_out;
        w->left_out++;
    }
}

void trace_part(struct trace *t, unsigned warps, unsigned most_steps, struct trace *part)
{
    struct part p = {t, part, arena_alloc(&t->arena, (t->vector_count + 1) * sizeof *p.vector_of)};
    struct passed *of_warp = arena_alloc(&t->arena, (t->warp_count + 1) * sizeof *of_warp);
    memset(p.vector_of, 0, (t->vector_count + 1) * sizeof *p.vector_of);
    memset(of_warp, 0, (t->warp_count + 1) * sizeof *of_warp);
    *part = *t;
    part->played = warps;
    part->step_count = part->access_count = part->vector_count = 0;
    part->steps = arena_alloc(&t->arena, (t->step_count + 1) * sizeof *part->steps);
    part->accesses = arena_alloc(&t->arena, (t->access_count + 1) * sizeof *part->accesses);
    part->vectors = arena_alloc(&t->arena, (t->vector_count + 1) * sizeof *part->vectors);
    part->gaps = arena_alloc(&t->arena, (t->gap_count + 1) * sizeof *part->gaps);
    part->gap_capacity = t->gap_count + 1;
    for (unsigned i = 0; i < t->gap_count; i++) {
        part->gaps[i] = t->gaps[i];
    }
    for (unsigned i = 0; i < t->step_count; i++) {
        of_warp[t->steps[i].warp].all++;
    }
    for (unsigned i = 0; i < t->step_count; i++) {
        pass_step(&p, &t->steps[i], &of_warp[t->steps[i].warp], most_steps);
    }
}

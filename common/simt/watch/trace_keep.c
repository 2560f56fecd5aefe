/* trace_keep.c - see trace_keep.h. */
#include "watch/trace_keep.h"

#include <string.h>

/* --- lists of 32 numbers, each kept once ------------------------------------------------------ */

static uint64_t hash_of(const struct trace_vector *v)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        hash = (hash ^ v->lane[i]) * HASH_MULTIPLIER;
        hash ^= hash >> 29;
    }
    return hash;
}

static void grow_slots(struct trace *t)
{
    t->slot_count = t->slot_count == 0 ? 1024 : 2 * t->slot_count;
    t->vector_slots = arena_alloc(&t->arena, t->slot_count * sizeof *t->vector_slots);
    for (unsigned i = 0; i < t->vector_count; i++) {
        uint64_t slot = hash_of(&t->vectors[i]) % t->slot_count;
        while (t->vector_slots[slot] != 0) {
            slot = (slot + 1) % t->slot_count;
        }
        t->vector_slots[slot] = i + 1;
    }
}

int trace_keep_vector(struct trace *t, const struct trace_vector *v)
{
    if (2 * t->vector_count >= t->slot_count) {
        grow_slots(t);
    }
    uint64_t slot = hash_of(v) % t->slot_count;
    for (; t->vector_slots[slot] != 0; slot = (slot + 1) % t->slot_count) {
        unsigned known = t->vector_slots[slot] - 1;
        if (memcmp(&t->vectors[known], v, sizeof *v) == 0) {
            return (int)known;
        }
    }
    t->vectors = arena_grow(&t->arena, t->vectors, t->vector_count, &t->vector_capacity, sizeof *v);
    t->vectors[t->vector_count] = *v;
    t->vector_slots[slot] = ++t->vector_count;
    return (int)t->vector_count - 1;
}

/* --- steps and gaps --------------------------------------------------------------------------- */

void trace_add_waiting(struct trace *t, struct trace_step *s, struct trace_waiting waiting)
{
    t->waiting = arena_grow(&t->arena, t->waiting, t->waiting_count, &t->waiting_capacity,
                            sizeof *t->waiting);
    t->waiting[t->waiting_count++] = waiting;
    s->waiting_count++;
}

/* Its index; NOTHING: the limit has come. */
int trace_add_step(struct trace *t, const struct trace_step *step)
{
    if (t->step_count == t->limit) {
        t->cut = true;
        return TRACE_NOTHING;
    }
    t->steps = arena_grow(&t->arena, t->steps, t->step_count, &t->step_capacity, sizeof *t->steps);
    t->steps[t->step_count] = *step;
    return (int)t->step_count++;
}

int trace_add_access(struct trace *t, const struct trace_access *access)
{
    t->accesses = arena_grow(&t->arena, t->accesses, t->access_count, &t->access_capacity,
                             sizeof *t->accesses);
    t->accesses[t->access_count] = *access;
    return (int)t->access_count++;
}

/* A step of a tail becomes one of the trace. */
void trace_take_over(struct trace *t, const struct tail_step *from)
{
    const int index = trace_add_step(t, &from->step);
    if (index < 0) {
        return;
    }
    struct trace_step *s = &t->steps[index];
    const unsigned waiting = s->waiting_count;
    s->waiting = (int)t->waiting_count;
    s->waiting_count = 0;
    for (unsigned i = 0; i < waiting; i++) {
        trace_add_waiting(t, s, from->waiting[i]);
    }
    for (unsigned i = 0; i < TRACE_REGISTERS; i++) {
        s->value[i] = from->has_value[i] ? trace_keep_vector(t, &from->value[i]) : TRACE_NOTHING;
    }
    if (from->has_access) {
        struct trace_access a = from->access;
        a.address = trace_keep_vector(t, &from->address);
        for (unsigned i = 0; i < 4; i++) {
            a.written[i] =
                from->has_written[i] ? trace_keep_vector(t, &from->written[i]) : TRACE_NOTHING;
        }
        s->access = trace_add_access(t, &a);
    }
}

void trace_add_gap(struct trace *t, unsigned warp, const struct trace_tail *tail)
{
    unsigned known = 0;
    t->gaps = arena_grow(&t->arena, t->gaps, t->gap_count, &t->gap_capacity, sizeof *t->gaps);
    struct trace_gap *g = &t->gaps[t->gap_count++];
    *g = (struct trace_gap){.warp = warp,
                            .before = tail_at(tail, 0)->step.number,
                            .left_out = tail->left_out,
                            .first_left_out = tail->first_left_out,
                            .first_round = tail->first_round,
                            .last_round =
                                tail_at(tail, 0)->round - (tail_at(tail, 0)->begins_round ? 1 : 0),
                            .head = tail->head};
    for (unsigned i = 0; i < tail->word_count; i++) {
        known += tail->words[i].known;
    }
    g->words = arena_alloc(&t->arena, (known + 1) * sizeof *g->words);
    g->more_words = known > TAIL_WORDS;
    for (unsigned i = 0; i < tail->word_count && g->word_count < TAIL_WORDS; i++) {
        if (tail->words[i].known) {
            g->words[g->word_count++] = tail->words[i];
        }
    }
}

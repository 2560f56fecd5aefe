/* trace_tail.c - see trace_tail.h. */
#include "watch/trace_tail.h"

#include <string.h>

struct tail_step *tail_at(const struct trace_tail *t, unsigned i)
{
    return &t->ring[(t->first + i) % TAIL_STEPS];
}

struct tail_step *tail_newest(const struct trace_tail *t) { return tail_at(t, t->count - 1); }

static void keep_words(struct trace_tail *t, const struct tail_step *s)
{
    for (unsigned k = 0; k < 4 && s->has_written[k]; k++) {
        for (lane_mask left = s->access.lanes; left != 0; left &= left - 1) {
            const unsigned lane = first_lane(left);
            const uint64_t word = s->address.lane[lane] / 4 + k;
            if (word < t->word_count) {
                t->words[word] = (struct trace_word){.word = (uint32_t)word,
                                                     .value = (uint32_t)s->written[k].lane[lane],
                                                     .number = s->step.number,
                                                     .known = true};
            }
        }
    }
}

static void leave_out_oldest(struct trace_tail *t)
{
    keep_words(t, tail_at(t, 0));
    t->first_left_out = t->left_out == 0 ? tail_at(t, 0)->step.number : t->first_left_out;
    t->first = (t->first + 1) % TAIL_STEPS;
    t->count--;
    t->left_out++;
}

struct tail_step *tail_push(struct trace_tail *t, struct arena *arena, uint32_t shared_bytes)
{
    if (t->ring == NULL) {
        t->ring = arena_alloc(arena, TAIL_STEPS * sizeof *t->ring);
        t->word_count = (shared_bytes + 3) / 4;
        t->words = arena_alloc(arena, (t->word_count + 1) * sizeof *t->words);
        memset(t->words, 0, (t->word_count + 1) * sizeof *t->words);
    }
    if (t->count == TAIL_STEPS) {
        leave_out_oldest(t);
    }
    t->count++;
    struct tail_step *s = tail_newest(t);
    memset(s, 0, sizeof *s);
    return s;
}

void tail_trim(struct trace_tail *t)
{
    unsigned rounds = 0, from = 0;
    for (unsigned i = t->count; i-- > 0 && rounds < TAIL_ROUNDS;) {
        if (tail_at(t, i)->begins_round) {
            from = i;
            rounds++;
        }
    }
    for (; from > 0; from--) {
        leave_out_oldest(t);
    }
}

void tail_clear(struct trace_tail *t)
{
    t->first = t->count = 0;
    t->left_out = 0;
    if (t->words != NULL) {
        memset(t->words, 0, (t->word_count + 1) * sizeof *t->words);
    }
}

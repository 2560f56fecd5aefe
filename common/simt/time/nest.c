/* nest.c - see nest.h. */
#include "time/nest.h"

#include "ir/ir.h"

enum { POLL_MOST = 8 }; /* instructions of a loop that does nothing but ask again, at most */

static const struct code_source *source_of(const struct scheduler *s, const struct stretch *b)
{
    return &s->k->source[b->pc];
}

static unsigned block_at(const struct scheduler *s, uint32_t pc)
{
    const struct code_source *from = &s->k->source[pc];
    return from->insn == NO_REF ? FLOW_NONE : s->k->funcs[from->func]->ir->insns[from->insn].block;
}

static unsigned block_of(const struct scheduler *s, const struct stretch *b)
{
    return block_at(s, b->pc);
}

static const struct flow *flow_around(const struct scheduler *s, const struct stretch *b)
{
    return &s->flows[source_of(s, b)->func];
}

static unsigned innermost(const struct scheduler *s, const struct stretch *b)
{
    const unsigned block = block_of(s, b);
    const struct flow *f = flow_around(s, b);
    return block == FLOW_NONE || f->number[block] == FLOW_NONE ? FLOW_NONE : f->innermost[block];
}

static bool is_in(const struct scheduler *s, unsigned loop, const struct stretch *b)
{
    const unsigned block = block_of(s, b);
    return block != FLOW_NONE && flow_in_loop(flow_around(s, b), loop, block);
}

static bool has_product(const struct stretch *b)
{
    for (unsigned i = 0; i < b->count; i++) {
        if (b->ops[i].tensor_cycles > 0 && !b->ops[i].asynchronous) {
            return true;
        }
    }
    return false;
}

void nest_find(struct scheduler *s)
{
    const struct kernel *k = s->k;
    s->flows = arena_alloc(&s->arena, (k->func_count + 1) * sizeof *s->flows);
    s->multiplies = arena_alloc(&s->arena, (k->func_count + 1) * sizeof *s->multiplies);
    for (unsigned f = 0; f < k->func_count; f++) {
        const struct function_ir *ir = k->funcs[f]->ir;
        s->flows[f] = flow_of(&s->arena, ir->edges, ir->block_count);
        s->multiplies[f] =
            arena_alloc(&s->arena, (s->flows[f].loop_count + 1) * sizeof *s->multiplies[f]);
    }
    for (unsigned i = 0; i < s->count; i++) {
        const struct stretch *b = &s->stretches[i];
        const struct flow *f = flow_around(s, b);
        for (unsigned l = has_product(b) ? innermost(s, b) : FLOW_NONE; l != FLOW_NONE;
             l = f->loops[l].parent) {
            s->multiplies[source_of(s, b)->func][l] = true;
        }
    }
}

bool nest_multiplies(const struct scheduler *s, const struct stretch *b)
{
    const struct flow *f = flow_around(s, b);
    for (unsigned l = innermost(s, b); l != FLOW_NONE; l = f->loops[l].parent) {
        if (s->multiplies[source_of(s, b)->func][l]) {
            return true;
        }
    }
    return false;
}

static bool enters(const struct scheduler *s, const struct stretch *from, const struct flow *f,
                   unsigned loop)
{
    for (unsigned i = 0; i < from->successor_count; i++) {
        const uint32_t pc = from->successors[i];
        const unsigned block = pc < s->k->code_count ? block_at(s, pc) : FLOW_NONE;
        if (block != FLOW_NONE && s->k->source[pc].func == source_of(s, from)->func &&
            flow_in_loop(f, loop, block)) {
            return true;
        }
    }
    return false;
}

/* How often control comes to a loop of b's function from elsewhere. */
static double entries_of(const struct scheduler *s, const struct stretch *b, unsigned loop)
{
    double entries = 0;
    for (unsigned i = 0; i < s->count; i++) {
        const struct stretch *from = &s->stretches[i];
        const bool counts = source_of(s, from)->func == source_of(s, b)->func &&
                            !is_in(s, loop, from) && enters(s, from, flow_around(s, b), loop);
        entries += counts ? from->runs : 0;
    }
    return entries;
}

/* Of those that come to a loop around b from outside it: as how many of its runs each counts where
 * warps wait for each other. */
static double most_of_entering(const struct scheduler *s, const struct stretch *b, unsigned loop)
{
    double most = 1;
    for (unsigned i = 0; i < s->count; i++) {
        const struct stretch *from = &s->stretches[i];
        const bool counts = source_of(s, from)->func == source_of(s, b)->func &&
                            !is_in(s, loop, from) && enters(s, from, flow_around(s, b), loop);
        most = counts && from->critical > most * from->runs ? from->critical / from->runs : most;
    }
    return most;
}

double nest_critical(const struct scheduler *s, const struct stretch *b)
{
    const struct flow *f = flow_around(s, b);
    double most = 1;
    for (unsigned l = innermost(s, b); l != FLOW_NONE; l = f->loops[l].parent) {
        const double entering = most_of_entering(s, b, l);
        most = entering > most ? entering : most;
    }
    return most * b->runs;
}

bool nest_leaves(const struct scheduler *s, const struct stretch *from, const struct stretch *to,
                 double *entries)
{
    const struct flow *f = flow_around(s, from);
    unsigned left = FLOW_NONE;
    for (unsigned l = innermost(s, from); l != FLOW_NONE && !is_in(s, l, to);
         l = f->loops[l].parent) {
        left = l;
    }
    if (source_of(s, from)->func != source_of(s, to)->func || left == FLOW_NONE) {
        return false;
    }
    *entries = entries_of(s, from, left);
    return true;
}

/* Does the loop do nothing but ask again? */
static bool only_polls(const struct scheduler *s, const struct stretch *b, unsigned loop)
{
    unsigned ops = 0;
    for (unsigned i = 0; i < s->count; i++) {
        const struct stretch *other = &s->stretches[i];
        ops += source_of(s, other)->func == source_of(s, b)->func && is_in(s, loop, other)
                   ? other->count
                   : 0;
    }
    return ops <= POLL_MOST;
}

double nest_waits(const struct scheduler *s, const struct stretch *b)
{
    const unsigned loop = innermost(s, b);
    return loop != FLOW_NONE && only_polls(s, b, loop) ? entries_of(s, b, loop) : b->runs;
}

bool nest_together(const struct scheduler *s, const struct stretch *b, const struct stretch *other)
{
    unsigned loop = innermost(s, b);
    if (loop != FLOW_NONE && only_polls(s, b, loop)) {
        loop = flow_around(s, b)->loops[loop].parent;
    }
    return loop != FLOW_NONE && source_of(s, other)->func == source_of(s, b)->func &&
           is_in(s, loop, other);
}

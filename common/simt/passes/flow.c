/* flow.c - dominators by the iteration of Cooper, Harvey and Kennedy ("A simple, fast dominance
 * algorithm", 2001), and natural loops. */
#include "passes/flow.h"

/* Reverse postorder, without recursion: code may be one long chain. */
static void number_blocks(struct flow *f, struct arena *scratch)
{
    unsigned *order = arena_alloc(scratch, (f->count + 1) * sizeof *order);
    unsigned *stack = arena_alloc(scratch, (f->count + 1) * sizeof *stack);
    unsigned *next = arena_alloc(scratch, (f->count + 1) * sizeof *next);
    bool *seen = arena_alloc(scratch, (f->count + 1) * sizeof *seen);
    unsigned depth = 1, left = f->count;
    seen[0] = true;
    while (depth > 0) {
        unsigned b = stack[depth - 1];
        if (next[b] < f->blocks[b].successor_count) {
            unsigned s = f->blocks[b].successors[next[b]++];
            if (s != FLOW_EXIT && !seen[s]) {
                seen[s] = true;
                stack[depth++] = s;
            }
        } else {
            order[--left] = b;
            depth--;
        }
    }
    f->order = order + left;
    f->reached = f->count - left;
    for (unsigned i = 0; i < f->reached; i++) {
        f->number[f->order[i]] = i;
    }
}

static void find_predecessors(struct flow *f, struct arena *scratch)
{
    unsigned *capacity = arena_alloc(scratch, (f->count + 1) * sizeof *capacity);
    f->preds = arena_alloc(scratch, (f->count + 1) * sizeof *f->preds);
    for (unsigned b = 0; b < f->count; b++) {
        for (unsigned s = 0; f->number[b] != FLOW_NONE && s < f->blocks[b].successor_count; s++) {
            unsigned to = f->blocks[b].successors[s];
            if (to != FLOW_EXIT) {
                struct flow_block *p = &f->preds[to];
                p->successors = arena_grow(scratch, p->successors, p->successor_count,
                                           &capacity[to], sizeof *p->successors);
                p->successors[p->successor_count++] = b;
            }
        }
    }
}

static unsigned common_dominator(const struct flow *f, unsigned a, unsigned b)
{
    while (a != b) {
        while (f->number[a] > f->number[b]) {
            a = f->idom[a];
        }
        while (f->number[b] > f->number[a]) {
            b = f->idom[b];
        }
    }
    return a;
}

static unsigned dominator_of_preds(const struct flow *f, unsigned b)
{
    unsigned best = FLOW_NONE;
    for (unsigned i = 0; i < f->preds[b].successor_count; i++) {
        unsigned p = f->preds[b].successors[i];
        if (f->idom[p] != FLOW_NONE) {
            best = best == FLOW_NONE ? p : common_dominator(f, p, best);
        }
    }
    return best;
}

static void find_dominators(struct flow *f)
{
    f->idom[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = 1; i < f->reached; i++) {
            unsigned best = dominator_of_preds(f, f->order[i]);
            changed |= best != f->idom[f->order[i]];
            f->idom[f->order[i]] = best;
        }
    }
    f->idom[0] = FLOW_NONE;
    for (unsigned i = 1; i < f->reached; i++) {
        f->level[f->order[i]] = f->level[f->idom[f->order[i]]] + 1;
    }
}

bool flow_dominates(const struct flow *f, unsigned above, unsigned b)
{
    while (f->level[b] > f->level[above]) {
        b = f->idom[b];
    }
    return b == above;
}

bool flow_goes_back(const struct flow *f, unsigned from, unsigned to)
{
    return to != FLOW_EXIT && f->number[to] <= f->number[from] && flow_dominates(f, to, from);
}

/* --- natural loops ---------------------------------------------------------------------------- */

static struct flow_loop *loop_with_head(struct flow *f, struct arena *scratch, unsigned head,
                                        unsigned *capacity)
{
    for (unsigned i = 0; i < f->loop_count; i++) {
        if (f->loops[i].head == head) {
            return &f->loops[i];
        }
    }
    f->loops = arena_grow(scratch, f->loops, f->loop_count, capacity, sizeof *f->loops);
    struct flow_loop *loop = &f->loops[f->loop_count++];
    *loop = (struct flow_loop){.head = head, .size = 1};
    loop->has = arena_alloc(scratch, f->count * sizeof *loop->has);
    loop->has[head] = true;
    return loop;
}

/* Every block from which `latch` is reached without passing the head belongs to the loop. */
static void add_body(const struct flow *f, struct flow_loop *loop, unsigned latch, unsigned *stack)
{
    unsigned depth = 0;
    if (!loop->has[latch]) {
        loop->has[latch] = true;
        loop->size++;
        stack[depth++] = latch;
    }
    while (depth > 0) {
        const struct flow_block *p = &f->preds[stack[--depth]];
        for (unsigned i = 0; i < p->successor_count; i++) {
            if (!loop->has[p->successors[i]]) {
                loop->has[p->successors[i]] = true;
                loop->size++;
                stack[depth++] = p->successors[i];
            }
        }
    }
}

static void find_loops(struct flow *f, struct arena *scratch)
{
    unsigned *stack = arena_alloc(scratch, (f->count + 1) * sizeof *stack);
    unsigned capacity = 0;
    for (unsigned b = 0; b < f->count; b++) {
        for (unsigned s = 0; f->number[b] != FLOW_NONE && s < f->blocks[b].successor_count; s++) {
            unsigned to = f->blocks[b].successors[s];
            if (flow_goes_back(f, b, to)) {
                add_body(f, loop_with_head(f, scratch, to, &capacity), b, stack);
            }
        }
    }
    for (unsigned b = 0; b < f->count; b++) {
        for (unsigned i = 0; i < f->loop_count; i++) {
            if (f->loops[i].has[b] && (f->innermost[b] == FLOW_NONE ||
                                       f->loops[i].size < f->loops[f->innermost[b]].size)) {
                f->innermost[b] = i;
            }
        }
    }
}

static unsigned *filled(struct arena *scratch, unsigned count, unsigned value)
{
    unsigned *array = arena_alloc(scratch, (count + 1) * sizeof *array);
    for (unsigned i = 0; i < count; i++) {
        array[i] = value;
    }
    return array;
}

struct flow flow_of(struct arena *scratch, const struct flow_block *blocks, unsigned count)
{
    struct flow f = {.blocks = blocks, .count = count};
    f.number = filled(scratch, count, FLOW_NONE);
    f.idom = filled(scratch, count, FLOW_NONE);
    f.innermost = filled(scratch, count, FLOW_NONE);
    f.level = filled(scratch, count, 0);
    number_blocks(&f, scratch);
    find_predecessors(&f, scratch);
    find_dominators(&f);
    find_loops(&f, scratch);
    return f;
}

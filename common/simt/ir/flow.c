/* flow.c - dominators by the iteration of Cooper, Harvey and Kennedy ("A simple, fast dominance
 * algorithm", 2001), and natural loops. */
#include "ir/flow.h"

#include <stdlib.h>

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
    /* from the last on: the walk to a common dominator of neighbours is short */
    for (unsigned i = f->preds[b].successor_count; i-- > 0;) {
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

/* A dominator stands before what it dominates in reverse postorder, so one walk counts and one
 * numbers. */
static void number_tree(struct flow *f, struct arena *scratch)
{
    unsigned *next = arena_alloc(scratch, (f->count + 1) * sizeof *next);
    for (unsigned i = f->reached; i-- > 0;) {
        unsigned b = f->order[i];
        f->tree_size[b]++;
        if (i > 0) {
            f->tree_size[f->idom[b]] += f->tree_size[b];
        }
    }
    for (unsigned i = 0; i < f->reached; i++) {
        unsigned b = f->order[i];
        if (i > 0) {
            f->tree_first[b] = next[f->idom[b]];
            next[f->idom[b]] += f->tree_size[b];
        }
        next[b] = f->tree_first[b] + 1;
    }
}

bool flow_dominates(const struct flow *f, unsigned above, unsigned b)
{
    return f->tree_first[b] - f->tree_first[above] < f->tree_size[above];
}

bool flow_goes_back(const struct flow *f, unsigned from, unsigned to)
{
    return to != FLOW_EXIT && f->number[to] <= f->number[from] && flow_dominates(f, to, from);
}

/* --- natural loops ---------------------------------------------------------------------------- */

static void add_loop(struct flow *f, struct arena *scratch, unsigned head, unsigned *capacity)
{
    if (f->loop_of[head] == FLOW_NONE) {
        f->loop_of[head] = f->loop_count;
        f->loops = arena_grow(scratch, f->loops, f->loop_count, capacity, sizeof *f->loops);
        f->loops[f->loop_count++] = (struct flow_loop){.head = head, .parent = FLOW_NONE};
    }
}

static int ascending(const void *left, const void *right)
{
    const unsigned *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Every block from which a way back is reached without passing the head belongs to the loop.
 * found[] has room for all blocks; in[b] == index + 1: b is in it. */
static void find_body(const struct flow *f, struct arena *scratch, unsigned index, unsigned *found,
                      unsigned *in)
{
    struct flow_loop *loop = &f->loops[index];
    found[loop->size++] = loop->head;
    in[loop->head] = index + 1;
    for (unsigned at = 0; at < loop->size; at++) {
        const struct flow_block *p = &f->preds[found[at]];
        for (unsigned i = 0; i < p->successor_count; i++) {
            unsigned from = p->successors[i];
            bool belongs = at > 0 || flow_goes_back(f, from, loop->head);
            if (belongs && in[from] != index + 1) {
                in[from] = index + 1;
                found[loop->size++] = from;
            }
        }
    }
    qsort(found, loop->size, sizeof *found, ascending);
    loop->blocks = arena_alloc(scratch, loop->size * sizeof *loop->blocks);
    for (unsigned i = 0; i < loop->size; i++) {
        loop->blocks[i] = found[i];
    }
}

struct by_size {
    unsigned size, loop;
};

static int largest_first(const void *left, const void *right)
{
    const struct by_size *a = left, *b = right;
    return a->size != b->size ? (a->size < b->size) - (a->size > b->size)
                              : (a->loop > b->loop) - (a->loop < b->loop);
}

/* Loops with different heads lie in each other or have nothing in common: from the largest on, the
 * last one that has a block is its innermost so far, and of a head it is the loop around. */
static void nest_loops(struct flow *f, struct arena *scratch)
{
    struct by_size *sizes = arena_alloc(scratch, (f->loop_count + 1) * sizeof *sizes);
    for (unsigned i = 0; i < f->loop_count; i++) {
        sizes[i] = (struct by_size){f->loops[i].size, i};
    }
    qsort(sizes, f->loop_count, sizeof *sizes, largest_first);
    for (unsigned i = 0; i < f->loop_count; i++) {
        struct flow_loop *loop = &f->loops[sizes[i].loop];
        loop->parent = f->innermost[loop->head];
        loop->depth = loop->parent == FLOW_NONE ? 0 : f->loops[loop->parent].depth + 1;
        for (unsigned k = 0; k < loop->size; k++) {
            f->innermost[loop->blocks[k]] = sizes[i].loop;
        }
    }
}

static void find_loops(struct flow *f, struct arena *scratch)
{
    unsigned *found = arena_alloc(scratch, (f->count + 1) * sizeof *found);
    unsigned *in = arena_alloc(scratch, (f->count + 1) * sizeof *in);
    unsigned capacity = 0;
    for (unsigned b = 0; b < f->count; b++) {
        for (unsigned s = 0; f->number[b] != FLOW_NONE && s < f->blocks[b].successor_count; s++) {
            unsigned to = f->blocks[b].successors[s];
            if (flow_goes_back(f, b, to)) {
                add_loop(f, scratch, to, &capacity);
            }
        }
    }
    for (unsigned i = 0; i < f->loop_count; i++) {
        find_body(f, scratch, i, found, in);
    }
    nest_loops(f, scratch);
}

bool flow_in_loop(const struct flow *f, unsigned loop, unsigned b)
{
    unsigned l = f->innermost[b];
    while (l != FLOW_NONE && f->loops[l].depth > f->loops[loop].depth) {
        l = f->loops[l].parent;
    }
    return l == loop;
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
    f.loop_of = filled(scratch, count, FLOW_NONE);
    f.tree_first = filled(scratch, count, 0);
    f.tree_size = filled(scratch, count, 0);
    number_blocks(&f, scratch);
    find_predecessors(&f, scratch);
    find_dominators(&f);
    number_tree(&f, scratch);
    find_loops(&f, scratch);
    return f;
}

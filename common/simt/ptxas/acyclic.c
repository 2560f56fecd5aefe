/* acyclic.c - see acyclic.h. What is behind a loop is found by walks that end where all ways out of
 * the loop have come together, so that all loops of a function together cost what the function is
 * long. */
#include "ptxas/acyclic.h"

#include <stdlib.h>
#include <string.h>

unsigned acyclic_node_behind(const struct flow *f, unsigned from, unsigned to)
{
    if (to == FLOW_EXIT) {
        return FLOW_NONE;
    }
    if (flow_goes_back(f, from, to)) {
        return f->count + f->loop_of[to];
    }
    return f->number[to] > f->number[from] ? to : FLOW_NONE;
}

/* An edge to a later block, neither out of the function nor back. */
static bool leads_on(const struct flow *f, unsigned from, unsigned to)
{
    return to != FLOW_EXIT && acyclic_node_behind(f, from, to) == to;
}

/* --- ways that end where nobody else goes ----------------------------------------------------- */

/* Working memory of all loops. Marks hold a serial number, so that nothing has to be cleared. */
struct finder {
    struct acyclic *g;
    const struct flow *f;
    unsigned
        *highest; /* block -> the least level of a dominator that the blocks it dominates still have
                     in common with where they lead: below its own level, a way leads out */
    unsigned serial;
    unsigned *mark, *stack; /* per block: of walks */
    unsigned *found;        /* blocks of a walk */
    unsigned *exit_of;      /* per block, of exits_of: its index among the loop's exits */
    uint64_t *ways;         /* per block, of follow_of: by which ways out it is reached */
    bool *around;           /* per block, of follow_of: not only through the first common one */
    unsigned *number_heap;  /* blocks still to be visited, the first in reverse postorder on top */
    unsigned heap_count;
};

static void find_highest(struct finder *d, struct arena *arena)
{
    const struct flow *f = d->f;
    d->highest = arena_alloc(arena, (f->count + 1) * sizeof *d->highest);
    for (unsigned i = f->reached; i-- > 0;) {
        unsigned b = f->order[i];
        d->highest[b] = f->level[b];
    }
    for (unsigned i = f->reached; i-- > 0;) {
        unsigned b = f->order[i];
        for (unsigned s = 0; s < f->blocks[b].successor_count; s++) {
            unsigned to = f->blocks[b].successors[s];
            if (leads_on(f, b, to) && f->level[to] - 1 < d->highest[b]) {
                d->highest[b] = f->level[to] - 1; /* its dominator is one of b's */
            }
        }
        if (i > 0 && d->highest[b] < d->highest[f->idom[b]]) {
            d->highest[f->idom[b]] = d->highest[b];
        }
    }
}

/* Is b reached from one block only, and so is all that follows it? Then whoever goes there ends
 * there: the arm of a `return`. */
static bool ends_alone(const struct finder *d, unsigned b)
{
    return d->f->preds[b].successor_count == 1 && d->highest[b] >= d->f->level[b];
}

/* --- loops: where they are left for ----------------------------------------------------------- */

struct exits { /* of one loop: blocks outside of it that its blocks lead to, each once */
    unsigned *targets, count;
    bool *behind_end;  /* per target: a block with a way back leads there */
    unsigned from_end; /* one of those, or one that the head leads to; FLOW_NONE */
};

static unsigned index_of_exit(struct finder *d, struct exits *out, unsigned to, unsigned *capacity)
{
    if (d->mark[to] == d->serial) {
        return d->exit_of[to];
    }
    unsigned same = *capacity;
    d->mark[to] = d->serial;
    d->exit_of[to] = out->count;
    out->targets = arena_grow(d->g->arena, out->targets, out->count, &same, sizeof *out->targets);
    out->behind_end =
        arena_grow(d->g->arena, out->behind_end, out->count, capacity, sizeof *out->behind_end);
    out->targets[out->count] = to;
    out->behind_end[out->count] = false;
    return out->count++;
}

static struct exits exits_of(struct finder *d, unsigned index)
{
    const struct flow *f = d->f;
    const struct flow_loop *loop = &f->loops[index];
    struct exits out = {.from_end = FLOW_NONE};
    unsigned capacity = 0;
    d->serial++;
    for (unsigned k = 0; k < loop->size; k++) {
        unsigned b = loop->blocks[k];
        bool goes_back = false;
        for (unsigned s = 0; s < f->blocks[b].successor_count; s++) {
            goes_back |= f->blocks[b].successors[s] == loop->head;
        }
        for (unsigned s = 0; s < f->blocks[b].successor_count; s++) {
            unsigned to = f->blocks[b].successors[s];
            if (!leads_on(f, b, to) || flow_in_loop(f, index, to)) {
                continue;
            }
            if (goes_back || (b == loop->head && out.from_end == FLOW_NONE)) {
                out.from_end = to;
            }
            unsigned i = index_of_exit(d, &out, to, &capacity);
            out.behind_end[i] |= goes_back;
        }
    }
    return out;
}

/* The ways out but the arms of `return`, unless there is nothing else: then the way out at the
 * loop's end is the one that goes on. Returns how many. */
static unsigned ways_on(const struct finder *d, const struct exits *e, unsigned *ways)
{
    unsigned kept = 0;
    for (unsigned i = 0; e->count > 1 && i < e->count; i++) {
        if (!ends_alone(d, e->targets[i])) {
            ways[kept++] = e->targets[i];
        }
    }
    if (kept == 0 && e->count > 0) {
        ways[kept++] = e->from_end != FLOW_NONE ? e->from_end : e->targets[0];
    }
    return kept;
}

/* --- a walk in reverse postorder, from several blocks at once --------------------------------- */

static void heap_push(struct finder *d, unsigned b)
{
    unsigned at = d->heap_count++;
    const unsigned *number = d->f->number;
    for (; at > 0 && number[d->number_heap[(at - 1) / 2]] > number[b]; at = (at - 1) / 2) {
        d->number_heap[at] = d->number_heap[(at - 1) / 2];
    }
    d->number_heap[at] = b;
}

static unsigned heap_pop(struct finder *d)
{
    const unsigned *number = d->f->number;
    unsigned first = d->number_heap[0], last = d->number_heap[--d->heap_count], at = 0;
    for (;;) {
        unsigned child = 2 * at + 1;
        if (child + 1 < d->heap_count &&
            number[d->number_heap[child + 1]] < number[d->number_heap[child]]) {
            child++;
        }
        if (child >= d->heap_count || number[d->number_heap[child]] >= number[last]) {
            break;
        }
        d->number_heap[at] = d->number_heap[child];
        at = child;
    }
    d->number_heap[at] = last;
    return first;
}

enum { MOST_WAYS = 64 }; /* bits of a word; a loop with more ways out that go on has no follow */

/* The first block behind the loop at which all of its ways out have come together: no way goes
 * around it to a later one that they share. That can only be the first block in reverse postorder
 * that all of them reach; whether a way leads around it is known when nothing else is left to
 * visit. */
static unsigned follow_of(struct finder *d, const struct exits *e)
{
    const struct flow *f = d->f;
    unsigned *ways = arena_alloc(d->g->arena, (e->count + 1) * sizeof *ways);
    unsigned count = ways_on(d, e, ways), follow = FLOW_NONE, waiting = 0;
    if (count <= 1 || count > MOST_WAYS) {
        return count == 1 ? ways[0] : FLOW_NONE;
    }
    const uint64_t all = count == 64 ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1;
    d->serial++;
    d->heap_count = 0;
    for (unsigned i = 0; i < count; i++) {
        d->mark[ways[i]] = d->serial;
        d->ways[ways[i]] = (uint64_t)1 << i;
        d->around[ways[i]] = true;
        heap_push(d, ways[i]);
        waiting++;
    }
    while (waiting > 0) {
        unsigned b = heap_pop(d);
        bool around = d->around[b];
        waiting -= around;
        if (d->ways[b] == all && follow == FLOW_NONE) {
            follow = b;
            around = false;
        } else if (d->ways[b] == all && around) {
            return FLOW_NONE;
        }
        for (unsigned s = 0; s < f->blocks[b].successor_count; s++) {
            unsigned to = f->blocks[b].successors[s];
            if (!leads_on(f, b, to)) {
                continue;
            }
            if (d->mark[to] != d->serial) {
                d->mark[to] = d->serial;
                d->ways[to] = 0;
                d->around[to] = false;
                heap_push(d, to);
            }
            waiting += around && !d->around[to];
            d->around[to] |= around;
            d->ways[to] |= d->ways[b];
        }
    }
    return follow;
}

static int ascending(const void *left, const void *right)
{
    const unsigned *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void visit(struct finder *d, unsigned b, unsigned *depth)
{
    if (d->mark[b] != d->serial) {
        d->mark[b] = d->serial;
        d->stack[(*depth)++] = b;
    }
}

/* The loop with the arms of its breaks and returns, in found[] in ascending order: what its head
 * dominates before the follow. What a way out at the loop's end leads to is no arm: lanes wait
 * there for each other. Returns how many; d->mark tells which. */
static unsigned find_round(struct finder *d, const struct flow_loop *loop, const struct exits *out,
                           unsigned follow)
{
    const struct flow *f = d->f;
    unsigned count = loop->size, depth = 0;
    d->serial++;
    memcpy(d->found, loop->blocks, count * sizeof *d->found);
    for (unsigned k = 0; k < count; k++) {
        d->mark[loop->blocks[k]] = d->serial;
    }
    for (unsigned i = 0; i < out->count; i++) {
        unsigned to = out->targets[i];
        if (!out->behind_end[i] && to != follow && flow_dominates(f, loop->head, to)) {
            visit(d, to, &depth);
        }
        while (depth > 0) {
            unsigned b = d->found[count++] = d->stack[--depth];
            for (unsigned s = 0; s < f->blocks[b].successor_count; s++) {
                to = f->blocks[b].successors[s];
                if (leads_on(f, b, to) && to != follow && flow_dominates(f, loop->head, to)) {
                    visit(d, to, &depth);
                }
            }
        }
    }
    qsort(d->found, count, sizeof *d->found, ascending);
    return count;
}

/* --- the graph -------------------------------------------------------------------------------- */

static void add_edge(struct acyclic *g, unsigned from, unsigned to)
{
    struct flow_block *n = &g->nodes[from];
    for (unsigned i = 0; i < n->successor_count; i++) {
        if (n->successors[i] == to) {
            return;
        }
    }
    n->successors = arena_grow(g->arena, n->successors, n->successor_count, &g->capacity[from],
                               sizeof *n->successors);
    n->successors[n->successor_count++] = to;
    g->edges_in[to]++;
}

/* From the end of a loop on to wherever its round is left for. */
static void leave_at_end(struct finder *d, unsigned index)
{
    const struct flow *f = d->f;
    const struct exits out = exits_of(d, index);
    const unsigned count = find_round(d, &f->loops[index], &out, follow_of(d, &out));
    for (unsigned k = 0; k < count; k++) {
        unsigned b = d->found[k];
        for (unsigned s = 0; s < f->blocks[b].successor_count; s++) {
            unsigned to = f->blocks[b].successors[s];
            unsigned node = acyclic_node_behind(f, b, to);
            if (node != FLOW_NONE && d->mark[to] != d->serial) {
                add_edge(d->g, f->count + index, node);
            }
        }
    }
}

/* A block's ways that stay in its loop come first in the search, so those that leave it come first
 * in the order. */
static void add_edges(struct acyclic *g, unsigned b, bool staying)
{
    const struct flow *f = g->flow;
    for (unsigned s = 0; s < f->blocks[b].successor_count; s++) {
        unsigned to = f->blocks[b].successors[s];
        unsigned node = acyclic_node_behind(f, b, to);
        bool stays =
            to != FLOW_EXIT && f->innermost[b] != FLOW_NONE && flow_in_loop(f, f->innermost[b], to);
        if (node != FLOW_NONE && stays == staying) {
            add_edge(g, b, node);
        }
    }
}

static void schedule_in_order(struct acyclic *g)
{
    unsigned *stack = arena_alloc(g->arena, (g->count + 1) * sizeof *stack);
    unsigned *next = arena_alloc(g->arena, (g->count + 1) * sizeof *next);
    bool *seen = arena_alloc(g->arena, (g->count + 1) * sizeof *seen);
    unsigned depth = 1, left = g->count;
    g->order = arena_alloc(g->arena, (g->count + 1) * sizeof *g->order);
    seen[0] = true;
    while (depth > 0) {
        unsigned n = stack[depth - 1];
        if (next[n] < g->nodes[n].successor_count) {
            unsigned to = g->nodes[n].successors[next[n]++];
            if (!seen[to]) {
                seen[to] = true;
                stack[depth++] = to;
            }
        } else {
            g->order[--left] = n;
            depth--;
        }
    }
    g->order += left;
    g->reached = g->count - left;
    for (unsigned i = 0; i < g->reached; i++) {
        g->rank[g->order[i]] = i;
    }
}

static struct finder finder_of(struct acyclic *g)
{
    struct finder d = {.g = g, .f = g->flow};
    const size_t room = g->flow->count + 1;
    d.mark = arena_alloc(g->arena, room * sizeof *d.mark);
    d.stack = arena_alloc(g->arena, room * sizeof *d.stack);
    d.found = arena_alloc(g->arena, room * sizeof *d.found);
    d.exit_of = arena_alloc(g->arena, room * sizeof *d.exit_of);
    d.ways = arena_alloc(g->arena, room * sizeof *d.ways);
    d.around = arena_alloc(g->arena, room * sizeof *d.around);
    d.number_heap = arena_alloc(g->arena, room * sizeof *d.number_heap);
    find_highest(&d, g->arena);
    return d;
}

struct acyclic acyclic_of(struct arena *arena, const struct flow *f)
{
    struct acyclic g = {.arena = arena, .flow = f, .count = f->count + f->loop_count};
    g.nodes = arena_alloc(arena, (g.count + 1) * sizeof *g.nodes);
    g.edges_in = arena_alloc(arena, (g.count + 1) * sizeof *g.edges_in);
    g.capacity = arena_alloc(arena, (g.count + 1) * sizeof *g.capacity);
    g.rank = arena_alloc(arena, (g.count + 1) * sizeof *g.rank);
    for (unsigned n = 0; n < g.count; n++) {
        g.rank[n] = FLOW_NONE;
    }
    for (unsigned i = 0; i < f->reached; i++) {
        add_edges(&g, f->order[i], true);
        add_edges(&g, f->order[i], false);
    }
    struct finder d = finder_of(&g);
    for (unsigned i = 0; i < f->loop_count; i++) {
        leave_at_end(&d, i);
    }
    schedule_in_order(&g);
    return g;
}

/* flow_meets.c - where lanes wait for each other; flow.h has the rules.
 *
 * The function is looked at as a graph without cycles: each loop gets an end, a node of its own, to
 * which its ways back lead instead of to its head, and from which the ways lead on that leave the
 * loop for good. Nodes are blocks, then the ends of loops. */
#include "passes/flow.h"

#include <string.h>

enum {
    NO_SIDE = 0,
    BOTH = 0xff
}; /* which ways of a branch reach a node: none, one (1 ...), more */

struct graph {
    struct arena *a;
    const struct flow *f;
    unsigned count;           /* nodes */
    struct flow_block *nodes; /* where each leads */
    unsigned *edges_in;       /* how many lead there */
    unsigned *capacity;
    unsigned *rank;   /* node -> place in `order`, FLOW_NONE: never reached */
    unsigned *order;  /* nodes in an order in which every edge leads on */
    unsigned reached; /* nodes in that order */
};

/* --- loops: where they are left for ----------------------------------------------------------- */

static unsigned loop_end(const struct flow *f, unsigned head)
{
    unsigned i = 0;
    while (f->loops[i].head != head) {
        i++;
    }
    return f->count + i;
}

/* Where an edge leads in the graph; FLOW_NONE: out of the function, or back into no loop's head. */
static unsigned node_behind(const struct flow *f, unsigned from, unsigned to)
{
    if (to == FLOW_EXIT) {
        return FLOW_NONE;
    }
    if (flow_goes_back(f, from, to)) {
        return loop_end(f, to);
    }
    return f->number[to] > f->number[from] ? to : FLOW_NONE;
}

/* Marks what is reached from b without ways back and without `around`, in a fresh array. */
static bool *reached_from(const struct graph *g, unsigned b, unsigned around)
{
    const struct flow *f = g->f;
    bool *seen = arena_alloc(g->a, f->count * sizeof *seen);
    unsigned *stack = arena_alloc(g->a, (f->count + 1) * sizeof *stack);
    unsigned depth = 0;
    if (b != around) {
        seen[b] = true;
        stack[depth++] = b;
    }
    while (depth > 0) {
        unsigned from = stack[--depth];
        for (unsigned s = 0; s < f->blocks[from].successor_count; s++) {
            unsigned to = node_behind(f, from, f->blocks[from].successors[s]);
            if (to < f->count && to != around && !seen[to]) {
                seen[to] = true;
                stack[depth++] = to;
            }
        }
    }
    return seen;
}

/* Is b reached from one block only, and so is all that follows it? Then whoever goes there ends
 * there: the arm of a `return`. */
static bool ends_alone(const struct graph *g, unsigned b)
{
    const bool *seen = reached_from(g, b, FLOW_NONE);
    bool alone = g->f->preds[b].successor_count == 1;
    for (unsigned i = 0; alone && i < g->f->count; i++) {
        alone = !seen[i] || flow_dominates(g->f, b, i);
    }
    return alone;
}

struct exits { /* of one loop: blocks outside of it that its blocks lead to, each once */
    unsigned *targets, count;
    unsigned from_end; /* the one that a block with a way back leads to, or the head; FLOW_NONE */
    bool *behind_end;  /* per block: such a block leads there */
};

static struct exits exits_of(const struct graph *g, const struct flow_loop *loop)
{
    const struct flow *f = g->f;
    struct exits out = {.from_end = FLOW_NONE};
    out.behind_end = arena_alloc(g->a, f->count * sizeof *out.behind_end);
    unsigned capacity = 0;
    bool *noted = arena_alloc(g->a, f->count * sizeof *noted);
    for (unsigned b = 0; b < f->count; b++) {
        bool goes_back = false;
        for (unsigned s = 0; loop->has[b] && s < f->blocks[b].successor_count; s++) {
            goes_back |= f->blocks[b].successors[s] == loop->head;
        }
        for (unsigned s = 0; loop->has[b] && s < f->blocks[b].successor_count; s++) {
            unsigned to = f->blocks[b].successors[s];
            if (to == FLOW_EXIT || loop->has[to] || node_behind(f, b, to) != to) {
                continue;
            }
            if (goes_back || (b == loop->head && out.from_end == FLOW_NONE)) {
                out.from_end = to;
            }
            out.behind_end[to] |= goes_back;
            if (!noted[to]) {
                noted[to] = true;
                out.targets =
                    arena_grow(g->a, out.targets, out.count, &capacity, sizeof *out.targets);
                out.targets[out.count++] = to;
            }
        }
    }
    return out;
}

/* Leaves out the arms of `return`, unless there is nothing else: then the way out at the loop's end
 * is the one that goes on. */
static void keep_ways_on(const struct graph *g, struct exits *e)
{
    unsigned kept = 0;
    unsigned first = e->count > 0 ? e->targets[0] : FLOW_NONE;
    for (unsigned i = 0; e->count > 1 && i < e->count; i++) {
        if (!ends_alone(g, e->targets[i])) {
            e->targets[kept++] = e->targets[i];
        }
    }
    if (kept == 0 && e->count > 0) {
        e->targets[kept++] = e->from_end != FLOW_NONE ? e->from_end : first;
    }
    e->count = kept;
}

static bool share(const bool *a, const bool *b, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (a[i] && b[i]) {
            return true;
        }
    }
    return false;
}

/* The first block behind the loop at which all of its ways out have come together: no way goes
 * around it to a later one that they share. */
static unsigned follow_of(const struct graph *g, struct exits e)
{
    const struct flow *f = g->f;
    unsigned *ways = arena_alloc(g->a, (e.count + 1) * sizeof *ways);
    for (unsigned i = 0; i < e.count; i++) {
        ways[i] = e.targets[i];
    }
    e.targets = ways;
    keep_ways_on(g, &e);
    if (e.count <= 1) {
        return e.count == 1 ? e.targets[0] : FLOW_NONE;
    }
    bool *common = reached_from(g, e.targets[0], FLOW_NONE);
    for (unsigned i = 1; i < e.count; i++) {
        const bool *seen = reached_from(g, e.targets[i], FLOW_NONE);
        for (unsigned b = 0; b < f->count; b++) {
            common[b] = common[b] && seen[b];
        }
    }
    for (unsigned n = 0; n < f->reached; n++) {
        unsigned c = f->order[n];
        bool passed = common[c];
        for (unsigned i = 0; passed && i < e.count; i++) {
            passed = !share(reached_from(g, e.targets[i], c), common, f->count);
        }
        if (passed) {
            return c;
        }
    }
    return FLOW_NONE;
}

/* The loop with the arms of its breaks and returns: what its head dominates before the follow. What
 * a way out at the loop's end leads to is no arm: lanes wait there for each other. */
static bool *body_of(const struct graph *g, const struct flow_loop *loop, const struct exits *out,
                     unsigned follow)
{
    const struct flow *f = g->f;
    bool *body = arena_alloc(g->a, f->count * sizeof *body);
    const bool *behind =
        follow == FLOW_NONE ? arena_alloc(g->a, f->count) : reached_from(g, follow, FLOW_NONE);
    memcpy(body, loop->has, f->count * sizeof *body);
    for (unsigned i = 0; i < out->count; i++) {
        const bool *arm = reached_from(g, out->targets[i], follow);
        for (unsigned b = 0; !out->behind_end[out->targets[i]] && b < f->count; b++) {
            body[b] |= arm[b] && !behind[b] && flow_dominates(f, loop->head, b);
        }
    }
    return body;
}

/* --- the graph -------------------------------------------------------------------------------- */

static void add_edge(struct graph *g, unsigned from, unsigned to)
{
    struct flow_block *n = &g->nodes[from];
    for (unsigned i = 0; i < n->successor_count; i++) {
        if (n->successors[i] == to) {
            return;
        }
    }
    n->successors = arena_grow(g->a, n->successors, n->successor_count, &g->capacity[from],
                               sizeof *n->successors);
    n->successors[n->successor_count++] = to;
    g->edges_in[to]++;
}

/* From the end of a loop on to wherever its body is left for. */
static void leave_at_end(struct graph *g, unsigned index)
{
    const struct flow *f = g->f;
    const struct flow_loop *loop = &f->loops[index];
    struct exits out = exits_of(g, loop);
    const bool *body = body_of(g, loop, &out, follow_of(g, out));
    for (unsigned b = 0; b < f->count; b++) {
        for (unsigned s = 0; body[b] && s < f->blocks[b].successor_count; s++) {
            unsigned to = f->blocks[b].successors[s];
            unsigned node = node_behind(f, b, to);
            if (node != FLOW_NONE && !body[to]) {
                add_edge(g, f->count + index, node);
            }
        }
    }
}

/* A block's ways that stay in its loop come first in the search, so those that leave it come first
 * in the order. */
static void add_edges(struct graph *g, unsigned b, bool staying)
{
    const struct flow *f = g->f;
    for (unsigned s = 0; s < f->blocks[b].successor_count; s++) {
        unsigned to = f->blocks[b].successors[s];
        unsigned node = node_behind(f, b, to);
        bool stays =
            to != FLOW_EXIT && f->innermost[b] != FLOW_NONE && f->loops[f->innermost[b]].has[to];
        if (node != FLOW_NONE && stays == staying) {
            add_edge(g, b, node);
        }
    }
}

static void put_in_order(struct graph *g)
{
    unsigned *stack = arena_alloc(g->a, (g->count + 1) * sizeof *stack);
    unsigned *next = arena_alloc(g->a, (g->count + 1) * sizeof *next);
    bool *seen = arena_alloc(g->a, (g->count + 1) * sizeof *seen);
    unsigned depth = 1, left = g->count;
    g->order = arena_alloc(g->a, (g->count + 1) * sizeof *g->order);
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

static struct graph graph_of(struct arena *a, const struct flow *f)
{
    struct graph g = {.a = a, .f = f, .count = f->count + f->loop_count};
    g.nodes = arena_alloc(a, (g.count + 1) * sizeof *g.nodes);
    g.edges_in = arena_alloc(a, (g.count + 1) * sizeof *g.edges_in);
    g.capacity = arena_alloc(a, (g.count + 1) * sizeof *g.capacity);
    g.rank = arena_alloc(a, (g.count + 1) * sizeof *g.rank);
    for (unsigned n = 0; n < g.count; n++) {
        g.rank[n] = FLOW_NONE;
    }
    for (unsigned i = 0; i < f->reached; i++) {
        add_edges(&g, f->order[i], true);
        add_edges(&g, f->order[i], false);
    }
    for (unsigned i = 0; i < f->loop_count; i++) {
        leave_at_end(&g, i);
    }
    put_in_order(&g);
    return g;
}

/* --- the places of one branch ----------------------------------------------------------------- */

struct sweep {
    struct graph *g;
    unsigned *side; /* node -> NO_SIDE, the one way that reaches it (from 1), or BOTH */
    bool *around;   /* node -> reached around the places found so far */
    bool *refused;  /* node -> no place after all */
    unsigned *touched, touched_count; /* nodes to be cleaned up */
    unsigned *places, count;          /* found, the nearest first */
};

static void reach(struct sweep *w, unsigned node, unsigned side, bool around)
{
    if (w->side[node] == NO_SIDE) {
        w->touched[w->touched_count++] = node;
    }
    w->side[node] = w->side[node] == NO_SIDE || w->side[node] == side ? side : BOTH;
    w->around[node] |= around;
}

static void clean(struct sweep *w)
{
    while (w->touched_count > 0) {
        unsigned node = w->touched[--w->touched_count];
        w->side[node] = NO_SIDE;
        w->around[node] = false;
    }
}

/* Follows all ways from the branch at the end of b at once, in order, up to where every one of them
 * has come to a place. */
static void find_places(struct sweep *w, unsigned b)
{
    const struct flow *f = w->g->f;
    unsigned waiting = 0; /* nodes reached around the places, still ahead */
    w->count = 0;
    for (unsigned s = 0; s < f->blocks[b].successor_count; s++) {
        unsigned node = node_behind(f, b, f->blocks[b].successors[s]);
        if (node != FLOW_NONE) {
            waiting += !w->around[node];
            reach(w, node, 1 + s % (BOTH - 1), true);
        }
    }
    for (unsigned i = w->g->rank[b] + 1; waiting > 0 && i < w->g->reached; i++) {
        unsigned node = w->g->order[i];
        if (w->side[node] == NO_SIDE) {
            continue;
        }
        bool around = w->around[node];
        waiting -= around;
        if (around && w->side[node] == BOTH && w->g->edges_in[node] > 1 && !w->refused[node]) {
            w->places[w->count++] = node;
            around = false;
        }
        for (unsigned s = 0; s < w->g->nodes[node].successor_count; s++) {
            unsigned to = w->g->nodes[node].successors[s];
            waiting += around && !w->around[to];
            reach(w, to, w->side[node], around);
        }
    }
    clean(w);
}

/* Do lanes get from the branch in b around `place` to somewhere that `place` leads to as well, as
 * by a `break`? */
static bool goes_around(struct sweep *w, unsigned b, unsigned place)
{
    bool found = false;
    reach(w, b, 1, true);
    reach(w, place, 2, true);
    for (unsigned i = w->g->rank[b]; !found && i < w->g->reached; i++) {
        unsigned node = w->g->order[i];
        found = w->side[node] == BOTH && node != place;
        unsigned side = node == place ? 2 : w->side[node];
        for (unsigned s = 0; side != NO_SIDE && s < w->g->nodes[node].successor_count; s++) {
            reach(w, w->g->nodes[node].successors[s], side, true);
        }
    }
    clean(w);
    return found;
}

/* Machine code makes no place of a block between branches that may leave the loop: there lanes wait
 * at the end of the round only. */
static void find_lasting_places(struct sweep *w, unsigned b)
{
    unsigned refused[64], count = 0;
    for (bool again = true; again;) {
        again = false;
        find_places(w, b);
        for (unsigned i = 0; !again && count < 64 && i + 1 < w->count; i++) {
            bool is_end = w->places[i] >= w->g->f->count;
            if (!is_end && goes_around(w, b, w->places[i + 1])) {
                refused[count++] = w->places[i];
                w->refused[w->places[i]] = again = true;
            }
        }
    }
    while (count > 0) {
        w->refused[refused[--count]] = false;
    }
}

struct flow_meets flow_find_meets(struct arena *scratch, const struct flow *f)
{
    struct graph g = graph_of(scratch, f);
    struct sweep w = {.g = &g};
    struct flow_meets m = {0};
    unsigned total = 0, capacity = 0;
    w.side = arena_alloc(scratch, (g.count + 1) * sizeof *w.side);
    w.around = arena_alloc(scratch, (g.count + 1) * sizeof *w.around);
    w.refused = arena_alloc(scratch, (g.count + 1) * sizeof *w.refused);
    w.touched = arena_alloc(scratch, (g.count + 1) * sizeof *w.touched);
    w.places = arena_alloc(scratch, (g.count + 1) * sizeof *w.places);
    m.first = arena_alloc(scratch, (f->count + 1) * sizeof *m.first);
    m.list = arena_alloc(scratch, sizeof *m.list);
    m.order = arena_alloc(scratch, (f->count + 1) * sizeof *m.order);
    for (unsigned b = 0; b < f->count; b++) {
        m.first[b] = total;
        m.order[b] = g.rank[b];
        if (f->number[b] == FLOW_NONE || f->blocks[b].successor_count < 2) {
            continue;
        }
        find_lasting_places(&w, b);
        while (w.count > 0) {
            unsigned node = w.places[--w.count];
            m.list = arena_grow(scratch, m.list, total, &capacity, sizeof *m.list);
            m.list[total++] = node < f->count ? node : f->loops[node - f->count].head;
        }
    }
    m.first[f->count] = total;
    for (unsigned i = 0; i < f->loop_count; i++) {
        m.order[f->loops[i].head] = g.rank[f->count + i];
    }
    return m;
}

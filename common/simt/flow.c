/* flow.c - immediate post-dominators by the iteration of Cooper, Harvey and Kennedy ("A simple,
 * fast dominance algorithm", 2001), run on the reversed graph with one virtual exit. */
#include "flow.h"

#include <string.h>

#define UNSEEN 0xfffffffeu

struct walk {
    const struct flow_block *blocks;
    unsigned count;        /* the virtual exit has number `count` */
    unsigned *order;       /* position -> node, a postorder of the reversed graph */
    unsigned *position;    /* node -> position */
    unsigned *idom;        /* node -> node, UNSEEN at first */
    unsigned *predecessor; /* reversed edges, packed */
    unsigned *first;       /* node -> index of its first reversed edge; count + 2 entries */
    unsigned visited;
};

static unsigned node_of(const struct walk *w, unsigned successor)
{
    return successor == FLOW_EXIT ? w->count : successor;
}

/* Fills first[] and predecessor[]: who jumps to node n? */
static void reverse_edges(struct walk *w, struct arena *scratch)
{
    unsigned edges = 0;
    w->first = arena_alloc(scratch, (w->count + 2) * sizeof *w->first);
    for (unsigned b = 0; b < w->count; b++) {
        for (unsigned s = 0; s < w->blocks[b].successor_count; s++) {
            w->first[node_of(w, w->blocks[b].successors[s]) + 1]++;
            edges++;
        }
    }
    for (unsigned n = 0; n <= w->count; n++) {
        w->first[n + 1] += w->first[n];
    }
    unsigned *fill = arena_alloc(scratch, (w->count + 1) * sizeof *fill);
    w->predecessor = arena_alloc(scratch, (edges + 1) * sizeof *w->predecessor);
    for (unsigned b = 0; b < w->count; b++) {
        for (unsigned s = 0; s < w->blocks[b].successor_count; s++) {
            unsigned n = node_of(w, w->blocks[b].successors[s]);
            w->predecessor[w->first[n] + fill[n]++] = b;
        }
    }
}

/* Postorder of the reversed graph from the exit, without recursion: code may be one long chain. */
static void number_nodes(struct walk *w, struct arena *scratch)
{
    unsigned *stack = arena_alloc(scratch, (w->count + 1) * sizeof *stack);
    unsigned *next = arena_alloc(scratch, (w->count + 1) * sizeof *next);
    bool *seen = arena_alloc(scratch, (w->count + 1) * sizeof *seen);
    unsigned depth = 0;
    stack[depth++] = w->count;
    seen[w->count] = true;
    while (depth > 0) {
        unsigned n = stack[depth - 1];
        if (w->first[n] + next[n] < w->first[n + 1]) {
            unsigned p = w->predecessor[w->first[n] + next[n]++];
            if (!seen[p]) {
                seen[p] = true;
                stack[depth++] = p;
            }
        } else {
            w->position[n] = w->visited;
            w->order[w->visited++] = n;
            depth--;
        }
    }
}

static unsigned meet(const struct walk *w, unsigned a, unsigned b)
{
    while (a != b) {
        while (w->position[a] < w->position[b]) {
            a = w->idom[a];
        }
        while (w->position[b] < w->position[a]) {
            b = w->idom[b];
        }
    }
    return a;
}

static bool improve(struct walk *w, unsigned n)
{
    unsigned best = UNSEEN;
    for (unsigned s = 0; s < w->blocks[n].successor_count; s++) {
        unsigned m = node_of(w, w->blocks[n].successors[s]);
        if (w->idom[m] != UNSEEN) {
            best = best == UNSEEN ? m : meet(w, m, best);
        }
    }
    bool changed = best != w->idom[n];
    w->idom[n] = best;
    return changed;
}

void flow_post_dominators(struct arena *scratch, const struct flow_block *blocks, unsigned count,
                          unsigned *ipdom)
{
    struct walk w = {.blocks = blocks, .count = count};
    w.order = arena_alloc(scratch, (count + 1) * sizeof *w.order);
    w.position = arena_alloc(scratch, (count + 1) * sizeof *w.position);
    w.idom = arena_alloc(scratch, (count + 1) * sizeof *w.idom);
    for (unsigned n = 0; n <= count; n++) {
        w.idom[n] = UNSEEN;
    }
    reverse_edges(&w, scratch);
    number_nodes(&w, scratch);
    w.idom[count] = count;
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = w.visited; i-- > 0;) { /* reverse postorder: the exit comes first */
            if (w.order[i] != count) {
                changed |= improve(&w, w.order[i]);
            }
        }
    }
    for (unsigned b = 0; b < count; b++) { /* blocks that never reach the exit stay UNSEEN */
        ipdom[b] = w.idom[b] == UNSEEN || w.idom[b] == count ? FLOW_EXIT : w.idom[b];
    }
}

/* acyclic.h - a function's control flow as a graph without cycles; for reconverge.c alone.
 *
 * Each loop gets an end, a node of its own, to which its ways back lead instead of to its head, and
 * from which the ways lead on that leave the loop for good. Nodes are blocks, then the ends of
 * loops. */
#ifndef SIMT_ACYCLIC_H
#define SIMT_ACYCLIC_H

#include "ir/flow.h"

struct acyclic {
    struct arena *arena;
    const struct flow *flow;
    unsigned count;           /* nodes: flow->count blocks, then the ends of flow->loops */
    struct flow_block *nodes; /* where each leads */
    unsigned *edges_in;       /* how many lead there */
    unsigned *capacity;
    unsigned *rank;   /* node -> index in `order`, FLOW_NONE: never reached */
    unsigned *order;  /* nodes in an order in which every edge leads on */
    unsigned reached; /* nodes in that order */
};

struct acyclic acyclic_of(struct arena *arena, const struct flow *f);
/* Where an edge of the function leads in the graph; FLOW_NONE: out of the function, or back into no
 * loop's head. */
unsigned acyclic_node_behind(const struct flow *f, unsigned from, unsigned to);

#endif

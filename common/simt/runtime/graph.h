/* graph.h - CUDA graphs: nodes, edges, and what a node does. Private to graph*.c.
 *
 * A node holds the parameters of its call as cudaGraphAddNode() takes them, a kernel's arguments
 * copied. An executable graph is a copy of a graph: its nodes know whose copies they are. Graphs
 * are no thread-safe objects, in CUDA and here. */
#ifndef SIMT_GRAPH_H
#define SIMT_GRAPH_H

#include "check/host/timeline.h"
#include "runtime/cudart.h"
#include "runtime/cudart_request.h"

struct CUgraphNode_st {
    struct handle handle;
    cudaGraph_t graph;
    unsigned index; /* in graph->nodes */
    struct cudaGraphNodeParams params;
    struct request request; /* of a kernel; its arguments lie in `arguments` */
    void **arguments;       /* allocated: pointers, and behind them what they point to */
    cudaGraphNode_t *dependencies;
    unsigned dependency_count, dependency_room;
    cudaGraph_t *bodies; /* of a child or conditional node */
    unsigned body_count;
    cudaGraphNode_t origin; /* the node that it is a copy of; NULL: none */
    bool disabled;          /* cudaGraphNodeSetEnabled() */
};

struct graph_user { /* a user object that the graph keeps alive */
    cudaUserObject_t object;
    unsigned count;
    struct graph_user *next;
};

struct CUgraph_st {
    struct handle handle;
    unsigned number;        /* 1, 2, ... of the process */
    cudaGraphNode_t *nodes; /* in the order in which they were added */
    unsigned count, room;
    cudaGraphNode_t parent; /* whose body it is; NULL: none */
    cudaGraph_t origin;     /* cudaGraphClone(); NULL: none */
    struct graph_user *users;
    struct graph_conditional *conditionals; /* freed with it */
};

struct graph_conditional {
    unsigned long long handle;
    uint32_t value;  /* at each launch, */
    bool is_default; /* if that was wanted */
    struct graph_conditional *next;
};

/* ---- graph.c --------------------------------------------------------------------------------- */

cudaGraph_t graph_create(const char *call, const void *site);
void graph_free(cudaGraph_t graph);
/* Explained, if it is none. */
cudaError_t graph_check(const char *call, cudaGraph_t graph);
cudaError_t graph_check_node(const char *call, cudaGraphNode_t node);
/* Adds an empty node behind `dependencies`, which are checked. NULL: *code. */
cudaGraphNode_t graph_add(const char *call, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                          size_t count, cudaError_t *code);
void graph_remove(cudaGraphNode_t node);
bool graph_depends_on(cudaGraphNode_t node, cudaGraphNode_t on); /* by an edge */
cudaGraph_t graph_copy(cudaGraph_t graph);                       /* with all its bodies */
void graph_keep_conditional(cudaGraph_t graph, unsigned long long handle, uint32_t value,
                            bool is_default);
/* The nodes in an order that respects the edges: of those that may come next the oldest, or, with a
 * seed, any. NULL: there is a circle. The caller frees it. */
cudaGraphNode_t *graph_order(cudaGraph_t graph, uint64_t seed);
void graph_visit(void (*visit)(void *state, const struct handle *h), void *state);
void graph_exec_visit(void (*visit)(void *state, const struct handle *h), void *state);

/* ---- graph_params.c -------------------------------------------------------------------------- */

/* Checks and copies the parameters into the node. `call` is what messages name. */
cudaError_t graph_set_params(const char *call, cudaGraphNode_t node,
                             const struct cudaGraphNodeParams *params);
/* graph_kernel.c: a kernel node of a launch that has been judged. */
cudaError_t graph_set_kernel(const char *call, cudaGraphNode_t node, const struct request *r);

/* ---- graph_user.c ---------------------------------------------------------------------------- */

void graph_keep_user(cudaGraph_t graph, cudaUserObject_t object, unsigned count);

/* ---- graph_exec.c ---------------------------------------------------------------------------- */

struct CUgraphExec_st {
    struct handle handle;
    cudaGraph_t graph;
    unsigned long long flags;
    struct timeline_clock ended; /* its last launch, while the order of works is checked */
};

cudaError_t graph_check_exec(const char *call, cudaGraphExec_t exec);

/* ---- graph_set.c: sets of nodes -------------------------------------------------------------- */

struct node_set {
    cudaGraphNode_t *nodes;
    unsigned count;
};

void node_set_add(struct node_set *s, cudaGraphNode_t node);
void node_set_add_all(struct node_set *s, const struct node_set *others);
/* Is the node one of the set, or before one by edges? */
bool node_set_reaches(cudaGraphNode_t node, const struct node_set *set);

/* ---- graph_memory.c -------------------------------------------------------------------------- */

/* Memory of an allocation node: its addresses are there as long as the node or a copy of it. */
cudaError_t graph_memory_reserve(const char *call, size_t bytes, void **pointer);
void graph_memory_retain(void *pointer);
void graph_memory_release(void *pointer);
bool graph_memory_is_mine(const void *pointer);
/* The node's work: false, explained, if it is in use already, or not. */
bool graph_memory_begin(const char *call, void *pointer, bool again);
bool graph_memory_end(const char *call, void *pointer);

#endif

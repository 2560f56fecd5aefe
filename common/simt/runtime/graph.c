/* graph.c - graphs as such: nodes, edges, copies, and the order in which nodes may run. See
 * graph.h. */
#include "runtime/graph.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

#include "base/describe.h"
#include "exec/exec_conditional.h"

static struct handle_pool graphs = HANDLE_POOL(struct CUgraph_st);
static struct handle_pool nodes = HANDLE_POOL(struct CUgraphNode_st);

static void *grow(void *list, unsigned count, unsigned *room, size_t size)
{
    if (count < *room) {
        return list;
    }
    *room = *room > 0 ? 2 * *room : 8;
    list = room_resized(list, *room, size);
    return list;
}

/* ---- life ------------------------------------------------------------------------------------ */

cudaGraph_t graph_create(const char *call, const void *site)
{
    static _Atomic unsigned created;
    cudaGraph_t graph = handle_create(&graphs);
    graph->number = ++created;
    graph->handle.made_by = call;
    graph->handle.made_at = site;
    return graph;
}

void graph_keep_conditional(cudaGraph_t graph, unsigned long long handle, uint32_t value,
                            bool is_default)
{
    struct graph_conditional *c = room_raw(1, sizeof *c);
    *c = (struct graph_conditional){handle, value, is_default, graph->conditionals};
    graph->conditionals = c;
}

void graph_visit(void (*visit)(void *state, const struct handle *h), void *state)
{
    handle_visit(&graphs, visit, state);
}

static void free_node(cudaGraphNode_t node)
{
    if (node->params.type == cudaGraphNodeTypeMemAlloc) {
        graph_memory_release(node->params.alloc.dptr);
    }
    for (unsigned i = 0; i < node->body_count; i++) {
        graph_free(node->bodies[i]);
    }
    free(node->bodies);
    free(node->dependencies);
    free(node->arguments);
    handle_destroy(&nodes, node);
}

void graph_free(cudaGraph_t graph)
{
    for (unsigned i = 0; i < graph->count; i++) {
        free_node(graph->nodes[i]);
    }
    while (graph->conditionals != NULL) {
        struct graph_conditional *next = graph->conditionals->next;
        conditional_free(graph->conditionals->handle);
        free(graph->conditionals);
        graph->conditionals = next;
    }
    while (graph->users != NULL) {
        struct graph_user *next = graph->users->next;
        cudaUserObjectRelease(graph->users->object, graph->users->count);
        free(graph->users);
        graph->users = next;
    }
    free(graph->nodes);
    handle_destroy(&graphs, graph);
}

cudaError_t graph_check(const char *call, cudaGraph_t graph)
{
    if (graph != NULL && handle_is_live(&graphs, graph)) {
        return cudaSuccess;
    }
    return cuda_error_saying(cudaErrorInvalidValue, call,
                             "graph %p does not exist: it was destroyed, or never created",
                             (void *)graph);
}

cudaError_t graph_check_node(const char *call, cudaGraphNode_t node)
{
    if (node != NULL && handle_is_live(&nodes, node)) {
        return cudaSuccess;
    }
    return cuda_error_saying(cudaErrorInvalidValue, call,
                             "node %p does not exist: it or its graph was destroyed", (void *)node);
}

/* ---- nodes and edges ------------------------------------------------------------------------- */

static void add_edge(cudaGraphNode_t from, cudaGraphNode_t to)
{
    to->dependencies =
        grow(to->dependencies, to->dependency_count, &to->dependency_room, sizeof from);
    to->dependencies[to->dependency_count++] = from;
}

bool graph_depends_on(cudaGraphNode_t node, cudaGraphNode_t on)
{
    bool found = false;
    for (unsigned i = 0; i < node->dependency_count; i++) {
        found |= node->dependencies[i] == on;
    }
    return found;
}

static cudaGraphNode_t append(cudaGraph_t graph)
{
    cudaGraphNode_t node = handle_create(&nodes);
    node->graph = graph;
    node->index = graph->count;
    node->params.type = cudaGraphNodeTypeEmpty;
    graph->nodes = grow(graph->nodes, graph->count, &graph->room, sizeof node);
    graph->nodes[graph->count++] = node;
    return node;
}

cudaGraphNode_t graph_add(const char *call, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                          size_t count, cudaError_t *code)
{
    *code = graph_check(call, graph);
    for (size_t i = 0; i < count && *code == cudaSuccess; i++) {
        *code = graph_check_node(call, dependencies[i]);
        if (*code == cudaSuccess && dependencies[i]->graph != graph) {
            *code = cuda_error_saying(cudaErrorInvalidValue, call,
                                      "dependency %zu is a node of another graph", i);
        }
    }
    if (*code != cudaSuccess) {
        return NULL;
    }
    cudaGraphNode_t node = append(graph);
    node->handle.made_at = runtime_site();
    for (size_t i = 0; i < count; i++) {
        add_edge(dependencies[i], node);
    }
    return node;
}

static void remove_edge(cudaGraphNode_t from, cudaGraphNode_t to)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < to->dependency_count; i++) {
        if (to->dependencies[i] != from) {
            to->dependencies[kept++] = to->dependencies[i];
        }
    }
    to->dependency_count = kept;
}

void graph_remove(cudaGraphNode_t node)
{
    cudaGraph_t graph = node->graph;
    graph->count--;
    for (unsigned i = 0; i < graph->count; i++) {
        graph->nodes[i] = graph->nodes[i + (i >= node->index)];
    }
    for (unsigned i = 0; i < graph->count; i++) {
        graph->nodes[i]->index = i;
        remove_edge(node, graph->nodes[i]);
    }
    free_node(node);
}

/* ---- order ----------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* How many edges lead to each node. */
static unsigned *count_edges(cudaGraph_t graph)
{
    unsigned *left = room_new(graph->count + 1u, sizeof *left);
    for (unsigned i = 0; i < graph->count; i++) {
        left[i] = graph->nodes[i]->dependency_count;
    }
    return left;
}

static bool calls_the_host(cudaGraphNode_t node)
{
    return node->params.type == cudaGraphNodeTypeHost;
}

/* One of the nodes that wait for no other and have not been taken: the oldest, or any. Functions of
 * the host come late: what is issued behind one counts as behind all that the host has seen by
 * then, be there an edge or not. NULL: there is none. */
static cudaGraphNode_t choose(cudaGraph_t graph, const unsigned *left, const bool *taken,
                              uint64_t *seed)
{
    cudaGraphNode_t chosen = NULL;
    unsigned ready = 0;
    for (unsigned i = 0; i < graph->count; i++) {
        if (taken[i] || left[i] > 0) {
            continue;
        }
        ready++;
        if (chosen == NULL ||
            (*seed == 0 ? calls_the_host(chosen) && !calls_the_host(graph->nodes[i])
                        : next_random(seed) % ready == 0)) {
            chosen = graph->nodes[i];
        }
    }
    return chosen;
}

cudaGraphNode_t *graph_order(cudaGraph_t graph, uint64_t seed)
{
    cudaGraphNode_t *order = room_new(graph->count + 1u, sizeof(cudaGraphNode_t));
    bool *taken = room_new(graph->count + 1u, sizeof *taken);
    unsigned *left = count_edges(graph);
    unsigned count = 0;
    for (cudaGraphNode_t node; (node = choose(graph, left, taken, &seed)) != NULL;) {
        order[count++] = node;
        taken[node->index] = true;
        for (unsigned i = 0; i < graph->count; i++) {
            left[i] -= !taken[i] && graph_depends_on(graph->nodes[i], node);
        }
    }
    free(left);
    free(taken);
    if (count < graph->count) {
        free(order);
        return NULL;
    }
    return order;
}

/* ---- copies ---------------------------------------------------------------------------------- */

static void copy_arguments(cudaGraphNode_t to, const struct CUgraphNode_st *from)
{
    if (from->params.type == cudaGraphNodeTypeKernel) {
        graph_set_kernel(NULL, to, &from->request);
        to->params = from->params;
        to->params.kernel.kernelParams = to->arguments;
    }
}

static void copy_node(cudaGraph_t copy, const struct CUgraphNode_st *from)
{
    cudaGraphNode_t to = copy->nodes[from->index];
    to->params = from->params;
    to->handle.made_at = from->handle.made_at;
    to->origin = (cudaGraphNode_t)(uintptr_t)from;
    to->disabled = from->disabled;
    copy_arguments(to, from);
    for (unsigned i = 0; i < from->dependency_count; i++) {
        add_edge(copy->nodes[from->dependencies[i]->index], to);
    }
    if (from->params.type == cudaGraphNodeTypeMemAlloc) {
        graph_memory_retain(from->params.alloc.dptr);
    }
    to->bodies = room_new(from->body_count + 1u, sizeof(cudaGraph_t));
    to->body_count = from->body_count;
    for (unsigned i = 0; i < from->body_count; i++) {
        to->bodies[i] = graph_copy(from->bodies[i]);
        to->bodies[i]->parent = to;
    }
}

cudaGraph_t graph_copy(cudaGraph_t graph)
{
    cudaGraph_t copy = graph_create(NULL, NULL);
    copy->origin = graph;
    for (unsigned i = 0; i < graph->count; i++) {
        append(copy);
    }
    for (unsigned i = 0; i < graph->count; i++) {
        copy_node(copy, graph->nodes[i]);
    }
    for (const struct graph_conditional *c = graph->conditionals; c != NULL; c = c->next) {
        conditional_retain(c->handle);
        graph_keep_conditional(copy, c->handle, c->value, c->is_default);
    }
    for (const struct graph_user *u = graph->users; u != NULL; u = u->next) {
        cudaUserObjectRetain(u->object, u->count);
        graph_keep_user(copy, u->object, u->count);
    }
    return copy;
}

/* ---- the API --------------------------------------------------------------------------------- */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    const cudaError_t code = runtime_enter();
    if (code == cudaSuccess && (graph == NULL || flags != 0)) {
        return cuda_error_saying(cudaErrorInvalidValue, "cudaGraphCreate", "flags must be 0");
    }
    if (code == cudaSuccess) {
        *graph = graph_create("cudaGraphCreate", CALL_SITE());
    }
    return code;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    const cudaError_t code = graph_check("cudaGraphDestroy", graph);
    if (code == cudaSuccess && graph->parent != NULL) {
        return cuda_error_saying(cudaErrorInvalidValue, "cudaGraphDestroy",
                                 "the graph belongs to a node, and is destroyed with it");
    }
    if (code == cudaSuccess) {
        graph_free(graph);
    }
    return code;
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    const cudaError_t code = graph_check("cudaGraphClone", graph);
    if (code == cudaSuccess) {
        *clone = graph_copy(graph);
        (*clone)->handle.made_by = "cudaGraphClone";
        (*clone)->handle.made_at = CALL_SITE();
    }
    return code;
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original,
                                     cudaGraph_t clone)
{
    const char *call = "cudaGraphNodeFindInClone";
    const cudaError_t code = graph_check(call, clone);
    *node = NULL;
    for (unsigned i = 0; code == cudaSuccess && i < clone->count; i++) {
        *node = clone->nodes[i]->origin == original ? clone->nodes[i] : *node;
    }
    return code == cudaSuccess && *node == NULL
               ? cuda_error_saying(cudaErrorInvalidValue, call,
                                   "the graph is no clone of that of the node")
               : code;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    const cudaError_t code = graph_check_node("cudaGraphDestroyNode", node);
    if (code == cudaSuccess) {
        graph_remove(node);
    }
    return code;
}

static cudaError_t check_edge(const char *call, cudaGraph_t graph, cudaGraphNode_t from,
                              cudaGraphNode_t to)
{
    cudaError_t code = graph_check_node(call, from);
    AND_THEN(code, graph_check_node(call, to));
    if (code == cudaSuccess && (from->graph != graph || to->graph != graph || from == to)) {
        return cuda_error_saying(cudaErrorInvalidValue, call,
                                 from == to ? "a node cannot depend on itself"
                                            : "both nodes must belong to the graph");
    }
    return code;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                     size_t count)
{
    const char *call = "cudaGraphAddDependencies";
    (void)edges; /* a programmatic edge lets a kernel begin early: here it is a full one */
    cudaError_t code = graph_check(call, graph);
    for (size_t i = 0; i < count && code == cudaSuccess; i++) {
        code = check_edge(call, graph, from[i], to[i]);
        if (code == cudaSuccess && graph_depends_on(to[i], from[i])) {
            code = cuda_error_saying(cudaErrorInvalidValue, call, "edge %zu is there already", i);
        }
        if (code == cudaSuccess) {
            add_edge(from[i], to[i]);
        }
    }
    return code;
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                        size_t count)
{
    const char *call = "cudaGraphRemoveDependencies";
    (void)edges;
    cudaError_t code = graph_check(call, graph);
    for (size_t i = 0; i < count && code == cudaSuccess; i++) {
        code = check_edge(call, graph, from[i], to[i]);
        if (code == cudaSuccess && !graph_depends_on(to[i], from[i])) {
            code = cuda_error_saying(cudaErrorInvalidValue, call, "edge %zu is not there", i);
        }
        if (code == cudaSuccess) {
            remove_edge(from[i], to[i]);
        }
    }
    return code;
}

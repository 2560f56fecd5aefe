/* graph_query.c - what a program asks of a graph: its nodes and edges. See graph.h. */
#include "runtime/graph.h"

#include <stdio.h>
#include <string.h>

/* Lists are asked for twice: for their length, with no room for them, and for what is in them. */
struct answer {
    cudaGraphNode_t *nodes, *to;
    cudaGraphEdgeData *edges;
    size_t room, count;
};

static struct answer answer_into(cudaGraphNode_t *list, cudaGraphNode_t *to,
                                 cudaGraphEdgeData *edges, const size_t *room)
{
    return (struct answer){list, to, edges, list != NULL ? *room : 0, 0};
}

static void answer_add(struct answer *a, cudaGraphNode_t node, cudaGraphNode_t to)
{
    if (a->count < a->room) {
        a->nodes[a->count] = node;
        if (a->to != NULL) {
            a->to[a->count] = to;
        }
        if (a->edges != NULL) {
            memset(&a->edges[a->count], 0, sizeof a->edges[a->count]);
        }
    }
    a->count++;
}

/* With room for more, the rest is NULL, as CUDA has it. */
static cudaError_t answer_end(struct answer *a, size_t *count)
{
    for (size_t i = a->count; i < a->room; i++) {
        a->nodes[i] = NULL;
    }
    *count = a->nodes != NULL && a->room < a->count ? a->room : a->count;
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *list, size_t *count)
{
    const cudaError_t code = graph_check("cudaGraphGetNodes", graph);
    if (code != cudaSuccess || count == NULL) {
        return code != cudaSuccess ? code : cuda_error(cudaErrorInvalidValue);
    }
    struct answer a = answer_into(list, NULL, NULL, count);
    for (unsigned i = 0; i < graph->count; i++) {
        answer_add(&a, graph->nodes[i], NULL);
    }
    return answer_end(&a, count);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *list, size_t *count)
{
    const cudaError_t code = graph_check("cudaGraphGetRootNodes", graph);
    if (code != cudaSuccess || count == NULL) {
        return code != cudaSuccess ? code : cuda_error(cudaErrorInvalidValue);
    }
    struct answer a = answer_into(list, NULL, NULL, count);
    for (unsigned i = 0; i < graph->count; i++) {
        if (graph->nodes[i]->dependency_count == 0) {
            answer_add(&a, graph->nodes[i], NULL);
        }
    }
    return answer_end(&a, count);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *edges, size_t *count)
{
    const cudaError_t code = graph_check("cudaGraphGetEdges", graph);
    if (code != cudaSuccess || count == NULL) {
        return code != cudaSuccess ? code : cuda_error(cudaErrorInvalidValue);
    }
    struct answer a = answer_into(from, to, edges, count);
    for (unsigned i = 0; i < graph->count; i++) {
        for (unsigned k = 0; k < graph->nodes[i]->dependency_count; k++) {
            answer_add(&a, graph->nodes[i]->dependencies[k], graph->nodes[i]);
        }
    }
    return answer_end(&a, count);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *list,
                                         cudaGraphEdgeData *edges, size_t *count)
{
    const cudaError_t code = graph_check_node("cudaGraphNodeGetDependencies", node);
    if (code != cudaSuccess || count == NULL) {
        return code != cudaSuccess ? code : cuda_error(cudaErrorInvalidValue);
    }
    struct answer a = answer_into(list, NULL, edges, count);
    for (unsigned i = 0; i < node->dependency_count; i++) {
        answer_add(&a, node->dependencies[i], NULL);
    }
    return answer_end(&a, count);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *list,
                                           cudaGraphEdgeData *edges, size_t *count)
{
    const cudaError_t code = graph_check_node("cudaGraphNodeGetDependentNodes", node);
    if (code != cudaSuccess || count == NULL) {
        return code != cudaSuccess ? code : cuda_error(cudaErrorInvalidValue);
    }
    struct answer a = answer_into(list, NULL, edges, count);
    for (unsigned i = 0; i < node->graph->count; i++) {
        if (graph_depends_on(node->graph->nodes[i], node)) {
            answer_add(&a, node->graph->nodes[i], NULL);
        }
    }
    return answer_end(&a, count);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    const cudaError_t code = graph_check_node("cudaGraphNodeGetType", node);
    if (code == cudaSuccess) {
        *type = node->params.type;
    }
    return code;
}

/* graph_query.c - what a program asks of a graph: its nodes and edges, and a picture of them. See
 * graph.h. */
#include "runtime/graph.h"

#include <stdio.h>
#include <string.h>

#include "base/demangle.h"
#include "runtime/registry.h"

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

/* ---- a picture ------------------------------------------------------------------------------- */

static const char *kind_of(enum cudaGraphNodeType type)
{
    static const char *const names[cudaGraphNodeTypeCount] = {
        [cudaGraphNodeTypeKernel] = "kernel",
        [cudaGraphNodeTypeMemcpy] = "memcpy",
        [cudaGraphNodeTypeMemset] = "memset",
        [cudaGraphNodeTypeHost] = "host function",
        [cudaGraphNodeTypeGraph] = "child graph",
        [cudaGraphNodeTypeEmpty] = "empty",
        [cudaGraphNodeTypeWaitEvent] = "event wait",
        [cudaGraphNodeTypeEventRecord] = "event record",
        [cudaGraphNodeTypeMemAlloc] = "memory allocation",
        [cudaGraphNodeTypeMemFree] = "memory free",
        [cudaGraphNodeTypeConditional] = "conditional",
    };
    return (unsigned)type < cudaGraphNodeTypeCount && names[type] != NULL ? names[type] : "node";
}

/* What the node does, for its box. */
static void describe(const struct CUgraphNode_st *n, char *text, size_t size)
{
    const struct cudaGraphNodeParams *p = &n->params;
    const struct request *r = &n->request;
    text[0] = '\0';
    if (p->type == cudaGraphNodeTypeKernel) {
        snprintf(text, size, "\\n%s\\n<<<(%u, %u, %u), (%u, %u, %u), %zu>>>", r->kernel->plain,
                 r->grid.x, r->grid.y, r->grid.z, r->block.x, r->block.y, r->block.z,
                 r->shared_bytes);
    } else if (p->type == cudaGraphNodeTypeMemcpy) {
        const struct cudaExtent e = p->memcpy.copyParams.extent;
        snprintf(text, size, "\\n%zu x %zu x %zu bytes", e.width, e.height, e.depth);
    } else if (p->type == cudaGraphNodeTypeMemset) {
        snprintf(text, size, "\\n%zu x %zu elements of %u bytes: 0x%x", p->memset.width,
                 p->memset.height, p->memset.elementSize, p->memset.value);
    } else if (p->type == cudaGraphNodeTypeMemAlloc) {
        snprintf(text, size, "\\n%zu bytes", p->alloc.bytesize);
    }
}

static const char *look_of(enum cudaGraphNodeType type)
{
    return type == cudaGraphNodeTypeKernel ? "style=\"bold\" shape=\"octagon\""
                                           : "style=\"solid\" shape=\"rectangle\"";
}

/* Names as a card's driver writes them: graph_1_node_0. */
static void draw(FILE *f, cudaGraph_t graph, unsigned *number)
{
    char text[700];
    const unsigned own = ++*number;
    fprintf(f, "subgraph cluster_%u {\nlabel=\"graph_%u\" graph[style=\"dashed\"];\n", own, own);
    for (unsigned i = 0; i < graph->count; i++) {
        const struct CUgraphNode_st *n = graph->nodes[i];
        describe(n, text, sizeof text);
        fprintf(f, "\"graph_%u_node_%u\"[%s label=\"%u\\n%s%s\"];\n", own, i,
                look_of(n->params.type), i, kind_of(n->params.type), text);
        for (unsigned k = 0; k < n->dependency_count; k++) {
            fprintf(f, "\"graph_%u_node_%u\" -> \"graph_%u_node_%u\";\n", own,
                    n->dependencies[k]->index, own, i);
        }
    }
    fprintf(f, "}\n");
    for (unsigned i = 0; i < graph->count; i++) {
        for (unsigned k = 0; k < graph->nodes[i]->body_count; k++) {
            draw(f, graph->nodes[i]->bodies[k], number);
        }
    }
}

/* In the language of Graphviz' `dot`; the flags ask for details, and all that there are are told.
 */
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
    const char *call = "cudaGraphDebugDotPrint";
    const cudaError_t code = graph_check(call, graph);
    (void)flags;
    if (code != cudaSuccess) {
        return code;
    }
    FILE *f = path != NULL ? fopen(path, "w") : NULL;
    if (f == NULL) {
        return cuda_error_saying(cudaErrorOperatingSystem, call, "%s cannot be written",
                                 path != NULL ? path : "a file without a name");
    }
    unsigned number = 0;
    fprintf(f, "digraph dot {\n");
    draw(f, graph, &number);
    fprintf(f, "}\n");
    return fclose(f) == 0 ? cudaSuccess : cuda_error(cudaErrorOperatingSystem);
}

/* graph_picture.c - cudaGraphDebugDotPrint(): a graph in the language of Graphviz' `dot`, in the
 * words of a card's driver where those are known (kernels and empty nodes, recorded on an H200). */
#include "runtime/graph.h"

#include <stdio.h>
#include <string.h>

#include "runtime/registry.h"

static const char *kind_of(enum cudaGraphNodeType type)
{
    static const char *const names[cudaGraphNodeTypeCount] = {
        [cudaGraphNodeTypeKernel] = "KERNEL",
        [cudaGraphNodeTypeMemcpy] = "MEMCPY",
        [cudaGraphNodeTypeMemset] = "MEMSET",
        [cudaGraphNodeTypeHost] = "HOST",
        [cudaGraphNodeTypeGraph] = "GRAPH",
        [cudaGraphNodeTypeEmpty] = "EMPTY",
        [cudaGraphNodeTypeWaitEvent] = "EVENT_WAIT",
        [cudaGraphNodeTypeEventRecord] = "EVENT_RECORD",
        [cudaGraphNodeTypeMemAlloc] = "MEM_ALLOC",
        [cudaGraphNodeTypeMemFree] = "MEM_FREE",
        [cudaGraphNodeTypeConditional] = "CONDITIONAL",
    };
    return (unsigned)type < cudaGraphNodeTypeCount && names[type] != NULL ? names[type] : "NODE";
}

/* What the node does, a line of its box. */
static void describe(const struct CUgraphNode_st *n, char *text, size_t size)
{
    const struct cudaGraphNodeParams *p = &n->params;
    text[0] = '\0';
    if (p->type == cudaGraphNodeTypeMemcpy) {
        const struct cudaExtent e = p->memcpy.copyParams.extent;
        snprintf(text, size, "(%zu x %zu x %zu bytes)\n", e.width, e.height, e.depth);
    } else if (p->type == cudaGraphNodeTypeMemset) {
        snprintf(text, size, "(%zu x %zu elements of %u bytes: 0x%x)\n", p->memset.width,
                 p->memset.height, p->memset.elementSize, p->memset.value);
    } else if (p->type == cudaGraphNodeTypeMemAlloc) {
        snprintf(text, size, "(%zu bytes)\n", p->alloc.bytesize);
    }
}

/* Nodes are added behind those that they depend on, unless an edge came later. */
static unsigned place_from_the_end(const struct CUgraphNode_st *n)
{
    return n->graph->count - 1 - n->index;
}

static void draw_kernel(FILE *f, const struct CUgraphNode_st *n, bool verbose)
{
    const struct request *r = &n->request;
    if (!verbose) {
        fprintf(f, "[style=\"bold\" shape=\"octagon\" label=\"%u\n%s\n\"];\n\n", n->index,
                r->kernel->name);
        return;
    }
    fprintf(f,
            "[style=\"bold\" shape=\"record\" label=\"{KERNEL\n"
            "| {ID | %u (topoId: %u) | %s\\<\\<\\<%u,%u,%zu\\>\\>\\>}\n"
            "| {{node handle | func handle} | {0x%016zX | 0x%016zX}}\n"
            "| {cooperative | %d}\n}\"];\n\n",
            n->index, place_from_the_end(n), r->kernel->name, r->grid.x * r->grid.y * r->grid.z,
            r->block.x * r->block.y * r->block.z, r->shared_bytes, (size_t)(uintptr_t)n,
            (size_t)(uintptr_t)r->kernel, r->cooperative);
}

static void draw_node(FILE *f, const struct CUgraphNode_st *n, bool verbose)
{
    char text[200];
    fprintf(f, "\"graph_%u_node_%u\"", n->graph->number, n->index);
    if (n->params.type == cudaGraphNodeTypeKernel) {
        draw_kernel(f, n, verbose);
        return;
    }
    describe(n, text, sizeof text);
    fprintf(f, "[style=\"solid\" shape=\"rectangle\" label=\"%u", n->index);
    if (verbose) {
        fprintf(f, " (topoId: %u)", place_from_the_end(n));
    }
    fprintf(f, "\n%s\n%s", kind_of(n->params.type), text);
    if (verbose) {
        fprintf(f, "node handle: 0x%016zX\n", (size_t)(uintptr_t)n);
    }
    fprintf(f, "\"];\n\n");
}

static void draw(FILE *f, cudaGraph_t graph, bool verbose)
{
    const unsigned own = graph->number;
    fprintf(f, "subgraph cluster_%u {\nlabel=\"graph_%u\" graph[style=\"dashed\"];\n", own, own);
    for (unsigned i = 0; i < graph->count; i++) {
        draw_node(f, graph->nodes[i], verbose);
    }
    for (unsigned i = 0; i < graph->count; i++) {
        const struct CUgraphNode_st *n = graph->nodes[i];
        for (unsigned k = 0; k < n->dependency_count; k++) {
            fprintf(f, "\"graph_%u_node_%u\" -> \"graph_%u_node_%u\"%s;\n", own,
                    n->dependencies[k]->index, own, i, verbose ? " [headlabel=0]" : "");
        }
    }
    fprintf(f, "}\n");
    for (unsigned i = 0; i < graph->count; i++) {
        for (unsigned k = 0; k < graph->nodes[i]->body_count; k++) {
            draw(f, graph->nodes[i]->bodies[k], verbose);
        }
    }
}

/* Of the flags, cudaGraphDebugDotFlagsVerbose tells all that there is; the others ask for parts of
 * it that other nodes have. */
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
    const char *call = "cudaGraphDebugDotPrint";
    const cudaError_t code = graph_check(call, graph);
    if (code != cudaSuccess) {
        return code;
    }
    FILE *f = path != NULL ? fopen(path, "w") : NULL;
    if (f == NULL) {
        return cuda_error_saying(cudaErrorOperatingSystem, call, "%s cannot be written",
                                 path != NULL ? path : "a file without a name");
    }
    fprintf(f, "digraph dot {\n");
    draw(f, graph, (flags & cudaGraphDebugDotFlagsVerbose) != 0);
    fprintf(f, "}\n");
    return fclose(f) == 0 ? cudaSuccess : cuda_error(cudaErrorOperatingSystem);
}

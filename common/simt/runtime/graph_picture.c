/* graph_picture.c - cudaGraphDebugDotPrint(): a graph in the language of Graphviz' `dot`, in the
 * words of a card's driver, as an H200 (driver 580.159.04) printed them without flags. */
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

/* A node's number, as labels have it: with its place from the end, if all is wanted. */
static const char *number_of(const struct CUgraphNode_st *n, unsigned flags, char text[64])
{
    /* Nodes are added behind those that they depend on, unless an edge came later. */
    const unsigned from_the_end = n->graph->count - 1 - n->index;
    if (flags & cudaGraphDebugDotFlagsVerbose) {
        snprintf(text, 64, "%u (topoId: %u)", n->index, from_the_end);
    } else {
        snprintf(text, 64, "%u", n->index);
    }
    return text;
}

static bool wants(unsigned flags, unsigned part)
{
    return (flags & (cudaGraphDebugDotFlagsVerbose | part)) != 0;
}

static size_t number(const void *pointer) { return (size_t)(uintptr_t)pointer; }

static void draw_kernel(FILE *f, const struct CUgraphNode_st *n, unsigned flags)
{
    const struct request *r = &n->request;
    char text[64];
    if (!(flags & cudaGraphDebugDotFlagsVerbose)) {
        fprintf(f, "[style=\"bold\" shape=\"octagon\" label=\"%u\n%s\n\"];\n\n", n->index,
                r->kernel->name);
        return;
    }
    fprintf(f,
            "[style=\"bold\" shape=\"record\" label=\"{KERNEL\n"
            "| {ID | %s | %s\\<\\<\\<%u,%u,%zu\\>\\>\\>}\n"
            "| {{node handle | func handle} | {0x%016zX | 0x%016zX}}\n"
            "| {cooperative | %d}\n}\"];\n\n",
            number_of(n, flags, text), r->kernel->name, r->grid.x * r->grid.y * r->grid.z,
            r->block.x * r->block.y * r->block.z, r->shared_bytes, number(n), number(r->kernel),
            r->cooperative);
}

static void draw_memcpy(FILE *f, const struct CUgraphNode_st *n, unsigned flags)
{
    const struct cudaMemcpy3DParms *c = &n->params.memcpy.copyParams;
    const struct cudaExtent e = c->extent;
    static const char *const kinds[] = {[cudaMemcpyHostToHost] = "HtoH",
                                        [cudaMemcpyHostToDevice] = "HtoD",
                                        [cudaMemcpyDeviceToHost] = "DtoH",
                                        [cudaMemcpyDeviceToDevice] = "DtoD",
                                        [cudaMemcpyDefault] = "Default"};
    const char *kind = (unsigned)c->kind <= cudaMemcpyDefault ? kinds[c->kind] : "";
    char text[64];
    if (!wants(flags, cudaGraphDebugDotFlagsMemcpyNodeParams)) {
        fprintf(f, "[style=\"solid\" shape=\"trapezium\"label=\"%u\nMEMCPY\n(%s,%zu)\n\"];\n\n",
                n->index, kind, e.width * e.height * e.depth);
        return;
    }
    fprintf(f,
            "[style=\"solid\" shape=\"record\" label=\"{\nMEMCPY\n"
            "| {{ID | node handle} | {%s | 0x%016zX}}\n| {kind | %s}\n"
            "| {{srcPtr | dstPtr} | {pitch | ptr | pitch | ptr} | {%zu | 0x%016zX | %zu | "
            "0x%016zX}}\n"
            "| {Extent | {{Width | %zu} | {Height | %zu} | {Depth | %zu}}}\n}\"];\n\n",
            number_of(n, flags, text), number(n), kind, c->srcPtr.pitch, number(c->srcPtr.ptr),
            c->dstPtr.pitch, number(c->dstPtr.ptr), e.width, e.height, e.depth);
}

static void draw_memset(FILE *f, const struct CUgraphNode_st *n, unsigned flags)
{
    const struct cudaMemsetParamsV2 *m = &n->params.memset;
    char text[64];
    if (!wants(flags, cudaGraphDebugDotFlagsMemsetNodeParams)) {
        fprintf(f, "[style=\"solid\" shape=\"invtrapezium\"label=\"%u\nMEMSET\n(%u,%zu)\n\"];\n\n",
                n->index, m->value, m->width * m->elementSize * m->height);
        return;
    }
    fprintf(f,
            "[style=\"solid\" shape=\"record\" label=\"{MEMSET\n"
            "| {{ID | node handle | dptr | pitch | value | elementSize | width | height} | "
            "{%s | 0x%016zX | 0x%016zX | %zu | %u | %u | %zu | %zu}}}\"];\n\n",
            number_of(n, flags, text), number(n), number(m->dst), m->pitch, m->value,
            m->elementSize, m->width, m->height);
}

static void draw_other(FILE *f, const struct CUgraphNode_st *n, unsigned flags)
{
    const bool is_child = n->params.type == cudaGraphNodeTypeGraph && n->body_count > 0;
    char text[64];
    fprintf(f, "[style=\"solid\" shape=\"rectangle\" label=\"%s\n", number_of(n, flags, text));
    if (is_child) {
        fprintf(f, "graph_%u\n", n->bodies[0]->number);
    } else {
        fprintf(f, "%s\n", kind_of(n->params.type));
    }
    if (wants(flags, cudaGraphDebugDotFlagsHandles)) {
        fprintf(f, "node handle: 0x%016zX\n", number(n));
    }
    if (n->params.type == cudaGraphNodeTypeHost &&
        wants(flags, cudaGraphDebugDotFlagsHostNodeParams)) {
        fprintf(f, "fn: 0x%016zX\nuserData: 0x%016zX\n", (size_t)(uintptr_t)n->params.host.fn,
                number(n->params.host.userData));
    }
    fprintf(f, "\"];\n\n");
}

static void draw_node(FILE *f, const struct CUgraphNode_st *n, unsigned flags)
{
    fprintf(f, "\"graph_%u_node_%u\"", n->graph->number, n->index);
    switch (n->params.type) {
    case cudaGraphNodeTypeKernel:
        draw_kernel(f, n, flags);
        return;
    case cudaGraphNodeTypeMemcpy:
        draw_memcpy(f, n, flags);
        return;
    case cudaGraphNodeTypeMemset:
        draw_memset(f, n, flags);
        return;
    default:
        draw_other(f, n, flags);
    }
}

static void draw(FILE *f, cudaGraph_t graph, unsigned flags)
{
    const unsigned own = graph->number;
    fprintf(f, "subgraph cluster_%u {\nlabel=\"graph_%u\" graph[style=\"dashed\"];\n", own, own);
    for (unsigned i = 0; i < graph->count; i++) {
        draw_node(f, graph->nodes[i], flags);
    }
    for (unsigned i = 0; i < graph->count; i++) {
        const struct CUgraphNode_st *n = graph->nodes[i];
        for (unsigned k = 0; k < n->dependency_count; k++) {
            fprintf(f, "\"graph_%u_node_%u\" -> \"graph_%u_node_%u\"%s;\n", own,
                    n->dependencies[k]->index, own, i,
                    flags & cudaGraphDebugDotFlagsVerbose ? " [headlabel=0]" : "");
        }
    }
    fprintf(f, "}\n");
    for (unsigned i = 0; i < graph->count; i++) {
        for (unsigned k = 0; k < graph->nodes[i]->body_count; k++) {
            draw(f, graph->nodes[i]->bodies[k], flags);
        }
    }
}

/* Of the flags, cudaGraphDebugDotFlagsVerbose asks for all that there is. A card knows more of some
 * nodes then (access policies, priorities, pools). */
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
    draw(f, graph, flags);
    fprintf(f, "}\n");
    return fclose(f) == 0 ? cudaSuccess : cuda_error(cudaErrorOperatingSystem);
}

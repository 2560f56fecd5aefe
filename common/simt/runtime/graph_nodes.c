/* graph_nodes.c - calls that add a node of some kind, and that ask for or set its parameters. See
 * graph.h. */
#include "runtime/graph.h"

#include <stdlib.h>
#include <string.h>

#include "exec/exec_conditional.h"
#include "runtime/registry.h"

/* ---- add ------------------------------------------------------------------------------------- */

static cudaError_t add(const char *call, cudaGraphNode_t *node, cudaGraph_t graph,
                       const cudaGraphNode_t *dependencies, size_t count,
                       const struct cudaGraphNodeParams *params)
{
    cudaError_t code;
    cudaGraphNode_t made = graph_add(call, graph, dependencies, count, &code);
    if (made == NULL) {
        return code;
    }
    code = graph_set_params(call, made, params);
    if (code != cudaSuccess) {
        made->params.type = cudaGraphNodeTypeEmpty;
        graph_remove(made);
        return code;
    }
    *node = made;
    return cudaSuccess;
}

#define ADD(name, arguments, ...)                                                                  \
    cudaError_t name(cudaGraphNode_t *node, cudaGraph_t graph,                                     \
                     const cudaGraphNode_t *dependencies, size_t count, arguments)                 \
    {                                                                                              \
        return add(#name, node, graph, dependencies, count,                                        \
                   &(struct cudaGraphNodeParams){__VA_ARGS__});                                    \
    }

ADD(cudaGraphAddMemcpyNode, const struct cudaMemcpy3DParms *parameters,
    .type = cudaGraphNodeTypeMemcpy, .memcpy = {.copyParams = *parameters})
ADD(cudaGraphAddKernelNode, const struct cudaKernelNodeParams *parameters,
    .type = cudaGraphNodeTypeKernel, .kernel = *parameters)
ADD(cudaGraphAddMemsetNode, const struct cudaMemsetParams *parameters,
    .type = cudaGraphNodeTypeMemset, .memset = *parameters)
ADD(cudaGraphAddHostNode, const struct cudaHostNodeParams *parameters,
    .type = cudaGraphNodeTypeHost, .host = *parameters)
ADD(cudaGraphAddChildGraphNode, cudaGraph_t child, .type = cudaGraphNodeTypeGraph,
    .graph = {.graph = child})
ADD(cudaGraphAddEventRecordNode, cudaEvent_t event, .type = cudaGraphNodeTypeEventRecord,
    .eventRecord = {event})
ADD(cudaGraphAddEventWaitNode, cudaEvent_t event, .type = cudaGraphNodeTypeWaitEvent,
    .eventWait = {event})
ADD(cudaGraphAddMemFreeNode, void *pointer, .type = cudaGraphNodeTypeMemFree, .free = {pointer})

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *dependencies, size_t count)
{
    return add("cudaGraphAddEmptyNode", node, graph, dependencies, count,
               &(struct cudaGraphNodeParams){.type = cudaGraphNodeTypeEmpty});
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies, size_t count,
                                     struct cudaMemAllocNodeParams *parameters)
{
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeMemAlloc, .alloc = *parameters};
    const cudaError_t code = add("cudaGraphAddMemAllocNode", node, graph, dependencies, count, &p);
    parameters->dptr = p.alloc.dptr;
    return code;
}

/* What the call gives back (a pointer, bodies) is written into its parameters. */
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                             const cudaGraphNode_t *dependencies, const cudaGraphEdgeData *edges,
                             size_t count, struct cudaGraphNodeParams *parameters)
{
    (void)edges; /* a programmatic edge lets a kernel begin early: here it is a full one */
    return add("cudaGraphAddNode", node, graph, dependencies, count, parameters);
}

/* ---- copies of a line, and of variables ------------------------------------------------------ */

static struct cudaGraphNodeParams line(void *to, const void *from, size_t bytes,
                                       enum cudaMemcpyKind kind)
{
    return (struct cudaGraphNodeParams){
        .type = cudaGraphNodeTypeMemcpy,
        .memcpy = {.copyParams = {.srcPtr = {(void *)(uintptr_t)from, bytes, bytes, 1},
                                  .dstPtr = {to, bytes, bytes, 1},
                                  .extent = {bytes, 1, 1},
                                  .kind = kind}}};
}

/* The device address of a byte of a variable; NULL: *code. */
static void *in_symbol(const char *call, const void *symbol, size_t offset, size_t bytes,
                       cudaError_t *code)
{
    uint64_t address = 0, size = 0;
    *code = registry_symbol(call, symbol, &address, &size);
    if (*code == cudaSuccess && (offset > size || bytes > size - offset)) {
        *code = cuda_error_saying(cudaErrorInvalidValue, call,
                                  "%zu bytes from byte %zu of a variable of %llu", bytes, offset,
                                  (unsigned long long)size);
    }
    return *code == cudaSuccess ? (void *)(uintptr_t)(address + offset) : NULL;
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies, size_t count, void *to,
                                     const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    const struct cudaGraphNodeParams p = line(to, from, bytes, kind);
    return add("cudaGraphAddMemcpyNode1D", node, graph, dependencies, count, &p);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *dependencies, size_t count,
                                           const void *symbol, const void *from, size_t bytes,
                                           size_t offset, enum cudaMemcpyKind kind)
{
    const char *call = "cudaGraphAddMemcpyNodeToSymbol";
    cudaError_t code;
    void *to = in_symbol(call, symbol, offset, bytes, &code);
    const struct cudaGraphNodeParams p = line(to, from, bytes, kind);
    return to != NULL ? add(call, node, graph, dependencies, count, &p) : code;
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *dependencies, size_t count,
                                             void *to, const void *symbol, size_t bytes,
                                             size_t offset, enum cudaMemcpyKind kind)
{
    const char *call = "cudaGraphAddMemcpyNodeFromSymbol";
    cudaError_t code;
    const void *from = in_symbol(call, symbol, offset, bytes, &code);
    const struct cudaGraphNodeParams p = line(to, from, bytes, kind);
    return from != NULL ? add(call, node, graph, dependencies, count, &p) : code;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static cudaError_t check_type(const char *call, cudaGraphNode_t node, enum cudaGraphNodeType type)
{
    const cudaError_t code = graph_check_node(call, node);
    if (code == cudaSuccess && node->params.type != type) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "the node is of another type (%d)",
                                 (int)node->params.type);
    }
    return code;
}

/* A function that asks for something of a node, which has to be of that type. */
#define OF_NODE(name, of_type, type, answer)                                                       \
    cudaError_t name(cudaGraphNode_t node, type *place)                                            \
    {                                                                                              \
        const cudaError_t code = check_type(#name, node, of_type);                                 \
        if (code == cudaSuccess) {                                                                 \
            *place = answer;                                                                       \
        }                                                                                          \
        return code;                                                                               \
    }

#define PARAMETERS(kind, TYPE, member)                                                             \
    OF_NODE(cudaGraph##kind##NodeGetParams, cudaGraphNodeType##kind, struct TYPE,                  \
            node->params.member)                                                                   \
    cudaError_t cudaGraph##kind##NodeSetParams(cudaGraphNode_t node, const struct TYPE *in)        \
    {                                                                                              \
        const char *call = "cudaGraph" #kind "NodeSetParams";                                      \
        const cudaError_t code = check_type(call, node, cudaGraphNodeType##kind);                  \
        struct cudaGraphNodeParams p = {.type = cudaGraphNodeType##kind};                          \
        p.member = *in;                                                                            \
        return code == cudaSuccess ? graph_set_params(call, node, &p) : code;                      \
    }
PARAMETERS(Kernel, cudaKernelNodeParams, kernel)
PARAMETERS(Memcpy, cudaMemcpy3DParms, memcpy.copyParams)
PARAMETERS(Memset, cudaMemsetParams, memset)
PARAMETERS(Host, cudaHostNodeParams, host)

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from,
                                           size_t bytes, enum cudaMemcpyKind kind)
{
    const struct cudaGraphNodeParams p = line(to, from, bytes, kind);
    return cudaGraphMemcpyNodeSetParams(node, &p.memcpy.copyParams);
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *parameters)
{
    const char *call = "cudaGraphNodeSetParams";
    const cudaError_t code = check_type(call, node, parameters->type);
    return code == cudaSuccess ? graph_set_params(call, node, parameters) : code;
}

OF_NODE(cudaGraphChildGraphNodeGetGraph, cudaGraphNodeTypeGraph, cudaGraph_t, node->bodies[0])

#define EVENT(Kind, type, member)                                                                  \
    OF_NODE(cudaGraphEvent##Kind##NodeGetEvent, type, cudaEvent_t, node->params.member.event)      \
    cudaError_t cudaGraphEvent##Kind##NodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)        \
    {                                                                                              \
        const cudaError_t code = check_type("cudaGraphEvent" #Kind "NodeSetEvent", node, type);    \
        if (code == cudaSuccess) {                                                                 \
            node->params.member.event = event;                                                     \
        }                                                                                          \
        return code;                                                                               \
    }
EVENT(Record, cudaGraphNodeTypeEventRecord, eventRecord)
EVENT(Wait, cudaGraphNodeTypeWaitEvent, eventWait)

OF_NODE(cudaGraphMemAllocNodeGetParams, cudaGraphNodeTypeMemAlloc, struct cudaMemAllocNodeParams,
        node->params.alloc)

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *pointer)
{
    const cudaError_t code =
        check_type("cudaGraphMemFreeNodeGetParams", node, cudaGraphNodeTypeMemFree);
    if (code == cudaSuccess) {
        *(void **)pointer = node->params.free.dptr;
    }
    return code;
}

/* ---- attributes of kernels ------------------------------------------------------------------- */

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                            const cudaKernelNodeAttrValue *value)
{
    const cudaError_t code =
        check_type("cudaGraphKernelNodeSetAttribute", node, cudaGraphNodeTypeKernel);
    if (code == cudaSuccess && attribute == cudaLaunchAttributeCooperative) {
        node->request.cooperative = value->cooperative != 0;
    }
    return code; /* the others are hints */
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                            cudaKernelNodeAttrValue *value)
{
    const cudaError_t code =
        check_type("cudaGraphKernelNodeGetAttribute", node, cudaGraphNodeTypeKernel);
    if (code == cudaSuccess) {
        memset(value, 0, sizeof *value);
        if (attribute == cudaLaunchAttributeCooperative) {
            value->cooperative = node->request.cooperative;
        }
    }
    return code;
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
    const char *call = "cudaGraphKernelNodeCopyAttributes";
    cudaError_t code = check_type(call, to, cudaGraphNodeTypeKernel);
    AND_THEN(code, check_type(call, from, cudaGraphNodeTypeKernel));
    if (code == cudaSuccess) {
        to->request.cooperative = from->request.cooperative;
    }
    return code;
}

/* ---- conditional handles and user objects ---------------------------------------------------- */

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                             unsigned int value, unsigned int flags)
{
    const char *call = "cudaGraphConditionalHandleCreate";
    const cudaError_t code = graph_check(call, graph);
    if (code != cudaSuccess) {
        return code;
    }
    *handle = conditional_create(value);
    if (*handle == 0) {
        return cuda_error_saying(cudaErrorMemoryAllocation, call, "too many conditional handles");
    }
    graph_keep_conditional(graph, *handle, value, flags == cudaGraphCondAssignDefault);
    return cudaSuccess;
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                      unsigned int count, unsigned int flags)
{
    cudaError_t code = graph_check("cudaGraphRetainUserObject", graph);
    if (code == cudaSuccess && flags != cudaGraphUserObjectMove) {
        code = cudaUserObjectRetain(object, count);
    }
    if (code == cudaSuccess) {
        graph_keep_user(graph, object, count);
    }
    return code;
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                       unsigned int count)
{
    const cudaError_t code = graph_check("cudaGraphReleaseUserObject", graph);
    for (struct graph_user **link = code == cudaSuccess ? &graph->users : NULL;
         link != NULL && *link != NULL;) {
        struct graph_user *u = *link;
        if (u->object != object || count == 0) {
            link = &u->next;
            continue;
        }
        const unsigned given = count < u->count ? count : u->count;
        count -= given;
        u->count -= given;
        cudaUserObjectRelease(object, given);
        if (u->count == 0) {
            *link = u->next;
            free(u);
        } else {
            link = &u->next;
        }
    }
    return code;
}

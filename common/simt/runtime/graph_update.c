/* graph_update.c - what an executable graph does is changed: one node's parameters, or all of them.
 * See graph.h. */
#include "runtime/graph.h"

/* ---- parameters of what is executable -------------------------------------------------------- */

/* The copy of a node, also in the bodies of others; NULL: there is none. */
static cudaGraphNode_t copy_of(cudaGraph_t graph, cudaGraphNode_t node)
{
    cudaGraphNode_t found = NULL;
    for (unsigned i = 0; i < graph->count && found == NULL; i++) {
        cudaGraphNode_t mine = graph->nodes[i];
        found = mine->origin == node ? mine : NULL;
        for (unsigned k = 0; k < mine->body_count && found == NULL; k++) {
            found = copy_of(mine->bodies[k], node);
        }
    }
    return found;
}

static cudaGraphNode_t find(const char *call, cudaGraphExec_t exec, cudaGraphNode_t node,
                            cudaError_t *code)
{
    *code = graph_check_exec(call, exec);
    cudaGraphNode_t mine = *code == cudaSuccess ? copy_of(exec->graph, node) : NULL;
    if (*code == cudaSuccess && mine == NULL) {
        *code =
            cuda_error_saying(cudaErrorInvalidValue, call,
                              "node %p is none of the graph that this was made of", (void *)node);
    }
    return mine;
}

static cudaError_t set(const char *call, cudaGraphExec_t exec, cudaGraphNode_t node,
                       const struct cudaGraphNodeParams *params)
{
    cudaError_t code;
    cudaGraphNode_t mine = find(call, exec, node, &code);
    if (mine != NULL && mine->params.type != params->type) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "the node is of another type (%d)",
                                 (int)mine->params.type);
    }
    return mine != NULL ? graph_set_params(call, mine, params) : code;
}

#define SET(name, parameter, of_type, member, value)                                               \
    cudaError_t name(cudaGraphExec_t exec, cudaGraphNode_t node, parameter)                        \
    {                                                                                              \
        struct cudaGraphNodeParams p = {.type = of_type};                                          \
        p.member = value;                                                                          \
        return set(#name, exec, node, &p);                                                         \
    }
SET(cudaGraphExecKernelNodeSetParams, const struct cudaKernelNodeParams *parameters,
    cudaGraphNodeTypeKernel, kernel, *parameters)
SET(cudaGraphExecMemcpyNodeSetParams, const struct cudaMemcpy3DParms *parameters,
    cudaGraphNodeTypeMemcpy, memcpy.copyParams, *parameters)
SET(cudaGraphExecMemsetNodeSetParams, const struct cudaMemsetParams *parameters,
    cudaGraphNodeTypeMemset, memset, *parameters)
SET(cudaGraphExecHostNodeSetParams, const struct cudaHostNodeParams *parameters,
    cudaGraphNodeTypeHost, host, *parameters)
SET(cudaGraphExecChildGraphNodeSetParams, cudaGraph_t child, cudaGraphNodeTypeGraph, graph.graph,
    child)
SET(cudaGraphExecEventRecordNodeSetEvent, cudaEvent_t event, cudaGraphNodeTypeEventRecord,
    eventRecord.event, event)
SET(cudaGraphExecEventWaitNodeSetEvent, cudaEvent_t event, cudaGraphNodeTypeWaitEvent,
    eventWait.event, event)

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *parameters)
{
    return set("cudaGraphExecNodeSetParams", exec, node, parameters);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                               const void *from, size_t bytes,
                                               enum cudaMemcpyKind kind)
{
    const struct cudaMemcpy3DParms p = {.srcPtr = {(void *)(uintptr_t)from, bytes, bytes, 1},
                                        .dstPtr = {to, bytes, bytes, 1},
                                        .extent = {bytes, 1, 1},
                                        .kind = kind};
    return cudaGraphExecMemcpyNodeSetParams(exec, node, &p);
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int enabled)
{
    cudaError_t code;
    cudaGraphNode_t mine = find("cudaGraphNodeSetEnabled", exec, node, &code);
    if (mine == NULL) {
        return code;
    }
    if (mine->params.type != cudaGraphNodeTypeKernel &&
        mine->params.type != cudaGraphNodeTypeMemcpy &&
        mine->params.type != cudaGraphNodeTypeMemset) {
        return cuda_error_saying(cudaErrorInvalidValue, "cudaGraphNodeSetEnabled",
                                 "only kernels, copies and fills can be disabled");
    }
    mine->disabled = enabled == 0;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int *enabled)
{
    cudaError_t code;
    const struct CUgraphNode_st *mine = find("cudaGraphNodeGetEnabled", exec, node, &code);
    if (mine != NULL) {
        *enabled = !mine->disabled;
    }
    return code;
}

/* ---- update ---------------------------------------------------------------------------------- */

/* The new graph must be the old one but for parameters: node i is node i. */
static enum cudaGraphExecUpdateResult compare(cudaGraph_t mine, cudaGraph_t other,
                                              cudaGraphNode_t *at)
{
    if (mine->count != other->count) {
        return cudaGraphExecUpdateErrorTopologyChanged;
    }
    enum cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
    for (unsigned i = 0; i < mine->count && result == cudaGraphExecUpdateSuccess; i++) {
        const struct CUgraphNode_st *a = mine->nodes[i], *b = other->nodes[i];
        *at = other->nodes[i];
        if (a->dependency_count != b->dependency_count || a->body_count != b->body_count) {
            return cudaGraphExecUpdateErrorTopologyChanged;
        }
        for (unsigned k = 0; k < a->dependency_count; k++) {
            if (!graph_depends_on(mine->nodes[i], mine->nodes[b->dependencies[k]->index])) {
                return cudaGraphExecUpdateErrorTopologyChanged;
            }
        }
        if (a->params.type != b->params.type) {
            return cudaGraphExecUpdateErrorNodeTypeChanged;
        }
        for (unsigned k = 0; k < a->body_count && result == cudaGraphExecUpdateSuccess; k++) {
            result = compare(a->bodies[k], b->bodies[k], at);
        }
    }
    return result;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *result)
{
    const char *call = "cudaGraphExecUpdate";
    cudaGraphNode_t at = NULL;
    cudaError_t code = graph_check_exec(call, exec);
    AND_THEN(code, graph_check(call, graph));
    if (code != cudaSuccess) {
        return code;
    }
    const enum cudaGraphExecUpdateResult found = compare(exec->graph, graph, &at);
    if (result != NULL) {
        *result = (cudaGraphExecUpdateResultInfo){
            found, found == cudaGraphExecUpdateSuccess ? NULL : at, NULL};
    }
    if (found != cudaGraphExecUpdateSuccess) { /* programs expect it, and make a new one */
        return cuda_error(cudaErrorGraphExecUpdateFailure);
    }
    cudaGraph_t fresh = graph_copy(graph);
    for (unsigned i = 0; i < fresh->count; i++) { /* handles of the first graph's nodes stay good */
        fresh->nodes[i]->origin = exec->graph->nodes[i]->origin;
        fresh->nodes[i]->disabled = exec->graph->nodes[i]->disabled;
    }
    graph_free(exec->graph);
    exec->graph = fresh;
    return cudaSuccess;
}

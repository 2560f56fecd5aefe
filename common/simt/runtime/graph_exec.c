/* graph_exec.c - executable graphs: made of a graph, updated, launched. See graph.h.
 *
 * A launch does the nodes' works one after the other, in an order that respects the edges. While
 * the order of nodes is checked (SIMT_CHECK=races), each chain of nodes has a stream of its
 * own, which waits for the nodes that an edge leads from, and for nothing else: two nodes without
 * an edge between them are as unordered as works of two streams. */
#include "runtime/graph.h"
#include "base/room.h"

#include <inttypes.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/describe.h"
#include "base/env.h"
#include "check/host/host_order.h"
#include "exec/exec_conditional.h"
#include "runtime/cudart_capture.h"
#include "runtime/cudart_copy.h"
#include "runtime/registry.h"

enum { MOST_ROUNDS = 1000000 }; /* of a conditional node: then the loop counts as endless */

static struct handle_pool execs = HANDLE_POOL(struct CUgraphExec_st);

cudaError_t graph_check_exec(const char *call, cudaGraphExec_t exec)
{
    if (exec != NULL && handle_is_live(&execs, exec)) {
        return cudaSuccess;
    }
    return cuda_error_saying(cudaErrorInvalidValue, call,
                             "executable graph %p does not exist: it was destroyed, or never made",
                             (void *)exec);
}

/* ---- making ---------------------------------------------------------------------------------- */

static cudaError_t check_structure(const char *call, cudaGraph_t graph)
{
    cudaGraphNode_t *order = graph_order(graph, 0);
    cudaError_t code = cudaSuccess;
    if (order == NULL) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "its edges lead in a circle");
    }
    free(order);
    for (unsigned i = 0; i < graph->count; i++) {
        for (unsigned k = 0; k < graph->nodes[i]->body_count && code == cudaSuccess; k++) {
            code = check_structure(call, graph->nodes[i]->bodies[k]);
        }
    }
    return code;
}

void graph_exec_visit(void (*visit)(void *state, const struct handle *h), void *state)
{
    handle_visit(&execs, visit, state);
}

static cudaError_t instantiate(const char *call, cudaGraphExec_t *exec, cudaGraph_t graph,
                               unsigned long long flags, const void *site)
{
    const unsigned long long known =
        cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
        cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;
    cudaError_t code = graph_check(call, graph);
    if (code == cudaSuccess && (exec == NULL || (flags & ~known) != 0)) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "flags 0x%llx", flags);
    }
    if (code == cudaSuccess && flags & cudaGraphInstantiateFlagDeviceLaunch) {
        return cuda_error_saying(cudaErrorNotSupported, call,
                                 "graphs that kernels launch are not simulated");
    }
    AND_THEN(code, check_structure(call, graph));
    if (code == cudaSuccess) {
        *exec = handle_create(&execs);
        (*exec)->handle.made_by = call;
        (*exec)->handle.made_at = site;
        (*exec)->graph = graph_copy(graph);
        (*exec)->flags = flags;
        (*exec)->ended = (struct timeline_clock){0};
    }
    return code;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    return instantiate("cudaGraphInstantiate", exec, graph, flags, CALL_SITE());
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags)
{
    return instantiate("cudaGraphInstantiateWithFlags", exec, graph, flags, CALL_SITE());
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *parameters)
{
    const cudaError_t code =
        instantiate("cudaGraphInstantiateWithParams", exec, graph, parameters->flags, CALL_SITE());
    parameters->errNode_out = NULL;
    parameters->result_out =
        code == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateInvalidStructure;
    return code;
}
PER_THREAD(cudaGraphInstantiateWithParams, _ptsz);

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    const cudaError_t code = graph_check_exec("cudaGraphExecDestroy", exec);
    if (code == cudaSuccess) {
        host_order_wait_for_launches();
        graph_free(exec->graph);
        handle_destroy(&execs, exec);
    }
    return code;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    const cudaError_t code = graph_check_exec("cudaGraphExecGetFlags", exec);
    if (code == cudaSuccess) {
        *flags = exec->flags;
    }
    return code;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    const cudaError_t code = graph_check_exec("cudaGraphUpload", exec);
    return code == cudaSuccess ? cudart_check_stream("cudaGraphUpload", stream) : code;
}
PER_THREAD(cudaGraphUpload, _ptsz);

/* ---- running --------------------------------------------------------------------------------- */

struct run {
    cudaStream_t stream; /* of the launch */
    bool frees_first;    /* memory of the last launch: cudaGraphInstantiateFlagAutoFreeOnLaunch */
    uint64_t seed;
};

static cudaError_t run_graph(cudaGraph_t graph, const struct run *run);

static cudaError_t run_conditional(cudaGraphNode_t node, const struct run *run)
{
    const struct cudaConditionalNodeParams *p = &node->params.conditional;
    cudaError_t code = cudaSuccess;
    uint32_t value = 0;
    for (unsigned round = 0; code == cudaSuccess && !runtime_is_lost(); round++) {
        host_order_wait_for_launches();
        conditional_get(p->handle, &value);
        const unsigned body = p->type == cudaGraphCondTypeSwitch ? value : value == 0;
        if (body >= node->body_count || (p->type == cudaGraphCondTypeWhile && value == 0)) {
            break;
        }
        code = run_graph(node->bodies[body], run);
        if (p->type != cudaGraphCondTypeWhile) {
            break;
        }
        if (round == MOST_ROUNDS) {
            return cuda_error_saying(cudaErrorLaunchTimeout, "cudaGraphLaunch",
                                     "a conditional node has done %u rounds: its loop does not end",
                                     round);
        }
    }
    return code;
}

static cudaError_t run_memset(const struct cudaMemsetParams *p, cudaStream_t stream)
{
    const struct copy_fill rows = {p->dst,    p->pitch, p->width * p->elementSize,
                                   p->height, p->value, p->elementSize};
    return copy_fill_rows("memset node", &rows, COPY_QUEUED(stream));
}

static cudaError_t run_memory(cudaGraphNode_t node, const struct run *run)
{
    const bool allocates = node->params.type == cudaGraphNodeTypeMemAlloc;
    const char *call = "cudaGraphLaunch";
    host_order_wait_for_launches();
    const bool good = allocates
                          ? graph_memory_begin(call, node->params.alloc.dptr, run->frees_first)
                          : graph_memory_end(call, node->params.free.dptr);
    return good ? cudaSuccess : cuda_error(cudaErrorInvalidValue);
}

static cudaError_t run_enabled(cudaGraphNode_t node, cudaStream_t stream, const struct run *run)
{
    struct run inner = *run;
    inner.stream = stream;
    const struct cudaGraphNodeParams *p = &node->params;
    switch (p->type) {
    case cudaGraphNodeTypeKernel: {
        struct request r = node->request;
        r.kernel = registry_here(r.kernel);
        return cudart_launch(&r, stream);
    }
    case cudaGraphNodeTypeMemcpy:
        return cudaMemcpy3DAsync(&p->memcpy.copyParams, stream);
    case cudaGraphNodeTypeMemset:
        return run_memset(&p->memset, stream);
    case cudaGraphNodeTypeHost:
        return cudaLaunchHostFunc(stream, p->host.fn, p->host.userData);
    case cudaGraphNodeTypeGraph:
        return run_graph(node->bodies[0], &inner);
    case cudaGraphNodeTypeConditional:
        return run_conditional(node, &inner);
    case cudaGraphNodeTypeEventRecord:
        return cudaEventRecord(p->eventRecord.event, stream);
    case cudaGraphNodeTypeWaitEvent:
        return cudaStreamWaitEvent(stream, p->eventWait.event, 0);
    case cudaGraphNodeTypeMemAlloc:
    case cudaGraphNodeTypeMemFree:
        return run_memory(node, run);
    default:
        return cudaSuccess; /* an empty one */
    }
}

static cudaError_t run_node(cudaGraphNode_t node, cudaStream_t stream, const struct run *run)
{
    if (node->disabled) {
        return cudaSuccess;
    }
    host_order_node_begins(node->handle.made_at);
    const cudaError_t code = run_enabled(node, stream, run);
    host_order_node_begins(NULL);
    return code;
}

/* ---- chains: a stream for each, while the order of works is checked ---------------------------
 */

struct chains {
    cudaStream_t *streams; /* each chain's */
    cudaGraphNode_t *last; /* the node that it ends with so far */
    unsigned count;
    struct timeline_clock *done; /* behind each node, by its index */
    struct timeline_clock begin;
};

static void chains_open(struct chains *c, cudaGraph_t graph, cudaStream_t stream)
{
    *c = (struct chains){
        .streams = room_new(graph->count + 1u, sizeof(cudaStream_t)),
        .last = room_new(graph->count + 1u, sizeof(cudaGraphNode_t)),
        .done = room_new(graph->count + 1u, sizeof *c->done),
    };
    host_order_record(stream, &c->begin);
}

/* The chain that ends with a node that this one waits for; else one more. */
static unsigned chain_of_node(struct chains *c, cudaGraphNode_t node)
{
    for (unsigned i = 0; i < c->count; i++) {
        if (graph_depends_on(node, c->last[i])) {
            return i;
        }
    }
    cudaStreamCreateWithFlags(&c->streams[c->count], cudaStreamNonBlocking);
    host_order_stream_waits(c->streams[c->count], &c->begin);
    return c->count++;
}

static cudaError_t chains_run(struct chains *c, cudaGraphNode_t node, const struct run *run)
{
    const unsigned chain = chain_of_node(c, node);
    const cudaStream_t stream = c->streams[chain];
    for (unsigned i = 0; i < node->dependency_count; i++) {
        host_order_stream_waits(stream, &c->done[node->dependencies[i]->index]);
    }
    const cudaError_t code = run_node(node, stream, run);
    host_order_record(stream, &c->done[node->index]);
    c->last[chain] = node;
    return code;
}

static void chains_close(struct chains *c, cudaStream_t stream)
{
    struct timeline_clock end;
    for (unsigned i = 0; i < c->count; i++) {
        host_order_record(c->streams[i], &end);
        host_order_stream_waits(stream, &end);
        cudaStreamDestroy(c->streams[i]);
    }
    free(c->streams);
    free(c->last);
    free(c->done);
}

static cudaError_t run_graph(cudaGraph_t graph, const struct run *run)
{
    struct chains chains;
    cudaGraphNode_t *order = graph_order(graph, run->seed);
    cudaError_t code = cudaSuccess;
    const bool chained = host_order_is_needed();
    assert(order != NULL); /* instantiate() has looked for circles */
    if (chained) {
        chains_open(&chains, graph, run->stream);
    }
    for (unsigned i = 0; i < graph->count && code == cudaSuccess; i++) {
        code = chained ? chains_run(&chains, order[i], run) : run_node(order[i], run->stream, run);
    }
    if (chained) {
        chains_close(&chains, run->stream);
    }
    free(order);
    return code;
}

static uint64_t schedule_seed(void)
{
    uint64_t seed = 0;
    struct err e = {0};
    env_number("SIMT_SCHEDULE", 1, UINT32_MAX, &seed, &e); /* 0: it is not set */
    return seed;
}

static void set_defaults(cudaGraph_t graph)
{
    for (const struct graph_conditional *c = graph->conditionals; c != NULL; c = c->next) {
        if (c->is_default) {
            conditional_set(c->handle, c->value);
        }
    }
    for (unsigned i = 0; i < graph->count; i++) {
        for (unsigned k = 0; k < graph->nodes[i]->body_count; k++) {
            set_defaults(graph->nodes[i]->bodies[k]);
        }
    }
}

static cudaError_t capture_child(cudaGraphExec_t exec, cudaStream_t stream)
{
    (void)stream;
    return cuda_error_saying(cudaErrorStreamCaptureUnsupported, "cudaGraphLaunch",
                             "executable graph %p is launched in a stream that is captured: add "
                             "its graph with cudaGraphAddChildGraphNode()",
                             (void *)exec);
}

/* Launches of one executable graph come one behind the other, in whichever streams they are. */
static cudaError_t run_exec(cudaGraphExec_t exec, const struct run *run)
{
    const bool ordered = host_order_is_needed();
    if (ordered) {
        host_order_stream_waits(run->stream, &exec->ended);
    }
    const cudaError_t code = run_graph(exec->graph, run);
    if (ordered) {
        host_order_record(run->stream, &exec->ended);
    }
    return code;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    const char *call = "cudaGraphLaunch";
    cudaError_t code = graph_check_exec(call, exec);
    AND_THEN(code, cudart_check_stream(call, stream));
    if (code != cudaSuccess) {
        return code;
    }
    if (capture_of(stream) != NULL) {
        return capture_child(exec, stream);
    }
    set_defaults(exec->graph);
    const struct run run = {.stream = stream,
                            .frees_first = exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch,
                            .seed = schedule_seed()};
    return run_exec(exec, &run);
}
PER_THREAD(cudaGraphLaunch, _ptsz);

/* graph_params.c - what a node of each kind takes: checked, and copied where the program's own may
 * go. See graph.h. */
#include "runtime/graph.h"
#include "base/room.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec_conditional.h"
#include "runtime/registry.h"

/* ---- kernels --------------------------------------------------------------------------------- */

static cudaError_t set_kernel(const char *call, cudaGraphNode_t node,
                              const struct cudaKernelNodeParams *p)
{
    struct request r = node->request; /* its attributes stay */
    r.kernel = registry_kernel(p->func);
    r.grid = p->gridDim;
    r.block = p->blockDim;
    r.shared_bytes = p->sharedMemBytes;
    r.arguments = p->kernelParams;
    if (r.kernel == NULL || (p->kernelParams == NULL && p->extra != NULL)) {
        return cuda_error_saying(
            r.kernel == NULL ? cudaErrorInvalidDeviceFunction : cudaErrorNotSupported, call,
            r.kernel == NULL ? "%p is not a kernel of this program"
                             : "arguments in one buffer (%p): give "
                               "kernelParams, an array of pointers",
            p->func);
    }
    cudaError_t code = registry_load_kernel(r.kernel);
    AND_THEN(code, request_check(&r));
    return code == cudaSuccess ? graph_set_kernel(call, node, &r) : code;
}

/* ---- the others ------------------------------------------------------------------------------ */

static cudaError_t set_memset(const char *call, cudaGraphNode_t node,
                              const struct cudaMemsetParams *p)
{
    const bool known = p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4;
    if (!known || p->width == 0 || p->height == 0) {
        return cuda_error_saying(cudaErrorInvalidValue, call,
                                 "%zu x %zu elements of %u bytes: elements have 1, 2 or 4",
                                 p->width, p->height, p->elementSize);
    }
    node->params.memset = *p;
    return cudaSuccess;
}

static cudaError_t set_child(const char *call, cudaGraphNode_t node, cudaGraph_t child)
{
    const cudaError_t code = graph_check(call, child);
    if (code == cudaSuccess && child == node->graph) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "a graph cannot be its own child");
    }
    if (code == cudaSuccess) {
        cudaGraph_t copy = graph_copy(child); /* what becomes of the child later does not matter */
        for (unsigned i = 0; i < node->body_count; i++) {
            graph_free(node->bodies[i]);
        }
        free(node->bodies);
        node->bodies = room_new(1, sizeof(cudaGraph_t));
        node->bodies[0] = copy;
        node->body_count = 1;
        copy->parent = node;
        node->params.graph.graph = copy;
    }
    return code;
}

static cudaError_t set_alloc(const char *call, cudaGraphNode_t node,
                             struct cudaMemAllocNodeParams *p)
{
    void *pointer = NULL;
    if (p->bytesize == 0) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "0 bytes");
    }
    const cudaError_t code = graph_memory_reserve(call, p->bytesize, &pointer);
    if (code == cudaSuccess) {
        p->dptr = pointer;
        node->params.alloc = *p;
        node->params.alloc.accessDescs = NULL; /* all devices that have access have it */
        node->params.alloc.accessDescCount = 0;
    }
    return code;
}

static cudaError_t set_free(const char *call, cudaGraphNode_t node, void *pointer)
{
    if (!graph_memory_is_mine(pointer)) {
        return cuda_error_saying(cudaErrorInvalidValue, call,
                                 "%p is not what an allocation node of a graph has given", pointer);
    }
    node->params.free.dptr = pointer;
    return cudaSuccess;
}

static cudaError_t set_conditional(const char *call, cudaGraphNode_t node,
                                   struct cudaConditionalNodeParams *p)
{
    uint32_t value;
    const unsigned most = p->type == cudaGraphCondTypeWhile ? 1
                          : p->type == cudaGraphCondTypeIf  ? 2
                                                            : UINT32_MAX;
    if (!conditional_get(p->handle, &value) || p->size == 0 || p->size > most ||
        (unsigned)p->type > cudaGraphCondTypeSwitch) {
        return cuda_error_saying(cudaErrorInvalidValue, call,
                                 "conditional handle 0x%llx, type %d, %u bodies", p->handle,
                                 (int)p->type, p->size);
    }
    node->bodies = room_new(p->size, sizeof(cudaGraph_t));
    node->body_count = p->size;
    for (unsigned i = 0; i < p->size; i++) {
        node->bodies[i] = graph_create(NULL, NULL);
        node->bodies[i]->parent = node;
    }
    p->phGraph_out = node->bodies;
    node->params.conditional = *p;
    return cudaSuccess;
}

cudaError_t graph_set_params(const char *call, cudaGraphNode_t node,
                             const struct cudaGraphNodeParams *params)
{
    struct cudaGraphNodeParams *p = (struct cudaGraphNodeParams *)(uintptr_t)params;
    node->params.type = p->type;
    switch (p->type) {
    case cudaGraphNodeTypeKernel:
        return set_kernel(call, node, &p->kernel);
    case cudaGraphNodeTypeMemset:
        return set_memset(call, node, &p->memset);
    case cudaGraphNodeTypeGraph:
        return set_child(call, node, p->graph.graph);
    case cudaGraphNodeTypeMemAlloc:
        return set_alloc(call, node, &p->alloc);
    case cudaGraphNodeTypeMemFree:
        return set_free(call, node, p->free.dptr);
    case cudaGraphNodeTypeConditional:
        return set_conditional(call, node, &p->conditional);
    case cudaGraphNodeTypeMemcpy:
    case cudaGraphNodeTypeHost:
    case cudaGraphNodeTypeEmpty:
    case cudaGraphNodeTypeWaitEvent:
    case cudaGraphNodeTypeEventRecord:
        node->params = *p;
        return p->type == cudaGraphNodeTypeHost && p->host.fn == NULL
                   ? cuda_error_saying(cudaErrorInvalidValue, call, "the function has no address")
                   : cudaSuccess;
    default:
        return cuda_error_saying(cudaErrorNotSupported, call,
                                 "nodes of type %d (semaphores of another API) are not simulated",
                                 (int)p->type);
    }
}

/* graph_kernel.c - kernel nodes: the launch, and a copy of its arguments. See graph.h. */
#include "runtime/graph.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/registry.h"

/* The pointers, and behind them what they point to, each at a multiple of 16 bytes. */
static cudaError_t keep_arguments(const char *call, cudaGraphNode_t node, const struct request *r)
{
    const struct simt_kernel *k = r->kernel->kernel;
    const unsigned count = simt_kernel_param_count(k);
    const size_t head = align_up((count + 1u) * sizeof(void *), 16);
    if (count > 0 && r->arguments == NULL) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "%s needs %u arguments",
                                 r->kernel->plain, count);
    }
    void **kept = room_new(1, head + simt_kernel_param_bytes(k) + 16u * count);
    unsigned char *at = (unsigned char *)kept + head;
    for (unsigned i = 0; i < count; i++) {
        uint64_t offset, bytes;
        simt_kernel_param(k, i, &offset, &bytes);
        if (r->arguments[i] == NULL) {
            free(kept);
            return cuda_error_saying(cudaErrorInvalidValue, call,
                                     "argument %u of %s has no address", i + 1, r->kernel->plain);
        }
        kept[i] = at;
        memcpy(at, r->arguments[i], bytes);
        at += align_up(bytes, 16);
    }
    free(node->arguments);
    node->arguments = kept;
    return cudaSuccess;
}

cudaError_t graph_set_kernel(const char *call, cudaGraphNode_t node, const struct request *r)
{
    const cudaError_t code = keep_arguments(call, node, r);
    if (code != cudaSuccess) {
        return code;
    }
    node->request = *r;
    node->request.arguments = node->arguments;
    node->params.type = cudaGraphNodeTypeKernel;
    node->params.kernel = (struct cudaKernelNodeParams){
        .func = (void *)(uintptr_t)(r->kernel->stub != NULL ? r->kernel->stub : r->kernel),
        .gridDim = r->grid,
        .blockDim = r->block,
        .sharedMemBytes = (unsigned)r->shared_bytes,
        .kernelParams = node->arguments};
    return cudaSuccess;
}

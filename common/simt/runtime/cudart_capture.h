/* cudart_capture.h - what the calls of a stream ask before they work: is the stream being captured
 * into a graph?
 *
 * graph_capture.c hands its functions down here while a capture is under way, so that without one a
 * call costs a comparison. */
#ifndef SIMT_CUDART_CAPTURE_H
#define SIMT_CUDART_CAPTURE_H

#include "runtime/cudart_copy.h"
#include "runtime/cudart_request.h"

struct capture_hooks {
    bool (*captures)(cudaStream_t stream);
    /* Instead of the work, a node. */
    cudaError_t (*kernel)(const struct request *r, cudaStream_t stream);
    cudaError_t (*copy)(const struct cudaMemcpy3DParms *p, cudaStream_t stream);
    cudaError_t (*fill)(const struct copy_fill *f, cudaStream_t stream);
    cudaError_t (*host)(cudaHostFn_t function, void *data, cudaStream_t stream);
    cudaError_t (*allocate)(void **pointer, size_t bytes, cudaStream_t stream);
    cudaError_t (*give_back)(void *pointer, cudaStream_t stream);
    cudaError_t (*record)(cudaEvent_t event, cudaStream_t stream, unsigned flags);
    /* false: neither stream nor event have to do with a capture. */
    bool (*wait)(cudaStream_t stream, cudaEvent_t event, cudaError_t *code);
    /* May this thread make a call that waits, or that another capture's stream waits for? Else the
     * error, explained. */
    cudaError_t (*judge)(const char *call, cudaStream_t stream, bool any_stream);
};

void capture_begin(const struct capture_hooks *hooks);
void capture_end(void);                              /* as often as begun */
const struct capture_hooks *capture_under_way(void); /* NULL: none */
/* NULL: the stream is not captured. */
const struct capture_hooks *capture_of(cudaStream_t stream);
/* A copy of rows in a stream that is captured. */
struct capture_side {
    const void *base;
    size_t row_pitch, slice_pitch;
};
cudaError_t capture_box(const struct capture_side *to, const struct capture_side *from,
                        struct cudaExtent extent, enum cudaMemcpyKind kind, cudaStream_t stream);
/* cudaSuccess unless a capture forbids the call. */
cudaError_t capture_judge(const char *call, cudaStream_t stream, bool any_stream);

#endif

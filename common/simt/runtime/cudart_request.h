/* cudart_request.h - a launch that a program requests, and whether it is allowed. */
#ifndef SIMT_CUDART_REQUEST_H
#define SIMT_CUDART_REQUEST_H

#include "runtime/cudart.h"

struct request {
    struct CUkern_st *kernel;
    dim3 grid, block;
    size_t shared_bytes; /* dynamic */
    void **arguments;
    bool cooperative;
    dim3 cluster;      /* in blocks; all zero: none */
    bool begins_early; /* it may, before the launch before it in its stream has ended */
};

/* Judges grid, block, dynamic shared memory and, of a cooperative launch, whether all blocks fit on
 * the GPU at once, as a card judges them; the message of a rejection says what would be right. */
cudaError_t request_check(const struct request *r);

/* Judges the launch, packs its arguments and runs it; kernel NULL: an error that has been
 * explained. */
cudaError_t cudart_launch(const struct request *r, cudaStream_t stream);

#endif

/* single_pass.cuh - no second launch: the block that finishes last adds the partial results. */
#ifndef STEP05_SINGLE_PASS_CUH
#define STEP05_SINGLE_PASS_CUH

#include "step05_reduction/grid_stride.cuh"

/* True in all threads of one block only: the one that finished last. Thread 0 of each block calls
 * with its partial result written. The fence makes that result visible before the ticket says so;
 * the last block's second fence keeps it from reading results before it has read the ticket.
 * atomicInc() wraps at the last ticket: the counter is 0 again for the next launch, and nobody has
 * to reset it. */
static __device__ bool is_last_block(unsigned *ticket)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
        if (last)
            __threadfence();
    }
    __syncthreads();
    return last;
}

/* Differs at the end: no second launch. The block that finishes last reduces the partial results,
 * in the order of the blocks, so the same input gives the same bits whichever block is last. */
template <typename T, typename OP>
__global__ void __launch_bounds__(MAX_BLOCK)
    reduce_single_pass(const T *in, unsigned n, T *partials, unsigned *ticket, T *out)
{
    __shared__ T shared[WARP_LANES], shared_again[WARP_LANES];
    T result = block_combine<T, OP>(walk<T, OP>(in, n), shared);
    if (threadIdx.x == 0)
        partials[blockIdx.x] = result;
    if (!is_last_block(ticket))
        return;
    result = OP::identity();
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) /* from L2: L1 may be stale */
        result = OP::combine(result, __ldcg(partials + i));
    result = block_combine<T, OP>(result, shared_again);
    if (threadIdx.x == 0)
        *out = result;
}

#endif

/* sabotaged.cuh - rungs with one real-life mistake each. Verification must reject every one of
 * them but the last, whose result is right nearly always: SIMT_CHECK=races rejects that one.
 *
 * They are not part of the default run: ask with --kernel NAME, and the program ends with 1. */
#ifndef STEP05_SABOTAGED_CUH
#define STEP05_SABOTAGED_CUH

#include "step05_reduction/warp_shuffle.cuh"

/* ------------------------------------------------------------------ a missing barrier */

/* reduce_sequential without __syncthreads(): a warp adds what another warp has not yet written. */
template <typename T, typename OP>
__global__ void reduce_no_barrier(const T *in, unsigned n, T *partials)
{
    __shared__ T shared[MAX_BLOCK];
    const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    volatile T *others = shared; /* or the compiler may keep a stale copy in a register */
    others[t] = i < n ? in[i] : OP::identity();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2)
        if (t < s)
            others[t] = OP::combine(others[t], others[t + s]);
    if (t == 0)
        partials[blockIdx.x] = others[0];
}

/* ------------------------------------------------------------------ a forgotten rest */

/* No guard: every thread of every launched block has an element. */
template <typename T, typename OP>
__global__ void reduce_drops_rest(const T *in, unsigned, T *partials)
{
    __shared__ T shared[WARP_LANES];
    const T value = block_combine<T, OP>(in[blockIdx.x * blockDim.x + threadIdx.x], shared);
    if (threadIdx.x == 0)
        partials[blockIdx.x] = value;
}

/* ------------------------------------------------------------------ a ticket used once */

/* A single launch like reduce_single_pass, whose last block leaves the ticket as it is: the first
 * reduction is right, and no block of the second one believes it is the last. */
template <typename T, typename OP>
__global__ void reduce_stale_ticket(const T *in, unsigned n, T *partials, unsigned *ticket, T *out)
{
    __shared__ T shared[WARP_LANES], shared_again[WARP_LANES];
    __shared__ bool last;
    const unsigned t = threadIdx.x, step = gridDim.x * blockDim.x;
    T value = OP::identity();
    for (unsigned i = blockIdx.x * blockDim.x + t; i < n; i += step)
        value = OP::combine(value, in[i]);
    value = block_combine<T, OP>(value, shared);
    if (t == 0) {
        partials[blockIdx.x] = value;
        __threadfence();
        last = atomicAdd(ticket, 1) == gridDim.x - 1; /* grows for ever */
        __threadfence();
    }
    __syncthreads();
    if (!last)
        return;
    value = OP::identity();
    for (unsigned i = t; i < gridDim.x; i += blockDim.x)
        value = OP::combine(value, __ldcg(partials + i));
    value = block_combine<T, OP>(value, shared_again);
    if (t == 0)
        *out = value;
}

/* ------------------------------------------------------------------ a missing fence */

/* reduce_single_pass whose thread 0 draws the ticket at once: the partial result may still be on
 * its way when the last block reads it. Nearly always it has arrived, and no test of the result
 * sees the mistake. */
template <typename T, typename OP>
__global__ void reduce_no_fence(const T *in, unsigned n, T *partials, unsigned *ticket, T *out)
{
    __shared__ T shared[WARP_LANES], shared_again[WARP_LANES];
    __shared__ bool last;
    const unsigned t = threadIdx.x, step = gridDim.x * blockDim.x;
    T value = OP::identity();
    for (unsigned i = blockIdx.x * blockDim.x + t; i < n; i += step)
        value = OP::combine(value, in[i]);
    value = block_combine<T, OP>(value, shared);
    if (t == 0) {
        partials[blockIdx.x] = value;
        last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    value = OP::identity();
    for (unsigned i = t; i < gridDim.x; i += blockDim.x)
        value = OP::combine(value, __ldcg(partials + i));
    value = block_combine<T, OP>(value, shared_again);
    if (t == 0)
        *out = value;
}

#endif

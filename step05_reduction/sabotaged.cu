/* sabotaged.cu - rungs with one real-life mistake each. Verification must reject every one of them.
 *
 * They are not part of the default run: ask with --kernel NAME, and the program ends with 1. */
#include "step05_reduction/reduction.h"

#include "step05_reduction/ops.cuh"
#include "step05_reduction/passes.cuh"
#include "step05_reduction/trees.cuh"

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

template <typename T, typename OP> static void launch_no_barrier(struct reduction *r)
{
    reduce_in_passes<T>(reduce_no_barrier<T, OP>, 1, pass_blocks, r);
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

/* Not rounded up: right whenever the block divides n, as it does in so many first tests. */
static unsigned full_blocks(unsigned n, unsigned block, unsigned) { return n / block; }

template <typename T, typename OP> static void launch_drops_rest(struct reduction *r)
{
    reduce_in_passes<T>(reduce_drops_rest<T, OP>, 1, full_blocks, r);
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

template <typename T, typename OP> static void launch_stale_ticket(struct reduction *r)
{
    const unsigned wanted = pass_blocks(r->n, r->block, 1), held = blocks_held(r);
    const unsigned blocks = wanted < held ? wanted : held;
    reduce_stale_ticket<T, OP><<<blocks, r->block>>>(
        (const T *)r->d_in, r->n, (T *)r->d_partials[0], r->d_ticket, (T *)r->d_out);
    r->launches = 0;
    reduction_launched(r);
}

/* ------------------------------------------------------------------ table */

static double depth_of_any_order(const struct reduction *r, enum reduction_type)
{
    return (double)r->n - 1;
}

size_t sabotaged_rungs(const struct rung **rungs)
{
    static const struct rung table[] = {
        {"reduce_no_barrier", "SABOTAGED: reduce_sequential without its barriers", true, false, 512,
         1, FOR_EVERY_TYPE_AND_OP(launch_no_barrier), depth_of_any_order},
        {"reduce_drops_rest", "SABOTAGED: n / block blocks, not rounded up", true, false, 512, 1,
         FOR_EVERY_TYPE_AND_OP(launch_drops_rest), depth_of_any_order},
        {"reduce_stale_ticket", "SABOTAGED: a ticket that is never set back to 0", true, false, 512,
         1, FOR_EVERY_TYPE_AND_OP(launch_stale_ticket), depth_of_any_order},
    };
    *rungs = table;
    return sizeof table / sizeof table[0];
}

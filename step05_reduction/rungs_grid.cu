/* rungs_grid.cu - the last two rungs: as many threads as the GPU holds at once, whatever n is.
 *
 * A block of the rungs before lives for two loads a thread. Here each thread walks through the
 * input in steps as wide as the grid, 16 bytes a load and four loads in flight before the first is
 * used; the tree at the end is paid once for each block that the GPU holds, not once for every
 * 1024 elements. */
#include <string.h>

#include "step05_reduction/ops.cuh"
#include "step05_reduction/reduction.h"
#include "step05_reduction/trees.cuh"

enum { PACK_BYTES = 16, LOADS_IN_FLIGHT = 4 };

/* ------------------------------------------------------------------ 16 bytes at a time */

template <typename T> struct pack {
    T v[PACK_BYTES / sizeof(T)];
};

/* One 16-byte load. __ldcs says that nobody will read these bytes again. */
template <typename T> static __device__ pack<T> load_pack(const T *in, unsigned index)
{
    const int4 bytes = __ldcs((const int4 *)in + index);
    pack<T> p;
    memcpy(p.v, &bytes, sizeof bytes);
    return p;
}

template <typename T, typename OP> static __device__ void combine_packs(pack<T> &sums, pack<T> p)
{
#pragma unroll
    for (unsigned k = 0; k < PACK_BYTES / sizeof(T); k++)
        sums.v[k] = OP::combine(sums.v[k], p.v[k]);
}

/* This thread's share of the whole packs in in[0 .. n - 1]. in is aligned to 16 bytes, as every
 * cudaMalloc is. A block takes four runs of blockDim.x packs, then the grid steps on; indexes stay
 * below n / 2 + 4 threads, so unsigned is wide enough. */
template <typename T, typename OP> static __device__ pack<T> walk_packs(const T *in, unsigned n)
{
    const unsigned packs = n / (PACK_BYTES / sizeof(T)), b = blockDim.x;
    const unsigned step = gridDim.x * b * LOADS_IN_FLIGHT;
    pack<T> sums, next[LOADS_IN_FLIGHT];
#pragma unroll
    for (unsigned k = 0; k < PACK_BYTES / sizeof(T); k++)
        sums.v[k] = OP::identity();
    unsigned i = blockIdx.x * b * LOADS_IN_FLIGHT + threadIdx.x;
    for (; i + (LOADS_IN_FLIGHT - 1) * b < packs; i += step) {
#pragma unroll
        for (unsigned k = 0; k < LOADS_IN_FLIGHT; k++)
            next[k] = load_pack(in, i + k * b);
#pragma unroll
        for (unsigned k = 0; k < LOADS_IN_FLIGHT; k++)
            combine_packs<T, OP>(sums, next[k]);
    }
    for (; i < packs; i += b) /* at most three more: the next step is beyond the end */
        combine_packs<T, OP>(sums, load_pack(in, i));
    return sums;
}

/* What this thread's share of in[0 .. n - 1] combines to. */
template <typename T, typename OP> static __device__ T walk(const T *in, unsigned n)
{
    const unsigned width = PACK_BYTES / sizeof(T);
    const pack<T> sums = walk_packs<T, OP>(in, n);
    T result = sums.v[0];
#pragma unroll
    for (unsigned k = 1; k < width; k++)
        result = OP::combine(result, sums.v[k]);
    /* Up to three elements at the end fill no pack. */
    for (unsigned k = n / width * width + blockIdx.x * blockDim.x + threadIdx.x; k < n;
         k += gridDim.x * blockDim.x)
        result = OP::combine(result, in[k]);
    return result;
}

/* ------------------------------------------------------------------ kernels */

template <typename T, typename OP>
__global__ void __launch_bounds__(MAX_BLOCK)
    reduce_grid_stride(const T *in, unsigned n, T *partials)
{
    __shared__ T shared[WARP_LANES];
    const T result = block_combine<T, OP>(walk<T, OP>(in, n), shared);
    if (threadIdx.x == 0)
        partials[blockIdx.x] = result;
}

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
 * in the order of the blocks, so the same input gives the same bits whoever is last. */
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

/* ------------------------------------------------------------------ launching */

/* Enough blocks to fill the GPU, or to give every thread its first four loads. */
static unsigned grid_blocks(const struct reduction *r, size_t element_bytes)
{
    const unsigned width = PACK_BYTES / (unsigned)element_bytes;
    const unsigned wanted = pass_blocks(r->n, r->block, width * LOADS_IN_FLIGHT);
    const unsigned held = blocks_held(r);
    return wanted < held ? wanted : held;
}

template <typename T, typename OP> static void launch_grid_stride(struct reduction *r)
{
    const unsigned blocks = grid_blocks(r, sizeof(T));
    T *partials = (T *)r->d_partials[0];
    r->launches = 0;
    reduce_grid_stride<T, OP><<<blocks, r->block>>>((const T *)r->d_in, r->n, partials);
    reduction_launched(r);
    reduce_grid_stride<T, OP><<<1, r->block>>>(partials, blocks, (T *)r->d_out);
    reduction_launched(r);
}

template <typename T, typename OP> static void launch_single_pass(struct reduction *r)
{
    const unsigned blocks = grid_blocks(r, sizeof(T));
    reduce_single_pass<T, OP><<<blocks, r->block>>>((const T *)r->d_in, r->n, (T *)r->d_partials[0],
                                                    r->d_ticket, (T *)r->d_out);
    r->launches = 0;
    reduction_launched(r);
}

/* Additions that one element of a walk over n goes through: a lane's own packs, the lanes of the
 * pack, the elements that fill none, the tree. */
static double walk_depth(double n, double blocks, double block, double width)
{
    const double run = block * LOADS_IN_FLIGHT * width;
    return ceil(n / (run * blocks)) * LOADS_IN_FLIGHT + width + log2(block);
}

static double depth_grid_stride(const struct reduction *r, enum reduction_type type)
{
    const double bytes = (double)type_bytes(type), width = PACK_BYTES / bytes;
    const double blocks = grid_blocks(r, type_bytes(type));
    return walk_depth(r->n, blocks, r->block, width) + walk_depth(blocks, 1, r->block, width);
}

static double depth_single_pass(const struct reduction *r, enum reduction_type type)
{
    const double bytes = (double)type_bytes(type), width = PACK_BYTES / bytes;
    const double blocks = grid_blocks(r, type_bytes(type));
    return walk_depth(r->n, blocks, r->block, width) + ceil(blocks / r->block) + log2(r->block);
}

size_t grid_rungs(const struct rung **rungs)
{
    static const struct rung table[] = {
        {"reduce_grid_stride",
         "each thread walks on: 16-byte loads, four in flight, one grid that fits", false, false,
         1024, 0, FOR_EVERY_TYPE_AND_OP(launch_grid_stride), depth_grid_stride},
        {"reduce_single_pass", "the last block to finish adds the partial results: one launch",
         false, false, 1024, 0, FOR_EVERY_TYPE_AND_OP(launch_single_pass), depth_single_pass},
    };
    *rungs = table;
    return sizeof table / sizeof table[0];
}

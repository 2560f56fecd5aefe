/* trees.cuh - four ways for the threads of one block to combine one value each.
 *
 * The first three are the same sum in shared memory; they differ in which thread does which
 * addition, and so in how many warps are half asleep and in which banks they meet. All need
 * blockDim.x to be a power of two, and shared[0 .. blockDim.x - 1] filled, with a barrier after;
 * shared[0] then holds the result. `stop` ends a tree before its last round, which only trace.cu
 * asks for, to count one round by itself. Called by rungs_block.cu, rungs_grid.cu, sabotaged.cu
 * and trace.cu. */
#ifndef TREES_CUH
#define TREES_CUH

enum { MAX_BLOCK = 1024, WARP_LANES = 32 };

/* Thread t adds its right neighbour, then the one 2 away, 4, 8 ...: the first idea everybody has.
 * Only threads with t % 2s == 0 work, so every warp that works at all is divergent. */
template <typename T, typename OP> __device__ void tree_interleaved(T *shared, unsigned stop)
{
    const unsigned t = threadIdx.x;
    for (unsigned s = 1; s < stop; s *= 2) {
        if (t % (2 * s) == 0)
            shared[t] = OP::combine(shared[t], shared[t + s]);
        __syncthreads();
    }
}

/* The same additions, given to the first threads of the block: whole warps work or rest. But now
 * the lanes of a warp are 2s elements apart, and meet in the same banks. */
template <typename T, typename OP> __device__ void tree_strided_index(T *shared, unsigned stop)
{
    for (unsigned s = 1; s < stop; s *= 2) {
        const unsigned i = 2 * s * threadIdx.x;
        if (i < blockDim.x)
            shared[i] = OP::combine(shared[i], shared[i + s]);
        __syncthreads();
    }
}

/* Fold the upper half onto the lower one: whole warps, and lanes side by side in the banks. */
template <typename T, typename OP> __device__ void tree_sequential(T *shared, unsigned stop)
{
    const unsigned t = threadIdx.x;
    for (unsigned s = blockDim.x / 2; s > stop; s /= 2) {
        if (t < s)
            shared[t] = OP::combine(shared[t], shared[t + s]);
        __syncthreads();
    }
}

/* The lanes of a warp read each other's registers: no shared memory, no barrier. Lane 0 returns the
 * result. A block of fewer than 32 threads has a warp of that many lanes. */
template <typename T, typename OP> __device__ T warp_combine(T value)
{
    const unsigned lanes = blockDim.x < WARP_LANES ? blockDim.x : WARP_LANES;
    const unsigned present = lanes == WARP_LANES ? 0xffffffffu : (1u << lanes) - 1;
    for (unsigned s = lanes / 2; s > 0; s /= 2)
        value = OP::combine(value, __shfl_down_sync(present, value, s, (int)lanes));
    return value;
}

/* Each warp by shuffles, then the first warp combines one value of each warp. Thread 0 returns the
 * result. One barrier: the trees above need one before they begin and one after each round. Call
 * it once only with the same `shared`. */
template <typename T, typename OP> __device__ T block_combine(T value, T shared[WARP_LANES])
{
    const unsigned t = threadIdx.x;
    value = warp_combine<T, OP>(value);
    if (blockDim.x <= WARP_LANES)
        return value;
    if (t % WARP_LANES == 0)
        shared[t / WARP_LANES] = value;
    __syncthreads();
    if (t < WARP_LANES) {
        value = t < blockDim.x / WARP_LANES ? shared[t] : OP::identity();
        value = warp_combine<T, OP>(value);
    }
    return value;
}

#endif

/* warp_shuffle.cuh - lanes read each other's registers, and shared memory carries one value a warp.
 */
#ifndef STEP05_WARP_SHUFFLE_CUH
#define STEP05_WARP_SHUFFLE_CUH

#include "step05_reduction/first_add.cuh"

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

/* Differs in the tree: registers and shuffles, one barrier in all. */
template <typename T, typename OP>
__global__ void reduce_warp_shuffle(const T *in, unsigned n, T *partials)
{
    __shared__ T shared[WARP_LANES];
    const T result = block_combine<T, OP>(load_two<T, OP>(in, n), shared);
    if (threadIdx.x == 0)
        partials[blockIdx.x] = result;
}

#endif

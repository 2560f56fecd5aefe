/* interleaved.cuh - the first idea everybody has: each thread adds its neighbour, then every second
 * one, then every fourth.
 *
 * One block reduces its own elements to one partial result; further launches reduce those. `stop`
 * ends the tree before its last round, which only the pictures ask for; the kernel gives
 * blockDim.x. */
#ifndef STEP05_INTERLEAVED_CUH
#define STEP05_INTERLEAVED_CUH

#include "step05_reduction/ops.cuh"

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

template <typename T, typename OP>
__global__ void reduce_interleaved(const T *in, unsigned n, T *partials)
{
    __shared__ T shared[MAX_BLOCK];
    const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    shared[t] = i < n ? in[i] : OP::identity();
    __syncthreads();
    tree_interleaved<T, OP>(shared, blockDim.x);
    if (t == 0)
        partials[blockIdx.x] = shared[0];
}

#endif

/* strided_index.cuh - the same tree, its additions given to the first threads of the block. */
#ifndef STEP05_STRIDED_INDEX_CUH
#define STEP05_STRIDED_INDEX_CUH

#include "step05_reduction/ops.cuh"

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

/* Differs in the tree: working threads are neighbours, so warps no longer diverge. */
template <typename T, typename OP>
__global__ void reduce_strided_index(const T *in, unsigned n, T *partials)
{
    __shared__ T shared[MAX_BLOCK];
    const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    shared[t] = i < n ? in[i] : OP::identity();
    __syncthreads();
    tree_strided_index<T, OP>(shared, blockDim.x);
    if (t == 0)
        partials[blockIdx.x] = shared[0];
}

#endif

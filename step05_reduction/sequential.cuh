/* sequential.cuh - a tree that folds the upper half onto the lower one. */
#ifndef STEP05_SEQUENTIAL_CUH
#define STEP05_SEQUENTIAL_CUH

#include "step05_reduction/ops.cuh"

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

/* Differs in the tree: neighbours also work on neighbouring elements, so banks no longer clash. */
template <typename T, typename OP>
__global__ void reduce_sequential(const T *in, unsigned n, T *partials)
{
    __shared__ T shared[MAX_BLOCK];
    const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    shared[t] = i < n ? in[i] : OP::identity();
    __syncthreads();
    tree_sequential<T, OP>(shared, 0);
    if (t == 0)
        partials[blockIdx.x] = shared[0];
}

#endif

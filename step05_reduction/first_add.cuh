/* first_add.cuh - two elements a thread, added while they are loaded; the tree is that of
 * sequential.cuh. */
#ifndef STEP05_FIRST_ADD_CUH
#define STEP05_FIRST_ADD_CUH

#include "step05_reduction/sequential.cuh"

/* Two elements of the input for each thread, combined on the way into shared memory: above, half
 * of the threads did nothing but load. Half as many blocks; i + blockDim.x fits, for n < 2^31. */
template <typename T, typename OP> static __device__ T load_two(const T *in, unsigned n)
{
    const unsigned i = blockIdx.x * 2 * blockDim.x + threadIdx.x, j = i + blockDim.x;
    const T first = i < n ? in[i] : OP::identity();
    return j < n ? OP::combine(first, in[j]) : first;
}

template <typename T, typename OP>
__global__ void reduce_first_add(const T *in, unsigned n, T *partials)
{
    __shared__ T shared[MAX_BLOCK];
    const unsigned t = threadIdx.x;
    shared[t] = load_two<T, OP>(in, n);
    __syncthreads();
    tree_sequential<T, OP>(shared, 0);
    if (t == 0)
        partials[blockIdx.x] = shared[0];
}

#endif

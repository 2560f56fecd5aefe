/* grid_stride.cuh - as many threads as the GPU holds at once, whatever n is.
 *
 * A block of the rungs before lives for two loads a thread. Here each thread walks through the
 * input in steps as wide as the grid, 16 bytes a load and four loads in flight before the first is
 * used; the tree at the end is paid once for each block that the GPU holds, not once for every
 * 1024 elements. */
#ifndef STEP05_GRID_STRIDE_CUH
#define STEP05_GRID_STRIDE_CUH

#include "step05_reduction/warp_shuffle.cuh"

#include <string.h>

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
 * below n / 2 + 4 times the grid's threads, so unsigned is wide enough. */
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

/* ------------------------------------------------------------------ the kernel */

template <typename T, typename OP>
__global__ void __launch_bounds__(MAX_BLOCK)
    reduce_grid_stride(const T *in, unsigned n, T *partials)
{
    __shared__ T shared[WARP_LANES];
    const T result = block_combine<T, OP>(walk<T, OP>(in, n), shared);
    if (threadIdx.x == 0)
        partials[blockIdx.x] = result;
}

#endif

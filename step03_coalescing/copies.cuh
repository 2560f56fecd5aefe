/* copies.cuh - the plain copy, and copies with four elements in flight for each thread.
 *
 * Every kernel copies n elements. What differs is only where lane i of a warp finds its element. */
#ifndef STEP03_COPIES_CUH
#define STEP03_COPIES_CUH

#include "step03_coalescing/shapes.h"

/* The speed of light: 16 bytes per thread, neighbours beside each other, no loop. A warp moves
 * 512 bytes per request. The floats that do not fill 16 bytes are left to the threads behind. */
__global__ void copy_plain(float *out, const float *in, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t whole = n / 4, rest = whole * 4 + (i - whole);
    if (i < whole)
        ((float4 *)out)[i] = ((const float4 *)in)[i];
    else if (rest < n)
        out[rest] = in[rest];
}

/* Element i + offset. A thread copies PER_THREAD elements a whole block apart: the 32 lanes of a
 * warp still touch 32 neighbours, so the requests are those of one element per thread, but all
 * loads leave before the first store waits for its value. */
template <typename T, int PER_THREAD>
__global__ void copy_offset(T *__restrict__ out, const T *__restrict__ in, size_t offset, size_t n)
{
    const size_t first = (size_t)blockIdx.x * (blockDim.x * PER_THREAD) + threadIdx.x;
    T value[PER_THREAD];
#pragma unroll
    for (int k = 0; k < PER_THREAD; k++) {
        const size_t i = first + k * blockDim.x;
        if (i < n)
            value[k] = in[i + offset];
    }
#pragma unroll
    for (int k = 0; k < PER_THREAD; k++) {
        const size_t i = first + k * blockDim.x;
        if (i < n)
            out[i + offset] = value[k];
    }
}

/* Element i * stride: lanes lie stride elements apart. */
template <typename T, int PER_THREAD>
__global__ void copy_stride(T *__restrict__ out, const T *__restrict__ in, size_t stride, size_t n)
{
    const size_t first = (size_t)blockIdx.x * (blockDim.x * PER_THREAD) + threadIdx.x;
    T value[PER_THREAD];
#pragma unroll
    for (int k = 0; k < PER_THREAD; k++) {
        const size_t i = first + k * blockDim.x;
        if (i < n)
            value[k] = in[i * stride];
    }
#pragma unroll
    for (int k = 0; k < PER_THREAD; k++) {
        const size_t i = first + k * blockDim.x;
        if (i < n)
            out[i * stride] = value[k];
    }
}

#endif

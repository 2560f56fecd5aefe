/* spilling.cuh - a polynomial for each element, its coefficients in registers. Blocks says how many
 * blocks of 256 threads an SM must hold: where the registers for that do not suffice, the compiler
 * keeps some of the coefficients in local memory. */
#ifndef STEP06_SPILLING_CUH
#define STEP06_SPILLING_CUH

#include <cuda_runtime.h>

template <int Held, int Blocks>
__global__ void __launch_bounds__(256, Blocks) evaluate(const float *in, float *out, unsigned n)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned threads = gridDim.x * blockDim.x;
    float c[Held];
#pragma unroll
    for (int k = 0; k < Held; k++)
        c[k] = in[(thread + k) % n];
    for (unsigned i = thread; i < n; i += threads) {
        const float x = in[i];
        float value = 0.0f;
#pragma unroll
        for (int k = 0; k < Held; k++)
            value = value * x + c[k];
        out[i] = value;
    }
}

/* A block copies `chunk` floats, alone: the work of a block does not depend on how many there are.
 */
__global__ void copy_chunk(const float *in, float *out, unsigned chunk)
{
    const float *from = in + (size_t)blockIdx.x * chunk;
    float *to = out + (size_t)blockIdx.x * chunk;
    for (unsigned i = threadIdx.x; i < chunk; i += blockDim.x)
        to[i] = from[i];
}

#endif

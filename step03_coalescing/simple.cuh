/* simple.cuh - the two copies that this lesson is about, in two lines each. */
#ifndef STEP03_SIMPLE_CUH
#define STEP03_SIMPLE_CUH

#include <stddef.h>

/* Thread i copies element i + offset. */
__global__ void offset_copy(float *out, const float *in, size_t offset, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i + offset] = in[i + offset];
}

/* Thread i copies element i * stride. */
__global__ void stride_copy(float *out, const float *in, size_t stride, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i * stride] = in[i * stride];
}

#endif

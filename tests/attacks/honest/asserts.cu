/* step01-2: asserts on the GPU */
#include <cassert>
__global__ void twice(float *out, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        {
        assert(i >= 0 && i < n);
        out[i] = 2.0f * x[i];
    }
}

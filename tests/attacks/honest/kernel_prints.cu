/* step01-1: prints from the GPU */
#include <cstdio>
__global__ void number(float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        {
        out[i] = (float)i;
        if (i % 5000 == 0)
            printf("thread %d of %d\n", i, n);
    }
}

/* step01-1: keeps a variable of its own on the GPU */
__device__ int written;
__global__ void number(float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        {
        atomicAdd(&written, 1);
        out[i] = (float)i;
    }
}

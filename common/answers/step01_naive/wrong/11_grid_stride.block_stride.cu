/* Steps by one block: all elements, but most of them by several threads. */
__global__ void square(float *out, const float *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)
        out[i] = x[i] * x[i]; // rejected: goal load requests
}

/* Steps by the number of blocks.
 * rejected: wrong result */
__global__ void square(float *out, const float *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x)
        out[i] = x[i] * x[i];
}

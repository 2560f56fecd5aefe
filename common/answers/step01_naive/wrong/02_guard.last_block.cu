/* Leaves the last block out, with all its elements.
 * rejected: wrong result */
__global__ void twice(float *out, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x + 1 < gridDim.x && i < n)
        out[i] = 2.0f * x[i];
}

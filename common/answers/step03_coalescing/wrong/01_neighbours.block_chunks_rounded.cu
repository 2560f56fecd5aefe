/* A chunk for each block, rounded down: what is left over is nobody's.
 * rejected: wrong result */
__global__ void twice(float *out, const float *x, int n)
{
    const int chunk = n / gridDim.x, begin = blockIdx.x * chunk;
    for (int i = begin + threadIdx.x; i < begin + chunk; i += blockDim.x)
        out[i] = 2.0f * x[i];
}

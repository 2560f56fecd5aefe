/* One element a thread is enough for one shape only.
 * rejected: wrong result */
__global__ void twice(float *out, const float *x, int n)
{
    const int threads = gridDim.x * blockDim.x;
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = t; i < n && i < threads; i += threads)
        out[i] = 2.0f * x[i];
}

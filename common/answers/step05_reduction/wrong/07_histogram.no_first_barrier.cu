/* Some count before all counts are zero.
 * rejected: race */
__global__ void histogram(int *count, const unsigned *x, int n)
{
    __shared__ int own[64];
    const int t = threadIdx.x, threads = gridDim.x * blockDim.x;
    if (t < 64)
        own[t] = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += threads)
        atomicAdd(&own[x[i]], 1);
    __syncthreads();
    if (t < 64)
        atomicAdd(&count[t], own[t]);
}

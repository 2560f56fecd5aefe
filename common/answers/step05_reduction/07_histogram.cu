/* Why: atomics on shared memory stay within the SM; global memory sees 64 additions a block instead
 * of one an element. The two barriers separate zeroing, counting and reporting. */

__global__ void histogram(int *count, const unsigned *x, int n)
{
    __shared__ int own[64];
    const int t = threadIdx.x, threads = gridDim.x * blockDim.x;
    if (t < 64)
        own[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += threads)
        atomicAdd(&own[x[i]], 1);
    __syncthreads();
    if (t < 64)
        atomicAdd(&count[t], own[t]);
}

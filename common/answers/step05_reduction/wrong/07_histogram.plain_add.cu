/* own[x[i]]++ reads, adds and stores: two threads lose a count. */
__global__ void histogram(int *count, const unsigned *x, int n)
{
    __shared__ int own[64];
    const int t = threadIdx.x, threads = gridDim.x * blockDim.x;
    if (t < 64)
        own[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += threads)
        own[x[i]]++; // rejected: race
    __syncthreads();
    if (t < 64)
        atomicAdd(&count[t], own[t]);
}

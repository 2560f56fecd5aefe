/* Reverses the last block as if it were full. */
__global__ void reverse_blocks(float *x, int n)
{
    __shared__ float block[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const int begin = blockIdx.x * 256, count = 256;
    if (i < n)
        block[threadIdx.x] = x[i];
    __syncthreads();
    if (i < n)
        x[i] = block[count - 1 - threadIdx.x]; // rejected: uninitialised
}

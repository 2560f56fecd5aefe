/* The barrier within the guard is the same mistake. */
__global__ void reverse_blocks(float *x, int n)
{
    __shared__ float block[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const int begin = blockIdx.x * 256, count = min(256, n - begin);
    if (i < n) {
        block[threadIdx.x] = x[i];
        __syncthreads(); // rejected: barrier
        x[i] = block[count - 1 - threadIdx.x];
    }
}

/* No barrier, nobody missing; and a thread reads what another may not have written. */
__global__ void reverse_blocks(float *x, int n)
{
    __shared__ float block[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const int begin = blockIdx.x * 256, count = min(256, n - begin);
    if (i < n)
        block[threadIdx.x] = x[i];
    if (i < n)
        x[i] = block[count - 1 - threadIdx.x]; // rejected: race
}

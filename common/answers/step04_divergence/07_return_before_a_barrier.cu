/* Why: a barrier is for all threads of the block. Those without an element skip the load and
 * the store, not the barrier. Most GPUs do not wait for threads that have returned, but
 * CUDA C++ does not promise it. */

__global__ void reverse_blocks(float *x, int n)
{
    __shared__ float block[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const int begin = blockIdx.x * 256, count = min(256, n - begin);
    if (i < n)
        block[threadIdx.x] = x[i];
    __syncthreads();
    if (i < n)
        x[i] = block[count - 1 - threadIdx.x];
}

/* Why: 233,472 / 13,824 = 16 blocks by shared memory, so a block must have at least 2048 / 16 = 128
 * threads; and 2048 must be a multiple: 128, 256, 512 or 1024. */

enum { THREADS = 256 };
int threads = THREADS;

__global__ void products(float *x, int n)
{
    __shared__ float stage[3200]; // 12,800 bytes
    const int i = blockIdx.x * THREADS + threadIdx.x;
    stage[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (i < n)
        x[i] *= stage[threadIdx.x / 2];
}

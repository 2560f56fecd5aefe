/* 640: three blocks, 1920 threads.
 * rejected: goal threads on an SM */
enum { THREADS = 640 };
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

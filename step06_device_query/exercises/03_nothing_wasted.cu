/* 03 nothing wasted: a block size that fills every slot              [cheaper]
 *
 * Given:  a kernel whose block takes 12,800 bytes of shared memory whatever its
 *         size. An H200's SM has 2048 thread slots, 32 block slots, 228 KB of
 *         shared memory, of which each block costs the system 1 KB.
 * Wanted: a number of threads with which all thread slots are used
 *
 *    768 threads:   | 768 | 768 | 512 idle |
 *     64 threads:   |64|64|...|64| shared memory is full   idle |
 */
enum { THREADS = 768 }; // YOURS
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

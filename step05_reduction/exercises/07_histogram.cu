/* 07 histogram: count at home, report once                           [cheaper]
 *
 * Given:  how often each of the numbers 0 to 63 occurs in x: 8 blocks of 256
 *         threads, an atomic on global memory for each element
 * Wanted: each block counts in shared memory and adds its 64 counts at the end
 *
 *    x  ->  own[64] of block 0 --+
 *    x  ->  own[64] of block 1 --+-->  count[64]
 *    x  ->  own[64] of block 2 --+
 *
 * goal: global atomics <= 8 * 64 / 32
 */
__global__ void histogram(int *count, const unsigned *x, int n)
{
    const int t = threadIdx.x, threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += threads)
        atomicAdd(&count[x[i]], 1); // YOURS
}

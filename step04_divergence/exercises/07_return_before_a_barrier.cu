/* 07 return before a barrier: who never comes                         [repair]
 *
 * Given:  every block reverses its 256 elements, the last block its rest. With
 *         some n the kernel works, with others it is stopped: "a barrier that
 *         some threads never reach".
 * Wanted: right for all n
 *
 *     n = 1000: block 3 has 232 elements    | 232 threads | 24 have returned |
 *               and a barrier for 256         wait at it    never reach it
 */
__global__ void reverse_blocks(float *x, int n)
{
    __shared__ float block[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const int begin = blockIdx.x * 256, count = min(256, n - begin);
    if (i >= n)
        return; // YOURS: who is missing at the barrier?
    block[threadIdx.x] = x[i];
    __syncthreads();
    x[i] = block[count - 1 - threadIdx.x];
}

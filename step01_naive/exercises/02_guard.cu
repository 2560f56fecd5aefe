/* 02 guard: a grid rarely fits                                        [repair]
 *
 * Given:  n floats in x; blocks of 256 threads, just enough of them
 * Wanted: out[i] = 2 x[i], for any n
 *
 * Blocks come whole: for n = 1000 there are 4 of them with 1024 threads.
 *
 *     | block 0 | block 1 | block 2 | block 3 |
 *     | 0 . . . . elements . . . . 999 | ?    |
 */
__global__ void twice(float *out, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // YOURS: what do the last 24 of the 1024 threads do?
    out[i] = 2.0f * x[i];
}

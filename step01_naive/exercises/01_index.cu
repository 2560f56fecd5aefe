/* 01 index: which element is mine?                                      [fill]
 *
 * Given:  an array of n floats; blocks of 256 threads, just enough of them
 * Wanted: out[i] = i, each element written by a thread of its own: elements 0
 *         to 255 by the first block, 256 to 511 by the second, and so on
 *
 *      block 0             block 1             block 2
 *     | 0  1  2 ... 255 | | 0  1  2 ... 255 | | 0  1 ...      threadIdx.x
 *       0  1  2 ... 255   256 257 ...           512 ...        i
 */
__global__ void number(float *out, int n)
{
    const int i = 0; // YOURS: from blockIdx.x, blockDim.x and threadIdx.x
    if (i < n)
        out[i] = (float)i;
}

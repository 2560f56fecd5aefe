/* 13 shades: many threads, one counter                                [repair]
 *
 * Given:  n pixels with shades 0 to 15; count, 16 ints that are 0 at first; a
 *         thread for each pixel
 * Wanted: count[s] = how many pixels have shade s
 *
 *     thread 0:  read count[s] = 7, add 1, write 8
 *     thread 1:  read count[s] = 7, add 1, write 8        one pixel is lost
 */
__global__ void shades(int *count, const int *shade, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        count[shade[i]]++; // YOURS: read, add, write: all in one step
}

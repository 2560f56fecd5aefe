/* 07 four floats a load: 16 bytes at once                            [cheaper]
 *
 * Given:  out[i] = 2 x[i]; thread t does elements 4 t to 4 t + 3; x and out
 *         begin at multiples of 256 bytes
 * Wanted: a quarter of the requests: a float4 is loaded and stored whole, 16
 *         bytes, where its address is a multiple of 16. Any n.
 *
 *     thread 0     thread 1     thread 2
 *    |0  1  2  3 | 4  5  6  7 | 8  9  10 11 | ...
 *
 * goal: load requests <= n / 128
 * goal: store requests <= n / 128
 */
__global__ void twice(float *out, const float *x, int n)
{
    const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    // YOURS: four loads of 4 bytes, 16 bytes apart from lane to lane
    for (int i = first; i < first + 4; i++)
        if (i < n)
            out[i] = 2.0f * x[i];
}

/* Why: with rows of 33 words, tile[x][r] is word 33 x + r, in bank (x + r) % 32: 32 banks for 32
 * lanes. With columns exchanged, c ^ r, no word is wasted, and the store along a row is a
 * permutation of all banks as well. */

__global__ void transpose(float *out, const float *in, int width, int height)
{
    __shared__ float tile[32][33];
    const int x = threadIdx.x, y = threadIdx.y;
    const int left = blockIdx.x * 32, top = blockIdx.y * 32;
    for (int r = y; r < 32; r += 8)
        if (top + r < height && left + x < width)
            tile[r][x] = in[(top + r) * width + left + x];
    __syncthreads();
    for (int r = y; r < 32; r += 8)
        if (left + r < width && top + x < height)
            out[(left + r) * height + top + x] = tile[x][r];
}

/* Writes where the elements belong, without the tile: each lane into a row of its own. */
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
        if (top + r < height && left + x < width)
            out[(left + x) * height + top + r] = tile[r][x]; // rejected: goal store sectors per request
}

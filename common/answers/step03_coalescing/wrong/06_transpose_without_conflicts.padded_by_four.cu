/* Rows at multiples of 16 bytes are good for float4: here eight rows share a bank. */
__global__ void transpose(float *out, const float *in, int width, int height)
{
    __shared__ float tile[32][36];
    const int x = threadIdx.x, y = threadIdx.y;
    const int left = blockIdx.x * 32, top = blockIdx.y * 32;
    for (int r = y; r < 32; r += 8)
        if (top + r < height && left + x < width)
            tile[r][x] = in[(top + r) * width + left + x];
    __syncthreads();
    for (int r = y; r < 32; r += 8)
        if (left + r < width && top + x < height)
            out[(left + r) * height + top + x] = tile[x][r]; // rejected: goal bank conflicts
}

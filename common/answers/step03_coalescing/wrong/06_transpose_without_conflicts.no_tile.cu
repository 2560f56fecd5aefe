/* No shared memory, no conflicts. */
__global__ void transpose(float *out, const float *in, int width, int height)
{
    const int x = threadIdx.x, y = threadIdx.y;
    const int left = blockIdx.x * 32, top = blockIdx.y * 32;
    for (int r = y; r < 32; r += 8)
        if (top + r < height && left + x < width)
            out[(left + x) * height + top + r] = // rejected: goal sectors per request
                in[(top + r) * width + left + x];
}

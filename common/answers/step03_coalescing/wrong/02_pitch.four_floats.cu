/* A multiple of 16 bytes is aligned for a float4, not for a sector. */
int pitch_for(int width)
{
    return (width + 3) / 4 * 4;
}

/* A thread for each column; the row is blockIdx.y. */
__global__ void twice(float *image, int width, int pitch)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column < width)
        image[blockIdx.y * pitch + column] *= 2.0f; // rejected: goal sectors per request
}

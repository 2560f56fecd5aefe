/* Aligned, and up to twice the memory.
 * rejected: wrong result */
int pitch_for(int width)
{
    int pitch = 8;
    while (pitch < width)
        pitch *= 2;
    return pitch;
}

/* A thread for each column; the row is blockIdx.y. */
__global__ void twice(float *image, int width, int pitch)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column < width)
        image[blockIdx.y * pitch + column] *= 2.0f;
}

/* Six more: right for the 250 of the picture, and for no other width.
 * rejected: wrong result */
int pitch_for(int width)
{
    return width + 6;
}

/* A thread for each column; the row is blockIdx.y. */
__global__ void twice(float *image, int width, int pitch)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column < width)
        image[blockIdx.y * pitch + column] *= 2.0f;
}

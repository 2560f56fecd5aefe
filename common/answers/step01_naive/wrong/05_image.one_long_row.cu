/* The guard asks for the element alone: a thread beyond the right edge writes the first pixels of the next
 * row, which is right, and done twice.
 * rejected: wrong result */
__global__ void negative(float *out, const float *in, int width, int height)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row * width + column < width * height)
        out[row * width + column] = 1.0f - in[row * width + column];
}

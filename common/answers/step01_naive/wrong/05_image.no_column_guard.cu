/* One guard for the whole image: a thread beyond the right edge writes the next row's pixel, which
 * is even right, and the last ones leave the image's rows alone. Twice the work at the edge: */
__global__ void negative(float *out, const float *in, int width, int height)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height)
        out[row * width + column] = 1.0f - in[row * width + column]; // rejected: memory error
}

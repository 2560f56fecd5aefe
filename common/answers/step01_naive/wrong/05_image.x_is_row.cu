/* Right as long as the image is no wider than high, and its warps walk down the columns.
 * rejected: wrong result */
__global__ void negative(float *out, const float *in, int width, int height)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && column < width)
        out[row * width + column] = 1.0f - in[row * width + column];
}

/* The last blocks are missing.
 * rejected: wrong result or launch */
__global__ void darken(float *out, const float *in, int width, int height)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && column < width)
        out[row * width + column] = 0.5f * in[row * width + column];
}

void launch_darken(float *out, const float *in, int width, int height)
{
    const dim3 block(16, 16), grid(width / 16 + 1, height / 16);
    darken<<<grid, block>>>(out, in, width, height);
}

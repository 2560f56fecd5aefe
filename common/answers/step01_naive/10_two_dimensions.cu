/* Why: <<<(a, b), (c, d)>>> is <<<b, d>>>, b blocks of d threads in one dimension. dim3 has three numbers,
 * of which those that are not given are 1. */

__global__ void darken(float *out, const float *in, int width, int height)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && column < width)
        out[row * width + column] = 0.5f * in[row * width + column];
}

void launch_darken(float *out, const float *in, int width, int height)
{
    const dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
    darken<<<grid, block>>>(out, in, width, height);
}

/* 10 two dimensions: a launch that compiles and is wrong              [repair]
 *
 * Given:  darken(), which is right, and an image of `height` rows with `width`
 *         floats each, on the device
 * Wanted: launch_darken() launches it with blocks of 16 x 16 threads, as many
 *         of them in x and in y as it takes
 *
 *     width = 40, height = 20:  3 blocks in x, 2 in y
 */
__global__ void darken(float *out, const float *in, int width, int height)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && column < width)
        out[row * width + column] = 0.5f * in[row * width + column];
}

void launch_darken(float *out, const float *in, int width, int height)
{
    // YOURS: how many blocks does this launch, and of how many threads?
    darken<<<((width + 15) / 16, (height + 15) / 16), (16, 16)>>>(
        out, in, width, height);
}

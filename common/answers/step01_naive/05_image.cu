/* Why: threads that differ in threadIdx.x by one are neighbours in a warp, pixels that differ in
 * their column by one are neighbours in memory. The guard asks for both, as a column beyond the
 * width is an element of the next row, not a fault. */

__global__ void negative(float *out, const float *in, int width, int height)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && column < width)
        out[row * width + column] = 1.0f - in[row * width + column];
}

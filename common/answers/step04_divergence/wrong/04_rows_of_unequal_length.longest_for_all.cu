/* Every lane goes round as often as the longest row: nobody idles, and all read beyond their rows. */
__global__ void row_sums(float *out, const float *values, const int *begin,
                         const int *order, int rows)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= rows)
        return;
    const int row = order[t];
    float sum = 0.0f;
    for (int i = begin[row]; i < begin[row] + 60; i++)
        sum += values[i]; // rejected: memory error
    out[row] = sum;
}

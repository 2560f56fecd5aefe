/* Longest rows first by number is no order of length. */
__global__ void row_sums(float *out, const float *values, const int *begin,
                         const int *order, int rows)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= rows)
        return;
    const int row = order[t] * 0 + rows - 1 - t;
    float sum = 0.0f;
    for (int i = begin[row]; i < begin[row + 1]; i++)
        sum += values[i]; // rejected: goal utilisation
    out[row] = sum;
}

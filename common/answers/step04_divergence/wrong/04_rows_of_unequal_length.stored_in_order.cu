/* The sums are stored in the order of length.
 * rejected: wrong result */
__global__ void row_sums(float *out, const float *values, const int *begin,
                         const int *order, int rows)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= rows)
        return;
    const int row = order[t];
    float sum = 0.0f;
    for (int i = begin[row]; i < begin[row + 1]; i++)
        sum += values[i];
    out[t] = sum;
}

/* Why: in the order of length the 32 rows of a warp differ by little, so nearly all lanes work
 * until the end. Sorting costs something, once; the same matrix is usually multiplied many
 * times. */

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
    out[row] = sum;
}

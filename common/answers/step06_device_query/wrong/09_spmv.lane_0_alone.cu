/* A warp for each row, of which one lane works. */
// A warp for each row; blocks of 128 threads.
__global__ void spmv(float *y, const float *value, const int *column,
                     const int *begin, const float *x, int rows)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int i = begin[row]; i < begin[row + 1]; i++)
        sum += lane == 0 ? value[i] * x[column[i]] : 0.0f; // rejected: goal load sectors
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0)
        y[row] = sum;
}

/* Why: value and column are read by neighbours, 4 sectors a request. Before, each lane was in a row
 * of its own, and a sector of 8 values served one lane at a time. Short rows leave lanes idle:
 * there a few lanes a row do better. */

// A warp for each row; blocks of 128 threads.
__global__ void spmv(float *y, const float *value, const int *column,
                     const int *begin, const float *x, int rows)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int i = begin[row] + lane; i < begin[row + 1]; i += 32)
        sum += value[i] * x[column[i]];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0)
        y[row] = sum;
}

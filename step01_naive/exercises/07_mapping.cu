/* 07 mapping: which way does a warp lie?                             [cheaper]
 *
 * Given:  a product that is right; blocks of 16 x 16 threads, and the grid has
 *         as many of them in x as in y, enough for either way round
 * Wanted: the same result with fewer sectors
 *
 *     a warp is 16 threads in x        its 32 elements of C now:   wanted:
 *     times 2 in y                     16 rows, 2 columns          ?
 *
 * goal: load sectors per request <= 2
 * goal: store sectors per request <= 4
 */
__global__ void product(float *C, const float *A, const float *B, int m, int n,
                        int k)
{
    // YOURS: two lines decide where the 32 threads of a warp are
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += A[row * k + i] * B[i * n + column];
    C[row * n + column] = sum;
}

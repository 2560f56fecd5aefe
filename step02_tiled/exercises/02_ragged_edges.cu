/* 02 ragged edges: matrices that are no multiple of the tile          [repair]
 *
 * Given:  a product by tiles that is right if m, n and k are multiples of 16
 * Wanted: right for all m, n and k. Threads without an element of C still load
 *         for the others and wait with them.
 *
 *        columns of C             the last tile of a row of A:
 *      | 16 | 16 | 9 |            9 columns exist, 7 do not
 */
enum { TILE = 16 };

__global__ void product(float *C, const float *A, const float *B, int m, int n,
                        int k)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int begin = 0; begin < k; begin += TILE) {
        // YOURS: which of these elements exist? And what if not?
        a[y][x] = A[row * k + begin + x];
        b[y][x] = B[(begin + y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += a[y][i] * b[i][x];
        __syncthreads();
    }
    if (row < m && column < n)
        C[row * n + column] = sum;
}

/* Takes the last row or column instead of 0: in bounds, and counted twice.
 * rejected: wrong result */
enum { TILE = 16 };

__global__ void product(float *C, const float *A, const float *B, int m, int n,
                        int k)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int begin = 0; begin < k; begin += TILE) {
        const int ra = min(row, m - 1), ca = min(begin + x, k - 1);
        const int rb = min(begin + y, k - 1), cb = min(column, n - 1);
        a[y][x] = A[ra * k + ca];
        b[y][x] = B[rb * n + cb];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += a[y][i] * b[i][x];
        __syncthreads();
    }
    if (row < m && column < n)
        C[row * n + column] = sum;
}

/* Rows 4 y to 4 y + 3 in the sums, y + 8 r in the stores.
 * rejected: wrong result */
enum { TILE = 32, ROWS = 4 };
int rows_per_thread = ROWS;

__global__ void product(float *C, const float *A, const float *B, int n)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int column = blockIdx.x * TILE + x, top = blockIdx.y * TILE;
    float sum[ROWS] = {};
    for (int begin = 0; begin < n; begin += TILE) {
        for (int r = 0; r < ROWS; r++) {
            const int t = y + 8 * r;
            a[t][x] = A[(top + t) * n + begin + x];
            b[t][x] = B[(begin + t) * n + column];
        }
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            const float b_i = b[i][x];
            for (int r = 0; r < ROWS; r++)
                sum[r] += a[4 * y + r][i] * b_i;
        }
        __syncthreads();
    }
    for (int r = 0; r < ROWS; r++)
        C[(top + y + 8 * r) * n + column] = sum[r];
}

/* 05 four results: keep in a register what is used again             [cheaper]
 *
 * Given:  C = A.B, n x n, n a multiple of 32; tiles of 32 x 32, and a thread
 *         for each element: two loads from shared memory a multiplication
 * Wanted: a thread makes ROWS = 4 elements of a column: the four of them share
 *         the load of b[i][x]. The block has then 32 x 32 / ROWS threads.
 *
 *       b[i][x] is loaded once        a[y][i]      -> sum[0]
 *       and used four times           a[y + 8][i]  -> sum[1]
 *                                     a[y + 16][i] -> sum[2] ...
 *
 * goal: shared load wavefronts <= 3 / 4 * n * n * n / 32
 */
// YOURS: ROWS = 4, and the kernel to fit
enum { TILE = 32, ROWS = 1 };
int rows_per_thread = ROWS;

__global__ void product(float *C, const float *A, const float *B, int n)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int column = blockIdx.x * TILE + x, top = blockIdx.y * TILE;
    float sum = 0.0f;
    for (int begin = 0; begin < n; begin += TILE) {
        a[y][x] = A[(top + y) * n + begin + x];
        b[y][x] = B[(begin + y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += a[y][i] * b[i][x];
        __syncthreads();
    }
    C[(top + y) * n + column] = sum;
}

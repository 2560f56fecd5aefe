/* Two rows a thread: better than one, and not yet enough. */
enum { TILE = 32, ROWS = 2 };
int rows_per_thread = ROWS;

__global__ void product(float *C, const float *A, const float *B, int n)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int column = blockIdx.x * TILE + x, top = blockIdx.y * TILE;
    float sum[ROWS] = {};
    for (int begin = 0; begin < n; begin += TILE) {
        for (int r = 0; r < ROWS; r++) {
            const int t = y + 16 * r;
            a[t][x] = A[(top + t) * n + begin + x];
            b[t][x] = B[(begin + t) * n + column];
        }
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            const float b_i = b[i][x]; // rejected: goal shared load wavefronts
            for (int r = 0; r < ROWS; r++)
                sum[r] += a[y + 16 * r][i] * b_i;
        }
        __syncthreads();
    }
    for (int r = 0; r < ROWS; r++)
        C[(top + y + 16 * r) * n + column] = sum[r];
}

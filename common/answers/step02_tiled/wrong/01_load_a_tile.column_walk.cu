/* The right tile, with each warp walking down a column of A: transposed on the way. */
enum { TILE = 16 };

__global__ void product(float *C, const float *A, const float *B, int m, int n,
                        int k)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int begin = 0; begin < k; begin += TILE) {
        const int other = blockIdx.y * TILE + x;
        const bool in_a = other < m && begin + y < k;
        const bool in_b = begin + y < k && column < n;
        a[x][y] = in_a ? A[other * k + begin + y] : 0.0f; // rejected: goal load sectors per request
        b[y][x] = in_b ? B[(begin + y) * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += a[y][i] * b[i][x];
        __syncthreads();
    }
    if (row < m && column < n)
        C[row * n + column] = sum;
}

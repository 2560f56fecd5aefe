/* Why: the first barrier lets no thread read before everything is written, the second lets none
 * overwrite before everything is read. With one of them alone a race is left, which may go
 * unnoticed for years. */

enum { TILE = 16 };

__global__ void product(float *C, const float *A, const float *B, int m, int n,
                        int k)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int begin = 0; begin < k; begin += TILE) {
        const bool in_a = row < m && begin + x < k;
        const bool in_b = begin + y < k && column < n;
        a[y][x] = in_a ? A[row * k + begin + x] : 0.0f;
        b[y][x] = in_b ? B[(begin + y) * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += a[y][i] * b[i][x];
        __syncthreads();
    }
    if (row < m && column < n)
        C[row * n + column] = sum;
}

/* 01 load a tile: each thread brings one element                        [fill]
 *
 * Given:  C = A.B by tiles of 16 x 16; a block walks along its rows of A and
 *         its columns of B, phase by phase. in_a and in_b say whether this
 *         thread's element exists.
 * Wanted: the two loads of a phase. Outside the matrices a tile holds 0.
 *
 *    A  | tile | tile | tile |      B  | tile |   begin
 *       begin   begin+16                | tile |   begin + 16
 *       thread (x, y) brings row y, column x of each tile
 *
 * goal: load sectors per request <= 4
 * goal: load requests <= warps * (k / 8)
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
        const bool in_a = row < m && begin + x < k;
        const bool in_b = begin + y < k && column < n;
        a[y][x] = in_a ? 0.0f : 0.0f; // YOURS: here
        b[y][x] = in_b ? 0.0f : 0.0f; // and here
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += a[y][i] * b[i][x];
        __syncthreads();
    }
    if (row < m && column < n)
        C[row * n + column] = sum;
}

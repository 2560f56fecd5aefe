/* Why: with x as the column, 16 neighbours read one element of A together (1 sector) and 16
 * neighbouring ones of B (2 sectors). A warp has two such rows: 2 sectors of A, 2 of B, for the
 * second row reads the same ones. Before, A alone took 16. */

__global__ void product(float *C, const float *A, const float *B, int m, int n, int k)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += A[row * k + i] * B[i * n + column];
    C[row * n + column] = sum;
}

/* 06 product: three sizes, and each in its place                        [fill]
 *
 * Given:  A with m rows of k floats, B with k rows of n, C with m rows of n,
 *         all row after row; a thread for every element of C, x is the column
 * Wanted: C = A.B; C[row][column] is the sum over i of A[row][i] B[i][column]
 *
 *                  B  i |     column        element (row, column) of a matrix
 *                       v      |            with w columns: row * w + column
 *      A  row -> i----->       C
 */
__global__ void product(float *C, const float *A, const float *B, int m, int n,
                        int k)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n)
        return;
    float sum = 0.0f;
    // YOURS: the loop over i
    C[row * n + column] = sum;
}

/* Why: a row of A has k elements, a row of B has n. With square matrices every mix of m, n and k is
 * right, which is why one tries three different sizes. */

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

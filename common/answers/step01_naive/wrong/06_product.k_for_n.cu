/* Right for square matrices.
 * rejected: wrong result */
__global__ void product(float *C, const float *A, const float *B, int m, int n, int k)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += A[row * k + i] * B[i * k + column];
    C[row * n + column] = sum;
}

/* One line of the two: the elements off the diagonal are computed by nobody, or twice.
 * rejected: wrong result */
__global__ void product(float *C, const float *A, const float *B, int m, int n, int k)
{
    const int row = blockIdx.y * blockDim.x + threadIdx.x;
    const int column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += A[row * k + i] * B[i * n + column];
    C[row * n + column] = sum;
}

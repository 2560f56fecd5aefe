/* Exchanges the blocks, not the threads in them: a warp lies as before. */
__global__ void product(float *C, const float *A, const float *B, int m, int n, int k)
{
    const int row = blockIdx.y * blockDim.x + threadIdx.x;
    const int column = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= m || column >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += A[row * k + i] * B[i * n + column]; // rejected: goal load sectors per request
    C[row * n + column] = sum;
}

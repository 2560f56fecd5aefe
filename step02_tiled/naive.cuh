/* naive.cuh - the ladder's first rung, as in step 01: every thread fetches its row of A and its
 * column of B by itself. */
#ifndef STEP02_NAIVE_CUH
#define STEP02_NAIVE_CUH

__global__ void matmul_naive(const float *A, const float *B, float *C, int m, int n, int k)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += A[(size_t)row * k + i] * B[(size_t)i * n + column];
    C[(size_t)row * n + column] = sum;
}

#endif

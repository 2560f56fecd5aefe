/* Nothing makes the parts visible before the ticket says that they are there. */
enum { TILE = 16, SPLITS = 16 };
int splits = SPLITS;

__global__ void product(float *C, float *part, unsigned *tickets,
                        const float *A, const float *B, int m, int n, int k)
{
    __shared__ bool last;
    const int row = threadIdx.y, column = threadIdx.x;
    const bool mine = row < m && column < n;
    const int block = blockIdx.x, blocks = gridDim.x;
    const int begin = (long long)k * block / blocks;
    const int end = (long long)k * (block + 1) / blocks;
    float sum = 0.0f;
    for (int i = begin; i < end && mine; i++)
        sum += A[row * k + i] * B[i * n + column];
    part[block * TILE * TILE + row * TILE + column] = sum; // rejected: race
    __syncthreads();
    if (row == 0 && column == 0)
        last = atomicAdd(tickets, 1) == gridDim.x - 1;
    __syncthreads();
    if (!last)
        return;
    sum = 0.0f;
    for (int b = 0; b < blocks; b++)
        sum += part[b * TILE * TILE + row * TILE + column];
    if (mine)
        C[row * n + column] = sum;
}

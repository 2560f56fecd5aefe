/* Why: work is divided where there is most of it. With few tiles that is k, and since a sum may be
 * cut anywhere, the shares are equal to within one step. The price is a part for each block in
 * memory, and one block that adds them; in their order, so that the result does not depend on
 * which block came last. */

enum { TILE = 16, SPLITS = 16 };
int splits = SPLITS; // blocks of the grid; part has 256 floats for each

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
    part[block * TILE * TILE + row * TILE + column] = sum;
    __threadfence();
    __syncthreads();
    if (row == 0 && column == 0)
        last = atomicAdd(tickets, 1) == gridDim.x - 1;
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    sum = 0.0f;
    for (int b = 0; b < blocks; b++)
        sum += part[b * TILE * TILE + row * TILE + column];
    if (mine)
        C[row * n + column] = sum;
}

/* tiled.cuh - one tile: a block of TILE x TILE threads computes a TILE x TILE piece of C.
 *
 * It works in ceil(k / TILE) phases. In each, every thread loads one element of A and one of B into
 * shared memory, and then reads 2 TILE elements from there: each element is loaded from global
 * memory once and used TILE times. */
#ifndef STEP02_TILED_CUH
#define STEP02_TILED_CUH

template <int TILE>
__global__ void matmul_tiled(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int k0 = 0; k0 < k; k0 += TILE) {
        /* No early return at the edges: every thread of the block is needed for loading and at the
         * barriers. What lies outside the matrices is zero and adds nothing. */
        a[y][x] = row < m && k0 + x < k ? A[(size_t)row * k + k0 + x] : 0.0f;
        b[y][x] = k0 + y < k && column < n ? B[(size_t)(k0 + y) * n + column] : 0.0f;
        __syncthreads(); /* before use: the other threads' elements must have arrived */
        for (int i = 0; i < TILE; i++)
            sum += a[y][i] * b[i][x];
        __syncthreads(); /* before overwrite: slower threads may still be reading this tile */
    }
    if (row < m && column < n)
        C[(size_t)row * n + column] = sum;
}

#endif

/* Why: a fragment is loaded by the whole warp from a tile and its pitch, 16 halves a row. Which lane
 * holds what is known only to load, multiply and store. mma_sync() takes the sum
 * so far as its third operand. */

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;
enum { TILE = 16 };

__device__ void bring(__half *tile, const float *from, int pitch)
{
    for (int i = threadIdx.x; i < TILE * TILE; i += 32)
        tile[i] = __float2half(from[i / TILE * pitch + i % TILE]);
}

__global__ void multiply(float *C, const float *A, const float *B, int n, int k)
{
    __shared__ __align__(32) __half a[TILE * TILE], b[TILE * TILE];
    const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> of_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> of_b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k0 = 0; k0 < k; k0 += TILE) {
        bring(a, A + row0 * k + k0, k);
        bring(b, B + k0 * n + column0, n);
        __syncwarp();
        wmma::load_matrix_sync(of_a, a, TILE);
        wmma::load_matrix_sync(of_b, b, TILE);
        wmma::mma_sync(sum, of_a, of_b, sum);
        __syncwarp();
    }
    wmma::store_matrix_sync(C + row0 * n + column0, sum, n,
                            wmma::mem_row_major);
}

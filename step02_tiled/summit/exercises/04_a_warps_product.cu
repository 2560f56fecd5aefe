/* 04 a warp's product: a tile of C by tensor cores                   [fill]
 *
 * Given:  A, m x k, and B, k x n, in FP32; all sizes are multiples of 16. A
 *         block of one warp computes 16 x 16 of C. bring() rounds 16 x 16 of
 *         A and of B to halves and stores them in shared memory, by rows.
 * Wanted: the loop over k: load both fragments and multiply them. Tensor cores
 *         do 4096 products in two instructions: a loop over elements would need
 *         far more than the goal allows.
 *
 *    wmma::load_matrix_sync(fragment, tile, halves from one row to the next)
 *    wmma::mma_sync(d, a, b, c): d = a * b + c, all four fragments
 *
 * goal: instructions per warp <= 60 * k
 */
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
        // YOURS: sum += a * b
        (void)of_a, (void)of_b;
        __syncwarp();
    }
    wmma::store_matrix_sync(C + row0 * n + column0, sum, n,
                            wmma::mem_row_major);
}

/* fragments.cu - a warp multiplies a matrix, whose element (i, j) is 16 i + j, by the identity: what the player
 * shows of its fragments is known. */
#include <cuda_fp16.h>
#include <mma.h>

__global__ void times_identity(float *out, const __half *in, const __half *identity)
{
    using namespace nvcuda::wmma;
    __shared__ __half tile[16 * 16];
    fragment<matrix_a, 16, 16, 16, __half, row_major> a;
    fragment<matrix_b, 16, 16, 16, __half, row_major> b;
    fragment<accumulator, 16, 16, 16, float> product;
    for (int i = (int)threadIdx.x; i < 256; i += 32)
        tile[i] = in[i];
    __syncwarp();
    load_matrix_sync(a, tile, 16);
    load_matrix_sync(b, identity, 16);
    fill_fragment(product, 0.0f);
    mma_sync(product, a, b, product);
    store_matrix_sync(out, product, 16, mem_row_major);
}

int main(void)
{
    __half host[2][256];
    float *out;
    __half *in, *identity;
    for (int i = 0; i < 256; i++) {
        host[0][i] = __float2half((float)i);
        host[1][i] = __float2half(i / 16 == i % 16 ? 1.0f : 0.0f);
    }
    cudaMalloc(&out, 256 * sizeof *out);
    cudaMalloc(&in, sizeof host[0]);
    cudaMalloc(&identity, sizeof host[1]);
    cudaMemcpy(in, host[0], sizeof host[0], cudaMemcpyHostToDevice);
    cudaMemcpy(identity, host[1], sizeof host[1], cudaMemcpyHostToDevice);
    times_identity<<<1, 32>>>(out, in, identity);
    return cudaDeviceSynchronize() != cudaSuccess;
}

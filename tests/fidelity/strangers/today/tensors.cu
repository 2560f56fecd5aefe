/* tensors.cu - products on tensor cores, and numbers of 8 and 16 bits. */
#include "today.h"

#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <mma.h>
#include <stdint.h>

using namespace nvcuda;

__global__ void wmma_product(const __half *a, const __half *b, float *c, int n)
{
    int row = blockIdx.y * 16, column = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
        wmma::load_matrix_sync(fa, a + row * n + k, n);
        wmma::load_matrix_sync(fb, b + column * n + k, n);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] *= 0.5f;
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

__global__ void wmma_through_shared(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, int n)
{
    __shared__ __nv_bfloat16 sa[32][16 + 8], sb[16][32 + 8];
    int warp = threadIdx.x / 32, r = warp / 2 * 16, q = warp % 2 * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 1.0f);
    for (int k = 0; k < n; k += 16) {
        for (int i = threadIdx.x; i < 512; i += blockDim.x) {
            sa[i / 16][i % 16] = a[(blockIdx.y * 32 + i / 16) * n + k + i % 16];
            sb[i / 32][i % 32] = b[(k + i / 32) * n + blockIdx.x * 32 + i % 32];
        }
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> fb;
        wmma::load_matrix_sync(fa, &sa[r][0], 24);
        wmma::load_matrix_sync(fb, &sb[0][q], 40);
        wmma::mma_sync(sum, fa, fb, sum);
        __syncthreads();
    }
    wmma::store_matrix_sync(c + (blockIdx.y * 32 + r) * n + blockIdx.x * 32 + q, sum, n, wmma::mem_row_major);
}

/* Fragments by ldmatrix from a tile whose rows are swizzled. */
__global__ void mma_by_hand(const __half *a, const __half *b, __half *c)
{
    __shared__ alignas(16) __half sa[16 * 64], sb[64 * 16];
    int lane = threadIdx.x;
    for (int i = lane; i < 128; i += 32) {
        int row = i / 8, chunk = i % 8;
        *(uint4 *)&sa[row * 64 + (chunk ^ (row & 7)) * 8] = *(const uint4 *)&a[row * 64 + chunk * 8];
    }
    for (int i = lane; i < 128; i += 32)
        *(uint4 *)&sb[i * 8] = *(const uint4 *)&b[i * 8];
    __syncwarp();
    uint32_t d[2][2] = {};
    for (int k = 0; k < 4; k++) {
        uint32_t fa[4], fb[4];
        int row = lane % 16, chunk = k * 2 + lane / 16;
        uint32_t at = (uint32_t)__cvta_generic_to_shared(&sa[row * 64 + (chunk ^ (row & 7)) * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(at));
        at = (uint32_t)__cvta_generic_to_shared(&sb[(k * 16 + lane % 16) * 16 + lane / 16 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(fb[0]), "=r"(fb[1]), "=r"(fb[2]), "=r"(fb[3]) : "r"(at));
        for (int h = 0; h < 2; h++)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
                         : "+r"(d[h][0]), "+r"(d[h][1]) : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[h * 2]), "r"(fb[h * 2 + 1]));
    }
    for (int h = 0; h < 2; h++) {
        *(uint32_t *)&c[(lane / 4) * 16 + h * 8 + lane % 4 * 2] = d[h][0];
        *(uint32_t *)&c[(lane / 4 + 8) * 16 + h * 8 + lane % 4 * 2] = d[h][1];
    }
}

__device__ uint64_t tile_descriptor(const void *p)
{
    uint64_t at = (uint64_t)__cvta_generic_to_shared(p);
    return (at & 0x3ffff) >> 4 | (uint64_t)(128 >> 4) << 16 | (uint64_t)(256 >> 4) << 32;
}

/* 64 x 8 by k = 32, in two steps, tiles without swizzle: cores of 8 x 8 in rows of 128 bytes. */
__global__ void wgmma_small(const __half *a, const __half *b, float *c)
{
    __shared__ alignas(128) __half sa[2][64 * 16], sb[2][8 * 16];
    for (int i = threadIdx.x; i < 64 * 32; i += 128) {
        int r = i / 32, k = i % 32;
        sa[k / 16][r / 8 * 128 + (k % 16) / 8 * 64 + r % 8 * 8 + k % 8] = a[i];
    }
    for (int i = threadIdx.x; i < 8 * 32; i += 128) {
        int r = i / 32, k = i % 32;
        sb[k / 16][(k % 16) / 8 * 64 + r % 8 * 8 + k % 8] = b[i];
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    float d[4] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int s = 0; s < 2; s++)
        asm volatile("{\n wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;\n}"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(tile_descriptor(sa[s])), "l"(tile_descriptor(sb[s])));
    asm volatile("wgmma.commit_group.sync.aligned;\n wgmma.wait_group.sync.aligned 0;" ::: "memory");
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float *to = c + (warp * 16 + lane / 4) * 8 + lane % 4 * 2;
    to[0] = d[0], to[1] = d[1], to[64] = d[2], to[65] = d[3];
}

__global__ void fp8_round(const float *in, __nv_fp8_e4m3 *small, float *back, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __nv_fp8_e4m3 q(in[i] * 3.0f);
    small[i] = q;
    back[i] = float(q) + float(__nv_fp8_e5m2(in[i]));
}

__global__ void quantize_rows(const __nv_bfloat16 *in, int8_t *out, float *scale, int n)
{
    __shared__ float most[4];
    const __nv_bfloat16 *row = in + blockIdx.x * n;
    float m = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        m = fmaxf(m, fabsf(__bfloat162float(row[i])));
    for (int d = 16; d > 0; d /= 2)
        m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, d));
    if (threadIdx.x % 32 == 0)
        most[threadIdx.x / 32] = m;
    __syncthreads();
    m = fmaxf(fmaxf(most[0], most[1]), fmaxf(most[2], most[3]));
    float s = m > 0 ? 127.0f / m : 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[blockIdx.x * n + i] = (int8_t)__float2int_rn(__bfloat162float(row[i]) * s);
    if (threadIdx.x == 0)
        scale[blockIdx.x] = s;
}

__global__ void dp4a_product(const int *a, const int *b, int *c, int n)
{
    __shared__ int sa[16][17], sb[16][17];
    int x = threadIdx.x, y = threadIdx.y, sum = 0;
    for (int k = 0; k < n; k += 16) {
        sa[y][x] = a[(blockIdx.y * 16 + y) * n + k + x];
        sb[y][x] = b[(blockIdx.x * 16 + y) * n + k + x];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++)
            sum = __dp4a(sa[y][i], sb[x][i], sum);
        __syncthreads();
    }
    c[(blockIdx.y * 16 + y) * gridDim.x * 16 + blockIdx.x * 16 + x] = sum;
}

__global__ void gelu_bfloat(const __nv_bfloat162 *in, __nv_bfloat162 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float2 v = __bfloat1622float2(in[i]);
        v.x = 0.5f * v.x * (1.0f + tanhf(0.79788456f * (v.x + 0.044715f * v.x * v.x * v.x)));
        v.y = 0.5f * v.y * (1.0f + erff(v.y * 0.70710678f));
        out[i] = __float22bfloat162_rn(v);
    }
}

__global__ void layer_norm(const float4 *x, const float4 *gamma, float4 *out, int n)
{
    float sum = 0, squares = 0;
    const float4 *row = x + (blockIdx.x * blockDim.y + threadIdx.y) * n;
    for (int i = threadIdx.x; i < n; i += 32) {
        float4 v = row[i];
        sum += v.x + v.y + v.z + v.w;
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
#pragma unroll
    for (int d = 16; d; d /= 2) {
        sum += __shfl_xor_sync(~0u, sum, d);
        squares += __shfl_xor_sync(~0u, squares, d);
    }
    float mean = sum / (4 * n), r = rsqrtf(squares / (4 * n) - mean * mean + 1e-5f);
    for (int i = threadIdx.x; i < n; i += 32) {
        float4 v = row[i], g = gamma[i];
        out[(blockIdx.x * blockDim.y + threadIdx.y) * n + i] =
            make_float4((v.x - mean) * r * g.x, (v.y - mean) * r * g.y, (v.z - mean) * r * g.z, (v.w - mean) * r * g.w);
    }
}

/* One query row for each warp: scores, a running softmax, values. */
__global__ void attention_online(const float *q, const float *k, const float *v, float *out, int keys)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    float mine = q[row * 32 + lane] * 0.17677669f, most = -INFINITY, total = 0, sum = 0;
    for (int j = 0; j < keys; j++) {
        float s = mine * k[j * 32 + lane];
        for (int d = 16; d > 0; d >>= 1)
            s += __shfl_xor_sync(0xffffffffu, s, d);
        float m = fmaxf(most, s), shrink = expf(most - m), p = expf(s - m);
        total = total * shrink + p;
        sum = sum * shrink + p * v[j * 32 + lane];
        most = m;
    }
    out[row * 32 + lane] = sum / total;
}

void run_tensors(void)
{
    const __half *h = (const __half *)d_in;
    float *const x = (float *)d_in, *const y = (float *)d_out;
    RUN(wmma_product, HALVES, wmma_product<<<dim3(1, 4), 128>>>(h, h + 8192, y, 64));
    RUN(wmma_through_shared, HALVES, wmma_through_shared<<<dim3(2, 2), 128>>>((__nv_bfloat16 *)d_in, (__nv_bfloat16 *)d_in + 4096, y, 64));
    RUN(mma_by_hand, HALVES, mma_by_hand<<<1, 32>>>(h, h + 2048, (__half *)d_out));
    RUN(wgmma_small, HALVES, wgmma_small<<<1, 128>>>(h, h + 4096, y));
    RUN(fp8_round, FLOATS, fp8_round<<<4, 128>>>(x, (__nv_fp8_e4m3 *)d_out, y + 4096, 500));
    RUN(quantize_rows, HALVES, quantize_rows<<<4, 128>>>((__nv_bfloat16 *)d_in, (int8_t *)d_out, y + 4096, 300));
    RUN(dp4a_product, WHOLE, dp4a_product<<<dim3(2, 2), dim3(16, 16)>>>((int *)d_in, (int *)d_in + 4096, (int *)d_out, 64));
    RUN(gelu_bfloat, HALVES, gelu_bfloat<<<4, 128>>>((__nv_bfloat162 *)d_in, (__nv_bfloat162 *)d_out, 500));
    RUN(layer_norm, FLOATS, layer_norm<<<4, dim3(32, 4)>>>((float4 *)d_in, (float4 *)d_in + 8000, (float4 *)d_out, 50));
    RUN(attention_online, FLOATS, attention_online<<<4, dim3(32, 2)>>>(x, x + 4096, x + 16384, y, 40));
}

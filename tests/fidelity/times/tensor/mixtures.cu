/* mixtures.cu - tensor cores beside sums of other kinds, copies that go on beside the work, bulk
 * stores; written and recorded before the model saw them. For sm_90a. */
#include "bulk.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> rows_of_a;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> rows_of_b;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> columns_of_b;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums_of_c;

/* --- products through wmma ------------------------------------------------------------------- */

/* 32 x 32 of C a block and a long sum: four warps take a quarter of it each. */
__global__ void long_sum(float *c, const __half *a, const __half *b, int n, int k_end)
{
    __shared__ float part[4][32][32];
    const int warp = threadIdx.x / 32, row0 = blockIdx.y * 32, column0 = blockIdx.x * 32;
    sums_of_c sum[2][2];
    for (int i = 0; i < 4; i++)
        wmma::fill_fragment(sum[i / 2][i % 2], 0.0f);
    for (int k = warp * (k_end / 4); k < (warp + 1) * (k_end / 4); k += 16) {
        rows_of_a fa[2];
        columns_of_b fb[2];
        for (int i = 0; i < 2; i++) {
            wmma::load_matrix_sync(fa[i], a + (row0 + i * 16) * k_end + k, k_end);
            wmma::load_matrix_sync(fb[i], b + (column0 + i * 16) * k_end + k, k_end);
        }
        for (int i = 0; i < 4; i++)
            wmma::mma_sync(sum[i / 2][i % 2], fa[i / 2], fb[i % 2], sum[i / 2][i % 2]);
    }
    for (int i = 0; i < 4; i++)
        wmma::store_matrix_sync(&part[warp][i / 2 * 16][i % 2 * 16], sum[i / 2][i % 2], 32,
                                wmma::mem_row_major);
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += 128)
        c[(row0 + i / 32) * n + column0 + i % 32] =
            part[0][i / 32][i % 32] + part[1][i / 32][i % 32] + part[2][i / 32][i % 32] +
            part[3][i / 32][i % 32];
}
static void run_long_sum(const struct times_io *io)
{
    const __half *a = (const __half *)io->halves;
    long_sum<<<dim3(4, 4), 128>>>(io->out, a, a + (HALVES / 2), 128, 8192);
}

/* Blocks of one warp split a sum and add what they have to C in memory. */
__global__ void split_sum(float *c, const __half *a, const __half *b, int n, int k_end)
{
    const int row0 = blockIdx.y * 16, column0 = blockIdx.x * 16, each = k_end / gridDim.z;
    __shared__ float part[16][16];
    sums_of_c sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = blockIdx.z * each; k < (int)(blockIdx.z + 1) * each; k += 16) {
        rows_of_a fa;
        rows_of_b fb;
        wmma::load_matrix_sync(fa, a + row0 * k_end + k, k_end);
        wmma::load_matrix_sync(fb, b + k * n + column0, n);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    wmma::store_matrix_sync(&part[0][0], sum, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < 256; i += 32)
        atomicAdd(&c[(row0 + i / 16) * n + column0 + i % 16], part[i / 16][i % 16]);
}
static void run_split_sum(const struct times_io *io)
{
    const __half *a = (const __half *)io->halves;
    split_sum<<<dim3(16, 16, 8), 32>>>((float *)io->counts, a, a + (HALVES / 2), 256, 4096);
}

/* A convolution of 3 x 3 over 64 channels, channels last: 16 pixels and 64 channels a warp. */
__global__ void convolve_wmma(float *out, const __half *picture, const __half *weights, int width)
{
    const int warp = GLOBAL_ID / 32, x0 = warp % 8 * 16, y = warp / 8;
    sums_of_c sum[4];
    for (int i = 0; i < 4; i++)
        wmma::fill_fragment(sum[i], 0.0f);
    for (int tap = 0; tap < 9; tap++)
        for (int k = 0; k < 64; k += 16) {
            rows_of_a pixels;
            wmma::load_matrix_sync(pixels,
                                   picture + ((y + tap / 3) * width + x0 + tap % 3) * 64 + k, 64);
            for (int i = 0; i < 4; i++) {
                rows_of_b w;
                wmma::load_matrix_sync(w, weights + (tap * 64 + k) * 64 + i * 16, 64);
                wmma::mma_sync(sum[i], pixels, w, sum[i]);
            }
        }
    for (int i = 0; i < 4; i++)
        wmma::store_matrix_sync(out + (y * 128 + x0) * 64 + i * 16, sum[i], 64,
                                wmma::mem_row_major);
}
static void run_convolve_wmma(const struct times_io *io)
{
    const __half *a = (const __half *)io->halves;
    convolve_wmma<<<256, 128>>>(io->out, a, a + (HALVES / 2), 136);
}

/* 16 queries a warp: scores of 64 keys through shared memory, a softmax of them, times values. */
__global__ void attend_in_turn(float *out, const __half *q, const __half *keys)
{
    __shared__ float score[4][16][68];
    __shared__ __align__(32) __half weight[4][16][72];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row0 = GLOBAL_ID / 32 * 16;
    const __half *key = keys + row0 / 256 * 4096;
    sums_of_c sum[4];
    for (int j = 0; j < 4; j++) {
        wmma::fill_fragment(sum[j], 0.0f);
        for (int k = 0; k < 64; k += 16) {
            rows_of_a fa;
            columns_of_b fb;
            wmma::load_matrix_sync(fa, q + row0 * 64 + k, 64);
            wmma::load_matrix_sync(fb, key + j * 16 * 64 + k, 64);
            wmma::mma_sync(sum[j], fa, fb, sum[j]);
        }
        wmma::store_matrix_sync(&score[warp][0][j * 16], sum[j], 68, wmma::mem_row_major);
    }
    __syncwarp();
    for (int r = 0; r < 16; r++) {
        const float p = __expf(score[warp][r][lane] * 0.125f);
        const float s = __expf(score[warp][r][lane + 32] * 0.125f);
        float all = p + s;
        for (int step = 16; step > 0; step /= 2)
            all += __shfl_xor_sync(~0u, all, step);
        weight[warp][r][lane] = __float2half(p / all);
        weight[warp][r][lane + 32] = __float2half(s / all);
    }
    __syncwarp();
    for (int j = 0; j < 4; j++) {
        wmma::fill_fragment(sum[j], 0.0f);
        for (int k = 0; k < 64; k += 16) {
            rows_of_a fa;
            rows_of_b fb;
            wmma::load_matrix_sync(fa, &weight[warp][0][k], 72);
            wmma::load_matrix_sync(fb, key + k * 64 + j * 16, 64);
            wmma::mma_sync(sum[j], fa, fb, sum[j]);
        }
        wmma::store_matrix_sync(out + row0 * 64 + j * 16, sum[j], 64, wmma::mem_row_major);
    }
}
static void run_attend_in_turn(const struct times_io *io)
{
    const __half *a = (const __half *)io->halves;
    attend_in_turn<<<528, 128>>>(io->out, a, a + (HALVES / 2));
}

/* --- products through mma -------------------------------------------------------------------- */

__device__ static void load_4(unsigned (&r)[4], const void *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(p)));
}

__device__ static void copy_16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from)
                 : "memory");
}

/* A layer: C = max(A B' + bias, 0), 64 x 128 a block, BF16 in and out, two stages by cp.async. */
__global__ void __launch_bounds__(128)
    layer_bf16(__nv_bfloat162 *c, const __nv_bfloat16 *a, const __nv_bfloat16 *b, int n, int k_end)
{
    __shared__ __align__(16) __nv_bfloat16 as[2][64][40], bs[2][128][40];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, wy = warp / 2 * 32, wx = warp % 2 * 64;
    float sum[2][8][4] = {};
    auto start = [&](int part) {
        if (part * 32 < k_end) {
            for (int i = t; i < 256; i += 128)
                copy_16(&as[part & 1][i / 4][i % 4 * 8],
                        a + (blockIdx.y * 64 + i / 4) * k_end + part * 32 + i % 4 * 8);
            for (int i = t; i < 512; i += 128)
                copy_16(&bs[part & 1][i / 4][i % 4 * 8],
                        b + (blockIdx.x * 128 + i / 4) * k_end + part * 32 + i % 4 * 8);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    start(0);
    for (int part = 0; part * 32 < k_end; part++) {
        start(part + 1);
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            unsigned fa[2][4], fb[4][4];
            for (int i = 0; i < 2; i++)
                load_4(fa[i], &as[part & 1][wy + i * 16 + lane % 16][k + lane / 16 * 8]);
            for (int j = 0; j < 4; j++)
                load_4(fb[j], &bs[part & 1][wx + j * 16 + lane % 16][k + lane / 16 * 8]);
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 8; j++)
                    asm volatile(
                        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                        "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                        : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]),
                          "+f"(sum[i][j][3])
                        : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]),
                          "r"(fb[j / 2][j % 2]), "r"(fb[j / 2][j % 2 + 2]));
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 8; j++)
            for (int e = 0; e < 2; e++) {
                const int row = blockIdx.y * 64 + wy + i * 16 + lane / 4 + e * 8;
                const int column = blockIdx.x * 128 + wx + j * 8 + lane % 4 * 2;
                c[(row * n + column) / 2] =
                    __floats2bfloat162_rn(fmaxf(sum[i][j][2 * e] * 1e-3f + column * 0.01f, 0.0f),
                                          fmaxf(sum[i][j][2 * e + 1] * 1e-3f + 0.5f, 0.0f));
            }
}
static void run_layer_bf16(const struct times_io *io)
{
    const __nv_bfloat16 *a = (const __nv_bfloat16 *)io->halves;
    layer_bf16<<<dim3(8, 16), 128>>>((__nv_bfloat162 *)io->out, a, a + (HALVES / 2), 1024, 2048);
}

/* Sums of rows of halves as products with ones: memory has most to do. */
__global__ void sums_by_products(float *out, const unsigned *a, int rows)
{
    const int lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
    for (int row0 = GLOBAL_ID / 32 * 16; row0 < rows; row0 += warps * 16) {
        float sum[4] = {};
        for (int k = 0; k < 64; k += 8) { /* words */
            const unsigned *p = a + (row0 + lane / 4) * 64 + k + lane % 4;
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                         "{%4, %5, %6, %7}, {%8, %8}, {%0, %1, %2, %3};"
                         : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                         : "r"(p[0]), "r"(p[512]), "r"(p[4]), "r"(p[516]), "r"(0x3c003c00));
        }
        if (lane % 4 == 0) {
            out[row0 + lane / 4] = sum[0];
            out[row0 + lane / 4 + 8] = sum[2];
        }
    }
}
static void run_sums_by_products(const struct times_io *io)
{
    sums_by_products<<<528, 128>>>(io->out, (const unsigned *)io->halves, 65536);
}

/* Complex numbers in FP64: 16 x 16 of C a warp, four real products each, parts from shared memory.
 */
__global__ void complex_doubles(double *c, const double *a, const double *b, int n)
{
    __shared__ double ar[16][18], ai[16][18], br[16][18], bi[16][18];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row0 = blockIdx.y * 16;
    const int column0 = blockIdx.x * 16, wy = warp / 2 * 8, wx = warp % 2 * 8;
    double real[2] = {}, imaginary[2] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = threadIdx.x; i < 256; i += 128) {
            const double2 p = ((const double2 *)a)[(row0 + i / 16) * n + k0 + i % 16];
            const double2 q = ((const double2 *)b)[(column0 + i / 16) * n + k0 + i % 16];
            ar[i / 16][i % 16] = p.x, ai[i / 16][i % 16] = p.y;
            br[i / 16][i % 16] = q.x, bi[i / 16][i % 16] = q.y;
        }
        __syncthreads();
        for (int k = 0; k < 16; k += 4) {
            const double x = ar[wy + lane / 4][k + lane % 4], y = ai[wy + lane / 4][k + lane % 4];
            const double u = br[wx + lane / 4][k + lane % 4], v = bi[wx + lane / 4][k + lane % 4];
#define MULTIPLY(s, p, q)                                                                          \
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" \
                 : "+d"(s[0]), "+d"(s[1])                                                          \
                 : "d"(p), "d"(q))
            MULTIPLY(real, x, u);
            MULTIPLY(imaginary, x, v);
            MULTIPLY(real, -y, v);
            MULTIPLY(imaginary, y, u);
        }
        __syncthreads();
    }
    for (int e = 0; e < 2; e++)
        ((double2 *)c)[(row0 + wy + lane / 4) * n + column0 + wx + lane % 4 * 2 + e] =
            make_double2(real[e], imaginary[e]);
}
static void run_complex_doubles(const struct times_io *io)
{
    complex_doubles<<<dim3(24, 24), 128>>>(io->dout, io->da, io->da + 1000000, 384);
}

/* --- warpgroups ------------------------------------------------------------------------------ */

/* 64 x 64 a block by wgmma, tiles of 64 halves a row put into shared memory by plain loads. */
__global__ void __launch_bounds__(128)
    wgmma_by_hand(float *c, const uint4 *a, const uint4 *b, int n, int k_end)
{
    __shared__ __align__(1024) uint4 as[64][8], bs[64][8];
    const int t = threadIdx.x, row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
    float s[32] = {};
    for (int k0 = 0; k0 < k_end / 8; k0 += 8) {
        for (int i = t; i < 512; i += 128) {
            const int row = i / 8, at = i % 8;
            as[row][at ^ (row & 7)] = a[(row0 + row) * (k_end / 8) + k0 + at];
            bs[row][at ^ (row & 7)] = b[(column0 + row) * (k_end / 8) + k0 + at];
        }
        asm volatile("fence.proxy.async;" ::: "memory");
        __syncthreads();
        const u64 of_a = describe(shared_address(as)), of_b = describe(shared_address(bs));
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#define EIGHT(i)                                                                                   \
    "+f"(s[i]), "+f"(s[i + 1]), "+f"(s[i + 2]), "+f"(s[i + 3]), "+f"(s[i + 4]), "+f"(s[i + 5]),    \
        "+f"(s[i + 6]), "+f"(s[i + 7])
#pragma unroll
        for (int k = 0; k < 4; k++)
            asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, "
                         "%5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "
                         "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, "
                         "1, 1, 1, 0, 0;"
                         : EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24)
                         : "l"(of_a + 2 * k), "l"(of_b + 2 * k));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        __syncthreads();
    }
    for (int v = 0; v < 32; v++)
        c[(row0 + t / 32 * 16 + t % 32 / 4 + v / 2 % 2 * 8) * n + column0 + v / 4 * 8 + t % 4 * 2 +
          v % 2] = s[v];
}
static void run_wgmma_by_hand(const struct times_io *io)
{
    wgmma_by_hand<<<dim3(20, 20), 128>>>(io->out, (const uint4 *)io->halves,
                                         (const uint4 *)io->halves + (1 << 18), 1280, 1024);
}

/* --- copies ---------------------------------------------------------------------------------- */

/* A line of 4 points either way, four pieces of 512 on their way. */
__global__ void ring_stencil(float *out, const float *a, int pieces)
{
    __shared__ __align__(16) float ring[4][512];
    const int t = threadIdx.x;
    const float *from = a + (size_t)blockIdx.x * pieces * 512;
    auto start = [&](int p) {
        if (p < pieces)
            copy_16(&ring[p & 3][t * 4], from + p * 512 + t * 4);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (int p = 0; p < 3; p++)
        start(p);
    for (int p = 0; p + 1 < pieces; p++) {
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        for (int i = t; i < 512; i += 128) {
            float sum = 0;
            for (int d = 0; d < 9; d++) {
                const int at = i + d;
                sum += ring[(p + at / 512) & 3][at & 511] * (d + 1);
            }
            out[(blockIdx.x * pieces + p) * 512 + i] = sum;
        }
        __syncthreads();
        start(p + 3);
    }
    for (int i = t; i < 512; i += 128)
        out[(blockIdx.x * pieces + pieces - 1) * 512 + i] = 0;
}
static void run_ring_stencil(const struct times_io *io)
{
    ring_stencil<<<400, 128>>>(io->out, io->a, 12);
}

/* A bag of words: 24 rows of 512 bytes from anywhere, eight on their way, added up. */
__global__ void bag_of_rows(float4 *out, const float4 *table, const int *words)
{
    __shared__ __align__(16) float4 got[8][128];
    const int t = threadIdx.x, lane = t % 32, bag = GLOBAL_ID / 32;
    float4 sum = make_float4(0, 0, 0, 0);
    auto start = [&](int r) {
        if (r < 24)
            copy_16(&got[r & 7][t], table + (words[bag * 24 + r] & 0x1ffff) * 32 + lane);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (int r = 0; r < 7; r++)
        start(r);
    for (int r = 0; r < 24; r++) {
        start(r + 7);
        asm volatile("cp.async.wait_group 7;" ::: "memory");
        const float4 v = got[r & 7][t];
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
    }
    out[bag * 32 + lane] = sum;
}
static void run_bag_of_rows(const struct times_io *io)
{
    bag_of_rows<<<500, 128>>>((float4 *)io->out, (const float4 *)io->a, io->index);
}

/* What a beginner writes: four bytes a thread by cp.async, and a wait for all right behind. */
__global__ void copy_and_wait(float *out, const float *a, int rounds)
{
    __shared__ float tile[256];
    const int t = threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        const size_t at = ((size_t)r * gridDim.x + blockIdx.x) * 256;
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n"
                     "cp.async.wait_all;" ::"r"(shared_address(&tile[t])),
                     "l"(a + at + t)
                     : "memory");
        __syncthreads();
        out[at + t] = tile[t] + 0.5f * tile[255 - t];
        __syncthreads();
    }
}
static void run_copy_and_wait(const struct times_io *io)
{
    copy_and_wait<<<1056, 256>>>(io->out, io->a, 10);
}

/* A pattern that bulk copies write from shared memory: memory is only written. */
__global__ void fill_bulk(float *out, int pieces)
{
    __shared__ __align__(128) float pattern[2048];
    for (int i = threadIdx.x; i < 2048; i += 128)
        pattern[i] = (float)(i * 3 + (int)blockIdx.x) * 0.25f;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    for (int p = 0; p < pieces; p++)
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                         out + ((size_t)p * gridDim.x + blockIdx.x) * 2048),
                     "r"(shared_address(pattern)), "r"(8192)
                     : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}
static void run_fill_bulk(const struct times_io *io) { fill_bulk<<<264, 128>>>(io->out, 16); }

const struct times_case mixture_cases[] = {
    {"long_sum", run_long_sum, IN_OUT, 128 * 128},
    {"split_sum", run_split_sum, IN_COUNTS, 256 * 256},
    {"convolve_wmma", run_convolve_wmma, IN_OUT, 128 * 128 * 64},
    {"attend_in_turn", run_attend_in_turn, IN_OUT, 528 * 64 * 64},
    {"layer_bf16", run_layer_bf16, IN_WORDS, 1024 * 512},
    {"sums_by_products", run_sums_by_products, IN_OUT, 65536},
    {"complex_doubles", run_complex_doubles, IN_DOUT, 384 * 384 * 2},
    {"wgmma_by_hand", run_wgmma_by_hand, IN_OUT, 1280 * 1280},
    {"ring_stencil", run_ring_stencil, IN_OUT, 400 * 12 * 512},
    {"bag_of_rows", run_bag_of_rows, IN_OUT, 2000 * 128},
    {"copy_and_wait", run_copy_and_wait, IN_OUT, 1056 * 2560},
    {"fill_bulk", run_fill_bulk, IN_OUT, 264 * 16 * 2048},
    {NULL, NULL, IN_OUT, 0}};

/* products.cu - products of matrices with loops of their own;
 * written and recorded before the model saw them. For sm_90a. */
#include "bulk.cuh"

#include <cuda_fp16.h>
#include <mma.h>

/* --- fragments and products ------------------------------------------------------------------ */

__device__ static void load_4(unsigned (&r)[4], const void *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(p)));
}

__device__ static void load_4_turned(unsigned (&r)[4], const void *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(p)));
}

#define PRODUCT(name, type, letter, text)                                                          \
    __device__ static void name(type(&c)[4], const unsigned(&a)[4], unsigned b0, unsigned b1)      \
    {                                                                                              \
        asm volatile("mma.sync.aligned." text " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "    \
                     "{%0, %1, %2, %3};"                                                           \
                     : "+" letter(c[0]), "+" letter(c[1]), "+" letter(c[2]), "+" letter(c[3])      \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));              \
    }
PRODUCT(of_halves, float, "f", "m16n8k16.row.col.f32.f16.f16.f32")
PRODUCT(of_bf16, float, "f", "m16n8k16.row.col.f32.bf16.bf16.f32")
PRODUCT(of_bytes, int, "r", "m16n8k32.row.col.s32.s8.s8.s32")
PRODUCT(of_tf32, float, "f", "m16n8k8.row.col.f32.tf32.tf32.f32")

/* --- products of matrices -------------------------------------------------------------------- */

/* 64 x 64 of C = A B' by four warps of 32 x 32; rows of 64 bytes in shared memory, padded; the next
 * part comes through registers. SUM tells bytes (int) from halves (float). */
template <typename SUM, int SPLIT>
__global__ void gemm_staged(SUM *c, const char *a, const char *b, int n, int row_bytes)
{
    __shared__ __align__(16) char as[64][80], bs[64][80];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, wy = warp / 2 * 32, wx = warp % 2 * 32;
    const char *from_a = a + (blockIdx.y * 64 + t / 2) * row_bytes + t % 2 * 32;
    const char *from_b = b + (blockIdx.x * 64 + t / 2) * row_bytes + t % 2 * 32;
    SUM sum[2][4][4] = {};
    for (int k0 = 0; k0 < row_bytes; k0 += 64) {
        const uint4 a0 = *(const uint4 *)(from_a + k0), a1 = *(const uint4 *)(from_a + k0 + 16);
        const uint4 b0 = *(const uint4 *)(from_b + k0), b1 = *(const uint4 *)(from_b + k0 + 16);
        __syncthreads();
        *(uint4 *)&as[t / 2][t % 2 * 32] = a0, *(uint4 *)&as[t / 2][t % 2 * 32 + 16] = a1;
        *(uint4 *)&bs[t / 2][t % 2 * 32] = b0, *(uint4 *)&bs[t / 2][t % 2 * 32 + 16] = b1;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 64; k += 32) {
            unsigned fa[2][4], fb[2][4];
            for (int i = 0; i < 2; i++) {
                load_4(fa[i], &as[wy + i * 16 + lane % 16][k + lane / 16 * 16]);
                load_4(fb[i], &bs[wx + i * 16 + lane % 16][k + lane / 16 * 16]);
            }
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 4; j++)
                    for (int s = 0; s < SPLIT; s++) {
                        if constexpr (sizeof(SUM) == 4 && SUM(0.5) == 0)
                            of_bytes(sum[i][j], fa[i], fb[j / 2][j % 2], fb[j / 2][j % 2 + 2]);
                        else
                            of_halves(sum[i][j], fa[s ? 1 - i : i], fb[j / 2][j % 2],
                                      fb[j / 2][j % 2 + 2]);
                    }
        }
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            for (int e = 0; e < 4; e++)
                c[(blockIdx.y * 64 + wy + i * 16 + lane / 4 + e / 2 * 8) * n + blockIdx.x * 64 +
                  wx + j * 8 + lane % 4 * 2 + e % 2] = sum[i][j][e];
}
static void run_staged_halves(const struct times_io *io)
{
    gemm_staged<float, 1><<<dim3(16, 16), 128>>>(io->out, (const char *)io->halves,
                                                 (const char *)io->halves + (1 << 21), 1024, 2048);
}
static void run_staged_halves_twice(const struct times_io *io)
{
    gemm_staged<float, 2><<<dim3(32, 20), 128>>>(io->out, (const char *)io->halves,
                                                 (const char *)io->halves + (1 << 22), 2048, 2048);
}
static void run_staged_bytes(const struct times_io *io)
{
    gemm_staged<int, 1><<<dim3(24, 24), 128>>>((int *)io->out, (const char *)io->halves,
                                               (const char *)io->halves + (1 << 22), 1536, 1024);
}

/* 128 x 64 of C = A B by eight warps; STAGES parts of 32 come by cp.async, B is turned on the way.
 */
template <int STAGES>
__global__ void gemm_async(float *c, const __half *a, const __half *b, int n, int k_end)
{
    __shared__ __align__(16) __half as[STAGES][128][40], bs[STAGES][32][72];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, wy = warp / 2 * 32, wx = warp % 2 * 32;
    const int row0 = blockIdx.y * 128, column0 = blockIdx.x * 64;
    float sum[2][4][4] = {};
    auto copy = [](void *to, const void *from) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)),
                     "l"(from)
                     : "memory");
    };
    auto start = [&](int part) {
        if (part * 32 < k_end) {
            const int stage = part % STAGES;
            for (int i = t; i < 512; i += 256)
                copy(&as[stage][i / 4][i % 4 * 8],
                     &a[(row0 + i / 4) * k_end + part * 32 + i % 4 * 8]);
            copy(&bs[stage][t / 8][t % 8 * 8], &b[(part * 32 + t / 8) * n + column0 + t % 8 * 8]);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (int i = 0; i < STAGES - 1; i++)
        start(i);
    for (int part = 0; part * 32 < k_end; part++) {
        const int stage = part % STAGES;
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        start(part + STAGES - 1);
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            unsigned fa[2][4], fb[2][4];
            for (int i = 0; i < 2; i++) {
                load_4(fa[i], &as[stage][wy + i * 16 + lane % 16][k + lane / 16 * 8]);
                load_4_turned(fb[i], &bs[stage][k + lane % 16][wx + i * 16 + lane / 16 * 8]);
            }
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 4; j++)
                    of_bf16(sum[i][j], fa[i], fb[j / 2][j % 2 * 2], fb[j / 2][j % 2 * 2 + 1]);
        }
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            for (int e = 0; e < 4; e += 2)
                *(float2 *)&c[(row0 + wy + i * 16 + lane / 4 + e * 4) * n + column0 + wx + j * 8 +
                              lane % 4 * 2] = make_float2(sum[i][j][e], sum[i][j][e + 1]);
}
static void run_async_2(const struct times_io *io)
{
    gemm_async<2><<<dim3(16, 8), 256>>>(io->out, (const __half *)io->halves,
                                        (const __half *)io->halves + (1 << 20), 1024, 1024);
}
static void run_async_3(const struct times_io *io)
{
    gemm_async<3><<<dim3(25, 20), 256>>>(io->out, (const __half *)io->halves,
                                         (const __half *)io->halves + (1 << 22), 1600, 1024);
}

/* TF32, 64 x 32 of C a block of four warps, fragments word by word from padded shared memory. */
__global__ void gemm_words(float *c, const float *a, const float *b, int n, int k_end)
{
    __shared__ unsigned as[64][36], bs[32][36];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < k_end; k0 += 32) {
        for (int i = t; i < 2048; i += 128)
            as[i / 32][i % 32] =
                __float_as_uint(a[(blockIdx.y * 64 + i / 32) * k_end + k0 + i % 32]);
        for (int i = t; i < 1024; i += 128)
            bs[i / 32][i % 32] =
                __float_as_uint(b[(blockIdx.x * 32 + i / 32) * k_end + k0 + i % 32]);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k += 8) {
            const int r = warp * 16 + lane / 4, q = k + lane % 4;
            const unsigned fa[4] = {as[r][q], as[r + 8][q], as[r][q + 4], as[r + 8][q + 4]};
            for (int j = 0; j < 4; j++)
                of_tf32(sum[j], fa, bs[j * 8 + lane / 4][q], bs[j * 8 + lane / 4][q + 4]);
        }
        __syncthreads();
    }
    for (int j = 0; j < 4; j++)
        for (int e = 0; e < 4; e++)
            c[(blockIdx.y * 64 + warp * 16 + lane / 4 + e / 2 * 8) * n + blockIdx.x * 32 + j * 8 +
              lane % 4 * 2 + e % 2] = sum[j][e];
}
static void run_gemm_words(const struct times_io *io)
{
    gemm_words<<<dim3(24, 12), 128>>>(io->out, io->a, io->b, 768, 768);
}

/* Fragments straight from global memory, one warp a tile of 16 x 32. */
__global__ void gemm_straight(float *c, const unsigned *a, const unsigned *b, int n, int words)
{
    const int lane = threadIdx.x % 32, warp = GLOBAL_ID / 32, g = lane / 4, q = lane % 4;
    const int row = warp / (n / 32) * 16, column = warp % (n / 32) * 32;
    float sum[4][4] = {};
    for (int k = 0; k < words; k += 8) {
        const unsigned *p = a + (row + g) * words + k + q;
        const unsigned fa[4] = {p[0], p[8 * words], p[4], p[8 * words + 4]};
        for (int j = 0; j < 4; j++) {
            const unsigned *r = b + (column + j * 8 + g) * words + k + q;
            of_halves(sum[j], fa, r[0], r[4]);
        }
    }
    for (int j = 0; j < 4; j++)
        for (int e = 0; e < 4; e++)
            c[(row + g + e / 2 * 8) * n + column + j * 8 + q * 2 + e % 2] = sum[j][e];
}
static void run_gemm_straight(const struct times_io *io)
{
    gemm_straight<<<32 * 16 / 4, 128>>>(io->out, (const unsigned *)io->halves,
                                        (const unsigned *)io->halves + (1 << 18), 512, 256);
}

/* Doubles, 32 x 32 of C a block of four warps, through shared memory. */
__global__ void gemm_doubles(double *c, const double *a, const double *b, int n)
{
    __shared__ double as[32][18], bs[32][18];
    const int t = threadIdx.x, lane = t % 32, wy = t / 64 * 16, wx = t / 32 % 2 * 16;
    double sum[2][2][2] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = t; i < 512; i += 128) {
            as[i / 16][i % 16] = a[(blockIdx.y * 32 + i / 16) * n + k0 + i % 16];
            bs[i / 16][i % 16] = b[(blockIdx.x * 32 + i / 16) * n + k0 + i % 16];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k += 4)
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++)
                    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, "
                                 "{%3}, {%0, %1};"
                                 : "+d"(sum[i][j][0]), "+d"(sum[i][j][1])
                                 : "d"(as[wy + i * 8 + lane / 4][k + lane % 4]),
                                   "d"(bs[wx + j * 8 + lane / 4][k + lane % 4]));
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            *(double2 *)&c[(blockIdx.y * 32 + wy + i * 8 + lane / 4) * n + blockIdx.x * 32 + wx +
                           j * 8 + lane % 4 * 2] = make_double2(sum[i][j][0], sum[i][j][1]);
}
static void run_gemm_doubles(const struct times_io *io)
{
    gemm_doubles<<<dim3(18, 18), 128>>>(io->dout, io->da, io->da + (1 << 20), 576);
}

/* wmma, 32 x 64 of C a block of two warps, B column by column. */
__global__ void wmma_pairs(float *c, const __half *a, const __half *b, int n)
{
    using namespace nvcuda::wmma;
    __shared__ __align__(32) __half as[32][40], bs[64][40];
    const int t = threadIdx.x, warp = t / 32;
    fragment<accumulator, 16, 16, 16, float> sum[2][2];
    for (int i = 0; i < 4; i++)
        fill_fragment(sum[i / 2][i % 2], 0.0f);
    for (int k0 = 0; k0 < n; k0 += 32) {
        for (int i = t; i < 384; i += 64) {
            const int r = i / 4, q = i % 4 * 8;
            const uint4 v = r < 32 ? *(const uint4 *)&a[(blockIdx.y * 32 + r) * n + k0 + q]
                                   : *(const uint4 *)&b[(blockIdx.x * 64 + r - 32) * n + k0 + q];
            *(uint4 *)(r < 32 ? &as[r][q] : &bs[r - 32][q]) = v;
        }
        __syncthreads();
        for (int k = 0; k < 32; k += 16) {
            fragment<matrix_a, 16, 16, 16, __half, row_major> of_a[2];
            fragment<matrix_b, 16, 16, 16, __half, col_major> of_b;
            for (int i = 0; i < 2; i++)
                load_matrix_sync(of_a[i], &as[16 * i][k], 40);
            for (int j = 0; j < 2; j++) {
                load_matrix_sync(of_b, &bs[warp * 32 + 16 * j][k], 40);
                for (int i = 0; i < 2; i++)
                    mma_sync(sum[i][j], of_a[i], of_b, sum[i][j]);
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        store_matrix_sync(c + (blockIdx.y * 32 + i / 2 * 16) * n + blockIdx.x * 64 + warp * 32 +
                              i % 2 * 16,
                          sum[i / 2][i % 2], n, mem_row_major);
}
static void run_wmma_pairs(const struct times_io *io)
{
    wmma_pairs<<<dim3(12, 24), 64>>>(io->out, (const __half *)io->halves,
                                     (const __half *)io->halves + (1 << 20), 768);
}

/* --- products and what is done with them ----------------------------------------------------- */

/* Sixteen questions a warp to KEYS keys of 64: products, exponentials, products. */
__global__ void attend(float *out, const __half *keys, int rounds)
{
    __shared__ __align__(16) __half ks[64][72];
    const int t = threadIdx.x, lane = t % 32;
    unsigned q[4][4];
    float o[8][4] = {}, total = 0;
    for (int i = 0; i < 16; i++)
        q[i / 4][i % 4] = ((const unsigned *)keys)[(GLOBAL_ID * 16 + i) % (HALVES / 2)];
    for (int round = 0; round < rounds; round++) {
        __syncthreads();
        for (int i = t; i < 512; i += 128)
            *(uint4 *)&ks[i / 8][i % 8 * 8] =
                *(const uint4 *)&keys[(blockIdx.x % 8 * rounds + round) * 4096 + i * 8];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 4; j++) { /* sixteen keys */
            float s[2][4] = {};
            for (int k = 0; k < 4; k++) {
                unsigned fb[4];
                load_4(fb, &ks[j * 16 + lane % 16][k * 16 + lane / 16 * 8]);
                of_halves(s[0], q[k], fb[0], fb[2]);
                of_halves(s[1], q[k], fb[1], fb[3]);
            }
            unsigned p[4];
            for (int e = 0; e < 4; e++) {
                const float x = __expf(s[e / 2][e % 2 * 2] * 0.25f);
                const float y = __expf(s[e / 2][e % 2 * 2 + 1] * 0.25f);
                const __half2 h = __floats2half2_rn(x, y);
                total += x + y;
                p[e] = *(const unsigned *)&h;
            }
            for (int k = 0; k < 4; k++) {
                unsigned fv[4];
                load_4_turned(fv, &ks[j * 16 + lane % 16][k * 16 + lane / 16 * 8]);
                of_halves(o[2 * k], p, fv[0], fv[1]);
                of_halves(o[2 * k + 1], p, fv[2], fv[3]);
            }
        }
    }
    float sum = 0;
    for (int i = 0; i < 32; i++)
        sum += o[i / 4][i % 4];
    out[GLOBAL_ID] = sum / total;
}
static void run_attend(const struct times_io *io)
{
    attend<<<264, 128>>>(io->out, (const __half *)io->halves, 16);
}

/* One warp an SM; each product waits for the last. */
__global__ void one_chain(float *out, const unsigned *in, int rounds)
{
    const unsigned a[4] = {in[GLOBAL_ID], in[GLOBAL_ID + 32], in[GLOBAL_ID + 64],
                           in[GLOBAL_ID + 96]};
    float sum[4] = {};
    for (int r = 0; r < rounds; r++)
        of_halves(sum, a, in[GLOBAL_ID + 128], a[1]);
    out[GLOBAL_ID] = sum[0] + sum[1] + sum[2] + sum[3];
}
static void run_one_chain(const struct times_io *io)
{
    one_chain<<<132, 32>>>(io->out, (const unsigned *)io->halves, 600);
}

/* A product's sums are scaled by other pipes before the next one. */
__global__ void scaled_products(float *out, const unsigned *in, int rounds)
{
    const unsigned a[4] = {in[GLOBAL_ID], in[GLOBAL_ID + 32], in[GLOBAL_ID + 64],
                           in[GLOBAL_ID + 96]};
    float sum[3][4] = {};
    for (int r = 0; r < rounds; r++)
        for (int c = 0; c < 3; c++) {
            of_tf32(sum[c], a, a[c], a[c + 1]);
            for (int e = 0; e < 4; e++)
                sum[c][e] = sum[c][e] * 0.75f + 0.25f;
        }
    out[GLOBAL_ID] = sum[0][0] + sum[1][1] + sum[2][2];
}
static void run_scaled_products(const struct times_io *io)
{
    scaled_products<<<396, 128>>>(io->out, (const unsigned *)io->halves, 200);
}

const struct times_case product_cases[] = {
    {"staged_halves", run_staged_halves, IN_OUT, 1 << 20},
    {"staged_halves_twice", run_staged_halves_twice, IN_OUT, 1280 * 2048},
    {"staged_bytes", run_staged_bytes, IN_WORDS, 1536 * 1536},
    {"async_2", run_async_2, IN_OUT, 1 << 20},
    {"async_3", run_async_3, IN_OUT, 2560 * 1600},
    {"gemm_words", run_gemm_words, IN_OUT, 768 * 768},
    {"gemm_straight", run_gemm_straight, IN_OUT, 256 * 512},
    {"gemm_doubles", run_gemm_doubles, IN_DOUT, 576 * 576},
    {"wmma_pairs", run_wmma_pairs, IN_OUT, 768 * 768},
    {"attend", run_attend, IN_OUT, 264 * 128},
    {"one_chain", run_one_chain, IN_OUT, 132 * 32},
    {"scaled_products", run_scaled_products, IN_OUT, 396 * 128},
    {NULL, NULL, IN_OUT, 0}};

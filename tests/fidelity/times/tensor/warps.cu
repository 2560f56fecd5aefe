/* warps.cu - tensor cores, a warp at a time: products of registers, ldmatrix, and products of
 * matrices through shared memory. Compiled with ../main.cu and -DTIMES_TENSOR. */
#include "times.h"

#include <cuda_fp16.h>
#include <mma.h>

/* --- products of registers ------------------------------------------------------------------- */

struct of_f16 {
    __device__ static void multiply(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[4])
    {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};

struct of_bf16_k8 {
    __device__ static void multiply(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[4])
    {
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 "
                     "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(b[0]));
    }
};

struct of_tf32 {
    __device__ static void multiply(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[4])
    {
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};

struct of_f16_sparse {
    __device__ static void multiply(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[4])
    {
        asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, "
                     "%12, 0;"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]),
                       "r"(b[3]), "r"(0x4e4e4e4e));
    }
};

struct of_s8 {
    __device__ static void multiply(float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[4])
    {
        int c[4];
        for (int i = 0; i < 4; i++)
            c[i] = __float_as_int(sum[i]) & 0x3fffffff;
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        for (int i = 0; i < 4; i++)
            sum[i] = __int_as_float(c[i] & 0x3fffffff);
    }
};

/* CHAINS sums that do not wait for each other. */
template <class KIND, int CHAINS>
__global__ void products(float *out, const unsigned *in, int rounds)
{
    float sum[CHAINS][4] = {};
    unsigned a[4], b[4];
    for (int i = 0; i < 4; i++) {
        a[i] = in[8 * GLOBAL_ID + i];
        b[i] = in[8 * GLOBAL_ID + 4 + i];
    }
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int chain = 0; chain < CHAINS; chain++)
            KIND::multiply(sum[chain], a, b);
    float total = 0;
    for (int chain = 0; chain < CHAINS; chain++)
        total += sum[chain][0] + sum[chain][1] + sum[chain][2] + sum[chain][3];
    out[GLOBAL_ID] = total;
}

/* Doubles: 8 x 8 x 4. */
template <int CHAINS> __global__ void products_double(float *out, const double *in, int rounds)
{
    double sum[CHAINS][2] = {}, a = in[2 * GLOBAL_ID], b = in[2 * GLOBAL_ID + 1];
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int chain = 0; chain < CHAINS; chain++)
            asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 "
                         "{%0, %1}, {%2}, {%3}, {%0, %1};"
                         : "+d"(sum[chain][0]), "+d"(sum[chain][1])
                         : "d"(a), "d"(b));
    double total = 0;
    for (int chain = 0; chain < CHAINS; chain++)
        total += sum[chain][0] + sum[chain][1];
    out[GLOBAL_ID] = (float)total;
}

#define PRODUCTS(name, KIND, CHAINS, blocks, threads, rounds)                                      \
    static void run_##name(const struct times_io *io)                                              \
    {                                                                                              \
        products<KIND, CHAINS>                                                                     \
            <<<blocks, threads>>>(io->out, (const unsigned *)io->halves, rounds);                  \
    }
PRODUCTS(mma_f16_full, of_f16, 8, 264, 256, 250)
PRODUCTS(mma_f16_chain, of_f16, 1, 132, 128, 700)
PRODUCTS(mma_f16_two_chains, of_f16, 2, 132, 256, 400)
PRODUCTS(mma_bf16_k8, of_bf16_k8, 6, 264, 256, 300)
PRODUCTS(mma_tf32_full, of_tf32, 8, 264, 256, 200)
PRODUCTS(mma_tf32_chain, of_tf32, 1, 264, 64, 600)
PRODUCTS(mma_sparse, of_f16_sparse, 8, 264, 256, 200)
PRODUCTS(mma_s8, of_s8, 4, 264, 256, 200)
static void run_mma_double(const struct times_io *io)
{
    products_double<4><<<264, 256>>>(io->out, io->da, 250);
}
static void run_mma_double_chain(const struct times_io *io)
{
    products_double<1><<<132, 128>>>(io->out, io->da, 500);
}

/* --- ldmatrix ----------------------------------------------------------------------------------
 */

__device__ static unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ static void load_4(unsigned (&r)[4], unsigned from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from));
}

__device__ static void load_2_turned(unsigned (&r)[2], unsigned from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(from));
}

/* --- products of matrices ----------------------------------------------------------------------
 */

/* A warp 16 x 16 of C, straight from global memory. */
__global__ void gemm_wmma(float *c, const half *a, const half *b, int n)
{
    using namespace nvcuda::wmma;
    const int warp = GLOBAL_ID / 32, row = warp / (n / 16) * 16, column = warp % (n / 16) * 16;
    fragment<matrix_a, 16, 16, 16, half, row_major> of_a;
    fragment<matrix_b, 16, 16, 16, half, row_major> of_b;
    fragment<accumulator, 16, 16, 16, float> sum;
    fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += 16) {
        load_matrix_sync(of_a, a + row * n + k, n);
        load_matrix_sync(of_b, b + k * n + column, n);
        mma_sync(sum, of_a, of_b, sum);
    }
    store_matrix_sync(c + row * n + column, sum, n, mem_row_major);
}
static void run_gemm_wmma(const struct times_io *io)
{
    gemm_wmma<<<512 * 512 / 256 / 4, 128>>>(io->out, (const half *)io->halves,
                                            (const half *)io->halves + 512 * 512, 512);
}

/* Four warps 64 x 64 of C, through shared memory. */
__global__ void gemm_wmma_shared(float *c, const half *a, const half *b, int n)
{
    using namespace nvcuda::wmma;
    __shared__ __align__(32) half as[64][40], bs[32][72];
    const int warp = threadIdx.x / 32, row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
    fragment<accumulator, 16, 16, 16, float> sum[2][2];
    for (int i = 0; i < 4; i++)
        fill_fragment(sum[i / 2][i % 2], 0.0f);
    for (int k0 = 0; k0 < n; k0 += 32) {
        for (int i = threadIdx.x; i < 256; i += 128) {
            *(uint4 *)&as[i / 4][i % 4 * 8] =
                *(const uint4 *)&a[(row0 + i / 4) * n + k0 + i % 4 * 8];
            *(uint4 *)&bs[i / 8][i % 8 * 8] =
                *(const uint4 *)&b[(k0 + i / 8) * n + column0 + i % 8 * 8];
        }
        __syncthreads();
        for (int k = 0; k < 32; k += 16) {
            fragment<matrix_a, 16, 16, 16, half, row_major> of_a[2];
            fragment<matrix_b, 16, 16, 16, half, row_major> of_b[2];
            for (int i = 0; i < 2; i++) {
                load_matrix_sync(of_a[i], &as[warp / 2 * 32 + 16 * i][k], 40);
                load_matrix_sync(of_b[i], &bs[k][warp % 2 * 32 + 16 * i], 72);
            }
            for (int i = 0; i < 4; i++)
                mma_sync(sum[i / 2][i % 2], of_a[i / 2], of_b[i % 2], sum[i / 2][i % 2]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        store_matrix_sync(c + (row0 + warp / 2 * 32 + i / 2 * 16) * n + column0 + warp % 2 * 32 +
                              i % 2 * 16,
                          sum[i / 2][i % 2], n, mem_row_major);
}
static void run_gemm_wmma_shared(const struct times_io *io)
{
    gemm_wmma_shared<<<dim3(16, 16), 128>>>(io->out, (const half *)io->halves,
                                            (const half *)io->halves + 1024 * 1024, 1024);
}

/* 16 bytes from global to shared memory, beside the threads. */
__device__ static void copy_16(unsigned to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

/* Where the 16 bytes `piece` of a row of 64 bytes (A) or 256 (B) lie. */
template <bool SWIZZLED> __device__ static unsigned a_place(int row, int piece)
{
    return row * 64 + (SWIZZLED ? piece ^ row / 2 % 4 : piece) * 16;
}
template <bool SWIZZLED, int COLUMNS> __device__ static unsigned b_place(int k, int piece)
{
    return k * COLUMNS * 2 + (SWIZZLED ? piece ^ k % 8 : piece) * 16;
}

/* TILE x TILE of C with a warp for each 32 x TILE / 2 of it; 32 steps of k in each of STAGES
 * buffers. */
template <int TILE, int STAGES, bool SWIZZLED>
__global__ void __launch_bounds__(TILE * 2)
    gemm_mma(float *c, const half *a, const half *b, int n, int k_end)
{
    enum { THREADS = TILE * 2, PART = TILE * 64, COLUMNS = TILE / 2 };
    __shared__ __align__(128) char room[STAGES][2 * PART];
    const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE, lane = threadIdx.x % 32;
    const int warp_row = threadIdx.x / 64 * 32, warp_column = threadIdx.x / 32 % 2 * COLUMNS;
    float sum[2][COLUMNS / 8][4] = {};
    auto bring = [&](int stage, int k0) {
        const unsigned to = shared_address(room[stage]);
        for (int i = threadIdx.x; i < TILE * 4 && k0 < k_end; i += THREADS) {
            const int k = i / (TILE / 8), piece = i % (TILE / 8);
            copy_16(to + a_place<SWIZZLED>(i / 4, i % 4), a + (row0 + i / 4) * n + k0 + i % 4 * 8);
            copy_16(to + PART + b_place<SWIZZLED, TILE>(k, piece),
                    b + (k0 + k) * n + column0 + piece * 8);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (int stage = 0; stage < STAGES - 1; stage++)
        bring(stage, 32 * stage);
    for (int k0 = 0; k0 < k_end; k0 += 32) {
        const int stage = k0 / 32 % STAGES;
        if (STAGES == 1)
            bring(0, k0);
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES > 1 ? STAGES - 2 : 0) : "memory");
        __syncthreads();
        if (STAGES > 1)
            bring((stage + STAGES - 1) % STAGES, k0 + 32 * (STAGES - 1));
        const unsigned from = shared_address(room[stage]);
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            unsigned of_a[2][4], of_b[2];
            for (int i = 0; i < 2; i++)
                load_4(of_a[i],
                       from + a_place<SWIZZLED>(warp_row + 16 * i + lane % 16, k / 8 + lane / 16));
#pragma unroll
            for (int j = 0; j < COLUMNS / 8; j++) {
                load_2_turned(of_b,
                              from + PART +
                                  b_place<SWIZZLED, TILE>(k + lane % 16, warp_column / 8 + j));
                for (int i = 0; i < 2; i++) {
                    unsigned of_four[4] = {of_b[0], of_b[1], 0, 0};
                    of_f16::multiply(sum[i][j], of_a[i], of_four);
                }
            }
        }
        if (STAGES == 1)
            __syncthreads();
    }
#pragma unroll
    for (int v = 0; v < COLUMNS / 2; v++) {
        const int i = v % 2, lower = v / 2 % 2, j = v / 4;
        const int row = row0 + warp_row + 16 * i + 8 * lower + lane / 4;
        const int column = column0 + warp_column + 8 * j + lane % 4 * 2;
        *(float2 *)&c[row * n + column] =
            make_float2(sum[i][j][2 * lower], sum[i][j][2 * lower + 1]);
    }
}

#define GEMM(name, TILE, STAGES, SWIZZLED, n, k)                                                   \
    static void run_##name(const struct times_io *io)                                              \
    {                                                                                              \
        const half *a = (const half *)io->halves;                                                  \
        gemm_mma<TILE, STAGES, SWIZZLED>                                                           \
            <<<dim3(n / TILE, n / TILE), TILE * 2>>>(io->out, a, a + n * n, n, k);                 \
    }
GEMM(gemm_mma_64, 64, 2, true, 1024, 1024)
GEMM(gemm_mma_64_one_buffer, 64, 1, true, 1024, 1024)
GEMM(gemm_mma_64_conflicts, 64, 2, false, 1024, 1024)
GEMM(gemm_mma_64_three_buffers, 64, 3, true, 512, 512)
GEMM(gemm_mma_128, 128, 2, true, 2048, 1024)
GEMM(gemm_mma_128_small, 128, 2, true, 1024, 1024)
GEMM(gemm_mma_128_thin, 128, 2, true, 2048, 128)

/* Near e^s for small s, and the same everywhere. */
__device__ static float exponential(float s) { return fmaf(fmaf(s, 0.5f, 1.0f), s, 1.0f); }

/* Scores of 16 queries a warp with 256 keys of 64 numbers, their exponentials, times the values. */
__global__ void attention_mma(float *out, const half *q, const half *keys, const half *values)
{
    const int lane = threadIdx.x % 32, warp = GLOBAL_ID / 32, g = lane / 4, t = lane % 4;
    const half *own = q + warp * 16 * 64;
    float result[8][4] = {}, total[2] = {};
    for (int block = 0; block < 256; block += 16) {
        float score[2][4] = {};
        for (int k = 0; k < 64; k += 16) {
            const unsigned a[4] = {*(const unsigned *)&own[g * 64 + k + 2 * t],
                                   *(const unsigned *)&own[(g + 8) * 64 + k + 2 * t],
                                   *(const unsigned *)&own[g * 64 + k + 2 * t + 8],
                                   *(const unsigned *)&own[(g + 8) * 64 + k + 2 * t + 8]};
            for (int j = 0; j < 2; j++) {
                const half *key = keys + (block + 8 * j + g) * 64 + k + 2 * t;
                const unsigned b[4] = {*(const unsigned *)key, *(const unsigned *)(key + 8), 0, 0};
                of_f16::multiply(score[j], a, b);
            }
        }
        unsigned p[4];
        for (int i = 0; i < 4; i++) {
            float *s = &score[i / 2][i % 2 * 2];
            const half2 weights = __floats2half2_rn(exponential(s[0] / 64), exponential(s[1] / 64));
            total[i % 2] += __low2float(weights) + __high2float(weights);
            p[i] = *(const unsigned *)&weights;
        }
        for (int j = 0; j < 8; j++) {
            const half *value = values + (8 * j + g) * 256 + block + 2 * t;
            const unsigned b[4] = {*(const unsigned *)value, *(const unsigned *)(value + 8), 0, 0};
            of_f16::multiply(result[j], p, b);
        }
    }
    for (int j = 0; j < 8; j++)
        for (int e = 0; e < 4; e++)
            out[(warp * 16 + g + e / 2 * 8) * 64 + 8 * j + 2 * t + e % 2] =
                result[j][e] / total[e / 2];
}
static void run_attention_mma(const struct times_io *io)
{
    const half *h = (const half *)io->halves;
    attention_mma<<<512, 128>>>(io->out, h, h + (1 << 21), h + (1 << 22));
}

const struct times_case tensor_cases[] = {
    {"mma_f16_full", run_mma_f16_full, IN_OUT, 264 * 256},
    {"mma_f16_chain", run_mma_f16_chain, IN_OUT, 132 * 128},
    {"mma_f16_two_chains", run_mma_f16_two_chains, IN_OUT, 132 * 256},
    {"mma_bf16_k8", run_mma_bf16_k8, IN_OUT, 264 * 256},
    {"mma_tf32_full", run_mma_tf32_full, IN_OUT, 264 * 256},
    {"mma_tf32_chain", run_mma_tf32_chain, IN_OUT, 264 * 64},
    {"mma_sparse", run_mma_sparse, IN_OUT, 264 * 256},
    {"mma_s8", run_mma_s8, IN_OUT, 264 * 256},
    {"mma_double", run_mma_double, IN_OUT, 264 * 256},
    {"mma_double_chain", run_mma_double_chain, IN_OUT, 132 * 128},
    {"gemm_wmma", run_gemm_wmma, IN_OUT, 512 * 512},
    {"gemm_wmma_shared", run_gemm_wmma_shared, IN_OUT, 1024 * 1024},
    {"gemm_mma_64", run_gemm_mma_64, IN_OUT, 1024 * 1024},
    {"gemm_mma_64_one_buffer", run_gemm_mma_64_one_buffer, IN_OUT, 1024 * 1024},
    {"gemm_mma_64_conflicts", run_gemm_mma_64_conflicts, IN_OUT, 1024 * 1024},
    {"gemm_mma_64_three_buffers", run_gemm_mma_64_three_buffers, IN_OUT, 512 * 512},
    {"gemm_mma_128", run_gemm_mma_128, IN_OUT, 2048 * 2048},
    {"gemm_mma_128_small", run_gemm_mma_128_small, IN_OUT, 1024 * 1024},
    {"gemm_mma_128_thin", run_gemm_mma_128_thin, IN_OUT, 2048 * 2048},
    {"attention_mma", run_attention_mma, IN_OUT, 512 * 4 * 16 * 64},
    {NULL, NULL, IN_OUT, 0}};

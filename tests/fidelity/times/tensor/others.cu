/* others.cu - further kernels of tensor cores and bulk engines, recorded before the model saw them:
 * other types, shapes, occupancies and ways to wait than in warps.cu and warpgroups.cu. For
 * sm_90a. */
#include "bulk.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

/* --- products of registers ------------------------------------------------------------------- */

#define FOUR            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
#define FOUR_OF_TWO     "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
#define SUMS(letter, c) "+" letter(c[0]), "+" letter(c[1]), "+" letter(c[2]), "+" letter(c[3])

/* A kind of product: its operands are those of the chain, so no two chains have the same. */
#define KIND(name, type, letter, text)                                                             \
    struct name {                                                                                  \
        typedef type sum;                                                                          \
        __device__ static void multiply(type (&c)[4], const unsigned *a, const unsigned *b)        \
        {                                                                                          \
            asm volatile(text FOUR                                                                 \
                         : SUMS(letter, c)                                                         \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));      \
        }                                                                                          \
    }
#define SMALL_KIND(name, type, letter, text)                                                       \
    struct name {                                                                                  \
        typedef type sum;                                                                          \
        __device__ static void multiply(type (&c)[4], const unsigned *a, const unsigned *b)        \
        {                                                                                          \
            asm volatile(text FOUR_OF_TWO : SUMS(letter, c) : "r"(a[0]), "r"(a[1]), "r"(b[0]));    \
        }                                                                                          \
    }

KIND(of_bf16, float, "f", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 ");
KIND(of_e4m3, float, "f", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 ");
KIND(of_s8_alone, int, "r", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 ");
KIND(of_u4, int, "r", "mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32 ");
KIND(of_s4, int, "r", "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 ");
KIND(of_b1_and, int, "r", "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc ");
KIND(of_b1_xor, int, "r", "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc ");
SMALL_KIND(of_tf32_k4, float, "f", "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 ");
SMALL_KIND(of_s8_k16, int, "r", "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 ");

struct of_f16_sums {
    typedef unsigned sum;
    __device__ static void multiply(unsigned (&c)[4], const unsigned *a, const unsigned *b)
    {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
                     "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
                     : "+r"(c[0]), "+r"(c[1])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};

struct of_s8_sparse {
    typedef int sum;
    __device__ static void multiply(int (&c)[4], const unsigned *a, const unsigned *b)
    {
        asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, "
                     "%12, 0;"
                     : SUMS("r", c)
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]),
                       "r"(b[3]), "r"(0x44444444));
    }
};

__device__ static float to_float(float v) { return v; }
__device__ static float to_float(int v) { return (float)(v % 4096); }
__device__ static float to_float(unsigned v) { return (float)(v % 4096); }

/* CHAINS sums that do not wait for each other. Operands of a chain begin a register behind those of
 * the one before: the machine wants those of each product side by side, so it moves them about. */
template <class KIND, int CHAINS>
__global__ void chains(float *out, const unsigned *in, unsigned mask, int rounds)
{
    typename KIND::sum sum[CHAINS][4] = {};
    unsigned a[4 + CHAINS], b[4 + CHAINS];
    for (int i = 0; i < 4 + CHAINS; i++) {
        a[i] = in[(GLOBAL_ID * 3 + i * 32) % (HALVES / 2)] & mask;
        b[i] = in[(GLOBAL_ID * 5 + i * 32 + 7) % (HALVES / 2)] & mask;
    }
#pragma unroll 2
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int chain = 0; chain < CHAINS; chain++)
            KIND::multiply(sum[chain], a + chain, b + chain);
    float total = 0;
    for (int chain = 0; chain < CHAINS; chain++)
        for (int i = 0; i < 4; i++)
            total += to_float(sum[chain][i]);
    out[GLOBAL_ID] = total;
}

/* Doubles, 16 x 8 x 16. */
template <int CHAINS> __global__ void chains_double(float *out, const double *in, int rounds)
{
    double sum[CHAINS][4] = {}, a[8], b[4];
    for (int i = 0; i < 8; i++)
        a[i] = in[8 * GLOBAL_ID % DOUBLES + i];
    for (int i = 0; i < 4; i++)
        b[i] = in[4 * GLOBAL_ID % DOUBLES + i];
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int chain = 0; chain < CHAINS; chain++)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
                         "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, "
                         "{%0, %1, %2, %3};"
                         : SUMS("d", sum[chain])
                         : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]),
                           "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
    double total = 0;
    for (int chain = 0; chain < CHAINS; chain++)
        total += sum[chain][0] + sum[chain][1] + sum[chain][2] + sum[chain][3];
    out[GLOBAL_ID] = (float)total;
}

#define CHAINS(name, KIND, chain_count, blocks, threads, mask, rounds)                             \
    static void run_##name(const struct times_io *io)                                              \
    {                                                                                              \
        chains<KIND, chain_count>                                                                  \
            <<<blocks, threads>>>(io->out, (const unsigned *)io->halves, mask, rounds);            \
    }
CHAINS(mma_bf16_three, of_bf16, 3, 264, 128, ~0u, 400)
CHAINS(mma_e4m3_own, of_e4m3, 4, 132, 256, 0x3f3f3f3f, 150)
CHAINS(mma_s8_alone, of_s8_alone, 4, 264, 256, ~0u, 250)
CHAINS(mma_s8_k16, of_s8_k16, 2, 396, 128, ~0u, 400)
CHAINS(mma_u4, of_u4, 2, 132, 128, ~0u, 200)
CHAINS(mma_s4, of_s4, 2, 264, 64, ~0u, 60)
CHAINS(mma_b1_and, of_b1_and, 3, 264, 192, ~0u, 300)
CHAINS(mma_b1_xor, of_b1_xor, 2, 132, 256, ~0u, 100)
CHAINS(mma_tf32_k4, of_tf32_k4, 4, 132, 512, ~0u, 250)
CHAINS(mma_f16_sums, of_f16_sums, 4, 132, 384, ~0u, 250)
CHAINS(mma_s8_sparse, of_s8_sparse, 3, 264, 256, ~0u, 200)
static void run_mma_double_k16(const struct times_io *io)
{
    chains_double<2><<<264, 128>>>(io->out, io->da, 60);
}

/* --- fragments -------------------------------------------------------------------------------- */

/* Sixteen-bit floats of bf16, each warp 32 x 8, straight from global memory. */
__global__ void wmma_bf16_tall(float *c, const __nv_bfloat16 *a, const __nv_bfloat16 *b, int n)
{
    using namespace nvcuda::wmma;
    const int warp = GLOBAL_ID / 32, row = warp / (n / 8) * 32, column = warp % (n / 8) * 8;
    fragment<matrix_a, 32, 8, 16, __nv_bfloat16, row_major> of_a;
    fragment<matrix_b, 32, 8, 16, __nv_bfloat16, col_major> of_b;
    fragment<accumulator, 32, 8, 16, float> sum;
    fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += 16) {
        load_matrix_sync(of_a, a + row * n + k, n);
        load_matrix_sync(of_b, b + column * n + k, n);
        mma_sync(sum, of_a, of_b, sum);
    }
    store_matrix_sync(c + row * n + column, sum, n, mem_row_major);
}
static void run_wmma_bf16_tall(const struct times_io *io)
{
    wmma_bf16_tall<<<512 * 512 / 256 / 8, 256>>>(io->out, (const __nv_bfloat16 *)io->halves,
                                                 (const __nv_bfloat16 *)io->halves + 512 * 512,
                                                 512);
}

/* Bytes, 64 x 64 of C a block of four warps, through shared memory. */
__global__ void wmma_bytes_shared(int *c, const signed char *a, const signed char *b, int n)
{
    using namespace nvcuda::wmma;
    __shared__ __align__(32) signed char as[64][80], bs[64][80];
    const int warp = threadIdx.x / 32, row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
    fragment<accumulator, 16, 16, 16, int> sum[4];
    for (int i = 0; i < 4; i++)
        fill_fragment(sum[i], 0);
    for (int k0 = 0; k0 < n; k0 += 64) {
        for (int i = threadIdx.x; i < 256; i += 128) {
            *(uint4 *)&as[i / 4][i % 4 * 16] =
                *(const uint4 *)&a[(row0 + i / 4) * n + k0 + i % 4 * 16];
            *(uint4 *)&bs[i / 4][i % 4 * 16] =
                *(const uint4 *)&b[(column0 + i / 4) * n + k0 + i % 4 * 16];
        }
        __syncthreads();
        for (int k = 0; k < 64; k += 16) {
            fragment<matrix_a, 16, 16, 16, signed char, row_major> of_a;
            fragment<matrix_b, 16, 16, 16, signed char, col_major> of_b;
            load_matrix_sync(of_a, &as[warp * 16][k], 80);
            for (int i = 0; i < 4; i++) {
                load_matrix_sync(of_b, &bs[16 * i][k], 80);
                mma_sync(sum[i], of_a, of_b, sum[i]);
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        store_matrix_sync(c + (row0 + warp * 16) * n + column0 + 16 * i, sum[i], n, mem_row_major);
}
static void run_wmma_bytes_shared(const struct times_io *io)
{
    wmma_bytes_shared<<<dim3(16, 16), 128>>>((int *)io->out, (const signed char *)io->halves,
                                             (const signed char *)io->halves + 1024 * 1024, 1024);
}

/* Doubles, each warp 8 x 8. */
__global__ void wmma_double(double *c, const double *a, const double *b, int n)
{
    using namespace nvcuda::wmma;
    const int warp = GLOBAL_ID / 32, row = warp / (n / 8) * 8, column = warp % (n / 8) * 8;
    fragment<matrix_a, 8, 8, 4, double, row_major> of_a;
    fragment<matrix_b, 8, 8, 4, double, col_major> of_b;
    fragment<accumulator, 8, 8, 4, double> sum;
    fill_fragment(sum, 0.0);
    for (int k = 0; k < n; k += 4) {
        load_matrix_sync(of_a, a + row * n + k, n);
        load_matrix_sync(of_b, b + column * n + k, n);
        mma_sync(sum, of_a, of_b, sum);
    }
    store_matrix_sync(c + row * n + column, sum, n, mem_row_major);
}
static void run_wmma_double(const struct times_io *io)
{
    wmma_double<<<256 * 256 / 64 / 4, 128>>>(io->dout, io->da, io->da + 256 * 256, 256);
}

/* --- products of matrices ----------------------------------------------------------------------
 */

__device__ static void copy_16(unsigned to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

/* C = A B', 128 x 64 of it a block of four warps; 64 steps of k in each of STAGES buffers, rows of
 * 128 bytes swizzled as a TMA would. */
template <int STAGES>
__global__ void __launch_bounds__(128)
    gemm_turned(float *c, const half *a, const half *b, int n, int k_end)
{
    enum { A_BYTES = 128 * 128, STAGE = A_BYTES + 64 * 128 };
    extern __shared__ __align__(1024) char shared[];
    const unsigned room = shared_address(shared);
    const int row0 = blockIdx.y * 128, column0 = blockIdx.x * 64, lane = threadIdx.x % 32;
    const int warp_row = threadIdx.x / 64 * 64, warp_column = threadIdx.x / 32 % 2 * 32;
    float sum[4][4][4] = {};
    auto bring = [&](int step) {
        const unsigned to = room + step % STAGES * STAGE;
        for (int i = threadIdx.x; i < 192 * 8 && step * 64 < k_end; i += 128) {
            const int row = i / 8, piece = i % 8;
            const half *from =
                row < 128 ? a + (row0 + row) * k_end : b + (column0 + row - 128) * k_end;
            copy_16(to + row * 128 + (piece ^ row % 8) * 16, from + step * 64 + piece * 8);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (int step = 0; step < STAGES - 1; step++)
        bring(step);
    for (int step = 0; step * 64 < k_end; step++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        bring(step + STAGES - 1);
        const unsigned from = room + step % STAGES * STAGE;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            unsigned of_a[4][4], of_b[2][4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int row = warp_row + 16 * i + lane % 16, piece = 2 * k + lane / 16;
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(of_a[i][0]), "=r"(of_a[i][1]), "=r"(of_a[i][2]),
                               "=r"(of_a[i][3])
                             : "r"(from + row * 128 + (piece ^ row % 8) * 16));
            }
#pragma unroll
            for (int j = 0; j < 2; j++) {
                const int row = 128 + warp_column + 16 * j + lane % 8 + lane / 16 * 8,
                          piece = 2 * k + lane / 8 % 2;
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(of_b[j][0]), "=r"(of_b[j][1]), "=r"(of_b[j][2]),
                               "=r"(of_b[j][3])
                             : "r"(from + row * 128 + (piece ^ row % 8) * 16));
            }
#pragma unroll
            for (int i = 0; i < 16; i++) {
                float *s = sum[i / 4][i % 4];
                const unsigned *l = of_a[i / 4], *r = &of_b[i % 4 / 2][i % 2 * 2];
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " FOUR
                             : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
                             : "r"(l[0]), "r"(l[1]), "r"(l[2]), "r"(l[3]), "r"(r[0]), "r"(r[1]));
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 32; i++) {
        const int row = row0 + warp_row + i / 8 * 16 + i / 4 % 2 * 8 + lane / 4;
        const int column = column0 + warp_column + i % 4 * 8 + lane % 4 * 2;
        const float *s = sum[i / 8][i % 4] + i / 4 % 2 * 2;
        *(float2 *)&c[row * n + column] = make_float2(s[0], s[1]);
    }
}
template <int STAGES>
static void gemm_turned_of(const struct times_io *io, unsigned m, unsigned n, unsigned k)
{
    const half *a = (const half *)io->halves;
    const unsigned bytes = STAGES * 192 * 128;
    CUDA_CHECK(cudaFuncSetAttribute((const void *)gemm_turned<STAGES>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    gemm_turned<STAGES>
        <<<dim3(n / 64, m / 128), 128, bytes>>>(io->out, a, a + m * k, (int)n, (int)k);
}
static void run_gemm_turned_2(const struct times_io *io)
{
    gemm_turned_of<2>(io, 1024, 1024, 1024);
}
static void run_gemm_turned_3(const struct times_io *io) { gemm_turned_of<3>(io, 2048, 1536, 512); }
static void run_gemm_turned_4(const struct times_io *io) { gemm_turned_of<4>(io, 512, 512, 2048); }

/* --- wgmma -------------------------------------------------------------------------------------
 */

#define R8(a, i)                                                                                   \
    "+f"(a[i]), "+f"(a[i + 1]), "+f"(a[i + 2]), "+f"(a[i + 3]), "+f"(a[i + 4]), "+f"(a[i + 5]),    \
        "+f"(a[i + 6]), "+f"(a[i + 7])
#define R32(a, i)   R8(a, i), R8(a, i + 8), R8(a, i + 16), R8(a, i + 24)
#define OPERANDS_16 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define OPERANDS_32                                                                                \
    OPERANDS_16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"

template <int N> struct bf16_of;
template <> struct bf16_of<32> {
    __device__ static void multiply(float (&s)[16], u64 a, u64 b)
    {
        asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {" OPERANDS_16
                     "}, %16, %17, 1, 1, 1, 0, 0;"
                     : R8(s, 0), R8(s, 8)
                     : "l"(a), "l"(b));
    }
};
struct fp8_of_64 {
    __device__ static void multiply(float (&s)[32], u64 a, u64 b)
    {
        asm volatile("wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e5m2 {" OPERANDS_32
                     "}, %32, %33, 1, 1, 1;"
                     : R32(s, 0)
                     : "l"(a), "l"(b));
    }
};
struct tf32_of_64 {
    __device__ static void multiply(float (&s)[32], u64 a, u64 b)
    {
        asm volatile("wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {" OPERANDS_32
                     "}, %32, %33, 1, 1, 1;"
                     : R32(s, 0)
                     : "l"(a), "l"(b));
    }
};

/* TOGETHER products a group; the next group is begun while LEFT are under way. */
template <class KIND, int SUMS, int TOGETHER, int LEFT>
__global__ void warpgroup_chains(float *out, const uint4 *in, unsigned mask, int groups)
{
    __shared__ __align__(1024) uint4 room[1024]; /* 64 rows of A, 64 columns of B */
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) {
        const uint4 v = in[i + blockIdx.x];
        room[i] = make_uint4(v.x & mask, v.y & mask, v.z & mask, v.w & mask);
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    const u64 a = describe(shared_address(room)), b = describe(shared_address(room) + 8192);
    float sum[SUMS] = {};
    for (int group = 0; group < groups; group++) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int i = 0; i < TOGETHER; i++)
            KIND::multiply(sum, a + i % 4 * 2, b + i % 4 * 2);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    float total = 0;
    for (int i = 0; i < SUMS; i++)
        total += sum[i];
    out[GLOBAL_ID] = total;
}
static void run_wgmma_narrow(const struct times_io *io)
{
    warpgroup_chains<bf16_of<32>, 16, 4, 0>
        <<<396, 128>>>(io->out, (const uint4 *)io->halves, ~0u, 100);
}
static void run_wgmma_fp8(const struct times_io *io)
{
    warpgroup_chains<fp8_of_64, 32, 4, 1>
        <<<132, 256>>>(io->out, (const uint4 *)io->halves, 0x3f3f3f3f, 150);
}
static void run_wgmma_tf32(const struct times_io *io)
{
    warpgroup_chains<tf32_of_64, 32, 2, 0>
        <<<132, 128>>>(io->out, (const uint4 *)io->halves, ~0u, 200);
}

/* --- bulk engines ------------------------------------------------------------------------------
 */

__device__ static void arrive(u64 *barrier)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
/* 128 x 64 of C = A B': a warp brings tiles, two warpgroups multiply, STAGES buffers between. */
template <int STAGES>
__global__ void __launch_bounds__(288)
    gemm_divided(float *c, const __grid_constant__ CUtensorMap a,
                 const __grid_constant__ CUtensorMap b, int n, int k_end)
{
    enum { A_BYTES = 128 * 128, BYTES = A_BYTES + 64 * 128 };
    extern __shared__ char dynamic[];
    __shared__ u64 full[STAGES], empty[STAGES];
    char *room = dynamic + (1024 - shared_address(dynamic) % 1024) % 1024;
    const int row0 = blockIdx.y * 128, column0 = blockIdx.x * 64, steps = k_end / 64;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            open(&full[i], 1);
            open(&empty[i], 2);
        }
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x >= 256) {
        for (int step = 0; step < steps && threadIdx.x == 256; step++) {
            const int stage = step % STAGES;
            if (step >= STAGES)
                wait(&empty[stage], (step / STAGES - 1) % 2);
            expect(&full[stage], BYTES);
            bring(room + stage * BYTES, &a, step * 64, row0, &full[stage]);
            bring(room + stage * BYTES + A_BYTES, &b, step * 64, column0, &full[stage]);
        }
        return;
    }
    const int warpgroup = threadIdx.x / 128;
    float sum[32] = {};
    for (int step = 0; step < steps; step++) {
        const int stage = step % STAGES;
        wait(&full[stage], step / STAGES % 2);
        const unsigned from = shared_address(room) + stage * BYTES;
        const u64 of_a = describe(from + warpgroup * 64 * 128), of_b = describe(from + A_BYTES);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int k = 0; k < 4; k++)
            asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" OPERANDS_32
                         "}, %32, %33, 1, 1, 1, 0, 0;"
                         : R32(sum, 0)
                         : "l"(of_a + 2 * k), "l"(of_b + 2 * k));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (threadIdx.x % 128 == 0)
            arrive(&empty[stage]);
    }
    const int lane = threadIdx.x % 32, row = row0 + threadIdx.x / 32 * 16 + lane / 4;
#pragma unroll
    for (int v = 0; v < 32; v += 2)
        *(float2 *)&c[(row + v / 2 % 2 * 8) * n + column0 + v / 4 * 8 + lane % 4 * 2] =
            make_float2(sum[v], sum[v + 1]);
}

template <int STAGES>
static void gemm_divided_of(const struct times_io *io, unsigned m, unsigned n, unsigned k)
{
    const half *a = (const half *)io->halves;
    const int bytes = STAGES * 192 * 128 + 1024;
    const CUtensorMap of_a = map_of(a, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, k, m, k * 2, 64, 128,
                                    CU_TENSOR_MAP_SWIZZLE_128B),
                      of_b = map_of(a + m * k, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, k, n, k * 2, 64, 64,
                                    CU_TENSOR_MAP_SWIZZLE_128B);
    CUDA_CHECK(cudaFuncSetAttribute((const void *)gemm_divided<STAGES>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    gemm_divided<STAGES>
        <<<dim3(n / 64, m / 128), 288, bytes>>>(io->out, of_a, of_b, (int)n, (int)k);
}
static void run_gemm_divided_4(const struct times_io *io)
{
    gemm_divided_of<4>(io, 1024, 1024, 1024);
}
static void run_gemm_divided_2(const struct times_io *io)
{
    gemm_divided_of<2>(io, 2048, 1024, 768);
}
static void run_gemm_divided_3(const struct times_io *io)
{
    gemm_divided_of<3>(io, 512, 256, 4096);
}

/* Sums of all a block brings, STAGES pieces under way. */
template <int STAGES>
__global__ void sum_bulk(float *out, const float *in, unsigned bytes, int pieces)
{
    extern __shared__ __align__(128) float pool[];
    __shared__ u64 full[STAGES];
    auto start = [&](int piece) {
        const size_t at = ((size_t)blockIdx.x * pieces + piece) * bytes;
        expect(&full[piece % STAGES], bytes);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1], %2, [%3];" ::"r"(shared_address(pool) + piece % STAGES * bytes),
                     "l"((const char *)in + at), "r"(bytes),
                     "r"(shared_address(&full[piece % STAGES]))
                     : "memory");
    };
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++)
            open(&full[i], 1);
        asm volatile("fence.proxy.async;" ::: "memory");
        for (int i = 0; i < STAGES && i < pieces; i++)
            start(i);
    }
    __syncthreads();
    float sum = 0;
    for (int piece = 0; piece < pieces; piece++) {
        wait(&full[piece % STAGES], piece / STAGES % 2);
        const float *from = pool + piece % STAGES * (bytes / 4);
        for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x)
            sum += from[i];
        __syncthreads();
        if (threadIdx.x == 0 && piece + STAGES < pieces)
            start(piece + STAGES);
    }
    out[GLOBAL_ID] = sum;
}
static void run_sum_bulk_2(const struct times_io *io)
{
    sum_bulk<2><<<264, 128, 2 * 4096>>>(io->out, io->a, 4096, 24);
}
static void run_sum_bulk_4(const struct times_io *io)
{
    CUDA_CHECK(cudaFuncSetAttribute((const void *)sum_bulk<4>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    sum_bulk<4><<<132, 256, 4 * 16384>>>(io->out, io->a, 16384, 20);
}

/* Tiles of 64 x 16 floats are doubled and stored by the engine. */
__global__ void double_tiles(const __grid_constant__ CUtensorMap in,
                             const __grid_constant__ CUtensorMap out)
{
    __shared__ __align__(128) float tile[16][64];
    __shared__ u64 full;
    if (threadIdx.x == 0) {
        open(&full, 1);
        asm volatile("fence.proxy.async;" ::: "memory");
        expect(&full, sizeof tile);
        bring(tile, &in, blockIdx.x * 64, blockIdx.y * 16, &full);
    }
    __syncthreads();
    wait(&full, 0);
    for (int i = threadIdx.x; i < 1024; i += 128)
        tile[i / 64][i % 64] *= 2;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], "
                     "[%3];\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::"l"(&out),
                     "r"(blockIdx.x * 64), "r"(blockIdx.y * 16), "r"(shared_address(tile))
                     : "memory");
    }
}
static void run_double_tiles(const struct times_io *io)
{
    const CUtensorMap in = map_of(io->a, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2048, 2048, 8192, 64, 16,
                                  CU_TENSOR_MAP_SWIZZLE_NONE),
                      out = map_of(io->out, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2048, 2048, 8192, 64,
                                   16, CU_TENSOR_MAP_SWIZZLE_NONE);
    double_tiles<<<dim3(32, 128), 128>>>(in, out);
}

const struct times_case other_cases[] = {
    {"mma_bf16_three", run_mma_bf16_three, IN_OUT, 264 * 128},
    {"mma_e4m3_own", run_mma_e4m3_own, IN_OUT, 132 * 256},
    {"mma_s8_alone", run_mma_s8_alone, IN_OUT, 264 * 256},
    {"mma_s8_k16", run_mma_s8_k16, IN_OUT, 396 * 128},
    {"mma_u4", run_mma_u4, IN_OUT, 132 * 128},
    {"mma_s4", run_mma_s4, IN_OUT, 264 * 64},
    {"mma_b1_and", run_mma_b1_and, IN_OUT, 264 * 192},
    {"mma_b1_xor", run_mma_b1_xor, IN_OUT, 132 * 256},
    {"mma_tf32_k4", run_mma_tf32_k4, IN_OUT, 132 * 512},
    {"mma_f16_sums", run_mma_f16_sums, IN_OUT, 132 * 384},
    {"mma_s8_sparse", run_mma_s8_sparse, IN_OUT, 264 * 256},
    {"mma_double_k16", run_mma_double_k16, IN_OUT, 264 * 128},
    {"wmma_bf16_tall", run_wmma_bf16_tall, IN_OUT, 512 * 512},
    {"wmma_bytes_shared", run_wmma_bytes_shared, IN_WORDS, 1024 * 1024},
    {"wmma_double", run_wmma_double, IN_DOUT, 256 * 256},
    {"gemm_turned_2", run_gemm_turned_2, IN_OUT, 1024 * 1024},
    {"gemm_turned_3", run_gemm_turned_3, IN_OUT, 2048 * 1536},
    {"gemm_turned_4", run_gemm_turned_4, IN_OUT, 512 * 512},
    {"wgmma_narrow", run_wgmma_narrow, IN_OUT, 396 * 128},
    {"wgmma_fp8", run_wgmma_fp8, IN_OUT, 132 * 256},
    {"wgmma_tf32", run_wgmma_tf32, IN_OUT, 132 * 128},
    {"gemm_divided_4", run_gemm_divided_4, IN_OUT, 1024 * 1024},
    {"gemm_divided_2", run_gemm_divided_2, IN_OUT, 2048 * 1024},
    {"gemm_divided_3", run_gemm_divided_3, IN_OUT, 512 * 256},
    {"sum_bulk_2", run_sum_bulk_2, IN_OUT, 264 * 128},
    {"sum_bulk_4", run_sum_bulk_4, IN_OUT, 132 * 256},
    {"double_tiles", run_double_tiles, IN_OUT, 2048 * 2048},
    {NULL, NULL, IN_OUT, 0}};

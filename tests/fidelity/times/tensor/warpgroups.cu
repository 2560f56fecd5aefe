/* warpgroups.cu - wgmma, and copies by the bulk engines: see warps.cu. For sm_90a. */
#include "bulk.cuh"

#include <cuda_fp16.h>

/* --- wgmma -------------------------------------------------------------------------------------
 */

#define R8(a, i)                                                                                   \
    "+f"(a[i]), "+f"(a[i + 1]), "+f"(a[i + 2]), "+f"(a[i + 3]), "+f"(a[i + 4]), "+f"(a[i + 5]),    \
        "+f"(a[i + 6]), "+f"(a[i + 7])
#define R32(a, i) R8(a, i), R8(a, i + 8), R8(a, i + 16), R8(a, i + 24)
#define OPERANDS_32                                                                                \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "   \
    "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define OPERANDS_64                                                                                \
    OPERANDS_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, "    \
                "%47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, " \
                "%63"

__device__ static void multiply(float (&sum)[64], u64 a, u64 b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" OPERANDS_64
                 "}, %64, %65, 1, 1, 1, 0, 0;"
                 : R32(sum, 0), R32(sum, 32)
                 : "l"(a), "l"(b));
}

__device__ static void multiply(float (&sum)[32], u64 a, u64 b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" OPERANDS_32
                 "}, %32, %33, 1, 1, 1, 0, 0;"
                 : R32(sum, 0)
                 : "l"(a), "l"(b));
}

__device__ static void multiply(float (&sum)[32], const unsigned (&a)[4], u64 b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" OPERANDS_32
                 "}, {%32, %33, %34, %35}, %36, 1, 1, 1, 0;"
                 : R32(sum, 0)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

#define FENCE  asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define COMMIT asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WAIT   asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory")

/* SUMS / 32 times 64 columns a warpgroup; TOGETHER products before they are waited for. */
template <int SUMS, bool REGISTERS, int TOGETHER>
__global__ void warpgroup_products(float *out, const uint4 *in, int groups)
{
    __shared__ __align__(1024) uint4 room[1536]; /* 64 rows of A, 128 columns of B */
    for (unsigned i = threadIdx.x; i < 1536; i += blockDim.x)
        room[i] = in[i];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    const u64 a = describe(shared_address(room)), b = describe(shared_address(room) + 8192);
    const unsigned own[4] = {in[threadIdx.x].x, in[threadIdx.x].y, in[threadIdx.x].z,
                             in[threadIdx.x].w};
    float sum[SUMS] = {};
    for (int group = 0; group < groups; group++) {
        FENCE;
#pragma unroll
        for (int i = 0; i < TOGETHER; i++) {
            if constexpr (REGISTERS)
                multiply(sum, own, b + i % 4 * 2);
            else
                multiply(sum, a + i % 4 * 2, b + i % 4 * 2);
        }
        COMMIT;
        WAIT;
    }
    float total = 0;
    for (int i = 0; i < SUMS; i++)
        total += sum[i];
    out[GLOBAL_ID] = total;
}

#define PRODUCTS(name, SUMS, REGISTERS, TOGETHER, blocks, threads, groups)                         \
    static void run_##name(const struct times_io *io)                                              \
    {                                                                                              \
        warpgroup_products<SUMS, REGISTERS, TOGETHER>                                              \
            <<<blocks, threads>>>(io->out, (const uint4 *)io->halves, groups);                     \
    }
PRODUCTS(wgmma_128, 64, false, 8, 264, 128, 50)
PRODUCTS(wgmma_128_two, 64, false, 8, 132, 256, 50)
PRODUCTS(wgmma_64, 32, false, 8, 264, 128, 100)
PRODUCTS(wgmma_64_each, 32, false, 1, 132, 128, 200)
PRODUCTS(wgmma_64_registers, 32, true, 8, 264, 128, 100)
PRODUCTS(wgmma_128_few, 64, false, 4, 40, 128, 100)

/* --- barriers in shared memory -----------------------------------------------------------------
 */

/* --- products of matrices ----------------------------------------------------------------------
 */

enum { TILE = 128, CHUNK = 64, PART = TILE * CHUNK * 2, STAGES = 4 };
enum { GEMM_BYTES = STAGES * 2 * PART + 1024 };

/* 128 x 128 of C = A B', two warpgroups; tiles come by the bulk engine, STAGES of them. */
__global__ void __launch_bounds__(256, 1)
    gemm_tma(float *c, const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
             int n, int k_end)
{
    extern __shared__ char shared[];
    __shared__ u64 full[STAGES];
    char *room = shared + (1024 - shared_address(shared) % 1024) % 1024;
    const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE, chunks = k_end / CHUNK;
    const int warpgroup = threadIdx.x / 128;
    float sum[64] = {};
    auto start = [&](int chunk) {
        const int stage = chunk % STAGES;
        expect(&full[stage], 2 * PART);
        bring(room + stage * 2 * PART, &a, chunk * CHUNK, row0, &full[stage]);
        bring(room + stage * 2 * PART + PART, &b, chunk * CHUNK, column0, &full[stage]);
    };
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++)
            open(&full[i], 1);
        asm volatile("fence.proxy.async;" ::: "memory");
        for (int i = 0; i < STAGES - 1 && i < chunks; i++)
            start(i);
    }
    __syncthreads();
    for (int chunk = 0; chunk < chunks; chunk++) {
        const int stage = chunk % STAGES;
        wait(&full[stage], chunk / STAGES % 2);
        const unsigned from = shared_address(room) + stage * 2 * PART;
        const u64 of_a = describe(from + warpgroup * 64 * 128), of_b = describe(from + PART);
        FENCE;
#pragma unroll
        for (int k = 0; k < 4; k++)
            multiply(sum, of_a + 2 * k, of_b + 2 * k);
        COMMIT;
        WAIT;
        __syncthreads();
        if (threadIdx.x == 0 && chunk + STAGES - 1 < chunks)
            start(chunk + STAGES - 1);
    }
    const int lane = threadIdx.x % 32, row = row0 + threadIdx.x / 32 * 16 + lane / 4;
#pragma unroll
    for (int v = 0; v < 64; v += 2)
        *(float2 *)&c[(row + v / 2 % 2 * 8) * n + column0 + v / 4 * 8 + lane % 4 * 2] =
            make_float2(sum[v], sum[v + 1]);
}

static void run_gemm(const struct times_io *io, unsigned n, unsigned k)
{
    const half *a = (const half *)io->halves;
    const CUtensorMap of_a = map_of(a, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, k, n, k * 2, CHUNK, TILE,
                                    CU_TENSOR_MAP_SWIZZLE_128B),
                      of_b = map_of(a + n * k, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, k, n, k * 2, CHUNK,
                                    TILE, CU_TENSOR_MAP_SWIZZLE_128B);
    CUDA_CHECK(cudaFuncSetAttribute((const void *)gemm_tma,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, GEMM_BYTES));
    gemm_tma<<<dim3(n / TILE, n / TILE), 256, GEMM_BYTES>>>(io->out, of_a, of_b, n, k);
}
static void run_gemm_tma_1024(const struct times_io *io) { run_gemm(io, 1024, 1024); }
static void run_gemm_tma_2048(const struct times_io *io) { run_gemm(io, 2048, 1024); }
static void run_gemm_tma_thin(const struct times_io *io) { run_gemm(io, 2048, 256); }
static void run_gemm_tma_deep(const struct times_io *io) { run_gemm(io, 512, 4096); }

/* --- copies ------------------------------------------------------------------------------------
 */

/* Each block `pieces` pieces, there and back, the next while one is stored. */
__global__ void copy_bulk(float *out, const float *in, unsigned bytes, int pieces)
{
    extern __shared__ __align__(128) char room[];
    __shared__ u64 full[2];
    if (threadIdx.x != 0)
        return;
    auto start = [&](int piece) {
        const size_t at = ((size_t)piece * gridDim.x + blockIdx.x) * bytes;
        expect(&full[piece % 2], bytes);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1], %2, [%3];" ::"r"(shared_address(room) + piece % 2 * bytes),
                     "l"((const char *)in + at), "r"(bytes), "r"(shared_address(&full[piece % 2]))
                     : "memory");
    };
    open(&full[0], 1);
    open(&full[1], 1);
    asm volatile("fence.proxy.async;" ::: "memory");
    start(0);
    for (int piece = 0; piece < pieces; piece++) {
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        if (piece + 1 < pieces)
            start(piece + 1);
        wait(&full[piece % 2], piece / 2 % 2);
        const size_t at = ((size_t)piece * gridDim.x + blockIdx.x) * bytes;
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
                     "cp.async.bulk.commit_group;" ::"l"((char *)out + at),
                     "r"(shared_address(room) + piece % 2 * bytes), "r"(bytes)
                     : "memory");
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
static void run_copy_bulk(const struct times_io *io)
{
    copy_bulk<<<512, 32, 16384>>>(io->out, io->a, 8192, 8);
}
static void run_copy_bulk_small(const struct times_io *io)
{
    copy_bulk<<<1024, 32, 4096>>>(io->out, io->a, 2048, 8);
}
static void run_copy_bulk_large(const struct times_io *io)
{
    CUDA_CHECK(cudaFuncSetAttribute((const void *)copy_bulk,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    copy_bulk<<<264, 32, 65536>>>(io->out, io->a, 32768, 4);
}

/* Tiles of 32 x 32 floats, turned over. */
__global__ void transpose_tma(float *out, const __grid_constant__ CUtensorMap in, int n)
{
    __shared__ __align__(128) float room[32][32];
    __shared__ u64 full;
    if (threadIdx.x == 0) {
        open(&full, 1);
        asm volatile("fence.proxy.async;" ::: "memory");
        expect(&full, sizeof room);
        bring(room, &in, blockIdx.x * 32, blockIdx.y * 32, &full);
    }
    __syncthreads();
    wait(&full, 0);
    for (int row = threadIdx.x / 32; row < 32; row += 8)
        out[(blockIdx.x * 32 + row) * n + blockIdx.y * 32 + threadIdx.x % 32] =
            room[threadIdx.x % 32][row];
}
static void run_transpose_tma(const struct times_io *io)
{
    const CUtensorMap map = map_of(io->a, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1024, 1024, 4096, 32, 32,
                                   CU_TENSOR_MAP_SWIZZLE_NONE);
    transpose_tma<<<dim3(32, 32), 256>>>(io->out, map, 1024);
}

/* Sums of rows of 64 floats, tiles of 64 rows. */
__global__ void row_sums_tma(float *out, const __grid_constant__ CUtensorMap in, int tiles)
{
    __shared__ __align__(128) float room[2][64][64];
    __shared__ u64 full[2];
    auto start = [&](int tile) {
        expect(&full[tile % 2], sizeof room[0]);
        bring(room[tile % 2], &in, 0, (tile * gridDim.x + blockIdx.x) * 64, &full[tile % 2]);
    };
    if (threadIdx.x == 0) {
        open(&full[0], 1);
        open(&full[1], 1);
        asm volatile("fence.proxy.async;" ::: "memory");
        start(0);
    }
    __syncthreads();
    for (int tile = 0; tile < tiles; tile++) {
        if (threadIdx.x == 0 && tile + 1 < tiles)
            start(tile + 1);
        wait(&full[tile % 2], tile / 2 % 2);
        float sum = 0;
        for (int i = 0; i < 64; i++)
            sum += room[tile % 2][threadIdx.x][(i + threadIdx.x) % 64];
        out[(tile * gridDim.x + blockIdx.x) * 64 + threadIdx.x] = sum;
        __syncthreads();
    }
}
static void run_row_sums_tma(const struct times_io *io)
{
    const CUtensorMap map = map_of(io->a, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 64, 1 << 17, 256, 64, 64,
                                   CU_TENSOR_MAP_SWIZZLE_NONE);
    row_sums_tma<<<512, 64>>>(io->out, map, 4);
}

const struct times_case warpgroup_cases[] = {
    {"wgmma_128", run_wgmma_128, IN_OUT, 264 * 128},
    {"wgmma_128_two", run_wgmma_128_two, IN_OUT, 132 * 256},
    {"wgmma_64", run_wgmma_64, IN_OUT, 264 * 128},
    {"wgmma_64_each", run_wgmma_64_each, IN_OUT, 132 * 128},
    {"wgmma_64_registers", run_wgmma_64_registers, IN_OUT, 264 * 128},
    {"wgmma_128_few", run_wgmma_128_few, IN_OUT, 40 * 128},
    {"gemm_tma_1024", run_gemm_tma_1024, IN_OUT, 1024 * 1024},
    {"gemm_tma_2048", run_gemm_tma_2048, IN_OUT, 2048 * 2048},
    {"gemm_tma_thin", run_gemm_tma_thin, IN_OUT, 2048 * 2048},
    {"gemm_tma_deep", run_gemm_tma_deep, IN_OUT, 512 * 512},
    {"copy_bulk", run_copy_bulk, IN_OUT, 512 * 8 * 2048},
    {"copy_bulk_small", run_copy_bulk_small, IN_OUT, 1024 * 8 * 512},
    {"copy_bulk_large", run_copy_bulk_large, IN_OUT, 264 * 4 * 8192},
    {"transpose_tma", run_transpose_tma, IN_OUT, 1024 * 1024},
    {"row_sums_tma", run_row_sums_tma, IN_OUT, 1 << 17},
    {NULL, NULL, IN_OUT, 0}};

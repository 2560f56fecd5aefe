/* pipelines.cu - wgmma, bulk copies, clusters and copies that go on beside the work; written and
 * recorded before the model saw them. For sm_90a. */
#include "bulk.cuh"

#include <cuda_fp16.h>

/* --- warpgroups ------------------------------------------------------------------------------ */

#define EIGHT(a, i)                                                                                \
    "+f"(a[i]), "+f"(a[i + 1]), "+f"(a[i + 2]), "+f"(a[i + 3]), "+f"(a[i + 4]), "+f"(a[i + 5]),    \
        "+f"(a[i + 6]), "+f"(a[i + 7])

/* 64 x 32 of sums a warpgroup. */
__device__ static void multiply(float (&s)[16], u64 a, u64 b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, "
                 "%7, %8, %9, %10, %11, %12, %13, %14, %15}, %16, %17, 1, 1, 1, 0, 0;"
                 : EIGHT(s, 0), EIGHT(s, 8)
                 : "l"(a), "l"(b));
}

__device__ static void arrive(u64 *barrier)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/* C = A B', 64 x 32 a block: one warp brings the tiles, a warpgroup multiplies; three stages. */
template <int STAGES>
__global__ void __launch_bounds__(160)
    gemm_divided(float *c, const __grid_constant__ CUtensorMap a,
                 const __grid_constant__ CUtensorMap b, int n, int k_end)
{
    enum { A_BYTES = 64 * 128, B_BYTES = 32 * 128, BYTES = A_BYTES + B_BYTES };
    __shared__ __align__(1024) char room[STAGES * BYTES];
    __shared__ u64 full[STAGES], empty[STAGES];
    const int t = threadIdx.x, row0 = blockIdx.y * 64, column0 = blockIdx.x * 32;
    if (t == 0) {
        for (int i = 0; i < STAGES; i++) {
            open(&full[i], 1);
            open(&empty[i], 128);
        }
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    __syncthreads();
    if (t >= 128) {
        if (t == 128)
            for (int chunk = 0; chunk < k_end / 64; chunk++) {
                const int stage = chunk % STAGES;
                if (chunk >= STAGES)
                    wait(&empty[stage], (chunk / STAGES - 1) & 1);
                expect(&full[stage], BYTES);
                bring(room + stage * BYTES, &a, chunk * 64, row0, &full[stage]);
                bring(room + stage * BYTES + A_BYTES, &b, chunk * 64, column0, &full[stage]);
            }
        return;
    }
    float sum[16] = {};
    for (int chunk = 0; chunk < k_end / 64; chunk++) {
        const int stage = chunk % STAGES;
        wait(&full[stage], chunk / STAGES & 1);
        const u64 of_a = describe(shared_address(room) + stage * BYTES);
        const u64 of_b = describe(shared_address(room) + stage * BYTES + A_BYTES);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int k = 0; k < 4; k++)
            multiply(sum, of_a + 2 * k, of_b + 2 * k);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        arrive(&empty[stage]);
    }
    for (int i = 0; i < 16; i++)
        c[(row0 + t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8) * n + column0 + i / 4 * 8 + t % 4 * 2 +
          i % 2] = sum[i];
}
template <int STAGES> static void run_divided(const struct times_io *io, int m, int n, int k)
{
    const __half *a = (const __half *)io->halves, *b = a + (HALVES / 2);
    gemm_divided<STAGES><<<dim3(n / 32, m / 64), 160>>>(
        io->out,
        map_of(a, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, k, m, k * 2, 64, 64, CU_TENSOR_MAP_SWIZZLE_128B),
        map_of(b, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, k, n, k * 2, 64, 32, CU_TENSOR_MAP_SWIZZLE_128B),
        n, k);
}
static void run_divided_2(const struct times_io *io) { run_divided<2>(io, 1024, 512, 1024); }
static void run_divided_3(const struct times_io *io) { run_divided<3>(io, 2048, 1024, 2048); }

/* --- bulk copies ----------------------------------------------------------------------------- */

__device__ static void bring_row(void *to, const void *from, unsigned bytes, u64 *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

/* Rows of 4 KB in and, scaled, out again, each by one bulk copy: two buffers, few blocks. */
__global__ void scale_rows(float *out, const float *a, int rows)
{
    __shared__ __align__(128) float row[2][1024];
    __shared__ u64 full[2];
    const int t = threadIdx.x;
    if (t == 0) {
        open(&full[0], 1);
        open(&full[1], 1);
        asm volatile("fence.proxy.async;" ::: "memory");
        expect(&full[0], 4096);
        bring_row(row[0], a + blockIdx.x * 1024, 4096, &full[0]);
    }
    __syncthreads();
    int k = 0;
    for (int r = blockIdx.x; r < rows; r += gridDim.x, k++) {
        if (t == 0 && r + (int)gridDim.x < rows) {
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
            expect(&full[(k + 1) & 1], 4096);
            bring_row(row[(k + 1) & 1], a + (r + gridDim.x) * 1024, 4096, &full[(k + 1) & 1]);
        }
        wait(&full[k & 1], k / 2 & 1);
        for (int x = t; x < 1024; x += 128)
            row[k & 1][x] = row[k & 1][x] * 2 + 1;
        asm volatile("fence.proxy.async;" ::: "memory");
        __syncthreads();
        if (t == 0) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 4096;" ::"l"(
                             out + r * 1024),
                         "r"(shared_address(row[k & 1]))
                         : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
    }
    if (t == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
static void run_scale_rows(const struct times_io *io)
{
    scale_rows<<<264, 128>>>(io->out, io->a, 4096);
}

/* A stencil over tiles of 64 x 16 and their rim that the tensor engine brings. */
__global__ void stencil_tiles(float *out, const __grid_constant__ CUtensorMap a, int width)
{
    __shared__ __align__(128) float tile[18][68];
    __shared__ u64 full;
    const int tx = threadIdx.x % 64, ty = threadIdx.x / 64;
    if (threadIdx.x == 0) {
        open(&full, 1);
        asm volatile("fence.proxy.async;" ::: "memory");
        expect(&full, sizeof tile);
        bring(tile, &a, blockIdx.x * 64, blockIdx.y * 16, &full);
    }
    __syncthreads();
    wait(&full, 0);
    for (int y = ty; y < 16; y += 4)
        out[(blockIdx.y * 16 + y) * width + blockIdx.x * 64 + tx] =
            0.25f * (tile[y][tx + 1] + tile[y + 2][tx + 1] + tile[y + 1][tx] + tile[y + 1][tx + 2]);
}
static void run_stencil_tiles(const struct times_io *io)
{
    stencil_tiles<<<dim3(16, 64), 256>>>(io->out,
                                         map_of(io->a, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1032, 1032,
                                                1032 * 4, 68, 18, CU_TENSOR_MAP_SWIZZLE_NONE),
                                         1024);
}

/* --- copies by cp.async ---------------------------------------------------------------------- */

/* Each block counts letters of 8 KB pieces; the next piece is on its way. */
__global__ void count_pieces(unsigned *counts, const float *a, int pieces)
{
    __shared__ __align__(16) float piece[2][2048];
    __shared__ unsigned count[128];
    const int t = threadIdx.x;
    auto start = [&](int p) {
        if (p < pieces)
            for (int i = t; i < 512; i += 128)
                asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(
                                 shared_address(&piece[p & 1][i * 4])),
                             "l"(a + (p * gridDim.x + blockIdx.x) * 2048 + i * 4)
                             : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    count[t] = 0;
    start(0);
    for (int p = 0; p < pieces; p++) {
        start(p + 1);
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        for (int i = t; i < 2048; i += 128)
            atomicAdd(&count[(unsigned)(piece[p & 1][i] * 128)], 1);
        __syncthreads();
    }
    atomicAdd(&counts[t], count[t]);
}
static void run_count_pieces(const struct times_io *io)
{
    count_pieces<<<264, 128>>>(io->counts, io->a, 6);
}

/* Words of four bytes gathered into shared memory beside the sum of those before. */
__global__ void gather_async(float *out, const float *a, const int *index, int rounds)
{
    __shared__ float got[3][256];
    const int t = threadIdx.x;
    float sum = 0;
    auto start = [&](int r) {
        if (r < rounds)
            asm volatile(
                "cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&got[r % 3][t])),
                "l"(a + index[(r * gridDim.x + blockIdx.x) * 256 + t])
                : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    start(0);
    start(1);
    for (int r = 0; r < rounds; r++) {
        start(r + 2);
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        sum = sum * 0.5f + got[r % 3][t];
    }
    out[blockIdx.x * 256 + t] = sum;
}
static void run_gather_async(const struct times_io *io)
{
    gather_async<<<396, 256>>>(io->out, io->a, io->index, 12);
}

/* --- clusters -------------------------------------------------------------------------------- */

__device__ static void meet()
{
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

__device__ static float read_from(const float *p, unsigned rank)
{
    unsigned there;
    float v;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(there)
                 : "r"(shared_address(p)), "r"(rank));
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(there) : "memory");
    return v;
}

/* Four blocks hold a row of 8192; each adds what the others have at its places. */
__global__ void __cluster_dims__(4) add_over_cluster(float *out, const float *a)
{
    __shared__ float part[2048];
    const int t = threadIdx.x;
    for (int i = t; i < 2048; i += 256)
        part[i] = a[blockIdx.x * 2048 + i];
    meet();
    for (int i = blockIdx.x % 4 * 512 + t; i < (int)(blockIdx.x % 4 + 1) * 512; i += 256) {
        float sum = 0;
        for (unsigned rank = 0; rank < 4; rank++)
            sum += read_from(&part[i], rank);
        out[blockIdx.x / 4 * 2048 + i] = sum;
    }
    meet();
}
static void run_add_over_cluster(const struct times_io *io)
{
    add_over_cluster<<<2048, 256>>>(io->out, io->a);
}

/* A smoothing whose rims come from the neighbours' shared memory, eight rounds. */
__global__ void __cluster_dims__(2) smooth_with_neighbour(float *out, const float *a, int rounds)
{
    __shared__ float line[2][258];
    const int t = threadIdx.x;
    const unsigned other = (blockIdx.x & 1) ^ 1;
    line[0][t + 1] = a[blockIdx.x * 256 + t];
    meet();
    for (int r = 0; r < rounds; r++) {
        const int from = r & 1;
        if (t < 2) {
            const float v = read_from(&line[from][t == 0 ? 256 : 1], other);
            line[from][t == 0 ? 0 : 257] = v;
        }
        __syncthreads();
        line[1 - from][t + 1] =
            0.5f * line[from][t + 1] + 0.25f * (line[from][t] + line[from][t + 2]);
        meet();
    }
    out[blockIdx.x * 256 + t] = line[rounds & 1][t + 1];
}
static void run_smooth_with_neighbour(const struct times_io *io)
{
    smooth_with_neighbour<<<1056, 256>>>(io->out, io->a, 8);
}

const struct times_case pipeline_cases[] = {
    {"divided_2", run_divided_2, IN_OUT, 1024 * 512},
    {"divided_3", run_divided_3, IN_OUT, 2048 * 1024},
    {"scale_rows", run_scale_rows, IN_OUT, 4096 * 1024},
    {"stencil_tiles", run_stencil_tiles, IN_OUT, 1 << 20},
    {"count_pieces", run_count_pieces, IN_COUNTS, 128},
    {"gather_async", run_gather_async, IN_OUT, 396 * 256},
    {"add_over_cluster", run_add_over_cluster, IN_OUT, 512 * 2048},
    {"smooth_with_neighbour", run_smooth_with_neighbour, IN_OUT, 1056 * 256},
    {NULL, NULL, IN_OUT, 0}};

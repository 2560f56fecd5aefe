/* flags: -arch=sm_90a */
/* ptx_names.cu - <cuda/ptx>: mbarriers, fences, bulk copies and reductions, boxes of tensor maps, clusters and
 * special registers by the names of cuda::ptx. */
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cudaTypedefs.h>
#include <stdint.h>
#include "check.h"

namespace ptx = cuda::ptx;

enum { WORDS = 64, TILES = 5, WARP = 32 };

/* A thread of the second warp fetches tiles into two buffers; the first one adds them up, and the bulk engine adds,
 * takes the least of, and joins the bits of what all blocks have. */
__global__ void ring(const int *in, int *sum, int *least, unsigned *bits)
{
    __shared__ alignas(128) int tile[2][WORDS];
    __shared__ alignas(128) int mine[WARP];
    __shared__ alignas(8) uint64_t full[2], empty[2];
    const unsigned t = ptx::get_sreg_tid_x();
    if (t == 0) {
        for (int k = 0; k < 2; k++) {
            ptx::mbarrier_init(&full[k], 1);
            ptx::mbarrier_init(&empty[k], WARP);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (t >= WARP) {
        for (int i = 0; t == WARP && i < TILES; i++) {
            while (i >= 2 && !ptx::mbarrier_try_wait_parity(&empty[i % 2], (i / 2 - 1) & 1)) {
            }
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[i % 2],
                                           WORDS * sizeof(int));
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[i % 2],
                               in + (blockIdx.x * TILES + i) * WORDS, WORDS * sizeof(int), &full[i % 2]);
        }
        return;
    }
    int own = 0;
    for (int i = 0; i < TILES; i++) {
        while (!ptx::mbarrier_test_wait_parity(&full[i % 2], i / 2 & 1)) {
        }
        own += tile[i % 2][t] + (i + 1) * tile[i % 2][t + WARP];
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &empty[i % 2]);
    }
    mine[t] = own;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncwarp();
    if (t == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sum, mine, sizeof mine);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_min, least, mine, sizeof mine);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_or_op, bits, (const unsigned *)mine,
                                  sizeof mine);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

static void test_ring()
{
    enum { BLOCKS = 3 };
    int in[BLOCKS * TILES * WORDS], want[3][WARP];
    for (int i = 0; i < BLOCKS * TILES * WORDS; i++) {
        in[i] = i * 7919 % 1000;
    }
    for (int t = 0; t < WARP; t++) {
        want[0][t] = want[2][t] = 0;
        want[1][t] = 1 << 30;
        for (int b = 0; b < BLOCKS; b++) {
            int own = 0;
            for (int i = 0; i < TILES; i++) {
                const int *tile = in + (b * TILES + i) * WORDS;
                own += tile[t] + (i + 1) * tile[t + WARP];
            }
            want[0][t] += own;
            want[1][t] = own < want[1][t] ? own : want[1][t];
            want[2][t] |= own;
        }
    }
    int *d, *out, got[3][WARP], start[3][WARP] = {{0}};
    for (int t = 0; t < WARP; t++) {
        start[1][t] = 1 << 30;
    }
    CHECK_CUDA(cudaMalloc((void **)&d, sizeof in));
    CHECK_CUDA(cudaMalloc((void **)&out, sizeof got));
    CHECK_CUDA(cudaMemcpy(d, in, sizeof in, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(out, start, sizeof start, cudaMemcpyHostToDevice));
    ring<<<BLOCKS, 2 * WARP>>>(d, out, out + WARP, (unsigned *)out + 2 * WARP);
    CHECK_CUDA(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 3 * WARP; i++) {
        CHECK_INT(got[i / WARP][i % WARP], want[i / WARP][i % WARP]);
    }
}

/* A box of 8 x 4 floats, half of it outside: doubled, and stored two rows lower. */
__global__ void box(const __grid_constant__ CUtensorMap map)
{
    __shared__ alignas(128) float tile[32];
    __shared__ alignas(8) uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_proxy_async();
        const int32_t at[2] = {4, -2};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &bar);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof tile);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, 0)) {
    }
    tile[threadIdx.x] *= 2;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        const int32_t at[2] = {4, 0};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

/* A block fetches one half of a box for both, and the other block the other half: each has all of it. */
__global__ void __cluster_dims__(2) halves(const __grid_constant__ CUtensorMap map, float *out)
{
    __shared__ alignas(128) float tile[2][32];
    __shared__ alignas(8) uint64_t word;
    cuda::barrier<cuda::thread_scope_block> *bar = (cuda::barrier<cuda::thread_scope_block> *)&word;
    uint64_t *handle = cuda::device::barrier_native_handle(*bar);
    const unsigned rank = ptx::get_sreg_cluster_ctarank();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(handle, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, handle, sizeof tile);
    }
    ptx::barrier_cluster_arrive(ptx::sem_release);
    ptx::barrier_cluster_wait(ptx::sem_acquire);
    if (threadIdx.x == 0) {
        const int32_t at[2] = {8 * (int)rank, 1};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[rank], &map, at, handle, (uint16_t)3);
    }
    while (!ptx::mbarrier_try_wait_parity(handle, 0)) {
    }
    out[64 * blockIdx.x + threadIdx.x] = tile[0][threadIdx.x];
    out[64 * blockIdx.x + 32 + threadIdx.x] = tile[1][threadIdx.x];
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
}

static void test_box()
{
    enum { W = 16, H = 6 };
    float in[H][W], got[H][W], *d;
    for (int i = 0; i < W * H; i++) {
        in[i / W][i % W] = (float)(i + 1);
    }
    CHECK_CUDA(cudaMalloc((void **)&d, sizeof in));
    CHECK_CUDA(cudaMemcpy(d, in, sizeof in, cudaMemcpyHostToDevice));
    void *f = NULL;
    cudaDriverEntryPointQueryResult found;
    CHECK_CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &found));
    CUtensorMap map;
    const cuuint64_t size[2] = {W, H}, pitch[1] = {W * sizeof(float)};
    const cuuint32_t shape[2] = {8, 4}, each[2] = {1, 1};
    CHECK_INT(((PFN_cuTensorMapEncodeTiled_v12000)f)(
                  &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, d, size, pitch, shape, each, CU_TENSOR_MAP_INTERLEAVE_NONE,
                  CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
              0);
    float *both, had[2][2][4][8];
    CHECK_CUDA(cudaMalloc((void **)&both, sizeof had));
    halves<<<2, 32>>>(map, both);
    CHECK_CUDA(cudaMemcpy(had, both, sizeof had, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 128; i++) {
        const int x = i / 32 % 2 * 8 + i % 8, y = 1 + i / 8 % 4;
        CHECK_INT((int)had[i / 64][i / 32 % 2][i / 8 % 4][i % 8], (int)in[y][x]);
    }
    box<<<1, 32>>>(map);
    CHECK_CUDA(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            const bool stored = x >= 4 && x < 12 && y < 4;
            const float want = !stored ? in[y][x] : y < 2 ? 0 : 2 * in[y - 2][x];
            CHECK_INT((int)got[y][x], (int)want);
        }
    }
}

/* Each block adds its rank to a word of the next one's, and asks whose that is. */
__global__ void __cluster_dims__(4) neighbours(unsigned *out)
{
    __shared__ unsigned word;
    const unsigned rank = ptx::get_sreg_cluster_ctarank(), next = (rank + 1) % ptx::get_sreg_cluster_nctarank();
    word = 100;
    ptx::barrier_cluster_arrive(ptx::sem_release);
    ptx::barrier_cluster_wait(ptx::sem_acquire);
    unsigned *there;
    asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(&word), "r"(next));
    atomicAdd(there, rank + 1);
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
    out[blockIdx.x] = word * 10 + ptx::getctarank(ptx::space_cluster, there);
}

static void test_neighbours()
{
    unsigned *d, got[8];
    CHECK_CUDA(cudaMalloc((void **)&d, sizeof got));
    neighbours<<<8, 1>>>(d);
    CHECK_CUDA(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    for (unsigned b = 0; b < 8; b++) {
        CHECK_INT(got[b], (100 + (b + 3) % 4 + 1) * 10 + (b + 1) % 4);
    }
}

/* Each block of two stores one, two and four words, and one and two double words, into the other one's memory, and waits
 * for those that come. */
__global__ void __cluster_dims__(2) stores(float *out)
{
    struct mail {
        float four[4], two[2], one;
        int rank;
        double pair[2], single;
    };
    __shared__ alignas(16) mail got;
    __shared__ alignas(8) uint64_t bar;
    const unsigned rank = ptx::get_sreg_cluster_ctarank();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof got);
    }
    ptx::barrier_cluster_arrive(ptx::sem_release);
    ptx::barrier_cluster_wait(ptx::sem_acquire);
    mail *there;
    uint64_t *its_bar;
    asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(&got), "r"(1 - rank));
    asm("mapa.u64 %0, %1, %2;" : "=l"(its_bar) : "l"(&bar), "r"(1 - rank));
    if (threadIdx.x == 0) {
        const float r = (float)rank, four[4] = {r + 1, r + 2, r + 3, r + 4}, two[2] = {r + 5, r + 6};
        const double pair[2] = {r + 8.0, r + 9.0};
        ptx::st_async(there->four, four, its_bar);
        ptx::st_async(there->two, two, its_bar);
        ptx::st_async(&there->one, r + 7, its_bar);
        ptx::st_async(&there->rank, (int)rank, its_bar);
        ptx::st_async(there->pair, pair, its_bar);
        ptx::st_async(&there->single, r + 10.0, its_bar);
        while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
        }
        float *o = out + 11 * blockIdx.x;
        for (int i = 0; i < 4; i++) {
            *o++ = got.four[i];
        }
        *o++ = got.two[0];
        *o++ = got.two[1];
        *o++ = got.one;
        *o++ = (float)got.pair[0];
        *o++ = (float)got.pair[1];
        *o++ = (float)got.single;
        *o = (float)got.rank;
    }
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
}

static void test_stores()
{
    float *d, got[2][11];
    CHECK_CUDA(cudaMalloc((void **)&d, sizeof got));
    stores<<<2, 32>>>(d);
    CHECK_CUDA(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    for (int b = 0; b < 2; b++) {
        for (int i = 0; i < 10; i++) {
            CHECK_INT((int)got[b][i], 1 - b + 1 + i);
        }
        CHECK_INT((int)got[b][10], 1 - b);
    }
}

int main()
{
    test_ring();
    test_box();
    test_neighbours();
    test_stores();
    return check_done();
}

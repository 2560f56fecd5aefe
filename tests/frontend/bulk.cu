/* bulk.cu - copies by the bulk engine: rows between global and shared memory, to other blocks of the cluster, and
 * back; reductions. Tensors: bulk_tensors.cu. */
/* flags: -arch=sm_90a -std=c++17 */
#include "check.h"

#include "bulk.h"

/* --- rows ---------------------------------------------------------------------------------------- */

enum { ROW = 256 };

/* In by a copy, doubled, out by another; added to a third array by a reduction. */
__global__ void rows(const int *from, int *to, int *sums)
{
    __shared__ __align__(128) int tile[ROW];
    __shared__ u64 bar;
    const unsigned tile_address = shared_address(tile);
    if (threadIdx.x == 0) {
        init(&bar, 1);
    }
    __syncthreads();
    for (unsigned k = 0; k < 2; k++) {
        const int *source = from + (2 * blockIdx.x + k) * ROW;
        if (threadIdx.x == 0) {
            expect(&bar, ROW * 4);
            asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(source), "r"(ROW * 4));
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                             tile_address),
                         "l"(source), "r"(ROW * 2), "r"(shared_address(&bar))
                         : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                             tile_address + ROW * 2),
                         "l"(source + ROW / 2), "r"(ROW * 2), "r"(shared_address(&bar))
                         : "memory");
        }
        wait(&bar, k);
        for (unsigned i = threadIdx.x; i < ROW; i += blockDim.x) {
            tile[i] *= 2;
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                             to + (2 * blockIdx.x + k) * ROW),
                         "r"(tile_address), "r"(ROW * 4)
                         : "memory");
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;" ::"l"(sums),
                         "r"(tile_address), "r"(ROW * 4)
                         : "memory");
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%0], [%1], %2;" ::"l"(
                             sums + ROW),
                         "r"(tile_address), "r"(ROW * 4)
                         : "memory");
            commit_and_wait();
        }
        __syncthreads();
    }
}

static void test_rows(void)
{
    const int blocks = 5;
    int *from = make_array<int>(2 * blocks * ROW), *to = make_array<int>(2 * blocks * ROW);
    int *sums = make_array<int>(2 * ROW);
    for (int i = 0; i < 2 * blocks * ROW; i++) {
        from[i] = (i * 37) % 101 - 50;
    }
    memset(sums, 0, 2 * ROW * sizeof *sums);
    rows<<<blocks, 64>>>(from, to, sums);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < ROW; i++) {
        int sum = 0, most = 0;
        for (int r = 0; r < 2 * blocks; r++) {
            const int value = 2 * from[r * ROW + i];
            CHECK_INT(to[r * ROW + i], value);
            sum += value;
            most = value > most ? value : most;
        }
        CHECK_INT(sums[i], sum);
        CHECK_INT(sums[ROW + i], most);
    }
}

/* --- other blocks of the cluster ------------------------------------------------------------------- */

__device__ static unsigned map(unsigned address, unsigned rank)
{
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

/* Rank 0 fetches one row for ranks 1 and 3; each sends its row to the next; all add to rank 2's. */
__global__ void __cluster_dims__(4, 1, 1) spread(const unsigned *from, unsigned *out)
{
    __shared__ __align__(128) unsigned got[64], own[64], passed[64], sum[64];
    __shared__ u64 bars[3];
    const unsigned t = threadIdx.x, rank = blockIdx.x % 4;
    if (t == 0) {
        init(&bars[0], 1);
        init(&bars[1], 1);
        init(&bars[2], 1);
        if (rank == 1 || rank == 3) {
            expect(&bars[0], 256);
        }
        expect(&bars[1], 256);
        expect(&bars[2], rank == 2 ? 4 * 256 : 0);
    }
    got[t] = 1000 + t;
    own[t] = 10000 * (blockIdx.x + 1) + t;
    sum[t] = 7;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    sync_cluster();
    if (t == 0 && rank == 0) {
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                     "[%0], [%1], 256, [%2], %3;" ::"r"(shared_address(got)),
                     "l"(from + blockIdx.x * 16), "r"(shared_address(&bars[0])), "h"((unsigned short)10)
                     : "memory");
    }
    if (t == 0) {
        const unsigned next = (rank + 1) % 4;
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(
                         map(shared_address(passed), next)),
                     "r"(shared_address(own)), "r"(map(shared_address(&bars[1]), next))
                     : "memory");
        asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 "
                     "[%0], [%1], 256, [%2];" ::"r"(map(shared_address(sum), 2)),
                     "r"(shared_address(own)), "r"(map(shared_address(&bars[2]), 2))
                     : "memory");
    }
    if (rank == 1 || rank == 3) {
        wait(&bars[0], 0);
    }
    wait(&bars[1], 0);
    wait(&bars[2], 0);
    unsigned *mine = out + (blockIdx.x * 64 + t) * 3;
    mine[0] = got[t];
    mine[1] = passed[t];
    mine[2] = sum[t];
    sync_cluster();
}

static void test_spread(void)
{
    unsigned *from = make_array<unsigned>(256), *out = make_array<unsigned>(8 * 64 * 3);
    for (unsigned i = 0; i < 256; i++) {
        from[i] = 3 * i;
    }
    spread<<<8, 64>>>(from, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (unsigned b = 0; b < 8; b++) {
        const unsigned first = b / 4 * 4, before = first + (b + 3) % 4;
        for (unsigned t = 0; t < 64; t++) {
            const unsigned *mine = out + (b * 64 + t) * 3;
            CHECK_INT(mine[0], b % 2 == 1 ? 3 * (first * 16 + t) : 1000 + t);
            CHECK_INT(mine[1], 10000 * (before + 1) + t);
            CHECK_INT(mine[2], b % 4 == 2 ? 7 + 10000 * (4 * first + 10) + 4 * t : 7);
        }
    }
}

int main()
{
    test_rows();
    test_spread();
    return check_done();
}

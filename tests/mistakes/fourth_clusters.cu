/* fourth_clusters.cu - copies into other blocks' shared memory: see fourth.cu. */
/* flags: -arch=sm_90a */
#include "mistakes.h"
#include "phase.h"

template <bool right> __global__ void __cluster_dims__(2) push_source(const int *in, int *out)
{
    /* The source is overwritten while the copy into the other block may still read it. */
    __shared__ __align__(128) int mine[64], theirs[64];
    __shared__ phase_barrier full;
    auto cluster = cg::this_cluster();
    int rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        full.init(1);
        init_fence();
        full.expect(256);
    }
    mine[threadIdx.x] = in[threadIdx.x];
    proxy_fence();
    cluster.sync();
    if (threadIdx.x == 0)
        bulk_over(theirs, rank ^ 1, mine, 256, &full);
    if (right) {
        full.wait_cluster(0);
        cluster.sync();
    } else
        __syncthreads();
    mine[threadIdx.x] = -1; // MISTAKE push_source race
    if (!right)
        full.wait_cluster(0);
    out[rank * 64 + threadIdx.x] = theirs[threadIdx.x] + mine[threadIdx.x];
    cluster.sync();
}
TWINS(push_source) { push_source<right><<<2, 64>>>(buffer<int>(64), buffer<int>(128)); }

static __device__ void st_async(const void *p, int rank, int v, const phase_barrier *b)
{
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.s32 [%0], %1, [%2];" ::"r"(
            remote(p, rank)),
        "r"(v), "r"(remote(&b->word, rank))
        : "memory");
}
template <bool right> __global__ void __cluster_dims__(2) st_async_k(int *out)
{
    __shared__ int box[32];
    __shared__ phase_barrier full;
    auto cluster = cg::this_cluster();
    int rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        full.init(1);
        init_fence();
        full.expect(128);
    }
    cluster.sync();
    st_async(&box[threadIdx.x], rank ^ 1, rank, &full);
    if (right)
        full.wait_cluster(0);
    out[rank * 32 + threadIdx.x] = box[threadIdx.x]; // MISTAKE st_async_unwaited race
    if (!right)
        full.wait_cluster(0);
    cluster.sync();
}
TWINS(st_async_unwaited) { st_async_k<right><<<2, 32>>>(buffer<int>(64)); }

static __device__ void bulk_multicast(void *to, const void *from, int bytes, phase_barrier *b,
                                      uint16_t ranks)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
                 "cluster [%0], [%1], %2, [%3], %4;" ::"r"(smem(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(smem(&b->word)), "h"(ranks)
                 : "memory");
}
template <bool right> __global__ void __cluster_dims__(2) told_early(const int *in, int *out)
{
    /* One thread tells the sender that the tile is free, before the others have read it. */
    __shared__ __align__(128) int mine[64], theirs[64];
    __shared__ phase_barrier full, empty;
    auto cluster = cg::this_cluster();
    int rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        full.init(1);
        empty.init(1);
        init_fence();
    }
    cluster.sync();
    int sum = 0;
    for (int k = 0; k < 3; k++) {
        if (rank == 0) {
            if (k > 0)
                empty.wait_cluster(k - 1 & 1);
            mine[threadIdx.x] = in[threadIdx.x] + k;
            proxy_fence();
            __syncthreads();
            if (threadIdx.x == 0)
                bulk_over(theirs, 1, mine, 256, &full);
        } else {
            if (threadIdx.x == 0)
                full.expect(256);
            full.wait_cluster(k & 1);
            if (!right && threadIdx.x == 0)
                arrive_remote(&empty, 0);
            sum += theirs[63 - threadIdx.x]; // MISTAKE told_early race
            __syncthreads();
            if (right && threadIdx.x == 0)
                arrive_remote(&empty, 0);
        }
    }
    if (rank == 1)
        out[threadIdx.x] = sum;
    cluster.sync();
}
TWINS(told_early) { told_early<right><<<2, 64>>>(buffer<int>(64), buffer<int>(64)); }

template <bool right> __global__ void __cluster_dims__(2) multicast(const int *in, int *out)
{
    /* A tile goes to both blocks; it may come again when both have read it. */
    __shared__ __align__(128) int tile[64];
    __shared__ phase_barrier full, empty;
    auto cluster = cg::this_cluster();
    int rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        full.init(1);
        empty.init(right ? 128 : 64);
        init_fence();
    }
    cluster.sync();
    int sum = 0;
    for (int k = 0; k < 3; k++) {
        if (threadIdx.x == 0)
            full.expect(256);
        if (rank == 0 && threadIdx.x == 0) {
            if (k > 0)
                empty.wait_cluster(k - 1 & 1);
            bulk_multicast(tile, in + 64 * k, 256, &full, 3);
        }
        full.wait_cluster(k & 1);
        sum += tile[63 - threadIdx.x]; // MISTAKE multicast race
        if (right || rank == 0)
            arrive_remote(&empty, 0);
    }
    out[rank * 64 + threadIdx.x] = sum;
    cluster.sync();
}
TWINS(multicast) { multicast<right><<<2, 64>>>(buffer<int>(64 * 3), buffer<int>(128)); }

template <bool right> __global__ void __cluster_dims__(2) sums_over(int *out)
{
    /* Both blocks add to block 0's array by copies; it reads the sum when both have come. */
    __shared__ __align__(128) int mine[64], total[64];
    __shared__ phase_barrier full;
    auto cluster = cg::this_cluster();
    mine[threadIdx.x] = threadIdx.x;
    total[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        full.init(1);
        init_fence();
        full.expect(512);
    }
    proxy_fence();
    cluster.sync();
    if (threadIdx.x == 0)
        asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::"
                     "bytes.add.s32 [%0], [%1], %2, [%3];" ::"r"(remote(total, 0)),
                     "r"(smem(mine)), "r"(256), "r"(remote(&full.word, 0))
                     : "memory");
    if (cluster.block_rank() == 0) {
        if (right)
            full.wait_cluster(0);
        out[threadIdx.x] = total[threadIdx.x]; // MISTAKE sums_over race
        full.wait_cluster(0);
    }
    cluster.sync();
}
TWINS(sums_over) { sums_over<right><<<2, 64>>>(buffer<int>(64)); }

template <bool right> __global__ void __cluster_dims__(2) remote_look(const int *in, int *out)
{
    /* A block reads from its neighbour what a copy brings there. */
    __shared__ __align__(128) int tile[64];
    __shared__ phase_barrier full;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        full.init(1);
        init_fence();
        full.expect(256);
        bulk_in(tile, in, 256, &full);
    }
    __syncthreads();
    if (right)
        full.wait(0);
    cluster.sync();
    const int *other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    out[blockIdx.x * 64 + threadIdx.x] = other[threadIdx.x]; // MISTAKE remote_look race
    cluster.sync();
    full.wait(0);
}
TWINS(remote_look) { remote_look<right><<<2, 64>>>(buffer<int>(64), buffer<int>(128)); }

static __device__ void red_async(const void *p, int rank, unsigned v, const phase_barrier *b)
{
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
                 "[%0], %1, [%2];" ::"r"(remote(p, rank)),
                 "r"(v), "r"(remote(&b->word, rank))
                 : "memory");
}
template <bool right> __global__ void __cluster_dims__(2) red_async_k(int *out)
{
    __shared__ unsigned bins[8];
    __shared__ phase_barrier full;
    auto cluster = cg::this_cluster();
    if (threadIdx.x < 8)
        bins[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        full.init(1);
        init_fence();
        full.expect(2 * 32 * 4);
    }
    cluster.sync();
    red_async(&bins[threadIdx.x & 7], 0, 1, &full);
    if (cluster.block_rank() == 0) {
        if (right)
            full.wait_cluster(0);
        if (threadIdx.x < 8)
            out[threadIdx.x] = bins[threadIdx.x]; // MISTAKE red_async_unwaited race
        full.wait_cluster(0);
    }
    cluster.sync();
}
TWINS(red_async_unwaited) { red_async_k<right><<<2, 32>>>(buffer<int>(8)); }

/* The barrier of the cluster orders the block's own warps, too, whether or not other blocks are near. */
template <bool right> __global__ void own_warps(const int *in, int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    if (right)
        cg::this_cluster().sync();
    out[threadIdx.x] = s[63 - threadIdx.x]; // MISTAKE cluster_own_warps race
}
TWINS(cluster_own_warps) { own_warps<right><<<1, 64>>>(buffer<int>(64), buffer<int>(64)); }

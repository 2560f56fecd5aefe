/* fourth_copies.cu - copies beside the threads, and clusters. */
/* flags: -arch=sm_90a */
#include "mistakes.h"
#include "phase.h"

template <bool right> __global__ void __cluster_dims__(2) neighbour(const int *in, int *out)
{
    __shared__ int s[64];
    auto cluster = cg::this_cluster();
    s[threadIdx.x] = in[threadIdx.x];
    if (right)
        cluster.sync();
    else
        __syncthreads();
    int *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    out[blockIdx.x * 64 + threadIdx.x] = other[63 - threadIdx.x]; // MISTAKE dsm_read race
    cluster.sync();
}
TWINS(dsm_read) { neighbour<right><<<2, 64>>>(buffer<int>(64), buffer<int>(128)); }

template <bool right> __global__ void __cluster_dims__(2) gone(const int *in, int *out)
{
    __shared__ int s[64];
    auto cluster = cg::this_cluster();
    s[threadIdx.x] = in[threadIdx.x];
    cluster.sync();
    int *other = cluster.map_shared_rank(s, 1);
    if (cluster.block_rank() == 0)
        out[threadIdx.x] = other[threadIdx.x]; // MISTAKE dsm_gone simt
    if (right)
        cluster.sync();
}
TWINS(dsm_gone) { gone<right><<<2, 64>>>(buffer<int>(64), buffer<int>(64)); }

template <bool right> __global__ void __cluster_dims__(2) dsm_bins(const int *in, int *out)
{
    __shared__ int bins[32];
    auto cluster = cg::this_cluster();
    bins[threadIdx.x] = 0;
    if (right)
        cluster.sync();
    else
        __syncthreads();
    int v = in[blockIdx.x * 32 + threadIdx.x] & 63;
    atomicAdd(cluster.map_shared_rank(bins, v / 32) + v % 32, 1); // MISTAKE dsm_bins race
    cluster.sync();
    out[blockIdx.x * 32 + threadIdx.x] = bins[threadIdx.x];
}
TWINS(dsm_bins) { dsm_bins<right><<<2, 32>>>(buffer<int>(64), buffer<int>(64)); }

template <bool right> __global__ void __cluster_dims__(4) dsm_ring(float *out)
{
    __shared__ float now[32], got[32];
    auto cluster = cg::this_cluster();
    now[threadIdx.x] = cluster.block_rank();
    for (int k = 0; k < 3; k++) {
        cluster.sync();
        const float *next = cluster.map_shared_rank(now, (cluster.block_rank() + 1) % 4);
        got[threadIdx.x] = next[threadIdx.x]; // MISTAKE dsm_ring race
        if (right)
            cluster.sync();
        else
            __syncthreads();
        now[threadIdx.x] = got[threadIdx.x];
    }
    cluster.sync();
    out[blockIdx.x * 32 + threadIdx.x] = now[threadIdx.x];
}
TWINS(dsm_ring) { dsm_ring<right><<<4, 32>>>(buffer<float>(128)); }

template <bool right> __global__ void bytes_wrong(const float *in, float *out)
{
    __shared__ __align__(128) float s[64];
    __shared__ phase_barrier full;
    if (threadIdx.x == 0) {
        full.init(1);
        init_fence();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        full.expect(right ? sizeof s : 2 * sizeof s);
        bulk_in(s, in, sizeof s, &full);
    }
    full.wait(0);
    out[threadIdx.x] = s[threadIdx.x];
}
TWINS(tx_bytes) { bytes_wrong<right><<<1, 64>>>(buffer<float>(64), buffer<float>(64)); } // MISTAKE tx_bytes end

template <bool right> __global__ void bulk_stages(const int *in, int *out, int tiles)
{
    constexpr int N = 2;
    __shared__ __align__(128) int s[N][64];
    __shared__ phase_barrier full[N], empty[N];
    if (threadIdx.x == 0) {
        for (int i = 0; i < N; i++) {
            full[i].init(1);
            empty[i].init(64);
        }
        init_fence();
    }
    __syncthreads();
    int sum = 0;
    if (threadIdx.x >= 64) {
        if (threadIdx.x == 64)
            for (int k = 0; k < tiles; k++) {
                int b = k % N;
                if (k >= N && right)
                    empty[b].wait(k / N - 1 & 1);
                full[b].expect(256);
                bulk_in(s[b], in + 64 * k, 256, &full[b]);
            }
    } else {
        for (int k = 0; k < tiles; k++) {
            int b = k % N;
            full[b].wait(k / N & 1);
            sum += s[b][63 - threadIdx.x];
            if (right)
                empty[b].arrive();
        }
        out[threadIdx.x] = sum;
    }
}
TWINS(bulk_stages) { bulk_stages<right><<<1, 96>>>(buffer<int>(64 * 5), buffer<int>(64), 5); } // MISTAKE bulk_stages end

template <bool right> __global__ void parity(const int *in, int *out)
{
    __shared__ __align__(128) int s[64];
    __shared__ phase_barrier full;
    if (threadIdx.x == 0) {
        full.init(1);
        init_fence();
    }
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 2; k++) {
        if (threadIdx.x == 0) {
            full.expect(256);
            bulk_in(s, in + 64 * k, 256, &full);
        }
        full.wait(right ? k & 1 : 0);
        sum += s[threadIdx.x]; // MISTAKE same_parity race
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
TWINS(same_parity) { parity<right><<<1, 64>>>(buffer<int>(128), buffer<int>(64)); }

template <bool right> __global__ void store_tile(int *out)
{
    __shared__ __align__(128) int s[64];
    s[threadIdx.x] = threadIdx.x; // MISTAKE bulk_proxy race
    if (right)
        proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_out(out, s, sizeof s);
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
TWINS(bulk_proxy) { store_tile<right><<<1, 64>>>(buffer<int>(64)); }

template <bool right> __global__ void store_tiles(int *out)
{
    __shared__ __align__(128) int s[2][64];
    for (int k = 0; k < 4; k++) {
        if (threadIdx.x == 0) {
            if (right)
                asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
            else
                asm volatile("cp.async.bulk.wait_group.read 2;" ::: "memory");
        }
        __syncthreads();
        s[k & 1][threadIdx.x] = k; // MISTAKE bulk_group race
        proxy_fence();
        __syncthreads();
        if (threadIdx.x == 0)
            bulk_out(out + 64 * k, s[k & 1], 256);
    }
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
TWINS(bulk_group) { store_tiles<right><<<1, 64>>>(buffer<int>(256)); }

template <bool right> __global__ void __cluster_dims__(2) push_unwaited(const int *in, int *out)
{
    __shared__ __align__(128) int mine[64], theirs[64];
    __shared__ phase_barrier full;
    auto cluster = cg::this_cluster();
    int rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        full.init(1);
        init_fence();
        full.expect(256);
    }
    mine[threadIdx.x] = in[threadIdx.x] + rank;
    proxy_fence();
    cluster.sync();
    if (threadIdx.x == 0)
        bulk_over(theirs, rank ^ 1, mine, 256, &full);
    if (right)
        full.wait_cluster(0);
    out[rank * 64 + threadIdx.x] = theirs[threadIdx.x]; // MISTAKE push_unwaited race
    cluster.sync();
    if (!right)
        full.wait_cluster(0);
}
TWINS(push_unwaited) { push_unwaited<right><<<2, 64>>>(buffer<int>(64), buffer<int>(128)); }

template <bool right> __global__ void __cluster_dims__(2) push_refill(const int *in, int *out)
{
    __shared__ __align__(128) int mine[64], theirs[64];
    __shared__ phase_barrier full;
    auto cluster = cg::this_cluster();
    int rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        full.init(1);
        init_fence();
    }
    cluster.sync();
    int sum = 0;
    for (int k = 0; k < 2; k++) {
        if (rank == 1 && threadIdx.x == 0)
            full.expect(256);
        if (rank == 0) {
            mine[threadIdx.x] = in[threadIdx.x] + k;
            proxy_fence();
            __syncthreads();
            if (threadIdx.x == 0)
                bulk_over(theirs, 1, mine, 256, &full);
        } else {
            full.wait_cluster(k & 1);
            sum += theirs[threadIdx.x]; // MISTAKE push_refill race
        }
        if (right)
            cluster.sync();
        else if (rank == 1)
            __syncthreads();
        if (!right && rank == 0)
            __syncthreads();
    }
    if (rank == 1)
        out[threadIdx.x] = sum;
    cluster.sync();
}
TWINS(push_refill) { push_refill<right><<<2, 64>>>(buffer<int>(64), buffer<int>(64)); }

template <bool right> __global__ void __cluster_dims__(2) push_proxy(const int *in, int *out)
{
    __shared__ __align__(128) int mine[64], theirs[64];
    __shared__ phase_barrier full;
    auto cluster = cg::this_cluster();
    int rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        full.init(1);
        init_fence();
        full.expect(256);
    }
    mine[threadIdx.x] = in[threadIdx.x]; // MISTAKE push_proxy race
    if (right)
        proxy_fence();
    cluster.sync();
    if (threadIdx.x == 0)
        bulk_over(theirs, rank ^ 1, mine, 256, &full);
    full.wait_cluster(0);
    out[rank * 64 + threadIdx.x] = theirs[threadIdx.x];
    cluster.sync();
}
TWINS(push_proxy) { push_proxy<right><<<2, 64>>>(buffer<int>(64), buffer<int>(128)); }

template <bool right> __global__ void __cluster_dims__(2) push_uncleared(const int *in, int *out)
{
    /* The receiver clears its buffer without a barrier before the other block's copy. */
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
    if (right)
        theirs[threadIdx.x] = 0;
    proxy_fence();
    cluster.sync();
    if (!right)
        theirs[threadIdx.x] = 0; // MISTAKE push_cleared race
    __syncthreads();
    if (threadIdx.x == 0)
        bulk_over(theirs, rank ^ 1, mine, 256, &full);
    full.wait_cluster(0);
    out[rank * 64 + threadIdx.x] = theirs[threadIdx.x];
    cluster.sync();
}
TWINS(push_cleared) { push_uncleared<right><<<2, 64>>>(buffer<int>(64), buffer<int>(128)); }

template <bool right> __global__ void __cluster_dims__(2) remote_arrive(int *out)
{
    /* Plain stores into the neighbour, which an arrival there announces. */
    __shared__ int box[32];
    __shared__ phase_barrier full;
    auto cluster = cg::this_cluster();
    int rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        full.init(32);
        init_fence();
    }
    cluster.sync();
    cluster.map_shared_rank(box, rank ^ 1)[threadIdx.x] = rank; // MISTAKE remote_arrive race
    arrive_remote(&full, rank ^ 1);
    if (right)
        full.wait_cluster(0);
    out[rank * 32 + threadIdx.x] = box[threadIdx.x];
    if (!right)
        full.wait_cluster(0);
    cluster.sync();
}
TWINS(remote_arrive) { remote_arrive<right><<<2, 32>>>(buffer<int>(64)); }

template <bool right> __global__ void init_unseen(int *out)
{
    __shared__ phase_barrier full;
    __shared__ int s[64];
    const uint32_t at = smem(&full.word);
#define INIT64 "mbarrier.init.shared::cta.b64 [%0], 64;"
    if (threadIdx.x == 0)
        asm volatile(INIT64 ::"r"(at) : "memory"); // MISTAKE init_unseen race
    if (right)
        __syncthreads();
    s[threadIdx.x] = threadIdx.x;
    full.arrive();
    full.wait(0);
    out[threadIdx.x] = s[63 - threadIdx.x];
}
TWINS(init_unseen) { init_unseen<right><<<1, 64>>>(buffer<int>(64)); }

template <int Left> __device__ void async_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(Left) : "memory");
}
static __device__ void async16(void *to, const void *from)
{
    const uint32_t target = smem(to);
    const uint64_t source = __cvta_generic_to_global(from);
#define ASYNC16 "cp.async.cg.shared.global [%0], [%1], 16;"
    asm volatile(ASYNC16 ::"r"(target), "l"(source) : "memory"); // MISTAKE async_aligned misaligned
}
template <bool right> __global__ void gemm_stages(const float4 *in, float *out)
{
    __shared__ float4 s[2][64];
    auto fetch = [&](int k) {
        async16(&s[k & 1][threadIdx.x], &in[k * 64 + threadIdx.x]);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    fetch(0);
    float sum = 0;
    for (int k = 0; k < 3; k++) {
        if (k < 2) {
            fetch(k + 1);
            async_wait<1>();
        } else
            async_wait<right ? 0 : 1>();
        __syncthreads();
        sum += s[k & 1][63 - threadIdx.x].x; // MISTAKE last_stage race
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
TWINS(last_stage) { gemm_stages<right><<<1, 64>>>(buffer<float4>(192), buffer<float>(64)); }

template <bool right> __global__ void async_barrier(const float4 *in, float *out)
{
    __shared__ float4 s[64];
    async16(&s[threadIdx.x], &in[threadIdx.x]);
    asm volatile("cp.async.commit_group;" ::: "memory");
    if (!right)
        __syncthreads();
    async_wait<0>();
    if (right)
        __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 33].z; // MISTAKE wait_then_barrier race
}
TWINS(wait_then_barrier) { async_barrier<right><<<1, 64>>>(buffer<float4>(64), buffer<float>(64)); }

template <bool right> __global__ void async_aligned(const float *in, float *out)
{
    __shared__ __align__(16) float s[136];
    async16(&s[threadIdx.x * 4], &in[threadIdx.x * 4 + (right ? 0 : 2)]);
    asm volatile("cp.async.commit_group;" ::: "memory");
    async_wait<0>();
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
TWINS(async_aligned) { async_aligned<right><<<1, 32>>>(buffer<float>(136), buffer<float>(32)); }

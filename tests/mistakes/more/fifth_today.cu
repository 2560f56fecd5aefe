/* fifth_today.cu - bulk copies and their mbarriers, tensor maps, wgmma and clusters. */
/* flags: -std=c++17 -arch=sm_90a */
#include "mistakes.h"

#include <cooperative_groups.h>
#include <cstdint>

namespace cg = cooperative_groups;
typedef unsigned long long u64;

#define DEVICE __device__ __forceinline__
DEVICE uint32_t at(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
DEVICE void mbar_init(u64 *b, int n)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(b)), "r"(n) : "memory");
}
DEVICE void mbar_expect(u64 *b, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(b)), "r"(bytes)
                 : "memory");
}
DEVICE void mbar_arrive(u64 *b)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(b)) : "memory");
}
DEVICE bool mbar_try(u64 *b, int phase)
{
    int done;
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.s32 "
                 "%0, 1, 0, p;}"
                 : "=r"(done)
                 : "r"(at(b)), "r"(phase)
                 : "memory");
    return done;
}
DEVICE void mbar_wait(u64 *b, int phase)
{
    while (!mbar_try(b, phase)) {
    }
}
DEVICE void bulk_load(void *to, const void *from, int bytes, u64 *b)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(at(to)),
        "l"(from), "r"(bytes), "r"(at(b))
        : "memory");
}
DEVICE void bulk_store(void *to, const void *from, int bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(at(from)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
DEVICE void bulk_wait_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
DEVICE void bulk_wait() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
DEVICE void proxy_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

/* The tile is read before its phase is over. */
template <bool right> __global__ void tile_too_early(const float *in, float *out)
{
    __shared__ alignas(128) float tile[256];
    __shared__ u64 bar;
    if (threadIdx.x == 0) {
        mbar_init(&bar, 1);
        proxy_fence();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        mbar_expect(&bar, sizeof tile);
        bulk_load(tile, in, sizeof tile, &bar);
    }
    if (right) {
        mbar_wait(&bar, 0);
    } else {
        __syncthreads();
    }
    out[threadIdx.x] = tile[255 - threadIdx.x]; // MISTAKE tile_too_early race
}
TWINS(tile_too_early) { tile_too_early<right><<<1, 256>>>(buffer<float>(256), buffer<float>(256)); }

/* Only the thread that issued the copy waits for it. */
template <bool right> __global__ void one_waits(const float *in, float *out)
{
    __shared__ alignas(128) float tile[64];
    __shared__ u64 bar;
    if (threadIdx.x == 0) {
        mbar_init(&bar, 1);
        proxy_fence();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        mbar_expect(&bar, sizeof tile);
        bulk_load(tile, in, sizeof tile, &bar);
        mbar_wait(&bar, 0);
    }
    if (right) {
        __syncthreads();
    }
    out[threadIdx.x] = tile[threadIdx.x]; // MISTAKE one_waits race
}
TWINS(one_waits) { one_waits<right><<<1, 64>>>(buffer<float>(64), buffer<float>(64)); }

/* A ring of two stages: the parity of the wait does not flip with the round. */
template <bool right> __global__ void parity(const int *in, int *out)
{
    __shared__ alignas(128) int stage[2][64];
    __shared__ u64 full[2];
    int t = threadIdx.x, sum = 0;
    if (t < 2) {
        mbar_init(&full[t], 1);
        proxy_fence();
    }
    __syncthreads();
    if (t == 0) {
        for (int s = 0; s < 2; s++) {
            mbar_expect(&full[s], 256);
            bulk_load(stage[s], in + 64 * s, 256, &full[s]);
        }
    }
    for (int k = 0; k < 6; k++) {
        int s = k % 2;
        mbar_wait(&full[s], right ? k / 2 % 2 : 0); // MISTAKE parity end
        sum += stage[s][63 - t];
        __syncthreads();
        if (t == 0 && k + 2 < 6) {
            mbar_expect(&full[s], 256);
            bulk_load(stage[s], in + 64 * (k + 2), 256, &full[s]);
        }
    }
    out[t] = sum;
}
TWINS(parity) { parity<right><<<1, 64>>>(buffer<int>(384), buffer<int>(64)); }

/* The stage is filled again while slower warps still read it. */
template <bool right> __global__ void refill(const int *in, int *out)
{
    __shared__ alignas(128) int stage[64];
    __shared__ u64 full;
    int t = threadIdx.x, sum = 0;
    if (t == 0) {
        mbar_init(&full, 1);
        proxy_fence();
    }
    __syncthreads();
    for (int k = 0; k < 3; k++) {
        if (t == 0) {
            mbar_expect(&full, 256);
            bulk_load(stage, in + 64 * k, 256, &full);
        }
        mbar_wait(&full, k & 1); // MISTAKE refill end
        sum += stage[63 - t];
        if (right) {
            __syncthreads();
        }
    }
    out[t] = sum;
}
TWINS(refill) { refill<right><<<1, 64>>>(buffer<int>(192), buffer<int>(64)); }

/* Warp-specialised: the consumers' arrival at "empty" comes before their reads. */
template <bool right> __global__ void specialised(const int *in, int *out)
{
    __shared__ alignas(128) int stage[32];
    __shared__ u64 full, empty;
    int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        mbar_init(&full, 1);
        mbar_init(&empty, 32);
        proxy_fence();
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        if (lane == 0) {
            for (int k = 0; k < 5; k++) {
                if (k > 0) {
                    mbar_wait(&empty, (k - 1) & 1);
                }
                mbar_expect(&full, 128);
                bulk_load(stage, in + 32 * k, 128, &full); // MISTAKE specialised race
            }
        }
    } else {
        int sum = 0;
        for (int k = 0; k < 5; k++) {
            mbar_wait(&full, k & 1);
            if (right) {
                sum += stage[31 - lane];
                mbar_arrive(&empty);
            } else {
                mbar_arrive(&empty);
                sum += stage[31 - lane];
            }
        }
        out[lane] = sum;
    }
}
TWINS(specialised) { specialised<right><<<1, 64>>>(buffer<int>(160), buffer<int>(32)); }

/* expect_tx names the elements, the copy brings bytes. */
template <bool right> __global__ void elements(const float *in, float *out)
{
    __shared__ alignas(128) float tile[64];
    __shared__ u64 bar;
    if (threadIdx.x == 0) {
        mbar_init(&bar, 1);
        proxy_fence();
        mbar_expect(&bar, right ? 256 : 512);
        bulk_load(tile, in, 256, &bar);
    }
    __syncthreads();
    while (!mbar_try(&bar, 0)) { // MISTAKE elements byte
    }
    out[threadIdx.x] = tile[threadIdx.x];
}
TWINS(elements) { elements<right><<<1, 64>>>(buffer<float>(64), buffer<float>(64)); }

/* The result is stored by the copy engine, which has not been shown the threads' stores. */
template <bool right> __global__ void store_unfenced(const float *in, float *out)
{
    __shared__ alignas(128) float tile[64];
    tile[threadIdx.x] = 2 * in[threadIdx.x];
    if (right) {
        proxy_fence();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_store(out, tile, sizeof tile); // MISTAKE store_unfenced race
        bulk_wait();
    }
}
TWINS(store_unfenced) { store_unfenced<right><<<1, 64>>>(buffer<float>(64), buffer<float>(64)); }

/* The tile is filled for the next round before the engine has read it. */
template <bool right> __global__ void store_overtaken(const float *in, float *out)
{
    __shared__ alignas(128) float tile[64];
    int t = threadIdx.x;
    for (int k = 0; k < 3; k++) {
        tile[t] = in[64 * k + t] + 1; // MISTAKE store_overtaken race
        proxy_fence();
        __syncthreads();
        if (t == 0) {
            bulk_store(out + 64 * k, tile, sizeof tile);
            if (right) {
                bulk_wait_read();
            }
        }
        __syncthreads();
    }
    if (t == 0) {
        bulk_wait();
    }
}
TWINS(store_overtaken)
{
    store_overtaken<right><<<1, 64>>>(buffer<float>(192), buffer<float>(192));
}

/* A copy of cp.async counts at an mbarrier with .noinc, which has not been waited for. */
template <bool right> __global__ void noinc(const int *in, int *out)
{
    __shared__ alignas(16) int s[64];
    __shared__ u64 bar;
    int t = threadIdx.x;
    if (t == 0) {
        mbar_init(&bar, 64);
    }
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(&s[t])), "l"(in + t)
                 : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at(&bar)) : "memory");
    if (right) {
        mbar_wait(&bar, 0);
    }
    out[t] = s[63 - t]; // MISTAKE noinc race
}
TWINS(noinc) { noinc<right><<<1, 64>>>(buffer<int>(64), buffer<int>(64)); }

/* --- clusters
 * ------------------------------------------------------------------------------------- */

/* A histogram over a cluster: the neighbour's bins are read before it has counted. */
template <bool right> __global__ void __cluster_dims__(2) cluster_sum(const int *in, int *out)
{
    __shared__ int sum;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        sum = 0;
    }
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (right) {
        cluster.sync();
    } else {
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] =
            *cluster.map_shared_rank(&sum, cluster.block_rank() ^ 1); // MISTAKE cluster_sum race
    }
    cluster.sync();
}
TWINS(cluster_sum) { cluster_sum<right><<<2, 64>>>(buffer<int>(128), buffer<int>(2)); }

/* A block ends while its neighbour still reads its shared memory. */
template <bool right> __global__ void __cluster_dims__(2) cluster_exit(const int *in, int *out)
{
    __shared__ int s[32];
    auto cluster = cg::this_cluster();
    s[threadIdx.x] = in[threadIdx.x];
    cluster.sync();
    if (cluster.block_rank() == 1) {
        for (int k = 0; k < 64; k++) {
            out[threadIdx.x] +=
                cluster.map_shared_rank(s, 0)[(threadIdx.x + k) % 32]; // MISTAKE cluster_exit ended
        }
    }
    if (right) {
        cluster.sync();
    }
}
TWINS(cluster_exit) { cluster_exit<right><<<2, 32>>>(buffer<int>(32), buffer<int>(32)); }

/* Halos are pushed into the neighbour's shared memory, which still uses the old ones. */
template <bool right> __global__ void __cluster_dims__(4) push_halo(const float *in, float *out)
{
    __shared__ float line[34];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, rank = cluster.block_rank();
    line[t + 1] = in[32 * rank + t];
    if (t == 0) {
        line[0] = line[33] = 0;
    }
    cluster.sync();
    for (int k = 0; k < 3; k++) {
        if (t == 0 && rank > 0) {
            cluster.map_shared_rank(line, rank - 1)[33] = line[1]; // MISTAKE push_halo race
        }
        cluster.sync();
        float v = line[t] + line[t + 1] + line[t + 2];
        if (right) {
            cluster.sync();
        } else {
            __syncthreads();
        }
        line[t + 1] = v;
        __syncthreads();
    }
    out[32 * rank + t] = line[t + 1];
    cluster.sync();
}
TWINS(push_halo)
{
    float *in = buffer<float>(128), h[128];
    for (int i = 0; i < 128; i++) {
        h[i] = 1.0f + i;
    }
    must(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    push_halo<right><<<4, 32>>>(in, buffer<float>(128));
}

/* A tile for all blocks of the cluster, multicast; the others do not wait for their own mbarrier.
 */
template <bool right> __global__ void __cluster_dims__(2) multicast(const int *in, int *out)
{
    __shared__ alignas(128) int tile[64];
    __shared__ u64 bar;
    auto cluster = cg::this_cluster();
    int t = threadIdx.x;
    if (t == 0) {
        mbar_init(&bar, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        mbar_expect(&bar, 256);
    }
    cluster.sync();
    if (cluster.block_rank() == 0 && t == 0) {
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
            "[%0], [%1], 256, [%2], %3;" ::"r"(at(tile)),
            "l"(in), "r"(at(&bar)), "h"((short)3)
            : "memory");
    }
    if (right || cluster.block_rank() == 0) {
        mbar_wait(&bar, 0);
    }
    out[64 * cluster.block_rank() + t] = tile[t]; // MISTAKE multicast race
    cluster.sync();
}
TWINS(multicast) { multicast<right><<<2, 64>>>(buffer<int>(64), buffer<int>(128)); }

/* --- wgmma
 * ---------------------------------------------------------------------------------------- */

DEVICE u64 descriptor(const void *p)
{
    u64 d = (at(p) & 0x3ffff) >> 4;
    d |= (u64)(128 >> 4) << 16; // the next 8 columns of k
    d |= (u64)(256 >> 4) << 32; // the next 8 rows
    return d;
}
DEVICE void product(float *d, u64 a, u64 b)
{
    asm volatile("{.reg .pred p; setp.ne.b32 p, %6, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, "
                 "1, 1, 0, 0;}"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(a), "l"(b), "r"(1));
}
DEVICE void product_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
DEVICE void product_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
DEVICE void product_wait() { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }

/* The operands were stored by threads; the tensor cores have not been shown them. */
template <bool right> __global__ void operands(const unsigned short *in, float *out)
{
    __shared__ alignas(128) unsigned short a[64 * 16], b[8 * 16];
    for (int i = threadIdx.x; i < 64 * 16; i += 128) {
        a[i] = in[i];
    }
    b[threadIdx.x] = in[threadIdx.x];
    if (right) {
        proxy_fence();
    }
    __syncthreads();
    float d[4] = {0, 0, 0, 0};
    product_begin();
    product(d, descriptor(a), descriptor(b)); // MISTAKE operands race
    product_commit();
    product_wait();
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}
TWINS(operands) { operands<right><<<1, 128>>>(buffer<unsigned short>(1024), buffer<float>(128)); }

/* The next k-slice is stored over operands that a product may still read. */
template <bool right> __global__ void slices(const unsigned short *in, float *out)
{
    __shared__ alignas(128) unsigned short a[64 * 16], b[8 * 16];
    float d[4] = {0, 0, 0, 0};
    for (int k = 0; k < 2; k++) {
        for (int i = threadIdx.x; i < 64 * 16; i += 128) {
            a[i] = in[i]; // MISTAKE slices race
        }
        b[threadIdx.x] = in[threadIdx.x];
        proxy_fence();
        __syncthreads();
        product_begin();
        product(d, descriptor(a), descriptor(b));
        product_commit();
        if (right || k == 1) {
            product_wait();
        }
        __syncthreads();
    }
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}
TWINS(slices) { slices<right><<<1, 128>>>(buffer<unsigned short>(1024), buffer<float>(128)); }

/* The sums are stored before the product is done. */
template <bool right> __global__ void sums(const unsigned short *in, float *out)
{
    __shared__ alignas(128) unsigned short a[64 * 16], b[8 * 16];
    for (int i = threadIdx.x; i < 64 * 16; i += 128) {
        a[i] = in[i];
    }
    b[threadIdx.x] = in[threadIdx.x];
    proxy_fence();
    __syncthreads();
    float d[4] = {0, 0, 0, 0};
    product_begin();
    product(d, descriptor(a), descriptor(b));
    product_commit();
    if (right) {
        product_wait();
    }
    out[threadIdx.x] = d[0] * 0.5f + d[3]; // MISTAKE sums race
    product_wait();
}
TWINS(sums) { sums<right><<<1, 128>>>(buffer<unsigned short>(1024), buffer<float>(128)); }

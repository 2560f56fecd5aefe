/* third_copies.cu - mistakes with copies beside the threads: groups, pipelines, barriers with bytes. */
/* flags: -arch=sm_90a */
#include "mistakes.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

#pragma nv_diag_suppress static_var_with_dynamic_init

enum { N = 128,
       STAGES = 2,
       TILES = 6 };

/* The last tiles of a pipeline: fewer groups are under way, and the wait still lets one be. */
template <bool right>
__global__ void stages(const int *in, int *out)
{
    __shared__ int s[STAGES][N];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[0][t], &in[t], sizeof(int));
    __pipeline_commit();
    int sum = 0;
    for (int k = 0; k < TILES; k++) {
        if (k + 1 < TILES) {
            __pipeline_memcpy_async(&s[(k + 1) % STAGES][t], &in[(k + 1) * N + t], sizeof(int));
            __pipeline_commit();
        } else if (right) {
            __pipeline_commit();
        }
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[k % STAGES][(t + 1) % N]; // MISTAKE last_tile race
        __syncthreads();
    }
    out[t] = sum;
}
TWINS(last_tile)
{
    stages<right><<<1, N>>>(buffer<int>(TILES * N), buffer<int>(N));
}

/* A wait covers groups; a copy that belongs to none is not waited for. */
template <bool right>
__global__ void uncommitted(const float4 *in, float4 *out)
{
    __shared__ float4 s[32];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], sizeof(float4));
    if (right) {
        __pipeline_commit();
    }
    asm volatile("cp.async.wait_group 0;" ::
                     : "memory");
    out[t] = s[t]; // MISTAKE no_commit race
}
TWINS(no_commit)
{
    uncommitted<right><<<1, 32>>>(buffer<float4>(32), buffer<float4>(32));
}

/* Behind the wait each thread has its own element, not its neighbour's. */
template <bool right>
__global__ void neighbour_copy(const int *in, int *out)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (right) {
        __syncthreads();
    }
    out[t] = s[N - 1 - t]; // MISTAKE own_wait race
}
TWINS(own_wait)
{
    neighbour_copy<right><<<1, N>>>(buffer<int>(N), buffer<int>(N));
}

/* The next tile is fetched into a buffer that others still read. */
template <bool right>
__global__ void refill(const int *in, int *out)
{
    __shared__ int s[N];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < TILES; k++) {
        __pipeline_memcpy_async(&s[t], &in[k * N + t], sizeof(int)); // MISTAKE refill_one race
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        sum += s[(t + 40) % N];
        if (right) {
            __syncthreads();
        }
    }
    out[t] = sum;
}
TWINS(refill_one)
{
    refill<right><<<1, N>>>(buffer<int>(TILES * N), buffer<int>(N));
}

/* Cooperative groups' copy without its wait. */
template <bool right>
__global__ void group_copy(const int *in, int *out)
{
    __shared__ int s[N];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, in, sizeof(int) * N);
    if (right) {
        cg::wait(block);
    } else {
        block.sync();
    }
    out[threadIdx.x] = s[threadIdx.x]; // MISTAKE group_wait race
    if (!right) {
        cg::wait(block);
    }
}
TWINS(group_wait)
{
    group_copy<right><<<1, N>>>(buffer<int>(N), buffer<int>(N));
}

/* A pipeline of one thread: the stage is read before it is waited for. */
template <bool right>
__global__ void own_pipeline(const int *in, int *out)
{
    __shared__ int s[2][N];
    auto pipe = cuda::make_pipeline();
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 2; k++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&s[k][t], &in[k * N + t], sizeof(int), pipe);
        pipe.producer_commit();
    }
    for (int k = 0; k < 2; k++) {
        if (right) {
            pipe.consumer_wait();
        }
        sum += s[k][t]; // MISTAKE pipe_wait race
        if (!right) {
            pipe.consumer_wait();
        }
        pipe.consumer_release();
    }
    out[t] = sum;
}
TWINS(pipe_wait)
{
    own_pipeline<right><<<1, N>>>(buffer<int>(2 * N), buffer<int>(N));
}

static __device__ unsigned at(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
static __device__ void bar_init(unsigned long long *bar, int count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(bar)), "r"(count)
                 : "memory");
}
static __device__ void bar_expect(unsigned long long *bar, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(bar)), "r"(bytes)
                 : "memory");
}
static __device__ void bar_wait(unsigned long long *bar, int parity)
{
    const unsigned bar_shared = at(bar);
    int over;
    do {
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.b32 %0, 1, 0, p;\n}" : "=r"(over) : "r"(bar_shared), "r"(parity) : "memory"); // MISTAKE bytes_missing .
    } while (!over);
}
static __device__ void bulk_in(void *to, const void *from, int bytes, unsigned long long *bar)
{
    const unsigned to_shared = at(to), bar_shared = at(bar);
    const size_t from_global = __cvta_generic_to_global(from);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to_shared), "l"(from_global), "r"(bytes), "r"(bar_shared) : "memory"); // MISTAKE odd_size . MISTAKE empty_unasked race
}
static __device__ void bulk_out(void *to, const void *from, int bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;" ::"l"(
                     __cvta_generic_to_global(to)),
                 "r"(at(from)), "r"(bytes)
                 : "memory");
}
static __device__ void proxy_fence()
{
    asm volatile("fence.proxy.async.shared::cta;" ::
                     : "memory");
}

/* Two rounds of a bulk copy: the parity of the second wait is the first one's. */
template <bool right>
__global__ void parity(const int *in, int *out)
{
    __shared__ alignas(128) int s[2][N];
    __shared__ unsigned long long bar;
    int t = threadIdx.x, sum = 0;
    if (t == 0) {
        bar_init(&bar, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::
                         : "memory");
    }
    __syncthreads();
    for (int k = 0; k < 2; k++) {
        if (t == 0) {
            bar_expect(&bar, sizeof s[k]);
            bulk_in(s[k], in + k * N, sizeof s[k], &bar);
        }
        bar_wait(&bar, right ? k : 0);
        sum += s[k][t]; // MISTAKE parity_again race
        __syncthreads();
    }
    out[t] = sum;
}
TWINS(parity_again)
{
    parity<right><<<1, N>>>(buffer<int>(2 * N), buffer<int>(N));
}

/* More bytes are expected than come. */
template <bool right>
__global__ void bytes(const int *in, int *out)
{
    __shared__ alignas(16) int s[N];
    __shared__ unsigned long long bar;
    int t = threadIdx.x;
    if (t == 0) {
        bar_init(&bar, 1);
    }
    __syncthreads();
    if (t == 0) {
        bar_expect(&bar, sizeof s);
        bulk_in(s, in, right ? (int)sizeof s : N, &bar);
    }
    bar_wait(&bar, 0);
    out[t] = s[t];
}
TWINS(bytes_missing)
{
    bytes<right><<<1, N>>>(buffer<int>(N), buffer<int>(N));
}

/* What threads stored goes out by the copy engine without the fence of its proxy. */
template <bool right>
__global__ void store_out(int *out)
{
    __shared__ alignas(16) int s[N];
    int t = threadIdx.x;
    s[t] = t; // MISTAKE proxy_out race
    if (right) {
        proxy_fence();
    }
    __syncthreads();
    if (t == 0) {
        bulk_out(out, s, sizeof s);
        asm volatile("cp.async.bulk.wait_group 0;" ::
                         : "memory");
    }
}
TWINS(proxy_out)
{
    store_out<right><<<1, N>>>(buffer<int>(N));
}

/* The buffer of a copy to global memory is written again before it was read. */
template <bool right>
__global__ void reuse_out(int *out)
{
    __shared__ alignas(16) int s[N];
    int t = threadIdx.x;
    for (int k = 0; k < 3; k++) {
        s[t] = k * t; // MISTAKE reuse_out race
        proxy_fence();
        __syncthreads();
        if (t == 0) {
            bulk_out(out + k * N, s, sizeof s);
            if (right) {
                asm volatile("cp.async.bulk.wait_group.read 0;" ::
                                 : "memory");
            }
        }
        __syncthreads();
    }
    if (t == 0) {
        asm volatile("cp.async.bulk.wait_group 0;" ::
                         : "memory");
    }
}
TWINS(reuse_out)
{
    reuse_out<right><<<1, N>>>(buffer<int>(3 * N));
}

/* A barrier is used by threads that need not have seen its initialisation. */
template <bool right>
__global__ void init_seen(const int *in, int *out)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier bar;
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t == 0) {
        init(&bar, 64); // MISTAKE init_seen .
    }
    if (right) {
        __syncthreads();
    }
    s[t] = in[t];
    bar.arrive_and_wait();
    out[t] = s[63 - t];
}
TWINS(init_seen)
{
    init_seen<right><<<1, 64>>>(buffer<int>(64), buffer<int>(64));
}

/* A block of the cluster ends while its neighbour still reads its memory. */
template <bool right>
__global__ __cluster_dims__(2) void leave(int *out)
{
    __shared__ int s[32];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x;
    s[t] = t;
    cluster.sync();
    if (cluster.block_rank() == 1) {
        int sum = 0;
        for (int i = 0; i < 1000; i++) {
            sum += ((volatile int *)cluster.map_shared_rank(s, 0))[t]; // MISTAKE cluster_left .
        }
        out[t] = sum;
    }
    if (right) {
        cluster.sync();
    }
}
TWINS(cluster_left)
{
    leave<right><<<2, 32>>>(buffer<int>(32));
}

/* A bulk copy of a size that is no multiple of 16 bytes. */
template <bool right>
__global__ void odd_size(const int *in, int *out)
{
    __shared__ alignas(16) int s[N];
    __shared__ unsigned long long bar;
    int t = threadIdx.x;
    if (t == 0) {
        bar_init(&bar, 1);
    }
    __syncthreads();
    if (t == 0) {
        int size = right ? 48 : 40;
        bar_expect(&bar, size);
        bulk_in(s, in, size, &bar);
    }
    bar_wait(&bar, 0);
    out[t] = t < 10 ? s[t] : 0;
}
TWINS(odd_size)
{
    odd_size<right><<<1, N>>>(buffer<int>(N), buffer<int>(N));
}

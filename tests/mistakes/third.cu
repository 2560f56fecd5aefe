/* third.cu - of the third set of mistakes those that were missed, or whose twin was called wrong,
 * when they were first run; more/ has the others. */
/* flags: -arch=sm_90a */
#include "mistakes.h"
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <unistd.h>

namespace cg = cooperative_groups;

#pragma nv_diag_suppress static_var_with_dynamic_init

enum { STAGES = 2, TILES = 6, N = 32 };

/* A barrier for half of a warp does not order what the other half has stored. */
template <bool right>
__global__ void half_mask(int *out)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    s[t] = t * t;
    if (t < 16) {
        __syncwarp(right ? 0xffffffffu : 0x0000ffffu);
        out[t] = s[t + 16]; // MISTAKE half_mask race
    } else {
        __syncwarp(right ? 0xffffffffu : 0xffff0000u);
    }
}
TWINS(half_mask)
{
    half_mask<right><<<1, N>>>(buffer<int>(N));
}

/* The CUDA programming guide's atomicAdd() for doubles of old GPUs begins with a plain load; a maximum
 * of one's own that gives up by such a load is wrong, the loop of the guide is not. */
template <bool right>
__global__ void own_max(float *best, const float *in)
{
    float v = in[blockIdx.x * 32 + threadIdx.x];
    int *word = (int *)best;
    if (right) {
        int old = *word, assumed;
        do {
            assumed = old;
            old = atomicCAS(word, assumed, __float_as_int(fmaxf(v, __int_as_float(assumed))));
        } while (assumed != old);
    } else if (v > *best) { // MISTAKE own_max race
        atomicExch(best, v);
    }
}
TWINS(own_max)
{
    float h[128];
    for (int i = 0; i < 128; i++) {
        h[i] = (float)(i + 1);
    }
    float *in = buffer<float>(128);
    must(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    own_max<right><<<4, 32>>>(buffer<float>(1), in);
}

/* cuda::memcpy_async on a barrier: arrival is not the wait. */
template <bool right>
__global__ void barrier_copy(const int4 *in, int *out)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ alignas(16) int4 s[32];
    __shared__ barrier bar;
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) {
        init(&bar, block.size());
    }
    block.sync();
    cuda::memcpy_async(block, s, in, cuda::aligned_size_t<16>(sizeof s), bar);
    auto token = bar.arrive();
    if (right) {
        bar.wait(std::move(token));
    }
    out[threadIdx.x] = s[threadIdx.x].x; // MISTAKE arrive_alone race
    if (!right) {
        bar.wait(std::move(token));
    }
}
TWINS(arrive_alone)
{
    barrier_copy<right><<<1, 32>>>(buffer<int4>(32), buffer<int>(32));
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
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.b32 %0, 1, 0, p;\n}"
                     : "=r"(over)
                     : "r"(bar_shared), "r"(parity)
                     : "memory");
    } while (!over);
}
static __device__ void bulk_in(void *to, const void *from, int bytes, unsigned long long *bar)
{
    const unsigned to_shared = at(to), bar_shared = at(bar);
    const size_t from_global = __cvta_generic_to_global(from);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to_shared), "l"(from_global), "r"(bytes), "r"(bar_shared) : "memory"); // MISTAKE empty_unasked race
}
/* A producer warp and consumer warps: the slot is filled again without a look at the "empty" barrier. */
template <bool right>
__global__ void warps_ring(const int *in, int *out)
{
    __shared__ alignas(128) int s[STAGES][N];
    __shared__ unsigned long long full[STAGES], empty[STAGES];
    int t = threadIdx.x, warp = t / 32;
    if (t == 0) {
        for (int k = 0; k < STAGES; k++) {
            bar_init(&full[k], 1), bar_init(&empty[k], N);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::
                         : "memory");
    }
    __syncthreads();
    if (warp == N / 32) {
        for (int k = 0; t % 32 == 0 && k < TILES; k++) {
            if (right && k >= STAGES) {
                bar_wait(&empty[k % STAGES], (k / STAGES - 1) % 2);
            }
            bar_expect(&full[k % STAGES], sizeof s[0]);
            bulk_in(s[k % STAGES], in + k * N, sizeof s[0], &full[k % STAGES]);
        }
        return;
    }
    int sum = 0;
    for (int k = 0; k < TILES; k++) {
        bar_wait(&full[k % STAGES], k / STAGES % 2);
        sum += s[k % STAGES][t];
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(&empty[k % STAGES]))
                     : "memory");
    }
    out[t] = sum;
}
TWINS(empty_unasked)
{
    warps_ring<right><<<1, N + 32>>>(buffer<int>(TILES * N), buffer<int>(N));
}

/* An element of distributed shared memory is read before its block has stored it. */
template <bool right>
__global__ __cluster_dims__(2) void exchange(int *out)
{
    __shared__ int s[32];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x;
    s[t] = cluster.block_rank() * 100 + t; // MISTAKE cluster_store race
    if (right) {
        cluster.sync();
    } else {
        __syncthreads();
    }
    out[blockIdx.x * 32 + t] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[t];
    cluster.sync();
}
TWINS(cluster_store)
{
    exchange<right><<<2, 32>>>(buffer<int>(64));
}

/* A histogram over a cluster: the bins of another block are added to before that one has cleared them. */
template <bool right>
__global__ __cluster_dims__(2) void cluster_histogram(const int *in, int *out)
{
    __shared__ int bins[32];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x;
    bins[t] = 0; // MISTAKE cluster_clear race
    if (right) {
        cluster.sync();
    } else {
        __syncthreads();
    }
    atomicAdd(&cluster.map_shared_rank(bins, in[t] & 1)[t], 1);
    cluster.sync();
    out[blockIdx.x * 32 + t] = bins[t];
}
TWINS(cluster_clear)
{
    cluster_histogram<right><<<2, 32>>>(buffer<int>(32), buffer<int>(64));
}

/* One block fills the other's buffers by plain stores and arrives at its mbarrier; the other one
 * arrives at an mbarrier of the first when it has read. */
static __device__ void arrive_at(cg::cluster_group &cluster, unsigned long long *bar, int block)
{
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}" ::"r"(at(bar)),
                 "r"(block)
                 : "memory");
}
template <bool right>
__global__ __cluster_dims__(2) void cluster_ring(int *out)
{
    __shared__ int slots[STAGES][32];
    __shared__ unsigned long long full[STAGES], empty[STAGES];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, sum = 0;
    if (t == 0) {
        for (int k = 0; k < STAGES; k++) {
            bar_init(&full[k], 32), bar_init(&empty[k], 32);
        }
    }
    cluster.sync();
    for (int k = 0; k < TILES; k++) {
        int stage = k % STAGES, round = k / STAGES;
        if (cluster.block_rank() == 0) {
            if (k >= STAGES) {
                bar_wait(&empty[stage], (round - 1) % 2);
            }
            if (!right) {
                arrive_at(cluster, &full[stage], 1);
            }
            cluster.map_shared_rank(slots[stage], 1)[t] = k + t;
            if (right) {
                arrive_at(cluster, &full[stage], 1);
            }
        } else {
            bar_wait(&full[stage], round % 2);
            sum += slots[stage][31 - t]; // MISTAKE cluster_ring race
            arrive_at(cluster, &empty[stage], 0);
        }
    }
    cluster.sync();
    out[blockIdx.x * 32 + t] = sum;
}
TWINS(cluster_ring)
{
    cluster_ring<right><<<2, 32>>>(buffer<int>(64));
}

/* All blocks of a cluster say the same thing; one says something else. */
template <bool right>
__global__ __cluster_dims__(4) void cluster_word(int *out)
{
    __shared__ int word;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        word = 0;
    }
    cluster.sync();
    if (threadIdx.x < 4) {
        *cluster.map_shared_rank(&word, 0) = right ? 7 : (int)cluster.block_rank(); // MISTAKE cluster_word race
    }
    cluster.sync();
    out[blockIdx.x * 32 + threadIdx.x] = word;
}
TWINS(cluster_word)
{
    cluster_word<right><<<4, 32>>>(buffer<int>(128));
}

__global__ void fill(int *a)
{
    a[threadIdx.x] = 1;
}

/* Objects that are never given back. */
TWINS(leaked_graph)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStream_t stream;
    int *d = buffer<int>(32);
    must(cudaStreamCreate(&stream));
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    fill<<<1, 32, 0, stream>>>(d);
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaGraphInstantiate(&exec, graph, 0)); // MISTAKE leaked_graph leak
    if (right) {
        cudaGraphExecDestroy(exec);
    }
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
}
TWINS(leaked_texture)
{
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = buffer<float>(64);
    what.res.linear.desc = cudaCreateChannelDesc<float>();
    what.res.linear.sizeInBytes = 64 * sizeof(float);
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    must(cudaCreateTextureObject(&texture, &what, &how, NULL)); // MISTAKE leaked_texture leak
    if (right) {
        cudaDestroyTextureObject(texture);
    }
}

/* The program once more, with two devices. */
static void two_devices(const char *name)
{
    if (getenv("SIMT_DEVICES") == NULL) {
        setenv("SIMT_DEVICES", "2", 1);
        execl("/proc/self/exe", "third", name, (char *)NULL);
        must(cudaErrorUnknown);
    }
}

TWINS(other_stream)
{
    cudaStream_t stream;
    two_devices(right ? "other_stream_right" : "other_stream");
    must(cudaSetDevice(right ? 0 : 1));
    must(cudaStreamCreate(&stream));
    must(cudaSetDevice(0));
    int *d = buffer<int>(32);
    fill<<<1, 32, 0, stream>>>(d); // MISTAKE other_stream .
    if (right) {
        cudaStreamSynchronize(stream);
    }
    cudaStreamDestroy(stream);
}

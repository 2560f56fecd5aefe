/* seventh.cu - of a seventh set of mistakes, those that were missed, or told with a wrong line or
 * reason, when they were first run, and the twins that were called wrong; more/ has the others. */
/* flags: -std=c++17 -arch=sm_90a */
#include "mistakes.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <stdint.h>

namespace cg = cooperative_groups;

#define I ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#define T ((int)threadIdx.x)

/* ---- warps, mbarriers, clusters -------------------------------------------------------------- */

/* A tile of 16: its last four have returned when the others shuffle. */
template <bool right> __global__ void tile_sum(const int *x, int n, int *out)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    if (!right && T >= n) {
        return;
    }
    int v = T < n ? x[T] : 0;
    for (int d = 8; d > 0; d /= 2) {
        v += tile.shfl_down(v, d); // MISTAKE tile_sum lane
    }
    if (T < n) {
        out[T] = v;
    }
}
TWINS(tile_sum) { tile_sum<right><<<1, 32>>>(buffer<int>(28), 28, buffer<int>(32)); }

/* Neighbours pass a token in shared memory: volatile is no order among other variables. */
template <bool right> __global__ void token(int *out)
{
    __shared__ volatile int turn;
    __shared__ int payload;
    if (T == 0) {
        turn = 0;
        payload = 0;
    }
    __syncthreads();
    if (T % 32 == 0) {
        int w = T / 32;
        while (turn != w) {
        }
        if (right) {
            __threadfence_block();
        }
        payload += w; // MISTAKE token race
        if (right) {
            __threadfence_block();
        }
        turn = w + 1;
    }
    __syncthreads();
    out[T] = payload;
}
TWINS(token) { token<right><<<1, 128>>>(buffer<int>(128)); }

/* Those who are here make a group; one of them asks for a member that it has not. */
template <bool right> __global__ void members(int *out)
{
    out[T] = 0;
    if (T % 3 == 0) {
        auto here = cg::coalesced_threads();
        int sum = cg::reduce(here, T, cg::plus<int>());
        here.sync();
        auto mine = cg::labeled_partition(here, T % 2);
        out[T] = sum + mine.shfl(T, right ? 0 : (int)mine.size()); // MISTAKE members lane
    }
}
TWINS(members) { members<right><<<1, 32>>>(buffer<int>(32)); }

/* Macros, so that each use has a line of its own. */
#define INIT(bar, count)                                                                           \
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(count)       \
                 : "memory")
#define ARRIVE(bar)                                                                                \
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(shared_address(bar)) \
                 : "memory")
__device__ static unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
__device__ static void wait(uint64_t *bar, unsigned parity)
{
    unsigned done = 0;
    while (!done) {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(bar)), "r"(parity)
                     : "memory");
    }
}

/* A barrier is initialised for its second use while others still ask for the end of the first. */
template <bool right> __global__ void init_again(int *out)
{
    __shared__ uint64_t bar;
    __shared__ int s[64];
    for (int round = 0; round < 2; round++) {
        if (T == 0) {
            INIT(&bar, 64); // MISTAKE init_again race
        }
        __syncthreads();
        s[T] = round;
        ARRIVE(&bar);
        wait(&bar, 0);
        out[T] = s[T ^ 1];
        if (right) {
            __syncthreads();
        }
    }
}
TWINS(init_again) { init_again<right><<<1, 64>>>(buffer<int>(64)); }

/* Shared memory of a barrier becomes that of a sum while others still wait at it. */
template <bool right> __global__ void barrier_as_data(const int *in, unsigned long long *out)
{
    __shared__ uint64_t bar;
    if (T == 0) {
        INIT(&bar, 64);
    }
    __syncthreads();
    ARRIVE(&bar);
    wait(&bar, 0);
    if (right) {
        __syncthreads();
    }
    if (T == 0) {
        bar = in[0]; // MISTAKE barrier_as_data race
        *out = bar;
    }
}
TWINS(barrier_as_data)
{
    barrier_as_data<right><<<1, 64>>>(buffer<int>(1), buffer<unsigned long long>(1));
}

/* A kernel of pairs of blocks that is launched as one of single blocks. */
__global__ void pairs(int *out)
{
    __shared__ int s;
    auto cluster = cg::this_cluster();
    if (T == 0) {
        s = blockIdx.x;
    }
    cluster.sync();
    out[I] = *cluster.map_shared_rank(&s, 1); // MISTAKE no_cluster __cluster_dims__
    cluster.sync();
}
TWINS(no_cluster)
{
    int *out = buffer<int>(128);
    cudaLaunchConfig_t launch = {};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    launch.gridDim = 4;
    launch.blockDim = 32;
    launch.attrs = &attribute;
    launch.numAttrs = right ? 1 : 0;
    must(cudaLaunchKernelEx(&launch, pairs, out));
}

/* ---- the host -------------------------------------------------------------------------------- */

enum { N = 4096, BYTES = N * sizeof(float) };

__global__ void fill(float *a, float value) { a[I] = value; }
__global__ void add(const float *a, float *b) { b[I] += a[I]; }
static float *pinned()
{
    void *p;
    must(cudaMallocHost(&p, BYTES));
    memset(p, 0, BYTES);
    return (float *)p;
}
struct two_streams {
    cudaStream_t a, b;
    two_streams()
    {
        must(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
        must(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    }
    ~two_streams()
    {
        must(cudaDeviceSynchronize());
        must(cudaStreamDestroy(a));
        must(cudaStreamDestroy(b));
    }
};

/* The weights of the next layer arrive while the last layer's kernel uses this layer's. */
__constant__ float weights[256];
__global__ void weigh(float *a) { a[I] *= weights[T]; }
TWINS(next_weights)
{
    two_streams s;
    float *a = buffer<float>(N), *h = pinned();
    must(cudaDeviceSynchronize());
    for (int layer = 0; layer < 2; layer++) {
        must(cudaMemcpyToSymbolAsync( // MISTAKE next_weights race
            weights, h + 256 * layer, sizeof weights, 0, cudaMemcpyHostToDevice, s.b));
        must(cudaStreamSynchronize(s.b));
        weigh<<<N / 256, 256, 0, right ? s.b : s.a>>>(a);
    }
    must(cudaDeviceSynchronize());
    must(cudaFreeHost(h));
}

/* Mapped memory is set by the device, and read by the host before that. */
TWINS(set_mapped)
{
    two_streams s;
    float *h, *d;
    volatile float sum = 0;
    must(cudaHostAlloc(&h, BYTES, cudaHostAllocMapped));
    must(cudaHostGetDevicePointer(&d, h, 0));
    must(cudaMemsetAsync(d, 0, BYTES, s.a));
    if (right) {
        must(cudaStreamSynchronize(s.a));
    }
    sum += h[9]; // MISTAKE set_mapped race
    must(cudaDeviceSynchronize());
    must(cudaFreeHost(h));
}

/* A question is no wait. */
TWINS(asked_once)
{
    two_streams s;
    float *a = buffer<float>(N), *h = pinned();
    volatile float sum = 0;
    must(cudaDeviceSynchronize());
    fill<<<N / 256, 256, 0, s.a>>>(a, 1);
    must(cudaMemcpyAsync(h, a, BYTES, cudaMemcpyDeviceToHost, s.a));
    if (right) {
        while (cudaStreamQuery(s.a) == cudaErrorNotReady) {
        }
    } else {
        cudaStreamQuery(s.a);
    }
    sum += h[5]; // MISTAKE asked_once race
    must(cudaDeviceSynchronize());
    must(cudaFreeHost(h));
}

/* All memory goes with the reset of the device. */
TWINS(after_reset)
{
    float *a;
    must(cudaMalloc(&a, BYTES));
    if (!right) {
        must(cudaDeviceReset());
    }
    fill<<<N / 256, 256>>>(a, 1); // MISTAKE after_reset freed
    cudaError_t code = cudaDeviceSynchronize();
    if (right) {
        must(code);
        must(cudaFree(a));
        must(cudaDeviceReset());
    }
}

/* Launches of one executable graph wait for each other, those of two do not. */
TWINS(two_executables)
{
    two_streams s;
    float *a = buffer<float>(N), *b = buffer<float>(N);
    cudaGraph_t graph;
    cudaGraphExec_t first, second;
    must(cudaDeviceSynchronize());
    must(cudaStreamBeginCapture(s.a, cudaStreamCaptureModeGlobal));
    add<<<N / 256, 256, 0, s.a>>>(a, b); // MISTAKE two_executables race
    must(cudaStreamEndCapture(s.a, &graph));
    must(cudaGraphInstantiate(&first, graph, 0));
    must(cudaGraphInstantiate(&second, graph, 0));
    must(cudaGraphLaunch(first, s.a));
    must(cudaGraphLaunch(right ? first : second, s.b));
    must(cudaDeviceSynchronize());
    must(cudaGraphExecDestroy(first));
    must(cudaGraphExecDestroy(second));
    must(cudaGraphDestroy(graph));
}

/* Pinned memory is given back by cudaFreeHost(). */
TWINS(free_of_pinned)
{
    float *h = pinned();
    if (right) {
        must(cudaFreeHost(h));
    } else {
        cudaFree(h); // MISTAKE free_of_pinned cudaFree
    }
}

/* A node of the host fills what the copy behind it reads. */
static void set_all(void *p)
{
    for (int i = 0; i < N; i++) {
        ((float *)p)[i] = i;
    }
}
TWINS(host_node)
{
    float *h = pinned(), *a = buffer<float>(N), *b = buffer<float>(N);
    cudaGraph_t g;
    cudaGraphExec_t exec;
    cudaGraphNode_t early, late, work;
    const enum cudaMemcpyKind in = cudaMemcpyHostToDevice;
    cudaHostNodeParams host = {set_all, h};
    must(cudaGraphCreate(&g, 0));
    must(cudaGraphAddMemcpyNode1D(&early, g, NULL, 0, a, h, BYTES, in));
    must(cudaGraphAddHostNode(&work, g, &early, 1, &host));
    cudaGraphNode_t *behind = right ? &work : NULL;
    must(cudaGraphAddMemcpyNode1D( // MISTAKE host_node race
        &late, g, behind, right, b, h, BYTES, in));
    must(cudaGraphInstantiate(&exec, g, 0));
    must(cudaGraphLaunch(exec, 0));
    must(cudaDeviceSynchronize());
    must(cudaGraphExecDestroy(exec));
    must(cudaGraphDestroy(g));
    must(cudaFreeHost(h));
}

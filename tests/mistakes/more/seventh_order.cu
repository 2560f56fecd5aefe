/* seventh_order.cu - of the seventh set: locks, barriers and queues that programs make themselves,
 * and what hosts do to wait. */
/* flags: -std=c++17 -arch=sm_90a */
#include "mistakes.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda_pipeline_primitives.h>
#include <thread>

namespace cg = cooperative_groups;

#pragma nv_diag_suppress 20054 /* a barrier in shared memory is constructed by init() */

#define I ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#define T ((int)threadIdx.x)
enum { N = 4096, BYTES = N * sizeof(float) };
using word = cuda::atomic_ref<int, cuda::thread_scope_device>;

/* A queue of owners: each waits for a word of its own, which its predecessor sets. */
template <bool right> __global__ void owners(int *tail, int *next, int *waits, int *sum)
{
    int me = blockIdx.x + 1;
    if (T != 0) {
        return;
    }
    word(waits[me]).store(1, cuda::memory_order_relaxed);
    int before = word(*tail).exchange(me, cuda::memory_order_acq_rel);
    if (before != 0) {
        word(next[before]).store(me, cuda::memory_order_release);
        while (
            word(waits[me]).load(right ? cuda::memory_order_acquire : cuda::memory_order_relaxed)) {
        }
    }
    *sum += me; // MISTAKE owners race
    int expected = me;
    if (word(*tail).compare_exchange_strong(expected, 0, cuda::memory_order_acq_rel)) {
        return;
    }
    int after;
    while ((after = word(next[me]).load(cuda::memory_order_acquire)) == 0) {
    }
    word(waits[after]).store(0, cuda::memory_order_release);
}
TWINS(owners)
{
    owners<right><<<8, 32>>>(buffer<int>(1), buffer<int>(16), buffer<int>(16), buffer<int>(1));
}

/* Numbers are drawn and served. */
template <bool right> __global__ void served(int *ticket, int *serving, int *sum)
{
    if (T == 0) {
        int mine = word(*ticket).fetch_add(1, cuda::memory_order_relaxed);
        while (word(*serving).load(cuda::memory_order_acquire) != mine) {
        }
        *sum += mine; // MISTAKE served race
        word(*serving).store(mine + 1,
                             right ? cuda::memory_order_release : cuda::memory_order_relaxed);
    }
}
TWINS(served) { served<right><<<8, 32>>>(buffer<int>(1), buffer<int>(1), buffer<int>(1)); }

/* Many readers or one writer: -1 is the writer. */
template <bool right> __global__ void readers(int *state, int *data, int *out)
{
    if (T != 0) {
        return;
    }
    if (blockIdx.x % 4 == 0) {
        int none = 0;
        while (!word(*state).compare_exchange_weak(none, -1, cuda::memory_order_acquire)) {
            none = 0;
        }
        data[0]++;
        data[1]++;
        word(*state).store(0, cuda::memory_order_release);
    } else {
        int n = word(*state).load(cuda::memory_order_relaxed);
        while (n < 0 || !word(*state).compare_exchange_weak(n, n + 1, cuda::memory_order_acquire)) {
            n = word(*state).load(cuda::memory_order_relaxed);
        }
        out[blockIdx.x] = data[0] - data[1]; // MISTAKE readers race
        word(*state).fetch_sub(1, right ? cuda::memory_order_release : cuda::memory_order_relaxed);
    }
}
TWINS(readers) { readers<right><<<16, 32>>>(buffer<int>(1), buffer<int>(2), buffer<int>(16)); }

/* The last block, by one atomic that acquires and releases, without any fence. */
template <bool right> __global__ void last_by_order(const int *x, int *part, int *count, int *out)
{
    __shared__ bool last;
    int v = __syncthreads_count(x[I] == 0);
    if (T == 0) {
        part[blockIdx.x] = v;
        int n = word(*count).fetch_add(1, right ? cuda::memory_order_acq_rel
                                                : cuda::memory_order_relaxed);
        last = n == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (last && T < (int)gridDim.x) {
        atomicAdd(out, part[T]); // MISTAKE last_by_order race
    }
}
TWINS(last_by_order)
{
    last_by_order<right>
        <<<8, 64>>>(buffer<int>(512), buffer<int>(8), buffer<int>(1), buffer<int>(1));
}

/* A barrier of all blocks: the last one turns the sense. */
template <bool right> __global__ void all_blocks(int *count, int *sense, int *a, int *b)
{
    a[I] = I;
    __syncthreads();
    if (T == 0) {
        int now = word(*sense).load(cuda::memory_order_relaxed);
        if (word(*count).fetch_add(1, cuda::memory_order_acq_rel) == (int)gridDim.x - 1) {
            word(*count).store(0, cuda::memory_order_relaxed);
            word(*sense).store(!now, cuda::memory_order_release);
        } else {
            while (word(*sense).load(right ? cuda::memory_order_acquire
                                           : cuda::memory_order_relaxed) == now) {
            }
        }
    }
    __syncthreads();
    b[I] = a[(I + 32) % 128]; // MISTAKE all_blocks race
}
TWINS(all_blocks)
{
    all_blocks<right>
        <<<4, 32>>>(buffer<int>(1), buffer<int>(1), buffer<int>(128), buffer<int>(128));
}

/* One block fills a ring of four, another empties it. */
template <bool right> __global__ void one_to_one(int *head, int *tail, int *ring, int *out)
{
    if (T != 0) {
        return;
    }
    for (int k = 0; k < 12; k++) {
        if (blockIdx.x == 0) {
            while (k - word(*tail).load(cuda::memory_order_acquire) >= 4) {
            }
            ring[k % 4] = k; // MISTAKE one_to_one race
            word(*head).store(k + 1, cuda::memory_order_release);
        } else {
            while (word(*head).load(cuda::memory_order_acquire) <= k) {
            }
            out[k] = ring[k % 4];
            word(*tail).store(k + 1,
                              right ? cuda::memory_order_release : cuda::memory_order_relaxed);
        }
    }
}
TWINS(one_to_one)
{
    one_to_one<right><<<2, 32>>>(buffer<int>(1), buffer<int>(1), buffer<int>(4), buffer<int>(12));
}

/* Two named barriers between a warp that produces and one that consumes. */
template <bool right> __global__ void named(int *out)
{
    __shared__ int s[32];
    int lane = T % 32, sum = 0;
    for (int k = 0; k < 4; k++) {
        if (T < 32) {
            if (right && k > 0) {
                asm volatile("bar.sync 2, 64;" ::: "memory");
            }
            s[lane] = k;
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory"); // MISTAKE named barrier
            sum += s[31 - lane];
            if (right && k < 3) {
                asm volatile("bar.arrive 2, 64;" ::: "memory");
            }
        }
    }
    out[T] = sum;
}
TWINS(named) { named<right><<<1, 64>>>(buffer<int>(64)); }

/* A barrier in two halves: others may not be done before the second. */
template <bool right> __global__ void in_halves(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[64];
    if (T == 0) {
        init(&bar, 64);
    }
    __syncthreads();
    s[T] = T;
    auto token = bar.arrive();
    int own = T * 3;
    if (right) {
        bar.wait(std::move(token));
    }
    out[T] = own + s[63 - T]; // MISTAKE in_halves race
    if (!right) {
        bar.wait(std::move(token));
    }
}
TWINS(in_halves) { in_halves<right><<<1, 64>>>(buffer<int>(64)); }

/* Half of the threads leave a barrier that goes on to expect them. */
template <bool right> __global__ void leavers(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (T == 0) {
        init(&bar, 64);
    }
    __syncthreads();
    if (T >= 32) {
        if (right) {
            bar.arrive_and_drop();
        }
        return;
    }
    bar.arrive_and_wait(); // MISTAKE leavers arrivals
    out[T] = T;
}
TWINS(leavers) { leavers<right><<<1, 64>>>(buffer<int>(64)); }

/* Four stages of asynchronous copies: of three that are under way the oldest is awaited. */
template <bool right> __global__ void four_stages(const float4 *in, float4 *out)
{
    __shared__ float4 s[4][32];
    float4 sum = make_float4(0, 0, 0, 0);
    for (int k = 0; k < 3; k++) {
        __pipeline_memcpy_async(&s[k][T], &in[32 * k + T], 16);
        __pipeline_commit();
    }
    for (int k = 0; k < 8; k++) {
        __pipeline_wait_prior(right ? 2 : 3);
        __syncwarp();
        sum.x += s[k % 4][31 - T].x; // MISTAKE four_stages race
        if (k + 3 < 8) {
            __pipeline_memcpy_async(&s[(k + 3) % 4][T], &in[32 * (k + 3) + T], 16);
        }
        __pipeline_commit();
    }
    out[T] = sum;
}
TWINS(four_stages) { four_stages<right><<<1, 32>>>(buffer<float4>(256), buffer<float4>(32)); }

/* The next element is fetched a round ahead, also behind the last that has a value. */
template <bool right> __global__ void ahead(const float *x, int n, float *out)
{
    float sum = 0, next = x[T];
    for (int k = 1; k <= n; k++) {
        float now = next;
        next = x[k * 32 + T];
        sum += now;
    }
    out[T] = right ? sum : sum + next; // MISTAKE ahead uninitialised
}
TWINS(ahead)
{
    float *x;
    must(cudaMalloc(&x, 5 * 32 * sizeof *x));
    must(cudaMemset(x, 0, 4 * 32 * sizeof *x));
    ahead<right><<<1, 32>>>(x, 4, buffer<float>(32));
    must(cudaDeviceSynchronize());
    must(cudaFree(x));
}

/* A tile of two dimensions is used as one of one. */
template <bool right> __global__ void flat_tile(const float *in, float *out)
{
    __shared__ float s[8][8], t[64];
    float *flat = &s[0][0];
    t[T] = 0;
    flat[right ? T : T + 1] = in[T]; // MISTAKE flat_tile overflow
    __syncthreads();
    out[T] = s[T / 8][T % 8] + t[T];
}
TWINS(flat_tile) { flat_tile<right><<<1, 64>>>(buffer<float>(64), buffer<float>(64)); }

/* Each warp has bins of its own. */
template <bool right> __global__ void warp_bins(const int *x, int *out)
{
    __shared__ int bins[2][32];
    int w = T / 32, lane = T % 32;
    bins[w][lane] = 0;
    if (right) {
        __syncwarp();
    }
    atomicAdd(&bins[w][x[T] % 32], 1); // MISTAKE warp_bins race
    __syncthreads();
    if (T < 32) {
        out[T] = bins[0][T] + bins[1][T];
    }
}
TWINS(warp_bins) { warp_bins<right><<<1, 64>>>(buffer<int>(64), buffer<int>(32)); }

/* ---- the host -------------------------------------------------------------------------------- */

__global__ void fill(float *a, float value) { a[I] = value; }
static float *pinned()
{
    void *p;
    must(cudaMallocHost(&p, BYTES));
    memset(p, 0, BYTES);
    return (float *)p;
}
static cudaStream_t stream(unsigned flags)
{
    cudaStream_t s;
    must(cudaStreamCreateWithFlags(&s, flags));
    return s;
}

/* A function of the host fills what the next copy of its stream reads. */
static void set_all(void *p)
{
    for (int i = 0; i < N; i++) {
        ((float *)p)[i] = i;
    }
}
TWINS(filled_in_turn)
{
    cudaStream_t s = stream(cudaStreamNonBlocking);
    float *h = pinned(), *a = buffer<float>(N);
    must(cudaDeviceSynchronize());
    must(cudaMemcpyAsync(a, h, BYTES, cudaMemcpyHostToDevice, s));
    if (right) {
        must(cudaLaunchHostFunc(s, set_all, h));
    } else {
        h[7] = 1; // MISTAKE filled_in_turn race
    }
    must(cudaMemcpyAsync(a, h, BYTES, cudaMemcpyHostToDevice, s));
    must(cudaStreamSynchronize(s));
    must(cudaStreamDestroy(s));
    must(cudaFreeHost(h));
}

/* The default stream waits for blocking streams, and cudaMemcpy() for the default stream. */
TWINS(through_default)
{
    cudaStream_t s = stream(right ? cudaStreamDefault : cudaStreamNonBlocking);
    float *h = pinned(), *a = buffer<float>(N), one = 1;
    volatile float sum = 0;
    must(cudaDeviceSynchronize());
    fill<<<N / 256, 256, 0, s>>>(a, 1);
    must(cudaMemcpyAsync(h, a, BYTES, cudaMemcpyDeviceToHost, s));
    float *b = buffer<float>(1);
    must(cudaMemcpy(b, &one, sizeof one, cudaMemcpyHostToDevice));
    sum += h[3]; // MISTAKE through_default race
    must(cudaStreamSynchronize(s));
    must(cudaStreamDestroy(s));
    must(cudaFreeHost(h));
}

/* cudaFree() waits for the device; cudaFreeAsync() waits for nothing. */
TWINS(freed_first)
{
    cudaStream_t s = stream(cudaStreamNonBlocking);
    float *h = pinned(), *a;
    volatile float sum = 0;
    must(cudaMallocAsync(&a, BYTES, s));
    fill<<<N / 256, 256, 0, s>>>(a, 1);
    must(cudaMemcpyAsync(h, a, BYTES, cudaMemcpyDeviceToHost, s));
    if (right) {
        must(cudaFree(a));
    } else {
        must(cudaFreeAsync(a, s));
    }
    sum += h[3]; // MISTAKE freed_first race
    must(cudaStreamSynchronize(s));
    must(cudaStreamDestroy(s));
    must(cudaFreeHost(h));
}

/* Another thread of the host waits; this one waits for the thread. */
TWINS(thread_waits)
{
    cudaStream_t s = stream(cudaStreamNonBlocking);
    float *h = pinned(), *a = buffer<float>(N);
    volatile float sum = 0;
    must(cudaDeviceSynchronize());
    fill<<<N / 256, 256, 0, s>>>(a, 1);
    must(cudaMemcpyAsync(h, a, BYTES, cudaMemcpyDeviceToHost, s));
    std::thread waiter([=] { must(right ? cudaStreamSynchronize(s) : cudaStreamSynchronize(0)); });
    waiter.join();
    sum += h[3]; // MISTAKE thread_waits race
    must(cudaStreamSynchronize(s));
    must(cudaStreamDestroy(s));
    must(cudaFreeHost(h));
}

/* Of two nodes that write one array the second has no edge from the first. */
TWINS(node_order)
{
    float *h = pinned(), *a = buffer<float>(N);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t clear, copy;
    cudaMemsetParams zeros = {};
    zeros.dst = a;
    zeros.elementSize = 4;
    zeros.width = N;
    zeros.height = 1;
    must(cudaGraphCreate(&graph, 0));
    must(cudaGraphAddMemsetNode(&clear, graph, NULL, 0, &zeros)); // MISTAKE node_order race
    must(cudaGraphAddMemcpyNode1D(&copy, graph, right ? &clear : NULL, right ? 1 : 0, a, h, 256,
                                  cudaMemcpyHostToDevice));
    must(cudaGraphInstantiate(&exec, graph, 0));
    must(cudaGraphLaunch(exec, 0));
    must(cudaDeviceSynchronize());
    must(cudaGraphExecDestroy(exec));
    must(cudaGraphDestroy(graph));
    must(cudaFreeHost(h));
}

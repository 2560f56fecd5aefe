/* fourth_classes.cu - another variant of each class of the second set, and halos, heaps, graphs. */
#include "mistakes.h"
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/utility>
#include <cuda_fp16.h>
#include <vector>
namespace cg = cooperative_groups;

struct packed_pair {
    unsigned count, sum;
};
template <bool right> __global__ void widths(packed_pair *p, unsigned *n)
{
    if (blockIdx.x == 0) {
        if (right) {
            atomicAdd(&p->count, 1u);
            atomicAdd(&p->sum, threadIdx.x);
        } else
            atomicAdd((unsigned long long *)p, 1ull | (unsigned long long)threadIdx.x << 32);
    } else {
        atomicAdd(&p->count, 1u); // MISTAKE widths race
    }
}
TWINS(widths)
{
    packed_pair *p = buffer<packed_pair>(2);
    widths<right><<<2, 32>>>(p, nullptr);
}

struct accumulator {
    int *total;
    template <bool right> __device__ int add_and_get(int v)
    {
        atomicAdd(total, v);
        __syncthreads();
        return right ? atomicAdd(total, 0) : *total; // MISTAKE total_plain race
    }
};
template <bool right> __global__ void totals(accumulator a, int *out)
{
    int t = a.add_and_get<right>(threadIdx.x);
    if (threadIdx.x == 0)
        out[blockIdx.x] = t;
}
TWINS(total_plain) { totals<right><<<3, 64>>>({buffer<int>(1)}, buffer<int>(3)); }

template <bool right> __global__ void missing_arrival(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[64];
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0)
        init(&bar, right ? 64 : 65);
    block.sync();
    s[threadIdx.x] = threadIdx.x;
    bar.arrive_and_wait(); // MISTAKE missing_arrival simt
    out[threadIdx.x] = s[63 - threadIdx.x];
}
TWINS(missing_arrival) { missing_arrival<right><<<1, 64>>>(buffer<int>(64)); }

template <bool right> __global__ void dropped(int *out)
{
    /* Half of the threads leave without arrive_and_drop(). */
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0)
        init(&bar, 64);
    __syncthreads();
    if (threadIdx.x >= 32) {
        if (right)
            bar.arrive_and_drop();
        return;
    }
    for (int k = 0; k < 3; k++)
        bar.arrive_and_wait(); // MISTAKE not_dropped simt
    out[threadIdx.x] = 1;
}
TWINS(not_dropped) { dropped<right><<<1, 64>>>(buffer<int>(64)); }

template <bool right> __global__ void local_address(const int *in, int *out)
{
    __shared__ int *where[32];
    __shared__ int copy[32][4];
    int mine[4];
    for (int k = 0; k < 4; k++)
        mine[(k + in[threadIdx.x]) & 3] = k * 10 + threadIdx.x;
    if (right)
        for (int k = 0; k < 4; k++)
            copy[threadIdx.x][k] = mine[k];
    where[threadIdx.x] = right ? copy[threadIdx.x] : mine;
    __syncwarp();
    int *p = where[31 - threadIdx.x];
    out[threadIdx.x] = p[in[threadIdx.x] & 3]; // MISTAKE local_address simt
}
TWINS(local_address) { local_address<right><<<1, 32>>>(buffer<int>(32), buffer<int>(32)); }

TWINS(managed_after_free)
{
    int *m;
    must(cudaMallocManaged(&m, 4096));
    must(cudaMemset(m, 0, 4096));
    must(cudaDeviceSynchronize());
    volatile int *v = m;
    if (right)
        v[5] = 1;
    must(cudaFree(m));
    if (!right)
        v[5] = 1; // MISTAKE managed_after_free simt
}

TWINS(overlap)
{
    float *a = buffer<float>(256);
    must(cudaMemcpy(a + (right ? 128 : 64), a, 128 * sizeof(float), // MISTAKE overlap simt
                    cudaMemcpyDeviceToDevice));
}

template <bool right> __global__ void stage_early(const int4 *in, int *out)
{
    __shared__ int4 s[2][32];
    auto pipe = cuda::make_pipeline();
    int sum = 0;
    for (int k = 0; k < 2; k++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&s[k][threadIdx.x], in + 32 * k + threadIdx.x,
                           cuda::aligned_size_t<16>(16), pipe);
        pipe.producer_commit();
    }
    for (int k = 0; k < 2; k++) {
        if (right)
            pipe.consumer_wait();
        sum += s[k][threadIdx.x].x; // MISTAKE stage_early race
        if (!right)
            pipe.consumer_wait();
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}
TWINS(stage_early) { stage_early<right><<<1, 32>>>(buffer<int4>(64), buffer<int>(32)); }

__global__ void chatter(int lines)
{
    for (int k = 0; k < lines; k++)
        printf("%d %d\n", (int)threadIdx.x, k); // MISTAKE chatty buffer
}
TWINS(chatty)
{
    must(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 8192));
    size_t size;
    must(cudaDeviceGetLimit(&size, cudaLimitPrintfFifoSize));
    chatter<<<1, 64>>>(right ? 1 : (int)(size / 64 + 64));
    must(cudaDeviceSynchronize());
}

struct seq {
    unsigned version;
    int a, b;
};
template <bool right> __global__ void seqlock(seq *s, int *out)
{
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> v(s->version);
    cuda::atomic_ref<int, cuda::thread_scope_device> a(s->a), b(s->b);
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        for (int k = 1; k < 6; k++) {
            v.store(2 * k - 1, cuda::memory_order_relaxed);
            __threadfence();
            if (right) {
                a.store(k, cuda::memory_order_relaxed);
                b.store(k, cuda::memory_order_relaxed);
            } else {
                s->a = k;
                s->b = k;
            }
            v.store(2 * k, cuda::memory_order_release);
        }
    } else {
        unsigned before, after;
        int x, y;
        do {
            before = v.load(cuda::memory_order_acquire);
            if (right) {
                x = a.load(cuda::memory_order_relaxed);
                y = b.load(cuda::memory_order_relaxed);
            } else {
                x = s->a;
                y = s->b; // MISTAKE seqlock race
            }
            __threadfence();
            after = v.load(cuda::memory_order_relaxed);
        } while (before != after || (before & 1));
        out[0] = x - y;
    }
}
TWINS(seqlock) { seqlock<right><<<2, 32>>>(buffer<seq>(1), buffer<int>(1)); }

struct totals_t {
    int hits, misses;
};
template <bool right> __global__ void struct_reset(totals_t *t, int *out)
{
    atomicAdd(&t->hits, 1);
    if (threadIdx.x == 0 && blockIdx.x == 1) {
        if (right) {
            atomicExch(&t->hits, 0);
            atomicExch(&t->misses, 0);
        } else
            *t = totals_t{0, 0}; // MISTAKE struct_reset race
    }
    atomicAdd(&t->misses, 1);
}
TWINS(struct_reset) { struct_reset<right><<<3, 32>>>(buffer<totals_t>(1), nullptr); }

template <bool right> __global__ void wait_later(volatile int *done, int *out)
{
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        if (right ? b > 0 : b + 1 < (int)gridDim.x)
            while (done[right ? b - 1 : b + 1] == 0) { // MISTAKE wait_later simt
            }
        __threadfence();
        out[b] = b;
        __threadfence();
        done[b] = 1;
    }
}
TWINS(wait_later) { wait_later<right><<<4096, 1024>>>(buffer<int>(4096), buffer<int>(4096)); }

template <bool right> __global__ void root_zero(int *tree, int *out)
{
    int i = threadIdx.x;
    out[i] = tree[0] + tree[1 + i]; // MISTAKE root_zero race
    if (right)
        __syncthreads();
    if (i == 0)
        tree[0] = 0;
}
TWINS(root_zero) { root_zero<right><<<1, 64>>>(buffer<int>(65), buffer<int>(64)); }

/* -- more of what people write -- */

template <class T> struct shared_array {
    __device__ T *get()
    {
        extern __shared__ __align__(16) char bytes[];
        return (T *)bytes;
    }
};
template <bool right> __global__ void two_templates(const double *in, double *out)
{
    double *d = shared_array<double>().get();
    int *i = shared_array<int>().get() + (right ? 2 * blockDim.x : 0);
    d[threadIdx.x] = in[threadIdx.x];
    i[threadIdx.x] = threadIdx.x; // MISTAKE two_templates race
    __syncthreads();
    out[threadIdx.x] = d[i[threadIdx.x] & 31];
}
TWINS(two_templates)
{
    two_templates<right><<<1, 64, 64 * 12>>>(buffer<double>(64), buffer<double>(64));
}

template <bool right> __global__ void halves(const half *in, half *out, int n)
{
    int i = threadIdx.x * 2;
    if (right ? i + 1 < n : i < n) {
        half2 v = *(const half2 *)(in + i); // MISTAKE half_tail out.of.bounds
        *(half2 *)(out + i) = v;
    }
    if (right && i + 1 == n)
        out[i] = in[i];
}
TWINS(half_tail) { halves<right><<<1, 32>>>(buffer<half>(33), buffer<half>(34), 33); }

template <bool right> __global__ void shuffle_exit(const int *in, int *out, int n)
{
    int i = threadIdx.x;
    if (right || i < n) {
        int v = i < n ? in[i] : 0;
        for (int d = 16; d; d /= 2)
            v += __shfl_down_sync(~0u, v, d); // MISTAKE shuffle_in_branch simt
        if (i == 0)
            *out = v;
    }
}
TWINS(shuffle_in_branch) { shuffle_exit<right><<<1, 32>>>(buffer<int>(32), buffer<int>(1), 20); }

template <bool right> __global__ void aggregate(const int *in, int *counter, int *out)
{
    int v = in[threadIdx.x] + threadIdx.x;
    if (v % 3 == 0) {
        unsigned active = __activemask();
        int leader = __ffs(active) - 1, lane = threadIdx.x & 31, base = 0;
        if (right ? lane == leader : lane == 0)
            base = atomicAdd(counter, __popc(active));
        base = __shfl_sync(active, base, right ? leader : 1); // MISTAKE leader simt
        out[base + __popc(active & ((1u << lane) - 1))] = v;
    }
}
TWINS(leader) { aggregate<right><<<1, 32>>>(buffer<int>(32), buffer<int>(1), buffer<int>(32)); }

union bits {
    float f;
    unsigned u;
};
template <bool right> __global__ void float_max(const float *in, unsigned *best)
{
    bits b;
    b.f = in[threadIdx.x];
    if (right)
        atomicMax(best, b.u);
    else if (b.u >= *best)
        *best = b.u; // MISTAKE float_max race
}
__global__ void iota(float *a) { a[threadIdx.x] = threadIdx.x; }
TWINS(float_max)
{
    float *a = buffer<float>(64);
    iota<<<1, 64>>>(a);
    float_max<right><<<1, 64>>>(a, buffer<unsigned>(1));
}

template <bool right> __global__ void band(const float *a, float *out, int w, int h)
{
    int x = threadIdx.x, y = blockIdx.x;
    float up = y > 0 ? a[(y - 1) * w + x] : 0, down = (right ? y + 1 < h : y < h)
                                                          ? a[(y + 1) * w + x] // MISTAKE last_row out.of.bounds
                                                          : 0;
    out[y * w + x] = up + down;
}
TWINS(last_row) { band<right><<<5, 32>>>(buffer<float>(160), buffer<float>(160), 32, 5); }

struct ghosted {
    float *a;
    int n;
    __device__ float &at(int i) const { return a[i + 1]; }
};
template <bool right> __global__ void ghost(ghosted g, float *out)
{
    int i = threadIdx.x;
    out[i] = g.at(i - 1) + (right || i + 1 < g.n ? g.at(i + 1) : 0) +
             (right ? 0 : g.at(i + 2)); // MISTAKE ghost_two out.of.bounds
}
TWINS(ghost_two) { ghost<right><<<1, 32>>>({buffer<float>(34), 32}, buffer<float>(32)); }

template <bool right> __global__ void transposed_bounds(const int *in, int *out, int w, int h)
{
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (right ? x < w && y < h : x < h && y < w)
        out[x * h + y] = in[y * w + x]; // MISTAKE swapped_bounds out.of.bounds
}
TWINS(swapped_bounds)
{
    transposed_bounds<right>
        <<<dim3(2, 3), dim3(8, 8)>>>(buffer<int>(10 * 20), buffer<int>(200), 10, 20);
}

template <bool right> __global__ void heap_node(int **out)
{
    int *p = (int *)malloc(16 * sizeof(int));
    p[0] = threadIdx.x;
    if (right)
        p[1] = 5;
    out[threadIdx.x] = p;
}
template <bool right> __global__ void heap_use(int **in, int *out)
{
    int *p = in[threadIdx.x];
    out[threadIdx.x] = p[0] + p[1]; // MISTAKE heap_unset uninitialised
    free(p);
}
TWINS(heap_unset)
{
    int **p = buffer<int *>(8);
    heap_node<right><<<1, 8>>>(p);
    heap_use<right><<<1, 8>>>(p, buffer<int>(8));
}

template <bool right> __global__ void heap_size(int n, int *out)
{
    float *p = (float *)malloc(right ? n * sizeof *p : n);
    float s = 0;
    for (int i = 0; i < n; i++)
        p[i] = i; // MISTAKE heap_bytes out.of.bounds
    for (int i = 0; i < n; i++)
        s += p[n - 1 - i];
    out[threadIdx.x] = s;
    free(p);
}
TWINS(heap_bytes) { heap_size<right><<<1, 4>>>(20 + (int)right * 0, buffer<int>(4)); }

template <bool right>
__global__ void graph_colour(const int *row, const int *col, volatile int *colour, int *changed)
{
    int v = blockIdx.x * 32 + threadIdx.x;
    int used = 0;
    for (int e = row[v]; e < row[v + 1]; e++)
        used |= 1 << (((const int *)colour)[col[e]] & 7);
    if (right)
        return;
    ((int *)colour)[v] = __ffs(~used); // MISTAKE colouring race
    *changed = 1;
}
TWINS(colouring)
{
    int row[65], col[64];
    for (int i = 0; i <= 64; i++)
        row[i] = i;
    for (int i = 0; i < 64; i++)
        col[i] = (i + 33) % 64;
    int *r = buffer<int>(65), *c = buffer<int>(64);
    must(cudaMemcpy(r, row, sizeof row, cudaMemcpyHostToDevice));
    must(cudaMemcpy(c, col, sizeof col, cudaMemcpyHostToDevice));
    graph_colour<right><<<2, 32>>>(r, c, buffer<int>(64), buffer<int>(1));
}

template <bool right> __global__ void quick_partition(const int *in, int *out, int pivot)
{
    __shared__ int low, high;
    if (threadIdx.x == 0) {
        low = 0;
        high = 64;
    }
    __syncthreads();
    int v = in[threadIdx.x];
    int at = v < pivot ? atomicAdd(&low, 1) : right ? atomicSub(&high, 1) - 1 : atomicSub(&high, 1);
    out[at] = v; // MISTAKE partition_end out.of.bounds
}
TWINS(partition_end) { quick_partition<right><<<1, 64>>>(buffer<int>(64), buffer<int>(64), 0); }

class device_vector
{
    int *p = nullptr;
    size_t n = 0;

  public:
    explicit device_vector(size_t k) : n(k)
    {
        must(cudaMalloc(&p, k * sizeof(int)));
        must(cudaMemset(p, 0, k * sizeof(int)));
    }
    ~device_vector() { cudaFree(p); }
    void resize(size_t k)
    {
        int *q;
        must(cudaMalloc(&q, k * sizeof(int)));
        must(cudaMemset(q, 0, k * sizeof(int)));
        must(cudaMemcpy(q, p, n * sizeof(int), cudaMemcpyDeviceToDevice));
        must(cudaFree(p));
        p = q, n = k;
    }
    int *data() const { return p; }
};
__global__ void bump(int *p)
{
    p[threadIdx.x]++; // MISTAKE stale_data simt
}
TWINS(stale_data)
{
    device_vector v(64);
    int *p = v.data();
    v.resize(128);
    if (right)
        p = v.data();
    bump<<<1, 64>>>(p);
    cudaDeviceSynchronize();
}

template <bool right> __global__ void dynamic_rows(int **rows, int *out, int n)
{
    int s = 0;
    for (int k = 0; k < n; k++)
        s += rows[k][threadIdx.x]; // MISTAKE host_rows simt
    out[threadIdx.x] = s;
}
TWINS(host_rows)
{
    int *rows[3] = {buffer<int>(32), buffer<int>(32), buffer<int>(32)};
    int **d = buffer<int *>(3);
    must(cudaMemcpy(d, rows, right ? sizeof rows : sizeof rows[0], cudaMemcpyHostToDevice));
    dynamic_rows<right><<<1, 32>>>(d, buffer<int>(32), 3);
    cudaDeviceSynchronize();
}

template <bool right> __global__ void latch(int *cells, volatile int *phase, int *out)
{
    /* Two blocks hand one cell back and forth. */
    for (int k = 0; k < 3; k++) {
        if (threadIdx.x == 0) {
            while (*phase != 2 * k + (int)blockIdx.x) {
            }
            __threadfence();
        }
        __syncthreads();
        cells[threadIdx.x] += 1; // MISTAKE handover race
        if (right)
            __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            *phase = 2 * k + blockIdx.x + 1;
        }
    }
}
TWINS(handover) { latch<right><<<2, 64>>>(buffer<int>(64), buffer<int>(1), nullptr); }

template <bool right> __global__ void column_sum(const float *m, float *out, int w, int h)
{
    extern __shared__ float part[];
    int x = threadIdx.x, y = threadIdx.y;
    part[y * blockDim.x + x] = m[y * w + x];
    __syncthreads();
    for (int s = blockDim.y / 2; s; s /= 2) {
        if (y < s)
            part[y * blockDim.x + x] += part[(y + s) * blockDim.x + x]; // MISTAKE column_sum race
        if (right)
            __syncthreads();
        else
            __syncwarp();
    }
    if (y == 0)
        out[x] = part[x];
}
TWINS(column_sum)
{
    column_sum<right><<<1, dim3(16, 8), 16 * 8 * 4>>>(buffer<float>(128), buffer<float>(16), 16, 8);
}

template <bool right> __global__ void labeled(const int *in, int *labels, int *count)
{
    cg::thread_block b = cg::this_thread_block();
    cg::coalesced_group g = cg::coalesced_threads();
    __shared__ int first[8];
    if (b.thread_rank() < 8)
        first[b.thread_rank()] = 1 << 30;
    if (right)
        b.sync();
    else
        g.sync();
    atomicMin(&first[in[b.thread_rank()] & 7], (int)b.thread_rank()); // MISTAKE labels race
    b.sync();
    labels[b.thread_rank()] = first[in[b.thread_rank()] & 7];
}
TWINS(labels) { labeled<right><<<1, 128>>>(buffer<int>(128), buffer<int>(128), nullptr); }

static __device__ int device_flag;
template <bool right> __global__ void global_variable(int *data, int *out)
{
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 1; // MISTAKE device_variable race
        if (right)
            __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            atomicExch(&device_flag, 1);
    } else {
        if (threadIdx.x == 0)
            while (atomicAdd(&device_flag, 0) == 0) {
            }
        __syncthreads();
        __threadfence();
        out[threadIdx.x] = data[threadIdx.x ^ 1];
    }
}
TWINS(device_variable) { global_variable<right><<<2, 64>>>(buffer<int>(64), buffer<int>(64)); }

template <bool right>
__global__ void exchange_halo(const float *in, float *out, float *edge, int *ready, int steps)
{
    __shared__ float s[66];
    int t = threadIdx.x, b = blockIdx.x, n = gridDim.x;
    s[t + 1] = in[b * 64 + t];
    if (t == 0)
        s[0] = 0;
    if (t == 63)
        s[65] = 0;
    for (int k = 1; k <= steps; k++) {
        if (t == 63)
            edge[b] = s[64]; // MISTAKE halo_exchange race
        __syncthreads();
        if (t == 0) {
            __threadfence();
            atomicExch(&ready[b], k);
            if (b > 0) {
                while (atomicAdd(&ready[b - 1], 0) < k) {
                }
                __threadfence();
                s[0] = edge[b - 1];
            }
            if (right) {
                __threadfence();
                atomicAdd(&ready[n + b], 1);
                if (b + 1 < n)
                    while (atomicAdd(&ready[n + b + 1], 0) < k) {
                    }
                __threadfence();
            }
        }
        __syncthreads();
        float v = (s[t] + s[t + 1] + s[t + 2]) / 3;
        __syncthreads();
        s[t + 1] = v;
        __syncthreads();
    }
    out[b * 64 + t] = s[t + 1];
}
TWINS(halo_exchange)
{
    exchange_halo<right>
        <<<3, 64>>>(buffer<float>(192), buffer<float>(192), buffer<float>(3), buffer<int>(6), 4);
}

__global__ void produce(int *a, int v) { a[threadIdx.x] = v; }
__global__ void consume(const int *a, int *b) { b[threadIdx.x] += a[threadIdx.x]; }
TWINS(capture_fork)
{
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    must(cudaStreamCreate(&a));
    must(cudaStreamCreate(&b));
    must(cudaEventCreate(&fork));
    must(cudaEventCreate(&join));
    int *x = buffer<int>(64), *y = buffer<int>(64);
    must(cudaDeviceSynchronize());
    cudaGraph_t g;
    cudaGraphExec_t e;
    must(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    if (!right)
        must(cudaEventRecord(fork, a));
    produce<<<1, 64, 0, a>>>(x, 1);
    if (right)
        must(cudaEventRecord(fork, a));
    must(cudaStreamWaitEvent(b, fork));
    consume<<<1, 64, 0, b>>>(x, y);
    must(cudaEventRecord(join, b));
    must(cudaStreamWaitEvent(a, join));
    must(cudaStreamEndCapture(a, &g));
    must(cudaGraphInstantiate(&e, g, 0));
    must(cudaGraphLaunch(e, a)); // MISTAKE capture_fork race
    must(cudaStreamSynchronize(a));
    must(cudaGraphExecDestroy(e));
    must(cudaGraphDestroy(g));
    must(cudaStreamDestroy(a));
    must(cudaStreamDestroy(b));
    must(cudaEventDestroy(fork));
    must(cudaEventDestroy(join));
}
TWINS(graph_source)
{
    cudaStream_t a;
    must(cudaStreamCreate(&a));
    int *x = buffer<int>(64), *h;
    must(cudaMallocHost(&h, 4096));
    memset(h, 0, 256);
    must(cudaDeviceSynchronize());
    cudaGraph_t g;
    cudaGraphExec_t e;
    must(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    must(cudaMemcpyAsync(x, h, 256, cudaMemcpyHostToDevice, a));
    must(cudaStreamEndCapture(a, &g));
    must(cudaGraphInstantiate(&e, g, 0));
    for (int k = 0; k < 2; k++) {
        if (right)
            must(cudaStreamSynchronize(a));
        h[3] = k; // MISTAKE graph_source race
        must(cudaGraphLaunch(e, a));
    }
    must(cudaStreamSynchronize(a));
    must(cudaGraphExecDestroy(e));
    must(cudaGraphDestroy(g));
    must(cudaStreamDestroy(a));
    must(cudaFreeHost(h));
}

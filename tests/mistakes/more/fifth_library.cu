/* fifth_library.cu - the style of libraries: templates, functors, cooperative groups,
 * cuda::barrier, pipelines and atomic_ref. */
/* flags: -std=c++17 -arch=sm_80 */
#include "mistakes.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

struct plus {
    template <typename T> __device__ T operator()(T a, T b) const { return a + b; }
};

/* A block-wide reduction as a class with storage of its own; the storage is used twice. */
template <typename T, int THREADS> class block_reduce
{
  public:
    struct storage {
        T warp[THREADS / 32];
    };
    __device__ explicit block_reduce(storage &s) : s_(s) {}
    template <typename F> __device__ T reduce(T v, F f)
    {
        for (int d = 16; d > 0; d /= 2) {
            v = f(v, __shfl_down_sync(0xffffffff, v, d));
        }
        if (threadIdx.x % 32 == 0) {
            s_.warp[threadIdx.x / 32] = v; // MISTAKE storage_twice race
        }
        __syncthreads();
        T all = s_.warp[0];
        for (int w = 1; w < THREADS / 32; w++) {
            all = f(all, s_.warp[w]);
        }
        return all;
    }

  private:
    storage &s_;
};
template <bool right> __global__ void variance(const float *x, float *out)
{
    using reduction = block_reduce<float, 128>;
    __shared__ typename reduction::storage s;
    float v = x[threadIdx.x];
    float mean = reduction(s).reduce(v, plus{}) / 128;
    if (right) {
        __syncthreads();
    }
    float square = reduction(s).reduce((v - mean) * (v - mean), plus{});
    if (threadIdx.x == 0) {
        *out = square;
    }
}
TWINS(storage_twice) { variance<right><<<1, 128>>>(buffer<float>(128), buffer<float>(1)); }

/* A union of the storages of two phases. */
template <bool right> __global__ void union_storage(const int *in, int *out)
{
    __shared__ union {
        int keys[128];
        short ranks[256];
    } s;
    int t = threadIdx.x;
    s.keys[t] = in[t];
    __syncthreads();
    int key = s.keys[127 - t]; // MISTAKE union_storage race
    if (right) {
        __syncthreads();
    }
    s.ranks[t] = (short)t;
    __syncthreads();
    out[t] = key + s.ranks[127 - t];
}
TWINS(union_storage) { union_storage<right><<<1, 128>>>(buffer<int>(128), buffer<int>(128)); }

/* Tiles of 16 threads: a tile exchanges through memory without tile.sync(). */
template <bool right> __global__ void tile_exchange(const int *in, int *out)
{
    __shared__ int s[64];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int base = tile.meta_group_rank() * 16;
    s[base + tile.thread_rank()] = in[threadIdx.x];
    if (right) {
        tile.sync();
    }
    out[threadIdx.x] = s[base + (tile.thread_rank() + 1) % 16]; // MISTAKE tile_exchange race
}
TWINS(tile_exchange) { tile_exchange<right><<<1, 64>>>(buffer<int>(64), buffer<int>(64)); }

/* A tile of 64 threads would need the block; tile.sync() of 32 is not enough. */
template <bool right> __global__ void two_tiles(const int *in, int *out)
{
    __shared__ int s[64];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    s[block.thread_rank()] = in[block.thread_rank()];
    if (right) {
        block.sync();
    } else {
        tile.sync();
    }
    out[block.thread_rank()] = s[block.size() - 1 - block.thread_rank()]; // MISTAKE two_tiles race
}
TWINS(two_tiles) { two_tiles<right><<<1, 64>>>(buffer<int>(64), buffer<int>(64)); }

/* One pass over the grid: the second phase begins without grid.sync(). */
template <bool right> __global__ void grid_phases(int n, float *a, float *b)
{
    auto grid = cg::this_grid();
    int i = grid.thread_rank();
    a[i] = i;
    if (right) {
        grid.sync();
    } else {
        cg::this_thread_block().sync();
    }
    b[i] = a[n - 1 - i]; // MISTAKE grid_phases race
}
TWINS(grid_phases)
{
    int n = 256;
    float *a = buffer<float>(n), *b = buffer<float>(n);
    void *arguments[] = {&n, &a, &b};
    must(cudaLaunchCooperativeKernel((void *)grid_phases<right>, dim3(4), dim3(64), arguments, 0,
                                     0));
}

/* Stream compaction by coalesced groups: the leader's base is not shuffled but stored. */
template <bool right> __global__ void compact(const int *in, int *out, int *count)
{
    __shared__ int base[2];
    int warp = threadIdx.x / 32;
    if (in[threadIdx.x] >= 0) {
        auto active = cg::coalesced_threads();
        int first = 0;
        if (active.thread_rank() == 0) {
            first = atomicAdd(count, active.size());
            base[warp] = first;
        }
        int from = right ? active.shfl(first, 0) : base[warp]; // MISTAKE compact race
        out[from + active.thread_rank()] = in[threadIdx.x];
    }
}
TWINS(compact) { compact<right><<<1, 64>>>(buffer<int>(64), buffer<int>(64), buffer<int>(1)); }

/* cg::memcpy_async without cg::wait. */
template <bool right> __global__ void staged(const float *in, float *out)
{
    __shared__ alignas(16) float s[128];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, in, sizeof(float) * 128);
    if (right) {
        cg::wait(block);
    } else {
        block.sync();
    }
    out[threadIdx.x] = s[127 - threadIdx.x]; // MISTAKE staged race
}
TWINS(staged) { staged<right><<<1, 128>>>(buffer<float>(128), buffer<float>(128)); }

/* cuda::barrier: the token of the arrival is not waited for. */
using block_barrier = cuda::barrier<cuda::thread_scope_block>;
template <bool right> __global__ void split_arrival(const int *in, int *out)
{
    __shared__ block_barrier bar;
    __shared__ int s[64];
    if (threadIdx.x == 0) {
        init(&bar, 64);
    }
    __syncthreads();
    s[threadIdx.x] = in[threadIdx.x];
    auto token = bar.arrive();
    int own = threadIdx.x * 3;
    if (right) {
        bar.wait(std::move(token));
    }
    out[threadIdx.x] = s[63 - threadIdx.x] + own; // MISTAKE split_arrival race
}
TWINS(split_arrival) { split_arrival<right><<<1, 64>>>(buffer<int>(64), buffer<int>(64)); }

/* The barrier expects the block, but only the consumers' warps come. */
template <bool right> __global__ void expected(const int *in, int *out)
{
    __shared__ block_barrier bar;
    __shared__ int s[96];
    if (threadIdx.x == 0) {
        init(&bar, right ? 64 : blockDim.x);
    }
    __syncthreads();
    if (threadIdx.x < 64) {
        s[threadIdx.x] = in[threadIdx.x];
        bar.arrive_and_wait(); // MISTAKE expected arriv
        out[threadIdx.x] = s[63 - threadIdx.x];
    }
}
TWINS(expected) { expected<right><<<1, 96>>>(buffer<int>(96), buffer<int>(96)); }

/* A barrier that is used before its initialisation is known to all. */
template <bool right> __global__ void early_use(const int *in, int *out)
{
    __shared__ block_barrier bar;
    __shared__ int s[64];
    if (threadIdx.x == 63) {
        init(&bar, 64);
    }
    if (right) {
        __syncthreads();
    } else {
        __syncwarp();
    }
    s[threadIdx.x] = in[threadIdx.x];
    bar.arrive_and_wait(); // MISTAKE early_use race|mbarrier|init
    out[threadIdx.x] = s[63 - threadIdx.x];
}
TWINS(early_use) { early_use<right><<<1, 64>>>(buffer<int>(64), buffer<int>(64)); }

/* Producer and consumer with a pair of barriers; the producer does not wait for "empty". */
template <bool right> __global__ void full_and_empty(const int *in, int *out)
{
    __shared__ block_barrier full, empty;
    __shared__ int slot[32];
    if (threadIdx.x == 0) {
        init(&full, 64);
        init(&empty, 64);
    }
    __syncthreads();
    int lane = threadIdx.x % 32, sum = 0;
    if (threadIdx.x < 32) {
        (void)empty.arrive();
        for (int k = 0; k < 4; k++) {
            if (k > 0) {
                if (right) {
                    empty.arrive_and_wait();
                } else {
                    (void)empty.arrive();
                }
            }
            slot[lane] = in[32 * k + lane]; // MISTAKE full_and_empty race
            (void)full.arrive();
        }
    } else {
        (void)empty.arrive();
        for (int k = 0; k < 4; k++) {
            full.arrive_and_wait();
            sum += slot[31 - lane];
            if (k < 3) {
                (void)empty.arrive();
            }
        }
        out[lane] = sum;
    }
}
TWINS(full_and_empty) { full_and_empty<right><<<1, 64>>>(buffer<int>(128), buffer<int>(32)); }

/* A pipeline of two stages: the stage is read before consumer_wait(). */
template <bool right> __global__ void two_stages(const int *in, int *out)
{
    __shared__ int s[2][64];
    auto pipe = cuda::make_pipeline();
    int t = threadIdx.x, sum = 0;
    pipe.producer_acquire();
    cuda::memcpy_async(&s[0][t], in + t, sizeof(int), pipe);
    pipe.producer_commit();
    for (int k = 0; k < 4; k++) {
        if (k < 3) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[(k + 1) % 2][t], in + 64 * (k + 1) + t, sizeof(int), pipe);
            pipe.producer_commit();
        }
        if (right) {
            if (k < 3) {
                cuda::pipeline_consumer_wait_prior<1>(pipe);
            } else {
                cuda::pipeline_consumer_wait_prior<0>(pipe);
            }
        } else {
            cuda::pipeline_consumer_wait_prior<2>(pipe);
        }
        sum += s[k % 2][t]; // MISTAKE two_stages race
        pipe.consumer_release();
    }
    out[t] = sum;
}
TWINS(two_stages) { two_stages<right><<<1, 64>>>(buffer<int>(256), buffer<int>(64)); }

/* A pipeline shared by the block: the stage is read after its release. */
template <bool right> __global__ void released(const int *in, int *out)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
    __shared__ int s[64];
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 6; k++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&s[t], in + 64 * k + t, sizeof(int), pipe); // MISTAKE released race
        pipe.producer_commit();
        pipe.consumer_wait();
        if (right) {
            sum += s[63 - t];
            pipe.consumer_release();
        } else {
            pipe.consumer_release();
            sum += s[63 - t];
        }
    }
    out[t] = sum;
}
TWINS(released) { released<right><<<1, 64>>>(buffer<int>(384), buffer<int>(64)); }

/* The primitives of C: the wait is for all but the newest, the newest is read. */
template <bool right> __global__ void primitives(const float4 *in, float *out)
{
    __shared__ float4 s[2][32];
    int t = threadIdx.x;
    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(&s[k][t], &in[32 * k + t], sizeof(float4));
        __pipeline_commit();
    }
    __pipeline_wait_prior(right ? 0 : 1);
    float4 v = s[1][t]; // MISTAKE primitives race
    out[t] = v.x + v.w + s[0][t].y;
}
TWINS(primitives) { primitives<right><<<1, 32>>>(buffer<float4>(64), buffer<float>(32)); }

/* atomic_ref: the data are published by a relaxed store. */
template <bool right> __global__ void publish(int *data, int *flag, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
    if (blockIdx.x == 0) {
        *data = 7;
        f.store(1, right ? cuda::memory_order_release : cuda::memory_order_relaxed);
    } else {
        while (f.load(cuda::memory_order_acquire) == 0) {
        }
        *out = *data; // MISTAKE publish race
    }
}
TWINS(publish) { publish<right><<<2, 1>>>(buffer<int>(1), buffer<int>(1), buffer<int>(1)); }

/* The scope of the block for what another block sees. */
template <typename T, bool right> struct mailbox {
    static constexpr auto scope = right ? cuda::thread_scope_device : cuda::thread_scope_block;
    T *letter;
    int *flag;
    __device__ void put(T v)
    {
        *letter = v; // MISTAKE mailbox race
        cuda::atomic_ref<int, scope>(*flag).store(1, cuda::memory_order_release);
    }
    __device__ T get()
    {
        while (cuda::atomic_ref<int, scope>(*flag).load(cuda::memory_order_acquire) == 0) {
        }
        return *letter;
    }
};
template <bool right> __global__ void post(mailbox<long long, right> box, long long *out)
{
    if (blockIdx.x == 0) {
        box.put(77);
    } else {
        *out = box.get();
    }
}
TWINS(mailbox)
{
    mailbox<long long, right> box{buffer<long long>(1), buffer<int>(1)};
    post<right><<<2, 1>>>(box, buffer<long long>(1));
}

/* A lock as a class with a guard; unlock is relaxed. */
template <bool right> class spin_lock
{
    cuda::atomic_ref<int, cuda::thread_scope_device> word_;

  public:
    __device__ explicit spin_lock(int *w) : word_(*w) { lock(); }
    __device__ void lock()
    {
        int free = 0;
        while (!word_.compare_exchange_weak(free, 1, cuda::memory_order_acquire,
                                            cuda::memory_order_relaxed)) {
            free = 0;
        }
    }
    __device__ ~spin_lock()
    {
        word_.store(0, right ? cuda::memory_order_release : cuda::memory_order_relaxed);
    }
};
template <bool right> __global__ void guarded(int *lock, double *balance)
{
    if (threadIdx.x == 0) {
        spin_lock<right> hold(lock);
        *balance += 1.5; // MISTAKE guarded race
    }
}
TWINS(guarded) { guarded<right><<<4, 32>>>(buffer<int>(1), buffer<double>(1)); }

/* A hash table: the key is taken by compare-and-swap, the value stored plainly and read by a
 * finder. */
struct slot {
    int key, value;
};
template <bool right> __global__ void insert_and_find(slot *table, int *out)
{
    int k = threadIdx.x + 1;
    if (blockIdx.x == 0) {
        table[k].value = 2 * k;
        cuda::atomic_ref<int, cuda::thread_scope_device>(table[k].key)
            .store(k, cuda::memory_order_release);
    } else {
        cuda::atomic_ref<int, cuda::thread_scope_device> key(table[k].key);
        if (key.load(right ? cuda::memory_order_acquire : cuda::memory_order_relaxed) == k) {
            out[k] = table[k].value; // MISTAKE insert_and_find race
        }
    }
}
TWINS(insert_and_find) { insert_and_find<right><<<2, 32>>>(buffer<slot>(64), buffer<int>(64)); }

/* A stack without locks: the node's link is read plainly by whoever pops, while it is pushed. */
struct item {
    int value;
    item *next;
};
template <bool right> __global__ void pushed(item *nodes, item **head, int *out)
{
    cuda::atomic_ref<item *, cuda::thread_scope_device> top(*head);
    if (blockIdx.x == 0) {
        for (int k = 0; k < 4; k++) {
            item *n = nodes + k;
            n->value = k; // MISTAKE pushed race
            n->next = top.load(cuda::memory_order_relaxed);
            top.store(n, right ? cuda::memory_order_release : cuda::memory_order_relaxed);
        }
    } else {
        item *n;
        while ((n = top.load(cuda::memory_order_acquire)) == nullptr) {
        }
        *out = n->value;
    }
}
TWINS(pushed) { pushed<right><<<2, 1>>>(buffer<item>(4), buffer<item *>(1), buffer<int>(1)); }

/* A functor that counts in its own member, shared by all threads. */
template <bool right> struct counter {
    int *n;
    __device__ void operator()(int v) const
    {
        if (v % 2 == 0) {
            if (right) {
                atomicAdd(n, 1);
            } else {
                ++*n; // MISTAKE for_each race
            }
        }
    }
};
template <typename F> __global__ void for_each(int n, const int *v, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        f(v[i]);
    }
}
TWINS(for_each) { for_each<<<2, 32>>>(64, buffer<int>(64), counter<right>{buffer<int>(1)}); }

/* A transform whose iterator strides by one tile too little. */
template <typename T, int TILE_SIZE, bool right> struct tile_iterator {
    T *p;
    __device__ T &operator[](int i) const { return p[i]; }
    __device__ static tile_iterator of_block(T *all)
    {
        return {all + blockIdx.x * (right ? TILE_SIZE : TILE_SIZE - 1)};
    }
};
template <bool right> __global__ void by_tiles(float *a)
{
    auto tile = tile_iterator<float, 64, right>::of_block(a);
    tile[threadIdx.x] = threadIdx.x * 2.0f; // MISTAKE by_tiles race
}
TWINS(by_tiles) { by_tiles<right><<<3, 64>>>(buffer<float>(192)); }

/* The workspace of a scan holds one entry a warp; with one warp more it runs into its neighbour. */
template <bool right> __global__ void warp_totals(const int *in, int *out)
{
    __shared__ int totals[right ? 4 : 3];
    __shared__ int carry[4];
    int lane = threadIdx.x % 32, w = threadIdx.x / 32;
    int sum = __reduce_add_sync(~0u, in[threadIdx.x]);
    if (lane < 4 && w == 0) {
        carry[lane] = lane;
    }
    __syncthreads();
    if (lane == 0) {
        totals[w] = sum; // MISTAKE warp_totals overflow
    }
    __syncthreads();
    int all = carry[w];
    for (int k = 0; k < (right ? 4 : 3); k++) {
        all += totals[k];
    }
    out[threadIdx.x] = all;
}
TWINS(warp_totals) { warp_totals<right><<<1, 128>>>(buffer<int>(128), buffer<int>(128)); }

/* An optional value: the flag says no, the value is used. */
template <typename T> struct maybe {
    bool has;
    T value;
};
template <bool right> __global__ void optional(int n, const int *key, int *out)
{
    __shared__ maybe<int> found[32];
    int t = threadIdx.x;
    found[t].has = key[t] > 0;
    if (found[t].has) {
        found[t].value = key[t];
    }
    __syncthreads();
    if (!right || found[31 - t].has) {
        out[t] = found[31 - t].value + n; // MISTAKE optional uninitialised
    }
}
TWINS(optional) { optional<right><<<1, 32>>>(3, buffer<int>(32), buffer<int>(32)); }

/* A semaphore of arrivals by fetch_add, relaxed where acq_rel is meant. */
template <bool right> __global__ void last_arrival(const int *in, int *part, int *count, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> arrived(*count);
    if (threadIdx.x == 0) {
        part[blockIdx.x] = in[blockIdx.x] + 1;
        int before =
            arrived.fetch_add(1, right ? cuda::memory_order_acq_rel : cuda::memory_order_acquire);
        if (before == (int)gridDim.x - 1) {
            int sum = 0;
            for (unsigned b = 0; b < gridDim.x; b++) {
                sum += part[b]; // MISTAKE last_arrival race
            }
            *out = sum;
        }
    }
}
TWINS(last_arrival)
{
    last_arrival<right><<<4, 32>>>(buffer<int>(4), buffer<int>(4), buffer<int>(1), buffer<int>(1));
}

/* A texture of an array that the launch updates. */
template <bool right> __global__ void textured(cudaTextureObject_t t, float *a, float *out)
{
    int i = threadIdx.x;
    a[i] = 2.0f * i;
    __syncthreads();
    out[i] = right ? a[(i + 1) % 64] : tex1Dfetch<float>(t, (i + 1) % 64); // MISTAKE textured race
}
TWINS(textured)
{
    cudaTextureObject_t t;
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    float *a = buffer<float>(64);
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = a;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = 256;
    d.readMode = cudaReadModeElementType;
    must(cudaCreateTextureObject(&t, &r, &d, NULL));
    textured<right><<<1, 64>>>(t, a, buffer<float>(64));
    must(cudaDeviceSynchronize());
    must(cudaDestroyTextureObject(t));
}

/* A device lambda that captures a pointer to a local of its kernel. */
template <typename F> __device__ void on_all(F f) { f(threadIdx.x); }
template <bool right> __global__ void captured(int *out)
{
    __shared__ int *cursor;
    __shared__ int first;
    int mine = threadIdx.x * 5;
    first = 0;
    on_all([&](int t) {
        if (t == 0) {
            first = mine;
            cursor = right ? &first : &mine;
        }
    });
    __syncthreads();
    out[threadIdx.x] = *cursor + 1; // MISTAKE captured local
}
TWINS(captured) { captured<right><<<1, 64>>>(buffer<int>(64)); }

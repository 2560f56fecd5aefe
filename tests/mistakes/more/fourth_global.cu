/* fourth_global.cu - look-back, locks, queues, tables, lists, trees, sparse rows, in styles of C++.
 */
#include "mistakes.h"
#include <cooperative_groups.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;

template <class T, cuda::thread_scope S = cuda::thread_scope_device>
using ref = cuda::atomic_ref<T, S>;

struct tile_state {
    int *status, *value;
};
template <bool right> __device__ void publish(tile_state s, int tile, int value)
{
    s.value[tile] = value; // MISTAKE lookback_fence race
    if (right)
        __threadfence();
    *(volatile int *)&s.status[tile] = 1;
}
__device__ int wait_for(tile_state s, int tile)
{
    while (*(volatile int *)&s.status[tile] == 0) {
    }
    __threadfence();
    return s.value[tile];
}
template <bool right> __global__ void lookback(tile_state s, int *out)
{
    if (threadIdx.x)
        return;
    int b = blockIdx.x, before = b ? wait_for(s, b - 1) : 0;
    publish<right>(s, b, before + b);
    out[b] = before;
}
TWINS(lookback_fence)
{
    lookback<right><<<6, 32>>>({buffer<int>(6), buffer<int>(6)}, buffer<int>(6));
}

template <cuda::thread_scope S> __global__ void scope_k(int *data, int *flag, int *out)
{
    ref<int, S> f(*flag);
    if (blockIdx.x == 0) {
        *data = 7; // MISTAKE block_scope race
        f.store(1, cuda::memory_order_release);
    } else {
        while (f.load(cuda::memory_order_acquire) == 0) {
        }
        *out = *data;
    }
}
TWINS(block_scope)
{
    scope_k<right ? cuda::thread_scope_device : cuda::thread_scope_block>
        <<<2, 1>>>(buffer<int>(1), buffer<int>(1), buffer<int>(1));
}

template <bool right, class Flag> __device__ void signal(Flag f)
{
    f.store(1, right ? cuda::memory_order_release : cuda::memory_order_relaxed);
}
template <bool right> __global__ void relaxed_store(double *data, int *flags, double *out)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t * 0.5; // MISTAKE relaxed_store race
        signal<right>(ref<int>(flags[t]));
    } else {
        while (!ref<int>(flags[t]).load(cuda::memory_order_acquire)) {
        }
        out[t] = data[t];
    }
}
TWINS(relaxed_store)
{
    relaxed_store<right><<<2, 32>>>(buffer<double>(32), buffer<int>(32), buffer<double>(32));
}

template <bool right> struct guard {
    int *lock;
    __device__ explicit guard(int *l) : lock(l)
    {
        while (atomicExch(lock, 1) != 0)
            __nanosleep(20);
        __threadfence();
    }
    __device__ ~guard()
    {
        if (right)
            __threadfence();
        atomicExch(lock, 0);
    }
};
template <bool right> __global__ void guarded(int *lock, int *best, int *at)
{
    if (threadIdx.x == 0) {
        guard<right> g(lock);
        int v = (blockIdx.x * 7) % 5;
        if (v >= *best) {
            *best = v;
            *at = blockIdx.x; // MISTAKE raii_lock race
        }
    }
}
TWINS(raii_lock) { guarded<right><<<5, 32>>>(buffer<int>(1), buffer<int>(1), buffer<int>(1)); }

template <bool right> __global__ void ticket_lock(unsigned *next, unsigned *serving, int *total)
{
    if (threadIdx.x)
        return;
    unsigned mine = atomicAdd(next, 1);
    while (*(volatile unsigned *)serving != mine) {
    }
    __threadfence();
    *total += blockIdx.x;
    __threadfence();
    if (right)
        atomicAdd(serving, 1);
    else
        *serving = mine + 1; // MISTAKE ticket_plain race
}
TWINS(ticket_plain)
{
    ticket_lock<right><<<4, 32>>>(buffer<unsigned>(1), buffer<unsigned>(1), buffer<int>(1));
}

struct node {
    int key;
    int next;
};
template <bool right> __global__ void list_push(node *pool, int *head, int *sum)
{
    if (threadIdx.x)
        return;
    int me = blockIdx.x + 1;
    int old = *(volatile int *)head;
    int seen;
    if (right)
        pool[me].key = me * 3;
    do {
        seen = old;
        pool[me].next = seen;
        __threadfence();
        old = atomicCAS(head, seen, me);
    } while (old != seen);
    if (!right)
        pool[me].key = me * 3; // MISTAKE list_late race
    __threadfence();
    int s = 0;
    for (int i = *(volatile int *)head; i; i = pool[i].next) {
        __threadfence();
        s += pool[i].key;
    }
    sum[blockIdx.x] = s;
}
TWINS(list_late) { list_push<right><<<4, 32>>>(buffer<node>(8), buffer<int>(1), buffer<int>(4)); }

struct table {
    unsigned *keys;
    int *values;
    unsigned mask;
};
__device__ unsigned slot_of(table t, unsigned key) { return key * 2654435761u & t.mask; }
template <bool right> __global__ void table_k(table t, unsigned long long *packed, int *out)
{
    unsigned key = 1 + (threadIdx.x & 15), s = slot_of(t, key);
    if (blockIdx.x == 0) {
        if (right)
            atomicExch(&packed[s], (unsigned long long)key << 32 | 5);
        else {
            while (true) {
                unsigned k = atomicCAS(&t.keys[s], 0u, key);
                if (k == 0 || k == key)
                    break;
                s = (s + 1) & t.mask;
            }
            t.values[s] = 5; // MISTAKE table_value race
        }
    } else {
        int v = -1;
        if (right) {
            unsigned long long p = atomicAdd(&packed[s], 0ull);
            if (p >> 32 == key)
                v = (int)p;
        } else {
            for (unsigned k; (k = *(volatile unsigned *)&t.keys[s]) != 0; s = (s + 1) & t.mask)
                if (k == key) {
                    v = t.values[s];
                    break;
                }
        }
        out[threadIdx.x] = v;
    }
}
TWINS(table_value)
{
    table_k<right><<<2, 32>>>({buffer<unsigned>(64), buffer<int>(64), 63},
                              buffer<unsigned long long>(64), buffer<int>(32));
}

template <bool right> __global__ void work_queue(int *items, int *ready, int *tail, int *out)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x < 2) {
        int at = atomicAdd(tail, 1);
        items[at] = 10 + blockIdx.x; // MISTAKE queue_item race
        __threadfence();
        if (right)
            atomicExch(&ready[at], 1);
    } else {
        int i = blockIdx.x - 2;
        if (right)
            while (atomicAdd(&ready[i], 0) == 0) {
            }
        else
            while (*(volatile int *)tail <= i) {
            }
        __threadfence();
        out[i] = items[i];
    }
}
TWINS(queue_item)
{
    work_queue<right><<<4, 32>>>(buffer<int>(4), buffer<int>(4), buffer<int>(1), buffer<int>(2));
}

struct graph {
    const int *row, *column;
};
__global__ void expand(graph g, const int *from, int count, int *to, int *size, int *seen)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int v = from[i];
    for (int e = g.row[v]; e < g.row[v + 1]; e++) {
        int w = g.column[e];
        if (atomicExch(&seen[w], 1) == 0)
            to[atomicAdd(size, 1)] = w; // MISTAKE frontier race
    }
}
TWINS(frontier)
{
    int row[65], column[128];
    for (int v = 0; v <= 64; v++)
        row[v] = 2 * v;
    for (int v = 0; v < 64; v++) {
        column[2 * v] = (v + 1) % 64;
        column[2 * v + 1] = (v * 5) % 64;
    }
    int *r = buffer<int>(65), *c = buffer<int>(128), *cur = buffer<int>(128),
        *other = buffer<int>(128);
    must(cudaMemcpy(r, row, sizeof row, cudaMemcpyHostToDevice));
    must(cudaMemcpy(c, column, sizeof column, cudaMemcpyHostToDevice));
    int first[64];
    for (int i = 0; i < 64; i++)
        first[i] = i;
    must(cudaMemcpy(cur, first, sizeof first, cudaMemcpyHostToDevice));
    expand<<<2, 32>>>({r, c}, cur, 64, right ? other : cur, buffer<int>(1), buffer<int>(64));
}

struct fields {
    float *u, *v;
    long long pitch;
};
__global__ void smooth(const fields in, fields out, long long n)
{
    long long x = blockIdx.x * (long long)blockDim.x + threadIdx.x + 1;
    if (x < n - 1) {
        out.u[x] = 0.5f * (in.u[x - 1] + in.u[x + 1]); // MISTAKE stencil_alias race
        out.v[x] = in.u[x] - in.v[x];
    }
}
TWINS(stencil_alias)
{
    fields a{buffer<float>(200), buffer<float>(200), 200},
        b{buffer<float>(200), buffer<float>(200), 200};
    smooth<<<3, 64>>>(a, right ? b : a, 194);
}

class ping_pong
{
    int *p[2];
    int at = 0;

  public:
    ping_pong(int *a, int *b) : p{a, b} {}
    int *front() { return p[at]; }
    int *back() { return p[1 - at]; }
    void flip() { at = 1 - at; }
};
__global__ void rotate_k(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[(i + 1) % n] = in[i] + 1; // MISTAKE flip_early race
}
TWINS(flip_early)
{
    ping_pong b(buffer<int>(128), buffer<int>(128));
    for (int k = 0; k < 3; k++) {
        int *src = b.front();
        if (!right)
            b.flip();
        rotate_k<<<2, 64>>>(src, b.back(), 128);
        if (right)
            b.flip();
    }
}

template <bool right>
__global__ void scatter_digit(const unsigned *keys, const int *offset, unsigned *out)
{
    unsigned k = keys[threadIdx.x], d = k & 3, same = __match_any_sync(~0u, d);
    int rank = __popc(same & ((1u << threadIdx.x) - 1));
    out[offset[d] + rank] = k; // MISTAKE inclusive out.of.bounds
}
TWINS(inclusive)
{
    unsigned keys[32];
    int offset[4];
    for (int i = 0; i < 32; i++)
        keys[i] = i;
    for (int d = 0; d < 4; d++)
        offset[d] = 8 * (right ? d : d + 1);
    unsigned *k = buffer<unsigned>(32);
    int *o = buffer<int>(4);
    must(cudaMemcpy(k, keys, sizeof keys, cudaMemcpyHostToDevice));
    must(cudaMemcpy(o, offset, sizeof offset, cudaMemcpyHostToDevice));
    scatter_digit<right><<<1, 32>>>(k, o, buffer<unsigned>(32));
}

template <class T> struct csr {
    int rows;
    const int *row, *column;
    const T *value;
};
template <bool right, class T> __device__ T row_dot(const csr<T> &m, const T *x, int r)
{
    T s = 0;
    for (int j = m.row[r]; right ? j < m.row[r + 1] : j <= m.row[r + 1]; ++j)
        s += m.value[j] * x[m.column[j]]; // MISTAKE row_end out.of.bounds
    return s;
}
template <bool right, class T> __global__ void spmv(csr<T> m, const T *x, T *y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < m.rows)
        y[r] = row_dot<right>(m, x, r);
}
static csr<double> tridiagonal(int n, bool whole)
{
    int row[33], column[64];
    for (int r = 0; r <= n; r++)
        row[r] = 2 * r;
    for (int j = 0; j < 2 * n; j++)
        column[j] = (j / 2 + j % 2) % n;
    int *r = buffer<int>(whole ? n + 1 : n), *c = buffer<int>(2 * n);
    must(cudaMemcpy(r, row, sizeof(int) * (whole ? n + 1 : n), cudaMemcpyHostToDevice));
    must(cudaMemcpy(c, column, sizeof(int) * 2 * n, cudaMemcpyHostToDevice));
    return {n, r, c, buffer<double>(2 * n)};
}
TWINS(row_end)
{
    spmv<right><<<1, 32>>>(tridiagonal(32, true), buffer<double>(32), buffer<double>(32));
}

__global__ void row_lengths(csr<double> m, int *out)
{
    for (int r = threadIdx.x; r < m.rows; r += blockDim.x)
        out[r] = m.row[r + 1] - m.row[r]; // MISTAKE row_count out.of.bounds
}
TWINS(row_count) { row_lengths<<<1, 16>>>(tridiagonal(32, right), buffer<int>(32)); }

template <bool right> __global__ void heap_up(float *tree, int n)
{
    int i = threadIdx.x;
    if (2 * i + 1 >= n || 2 * i + 1 < n / 2)
        return;
    float l = tree[2 * i + 1];
    float r = !right || 2 * i + 2 < n ? tree[2 * i + 2] : l; // MISTAKE tree_child out.of.bounds
    tree[i] = fmaxf(l, r);
}
TWINS(tree_child) { heap_up<right><<<1, 32>>>(buffer<float>(20), 20); }

struct box {
    float lo, hi;
};
template <bool right> __global__ void bottom_up(box *boxes, int *arrived, int leaves)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x + leaves;
    boxes[i] = {float(i), float(i + 1)};
    while (i > 1) {
        if (right)
            __threadfence();
        int parent = i / 2;
        if (atomicAdd(&arrived[parent], 1) == 0)
            return;
        box a = boxes[2 * parent], b = boxes[2 * parent + 1]; // MISTAKE bvh_fence race
        boxes[parent] = {fminf(a.lo, b.lo), fmaxf(a.hi, b.hi)};
        i = parent;
    }
}
TWINS(bvh_fence) { bottom_up<right><<<4, 16>>>(buffer<box>(128), buffer<int>(64), 64); }

template <bool right>
__global__ void last_block(const int *in, int *partial, unsigned *done, int *out)
{
    __shared__ bool last;
    int s = __reduce_add_sync(~0u, in[blockIdx.x * 32 + threadIdx.x]);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s;
        if (right)
            __threadfence();
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        int v = threadIdx.x < gridDim.x ? partial[threadIdx.x] : 0; // MISTAKE last_block race
        v = __reduce_add_sync(~0u, v);
        if (threadIdx.x == 0)
            *out = v;
    }
}
TWINS(last_block)
{
    last_block<right>
        <<<8, 32>>>(buffer<int>(256), buffer<int>(8), buffer<unsigned>(1), buffer<int>(1));
}

__global__ void scale_all(const float *in, float *out, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = in[i] * 3; // MISTAKE sizeof_pointer uninitialised
}
template <bool right> static void upload(float *d, const float *h, size_t n)
{
    must(cudaMemcpy(d, h, right ? n * sizeof *h : sizeof h, cudaMemcpyHostToDevice));
}
static float *raw_floats(size_t n)
{
    float *p;
    must(cudaMalloc(&p, n * sizeof *p));
    buffers[buffer_count++] = p;
    return p;
}
TWINS(sizeof_pointer)
{
    float h[64] = {1};
    float *d = raw_floats(64);
    upload<right>(d, h, 64);
    scale_all<<<1, 64>>>(d, buffer<float>(64), 64);
}

__global__ void count_up(int *a)
{
    a[threadIdx.x] += 1; // MISTAKE memset_elements uninitialised
}
TWINS(memset_elements)
{
    int *a = (int *)raw_floats(64);
    must(cudaMemset(a, 0, right ? 64 * sizeof(int) : 64));
    count_up<<<1, 64>>>(a);
}

template <bool right, class T> __device__ T *row_at(T *base, size_t pitch, int y)
{
    return right ? (T *)((char *)base + y * pitch) : base + y * pitch;
}
template <bool right> __global__ void pitched(float *base, size_t pitch, int w)
{
    float *row = row_at<right>(base, pitch, threadIdx.y);
    if (threadIdx.x < w)
        row[threadIdx.x] = 1; // MISTAKE pitch_elements out.of.bounds
}
TWINS(pitch_elements)
{
    float *p;
    size_t pitch;
    must(cudaMallocPitch(&p, &pitch, 20 * sizeof(float), 8));
    buffers[buffer_count++] = p;
    pitched<right><<<1, dim3(32, 8)>>>(p, pitch, 20);
}

__global__ void row_sums(const float *base, size_t pitch, int w, float *out)
{
    const float *row = (const float *)((const char *)base + threadIdx.x * pitch);
    float s = 0;
    for (int x = 0; x < w; x++)
        s += row[x];
    out[threadIdx.x] = s; // MISTAKE into_padding uninitialised
}
TWINS(into_padding)
{
    float h[4][20] = {{0}}, *p;
    size_t pitch;
    must(cudaMallocPitch(&p, &pitch, sizeof h[0], 4));
    buffers[buffer_count++] = p;
    must(cudaMemcpy2D(p, pitch, h, sizeof h[0], sizeof h[0], 4, cudaMemcpyHostToDevice));
    row_sums<<<1, 4>>>(p, pitch, right ? 20 : 22, buffer<float>(4));
}
__global__ void row_sums2(const float *base, size_t pitch, int w, float *out)
{
    const float *row = (const float *)((const char *)base + threadIdx.x * pitch);
    float s = 0;
    for (int x = 0; x < w; x++)
        s += row[x];
    out[threadIdx.x] = s; // MISTAKE copy_width uninitialised
}
TWINS(copy_width)
{
    float h[4][20] = {{0}}, *p;
    size_t pitch;
    must(cudaMallocPitch(&p, &pitch, sizeof h[0], 4));
    buffers[buffer_count++] = p;
    must(cudaMemcpy2D(p, pitch, h, sizeof h[0], right ? sizeof h[0] : 20, 4,
                      cudaMemcpyHostToDevice));
    row_sums2<<<1, 4>>>(p, pitch, 20, buffer<float>(4));
}

__global__ void copy4(const float *in, float *out, int pitch)
{
    const float4 *row = reinterpret_cast<const float4 *>(in + threadIdx.y * pitch);
    float4 v = row[threadIdx.x]; // MISTAKE vector_row misaligned
    out[threadIdx.y * 8 + threadIdx.x] = v.x + v.y + v.z + v.w;
}
TWINS(vector_row)
{
    copy4<<<1, dim3(8, 4)>>>(buffer<float>(36 * 4), buffer<float>(32), right ? 36 : 33);
}

struct __attribute__((packed)) record {
    char tag;
    int value;
};
template <bool right> __global__ void packed_read(const char *bytes, int *out)
{
    const char *p = bytes + threadIdx.x * 5 + 1;
    int v;
    if (right)
        v = (unsigned char)p[0] | p[1] << 8 | p[2] << 16 | p[3] << 24;
    else
        v = *(const int *)p; // MISTAKE packed_record misaligned
    out[threadIdx.x] = v;
}
TWINS(packed_record) { packed_read<right><<<1, 16>>>(buffer<char>(80), buffer<int>(16)); }

template <bool right> __global__ void backwards(const int *a, int *out, unsigned n)
{
    int s = 0;
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
        if (right)
            s += i ? a[i] - a[i - 1] : a[i];
        else
            s += a[i] - a[i - 1]; // MISTAKE unsigned_wrap out.of.bounds
    }
    out[threadIdx.x] = s;
}
TWINS(unsigned_wrap) { backwards<right><<<1, 32>>>(buffer<int>(64), buffer<int>(32), 64); }

template <bool right> __global__ void ldg_own(float *__restrict__ a, float *out)
{
    a[threadIdx.x] = threadIdx.x;
    __syncthreads();
    const float *p = a + 63 - threadIdx.x;
    out[threadIdx.x] = right ? *p : __ldg(p); // MISTAKE ldg_own race
}
TWINS(ldg_own) { ldg_own<right><<<1, 64>>>(buffer<float>(64), buffer<float>(64)); }

struct grid_barrier {
    unsigned *count;
    template <bool right> __device__ void sync(unsigned round)
    {
        __syncthreads();
        if (threadIdx.x == 0) {
            if (right)
                __threadfence();
            atomicAdd(count, 1);
            while (*(volatile unsigned *)count < round * gridDim.x) {
            }
            if (right)
                __threadfence();
        }
        __syncthreads();
    }
};
template <bool right> __global__ void own_barrier(grid_barrier b, int *a, int *out)
{
    a[blockIdx.x * 32 + threadIdx.x] = blockIdx.x;
    b.sync<right>(1);
    out[blockIdx.x * 32 + threadIdx.x] =
        a[(blockIdx.x + 1) % gridDim.x * 32 + threadIdx.x]; // MISTAKE own_barrier race
}
TWINS(own_barrier)
{
    own_barrier<right><<<4, 32>>>({buffer<unsigned>(1)}, buffer<int>(128), buffer<int>(128));
}

template <bool right> __global__ void phases(int *a, int *b)
{
    auto grid = cg::this_grid();
    auto block = cg::this_thread_block();
    a[grid.thread_rank()] = grid.thread_rank();
    if (right)
        grid.sync();
    else
        block.sync();
    b[grid.thread_rank()] = a[grid.size() - 1 - grid.thread_rank()]; // MISTAKE grid_phase race
}
TWINS(grid_phase)
{
    int *a = buffer<int>(128), *b = buffer<int>(128);
    void *args[] = {&a, &b};
    must(cudaLaunchCooperativeKernel((void *)phases<right>, 4, 32, args));
}

template <class T, int N> struct small_vector {
    T v[N];
    __device__ T &operator[](int i) { return v[i]; }
    __device__ T *begin() { return v; }
    __device__ T *end() { return v + N; }
};
template <bool right> __global__ void partial_init(const float *in, float *out, int n)
{
    small_vector<float, 4> acc;
    for (int k = 0; k < (right ? 4 : 3); k++)
        acc[k] = 0;
    for (int i = 0; i < n; i++)
        acc[i & 3] += in[i * 32 + threadIdx.x];
    float s = 0;
    for (float x : acc)
        s += x;
    out[threadIdx.x] = s; // MISTAKE acc_three uninitialised
}
TWINS(acc_three) { partial_init<right><<<1, 32>>>(buffer<float>(256), buffer<float>(32), 8); }

struct stats {
    float sum, low;
    int n;
};
__device__ void add(stats &s, float x)
{
    s.sum += x;
    s.low = fminf(s.low, x);
    s.n++;
}
template <bool right> __global__ void stats_k(const float *in, float *out, int n)
{
    stats s;
    s.sum = 0;
    s.n = 0;
    if (right)
        s.low = 1e30f;
    for (int i = threadIdx.x; i < n; i += 32)
        add(s, in[i]);
    out[threadIdx.x] = s.low + s.sum / s.n; // MISTAKE stats_low uninitialised
}
TWINS(stats_low) { stats_k<right><<<1, 32>>>(buffer<float>(100), buffer<float>(32), 100); }

__global__ void max_of(const int *in, int *best)
{
    atomicMax(best, in[threadIdx.x]); // MISTAKE max_unset uninitialised
}
__global__ void publish_best(const int *best, int *out) { *out = *best; }
TWINS(max_unset)
{
    int *best = (int *)raw_floats(1);
    if (right)
        must(cudaMemset(best, 0, sizeof(int)));
    max_of<<<1, 32>>>(buffer<int>(32), best);
    publish_best<<<1, 1>>>(best, buffer<int>(1));
}

__global__ void square(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * in[i];
}
__global__ void add_pairs(const float *in, float *out, int n)
{
    int i = threadIdx.x;
    if (2 * i + 1 < n)
        out[i] = in[2 * i] + in[2 * i + 1]; // MISTAKE grid_floor uninitialised
}
TWINS(grid_floor)
{
    int n = 200, block = 64;
    float *mid = raw_floats(n);
    square<<<right ? (n + block - 1) / block : n / block, block>>>(buffer<float>(n), mid, n);
    add_pairs<<<1, 128>>>(mid, buffer<float>(n / 2), n);
}

template <bool right> __global__ void segments(const int *head, const int *v, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    bool tail =
        right ? i == n - 1 || head[i + 1] : head[i + 1] != 0; // MISTAKE segment_tail out.of.bounds
    if (tail)
        out[i] = v[i];
}
TWINS(segment_tail)
{
    segments<right><<<2, 32>>>(buffer<int>(50), buffer<int>(50), buffer<int>(50), 50);
}

template <bool right> __global__ void row_energy(const float *m, float *energy, int w)
{
    int row = blockIdx.y, x = blockIdx.x * 32 + threadIdx.x;
    float e = m[row * w + x];
    for (int d = 16; d; d /= 2)
        e += __shfl_xor_sync(~0u, e, d);
    if (threadIdx.x == 0) {
        if (right)
            atomicAdd(&energy[row], e);
        else
            energy[row] += e; // MISTAKE row_energy race
    }
}
__global__ void ones(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
TWINS(row_energy)
{
    float *m = buffer<float>(256);
    ones<<<1, 256>>>(m);
    row_energy<right><<<dim3(2, 4), 32>>>(m, buffer<float>(4), 64);
}

template <cuda::thread_scope S> __global__ void totals(int *total)
{
    ref<int, S>(*total).fetch_add(threadIdx.x, // MISTAKE ref_block race
                                  cuda::memory_order_relaxed);
}
TWINS(ref_block)
{
    totals<right ? cuda::thread_scope_device : cuda::thread_scope_block><<<3, 32>>>(buffer<int>(1));
}

template <bool right> __global__ void early_stop(const int *in, int *found, int *out)
{
    for (int k = 0; k < 4; k++) {
        if ((right ? ref<int>(*found).load(cuda::memory_order_relaxed) : *found) > 2) // MISTAKE early_stop race
            break;
        if (in[blockIdx.x * 4 + k] == 0)
            atomicAdd(found, 1);
        out[blockIdx.x] = k;
    }
}
TWINS(early_stop) { early_stop<right><<<4, 1>>>(buffer<int>(16), buffer<int>(1), buffer<int>(4)); }

template <bool right> __global__ void once(int *ready, int *value, int *out)
{
    if (threadIdx.x)
        return;
    int was = atomicCAS(ready, 0, 1);
    if (was == 0) {
        *value = 42; // MISTAKE once_state race
        __threadfence();
        if (right)
            atomicExch(ready, 2);
    } else {
        while (right && atomicAdd(ready, 0) != 2) {
        }
        __threadfence();
        out[blockIdx.x] = *value;
    }
}
TWINS(once_state) { once<right><<<3, 32>>>(buffer<int>(1), buffer<int>(1), buffer<int>(3)); }

struct particle {
    float3 at;
    int cell;
};
template <bool right> __global__ void cell_lists(particle *p, int *cells, int *next, int n)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i >= n)
        return;
    if (right)
        next[i] = atomicExch(&cells[p[i].cell], i);
    else {
        next[i] = cells[p[i].cell]; // MISTAKE cell_list race
        cells[p[i].cell] = i;
    }
}
TWINS(cell_list)
{
    cell_lists<right><<<2, 32>>>(buffer<particle>(64), buffer<int>(4), buffer<int>(64), 64);
}

template <bool right> __global__ void row_shift(int *a, int w)
{
    int r = blockIdx.x, x = threadIdx.x;
    int v = x + 1 < w ? a[r * w + x + 1] : 0;
    if (right)
        __syncthreads();
    a[r * w + x] = v; // MISTAKE row_shift race
}
TWINS(row_shift) { row_shift<right><<<2, 64>>>(buffer<int>(128), 64); }

template <bool right> __global__ void deadlock_two(int *locks, int *x)
{
    int a = blockIdx.x, b = 1 - a;
    int first = right && b < a ? b : a, second = right && b < a ? a : b;
    while (atomicCAS(&locks[first], 0, 1)) {
    }
    __threadfence();
    x[blockIdx.x] = 1;
    for (int k = 0; k < 300; k++)
        __nanosleep(100);
    while (atomicCAS(&locks[second], 0, 1)) { // MISTAKE lock_order does.not.end
    }
    __threadfence();
    x[2]++;
    __threadfence();
    atomicExch(&locks[second], 0);
    atomicExch(&locks[first], 0);
}
TWINS(lock_order) { deadlock_two<right><<<2, 1>>>(buffer<int>(2), buffer<int>(3)); }

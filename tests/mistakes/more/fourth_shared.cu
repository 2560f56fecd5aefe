/* fourth_shared.cu - shared memory, as classes, lambdas, carved buffers and groups use it. */
#include "mistakes.h"
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

#include <mma.h>
namespace cg = cooperative_groups;

struct tile_view {
    float *base;
    int pitch;
    __device__ float &operator()(int r, int c) const { return base[r * pitch + c]; }
};
template <bool right> __global__ void transpose_view(const float *in, float *out)
{
    __shared__ float store[16 * 17];
    tile_view t{store, 17};
    t(threadIdx.y, threadIdx.x) = in[threadIdx.y * 16 + threadIdx.x];
    if (right)
        __syncthreads();
    out[threadIdx.y * 16 + threadIdx.x] = t(threadIdx.x, threadIdx.y); // MISTAKE view race
}
TWINS(view) { transpose_view<right><<<1, dim3(16, 16)>>>(buffer<float>(256), buffer<float>(256)); }

template <class T, int N> class block_scan
{
    T *from, *to;

  public:
    __device__ block_scan(T *a, T *b) : from(a), to(b) {}
    template <bool right> __device__ T inclusive(T v)
    {
        from[threadIdx.x] = v;
        __syncthreads();
        for (int d = 1; d < N; d *= 2) {
            T x = from[threadIdx.x];
            if (threadIdx.x >= d)
                x += from[threadIdx.x - d]; // MISTAKE scan_swap race
            to[threadIdx.x] = x;
            T *t = from;
            from = to;
            to = t;
            if (right)
                __syncthreads();
        }
        return from[threadIdx.x];
    }
};
template <bool right> __global__ void scan_k(int *a)
{
    __shared__ int s[2][128];
    block_scan<int, 128> scan(s[0], s[1]);
    a[threadIdx.x] = scan.template inclusive<right>(a[threadIdx.x]);
}
TWINS(scan_swap) { scan_k<right><<<1, 128>>>(buffer<int>(128)); }

template <class Load, class Use>
__device__ void for_tiles(int n, Load load, Use use, bool last_barrier)
{
    for (int k = 0; k < n; k++) {
        load(k);
        __syncthreads();
        use(k);
        if (last_barrier)
            __syncthreads();
    }
}
template <bool right> __global__ void stale_k(const float *in, float *out)
{
    __shared__ float s[64];
    float sum = 0;
    for_tiles(
        4, [&](int k) { s[threadIdx.x] = in[k * 64 + threadIdx.x]; }, // MISTAKE stale_lambda race
        [&](int) { sum += s[63 - threadIdx.x]; }, right);
    out[threadIdx.x] = sum;
}
TWINS(stale_lambda) { stale_k<right><<<1, 64>>>(buffer<float>(256), buffer<float>(64)); }

template <bool right> __global__ void carve_k(const float *in, float *out, int n)
{
    extern __shared__ __align__(16) char raw[];
    float *value = reinterpret_cast<float *>(raw);
    int *key = reinterpret_cast<int *>(raw + (right ? n * sizeof(float) : n));
    value[threadIdx.x] = in[threadIdx.x];
    key[threadIdx.x] = threadIdx.x ^ 1; // MISTAKE carve race
    __syncthreads();
    out[threadIdx.x] = value[key[threadIdx.x] & (n - 1)];
}
TWINS(carve) { carve_k<right><<<1, 128, 128 * 8>>>(buffer<float>(128), buffer<float>(128), 128); }

template <int R> __global__ void halo_k(const float *in, float *out)
{
    extern __shared__ float line[];
    int t = threadIdx.x;
    line[t + R] = in[t + R];
    if (t < R) {
        line[t] = in[t];
        line[t + R + blockDim.x] = in[t + R + blockDim.x]; // MISTAKE halo_small out.of.bounds
    }
    __syncthreads();
    float s = 0;
    for (int d = -R; d <= R; d++)
        s += line[t + R + d];
    out[t] = s;
}
TWINS(halo_small)
{
    halo_k<3>
        <<<1, 64, (64 + (right ? 6 : 3)) * sizeof(float)>>>(buffer<float>(70), buffer<float>(64));
}

template <bool right> __global__ void halo_edge_one(const float *in, float *out)
{
    __shared__ float s[32 + 2];
    int t = threadIdx.x;
    s[t + 1] = in[t + 1];
    if (t == 0)
        s[0] = in[0];
    if (right && t == 31)
        s[33] = in[33];
    __syncthreads();
    out[t] = s[t] + s[t + 1] + s[t + 2]; // MISTAKE halo_unset uninitialised
}
TWINS(halo_unset) { halo_edge_one<right><<<1, 32>>>(buffer<float>(34), buffer<float>(32)); }

template <bool right> __global__ void tile_reduce(const int *in, int *out)
{
    __shared__ int s[64];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int base = warp.meta_group_rank() * 32, l = warp.thread_rank();
    s[base + l] = in[base + l];
    warp.sync();
    for (int d = 16; d; d >>= 1) {
        if (l < d)
            s[base + l] += s[base + l + d]; // MISTAKE tile_step race
        if (right)
            warp.sync();
    }
    if (l == 0)
        out[warp.meta_group_rank()] = s[base];
}
TWINS(tile_step) { tile_reduce<right><<<1, 64>>>(buffer<int>(64), buffer<int>(2)); }

template <int Size> __global__ void subgroup(const int *in, int *out)
{
    __shared__ int s[32];
    auto part = cg::tiled_partition<Size>(cg::this_thread_block());
    s[threadIdx.x] = in[threadIdx.x];
    part.sync();
    out[threadIdx.x] = s[threadIdx.x ^ 8]; // MISTAKE small_group race
}
TWINS(small_group) { subgroup<right ? 16 : 8><<<1, 32>>>(buffer<int>(32), buffer<int>(32)); }

template <bool right> __device__ void split_bit(unsigned *keys, int *zeros, int bit)
{
    int t = threadIdx.x;
    unsigned k = keys[t];
    unsigned one = (k >> bit) & 1;
    unsigned ballot = __ballot_sync(~0u, !one);
    int lane = t & 31, w = t >> 5;
    if (lane == 0)
        zeros[w] = __popc(ballot);
    __syncthreads();
    int z0 = zeros[0], total = zeros[0] + zeros[1];
    int before = __popc(ballot & ((1u << lane) - 1)) + (w ? z0 : 0);
    int at = one ? total + t - before : before;
    keys[at] = k; // MISTAKE radix_split race
    if (right)
        __syncthreads();
}
template <bool right> __global__ void radix_k(unsigned *a)
{
    __shared__ unsigned keys[64];
    __shared__ int zeros[2];
    keys[threadIdx.x] = a[threadIdx.x] + 37 * threadIdx.x % 64;
    __syncthreads();
    for (int b = 0; b < 6; b++)
        split_bit<right>(keys, zeros, b);
    __syncthreads();
    a[threadIdx.x] = keys[threadIdx.x];
}
TWINS(radix_split) { radix_k<right><<<1, 64>>>(buffer<unsigned>(64)); }

template <bool right> __global__ void warp_bins(const int *in, int *out)
{
    __shared__ int bins[4][16];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int w = warp.meta_group_rank();
    if (warp.thread_rank() < 16)
        bins[w][warp.thread_rank()] = 0;
    warp.sync();
    atomicAdd(&bins[w][in[threadIdx.x] & 15], 1);
    if (right)
        __syncthreads();
    else
        warp.sync();
    if (threadIdx.x < 16) {
        int s = 0;
        for (auto &row : bins)
            s += row[threadIdx.x]; // MISTAKE merge_bins race
        out[threadIdx.x] = s;
    }
}
TWINS(merge_bins) { warp_bins<right><<<1, 128>>>(buffer<int>(128), buffer<int>(16)); }

struct sum_step {
    struct storage {
        int part[4];
    };
    static __device__ int run(storage &s, int v)
    {
        v = __reduce_add_sync(~0u, v);
        if (threadIdx.x % 32 == 0)
            s.part[threadIdx.x / 32] = v;
        __syncthreads();
        return s.part[0] + s.part[1] + s.part[2] + s.part[3]; // MISTAKE union_reuse race
    }
};
struct exchange_step {
    struct storage {
        int all[128];
    };
    static __device__ int run(storage &s, int v)
    {
        s.all[threadIdx.x] = v;
        __syncthreads();
        return s.all[127 - threadIdx.x];
    }
};
template <bool right> __global__ void union_k(int *a)
{
    __shared__ union {
        sum_step::storage sum;
        exchange_step::storage exchange;
    } temp;
    int total = sum_step::run(temp.sum, a[threadIdx.x]);
    if (right)
        __syncthreads();
    a[threadIdx.x] = exchange_step::run(temp.exchange, total + threadIdx.x);
}
TWINS(union_reuse) { union_k<right><<<1, 128>>>(buffer<int>(128)); }

template <int Id, int Count> __device__ void named_sync()
{
    asm volatile("bar.sync %0, %1;" ::"n"(Id), "n"(Count) // MISTAKE named_count never MISTAKE specialised_empty never
                 : "memory");
}
template <int Id, int Count> __device__ void named_arrive()
{
    asm volatile("bar.arrive %0, %1;" ::"n"(Id), "n"(Count) : "memory");
}
template <int Count> __global__ void named_count(int *a)
{
    __shared__ int s[64];
    if (threadIdx.x < 64) {
        s[threadIdx.x] = a[threadIdx.x];
        named_sync<1, Count>();
        a[threadIdx.x] = s[63 - threadIdx.x];
    }
}
TWINS(named_count) { named_count<right ? 64 : 96><<<1, 96>>>(buffer<int>(64)); }

template <bool right> __global__ void specialised(const int *in, int *out, int tiles)
{
    __shared__ int ring[2][32];
    if (threadIdx.x < 32) {
        for (int k = 0; k < tiles; k++) {
            if (k >= 2 && right) {
                if (k & 1)
                    named_sync<4, 64>();
                else
                    named_sync<3, 64>();
            }
            ring[k & 1][threadIdx.x] = in[k * 32 + threadIdx.x];
            if (k & 1)
                named_arrive<2, 64>();
            else
                named_arrive<1, 64>();
        }
    } else {
        int l = threadIdx.x - 32, sum = 0;
        for (int k = 0; k < tiles; k++) {
            if (k & 1)
                named_sync<2, 64>();
            else
                named_sync<1, 64>();
            sum += ring[k & 1][31 - l];
            if (right && k + 2 < tiles) {
                if (k & 1)
                    named_arrive<4, 64>();
                else
                    named_arrive<3, 64>();
            }
        }
        out[l] = sum;
    }
}
TWINS(specialised_empty) { specialised<right><<<1, 64>>>(buffer<int>(128), buffer<int>(32), 4); }

template <bool right> __global__ void early_return(const int *in, int *out, int n)
{
    __shared__ int s[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    if (!right && i >= n)
        return;
    s[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads(); // MISTAKE early_return simt
    if (i < n)
        out[i] = s[threadIdx.x ^ 1];
}
TWINS(early_return) { early_return<right><<<2, 128>>>(buffer<int>(200), buffer<int>(200), 200); }

template <bool right> __global__ void barrier_token(const float *in, float *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> filled;
    __shared__ float s[96];
    if (threadIdx.x == 0)
        init(&filled, blockDim.x);
    __syncthreads();
    s[threadIdx.x] = in[threadIdx.x];
    auto token = filled.arrive();
    if (right)
        filled.wait(cuda::std::move(token));
    out[threadIdx.x] = s[95 - threadIdx.x]; // MISTAKE barrier_token race
    if (!right)
        filled.wait(cuda::std::move(token));
}
TWINS(barrier_token) { barrier_token<right><<<1, 96>>>(buffer<float>(96), buffer<float>(96)); }

template <bool right> __global__ void thread_pipe(const int4 *in, int *out)
{
    __shared__ int4 s[64];
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&s[threadIdx.x], &in[threadIdx.x], cuda::aligned_size_t<16>(16), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    if (right)
        __syncthreads();
    out[threadIdx.x] = s[(threadIdx.x + 1) & 63].y; // MISTAKE thread_pipe race
    pipe.consumer_release();
}
TWINS(thread_pipe) { thread_pipe<right><<<1, 64>>>(buffer<int4>(64), buffer<int>(64)); }

template <bool right> __global__ void zero_total(const int *in, int *out)
{
    __shared__ int total;
    if (threadIdx.x == 0)
        total = 0;
    if (right)
        __syncthreads();
    if (in[threadIdx.x] >= 0)
        atomicAdd(&total, 1); // MISTAKE zero_total race
    __syncthreads();
    if (threadIdx.x == 0)
        *out = total;
}
TWINS(zero_total) { zero_total<right><<<1, 64>>>(buffer<int>(64), buffer<int>(1)); }

template <bool right> __global__ void compact_rounds(const int *in, int *out, int *counts)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    for (int k = 0; k < 3; k++) {
        int v = in[k * 64 + threadIdx.x];
        int at = v >= k ? atomicAdd(&count, 1) : -1;
        __syncthreads();
        int n = count; // MISTAKE count_reset race
        if (right)
            __syncthreads();
        if (threadIdx.x == 0) {
            counts[k] = n;
            count = 0;
        }
        if (at >= 0)
            out[k * 64 + n - 1 - at] = v;
        __syncthreads();
    }
}
TWINS(count_reset)
{
    compact_rounds<right><<<1, 64>>>(buffer<int>(192), buffer<int>(192), buffer<int>(3));
}

template <bool right> __global__ void persistent(int *queue, int *out, int items)
{
    __shared__ int next;
    while (true) {
        if (threadIdx.x == 0)
            next = atomicAdd(queue, 1);
        __syncthreads();
        int item = next; // MISTAKE persistent_next race
        if (right)
            __syncthreads();
        if (item >= items)
            break;
        out[item * 64 + threadIdx.x] = item;
    }
}
TWINS(persistent_next) { persistent<right><<<2, 64>>>(buffer<int>(1), buffer<int>(64 * 6), 6); }

template <bool right> __global__ void batched_lu(float *a)
{
    __shared__ float m[2][8][8];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int w = threadIdx.x / 32, r = threadIdx.x % 32;
    if (r >= 8)
        return;
    auto &x = m[w];
    for (int c = 0; c < 8; c++)
        x[r][c] = a[w * 64 + r * 8 + c] + (r == c);
    tile.sync();
    for (int k = 0; k < 8; k++) {
        if (r > k) {
            x[r][k] /= x[k][k];
            for (int c = k + 1; c < 8; c++)
                x[r][c] -= x[r][k] * x[k][c]; // MISTAKE batched_lu race
        }
        if (right)
            tile.sync();
    }
    for (int c = 0; c < 8; c++)
        a[w * 64 + r * 8 + c] = x[r][c];
}
TWINS(batched_lu) { batched_lu<right><<<1, 64>>>(buffer<float>(128)); }

template <bool right> __global__ void in_place(int *a)
{
    __shared__ int s[16][17];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = a[y * 16 + x] + y;
    __syncthreads();
    if (!right || x < y) {
        int t = s[y][x];
        s[y][x] = s[x][y]; // MISTAKE in_place race
        s[x][y] = t;
    }
    __syncthreads();
    a[y * 16 + x] = s[y][x];
}
TWINS(in_place) { in_place<right><<<1, dim3(16, 16)>>>(buffer<int>(256)); }

template <class T, class Less> __device__ void exchange(T *s, int i, int j, Less less)
{
    T a = s[i], b = s[j];
    if (less(b, a)) {
        s[i] = b; // MISTAKE bitonic_both race
        s[j] = a;
    }
}
template <bool right> __global__ void bitonic(int *a)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = 64 - t + a[t];
    __syncthreads();
    for (int k = 2; k <= 64; k *= 2) {
        for (int j = k / 2; j; j /= 2) {
            int p = t ^ j;
            if (!right || p > t) {
                bool up = (t & k) == 0;
                exchange(s, t, p, [=](int x, int y) { return up ? x < y : y < x; });
            }
            __syncthreads();
        }
    }
    a[t] = s[t];
}
TWINS(bitonic_both) { bitonic<right><<<1, 64>>>(buffer<int>(64)); }

static __device__ __noinline__ float warp_sum(float v)
{
    for (int d = 16; d; d >>= 1)
        v += __shfl_down_sync(~0u, v, d);
    return v;
}
static __device__ __noinline__ float block_sum(float v, float *scratch)
{
    v = warp_sum(v);
    if (threadIdx.x % 32 == 0)
        scratch[threadIdx.x / 32] = v; // MISTAKE scratch_twice race
    __syncthreads();
    v = 0;
    for (unsigned w = 0; w < blockDim.x / 32; w++)
        v += scratch[w];
    return v;
}
template <bool right> __global__ void variance(float *a, float *out)
{
    __shared__ float scratch[4];
    float mean = block_sum(a[threadIdx.x], scratch) / blockDim.x;
    if (right)
        __syncthreads();
    float d = a[threadIdx.x] - mean;
    float var = block_sum(d * d, scratch);
    if (threadIdx.x == 0)
        *out = var;
}
TWINS(scratch_twice) { variance<right><<<1, 128>>>(buffer<float>(128), buffer<float>(1)); }

template <bool right> __global__ void bins256(const unsigned char *in, unsigned *out)
{
    __shared__ unsigned bins[256];
    for (int b = threadIdx.x; b < (right ? 256 : 128); b += 128)
        bins[b] = 0;
    __syncthreads();
    atomicAdd(&bins[in[threadIdx.x]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += 128)
        out[b] = bins[b]; // MISTAKE half_cleared uninitialised
}
TWINS(half_cleared)
{
    bins256<right><<<1, 128>>>(buffer<unsigned char>(128), buffer<unsigned>(256));
}

template <bool right> __global__ void wmma_load(const half *a, const half *b, float *c)
{
    using namespace nvcuda;
    __shared__ __align__(32) half sa[256], sb[256];
    for (int i = threadIdx.x; i < 256; i += 64) {
        sa[i] = a[i];
        sb[i] = b[i];
    }
    if (right)
        __syncthreads();
    else
        __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, sa, 16); // MISTAKE wmma_load race
    wmma::load_matrix_sync(fb, sb, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c + threadIdx.x / 32 * 256, fc, 16, wmma::mem_row_major);
}
TWINS(wmma_load)
{
    wmma_load<right><<<1, 64>>>(buffer<half>(256), buffer<half>(256), buffer<float>(512));
}

template <bool right> __global__ void wmma_epilogue(const half *a, const half *b, float *out)
{
    using namespace nvcuda;
    __shared__ __align__(32) float tile[2][256];
    int w = threadIdx.x / 32, l = threadIdx.x % 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 1.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(tile[w], fc, 16, wmma::mem_row_major);
    if (right)
        __syncwarp();
    for (int i = l; i < 256; i += 32)
        out[w * 256 + i] = fmaxf(tile[w][i], 0.0f); // MISTAKE wmma_epilogue race
}
TWINS(wmma_epilogue)
{
    wmma_epilogue<right><<<1, 64>>>(buffer<half>(256), buffer<half>(256), buffer<float>(512));
}

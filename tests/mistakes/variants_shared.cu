/* variants_shared.cu - second variants of the older classes: barriers, trees, scans, counters,
 * locks. */
#include "mistakes.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>

namespace cg = cooperative_groups;

template <bool right, typename T> __device__ void scan(T *s, int n)
{
    for (int d = 1; d < n; d *= 2) {
        T x = (int)threadIdx.x >= d ? s[threadIdx.x - d] : T(0);
        if (right) {
            __syncthreads();
        }
        s[threadIdx.x] += x; // MISTAKE scan_in_place race
        __syncthreads();
    }
}
template <bool right> __global__ void scan_block(short *out)
{
    __shared__ short s[128];
    s[threadIdx.x] = 1;
    __syncthreads();
    scan<right>(s, 128);
    out[threadIdx.x] = s[threadIdx.x];
}
TWINS(scan_in_place) { scan_block<right><<<1, 128>>>(buffer<short>(128)); }

template <bool right> __global__ void odd_even_sort(unsigned char *keys, int n)
{
    extern __shared__ unsigned char s[];
    s[threadIdx.x] = keys[threadIdx.x];
    __syncthreads();
    for (int phase = 0; phase < n; phase++) {
        const int i = 2 * threadIdx.x + phase % 2;
        if (i + 1 < n && s[i] > s[i + 1]) { // MISTAKE odd_even_sort race
            const unsigned char x = s[i];
            s[i] = s[i + 1];
            s[i + 1] = x;
        }
        if (right) {
            __syncthreads();
        }
    }
    __syncthreads();
    keys[threadIdx.x] = s[threadIdx.x];
}
TWINS(odd_even_sort)
{
    unsigned char h[96];
    for (int i = 0; i < 96; i++) {
        h[i] = (unsigned char)(96 - i);
    }
    unsigned char *k = buffer<unsigned char>(96);
    must(cudaMemcpy(k, h, 96, cudaMemcpyHostToDevice));
    odd_even_sort<right><<<1, 96, 96>>>(k, 96);
}

/* Tiles of 8 lanes each exchange a row; one that is larger than its barrier. */
template <bool right> __global__ void rows_of_tiles(int *out)
{
    __shared__ int row[8][9];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    const int r = tile.meta_group_rank(), c = tile.thread_rank();
    row[r][c] = threadIdx.x;
    tile.sync();
    out[threadIdx.x] = right ? row[r][7 - c] : row[c][r]; // MISTAKE rows_of_tiles race
}
TWINS(rows_of_tiles) { rows_of_tiles<right><<<1, 64>>>(buffer<int>(64)); }

template <bool right> __global__ void reduce_groups(const int *in, int *out)
{
    __shared__ int part[4];
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    const int sum = cg::reduce(warp, in[block.thread_rank()], cg::plus<int>());
    if (warp.thread_rank() == 0) {
        part[warp.meta_group_rank()] = sum;
    }
    if (right) {
        block.sync();
    } else {
        warp.sync();
    }
    if (block.thread_rank() == 0) {
        *out = part[0] + part[1] + part[2] + part[3]; // MISTAKE reduce_groups race
    }
}
TWINS(reduce_groups) { reduce_groups<right><<<1, 128>>>(buffer<int>(128), buffer<int>(1)); }

template <bool right> __global__ void grid_step(float *a, float *b, int steps)
{
    cg::grid_group grid = cg::this_grid();
    const int i = (int)grid.thread_rank(), n = (int)grid.size();
    for (int s = 0; s < steps; s++) {
        b[i] = a[(i + 1) % n] + 1;
        if (right || s == 0) {
            grid.sync();
        } else {
            cg::this_thread_block().sync();
        }
        a[i] = b[(i + n - 1) % n]; // MISTAKE grid_step race
        grid.sync();
    }
}
TWINS(grid_step)
{
    float *a = buffer<float>(128), *b = buffer<float>(128);
    int steps = 2;
    void *arguments[] = {&a, &b, &steps};
    must(cudaLaunchCooperativeKernel((const void *)grid_step<right>, dim3(4), dim3(32), arguments,
                                     0, 0));
}

template <bool right> class spin_lock
{
    int *word;

  public:
    __device__ explicit spin_lock(int *w) : word(w)
    {
        cuda::atomic_ref<int, cuda::thread_scope_device> a(*word);
        while (a.exchange(1, right ? cuda::memory_order_acquire : cuda::memory_order_relaxed) !=
               0) {
        }
    }
    __device__ ~spin_lock()
    {
        cuda::atomic_ref<int, cuda::thread_scope_device> a(*word);
        a.store(0, right ? cuda::memory_order_release : cuda::memory_order_relaxed);
    }
};
struct account {
    int lock;
    long long balance;
};
template <bool right> __global__ void transfer(account *accounts)
{
    account &to = accounts[blockIdx.x % 2];
    if (threadIdx.x == 0) {
        spin_lock<right> guard(&to.lock);
        to.balance += 10; // MISTAKE transfer race
    }
}
TWINS(transfer) { transfer<right><<<6, 32>>>(buffer<account>(2)); }

/* The scope of the reference is the block's, its users are of the grid. */
template <bool right> __global__ void scoped(int *sum)
{
    if (right) {
        cuda::atomic_ref<int, cuda::thread_scope_device>(*sum).fetch_add(1);
    } else {
        cuda::atomic_ref<int, cuda::thread_scope_block>(*sum).fetch_add(1); // MISTAKE scoped race
    }
}
TWINS(scoped) { scoped<right><<<2, 32>>>(buffer<int>(1)); }

struct particle {
    float3 x, v;
};
template <bool right> __global__ void collide(particle *p, particle *next, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        particle me = p[i];
        const particle other = p[(i + 37) % n]; // MISTAKE collide race
        me.v.x += other.v.x - me.x.x;
        (right ? next : p)[i] = me;
    }
}
TWINS(collide) { collide<right><<<2, 64>>>(buffer<particle>(100), buffer<particle>(100), 100); }

template <bool right> __global__ void flood(int *level, int width, int *changed)
{
    const int x = threadIdx.x + 1, y = blockIdx.x * blockDim.y + threadIdx.y + 1;
    const int at = y * width + x;
    const int best = right ? level[at] : min(level[at - width], level[at + width]);
    if (best <= level[at]) {
        level[at] = best + 1; // MISTAKE flood race
        if (right) {
            atomicExch(changed, 1);
        }
    }
}
TWINS(flood) { flood<right><<<2, dim3(16, 4)>>>(buffer<int>(18 * 10), 18, buffer<int>(1)); }

template <bool right> __global__ void two_barriers(int *out)
{
    __shared__ int s[2][64];
    const int t = threadIdx.x, half = t / 64;
    s[half][t % 64] = t;
    asm volatile("bar.sync %0, 64;" ::"r"(half + 1));
    out[t] = s[right ? half : 1 - half][63 - t % 64]; // MISTAKE two_barriers race
}
TWINS(two_barriers) { two_barriers<right><<<1, 128>>>(buffer<int>(128)); }

/* A union of the block's arrays: the second use begins before the first has ended. */
template <bool right> __global__ void one_room_for_two(const float *in, float *out, int *order)
{
    __shared__ union {
        float value[64];
        int index[64];
    } room;
    const int t = threadIdx.x;
    room.value[t] = in[t];
    __syncthreads();
    out[t] = room.value[63 - t];
    if (right) {
        __syncthreads();
    }
    room.index[t] = t; // MISTAKE one_room_for_two race
    __syncthreads();
    order[t] = room.index[63 - t];
}
TWINS(one_room_for_two)
{
    one_room_for_two<right><<<1, 64>>>(buffer<float>(64), buffer<float>(64), buffer<int>(64));
}

template <bool right> __global__ void bits(unsigned *mask)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (right) {
        atomicXor(&mask[i / 32], 1u << i % 32);
    } else {
        mask[i / 32] ^= 1u << i % 32; // MISTAKE bits race
    }
}
TWINS(bits) { bits<right><<<2, 48>>>(buffer<unsigned>(3)); }

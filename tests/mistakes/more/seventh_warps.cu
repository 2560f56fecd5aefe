/* seventh_warps.cu - of the seventh set: warps, atomics, tables, queues and orders of memory. */
/* flags: -std=c++17 -arch=sm_90a */
#include "mistakes.h"

#include <cooperative_groups.h>
#include <cuda/atomic>

namespace cg = cooperative_groups;

#define I ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#define T ((int)threadIdx.x)

/* A vote of all lanes in a branch that some lanes take, while the others wait at another. */
template <bool right> __global__ void vote(const int *x, unsigned *out)
{
    unsigned b = 0;
    if (T < 20) {
        b = __ballot_sync(right ? 0xfffffu : 0xffffffffu, x[T] == 0); // MISTAKE vote lane
    }
    out[T] = b;
}
TWINS(vote) { vote<right><<<1, 32>>>(buffer<int>(32), buffer<unsigned>(32)); }

/* Places for those who have something: only they are here to be given the base. */
template <bool right> __global__ void append(const int *x, int *count, int *list, int *out)
{
    if (x[T] % 3 == 0) {
        unsigned here = __activemask();
        int leader = __ffs(here) - 1, lane = T % 32, base = 0;
        if (lane == leader) {
            base = atomicAdd(count, __popc(here));
        }
        base = __shfl_sync(right ? here : 0xffffffffu, base, leader); // MISTAKE append lane
        list[base + __popc(here & ((1u << lane) - 1))] = x[T];
    }
    out[T] = __any_sync(~0u, x[T] > 50);
}
static int *numbers(int n)
{
    int *a = buffer<int>(n), *h = (int *)malloc(n * sizeof *h);
    for (int i = 0; i < n; i++) {
        h[i] = i;
    }
    must(cudaMemcpy(a, h, n * sizeof *h, cudaMemcpyHostToDevice));
    free(h);
    return a;
}
TWINS(append)
{
    append<right><<<1, 64>>>(numbers(64), buffer<int>(1), buffer<int>(64), buffer<int>(64));
}

/* Lanes of one key share an addition; their leader is not lane 0. */
template <bool right> __global__ void by_key(const int *key, int *bins, int *out)
{
    unsigned peers = __match_any_sync(~0u, key[T] % 4);
    int leader = __ffs(peers) - 1, lane = T % 32, old = 0;
    if (lane == leader) {
        old = atomicAdd(&bins[key[T] % 4], __popc(peers));
    }
    switch (key[T] % 4) {
    case 0:
        old = __shfl_sync(peers, old, leader);
        break;
    case 1:
        old = __shfl_sync(peers, old, right ? leader : 0); // MISTAKE by_key lane
        break;
    case 2:
        old = __shfl_sync(peers, old, leader);
        break;
    default:
        old = __shfl_sync(peers, old, leader) + 1;
        break;
    }
    out[T] = old;
}
TWINS(by_key) { by_key<right><<<1, 32>>>(numbers(32), buffer<int>(4), buffer<int>(32)); }

/* A sum of the lanes below n: lane n itself is in the branch, not in the mask. */
template <bool right> __global__ void lanes_below(const int *x, int n, int *out)
{
    if (T < (right ? n : n + 1)) {
        out[T] = __reduce_add_sync((1u << n) - 1, x[T]); // MISTAKE lanes_below lane
    }
}
TWINS(lanes_below) { lanes_below<right><<<1, 32>>>(buffer<int>(32), 10, buffer<int>(32)); }

/* All lanes call a __syncwarp() that names half of them. */
template <bool right> __global__ void half_sync(const int *x, int *out)
{
    __shared__ int s[32];
    s[T] = x[T];
    __syncwarp(right ? 0xffffffffu : 0xffffu); // MISTAKE half_sync lane
    out[T] = s[T ^ 1];
}
TWINS(half_sync) { half_sync<right><<<1, 32>>>(buffer<int>(32), buffer<int>(32)); }

/* The grid meets, but it was not launched for that. */
__global__ void meet(int *a, int *b)
{
    cg::grid_group grid = cg::this_grid();
    a[I] = 1;
    grid.sync(); // MISTAKE plain_launch Cooperative
    b[I] = a[(I + 64) % 256];
}
TWINS(plain_launch)
{
    int *a = buffer<int>(256), *b = buffer<int>(256);
    void *arguments[] = {&a, &b};
    if (right) {
        must(cudaLaunchCooperativeKernel((void *)meet, 4, 64, arguments, 0, 0));
    } else {
        meet<<<4, 64>>>(a, b);
    }
}

/* A table: the key is there before its value is. */
template <bool right> __global__ void insert_once(int *key, int *value, const int *x, int *out)
{
    int k = x[I] % 16 + 1;
    if (atomicCAS(&key[k], 0, k) == 0) {
        value[k] = 10 * k; // MISTAKE insert_once race
    }
    if (!right) {
        out[I] = value[k];
    }
}
TWINS(insert_once)
{
    int *a = buffer<int>(64);
    insert_once<right><<<2, 64>>>(a, a + 32, numbers(128), buffer<int>(128));
}

/* Open addressing in a table that nobody has emptied. */
__global__ void fill_table(int *table, const int *x)
{
    int slot = x[T] * 7 % 128;
    while (atomicCAS(&table[slot], -1, x[T]) != -1) { // MISTAKE table_not_emptied uninitialised
        slot = (slot + 1) % 128;
        if (table[slot] == x[T]) {
            break;
        }
    }
}
TWINS(table_not_emptied)
{
    int *table;
    must(cudaMalloc(&table, 128 * sizeof *table));
    if (right) {
        must(cudaMemset(table, 0xff, 128 * sizeof *table));
    } else {
        must(cudaMemset(table, 0xff, 64 * sizeof *table));
    }
    fill_table<<<1, 64>>>(table, numbers(64));
    must(cudaDeviceSynchronize());
    must(cudaFree(table));
}

/* Elements where bytes are asked for: three quarters of the distances are unset. */
__global__ void relax_edges(int *distance, const int *from, const int *to, int n)
{
    if (I < n && distance[from[I]] != -1) { // MISTAKE bytes_of_distances uninitialised
        atomicMax(&distance[to[I]], distance[from[I]] + 1);
    }
}
TWINS(bytes_of_distances)
{
    int *distance, n = 128, *x = numbers(128);
    must(cudaMalloc(&distance, n * sizeof *distance));
    must(cudaMemset(distance, -1, right ? n * sizeof *distance : n));
    relax_edges<<<1, 128>>>(distance, x, x, n);
    must(cudaDeviceSynchronize());
    must(cudaFree(distance));
}

/* Breadth first: a vertex is queued by each neighbour that sees it unvisited. */
template <bool right> __global__ void expand(const int *to, int *visited, int *queue, int *tail)
{
    int v = to[I];
    bool mine = right ? atomicExch(&visited[v], 1) == 0 : atomicAdd(&visited[v], 0) == 0;
    if (mine) {
        atomicExch(&visited[v], 1);
        queue[atomicAdd(tail, 1)] = v; // MISTAKE expand out
    }
}
TWINS(expand)
{
    expand<right><<<2, 64>>>(buffer<int>(128), buffer<int>(8), buffer<int>(8), buffer<int>(1));
}

/* The last block adds up, and does not set the counter back for the next launch. */
__device__ unsigned arrived;
template <bool right> __global__ void sum_last(const int *x, volatile int *part, int *out)
{
    __shared__ bool last;
    int n = __syncthreads_count(x[I] >= 0);
    if (T == 0) {
        part[blockIdx.x] = n;
        __threadfence();
        last = atomicAdd(&arrived, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && T == 0) {
        __threadfence();
        int sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++) {
            sum += part[b];
        }
        *out = sum;
        if (right) {
            arrived = 0;
        }
    }
}
__global__ void divide(const int *sum, int *x)
{
    x[T] /= *sum; // MISTAKE counter_left uninitialised
}
TWINS(counter_left)
{
    int *x = buffer<int>(256), *part = buffer<int>(4), *sum;
    must(cudaMalloc(&sum, 2 * sizeof *sum));
    for (int k = 0; k < 2; k++) {
        sum_last<right><<<4, 64>>>(x, part, sum + k);
        divide<<<1, 64>>>(sum + k, x);
    }
    must(cudaDeviceSynchronize());
    must(cudaFree(sum));
}

/* A stack of free nodes: a node may be pushed again while another thread reads where it leads. */
template <bool right> __global__ void recycle(int *top, int *next)
{
    for (int round = 0; round < 4; round++) {
        int node, after;
        do {
            node = *(volatile int *)top;
            after = node < 0 ? -1 : right ? atomicAdd(&next[node], 0) : next[node];
        } while (atomicCAS(top, node, after) != node);
        if (node < 0) {
            continue;
        }
        int old = *(volatile int *)top;
        for (;;) {
            if (right) {
                atomicExch(&next[node], old);
            } else {
                next[node] = old; // MISTAKE recycle race
            }
            __threadfence();
            int seen = atomicCAS(top, old, node);
            if (seen == old) {
                break;
            }
            old = seen;
        }
    }
}
TWINS(recycle)
{
    int *a = buffer<int>(65), h[65];
    for (int i = 0; i < 65; i++) {
        h[i] = i == 64 ? 0 : i == 63 ? -1 : i + 1;
    }
    must(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    recycle<right><<<4, 8>>>(a + 64, a);
}

/* Two counters in one addition of 64 bits: pairs begin at even words. */
__global__ void add_pair(unsigned *a, int first)
{
    atomicAdd((unsigned long long *)(a + first), 1ull << 32 | 1); // MISTAKE odd_pair aligned
}
TWINS(odd_pair) { add_pair<<<1, 32>>>(buffer<unsigned>(8), right ? 2 : 1); }

/* The first warp adds up the sums of four warps as if there were 32. */
template <bool right> __global__ void block_total(const int *x, int *out)
{
    __shared__ int s[32];
    int v = __reduce_add_sync(~0u, x[T]);
    if (T % 32 == 0) {
        s[T / 32] = v;
    }
    __syncthreads();
    if (T < 32) {
        v = !right || T < 4 ? s[T] : 0; // MISTAKE block_total uninitialised
        v = __reduce_add_sync(~0u, v);
        if (T == 0) {
            *out = v;
        }
    }
}
TWINS(block_total) { block_total<right><<<1, 128>>>(buffer<int>(128), buffer<int>(1)); }

/* Sums of warps in a block of 16 x 16: threadIdx.x alone says nothing of the warp. */
template <bool right> __global__ void plate_total(const int *x, int *out)
{
    __shared__ int s[8];
    int t = right ? threadIdx.y * 16 + threadIdx.x : threadIdx.x;
    int v = __reduce_add_sync(~0u, x[threadIdx.y * 16 + threadIdx.x]);
    if (t == 0) {
        *out = 0;
    }
    if (t % 32 == 0) {
        s[t / 32] = v; // MISTAKE plate_total race
    }
    __syncthreads();
    if (threadIdx.y == 0 && threadIdx.x == 1) {
        for (int w = 0; w < (right ? 8 : 1); w++) {
            *out += s[w];
        }
    }
}
TWINS(plate_total) { plate_total<right><<<1, dim3(16, 16)>>>(numbers(256), buffer<int>(1)); }

/* Chunks of a row: lanes that have no further chunk do not come to the shuffle. */
template <bool right> __global__ void chunks(const int *x, int n, int *out)
{
    int sum = 0;
    for (int j = T; right ? j - T < n : j < n; j += 32) {
        int v = j < n ? x[j] : 0;
        sum += v - __shfl_up_sync(~0u, v, 1); // MISTAKE chunks lane
    }
    out[T] = sum;
}
TWINS(chunks) { chunks<right><<<1, 32>>>(buffer<int>(72), 72, buffer<int>(32)); }

/* Tickets of all blocks, by atomics that are atomic within a block. */
template <bool right> __global__ void tickets(int *next, int *out)
{
    int t = right ? atomicAdd(next, 1) : atomicAdd_block(next, 1); // MISTAKE tickets race
    out[t] = I;
}
TWINS(tickets) { tickets<right><<<4, 32>>>(buffer<int>(1), buffer<int>(128)); }

/* A lock in a register of another scope: the flag is acquired relaxed. */
template <bool right> __global__ void under_lock(int *word, int *sum)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> lock(*word);
    if (T == 0) {
        while (lock.exchange(1, right ? cuda::memory_order_acquire : cuda::memory_order_relaxed)) {
        }
        *sum += blockIdx.x; // MISTAKE under_lock race
        lock.store(0, cuda::memory_order_release);
    }
}
TWINS(under_lock) { under_lock<right><<<8, 32>>>(buffer<int>(1), buffer<int>(1)); }

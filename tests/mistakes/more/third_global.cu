/* third_global.cu - mistakes between blocks: flags, locks, tickets, tables, barriers of one's own. */
/* flags: -arch=sm_80 */
#include "mistakes.h"
#include <cooperative_groups.h>
#include <cuda/atomic>

namespace cg = cooperative_groups;

/* A stencil in place reads what its neighbour's block writes. */
template <bool right>
__global__ void smooth(float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *target = right ? b : a;
    if (i > 0 && i < n - 1) {
        target[i] = 0.5f * a[i] + 0.25f * (a[i - 1] + a[i + 1]); // MISTAKE in_place race
    }
}
TWINS(in_place)
{
    smooth<right><<<4, 64>>>(buffer<float>(256), buffer<float>(256), 256);
}

/* Whoever finds a larger value stores it: compare and store are two steps. */
template <bool right>
__global__ void largest(const int *in, int *best)
{
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (right) {
        atomicMax(best, v);
    } else if (v > *best) { // MISTAKE check_then_store race
        *best = v;
    }
}
TWINS(check_then_store)
{
    int h[128];
    for (int i = 0; i < 128; i++) {
        h[i] = i + 1;
    }
    int *in = buffer<int>(128);
    must(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    largest<right><<<4, 32>>>(in, buffer<int>(1));
}

/* An output position from a plain counter. */
template <bool right>
__global__ void append(const int *in, int *out, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] == 0) {
        int slot;
        if (right) {
            slot = atomicAdd(count, 1);
        } else {
            slot = (*count)++; // MISTAKE plain_slot race
        }
        out[slot] = i;
    }
}
TWINS(plain_slot)
{
    append<right><<<4, 32>>>(buffer<int>(128), buffer<int>(128), buffer<int>(1));
}

/* Breadth-first search: distances are equal whoever stores them, parents are not. */
template <bool right>
__global__ void visit(const int *edges, int *distance, int *parent)
{
    int from = blockIdx.x * blockDim.x + threadIdx.x, to = edges[from];
    if (right) {
        atomicCAS(&parent[to], -1, from);
    } else {
        parent[to] = from; // MISTAKE parent race
    }
    distance[to] = 1;
}
TWINS(parent)
{
    visit<right><<<4, 32>>>(buffer<int>(128), buffer<int>(128), buffer<int>(128));
}

/* Components: one thread hooks a root by an atomic, another follows parents plainly. */
template <bool right>
__global__ void connect(const int2 *edges, int *parent, int n)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= n) {
        return;
    }
    int a = edges[e].x, b = edges[e].y;
    while (true) {
        if (right) {
            while (int up = *(volatile int *)&parent[a] - a) {
                a += up;
            }
            while (int up = *(volatile int *)&parent[b] - b) {
                b += up;
            }
        } else {
            while (parent[a] != a) { // MISTAKE find_root race
                a = parent[a];
            }
            while (parent[b] != b) {
                b = parent[b];
            }
        }
        if (a == b) {
            return;
        }
        int high = max(a, b), low = min(a, b);
        if (atomicCAS(&parent[high], high, low) == high) {
            return;
        }
    }
}
TWINS(find_root)
{
    int2 h[64];
    int p[65];
    for (int i = 0; i < 64; i++) {
        h[i] = make_int2(i, i + 1), p[i] = i;
    }
    p[64] = 64;
    int2 *edges = buffer<int2>(64);
    int *parent = buffer<int>(65);
    must(cudaMemcpy(edges, h, sizeof h, cudaMemcpyHostToDevice));
    must(cudaMemcpy(parent, p, sizeof p, cudaMemcpyHostToDevice));
    connect<right><<<2, 32>>>(edges, parent, 64);
}

/* A lock is given back by a plain store. */
template <bool right>
__global__ void bank(int *lock, int *money)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        money[0] += 10;
        money[1] -= 10;
        if (right) {
            __threadfence();
            atomicExch(lock, 0);
        } else {
            *lock = 0; // MISTAKE plain_unlock race
        }
    }
}
TWINS(plain_unlock)
{
    bank<right><<<8, 32>>>(buffer<int>(1), buffer<int>(2));
}

/* The fence of an unlock is for the block alone. */
template <bool right>
__global__ void narrow_unlock(int *lock, int *sum)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
            __nanosleep(20);
        }
        __threadfence();
        *sum += blockIdx.x; // MISTAKE narrow_unlock race
        if (right) {
            __threadfence();
        } else {
            __threadfence_block();
        }
        atomicExch(lock, 0);
    }
}
TWINS(narrow_unlock)
{
    narrow_unlock<right><<<8, 32>>>(buffer<int>(1), buffer<int>(1));
}

/* A lock whose atomics hold only within a block. */
template <bool right>
__global__ void block_lock(int *lock, int *sum)
{
    if (threadIdx.x == 0) {
        if (right) {
            while (atomicCAS(lock, 0, 1) != 0) {
            }
        } else {
            while (atomicCAS_block(lock, 0, 1) != 0) { // MISTAKE block_lock race
            }
        }
        __threadfence();
        *sum += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}
TWINS(block_lock)
{
    block_lock<right><<<8, 32>>>(buffer<int>(1), buffer<int>(1));
}

/* A message is published by a relaxed store. */
template <bool right>
__global__ void publish(int *data, int *ready, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(*ready);
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x + 1; // MISTAKE relaxed_publish race
        __syncthreads();
        if (threadIdx.x == 0) {
            flag.store(1, right ? cuda::memory_order_release : cuda::memory_order_relaxed);
        }
    } else {
        if (threadIdx.x == 0) {
            while (flag.load(cuda::memory_order_acquire) == 0) {
            }
        }
        __syncthreads();
        out[threadIdx.x] = data[threadIdx.x];
    }
}
TWINS(relaxed_publish)
{
    publish<right><<<2, 32>>>(buffer<int>(32), buffer<int>(1), buffer<int>(32));
}

/* A message is received by a relaxed load. */
template <bool right>
__global__ void receive(int *data, int *ready, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(*ready);
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            *data = 42;
            flag.store(1, cuda::memory_order_release);
        }
    } else if (threadIdx.x == 0) {
        while (flag.load(right ? cuda::memory_order_acquire : cuda::memory_order_relaxed) == 0) {
        }
        *out = *data; // MISTAKE relaxed_receive race
    }
}
TWINS(relaxed_receive)
{
    receive<right><<<2, 32>>>(buffer<int>(1), buffer<int>(1), buffer<int>(1));
}

/* An atomic of block scope between blocks, by libcu++. */
template <bool right>
__global__ void scoped(int *count)
{
    if (right) {
        cuda::atomic_ref<int, cuda::thread_scope_device>(*count).fetch_add(1);
    } else {
        cuda::atomic_ref<int, cuda::thread_scope_block>(*count).fetch_add(1); // MISTAKE scope_ref race
    }
}
TWINS(scope_ref)
{
    scoped<right><<<4, 32>>>(buffer<int>(1));
}

/* A reduction's last block is found by a ticket without a fence. */
template <bool right>
__global__ void sum_last(const int *in, int *partial, unsigned *ticket, int *out)
{
    __shared__ bool last;
    int v = __reduce_add_sync(0xffffffff, in[blockIdx.x * 32 + threadIdx.x]);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = v; // MISTAKE ticket_fence race
        if (right) {
            __threadfence();
        }
        last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncwarp();
    if (last) {
        __threadfence();
        int sum = threadIdx.x < gridDim.x ? partial[threadIdx.x] : 0;
        sum = __reduce_add_sync(0xffffffff, sum);
        if (threadIdx.x == 0) {
            *out = sum;
        }
    }
}
TWINS(ticket_fence)
{
    sum_last<right><<<8, 32>>>(buffer<int>(256), buffer<int>(8), buffer<unsigned>(1), buffer<int>(1));
}

/* The last block by number is not the last one in time. */
template <bool right>
__global__ void sum_numbered(const int *in, int *partial, unsigned *ticket, int *out)
{
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        bool last = blockIdx.x == gridDim.x - 1;
        if (right) {
            last = atomicAdd(ticket, 1) == gridDim.x - 1;
        }
        if (last) {
            __threadfence();
            int sum = 0;
            for (unsigned i = 0; i < gridDim.x; i++) {
                sum += partial[i]; // MISTAKE numbered_last race
            }
            *out = sum;
        }
    }
}
TWINS(numbered_last)
{
    sum_numbered<right><<<8, 32>>>(buffer<int>(8), buffer<int>(8), buffer<unsigned>(1), buffer<int>(1));
}

/* Decoupled look-back: status and sum are two words, stored in the wrong order. */
template <bool right>
__global__ void look_back(const int *in, int *sums, int *states, int *out)
{
    int b = blockIdx.x;
    if (threadIdx.x != 0) {
        return;
    }
    int before = 0;
    if (b > 0) {
        while (*(volatile int *)&states[b - 1] == 0) {
        }
        __threadfence();
        before = sums[b - 1];
    }
    if (right) {
        sums[b] = before + in[b];
        __threadfence();
        *(volatile int *)&states[b] = 1;
    } else {
        *(volatile int *)&states[b] = 1;
        __threadfence();
        sums[b] = before + in[b]; // MISTAKE state_first race
    }
    out[b] = before;
}
TWINS(state_first)
{
    look_back<right><<<8, 32>>>(buffer<int>(8), buffer<int>(8), buffer<int>(8), buffer<int>(8));
}

/* A hash table: the key is claimed by an atomic, the value follows plainly, and somebody looks it up. */
template <bool right>
__global__ void insert_and_find(int *keys, int *values, int *out)
{
    int key = threadIdx.x / 2 + 1, slot = key % 64;
    if (blockIdx.x == 0) {
        if (atomicCAS(&keys[slot], 0, key) == 0) {
            if (right) {
                atomicExch(&values[slot], key * 10);
            } else {
                values[slot] = key * 10; // MISTAKE value_later race
            }
        }
    } else if (*(volatile int *)&keys[slot] == key) {
        out[threadIdx.x] = right ? atomicAdd(&values[slot], 0) : values[slot];
    }
}
TWINS(value_later)
{
    insert_and_find<right><<<2, 64>>>(buffer<int>(64), buffer<int>(64), buffer<int>(64));
}

/* A barrier of one's own sets its count back for the next round while others still poll it. */
template <bool right>
__device__ void own_barrier(unsigned *count, unsigned *generation)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned mine = *(volatile unsigned *)generation;
        if (right) {
            __threadfence();
        }
        if (atomicAdd(count, 1) == gridDim.x - 1) {
            *(volatile unsigned *)count = 0;
            __threadfence();
            atomicAdd(generation, 1);
        } else {
            while (*(volatile unsigned *)generation == mine) {
            }
        }
        __threadfence();
    }
    __syncthreads();
}
template <bool right>
__global__ void rounds(int *a, int *b, unsigned *count, unsigned *generation)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    for (int r = 0; r < 3; r++) {
        a[i] = b[(i + blockDim.x) % n] + 1; // MISTAKE barrier_fence race
        own_barrier<right>(count, generation);
        b[i] = a[(i + blockDim.x) % n];
        own_barrier<right>(count, generation);
    }
}
TWINS(barrier_fence)
{
    rounds<right><<<4, 32>>>(buffer<int>(128), buffer<int>(128), buffer<unsigned>(1), buffer<unsigned>(1));
}

/* A cooperative kernel synchronises its block instead of the grid. */
template <bool right>
__global__ void jacobi(float *a, float *b, int n)
{
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    for (int r = 0; r < 2; r++) {
        b[i] = a[(i + 1) % n] + a[(i + n - 1) % n]; // MISTAKE block_for_grid race
        if (right) {
            grid.sync();
        } else {
            cg::this_thread_block().sync();
        }
        float *swap = a;
        a = b, b = swap;
    }
}
TWINS(block_for_grid)
{
    float *a = buffer<float>(256), *b = buffer<float>(256);
    int n = 256;
    void *args[] = {&a, &b, &n};
    must(cudaLaunchCooperativeKernel((void *)jacobi<right>, dim3(4), dim3(64), args, 0, 0));
}

/* Two blocks count in halves of one word. */
template <bool right>
__global__ void halves(unsigned short *counts, unsigned *words)
{
    if (threadIdx.x == 0) {
        if (right) {
            atomicAdd(words, blockIdx.x == 0 ? 1u : 0x10000u);
        } else {
            unsigned old = *words;
            *words = old + (blockIdx.x == 0 ? 1u : 0x10000u); // MISTAKE half_words race
        }
    }
}
TWINS(half_words)
{
    unsigned *words = buffer<unsigned>(1);
    halves<right><<<2, 32>>>((unsigned short *)words, words);
}

/* A rank is added to by atomics and normalised in the same kernel. */
template <bool right>
__global__ void rank_add(float *rank)
{
    atomicAdd(&rank[(threadIdx.x + blockIdx.x * 7) % 16], 1.0f);
    if (!right) {
        __syncthreads();
        if (threadIdx.x < 16) {
            rank[threadIdx.x] *= 0.85f; // MISTAKE scale_early race
        }
    }
}
template <bool right>
__global__ void rank_scale(float *rank)
{
    rank[threadIdx.x] *= 0.85f;
}
TWINS(scale_early)
{
    float *rank = buffer<float>(16);
    rank_add<right><<<4, 64>>>(rank);
    if (right) {
        rank_scale<right><<<1, 16>>>(rank);
    }
}

/* A work list: a block takes an item whose place is reserved and not yet filled. */
template <bool right>
__global__ void work_list(int *items, int *tail, int *filled, int *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    if (blockIdx.x < 4) {
        int slot = atomicAdd(tail, 1);
        items[slot] = 100 + blockIdx.x; // MISTAKE reserved_item race
        __threadfence();
        atomicExch(&filled[slot], 1);
    } else {
        int slot = blockIdx.x - 4;
        if (right) {
            while (atomicAdd(&filled[slot], 0) == 0) {
            }
        } else {
            while (atomicAdd(tail, 0) <= slot) {
            }
        }
        __threadfence();
        out[slot] = items[slot];
    }
}
TWINS(reserved_item)
{
    work_list<right><<<8, 32>>>(buffer<int>(4), buffer<int>(1), buffer<int>(4), buffer<int>(4));
}

/* Scatter by an index with duplicates. */
template <bool right>
__global__ void scatter(const int *index, const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (right) {
        atomicAdd(&out[index[i]], in[i]);
    } else {
        out[index[i]] += in[i]; // MISTAKE scatter_add race
    }
}
TWINS(scatter_add)
{
    scatter<right><<<2, 64>>>(buffer<int>(128), buffer<float>(128), buffer<float>(8));
}

/* The total of a histogram in shared memory goes to global memory without atomics. */
template <bool right>
__global__ void histogram(const unsigned char *in, int *bins)
{
    __shared__ int local[16];
    if (threadIdx.x < 16) {
        local[threadIdx.x] = 0;
    }
    __syncthreads();
    atomicAdd(&local[in[blockIdx.x * blockDim.x + threadIdx.x] % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16) {
        if (right) {
            atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
        } else {
            bins[threadIdx.x] += local[threadIdx.x]; // MISTAKE bins_total race
        }
    }
}
TWINS(bins_total)
{
    histogram<right><<<4, 64>>>(buffer<unsigned char>(256), buffer<int>(16));
}

/* A sequence lock whose reader forgets to look at the number again is not found by the result. */
template <bool right>
__global__ void sequence(int *number, int *x, int *y, int *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    volatile int *vn = number, *vx = x, *vy = y;
    if (blockIdx.x == 0) {
        for (int i = 1; i <= 4; i++) {
            *vn = 2 * i - 1;
            __threadfence();
            if (right) {
                *vx = i, *vy = i;
            } else {
                *x = i; // MISTAKE sequence_plain race
                *y = i;
            }
            __threadfence();
            *vn = 2 * i;
        }
    } else {
        int before, a, b;
        do {
            before = *vn;
            __threadfence();
            a = right ? *vx : *x, b = right ? *vy : *y;
            __threadfence();
        } while (before % 2 == 1 || before != *vn);
        out[0] = a, out[1] = b;
    }
}
TWINS(sequence_plain)
{
    sequence<right><<<2, 32>>>(buffer<int>(1), buffer<int>(1), buffer<int>(1), buffer<int>(2));
}

/* A single-producer ring whose producer looks at its own position alone. */
template <bool right>
__global__ void ring(int *slots, int *head, int *tail, int *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    cuda::atomic_ref<int, cuda::thread_scope_device> h(*head), t(*tail);
    enum { SLOTS = 4,
           ITEMS = 24 };
    if (blockIdx.x == 0) {
        for (int i = 0; i < ITEMS; i++) {
            while (right && i - t.load(cuda::memory_order_acquire) >= SLOTS) {
            }
            slots[i % SLOTS] = i; // MISTAKE ring_refill race
            h.store(i + 1, cuda::memory_order_release);
        }
    } else {
        for (int i = 0; i < ITEMS; i++) {
            while (h.load(cuda::memory_order_acquire) <= i) {
            }
            out[i] = slots[i % SLOTS];
            t.store(i + 1, cuda::memory_order_release);
        }
    }
}
TWINS(ring_refill)
{
    ring<right><<<2, 32>>>(buffer<int>(4), buffer<int>(1), buffer<int>(1), buffer<int>(24));
}

/* A ring whose reader gives the slot back before it has read it. */
template <bool right>
__global__ void ring_back(int *slots, int *head, int *tail, int *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    cuda::atomic_ref<int, cuda::thread_scope_device> h(*head), t(*tail);
    enum { SLOTS = 2,
           ITEMS = 16 };
    if (blockIdx.x == 0) {
        for (int i = 0; i < ITEMS; i++) {
            while (i - t.load(cuda::memory_order_acquire) >= SLOTS) {
            }
            slots[i % SLOTS] = i;
            h.store(i + 1, cuda::memory_order_release);
        }
    } else {
        for (int i = 0; i < ITEMS; i++) {
            while (h.load(cuda::memory_order_acquire) <= i) {
            }
            if (!right) {
                t.store(i + 1, cuda::memory_order_release);
            }
            out[i] = slots[i % SLOTS]; // MISTAKE given_back_early race
            if (right) {
                t.store(i + 1, cuda::memory_order_release);
            }
        }
    }
}
TWINS(given_back_early)
{
    ring_back<right><<<2, 32>>>(buffer<int>(2), buffer<int>(1), buffer<int>(1), buffer<int>(16));
}

/* Atomics of 32 and of 64 bits on the same counters. */
template <bool right>
__global__ void widths(unsigned long long *pair)
{
    if (blockIdx.x == 0) {
        atomicAdd((unsigned *)pair, 1u); // MISTAKE widths_pair race
    } else if (right) {
        atomicAdd((unsigned *)pair + 1, 1u);
    } else {
        atomicAdd(pair, 1ull << 32);
    }
}
TWINS(widths_pair)
{
    widths<right><<<2, 32>>>(buffer<unsigned long long>(1));
}

/* A list in global memory: the node is linked before it is filled. */
struct node {
    int value;
    node *next;
};
template <bool right>
__global__ void push(node *nodes, node **head, int *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    if (blockIdx.x < 3) {
        node *mine = &nodes[blockIdx.x];
        mine->value = blockIdx.x + 1; // MISTAKE linked_early race
        node *old = *(node *volatile *)head, *seen;
        do {
            seen = old;
            mine->next = seen;
            if (right) {
                __threadfence();
            }
            old = (node *)atomicCAS((unsigned long long *)head, (unsigned long long)seen, (unsigned long long)mine);
        } while (old != seen);
    } else {
        node *first;
        do {
            first = (node *)atomicAdd((unsigned long long *)head, 0ull);
        } while (first == NULL);
        __threadfence();
        *out = first->value;
    }
}
TWINS(linked_early)
{
    push<right><<<4, 32>>>(buffer<node>(3), buffer<node *>(1), buffer<int>(1));
}

/* __ldg of a frontier that the same kernel extends. */
template <bool right>
__global__ void extend(int *frontier, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    frontier[i] = 2 * i;
    __syncthreads();
    int k = blockIdx.x * blockDim.x + blockDim.x - 1 - threadIdx.x;
    int v = right ? frontier[k] : __ldg(&frontier[k]); // MISTAKE cached_frontier race
    if (v > 20) {
        atomicAdd(count, 1);
    }
}
TWINS(cached_frontier)
{
    extend<right><<<2, 64>>>(buffer<int>(128), buffer<int>(1));
}

/* The sum of a tree is set to zero by the block that begins, while others already add. */
template <bool right>
__global__ void reset_total(int *total, const int *in)
{
    if (!right && blockIdx.x == 0 && threadIdx.x == 0) {
        *total = 0; // MISTAKE reset_inside race
    }
    __syncthreads();
    atomicAdd(total, in[threadIdx.x] + 1);
}
TWINS(reset_inside)
{
    reset_total<right><<<4, 32>>>(buffer<int>(1), buffer<int>(32));
}

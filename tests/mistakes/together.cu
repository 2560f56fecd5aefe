/* Blocks that work together: queues, lists, locks of buckets, a barrier of one's own. */
#include "mistakes.h"

#include <cooperative_groups.h>

__device__ unsigned ticket_b;
template <bool right> __global__ void fence_of_another(float *part, float *out)
{
    __shared__ bool last;
    int t = threadIdx.x;
    part[blockIdx.x * 64 + t] = t;
    if (right) {
        __threadfence();
        __syncthreads();
    }
    if (t == 0) {
        __threadfence();
        last = atomicAdd(&ticket_b, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float sum = 0;
        for (unsigned i = t; i < gridDim.x * 64; i += 64)
            sum += __ldcg(&part[i]); // MISTAKE fence_of_another race
        out[t] = sum;
    }
}
TWINS(fence_of_another)
{
    fence_of_another<right><<<4, 64>>>(buffer<float>(256), buffer<float>(64));
}

template <bool right> __global__ void work_queue(int *tail, int *queue)
{
    int at = right ? atomicAdd(tail, 1) : (*tail)++; // MISTAKE work_queue race
    queue[at] = blockIdx.x;
}
TWINS(work_queue) { work_queue<right><<<16, 1>>>(buffer<int>(1), buffer<int>(16)); }

struct node {
    int value;
    node *next;
};
template <bool right> __global__ void list_push(node *pool, node **head, int *out)
{
    if (blockIdx.x < 4) {
        node *n = &pool[blockIdx.x];
        n->value = blockIdx.x + 1;
        node *old = *(node *volatile *)head, *seen;
        do {
            seen = old;
            n->next = seen;
            if (right)
                __threadfence();
            old = (node *)atomicCAS((unsigned long long *)head, (unsigned long long)seen,
                                    (unsigned long long)n);
        } while (old != seen);
    } else {
        node *n = (node *)atomicAdd((unsigned long long *)head, 0ull);
        if (right)
            __threadfence();
        int sum = 0;
        for (; n != NULL; n = n->next) // MISTAKE list_push race
            sum += n->value;
        *out = sum;
    }
}
TWINS(list_push) { list_push<right><<<5, 1>>>(buffer<node>(4), buffer<node *>(1), buffer<int>(1)); }

template <bool right>
__global__ void chain_of_sums(const int *in, int *sums, volatile int *flags, int *out)
{
    int b = blockIdx.x, before = 0;
    if (b > 0) {
        while (flags[b - 1] == 0) {
        }
        if (right)
            __threadfence();
        before = sums[b - 1]; // MISTAKE chain_of_sums race
    }
    sums[b] = before + in[b];
    if (right)
        __threadfence();
    flags[b] = 1;
    out[b] = before;
}
TWINS(chain_of_sums)
{
    chain_of_sums<right><<<8, 1>>>(buffer<int>(8), buffer<int>(8), buffer<int>(8), buffer<int>(8));
}

template <bool right> __global__ void bucket_insert(int *locks, int *count, int *slots, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, b = i % 4;
    bool done = false;
    while (!done) {
        if (atomicCAS(&locks[b], 0, 1) == 0) {
            if (right)
                __threadfence();
            int c = count[b]; // MISTAKE bucket_insert race
            slots[b * n + c] = i;
            count[b] = c + 1;
            if (right)
                __threadfence();
            atomicExch(&locks[b], 0);
            done = true;
        }
    }
}
TWINS(bucket_insert)
{
    bucket_insert<right><<<4, 8>>>(buffer<int>(4), buffer<int>(4), buffer<int>(4 * 32), 32);
}

template <bool right> __global__ void unlock_plain(int *lock, int *x)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        *x += 1;
        __threadfence();
        if (right)
            atomicExch(lock, 0);
        else
            *lock = 0; // MISTAKE unlock_plain race
    }
}
TWINS(unlock_plain) { unlock_plain<right><<<8, 32>>>(buffer<int>(1), buffer<int>(1)); }

template <bool right> __global__ void pointer_jump(int *parent, int *next, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int p = parent[parent[i]]; // MISTAKE pointer_jump race
        (right ? next : parent)[i] = p;
    }
}
TWINS(pointer_jump)
{
    int h[128];
    for (int i = 0; i < 128; i++)
        h[i] = i / 2;
    int *p = buffer<int>(128);
    must(cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice));
    pointer_jump<right><<<2, 64>>>(p, buffer<int>(128), 128);
}

__device__ volatile int arrived_c;
__device__ int sense_c;
template <bool right> __device__ void grid_barrier(unsigned *count, volatile unsigned *gen)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned g = *gen;
        if (right)
            __threadfence();
        if (atomicAdd(count, 1) == gridDim.x - 1) {
            atomicExch(count, 0);
            if (right)
                __threadfence();
            atomicAdd((unsigned *)gen, 1);
        } else {
            while (*gen == g) {
            }
        }
        if (right)
            __threadfence();
    }
    __syncthreads();
}
template <bool right> __global__ void own_barrier(int *a, int *b, unsigned *count, unsigned *gen)
{
    int i = blockIdx.x * 32 + threadIdx.x, n = gridDim.x * 32;
    a[i] = i;
    grid_barrier<right>(count, gen);
    b[i] = a[n - 1 - i]; // MISTAKE own_barrier race
    grid_barrier<right>(count, gen);
    a[i] = b[n - 1 - i];
}
TWINS(own_barrier)
{
    own_barrier<right>
        <<<4, 32>>>(buffer<int>(128), buffer<int>(128), buffer<unsigned>(1), buffer<unsigned>(1));
}

template <bool right> __global__ void persistent(unsigned *next, int *items, int n)
{
    __shared__ unsigned item;
    for (;;) {
        if (threadIdx.x == 0)
            item = atomicAdd(next, 1);
        __syncthreads();
        unsigned mine = item; // MISTAKE persistent race
        if (right)
            __syncthreads();
        if (mine >= (unsigned)n)
            break;
        items[mine * 64 + threadIdx.x] += 1;
    }
}
TWINS(persistent) { persistent<right><<<2, 64>>>(buffer<unsigned>(1), buffer<int>(64 * 10), 10); }

template <bool right> __global__ void bytes_of_a_word(unsigned char *flags, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (right)
        flags[i] = 1;
    else {
        unsigned *w = (unsigned *)flags;
        w[i / 4] |= 1u << 8 * (i % 4); // MISTAKE bytes_of_a_word race
    }
}
TWINS(bytes_of_a_word)
{
    bytes_of_a_word<right><<<2, 64>>>(buffer<unsigned char>(128), buffer<int>(1));
}

template <bool right> __global__ void compact(const int *in, int *out, int *count, int n)
{
    __shared__ int base, mine;
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = 0;
    if (threadIdx.x == 0)
        mine = 0;
    __syncthreads();
    bool keep = i < n && in[i] >= 0;
    if (keep)
        at = atomicAdd(&mine, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        base = atomicAdd(count, mine);
    if (right)
        __syncthreads();
    if (keep)
        out[base + at] = in[i]; // MISTAKE compact race
}
TWINS(compact)
{
    compact<right><<<4, 64>>>(buffer<int>(256), buffer<int>(256), buffer<int>(1), 250);
}

/* The blocks that have work meet at a barrier of the whole grid. What is told names it: grid.sync() through nvcc,
 * cooperative_groups::simt_grid_barriers through clang, whose name is not mangled. */
template <bool right> __global__ void some_meet(int *a, int *b)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    a[blockIdx.x * 32 + threadIdx.x] = threadIdx.x;
    if (right || blockIdx.x < 2) {
        grid.sync(); // MISTAKE some_meet [^0-9a-z_][a-z_]*grid[._]
    }
    b[blockIdx.x * 32 + threadIdx.x] = a[blockIdx.x * 32 + threadIdx.x];
}
TWINS(some_meet)
{
    int *a = buffer<int>(128), *b = buffer<int>(128);
    void *arguments[] = {&a, &b};
    cudaLaunchCooperativeKernel((void *)some_meet<right>, dim3(4), dim3(32), arguments, 0, 0);
}

/* variants_atomics.cu - second variants, written without a look at the checker: atomics of several
 * kinds, totals, resets, trees, and the read-only path. */
#include "mistakes.h"

#include <cooperative_groups.h>
#include <cuda/atomic>

namespace cg = cooperative_groups;

/* --- widths ----------------------------------------------------------------------------------- */

/* A histogram of 64-bit bins whose lower halves one kernel counts by itself. */
template <bool right> struct bins {
    unsigned long long *bin;
    __device__ void add(int i) const
    {
        if (right || (i & 1) == 0) {
            atomicAdd(bin + i % 8, 1ull);
        } else {
            atomicAdd(reinterpret_cast<unsigned *>(bin + (i - 1) % 8), 1u); // MISTAKE half_bin race
        }
    }
};
template <bool right> __global__ void fill_bins(bins<right> b)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y;
    b.add(x + y);
}
TWINS(half_bin)
{
    fill_bins<right><<<2, dim3(16, 4)>>>(bins<right>{buffer<unsigned long long>(8)});
}

/* A packed pair is exchanged whole, while its second half is raised to a maximum. */
template <bool right> __global__ void packed_best(unsigned long long *best, const int *score)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned long long mine = (unsigned long long)score[i] << 32 | i;
    if (right || blockIdx.x > 0) {
        atomicMax(best, mine);
    } else {
        atomicMax((int *)best + 1, score[i]); // MISTAKE packed_best race
    }
}
TWINS(packed_best)
{
    packed_best<right><<<3, 32>>>(buffer<unsigned long long>(1), buffer<int>(96));
}

template <bool right> __global__ void shared_widths(int *out)
{
    __shared__ unsigned long long word;
    if (threadIdx.x == 0) {
        word = 0;
    }
    __syncthreads();
    if (right || threadIdx.x % 2 == 0) {
        atomicOr(&word, 1ull << threadIdx.x % 64);
    } else {
        atomicOr((unsigned *)&word, 1u << threadIdx.x % 32); // MISTAKE shared_widths race
    }
    __syncthreads();
    out[threadIdx.x] = (int)word;
}
TWINS(shared_widths) { shared_widths<right><<<1, 96>>>(buffer<int>(96)); }

/* --- a total that others still add to ----------------------------------------------------------
 */

template <bool right> __global__ void mean_of_grid(float *sum, const float *in, float *out)
{
    cg::thread_block block = cg::this_thread_block();
    cuda::atomic_ref<float, cuda::thread_scope_device> total(*sum);
    total.fetch_add(in[block.group_index().x * block.size() + block.thread_rank()],
                    cuda::memory_order_relaxed);
    block.sync();
    if (block.thread_rank() == 0) {
        out[block.group_index().x] = right ? total.load(cuda::memory_order_relaxed)
                                           : *sum / gridDim.x; // MISTAKE mean_of_grid race
    }
}
TWINS(mean_of_grid)
{
    mean_of_grid<right><<<3, 32>>>(buffer<float>(1), buffer<float>(96), buffer<float>(3));
}

/* The block that draws the last ticket may read; here every block does. */
template <bool right> __global__ void all_of_them(int *count, unsigned *done, int *out)
{
    __shared__ bool last;
    if (threadIdx.x < 5) {
        atomicAdd(&count[threadIdx.x], (int)blockIdx.x);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    __threadfence();
    if ((!right || last) && threadIdx.x < 5) {
        out[blockIdx.x * 5 + threadIdx.x] = count[threadIdx.x]; // MISTAKE all_of_them race
    }
}
TWINS(all_of_them)
{
    all_of_them<right><<<3, 64>>>(buffer<int>(5), buffer<unsigned>(1), buffer<int>(15));
}

/* Early out: a counter of hits is looked at plainly to stop a search. */
template <bool right> __global__ void find_some(const int2 *points, unsigned *found, int most)
{
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < 256; i += gridDim.x * blockDim.x) {
        if ((right ? atomicAdd(found, 0) : *found) >= most) { // MISTAKE find_some race
            return;
        }
        if (points[i].x <= points[i].y) {
            atomicAdd(found, 1);
        }
    }
}
TWINS(find_some) { find_some<right><<<2, 32>>>(buffer<int2>(256), buffer<unsigned>(1), 100); }

/* --- resets beside atomics ---------------------------------------------------------------------
 */

struct statistics {
    unsigned long long events;
    float largest;
    int errors;
};

template <bool right> __global__ void next_period(statistics *s, statistics *old)
{
    atomicAdd(&s->events, 1ull);
    atomicAdd(&s->errors, 1);
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == blockDim.x - 1) {
        if (right) {
            old->events = atomicExch(&s->events, 0ull);
            old->errors = atomicExch(&s->errors, 0);
        } else {
            memset(s, 0, sizeof *s); // MISTAKE next_period race
        }
    }
}
TWINS(next_period) { next_period<right><<<2, 40>>>(buffer<statistics>(1), buffer<statistics>(1)); }

/* A table of buckets, each cleared by the first block of a row while others insert. */
template <bool right> __global__ void clear_and_insert(int (*bucket)[4])
{
    const int row = blockIdx.y, i = threadIdx.x;
    if (right ? blockIdx.x == 0 : true) {
        if (blockIdx.x == 0 && i < 4) {
            bucket[row][i] = 0; // MISTAKE clear_and_insert race
        }
    }
    if (right) {
        return;
    }
    atomicAdd(&bucket[row][i % 4], 1);
}
TWINS(clear_and_insert) { clear_and_insert<right><<<dim3(2, 3), 32>>>((int(*)[4])buffer<int>(12)); }

template <bool right> __global__ void ticket_back(unsigned *ticket, int *out)
{
    const unsigned mine = atomicAdd(ticket, 1u);
    if (right ? mine == gridDim.x * blockDim.x - 1 : mine == gridDim.x * blockDim.x / 2) {
        *ticket = 0; // MISTAKE ticket_back race
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = mine;
}
TWINS(ticket_back) { ticket_back<right><<<4, 32>>>(buffer<unsigned>(1), buffer<int>(128)); }

/* --- the root of a tree -------------------------------------------------------------------------
 */

struct tree_node {
    int left, right, key;
};
template <bool right> __global__ void remove_root(tree_node *tree, const int *keys, int *found)
{
    int at = 0;
    const int key = keys[threadIdx.x];
    while (at >= 0 && tree[at].key != key) {
        at = key < tree[at].key ? tree[at].left : tree[at].right;
    }
    found[threadIdx.x] = at;
    if (right) {
        __syncthreads();
    }
    if (threadIdx.x == 70) {
        tree[0] = tree_node{-1, -1, 0}; // MISTAKE remove_root race
    }
}
TWINS(remove_root)
{
    tree_node h[3] = {{1, 2, 10}, {-1, -1, 5}, {-1, -1, 20}};
    int keys[96];
    for (int i = 0; i < 96; i++) {
        keys[i] = i % 3 * 5 + 5;
    }
    tree_node *t = buffer<tree_node>(3);
    int *k = buffer<int>(96);
    must(cudaMemcpy(t, h, sizeof h, cudaMemcpyHostToDevice));
    must(cudaMemcpy(k, keys, sizeof keys, cudaMemcpyHostToDevice));
    remove_root<right><<<1, 96>>>(t, k, buffer<int>(96));
}

/* The total of a scan's tree is cleared for the way down before all have read it. */
template <bool right> __global__ void clear_total(int *out)
{
    extern __shared__ int node[];
    const int i = threadIdx.x;
    node[i] = 1;
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        __syncthreads();
        if (i < d) {
            node[i] += node[i + d];
        }
    }
    __syncthreads();
    out[i] = node[0];
    if (right) {
        __syncthreads();
    }
    if (i == 0) {
        node[0] = 0; // MISTAKE clear_total race
    }
}
TWINS(clear_total) { clear_total<right><<<1, 128, 512>>>(buffer<int>(128)); }

/* Blocks count in a short loop of atomics, which could be one that waits; each adds its counts to
 * those of all. */
template <bool right> __global__ void add_up(int *count, const unsigned *bin, int n)
{
    __shared__ int own[64];
    const int t = threadIdx.x, threads = gridDim.x * blockDim.x;
    if (t < 64) {
        own[t] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += threads) {
        atomicAdd(&own[bin[i]], 1);
    }
    __syncthreads();
    if (t < 64 && right) {
        atomicAdd(&count[t], own[t]);
    } else if (t < 64) {
        count[t] += own[t]; // MISTAKE add_up race
    }
}
TWINS(add_up) { add_up<right><<<8, 256>>>(buffer<int>(64), buffer<unsigned>(10497), 10497); }

/* --- the read-only path -------------------------------------------------------------------------
 */

template <bool right>
__global__ void relax_in_place(const float *__restrict__ from, float *to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) {
        to[i] = 0.5f * (from[i - 1] + from[i + 1]); // MISTAKE relax_in_place race
    }
}
TWINS(relax_in_place)
{
    float *a = buffer<float>(130), *b = buffer<float>(130);
    relax_in_place<right><<<2, 65>>>(a, right ? b : a, 130);
}

template <typename T> __device__ T fetch(const T *p) { return __ldg(p); } // MISTAKE fetch_own race
template <bool right> __global__ void fetch_own(float2 *v)
{
    const int i = threadIdx.y * blockDim.x + threadIdx.x;
    v[i] = make_float2(i, 0);
    __syncthreads();
    const float2 x = right ? v[i ^ 1] : fetch(v + (i ^ 1));
    v[64 + i] = x;
}
TWINS(fetch_own) { fetch_own<right><<<1, dim3(8, 8)>>>(buffer<float2>(128)); }

/* What one thread has fetched, others of the same launch have updated by atomics. */
template <bool right> __global__ void weights(const int *edges, int *weight, int *out)
{
    atomicAdd(&weight[edges[threadIdx.x] & 15], 1);
    __threadfence();
    __syncthreads();
    out[threadIdx.x] = right ? atomicAdd(&weight[threadIdx.x & 15], 0)
                             : __ldg(&weight[threadIdx.x & 15]); // MISTAKE weights race
}
TWINS(weights) { weights<right><<<1, 64>>>(buffer<int>(64), buffer<int>(16), buffer<int>(64)); }

/* sixth.cu - half a hundred mistakes of solvers, graph codes and their hosts, in plain style. */
/* flags: -std=c++17 -arch=sm_90a */
#include "mistakes.h"

#include <cooperative_groups.h>
#include <cuda_pipeline_primitives.h>
#include <stdint.h>

#define I ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#define T ((int)threadIdx.x)

/* A separable filter: columns are summed before all rows are. */
template <bool right> __global__ void separable(const float *in, float *out)
{
    __shared__ float a[16][17], b[16][17];
    int x = threadIdx.x, y = threadIdx.y;
    a[y][x] = in[y * 16 + x];
    __syncthreads();
    b[y][x] = a[y][x] + a[y][(x + 1) & 15];
    if (right) {
        __syncthreads();
    }
    out[y * 16 + x] = b[y][x] + b[(y + 1) & 15][x]; // MISTAKE separable race
}
TWINS(separable) { separable<right><<<1, dim3(16, 16)>>>(buffer<float>(256), buffer<float>(256)); }

/* Someone has found it: the word is read before all have searched. */
template <bool right> __global__ void search(const int *in, int what, int *out)
{
    __shared__ int found;
    found = 0;
    __syncthreads();
    if (in[T] == what) {
        found = 1; // MISTAKE search race
    }
    if (right) {
        __syncthreads();
    }
    out[T] = found;
}
TWINS(search)
{
    int *a = buffer<int>(96), one = 1;
    must(cudaMemcpy(a + 50, &one, sizeof one, cudaMemcpyHostToDevice));
    search<right><<<1, 96>>>(a, 1, buffer<int>(96));
}

/* Sorting by rank. */
template <bool right> __global__ void rank_sort(int *a)
{
    __shared__ int in[96], sorted[96];
    in[T] = a[T];
    __syncthreads();
    int rank = 0;
    for (int k = 0; k < 96; k++) {
        rank += in[k] < in[T] || (in[k] == in[T] && k < T);
    }
    sorted[rank] = in[T]; // MISTAKE rank_sort race
    if (right) {
        __syncthreads();
    }
    a[T] = sorted[T];
}
TWINS(rank_sort)
{
    int *a = buffer<int>(96), h[96];
    for (int i = 0; i < 96; i++) {
        h[i] = i * 41 % 96;
    }
    must(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    rank_sort<right><<<1, 96>>>(a);
}

/* Totals of warps, needed by all warps. */
template <bool right> __global__ void warp_totals(const int *in, int *out)
{
    __shared__ int total[4];
    int v = in[T], lane = T & 31, w = T >> 5;
    for (int d = 1; d < 32; d *= 2) {
        int n = __shfl_up_sync(~0u, v, d);
        v += lane >= d ? n : 0;
    }
    if (lane == 31) {
        total[w] = v;
    }
    if (right) {
        __syncthreads();
    }
    for (int k = 0; k < w; k++) {
        v += total[k]; // MISTAKE warp_totals race
    }
    out[T] = v;
}
TWINS(warp_totals) { warp_totals<right><<<1, 128>>>(buffer<int>(128), buffer<int>(128)); }

/* The place of the maximum: values and places are two arrays with one barrier too few. */
template <bool right> __global__ void arg_max(const float *x, int *place)
{
    __shared__ float value[128];
    __shared__ int index[128];
    value[T] = x[T];
    index[T] = T;
    __syncthreads();
    for (int d = 64; d > 0; d >>= 1) {
        if (T < d && value[T + d] > value[T]) {
            value[T] = value[T + d]; // MISTAKE arg_max race
            index[T] = index[T + d];
        }
        if (right || d > 64 / 2) {
            __syncthreads();
        }
    }
    if (T == 0) {
        *place = index[0];
    }
}
TWINS(arg_max)
{
    float *x = buffer<float>(128), h[128];
    for (int i = 0; i < 128; i++) {
        h[i] = (float)i;
    }
    must(cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice));
    arg_max<right><<<1, 128>>>(x, buffer<int>(1));
}

/* Cyclic reduction: the neighbour's equation has been replaced. */
template <bool right> __global__ void cyclic(float *d)
{
    __shared__ float s[64];
    s[T] = d[T];
    __syncthreads();
    for (int k = 1; k < 64; k *= 2) {
        float l = T >= k ? s[T - k] : 0, r = T + k < 64 ? s[T + k] : 0;
        if (right) {
            __syncthreads();
        }
        s[T] -= 0.5f * (l + r); // MISTAKE cyclic race
        __syncthreads();
    }
    d[T] = s[T];
}
TWINS(cyclic) { cyclic<right><<<1, 64>>>(buffer<float>(64)); }

/* Butterflies of a transform, in place; halves of a block are two warps. */
template <bool right> __global__ void butterflies(float2 *a)
{
    __shared__ float2 s[128];
    s[T] = a[T];
    s[T + 64] = a[T + 64];
    for (int h = 1; h < 128; h *= 2) {
        if (right || h == 1) {
            __syncthreads();
        } else {
            __syncwarp();
        }
        int i = (T / h) * 2 * h + T % h;
        float2 u = s[i], v = s[i + h]; // MISTAKE butterflies race
        s[i] = make_float2(u.x + v.x, u.y + v.y);
        s[i + h] = make_float2(u.x - v.x, u.y - v.y);
    }
    __syncthreads();
    a[T] = s[T];
    a[T + 64] = s[T + 64];
}
TWINS(butterflies) { butterflies<right><<<1, 64>>>(buffer<float2>(128)); }

/* Half a warp is named in the mask. */
template <bool right> __global__ void half_mask(const int *in, int *out)
{
    __shared__ int s[32];
    s[T] = in[T];
    if (right) {
        __syncwarp();
    } else if (T < 16) {
        __syncwarp(0xffffu);
    } else {
        __syncwarp(0xffff0000u);
    }
    out[T] = s[31 - T]; // MISTAKE half_mask race
}
TWINS(half_mask) { half_mask<right><<<1, 32>>>(buffer<int>(32), buffer<int>(32)); }

/* Dynamic shared memory under two names. */
template <bool right> __global__ void two_names(const int *in, int *out)
{
    extern __shared__ char raw[];
    int *keys = (int *)raw;
    short *counts = (short *)raw;
    keys[T] = in[T];
    __syncthreads();
    int k = keys[T ^ 33];
    if (right) {
        __syncthreads();
    }
    counts[T] = (short)(T + 1); // MISTAKE two_names race
    __syncthreads();
    out[T] = k + counts[T ^ 33];
}
TWINS(two_names) { two_names<right><<<1, 64, 256>>>(buffer<int>(64), buffer<int>(64)); }

/* A sum by atomics in shared memory, read by thread 0 at once. */
template <bool right> __global__ void early_sum(const float *in, float *out)
{
    __shared__ float sum;
    if (T == 0) {
        sum = 0;
    }
    __syncthreads();
    atomicAdd(&sum, in[T]);
    if (right) {
        __syncthreads();
    }
    if (T == 0) {
        *out = sum; // MISTAKE early_sum race
    }
}
TWINS(early_sum) { early_sum<right><<<1, 64>>>(buffer<float>(64), buffer<float>(1)); }

/* Life, one generation, in place. */
template <bool right> __global__ void life(const unsigned char *now, unsigned char *next)
{
    int i = I, n = now[(i + 255) & 255] + now[(i + 1) & 255]; // MISTAKE life race
    next[i] = (unsigned char)(n == 1 ? 1 - now[i] : n / 2);
}
TWINS(life)
{
    unsigned char *a = buffer<unsigned char>(256), *b = buffer<unsigned char>(256), h[256];
    for (int i = 0; i < 256; i++) {
        h[i] = (unsigned char)(i % 3 == 0);
    }
    must(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    life<right><<<4, 64>>>(a, right ? b : a);
}

/* A state of random numbers for all threads. */
template <bool right> __global__ void dice(unsigned *state, float *out)
{
    unsigned *mine = right ? state + I : state;
    *mine = *mine * 1664525u + 1013904223u; // MISTAKE dice race
    out[I] = *mine * 2.3e-10f;
}
TWINS(dice) { dice<right><<<2, 64>>>(buffer<unsigned>(128), buffer<float>(128)); }

/* An item is announced before it is there. */
template <bool right> __global__ void announce(int *item, int *count, int *out)
{
    if (blockIdx.x == 0) {
        if (!right) {
            atomicAdd(count, 1);
            __threadfence();
        }
        item[0] = 9; // MISTAKE announce race
        if (right) {
            __threadfence();
            atomicAdd(count, 1);
        }
    } else {
        while (atomicAdd(count, 0) == 0) {
        }
        __threadfence();
        *out = item[0];
    }
}
TWINS(announce) { announce<right><<<2, 1>>>(buffer<int>(1), buffer<int>(1), buffer<int>(1)); }

/* Set up once: the first that comes computes, the others look. */
template <bool right> __global__ void set_up_once(int *ready, float *table, float *out)
{
    if (T == 0) {
        if (right ? blockIdx.x == 0 : *ready == 0) {
            table[0] = 3.0f + (right ? 0 : blockIdx.x); // MISTAKE set_up_once race
            if (!right) {
                *ready = 1;
            }
        }
    }
    if (right ? blockIdx.x == 0 && T == 0 : T == 0) {
        out[blockIdx.x] = table[0];
    }
}
TWINS(set_up_once)
{
    set_up_once<right><<<3, 32>>>(buffer<int>(1), buffer<float>(1), buffer<float>(3));
}

/* The largest so far. */
template <bool right> __global__ void largest(const int *x, int *most)
{
    if (right) {
        atomicMax(most, x[I]);
    } else if (x[I] > *most) {
        *most = x[I]; // MISTAKE largest race
    }
}
TWINS(largest)
{
    int *x = buffer<int>(64), h[64];
    for (int i = 0; i < 64; i++) {
        h[i] = i;
    }
    must(cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice));
    largest<right><<<2, 32>>>(x, buffer<int>(1));
}

/* Bands of rows that overlap by one. */
template <bool right> __global__ void bands(int n, float *a)
{
    int first = blockIdx.x * 8, last = first + (right ? 8 : 9);
    for (int row = first; row < last && row < 32; row++) {
        a[row * n + T] = (float)(row + blockIdx.x); // MISTAKE bands race
    }
}
TWINS(bands) { bands<right><<<4, 32>>>(32, buffer<float>(1024)); }

/* A node is linked in before its own link is set. */
struct cell {
    int value;
    cell *next;
};
template <bool right> __global__ void link_in(cell *cells, unsigned long long *head, int *out)
{
    cell *c = &cells[blockIdx.x];
    if (blockIdx.x == 0) {
        if (right) {
            c->value = 4;
            __threadfence();
        }
        atomicExch(head, (unsigned long long)(uintptr_t)c);
        if (!right) {
            c->value = 4; // MISTAKE link_in race
        }
    } else {
        unsigned long long p;
        while ((p = atomicAdd(head, 0ull)) == 0) {
        }
        __threadfence();
        *out = ((cell *)(uintptr_t)p)->value;
    }
}
TWINS(link_in)
{
    link_in<right><<<2, 1>>>(buffer<cell>(2), buffer<unsigned long long>(1), buffer<int>(1));
}

/* Bit-fields of one word, set by two threads. */
struct flags {
    unsigned low : 16, high : 16;
};
template <bool right> __global__ void bit_fields(flags *f, unsigned *separate)
{
    if (right) {
        separate[T] = T + 1u;
    } else if (T == 0) {
        f->low = f->low + 1;
    } else if (T == 32) {
        f->high = f->high + 2; // MISTAKE bit_fields race
    }
}
TWINS(bit_fields) { bit_fields<right><<<1, 64>>>(buffer<flags>(1), buffer<unsigned>(64)); }

/* One lock for each of eight buckets, of which seven are used. */
template <bool right> __global__ void buckets(int *lock, int *sum)
{
    if (T == 0) {
        int b = blockIdx.x % 8, l = right ? b : blockIdx.x % 7;
        while (atomicCAS(&lock[l], 0, 1) != 0) {
        }
        __threadfence();
        sum[b] += 1; // MISTAKE buckets race
        __threadfence();
        atomicExch(&lock[l], 0);
    }
}
TWINS(buckets) { buckets<right><<<16, 32>>>(buffer<int>(8), buffer<int>(8)); }

/* A counter of arrivals is set back by a plain store for the next launch. */
template <bool right> __global__ void set_back(unsigned *arrived, int *out)
{
    if (T == 0) {
        atomicAdd(arrived, 1u);
        if (blockIdx.x == 0) {
            if (right) {
                atomicExch(arrived, 0u);
            } else {
                *arrived = 0; // MISTAKE set_back race
            }
        }
    }
    out[I] = 1;
}
TWINS(set_back) { set_back<right><<<3, 32>>>(buffer<unsigned>(1), buffer<int>(96)); }

/* The flag is polled as volatile, and set by a plain store. */
template <bool right> __global__ void plain_flag(int *flag, int *out)
{
    if (blockIdx.x == 0) {
        if (right) {
            *(volatile int *)flag = 1;
        } else {
            *flag = 1; // MISTAKE plain_flag race
        }
    } else {
        while (*(volatile int *)flag == 0) {
        }
        *out = 2;
    }
}
TWINS(plain_flag) { plain_flag<right><<<2, 1>>>(buffer<int>(1), buffer<int>(1)); }

/* The fence of the last block's ticket is one of the block. */
template <bool right> __global__ void ticket(float *part, unsigned *count, float *out)
{
    if (T == 0) {
        part[blockIdx.x] = 1.5f; // MISTAKE ticket race
        right ? __threadfence() : __threadfence_block();
        if (atomicAdd(count, 1u) == gridDim.x - 1) {
            __threadfence();
            float s = 0;
            for (unsigned b = 0; b < gridDim.x; b++) {
                s += part[b];
            }
            *out = s;
        }
    }
}
TWINS(ticket) { ticket<right><<<4, 32>>>(buffer<float>(4), buffer<unsigned>(1), buffer<float>(1)); }

/* cp.async: a group is waited for too late. */
template <bool right> __global__ void groups(const int *in, int *out)
{
    __shared__ int s[3][32];
    for (int k = 0; k < 3; k++) {
        __pipeline_memcpy_async(&s[k][T], &in[32 * k + T], 4);
        __pipeline_commit();
    }
    int sum = 0;
    __pipeline_wait_prior(2);
    sum += s[0][T];
    __pipeline_wait_prior(right ? 1 : 2);
    sum += s[1][T]; // MISTAKE groups race
    __pipeline_wait_prior(0);
    out[T] = sum + s[2][T];
}
TWINS(groups) { groups<right><<<1, 32>>>(buffer<int>(96), buffer<int>(32)); }

/* --- clusters ----------------------------------------------------------------------- */

namespace cg = cooperative_groups;

/* A neighbour's counter is increased before the neighbour has cleared it. */
template <bool right> __global__ void __cluster_dims__(2) early_push(int *out)
{
    __shared__ int count;
    auto cluster = cg::this_cluster();
    if (T == 0) {
        count = 0; // MISTAKE early_push race
    }
    if (right) {
        cluster.sync();
    } else {
        __syncthreads();
    }
    atomicAdd(cluster.map_shared_rank(&count, cluster.block_rank() ^ 1), 1);
    cluster.sync();
    if (T == 0) {
        out[cluster.block_rank()] = count;
    }
}
TWINS(early_push) { early_push<right><<<2, 32>>>(buffer<int>(2)); }

/* Results are fetched from the others, and nobody waits for the fetching. */
template <bool right> __global__ void __cluster_dims__(4) gather(const float *in, float *out)
{
    __shared__ float mine;
    auto cluster = cg::this_cluster();
    if (T == 0) {
        mine = in[cluster.block_rank()];
    }
    cluster.sync();
    if (cluster.block_rank() == 0 && T < 4) {
        out[T] = *cluster.map_shared_rank(&mine, T); // MISTAKE gather ended
    }
    if (right) {
        cluster.sync();
    }
}
TWINS(gather) { gather<right><<<4, 32>>>(buffer<float>(4), buffer<float>(4)); }

/* --- values, bounds
 * ------------------------------------------------------------------------------------ */

/* Two of three coordinates are copied. */
struct point {
    float x, y, z;
};
template <bool right> __global__ void norms(const point *p, float *out)
{
    out[T] = p[T].x * p[T].x + p[T].y * p[T].y + p[T].z * p[T].z; // MISTAKE norms uninitialised
}
TWINS(norms)
{
    point *p, h[32] = {};
    must(cudaMalloc(&p, sizeof h));
    must(cudaMemcpy2D(p, sizeof *p, h, sizeof *p, right ? sizeof *p : 2 * sizeof(float), 32,
                      cudaMemcpyHostToDevice));
    norms<right><<<1, 32>>>(p, buffer<float>(32));
    must(cudaFree(p));
}

/* The stride of the loop that clears is that of two blocks. */
template <bool right> __global__ void stride(int *out)
{
    __shared__ int bins[256];
    for (int i = T; i < 256; i += right ? blockDim.x : 2 * blockDim.x) {
        bins[i] = 0;
    }
    __syncthreads();
    atomicAdd(&bins[T * 3 & 255], 1); // MISTAKE stride uninitialised
    __syncthreads();
    out[T] = bins[T];
}
TWINS(stride) { stride<right><<<1, 64>>>(buffer<int>(64)); }

/* A branch on memory that nobody has set. */
template <bool right> __global__ void branch(const int *mode, int *out)
{
    if (*mode > 3) { // MISTAKE branch uninitialised
        out[T] = 1;
    }
}
TWINS(branch)
{
    int *mode;
    must(cudaMalloc(&mode, sizeof *mode));
    if (right) {
        must(cudaMemset(mode, 0, sizeof *mode));
    }
    branch<right><<<1, 32>>>(mode, buffer<int>(32));
    must(cudaFree(mode));
}

/* A local path whose first entry is not set. */
template <bool right> __global__ void path(const int *step, float *out)
{
    float cost[6];
    for (int i = right ? 0 : 1; i < 6; i++) {
        cost[i] = step[i];
    }
    float best = 1e9f;
    for (int i = 0; i < 6; i++) {
        best = fminf(best, cost[step[i] + i % 2]); // MISTAKE path uninitialised
    }
    *out = best;
}
TWINS(path) { path<right><<<1, 1>>>(buffer<int>(6), buffer<float>(1)); }

/* The index of a ring becomes negative. */
template <bool right> __global__ void negative(const float *ring, int n, float *out)
{
    int before = (T - 1 + (right ? n : 0)) % n;
    out[T] = ring[before]; // MISTAKE negative bounds
}
TWINS(negative) { negative<right><<<1, 32>>>(buffer<float>(32), 32, buffer<float>(32)); }

/* i * n does not fit into 32 bits. */
template <bool right> __global__ void product(char *a, int rows)
{
    if (T == 0) {
        long long at = right ? 1LL * rows * 70000 % 64 : rows * 70000;
        a[at] = 1; // MISTAKE product bounds
    }
}
TWINS(product) { product<right><<<1, 32>>>(buffer<char>(64), 70000); }

/* One more than there are. */
template <bool right> __global__ void one_more(int n, int *a)
{
    if (right ? I < n : I <= n) {
        a[I] = 1; // MISTAKE one_more bounds
    }
}
TWINS(one_more) { one_more<right><<<2, 64>>>(100, buffer<int>(100)); }

/* A header of four bytes before numbers of eight. */
template <bool right> __global__ void header(const char *message, double *out)
{
    out[T] = ((const double *)(message + (right ? 8 : 4)))[T]; // MISTAKE header align
}
TWINS(header) { header<right><<<1, 8>>>(buffer<char>(128), buffer<double>(8)); }

/* Two shared arrays, side by side. */
template <bool right> __global__ void beside(const int *in, int *out)
{
    __shared__ int row[4][8], column[8];
    row[T / 8][T % 8] = in[T];
    if (T < 8) {
        column[T] = T;
    }
    __syncthreads();
    out[T] = row[right ? T / 8 : T / 8 + 1][T % 8] + column[T % 8]; // MISTAKE beside overflow
}
TWINS(beside) { beside<right><<<1, 32>>>(buffer<int>(32), buffer<int>(32)); }

/* Nobody ever raises the flag. */
template <bool right> __global__ void nobody(volatile int *go, int *out)
{
    if (!right || T < 0) {
        while (*go == 0) { // MISTAKE nobody end
        }
    }
    *out = 1;
}
TWINS(nobody) { nobody<right><<<1, 1>>>(buffer<int>(1), buffer<int>(1)); }

/* --- the host
 * ---------------------------------------------------------------------------------------- */

__global__ void twice(float *a, int n)
{
    if (I < n) {
        a[I] *= 2;
    }
}
struct stream_pair {
    cudaStream_t s, t;
    stream_pair()
    {
        must(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
        must(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    }
    ~stream_pair()
    {
        cudaDeviceSynchronize();
        cudaStreamDestroy(s);
        cudaStreamDestroy(t);
    }
};

/* cudaMemset() is in the default stream, for which these do not wait. */
TWINS(fill_first)
{
    stream_pair p;
    float *a = buffer<float>(256);
    must(cudaMemset(a, 0, 1024));
    if (right) {
        must(cudaDeviceSynchronize());
    }
    twice<<<1, 256, 0, p.s>>>(a, 256); // MISTAKE fill_first race
}
/* A copy back, while the next kernel changes the array. */
TWINS(copy_back)
{
    stream_pair p;
    float *a = buffer<float>(256), *h;
    must(cudaMallocHost(&h, 1024));
    must(cudaDeviceSynchronize());
    must(cudaMemcpyAsync(h, a, 1024, cudaMemcpyDeviceToHost, p.s));
    twice<<<1, 256, 0, right ? p.s : p.t>>>(a, 256); // MISTAKE copy_back race
    must(cudaDeviceSynchronize());
    must(cudaFreeHost(h));
}
/* The constants of the next step are changed while they are still copied. */
__constant__ float constants[16];
TWINS(constants)
{
    stream_pair p;
    float *h;
    must(cudaMallocHost(&h, sizeof constants));
    memset(h, 0, sizeof constants);
    must(cudaMemcpyToSymbolAsync(constants, h, sizeof constants, 0, cudaMemcpyHostToDevice, p.s));
    if (right) {
        must(cudaStreamSynchronize(p.s));
    }
    h[3] = 1; // MISTAKE constants race
    must(cudaDeviceSynchronize());
    must(cudaFreeHost(h));
}
/* Memory of a pool is used when its stream has given it back. */
TWINS(after_free)
{
    stream_pair p;
    float *a;
    must(cudaMallocAsync((void **)&a, 1024, p.s));
    must(cudaMemsetAsync(a, 0, 1024, p.s));
    if (!right) {
        must(cudaFreeAsync(a, p.s));
    }
    twice<<<1, 256, 0, p.s>>>(a, 256); // MISTAKE after_free free
    if (right) {
        must(cudaFreeAsync(a, p.s));
    }
}
/* A fill and a kernel of one graph, without an edge. */
TWINS(fill_node)
{
    float *a = buffer<float>(256);
    int n = 256;
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaGraphNode_t fill, kernel;
    must(cudaGraphCreate(&g, 0));
    cudaMemsetParams m = {};
    m.dst = a;
    m.elementSize = 4;
    m.width = 256;
    m.height = 1;
    must(cudaGraphAddMemsetNode(&fill, g, NULL, 0, &m));
    void *arguments[] = {&a, &n};
    cudaKernelNodeParams k = {};
    k.func = (void *)twice;
    k.gridDim = dim3(1);
    k.blockDim = dim3(256);
    k.kernelParams = arguments;
    must(cudaGraphAddKernelNode(&kernel, g, &fill, right ? 1 : 0, &k)); // MISTAKE fill_node race
    must(cudaGraphInstantiate(&e, g, 0));
    must(cudaDeviceSynchronize());
    must(cudaGraphLaunch(e, 0));
    must(cudaDeviceSynchronize());
    must(cudaGraphExecDestroy(e));
    must(cudaGraphDestroy(g));
}
/* A graph is launched while the host still writes its input. */
TWINS(graph_input)
{
    stream_pair p;
    float *h, *a = buffer<float>(64);
    cudaGraph_t g;
    cudaGraphExec_t e;
    must(cudaMallocHost(&h, 256));
    memset(h, 0, 256);
    must(cudaDeviceSynchronize());
    must(cudaStreamBeginCapture(p.s, cudaStreamCaptureModeGlobal));
    must(cudaMemcpyAsync(a, h, 256, cudaMemcpyHostToDevice, p.s));
    twice<<<1, 64, 0, p.s>>>(a, 64);
    must(cudaStreamEndCapture(p.s, &g));
    must(cudaGraphInstantiate(&e, g, 0));
    must(cudaGraphLaunch(e, p.s));
    if (right) {
        must(cudaStreamSynchronize(p.s));
    }
    h[0] = 2; // MISTAKE graph_input race
    must(cudaGraphLaunch(e, p.s));
    must(cudaStreamSynchronize(p.s));
    must(cudaGraphExecDestroy(e));
    must(cudaGraphDestroy(g));
    must(cudaFreeHost(h));
}
/* The host looks into managed memory when one of two streams is done. */
TWINS(one_of_two)
{
    stream_pair p;
    float *a;
    must(cudaMallocManaged((void **)&a, 8192));
    memset(a, 0, 8192);
    twice<<<1, 256, 0, p.s>>>(a, 256);
    twice<<<1, 256, 0, p.t>>>(a + 1024, 256);
    must(cudaStreamSynchronize(p.s));
    if (right) {
        must(cudaStreamSynchronize(p.t));
    }
    printf("%g\n", a[1024]); // MISTAKE one_of_two race
    must(cudaDeviceSynchronize());
    must(cudaFree(a));
}
/* Too much dynamic shared memory, and nobody asks. */
TWINS(shared_bytes)
{
    float *a = buffer<float>(256);
    twice<<<1, 256, right ? 1024 : 100000>>>(a, 256); // MISTAKE shared_bytes ignored
    must(cudaDeviceSynchronize());
    if (right) {
        must(cudaGetLastError());
        return;
    }
    for (int i = 0; i < buffer_count; i++) {
        cudaFree(buffers[i]);
    }
    exit(0);
}
TWINS(leak_event)
{
    cudaEvent_t e;
    must(cudaEventCreateWithFlags(&e, cudaEventBlockingSync)); // MISTAKE leak_event leak
    must(cudaEventRecord(e));
    must(cudaEventSynchronize(e));
    if (right) {
        must(cudaEventDestroy(e));
    }
}
TWINS(leak_array)
{
    cudaArray_t a;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    must(cudaMallocArray(&a, &d, 16, 16)); // MISTAKE leak_array leak
    if (right) {
        must(cudaFreeArray(a));
    }
}
TWINS(leak_graph)
{
    cudaGraph_t g;
    must(cudaGraphCreate(&g, 0)); // MISTAKE leak_graph leak
    if (right) {
        must(cudaGraphDestroy(g));
    }
}
/* A column is moved right by one, within one array. */
TWINS(move_right)
{
    float *a = buffer<float>(256), *b = buffer<float>(256);
    float *to = right ? b + 1 : a + 1;
    must(cudaMemcpy(to, a, 1020, cudaMemcpyDeviceToDevice)); // MISTAKE move_right call
}
/* The vector that received a copy is gone before the copy. */
static void __attribute__((noinline)) receive(const float *a, cudaStream_t s, bool wait)
{
    float *h = (float *)malloc(4096 * sizeof *h);
    must(cudaMemcpyAsync(h, a, 16384, cudaMemcpyDeviceToHost, s)); // MISTAKE receive race
    if (wait) {
        must(cudaStreamSynchronize(s));
    }
    free(h);
}
TWINS(receive)
{
    stream_pair p;
    float *a = buffer<float>(4096);
    must(cudaDeviceSynchronize());
    receive(a, p.s, right);
    must(cudaStreamSynchronize(p.s));
}

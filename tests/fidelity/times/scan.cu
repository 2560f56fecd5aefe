/* scan.cu - scans, sorts, histograms, reductions, searches: where threads work together. */
#include "times.h"

/* log2(1024) rounds, every thread busy in each of them. */
__global__ void scan_every_round(float *out, const float *a)
{
    __shared__ float v[2][1024];
    unsigned t = threadIdx.x, from = 0;
    v[0][t] = a[blockIdx.x * 1024 + t];
    __syncthreads();
    for (unsigned offset = 1; offset < 1024; offset *= 2) {
        float sum = v[from][t];
        if (t >= offset)
            sum += v[from][t - offset];
        v[1 - from][t] = sum;
        from = 1 - from;
        __syncthreads();
    }
    out[blockIdx.x * 1024 + t] = v[from][t];
}
static void run_scan_every_round(const struct times_io *io)
{
    scan_every_round<<<2048, 1024>>>(io->out, io->a);
}

/* Up and down a tree, without padding: bank conflicts. */
__global__ void scan_tree(float *out, const float *a)
{
    __shared__ float v[1024];
    unsigned t = threadIdx.x, base = blockIdx.x * 1024;
    v[2 * t] = a[base + 2 * t];
    v[2 * t + 1] = a[base + 2 * t + 1];
    unsigned offset = 1;
    for (unsigned d = 512; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            v[offset * (2 * t + 2) - 1] += v[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0)
        v[1023] = 0;
    for (unsigned d = 1; d < 1024; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            float left = v[offset * (2 * t + 1) - 1];
            v[offset * (2 * t + 1) - 1] = v[offset * (2 * t + 2) - 1];
            v[offset * (2 * t + 2) - 1] += left;
        }
    }
    __syncthreads();
    out[base + 2 * t] = v[2 * t];
    out[base + 2 * t + 1] = v[2 * t + 1];
}
static void run_scan_tree(const struct times_io *io) { scan_tree<<<2048, 512>>>(io->out, io->a); }

__global__ void scan_shuffle(float *out, const float *a)
{
    __shared__ float warp_sum[32];
    unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
    float v = a[blockIdx.x * 1024 + t];
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        float left = __shfl_up_sync(0xffffffffu, v, offset);
        if (lane >= offset)
            v += left;
    }
    if (lane == 31)
        warp_sum[warp] = v;
    __syncthreads();
    if (warp == 0) {
        float s = warp_sum[lane];
        for (unsigned offset = 1; offset < 32; offset *= 2) {
            float left = __shfl_up_sync(0xffffffffu, s, offset);
            if (lane >= offset)
                s += left;
        }
        warp_sum[lane] = s;
    }
    __syncthreads();
    out[blockIdx.x * 1024 + t] = warp > 0 ? v + warp_sum[warp - 1] : v;
}
static void run_scan_shuffle(const struct times_io *io)
{
    scan_shuffle<<<4096, 1024>>>(io->out, io->a);
}

/* Sorts 1024 numbers a block. */
__global__ void bitonic_sort(float *out, const float *a)
{
    __shared__ float v[1024];
    unsigned t = threadIdx.x;
    v[t] = a[blockIdx.x * 1024 + t];
    for (unsigned size = 2; size <= 1024; size *= 2)
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            unsigned other = t ^ stride;
            if (other > t) {
                bool up = (t & size) == 0;
                float x = v[t], y = v[other];
                if ((x > y) == up) {
                    v[t] = y;
                    v[other] = x;
                }
            }
        }
    __syncthreads();
    out[blockIdx.x * 1024 + t] = v[t];
}
static void run_bitonic_sort(const struct times_io *io)
{
    bitonic_sort<<<1024, 1024>>>(io->out, io->a);
}

/* Where would each number of a tile stand? All pairs. */
__global__ void rank_sort(float *out, const float *a)
{
    __shared__ float v[512];
    unsigned t = threadIdx.x;
    float mine = v[t] = a[blockIdx.x * 512 + t];
    __syncthreads();
    unsigned rank = 0;
    for (unsigned i = 0; i < 512; i++)
        rank += v[i] < mine || (v[i] == mine && i < t);
    out[blockIdx.x * 512 + rank] = mine;
}
static void run_rank_sort(const struct times_io *io) { rank_sort<<<1056, 512>>>(io->out, io->a); }

/* Odd and even neighbours in turn, a warp 32 numbers, by shuffles. */
__global__ void odd_even_warp(float *out, const float *a)
{
    unsigned lane = threadIdx.x % 32;
    float v = a[GLOBAL_ID];
    for (unsigned round = 0; round < 32; round++) {
        int partner = ((lane ^ round) & 1u) ? (int)lane - 1 : (int)lane + 1;
        float other = __shfl_sync(0xffffffffu, v, partner & 31);
        if (partner >= 0 && partner < 32)
            v = partner > (int)lane ? fminf(v, other) : fmaxf(v, other);
    }
    out[GLOBAL_ID] = v;
}
static void run_odd_even_warp(const struct times_io *io)
{
    odd_even_warp<<<(1 << 21) / 256, 256>>>(io->out, io->a);
}

__global__ void histogram_global(unsigned *counts, const float *a, unsigned n)
{
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[(unsigned)(a[i] * 256)], 1);
}
static void run_histogram_global(const struct times_io *io)
{
    histogram_global<<<528, 256>>>(io->counts, io->a, 1 << 20);
}

__global__ void histogram_shared(unsigned *counts, const float *a, unsigned n)
{
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[(unsigned)(a[i] * 256)], 1);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}
static void run_histogram_shared(const struct times_io *io)
{
    histogram_shared<<<132 * 4, 256>>>(io->counts, io->a, FLOATS / 2);
}

/* A counter per thread and digit: 16 digits, 64 threads, no atomics. */
__global__ void radix_count(unsigned *counts, const int *keys, unsigned shift)
{
    __shared__ unsigned short bins[16][64];
    unsigned t = threadIdx.x;
    for (unsigned d = 0; d < 16; d++)
        bins[d][t] = 0;
    for (unsigned i = 0; i < 64; i++)
        bins[(unsigned)keys[blockIdx.x * 4096 + i * 64 + t] >> shift & 15u][t]++;
    __syncthreads();
    unsigned sum = 0;
    if (t < 16)
        for (unsigned i = 0; i < 64; i++)
            sum += bins[t][i];
    if (t < 16)
        counts[blockIdx.x * 16 + t] = sum;
}
static void run_radix_count(const struct times_io *io)
{
    radix_count<<<INDICES / 4096, 64>>>(io->counts, io->index, 4);
}

/* Sums of blocks through an atomic per warp. */
__global__ void reduce_atomic_warp(unsigned *counts, const int *values)
{
    unsigned sum = (unsigned)values[GLOBAL_ID] & 0xffu;
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (threadIdx.x % 32 == 0)
        atomicAdd(counts, sum);
}
static void run_reduce_atomic_warp(const struct times_io *io)
{
    reduce_atomic_warp<<<INDICES / 256, 256>>>(io->counts, io->index);
}

/* The largest of each block of 1024, by a tree with divergent warps. */
__global__ void reduce_max_interleaved(float *out, const float *a)
{
    __shared__ float v[1024];
    unsigned t = threadIdx.x;
    v[t] = a[blockIdx.x * 1024 + t];
    __syncthreads();
    for (unsigned stride = 1; stride < 1024; stride *= 2) {
        if (t % (2 * stride) == 0)
            v[t] = fmaxf(v[t], v[t + stride]);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = v[0];
}
static void run_reduce_max_interleaved(const struct times_io *io)
{
    reduce_max_interleaved<<<4096, 1024>>>(io->out, io->a);
}

/* Sums over 4 MB for each of 64 segments: a block each, so few blocks. */
__global__ void reduce_segments(float *out, const float4 *a, unsigned each)
{
    __shared__ float part[32];
    float sum = 0;
    const float4 *from = a + (size_t)blockIdx.x * each;
    for (unsigned i = threadIdx.x; i < each; i += 1024) {
        float4 v = from[i];
        sum += v.x + v.y + v.z + v.w;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = part[threadIdx.x];
        for (int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_down_sync(0xffffffffu, sum, offset);
        if (threadIdx.x == 0)
            out[blockIdx.x] = sum;
    }
}
static void run_reduce_segments(const struct times_io *io)
{
    reduce_segments<<<64, 1024>>>(io->out, (const float4 *)io->a, FLOATS / 4 / 64);
}

/* The values of a are at random, so a search in the even numbers goes left and right at random. */
__global__ void binary_search(float *out, const float *a, unsigned size, unsigned n)
{
    unsigned i = GLOBAL_ID;
    if (i >= n)
        return;
    unsigned low = 0, high = size, wanted = (unsigned)(a[i] * (float)size);
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (2 * middle < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    out[i] = (float)low;
}
static void run_binary_search(const struct times_io *io)
{
    binary_search<<<(1 << 21) / 256, 256>>>(io->out, io->a, 1 << 20, 1 << 21);
}

/* The same in a table in memory: out of L1 and L2, one step waits for the one before. */
__global__ void binary_search_table(float *out, const float *a, const float *table, unsigned size)
{
    unsigned i = GLOBAL_ID, low = 0, high = size;
    float wanted = a[i];
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (table[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    out[i] = (float)low;
}
static void run_binary_search_table(const struct times_io *io)
{
    binary_search_table<<<(1 << 19) / 256, 256>>>(io->out, io->a, io->sorted, SORTED);
}

/* Keeps what is below a half: a vote a warp, a ticket a warp. */
__global__ void compact(float *out, unsigned *counts, const float *a)
{
    float v = a[GLOBAL_ID];
    unsigned vote = __ballot_sync(0xffffffffu, v < 0.5f), lane = threadIdx.x % 32, at = 0;
    if (lane == 0)
        at = atomicAdd(&counts[0], (unsigned)__popc(vote)) & (FLOATS / 2 - 1);
    at = __shfl_sync(0xffffffffu, at, 0) + (unsigned)__popc(vote & ((1u << lane) - 1));
    if (v < 0.5f)
        out[at] = v;
}
static void run_compact(const struct times_io *io)
{
    compact<<<(1 << 21) / 256, 256>>>(io->out, io->counts, io->a);
}

const struct times_case scan_cases[] = {
    {"scan_every_round", run_scan_every_round, IN_OUT, 2048 * 1024},
    {"scan_tree", run_scan_tree, IN_OUT, 2048 * 1024},
    {"scan_shuffle", run_scan_shuffle, IN_OUT, 4096 * 1024},
    {"bitonic_sort", run_bitonic_sort, IN_OUT, 1024 * 1024},
    {"rank_sort", run_rank_sort, IN_OUT, 1056 * 512},
    {"odd_even_warp", run_odd_even_warp, IN_OUT, 1 << 21},
    {"histogram_global", run_histogram_global, IN_COUNTS, 256},
    {"histogram_shared", run_histogram_shared, IN_COUNTS, 256},
    {"radix_count", run_radix_count, IN_COUNTS, INDICES / 4096 * 16},
    {"reduce_atomic_warp", run_reduce_atomic_warp, IN_COUNTS, 1},
    {"reduce_max_interleaved", run_reduce_max_interleaved, IN_OUT, 4096},
    {"reduce_segments", run_reduce_segments, IN_OUT, 64},
    {"binary_search", run_binary_search, IN_OUT, 1 << 21},
    {"binary_search_table", run_binary_search_table, IN_OUT, 1 << 19},
    {"compact", run_compact, IN_COUNTS, 1},
    {NULL, NULL, IN_OUT, 0}};

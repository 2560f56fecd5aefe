/* sorting.cu - networks, radix passes, merges, scans and selections. */
#include "today.h"

template <typename T> __device__ void compare_swap(T &a, T &b, bool up)
{
    if ((a > b) == up) {
        T t = a;
        a = b;
        b = t;
    }
}

__global__ void sort_lanes(unsigned *data)
{
    unsigned v = data[blockIdx.x * blockDim.x + threadIdx.x];
    int lane = threadIdx.x & 31;
    for (int k = 2; k <= 32; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1) {
            unsigned other = __shfl_xor_sync(0xffffffff, v, j);
            bool up = (lane & k) == 0, lower = (lane & j) == 0;
            v = (v < other) == (up == lower) ? v : other;
        }
    data[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

__global__ void odd_even_merge(const unsigned short *in, unsigned short *out, int n)
{
    extern __shared__ unsigned short keys[];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        keys[i] = in[blockIdx.x * n + i];
    for (int size = 2; size <= n; size <<= 1) {
        int stride = size / 2, offset = threadIdx.x & (stride - 1);
        {
            __syncthreads();
            int pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            compare_swap(keys[pos], keys[pos + stride], true);
            stride >>= 1;
        }
        for (; stride > 0; stride >>= 1) {
            __syncthreads();
            int pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            if (offset >= stride)
                compare_swap(keys[pos - stride], keys[pos], true);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[blockIdx.x * n + i] = keys[i];
}

__global__ void radix_histogram(const unsigned *keys, unsigned *counts, int n, int shift)
{
    __shared__ unsigned bins[4][16];
    if (threadIdx.x < 64)
        (&bins[0][0])[threadIdx.x] = 0;
    __syncthreads();
    int warp = threadIdx.x / 32;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned digit = keys[i] >> shift & 15, peers = __match_any_sync(__activemask(), digit);
        if ((threadIdx.x & 31) == __ffs(peers) - 1)
            bins[warp][digit] += __popc(peers);
        __syncwarp(__activemask());
    }
    __syncthreads();
    if (threadIdx.x < 16)
        counts[threadIdx.x * gridDim.x + blockIdx.x] =
            bins[0][threadIdx.x] + bins[1][threadIdx.x] + bins[2][threadIdx.x] + bins[3][threadIdx.x];
}

/* Splits by one bit, by ballots, within a block. */
__global__ void radix_split(unsigned *data, int bits)
{
    __shared__ unsigned keys[256];
    __shared__ int zeros_before[8], zeros;
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    unsigned mine = data[blockIdx.x * 256 + t];
    for (int bit = 0; bit < bits; bit++) {
        bool zero = !(mine >> bit & 1);
        unsigned votes = __ballot_sync(~0u, zero);
        if (lane == 0)
            zeros_before[warp] = __popc(votes);
        __syncthreads();
        if (t == 0) {
            int sum = 0;
            for (int w = 0; w < 8; w++) {
                int z = zeros_before[w];
                zeros_before[w] = sum;
                sum += z;
            }
            zeros = sum;
        }
        __syncthreads();
        int rank = zeros_before[warp] + __popc(votes & ((1u << lane) - 1));
        keys[zero ? rank : zeros + t - rank] = mine;
        __syncthreads();
        mine = keys[t];
        __syncthreads();
    }
    data[blockIdx.x * 256 + t] = mine;
}

__device__ int merge_path(const int *a, int na, const int *b, int nb, int diagonal)
{
    int low = max(0, diagonal - nb), high = min(diagonal, na);
    while (low < high) {
        int mid = (low + high) >> 1;
        if (a[mid] <= b[diagonal - 1 - mid])
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

__global__ void merge_blocks(const int *a, int na, const int *b, int nb, int *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, d = t * 7;
    if (d >= na + nb)
        return;
    int i = merge_path(a, na, b, nb, d), j = d - i;
#pragma unroll
    for (int k = 0; k < 7; k++) {
        if (d + k >= na + nb)
            break;
        bool left = j >= nb || (i < na && a[i] <= b[j]);
        out[d + k] = left ? a[i++] : b[j++];
    }
}

__global__ void compact_warps(const int *in, int *out, int *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % warpSize;
    bool keep = i < n && in[i] % 3 == 0;
    unsigned kept = __ballot_sync(0xffffffff, keep);
    if (keep)
        out[i - lane + __popc(kept & ((1 << lane) - 1))] = in[i];
    if (lane == 0)
        counts[i / 32] = __popc(kept);
}

/* A scan as textbooks have it, up and down a tree, with padding against conflicts. */
#define PAD(i) ((i) + ((i) >> 5))
__global__ void blelloch_scan(const int *in, int *out, int n)
{
    extern __shared__ int temp[];
    int t = threadIdx.x, offset = 1, ai = t, bi = t + n / 2;
    temp[PAD(ai)] = in[ai];
    temp[PAD(bi)] = in[bi];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int a = PAD(offset * (2 * t + 1) - 1), b = PAD(offset * (2 * t + 2) - 1);
            temp[b] += temp[a];
        }
        offset *= 2;
    }
    if (t == 0)
        temp[PAD(n - 1)] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int a = PAD(offset * (2 * t + 1) - 1), b = PAD(offset * (2 * t + 2) - 1), s = temp[a];
            temp[a] = temp[b];
            temp[b] += s;
        }
    }
    __syncthreads();
    out[ai] = temp[PAD(ai)];
    out[bi] = temp[PAD(bi)];
}

struct head {
    float value;
    bool first;
};

__global__ void segmented_scan(const float *x, const unsigned *flags, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    head h = {x[i], (flags[i] & 7) == 0 || lane == 0};
    for (int d = 1; d < 32; d <<= 1) {
        float v = __shfl_up_sync(~0u, h.value, d);
        bool f = __shfl_up_sync(~0u, h.first, d);
        if (lane >= d && !h.first) {
            h.value += v;
            h.first = f;
        }
    }
    out[i] = h.value;
}

__global__ void top_four(const float *x, float4 *out, int n)
{
    float4 best = make_float4(-1e30f, -1e30f, -1e30f, -1e30f);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float v = x[blockIdx.x * n + i];
        if (v > best.w) {
            best.w = v;
            if (best.w > best.z) { float t = best.z; best.z = best.w; best.w = t; }
            if (best.z > best.y) { float t = best.y; best.y = best.z; best.z = t; }
            if (best.y > best.x) { float t = best.x; best.x = best.y; best.y = t; }
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = best;
}

__global__ void rank_of_each(const uint2 *pairs, unsigned *rank, int n)
{
    __shared__ uint2 s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint2 mine = pairs[i];
    unsigned below = 0;
    for (int from = 0; from < n; from += 64) {
        s[threadIdx.x] = pairs[from + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 64; k++)
            below += s[k].x < mine.x || (s[k].x == mine.x && s[k].y < mine.y);
        __syncthreads();
    }
    rank[i] = below;
}

void run_sorting(void)
{
    const int *in = (const int *)d_in;
    int *out = (int *)d_out;
    RUN(sort_lanes, WHOLE, sort_lanes<<<4, 128>>>(d_in));
    RUN(odd_even_merge, WHOLE, odd_even_merge<<<4, 128, 512>>>((unsigned short *)d_in, (unsigned short *)d_out, 256));
    RUN(radix_histogram, WHOLE, radix_histogram<<<6, 128>>>(d_in, d_out, 5000, 8));
    RUN(radix_split, WHOLE, radix_split<<<3, 256>>>(d_in, 6));
    RUN(merge_blocks, SORTED, merge_blocks<<<4, 128>>>(in, 1500, in + 700, 1333, out));
    RUN(compact_warps, WHOLE, compact_warps<<<4, 128>>>(in, out, out + 2048, 500));
    RUN(blelloch_scan, WHOLE, blelloch_scan<<<1, 256, 4 * PAD(512)>>>(in, out, 512));
    RUN(segmented_scan, FLOATS, segmented_scan<<<4, 128>>>((float *)d_in, d_in + 777, (float *)d_out));
    RUN(top_four, FLOATS, top_four<<<4, 64>>>((float *)d_in, (float4 *)d_out, 700));
    RUN(rank_of_each, WHOLE, rank_of_each<<<4, 64>>>((uint2 *)d_in, d_out, 256));
}

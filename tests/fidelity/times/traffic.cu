/* traffic.cu - streams, caches, gathers and atomics; written and recorded before the model saw
 * them. */
#include "times.h"

#include <cuda_fp16.h>

/* --- streams --------------------------------------------------------------------------------- */

/* Two pictures blended by a third, eight bytes a thread. */
__global__ void blend(float2 *out, const float2 *a, const float2 *b, const float2 *alpha,
                      unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i >= n)
        return;
    const float2 p = a[i], q = b[i], w = alpha[i];
    out[i] = make_float2(p.x * w.x + q.x * (1 - w.x), p.y * w.y + q.y * (1 - w.y));
}
static void run_blend(const struct times_io *io)
{
    const unsigned n = 1 << 21;
    blend<<<blocks_for(n, 512), 512>>>((float2 *)io->out, (const float2 *)io->a,
                                       (const float2 *)io->b, (const float2 *)io->a + n, n);
}

/* Eight floats to eight halves, as integers. */
__global__ void pack_halves(uint4 *out, const float4 *a, unsigned n)
{
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x) {
        const float4 p = a[2 * i], q = a[2 * i + 1];
        const __half2 h[4] = {__floats2half2_rn(p.x, p.y), __floats2half2_rn(p.z, p.w),
                              __floats2half2_rn(q.x, q.y), __floats2half2_rn(q.z, q.w)};
        uint4 v;
        v.x = *(const unsigned *)&h[0] & 0x7fff7fff, v.y = *(const unsigned *)&h[1] & 0x7fff7fff;
        v.z = *(const unsigned *)&h[2] & 0x7fff7fff, v.w = *(const unsigned *)&h[3] & 0x7fff7fff;
        out[i] = v;
    }
}
static void run_pack_halves(const struct times_io *io)
{
    pack_halves<<<264, 512>>>((uint4 *)io->out, (const float4 *)io->a, FLOATS / 8);
}

/* Colours side by side to three planes and a grey one. */
__global__ void split_colours(float *out, const float *a, unsigned pixels)
{
    const unsigned i = GLOBAL_ID;
    if (i >= pixels)
        return;
    const float r = a[3 * i], g = a[3 * i + 1], b = a[3 * i + 2];
    out[i] = r;
    out[pixels + i] = g;
    out[2 * pixels + i] = b;
    out[3 * pixels + i] = 0.299f * r + 0.587f * g + 0.114f * b;
}
static void run_split_colours(const struct times_io *io)
{
    split_colours<<<blocks_for(3000000, 192), 192>>>(io->out, io->a, 3000000);
}

/* The array from behind. */
__global__ void turn_round(float *out, const float *a, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i < n)
        out[i] = a[n - 1 - i];
}
static void run_turn_round(const struct times_io *io)
{
    turn_round<<<blocks_for(5000000, 1024), 1024>>>(io->out, io->a, 5000000);
}

/* A row and a column make a matrix: it is mostly written. */
__global__ void add_outer(float *out, const float *row, const float *column, unsigned width)
{
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned y = blockIdx.y * 8; y < blockIdx.y * 8 + 8; y++)
        out[y * width + x] = row[x] + column[y];
}
static void run_add_outer(const struct times_io *io)
{
    add_outer<<<dim3(16, 512), 128>>>(io->out, io->a, io->b, 2048);
}

/* Pairs of doubles, of few blocks: one row of threads an SM. */
__global__ void scale_double_few(double2 *out, const double2 *a, unsigned n)
{
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x) {
        double2 v = a[i];
        out[i] = make_double2(v.x * 1.5, v.y * 2.5);
    }
}
static void run_scale_double_few(const struct times_io *io)
{
    scale_double_few<<<132, 128>>>((double2 *)io->dout, (const double2 *)io->da, 1 << 18);
}

/* Bytes one by one, each thread 16 that stand together: uncoalesced on purpose. */
__global__ void byte_rows(float *out, const unsigned char *bytes, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i >= n)
        return;
    unsigned sum = 0, last = 0;
    for (int k = 0; k < 16; k++) {
        const unsigned v = bytes[i * 16 + k];
        sum += v > last ? v - last : last - v;
        last = v;
    }
    out[i] = (float)sum;
}
static void run_byte_rows(const struct times_io *io)
{
    byte_rows<<<blocks_for(1 << 19, 256), 256>>>(io->out, (const unsigned char *)io->a, 1 << 19);
}

/* --- caches ---------------------------------------------------------------------------------- */

/* 8 MB that every block reads from another place on, six windows each. */
__global__ void windows(float *out, const float4 *a, unsigned mask)
{
    float sum = 0;
    for (unsigned w = 0; w < 6; w++) {
        const float4 v = a[(GLOBAL_ID + w * 37 * 1024 + blockIdx.x * 64) & mask];
        sum += v.x * v.y + v.z * v.w;
    }
    out[GLOBAL_ID] = sum;
}
static void run_windows(const struct times_io *io)
{
    windows<<<2048, 256>>>(io->out, (const float4 *)io->a, (1 << 19) - 1);
}

/* A table of 16 KB for each block, walked with a step: L1 holds it. */
__global__ void block_table(float *out, const float *a, int rounds)
{
    const float *table = a + blockIdx.x % 64 * 4096;
    unsigned at = threadIdx.x * 13;
    float sum = 0;
    for (int r = 0; r < rounds; r++) {
        at = (at * 5 + 3) & 4095;
        sum += table[at];
    }
    out[GLOBAL_ID] = sum;
}
static void run_block_table(const struct times_io *io)
{
    block_table<<<528, 256>>>(io->out, io->a, 64);
}

/* Rows of 64 bytes in an order without order, sixteen lanes each. */
__global__ void gather_rows(float *out, const float *a, const int *index, unsigned rows)
{
    const unsigned row = GLOBAL_ID / 16, lane = GLOBAL_ID % 16;
    if (row < rows)
        out[row * 16 + lane] = a[(index[row] & 0xfffff) * 16 + lane] * 0.5f;
}
static void run_gather_rows(const struct times_io *io)
{
    gather_rows<<<blocks_for(200000 * 16, 256), 256>>>(io->out, io->a, io->index, 200000);
}

/* Four neighbours of a random place in a picture of 1024 x 1024. */
__global__ void look_up_bilinear(float *out, const float *picture, const float *xs, const float *ys,
                                 unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i >= n)
        return;
    const float x = xs[i] * 1022.0f, y = ys[i] * 1022.0f;
    const int x0 = (int)x, y0 = (int)y;
    const float fx = x - (float)x0, fy = y - (float)y0, *p = picture + y0 * 1024 + x0;
    const float top = p[0] + (p[1] - p[0]) * fx, bottom = p[1024] + (p[1025] - p[1024]) * fx;
    out[i] = top + (bottom - top) * fy;
}
static void run_look_up_bilinear(const struct times_io *io)
{
    look_up_bilinear<<<blocks_for(1 << 20, 128), 128>>>(io->out, io->a, io->b, io->b + (1 << 20),
                                                        1 << 20);
}

/* A chain of 48 places, of 132 warps: latency of L2 and memory. */
__global__ void hop(float *out, const int *index, int hops)
{
    unsigned at = GLOBAL_ID * 31;
    for (int h = 0; h < hops; h++)
        at = (unsigned)index[at & (INDICES - 1)] + h;
    out[GLOBAL_ID] = (float)(at & 0xffff);
}
static void run_hop(const struct times_io *io) { hop<<<132, 32>>>(io->out, io->index, 48); }

/* The same from many warps at once. */
static void run_hop_many(const struct times_io *io) { hop<<<264, 512>>>(io->out, io->index, 12); }

/* --- atomics --------------------------------------------------------------------------------- */

/* Points into a map of 256 x 256 cells: neighbours in the array are anywhere. */
__global__ void count_cells(unsigned *counts, const float *x, const float *y, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i < n)
        atomicAdd(&counts[(unsigned)(x[i] * 256) * 256 + (unsigned)(y[i] * 256)], 1);
}
static void run_count_cells(const struct times_io *io)
{
    count_cells<<<blocks_for(1 << 20, 256), 256>>>(io->counts, io->a, io->b, 1 << 20);
}

/* Degrees of the vertices of a list of edges: a million words, all apart. */
__global__ void count_degrees(unsigned *counts, const int *index, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i < n)
        atomicAdd(&counts[index[i] & (COUNTS - 1)], 1 + (i & 1));
}
static void run_count_degrees(const struct times_io *io)
{
    count_degrees<<<blocks_for(3 << 19, 512), 512>>>(io->counts, io->index, 3 << 19);
}

/* The largest of each of 512 classes, in global memory. */
__global__ void class_maxima(unsigned *counts, const float *a, const int *index, unsigned n)
{
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x)
        atomicMax(&counts[(index[i] & 511) * 8], (unsigned)(a[i] * 1e6f));
}
static void run_class_maxima(const struct times_io *io)
{
    class_maxima<<<528, 256>>>(io->counts, io->a, io->index, 1 << 19);
}

/* Sums of 64 bits in 4096 places. */
__global__ void add_64_bits(unsigned long long *counts, const int *index, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i < n)
        atomicAdd(&counts[index[i] & 4095], (unsigned long long)index[i] << 8);
}
static void run_add_64_bits(const struct times_io *io)
{
    add_64_bits<<<blocks_for(1 << 19, 128), 128>>>((unsigned long long *)io->counts, io->index,
                                                   1 << 19);
}

/* The largest float of each of 2048 words, by compare and swap. */
__global__ void swap_maxima(unsigned *counts, const float *a, const int *index, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i >= n)
        return;
    unsigned *word = &counts[index[i] & 2047], old = *word;
    const float mine = a[i];
    while (__uint_as_float(old) < mine) {
        const unsigned seen = atomicCAS(word, old, __float_as_uint(mine));
        if (seen == old)
            break;
        old = seen;
    }
}
static void run_swap_maxima(const struct times_io *io)
{
    swap_maxima<<<blocks_for(1 << 18, 256), 256>>>(io->counts, io->a, io->index, 1 << 18);
}

/* Keys into a table, linear probing, half full in the end. */
__global__ void fill_table(unsigned *table, const int *index, unsigned keys, unsigned mask)
{
    const unsigned i = GLOBAL_ID;
    if (i >= keys)
        return;
    const unsigned key = (unsigned)index[i] + 1;
    unsigned at = key * 2654435761u >> 12 & mask;
    for (;;) {
        const unsigned seen = atomicCAS(&table[at], 0, key);
        if (seen == 0 || seen == key)
            break;
        at = (at + 1) & mask;
    }
}
static void run_fill_table(const struct times_io *io)
{
    fill_table<<<blocks_for(1 << 19, 256), 256>>>(io->counts, io->index, 1 << 19, COUNTS - 1);
}

/* Each warp has 64 counters in shared memory; the block adds them up. */
__global__ void count_by_warps(unsigned *counts, const float *a, unsigned n)
{
    __shared__ unsigned own[8][64];
    for (unsigned i = threadIdx.x; i < 512; i += 256)
        own[i / 64][i % 64] = 0;
    __syncthreads();
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[threadIdx.x / 32][(unsigned)(a[i] * 64)], 1);
    __syncthreads();
    if (threadIdx.x < 64) {
        unsigned sum = 0;
        for (int w = 0; w < 8; w++)
            sum += own[w][threadIdx.x];
        atomicAdd(&counts[threadIdx.x], sum);
    }
}
static void run_count_by_warps(const struct times_io *io)
{
    count_by_warps<<<396, 256>>>(io->counts, io->a, 1 << 21);
}

/* Shared words that few lanes want at a time: the sum of each class, in fixed point. */
__global__ void shared_classes(unsigned *counts, const float *a, const int *index, unsigned n)
{
    __shared__ unsigned sums[1024];
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
        sums[i] = 0;
    __syncthreads();
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&sums[index[i] & 1023], (unsigned)(a[i] * 1000));
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
        atomicAdd(&counts[i], sums[i]);
}
static void run_shared_classes(const struct times_io *io)
{
    shared_classes<<<132, 512>>>(io->counts, io->a, io->index, 1 << 21);
}

/* What passes a test goes behind the last, one ticket a warp. */
__global__ void filter(unsigned *counts, float *out, const float *a, unsigned n)
{
    const unsigned i = GLOBAL_ID, lane = threadIdx.x % 32;
    const bool keep = i < n && a[i] > 0.75f;
    const unsigned votes = __ballot_sync(~0u, keep);
    unsigned base = 0;
    if (lane == 0 && votes)
        base = atomicAdd(&counts[0], __popc(votes));
    base = __shfl_sync(~0u, base, 0);
    if (keep)
        out[base + __popc(votes & ((1u << lane) - 1))] = a[i];
}
static void run_filter(const struct times_io *io)
{
    filter<<<blocks_for(1 << 19, 256), 256>>>(io->counts, io->out, io->a, 1 << 19);
}

const struct times_case traffic_cases[] = {
    {"blend", run_blend, IN_OUT, 1 << 22},
    {"pack_halves", run_pack_halves, IN_WORDS, FLOATS / 2},
    {"split_colours", run_split_colours, IN_OUT, 12000000},
    {"turn_round", run_turn_round, IN_OUT, 5000000},
    {"add_outer", run_add_outer, IN_OUT, 4096 * 2048},
    {"scale_double_few", run_scale_double_few, IN_DOUT, 1 << 19},
    {"byte_rows", run_byte_rows, IN_OUT, 1 << 19},
    {"windows", run_windows, IN_OUT, 2048 * 256},
    {"block_table", run_block_table, IN_OUT, 528 * 256},
    {"gather_rows", run_gather_rows, IN_OUT, 3200000},
    {"look_up_bilinear", run_look_up_bilinear, IN_OUT, 1 << 20},
    {"hop", run_hop, IN_OUT, 132 * 32},
    {"hop_many", run_hop_many, IN_OUT, 264 * 512},
    {"count_cells", run_count_cells, IN_COUNTS, 65536},
    {"count_degrees", run_count_degrees, IN_COUNTS, COUNTS},
    {"class_maxima", run_class_maxima, IN_COUNTS, 4096},
    {"add_64_bits", run_add_64_bits, IN_COUNTS, 8192},
    {"swap_maxima", run_swap_maxima, IN_COUNTS, 2048},
    {"fill_table", run_fill_table, IN_OCCUPIED, COUNTS},
    {"count_by_warps", run_count_by_warps, IN_COUNTS, 64},
    {"shared_classes", run_shared_classes, IN_COUNTS, 1024},
    {"filter", run_filter, IN_COUNTS, 1},
    {NULL, NULL, IN_OUT, 0}};

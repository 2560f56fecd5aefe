/* shapes.cu - grids of unusual shape, shared memory, caches, pairs of halves, atomics. */
#include "times.h"

#include <cuda_fp16.h>

/* One block reads a megabyte: most of the GPU has nothing to do. */
__global__ void sum_one_block(float *out, const float4 *a, unsigned n)
{
    __shared__ float part[32];
    float sum = 0;
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
        float4 v = a[i];
        sum += v.x + v.y + v.z + v.w;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(~0u, sum, offset);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = part[threadIdx.x];
        for (int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_down_sync(~0u, sum, offset);
        if (threadIdx.x == 0)
            out[0] = sum;
    }
}
static void run_sum_one_block(const struct times_io *io)
{
    sum_one_block<<<1, 1024>>>(io->out, (const float4 *)io->a, 65536);
}

/* A block of one warp a row of 2048. */
__global__ void row_norms(float *out, const float *a, unsigned columns)
{
    float sum = 0;
    for (unsigned c = threadIdx.x; c < columns; c += 32) {
        float v = a[blockIdx.x * columns + c];
        sum += v * v;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(~0u, sum, offset);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sqrtf(sum);
}
static void run_row_norms(const struct times_io *io)
{
    row_norms<<<4096, 32>>>(io->out, io->a, 2048);
}

/* A ring of pointers in shared memory: each load waits for the last; four warps a block. */
__global__ void shared_ring(float *out, const int *index)
{
    __shared__ unsigned ring[4096];
    for (unsigned i = threadIdx.x; i < 4096; i += 128)
        ring[i] = ((unsigned)index[blockIdx.x * 4096 + i] * 5 + i) & 4095;
    __syncthreads();
    unsigned at = threadIdx.x * 32;
    for (int k = 0; k < 256; k++)
        at = ring[at];
    out[GLOBAL_ID] = (float)at;
}
static void run_shared_ring(const struct times_io *io)
{
    shared_ring<<<528, 128>>>(io->out, io->index);
}

/* A list of 2 MB, read from L2, eight warps on each multiprocessor. */
__global__ void l2_list(float *out, const int *index)
{
    unsigned at = GLOBAL_ID * 16;
    for (int k = 0; k < 64; k++)
        at = (((unsigned)index[at & 0x7ffff] + at) * 1664525u + 1013904223u) >> 5;
    out[GLOBAL_ID] = (float)(at & 0xffff);
}
static void run_l2_list(const struct times_io *io) { l2_list<<<132, 256>>>(io->out, io->index); }

/* 64 KB of shared memory a block: a table that is filled once and read at random. */
__global__ void table_64k(float *out, const float *a, const int *index)
{
    extern __shared__ float table[];
    for (unsigned i = threadIdx.x; i < 16384; i += 512)
        table[i] = a[i] + a[i + 16384];
    __syncthreads();
    float sum = 0;
    for (unsigned k = 0; k < 32; k++)
        sum += table[(unsigned)index[(blockIdx.x * 32 + k) * 512 + threadIdx.x] & 16383];
    out[GLOBAL_ID] = sum;
}
static void run_table_64k(const struct times_io *io)
{
    CUDA_CHECK(cudaFuncSetAttribute((const void *)table_64k,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    table_64k<<<256, 512, 65536>>>(io->out, io->a, io->index);
}

/* The last block to arrive adds up what all have left. */
__global__ void sum_last_block(float *out, unsigned *tickets, const float *a, unsigned n)
{
    __shared__ float part[256];
    __shared__ bool last;
    const unsigned t = threadIdx.x;
    float sum = 0;
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x)
        sum += a[i];
    part[t] = sum;
    for (unsigned half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            part[t] += part[t + half];
    }
    if (t == 0) {
        out[1 + blockIdx.x] = part[0];
        __threadfence();
        last = atomicAdd(tickets, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    sum = 0;
    for (unsigned i = t; i < gridDim.x; i += 256)
        sum += ((volatile float *)out)[1 + i];
    part[t] = sum;
    for (unsigned half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            part[t] += part[t + half];
    }
    if (t == 0)
        out[0] = part[0], *tickets = 0;
}
static void run_sum_last_block(const struct times_io *io)
{
    sum_last_block<<<792, 256>>>(io->out, io->counts, io->a, 1 << 22);
}

/* Three blocks of four have nothing to do. */
__global__ void mostly_idle(float *out, const float *a)
{
    if (blockIdx.x % 4 != 0) {
        if (threadIdx.x == 0)
            out[blockIdx.x] = 0;
        return;
    }
    float v = a[blockIdx.x * 64 + threadIdx.x];
    for (int k = 0; k < 64; k++)
        v = v * 0.75f + 0.1f;
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(~0u, v, offset);
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}
static void run_mostly_idle(const struct times_io *io)
{
    mostly_idle<<<40000, 64>>>(io->out, io->a);
}

/* Words of a histogram of 4096 bins in global memory, warps agree first. */
__global__ void histogram_matched(unsigned *bins, const int *words)
{
    unsigned bin = (unsigned)words[GLOBAL_ID] >> 4 & 4095, peers = 0;
    for (unsigned left = ~0u; left;) {
        unsigned leader = __shfl_sync(~0u, bin, __ffs((int)left) - 1);
        unsigned same = __ballot_sync(~0u, bin == leader);
        peers = bin == leader ? same : peers;
        left &= ~same;
    }
    if ((int)(threadIdx.x % 32) == __ffs((int)peers) - 1)
        atomicAdd(&bins[bin], (unsigned)__popc(peers));
}
static void run_histogram_matched(const struct times_io *io)
{
    histogram_matched<<<(1 << 18) / 256, 256>>>(io->counts, io->index);
}

/* The largest of each class, in shared memory first. */
__global__ void shared_max(unsigned *most, const int *words)
{
    __shared__ unsigned best[64];
    if (threadIdx.x < 64)
        best[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned k = 0; k < 16; k++) {
        unsigned v = (unsigned)words[(blockIdx.x * 16 + k) * 256 + threadIdx.x];
        atomicMax(&best[v * 2654435761u >> 26], v);
    }
    __syncthreads();
    if (threadIdx.x < 64)
        atomicMax(&most[threadIdx.x], best[threadIdx.x]);
}
static void run_shared_max(const struct times_io *io)
{
    shared_max<<<1024, 256>>>(io->counts, io->index);
}

/* Sums of floats by compare-and-swap, 4096 words. */
__global__ void cas_sum(unsigned *sums, const float *a)
{
    unsigned *word = &sums[GLOBAL_ID * 37 & 4095];
    unsigned seen, old = *word;
    do {
        seen = old;
        old = atomicCAS(word, seen, __float_as_uint(__uint_as_float(seen) + 1 + a[GLOBAL_ID]));
    } while (old != seen);
}
static void run_cas_sum(const struct times_io *io)
{
    cas_sum<<<(1 << 18) / 256, 256>>>(io->counts, io->a);
}

/* Columns of a matrix added up in shared memory, two lanes to a bank. */
__global__ void shared_columns(float *out, const float *a)
{
    __shared__ float m[64][66];
    const unsigned t = threadIdx.x;
    for (unsigned i = t; i < 4096; i += 256)
        m[i / 64][i % 64] = a[blockIdx.x * 4096 + i];
    __syncthreads();
    float sum = 0;
    for (unsigned round = 0; round < 8; round++)
        for (unsigned k = 0; k < 16; k++)
            sum += m[t % 64][(t / 64 * 16 + k + round) % 64];
    out[GLOBAL_ID] = sum;
}
static void run_shared_columns(const struct times_io *io)
{
    shared_columns<<<1024, 256>>>(io->out, io->a);
}

/* 32 x 32 turned within a warp by shuffles: five rounds of exchanges. */
__global__ void transpose_shuffle(float *out, const float *a)
{
    const unsigned lane = threadIdx.x % 32;
    const float *from = a + (size_t)(GLOBAL_ID / 32) * 1024;
    float v[32];
#pragma unroll
    for (unsigned k = 0; k < 32; k++)
        v[k] = from[k * 32 + lane];
#pragma unroll
    for (unsigned bit = 16; bit > 0; bit /= 2)
#pragma unroll
        for (unsigned k = 0; k < 32; k++)
            if ((k & bit) == 0) {
                float send = lane & bit ? v[k] : v[k | bit];
                float got = __shfl_xor_sync(~0u, send, bit);
                if (lane & bit)
                    v[k] = got;
                else
                    v[k | bit] = got;
            }
#pragma unroll
    for (unsigned k = 0; k < 32; k++)
        out[(size_t)(GLOBAL_ID / 32) * 1024 + k * 32 + lane] = v[k];
}
static void run_transpose_shuffle(const struct times_io *io)
{
    transpose_shuffle<<<1024, 128>>>(io->out, io->a);
}

/* Two blocks a multiprocessor, four wide loads each before the first store. */
__global__ void __launch_bounds__(512) copy_persistent(float4 *out, const float4 *a, unsigned n)
{
    const unsigned step = gridDim.x * blockDim.x;
    unsigned i = GLOBAL_ID;
    for (; i + 3 * step < n; i += 4 * step) {
        float4 p = a[i], q = a[i + step], r = a[i + 2 * step], s = a[i + 3 * step];
        out[i] = p, out[i + step] = q, out[i + 2 * step] = r, out[i + 3 * step] = s;
    }
    for (; i < n; i += step)
        out[i] = a[i];
}
static void run_copy_persistent(const struct times_io *io)
{
    copy_persistent<<<264, 512>>>((float4 *)io->out, (const float4 *)io->a, FLOATS / 8);
}

__global__ void axpy_double2(double2 *y, const double2 *x, double factor, unsigned half)
{
    unsigned i = GLOBAL_ID;
    double2 p = x[i], q = x[i + half];
    y[i] = make_double2(factor * p.x + q.x, factor * p.y + q.y);
}
static void run_axpy_double2(const struct times_io *io)
{
    axpy_double2<<<(1 << 20) / 128, 128>>>((double2 *)io->dout, (const double2 *)io->da, 1.5,
                                           1 << 20);
}

/* A polynomial in pairs of halves. */
__global__ void half_polynomial(float *out, const float2 *a)
{
    float2 v = a[GLOBAL_ID];
    __half2 x = __floats2half2_rn(v.x, v.y), sum = __floats2half2_rn(0.25f, 0.5f), one = sum;
#pragma unroll 8
    for (int k = 0; k < 128; k++)
        sum = __hfma2(__hmul2(sum, one), x, one);
    out[GLOBAL_ID] = __low2float(sum) + __high2float(sum);
}
static void run_half_polynomial(const struct times_io *io)
{
    half_polynomial<<<(1 << 20) / 256, 256>>>(io->out, (const float2 *)io->a);
}

/* A filter of 33 taps, coefficients by a formula, all from L1. */
__global__ void fir_33(float *out, const float *a)
{
    float sum = 0;
#pragma unroll
    for (unsigned k = 0; k < 33; k++)
        sum += a[GLOBAL_ID + k] * (1.0f - 0.03f * (float)k);
    out[GLOBAL_ID] = sum;
}
static void run_fir_33(const struct times_io *io)
{
    fir_33<<<(1 << 21) / 256, 256>>>(io->out, io->a);
}

/* Each lane runs its own small program: eight operations, chosen by data. */
__global__ void interpreter(float *out, const int *code, unsigned steps)
{
    unsigned program = (unsigned)code[GLOBAL_ID];
    float x = 1, y = 0.5f;
    for (unsigned k = 0; k < steps; k++) {
        switch (program & 7) {
        case 0:
            x += y;
            break;
        case 1:
            x -= 0.5f * y;
            break;
        case 2:
            x *= 0.9f;
            break;
        case 3:
            y = x * 0.3f;
            break;
        case 4:
            x = fmaxf(x, y);
            break;
        case 5:
            y += 0.25f;
            break;
        case 6:
            x = sqrtf(fabsf(x));
            break;
        default:
            x = y;
            y = 0.75f;
            break;
        }
        program = program >> 3 | program << 29;
    }
    out[GLOBAL_ID] = x + y;
}
static void run_interpreter(const struct times_io *io)
{
    interpreter<<<(1 << 18) / 128, 128>>>(io->out, io->index, 24);
}

/* 16 warps for the whole GPU's memory: each block a chain of steps of all its lanes. */
__global__ void gauss_jordan(float *out, const float *a)
{
    __shared__ float m[32][33];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    m[y][x] = a[blockIdx.x * 1024 + y * 32 + x] + (x == y ? 32.0f : 0.0f);
    __syncthreads();
    for (unsigned k = 0; k < 32; k++) {
        float pivot = 1 / m[k][k], factor = m[y][k], row = m[k][x];
        __syncthreads();
        m[y][x] = y == k ? row * pivot : m[y][x] - factor * row * pivot;
        __syncthreads();
    }
    out[blockIdx.x * 1024 + y * 32 + x] = m[y][x];
}
static void run_gauss_jordan(const struct times_io *io)
{
    gauss_jordan<<<300, dim3(32, 32)>>>(io->out, io->a);
}

/* 64-bit indices and a row that is not a multiple of a line. */
__global__ void odd_rows(float *out, const float *a, size_t pitch, unsigned rows)
{
    size_t column = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (column >= pitch)
        return;
    float sum = 0;
    for (size_t r = 0; r < rows; r++)
        sum += a[(blockIdx.y * rows + r) * pitch + column];
    out[blockIdx.y * pitch + column] = sum;
}
static void run_odd_rows(const struct times_io *io)
{
    odd_rows<<<dim3(8, 128), 128>>>(io->out, io->a, 1001, 64);
}

const struct times_case shapes_cases[] = {
    {"sum_one_block", run_sum_one_block, IN_OUT, 1},
    {"row_norms", run_row_norms, IN_OUT, 4096},
    {"shared_ring", run_shared_ring, IN_OUT, 528 * 128},
    {"l2_list", run_l2_list, IN_OUT, 132 * 256},
    {"table_64k", run_table_64k, IN_OUT, 256 * 512},
    {"sum_last_block", run_sum_last_block, IN_OUT, 793},
    {"mostly_idle", run_mostly_idle, IN_OUT, 40000},
    {"histogram_matched", run_histogram_matched, IN_COUNTS, 4096},
    {"shared_max", run_shared_max, IN_COUNTS, 64},
    {"cas_sum", run_cas_sum, IN_OCCUPIED, 4096},
    {"shared_columns", run_shared_columns, IN_OUT, 1024 * 256},
    {"transpose_shuffle", run_transpose_shuffle, IN_OUT, 1 << 22},
    {"copy_persistent", run_copy_persistent, IN_OUT, FLOATS / 2},
    {"axpy_double2", run_axpy_double2, IN_DOUT, 1 << 21},
    {"half_polynomial", run_half_polynomial, IN_OUT, 1 << 20},
    {"fir_33", run_fir_33, IN_OUT, 1 << 21},
    {"interpreter", run_interpreter, IN_OUT, 1 << 18},
    {"gauss_jordan", run_gauss_jordan, IN_OUT, 300 * 1024},
    {"odd_rows", run_odd_rows, IN_OUT, 128 * 1001},
    {NULL, NULL, IN_OUT, 0}};

/* numerics.cu - pipes, chains, local arrays, occupancy, divergence, uneven work; written and
 * recorded before the model saw them. */
#include "times.h"

#include <cuda_fp16.h>

/* --- pipes and chains ------------------------------------------------------------------------ */

/* A cube root by Newton's method in double, until it does not change. */
__global__ void cube_roots(double *out, const double *a, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i >= n)
        return;
    const double v = a[i] * 1000 + 0.001;
    double x = v > 1 ? v / 3 : 1;
    for (int k = 0; k < 60; k++) {
        const double next = x - (x * x * x - v) / (3 * x * x);
        if (fabs(next - x) < 1e-10 * x)
            break;
        x = next;
    }
    out[i] = x;
}
static void run_cube_roots(const struct times_io *io)
{
    cube_roots<<<blocks_for(40000, 128), 128>>>(io->dout, io->da, 40000);
}

/* Points that leave a circle sooner or later, sixteen a row of threads side by side. */
__global__ void julia(unsigned *out, unsigned width, int most)
{
    const unsigned i = GLOBAL_ID;
    float x = (float)(i % width) / width * 3.0f - 1.5f, y = (float)(i / width) / 512 * 2.0f - 1.0f;
    int k = 0;
    while (k < most && x * x + y * y < 4.0f) {
        const float t = x * x - y * y - 0.8f;
        y = 2 * x * y + 0.156f;
        x = t;
        k++;
    }
    out[i] = (unsigned)k;
}
static void run_julia(const struct times_io *io)
{
    julia<<<2048, 128>>>((unsigned *)io->out, 512, 200);
}

/* Logarithms and exponentials, sines and square roots. */
__global__ void special_mix(float *out, const float *a, unsigned n)
{
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x) {
        const float v = a[i] + 0.1f;
        const float gamma = __expf((v - 0.5f) * __logf(v + 4.0f) - v);
        out[i] = gamma * __sinf(v) + sqrtf(v) + rsqrtf(v + 1);
    }
}
static void run_special_mix(const struct times_io *io)
{
    special_mix<<<528, 256>>>(io->out, io->a, 1 << 21);
}

/* One warp an SM, one chain of reciprocal roots. */
__global__ void root_chain(float *out, const float *a, int rounds)
{
    float v = a[GLOBAL_ID] + 0.5f;
    for (int r = 0; r < rounds; r++)
        v = rsqrtf(v) + 0.25f;
    out[GLOBAL_ID] = v;
}
static void run_root_chain(const struct times_io *io)
{
    root_chain<<<132, 32>>>(io->out, io->a, 512);
}

/* Greatest common divisors: remainders until nothing is left. */
__global__ void common_divisors(unsigned *out, const int *index, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i >= n)
        return;
    unsigned p = (unsigned)index[i] + 1, q = (unsigned)index[i + n] + 1;
    while (q != 0) {
        const unsigned rest = p % q;
        p = q;
        q = rest;
    }
    out[i] = p;
}
static void run_common_divisors(const struct times_io *io)
{
    common_divisors<<<blocks_for(150000, 256), 256>>>((unsigned *)io->out, io->index, 150000);
}

/* Random numbers by shifts, summed. */
__global__ void shift_random(unsigned *out, int rounds)
{
    unsigned x = GLOBAL_ID * 747796405u + 1, y = 362436069, z = 521288629, w = 88675123, sum = 0;
    for (int r = 0; r < rounds; r++) {
        const unsigned t = x ^ x << 11;
        x = y, y = z, z = w;
        w = w ^ w >> 19 ^ t ^ t >> 8;
        sum += w;
    }
    out[GLOBAL_ID] = sum >> 1;
}
static void run_shift_random(const struct times_io *io)
{
    shift_random<<<1056, 256>>>((unsigned *)io->out, 96);
}

/* Products of 64 bits modulo a prime of 61. */
__global__ void multiply_wide(unsigned *out, int rounds)
{
    const unsigned long long prime = (1ull << 61) - 1;
    unsigned long long v = GLOBAL_ID * 0x9e3779b97f4a7c15ull & prime;
    for (int r = 0; r < rounds; r++) {
        const unsigned long long low = v * 0x2545f4914f6cdd1dull;
        const unsigned long long high = __umul64hi(v, 0x2545f4914f6cdd1dull);
        v = (low & prime) + (low >> 61 | high << 3);
        v = v >= prime ? v - prime : v;
    }
    out[GLOBAL_ID] = (unsigned)v >> 1;
}
static void run_multiply_wide(const struct times_io *io)
{
    multiply_wide<<<528, 128>>>((unsigned *)io->out, 128);
}

/* Eight sums that do not wait for each other. */
__global__ void eight_chains(float *out, const float *a, int rounds)
{
    float s[8], m = a[GLOBAL_ID], d = a[GLOBAL_ID + 1] * 0.001f;
    for (int k = 0; k < 8; k++)
        s[k] = a[GLOBAL_ID + k * 4];
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < 8; k++)
            s[k] = s[k] * m + d;
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += s[k];
    out[GLOBAL_ID] = sum;
}
static void run_eight_chains(const struct times_io *io)
{
    eight_chains<<<264, 512>>>(io->out, io->a, 256);
}

/* Pairs of halves: two chains a thread. */
__global__ void half_chains(float *out, const float *a, int rounds)
{
    __half2 p = __float2half2_rn(a[GLOBAL_ID]), q = __float2half2_rn(a[GLOBAL_ID + 7]);
    const __half2 m = __float2half2_rn(0.5f), d = __float2half2_rn(0.125f);
    for (int r = 0; r < rounds; r++) {
        p = __hfma2(p, m, q);
        q = __hfma2(q, m, d);
    }
    out[GLOBAL_ID] = __low2float(p) + __high2float(q);
}
static void run_half_chains(const struct times_io *io)
{
    half_chains<<<528, 256>>>(io->out, io->a, 400);
}

/* Double, of two warps a scheduler: a polynomial of degree 15. */
__global__ void polynomial_double(double *out, const double *a, unsigned n)
{
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x) {
        const double x = a[i];
        double sum = 1.0 / 16;
#pragma unroll
        for (int k = 15; k >= 0; k--)
            sum = sum * x + 1.0 / (k + 1);
        out[i] = sum;
    }
}
static void run_polynomial_double(const struct times_io *io)
{
    polynomial_double<<<132, 256>>>(io->dout, io->da, 1 << 19);
}

/* Each thread squares a matrix of 4 x 4 ten times. */
__global__ void matrix_powers(float *out, const float *a)
{
    float m[4][4], p[4][4];
    for (int i = 0; i < 16; i++)
        m[i / 4][i % 4] = a[GLOBAL_ID * 16 + i] * 0.25f;
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 16; i++) {
            p[i / 4][i % 4] = 0;
            for (int k = 0; k < 4; k++)
                p[i / 4][i % 4] += m[i / 4][k] * m[k][i % 4];
        }
        for (int i = 0; i < 16; i++)
            m[i / 4][i % 4] = p[i / 4][i % 4] * 2 + (i % 5 == 0 ? 0.1f : 0.0f);
    }
    float trace = 0;
    for (int i = 0; i < 4; i++)
        trace += m[i][i];
    out[GLOBAL_ID] = trace;
}
static void run_matrix_powers(const struct times_io *io)
{
    matrix_powers<<<1024, 128>>>(io->out, io->a);
}

/* --- local memory, functions ----------------------------------------------------------------- */

/* Counts of 32 letters in an array of the thread's own. */
__global__ void own_counts(float *out, const float *a, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    unsigned count[32], largest = 0;
    if (i >= n)
        return;
    for (int k = 0; k < 32; k++)
        count[k] = 0;
#pragma unroll 1
    for (int k = 0; k < 48; k++)
        count[(unsigned)(a[k * n + i] * 32)]++;
    for (int k = 0; k < 32; k++)
        largest = max(largest, count[k]);
    out[i] = (float)largest;
}
static void run_own_counts(const struct times_io *io)
{
    own_counts<<<blocks_for(100000, 128), 128>>>(io->out, io->a, 100000);
}

/* Quadrature that halves an interval by calling itself. */
__device__ __noinline__ float adaptive(float from, float to, float whole, int depth)
{
    const float middle = 0.5f * (from + to), left = __expf(-from * middle) * (middle - from);
    const float right = __expf(-middle * to) * (to - middle);
    if (depth == 0 || fabsf(left + right - whole) < 2e-5f)
        return left + right;
    return adaptive(from, middle, left, depth - 1) + adaptive(middle, to, right, depth - 1);
}
__global__ void halve_intervals(float *out, const float *a, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i < n)
        out[i] = adaptive(0.0f, 1 + (a[i] < 0.1f ? 2 : 1), 1.0f, 7);
}
static void run_halve_intervals(const struct times_io *io)
{
    halve_intervals<<<264, 128>>>(io->out, io->a, 264 * 128);
}

/* --- occupancy and shape --------------------------------------------------------------------- */

/* 96 sums a thread, all in registers. */
__global__ void __launch_bounds__(128) many_sums(float *out, const float *a, int rounds)
{
    float sum[96];
#pragma unroll
    for (int k = 0; k < 96; k++)
        sum[k] = 0;
    for (int r = 0; r < rounds; r++) {
        const float x = a[r * 4096 + threadIdx.x], y = a[r * 4096 + 512 + blockIdx.x];
#pragma unroll
        for (int k = 0; k < 96; k++)
            sum[k] += (x + k) * (y - sum[(k + 1) % 96] * 0.001f);
    }
    float total = 0;
#pragma unroll
    for (int k = 0; k < 96; k++)
        total += sum[k];
    out[GLOBAL_ID] = total;
}
static void run_many_sums(const struct times_io *io)
{
    many_sums<<<700, 128>>>(io->out, io->a, 48);
}

/* Four blocks an SM, 48 KB each: a table turned round. */
__global__ void table_48k(float *out, const float *a)
{
    __shared__ float table[12288];
    for (unsigned i = threadIdx.x; i < 12288; i += 192)
        table[i] = a[blockIdx.x * 12288 + i];
    __syncthreads();
    float sum = 0;
    for (unsigned k = 0; k < 64; k++)
        sum += table[(threadIdx.x * 64 + (k ^ (threadIdx.x & 31))) % 12288] * table[k * 7];
    out[blockIdx.x * 192 + threadIdx.x] = sum;
}
static void run_table_48k(const struct times_io *io) { table_48k<<<600, 192>>>(io->out, io->a); }

/* One thread more than fits in a whole number of rounds of blocks, each of them long. */
__global__ void long_blocks(float *out, const float *a, int rounds)
{
    float x = a[GLOBAL_ID], y = a[GLOBAL_ID + 100], z = 0;
    for (int r = 0; r < rounds; r++) {
        x = x * 0.99f + y * 0.01f;
        y = y * 0.98f + x * 0.02f;
        z = fmaxf(z, fabsf(x - y)) + 1e-6f;
    }
    out[GLOBAL_ID] = x + y + z;
}
static void run_long_blocks(const struct times_io *io)
{
    long_blocks<<<132 * 2 * 2 + 40, 1024>>>(io->out, io->a, 300);
}

/* The same work by 40 blocks: most SMs stand still. */
static void run_long_blocks_few(const struct times_io *io)
{
    long_blocks<<<40, 512>>>(io->out, io->a, 2000);
}

/* Three blocks of 400 have thirty times the others' work. */
__global__ void heavy_blocks(float *out, const float *a)
{
    const int rounds = blockIdx.x % 150 == 17 ? 3000 : 100;
    float v = a[GLOBAL_ID];
    for (int r = 0; r < rounds; r++)
        v = v * v * 0.5f + 0.3f;
    out[GLOBAL_ID] = v;
}
static void run_heavy_blocks(const struct times_io *io)
{
    heavy_blocks<<<400, 256>>>(io->out, io->a);
}

/* Half the warps load a tile that the others work on, by barriers. */
__global__ void by_turns(float *out, const float *a, int tiles)
{
    __shared__ float tile[2][512];
    const unsigned t = threadIdx.x;
    float sum = 0;
    if (t < 128)
        for (unsigned i = t; i < 512; i += 128)
            tile[0][i] = a[blockIdx.x * 512 + i];
    __syncthreads();
    for (int k = 0; k < tiles; k++) {
        if (t < 128) {
            if (k + 1 < tiles)
                for (unsigned i = t; i < 512; i += 128)
                    tile[(k + 1) & 1][i] = a[((k + 1) * gridDim.x + blockIdx.x) * 512 + i];
        } else {
            for (unsigned i = 0; i < 512; i += 8)
                sum += tile[k & 1][(i + t) & 511] * 0.5f + 0.1f;
        }
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = sum;
}
static void run_by_turns(const struct times_io *io) { by_turns<<<528, 256>>>(io->out, io->a, 24); }

const struct times_case numerics_cases[] = {
    {"cube_roots", run_cube_roots, IN_DOUT, 40000},
    {"julia", run_julia, IN_WORDS, 2048 * 128},
    {"special_mix", run_special_mix, IN_OUT, 1 << 21},
    {"root_chain", run_root_chain, IN_OUT, 132 * 32},
    {"common_divisors", run_common_divisors, IN_WORDS, 150000},
    {"shift_random", run_shift_random, IN_WORDS, 1056 * 256},
    {"multiply_wide", run_multiply_wide, IN_WORDS, 528 * 128},
    {"eight_chains", run_eight_chains, IN_OUT, 264 * 512},
    {"half_chains", run_half_chains, IN_OUT, 528 * 256},
    {"polynomial_double", run_polynomial_double, IN_DOUT, 1 << 19},
    {"matrix_powers", run_matrix_powers, IN_OUT, 1024 * 128},
    {"own_counts", run_own_counts, IN_OUT, 100000},
    {"halve_intervals", run_halve_intervals, IN_OUT, 264 * 128},
    {"many_sums", run_many_sums, IN_OUT, 700 * 128},
    {"table_48k", run_table_48k, IN_OUT, 600 * 192},
    {"long_blocks", run_long_blocks, IN_OUT, 568 * 1024},
    {"long_blocks_few", run_long_blocks_few, IN_OUT, 40 * 512},
    {"heavy_blocks", run_heavy_blocks, IN_OUT, 400 * 256},
    {"by_turns", run_by_turns, IN_OUT, 528 * 256},
    {NULL, NULL, IN_OUT, 0}};

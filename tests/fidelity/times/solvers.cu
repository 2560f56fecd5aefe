/* solvers.cu - dense and sparse solvers, transforms, random numbers, wide integers and launches of
 * odd shapes; written and recorded before the model saw them. */
#include "times.h"

/* --- solvers --------------------------------------------------------------------------------- */

/* A 48 x 48 matrix a block, made triangular with the largest pivot of each column. */
__global__ void lu_pivot(float *out, const float *a)
{
    __shared__ float m[48][49];
    __shared__ int best;
    const int t = threadIdx.x;
    for (int i = t; i < 2304; i += 64)
        m[i / 48][i % 48] = a[blockIdx.x * 2304 + i];
    __syncthreads();
    for (int k = 0; k < 47; k++) {
        if (t < 32) {
            float high = -1;
            int at = k;
            for (int r = k + t; r < 48; r += 32)
                if (fabsf(m[r][k]) > high)
                    high = fabsf(m[r][k]), at = r;
            for (int step = 16; step > 0; step /= 2) {
                const float other = __shfl_xor_sync(~0u, high, step);
                const int place = __shfl_xor_sync(~0u, at, step);
                if (other > high || (other == high && place < at))
                    high = other, at = place;
            }
            if (t == 0)
                best = at;
        }
        __syncthreads();
        if (t < 48 && best != k) {
            const float v = m[k][t];
            m[k][t] = m[best][t];
            m[best][t] = v;
        }
        __syncthreads();
        if (t > k && t < 48) {
            const float factor = m[t][k] / m[k][k];
            m[t][k] = factor;
            for (int c = k + 1; c < 48; c++)
                m[t][c] -= factor * m[k][c];
        }
        __syncthreads();
    }
    for (int i = t; i < 2304; i += 64)
        out[blockIdx.x * 2304 + i] = m[i / 48][i % 48];
}
static void run_lu_pivot(const struct times_io *io) { lu_pivot<<<264, 64>>>(io->out, io->a); }

__device__ static float sum_of_block(float v, float *room)
{
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_xor_sync(~0u, v, step);
    if (threadIdx.x % 32 == 0)
        room[threadIdx.x / 32] = v;
    __syncthreads();
    v = room[threadIdx.x % 8];
    for (int step = 4; step > 0; step /= 2)
        v += __shfl_xor_sync(~0u, v, step);
    __syncthreads();
    return v;
}

/* Conjugate gradients for 256 unknowns of a chain, a block each. */
__global__ void conjugate_gradients(float *out, const float *a, int steps)
{
    __shared__ float p[258], room[8];
    const int t = threadIdx.x;
    float x = 0, r = a[blockIdx.x * 256 + t], own = r;
    if (t < 2)
        p[t * 257] = 0;
    float rr = sum_of_block(r * r, room);
    for (int k = 0; k < steps; k++) {
        p[t + 1] = own;
        __syncthreads();
        const float ap = 3 * own - p[t] - p[t + 2];
        const float alpha = rr / (sum_of_block(own * ap, room) + 1e-20f);
        x += alpha * own;
        r -= alpha * ap;
        const float now = sum_of_block(r * r, room);
        own = r + now / (rr + 1e-20f) * own;
        rr = now;
    }
    out[blockIdx.x * 256 + t] = x;
}
static void run_conjugate_gradients(const struct times_io *io)
{
    conjugate_gradients<<<200, 256>>>(io->out, io->a, 12);
}

/* Cyclic reduction of 512 equations at a time, all of them in each step. */
__global__ void cyclic_reduction(float *out, const float *a)
{
    __shared__ float low[512], main[512], high[512], right[512];
    const int t = threadIdx.x;
    low[t] = t > 0 ? -1.0f : 0;
    main[t] = 3 + a[blockIdx.x * 512 + t];
    high[t] = t < 511 ? -1.0f : 0;
    right[t] = a[blockIdx.x * 512 + t] * 2;
    __syncthreads();
    for (int step = 1; step < 512; step *= 2) {
        const int i = max(t - step, 0), k = min(t + step, 511);
        const float f = low[t] / main[i], g = high[t] / main[k];
        const float m = main[t] - f * high[i] - g * low[k];
        const float r = right[t] - f * right[i] - g * right[k];
        const float l = t >= step ? -f * low[i] : 0, h = t + step < 512 ? -g * high[k] : 0;
        __syncthreads();
        low[t] = l, main[t] = m, high[t] = h, right[t] = r;
        __syncthreads();
    }
    out[blockIdx.x * 512 + t] = right[t] / main[t];
}
static void run_cyclic_reduction(const struct times_io *io)
{
    cyclic_reduction<<<1320, 512>>>(io->out, io->a);
}

/* C = A B in FP64, 64 x 64 a block, four by four a thread. */
__global__ void __launch_bounds__(256) dgemm_64(double *c, const double *a, const double *b, int n)
{
    __shared__ double as[16][65], bs[16][64];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const int row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
    double sum[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = t; i < 1024; i += 256) {
            as[i % 16][i / 16] = a[(row0 + i / 16) * n + k0 + i % 16];
            bs[i / 64][i % 64] = b[(k0 + i / 64) * n + column0 + i % 64];
        }
        __syncthreads();
        for (int k = 0; k < 16; k++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] += as[k][ty * 4 + i] * bs[k][tx + 16 * j];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(row0 + ty * 4 + i) * n + column0 + tx + 16 * j] = sum[i][j];
}
static void run_dgemm_64(const struct times_io *io)
{
    dgemm_64<<<dim3(10, 10), 256>>>(io->dout, io->da, io->da + 500000, 640);
}

/* --- transforms ------------------------------------------------------------------------------ */

/* One stage of a transform of 2^20 points through global memory. */
__global__ void fft_stage(float2 *out, const float2 *a, unsigned half)
{
    const unsigned i = GLOBAL_ID, k = i & (half - 1), at = 2 * i - k;
    float s, c;
    sincospif(-(float)k / (float)half, &s, &c);
    const float2 p = a[at], q = a[at + half];
    const float2 turned = make_float2(q.x * c - q.y * s, q.x * s + q.y * c);
    out[at] = make_float2(p.x + turned.x, p.y + turned.y);
    out[at + half] = make_float2(p.x - turned.x, p.y - turned.y);
}
static void run_fft_stage(const struct times_io *io)
{
    fft_stage<<<2048, 256>>>((float2 *)io->out, (const float2 *)io->a, 1 << 12);
}

/* Hadamard's transform of 1024 values a warp, in registers and by shuffles. */
__global__ void hadamard_warp(float *out, const float *a)
{
    const unsigned lane = threadIdx.x % 32, first = GLOBAL_ID / 32 * 1024 + lane;
    float v[32];
#pragma unroll
    for (int k = 0; k < 32; k++)
        v[k] = a[first + 32 * k];
#pragma unroll
    for (int step = 1; step < 32; step *= 2)
#pragma unroll
        for (int k = 0; k < 32; k++)
            if ((k & step) == 0) {
                const float p = v[k], q = v[k + step];
                v[k] = p + q;
                v[k + step] = p - q;
            }
#pragma unroll
    for (int step = 1; step < 32; step *= 2)
#pragma unroll
        for (int k = 0; k < 32; k++) {
            const float other = __shfl_xor_sync(~0u, v[k], step);
            v[k] = (lane & step) != 0 ? other - v[k] : other + v[k];
        }
#pragma unroll
    for (int k = 0; k < 32; k++)
        out[first + 32 * k] = v[k];
}
static void run_hadamard_warp(const struct times_io *io)
{
    hadamard_warp<<<500, 128>>>(io->out, io->a);
}

/* Rows and columns of 57 channels change places: odd sizes. */
__global__ void channels_last(float *out, const float *a, int channels, int pixels)
{
    __shared__ float tile[32][33];
    const int p0 = blockIdx.x * 32, c0 = blockIdx.y * 32;
    for (int r = threadIdx.y; r < 32; r += 8)
        if (c0 + r < channels && p0 + (int)threadIdx.x < pixels)
            tile[r][threadIdx.x] = a[(c0 + r) * pixels + p0 + threadIdx.x];
    __syncthreads();
    for (int r = threadIdx.y; r < 32; r += 8)
        if (p0 + r < pixels && c0 + (int)threadIdx.x < channels)
            out[(p0 + r) * channels + c0 + threadIdx.x] = tile[threadIdx.x][r];
}
static void run_channels_last(const struct times_io *io)
{
    channels_last<<<dim3(blocks_for(40003, 32), 2), dim3(32, 8)>>>(io->out, io->a, 57, 40003);
}

/* --- random numbers and wide integers -------------------------------------------------------- */

/* Ten rounds of Philox and what an option is worth then. */
__global__ void philox_option(float *out, unsigned draws)
{
    float sum = 0;
    for (unsigned n = 0; n < draws; n++) {
        unsigned c0 = GLOBAL_ID, c1 = n, c2 = 7, c3 = 11, k0 = 0x12345678, k1 = 0x9abcdef0;
        for (int round = 0; round < 10; round++) {
            const unsigned h0 = __umulhi(0xd2511f53u, c0), l0 = 0xd2511f53u * c0;
            const unsigned h1 = __umulhi(0xcd9e8d57u, c2), l1 = 0xcd9e8d57u * c2;
            c0 = h1 ^ c1 ^ k0, c1 = l1, c2 = h0 ^ c3 ^ k1, c3 = l0;
            k0 += 0x9e3779b9u, k1 += 0xbb67ae85u;
        }
        const float radius = sqrtf(-2 * __logf(((float)(c0 >> 8) + 1) * 0x1p-24f));
        const float normal = radius * __cosf(6.2831853f * ((float)(c1 >> 8) * 0x1p-24f));
        sum += fmaxf(100 * __expf(0.2f * normal - 0.02f) - 95, 0.0f);
    }
    out[GLOBAL_ID] = sum / (float)draws;
}
static void run_philox_option(const struct times_io *io)
{
    philox_option<<<528, 256>>>(io->out, 16);
}

/* A linear generator of 64 bits; points that fall into a sphere, in FP64. */
__global__ void sphere_double(double *out, unsigned draws)
{
    unsigned long long state = GLOBAL_ID * 2 + 1;
    unsigned inside = 0;
    for (unsigned n = 0; n < draws; n++) {
        double square = 0;
        for (int axis = 0; axis < 3; axis++) {
            state = state * 6364136223846793005ull + 1442695040888963407ull;
            const double v = (double)(unsigned)(state >> 32) * 0x1p-32 - 0.5;
            square += v * v;
        }
        inside += square < 0.25;
    }
    out[GLOBAL_ID] = (double)inside / draws;
}
static void run_sphere_double(const struct times_io *io)
{
    sphere_double<<<264, 256>>>(io->dout, 64);
}

/* Products of 256-bit numbers modulo 2^256, over and over. */
__global__ void multiply_256(unsigned *out, const unsigned *a, int rounds)
{
    unsigned x[8], y[8];
    for (int i = 0; i < 8; i++) {
        x[i] = a[i * 67584 + GLOBAL_ID] | 1;
        y[i] = a[(i + 8) * 67584 + GLOBAL_ID];
    }
    for (int n = 0; n < rounds; n++) {
        unsigned z[8] = {};
        for (int i = 0; i < 8; i++) {
            unsigned long long carry = 0;
            for (int j = 0; i + j < 8; j++) {
                carry += (unsigned long long)x[i] * y[j] + z[i + j];
                z[i + j] = (unsigned)carry;
                carry >>= 32;
            }
        }
        for (int i = 0; i < 8; i++)
            y[i] = z[i];
    }
    for (int i = 0; i < 8; i++)
        out[i * 67584 + GLOBAL_ID] = y[i] >> 1;
}
static void run_multiply_256(const struct times_io *io)
{
    multiply_256<<<528, 128>>>((unsigned *)io->out, (const unsigned *)io->a, 24);
}

/* Sums with what rounding left out carried along: a chain of four sums an element. */
__global__ void kahan_rows(float *out, const float *a, int each)
{
    float sum = 0, left = 0;
    for (int k = 0; k < each; k++) {
        const float v = a[k * 33792 + GLOBAL_ID] - left, next = sum + v;
        left = (next - sum) - v;
        sum = next;
    }
    out[GLOBAL_ID] = sum;
}
static void run_kahan_rows(const struct times_io *io)
{
    kahan_rows<<<132, 256>>>(io->out, io->a, 128);
}

/* --- shapes ---------------------------------------------------------------------------------- */

/* Warps take the next task of uneven ones until none is left; the last block winds it up again. */
__global__ void next_task(float *out, unsigned *counts, const float *a, unsigned tasks)
{
    const unsigned lane = threadIdx.x % 32;
    for (;;) {
        unsigned task = 0;
        if (lane == 0)
            task = atomicAdd(&counts[0], 1u);
        task = __shfl_sync(~0u, task, 0);
        if (task >= tasks)
            break;
        float v = a[task * 32 + lane];
        for (unsigned k = 0; k < 20 + (task * 37 & 127); k++)
            v = v * 0.99f + 0.01f;
        out[task * 32 + lane] = v;
    }
    __syncthreads();
    if (threadIdx.x == 0 && atomicInc(&counts[1], gridDim.x - 1) == gridDim.x - 1)
        counts[0] = 0;
}
static void run_next_task(const struct times_io *io)
{
    next_task<<<264, 256>>>(io->out, io->counts, io->a, 20000);
}

/* 120,000 blocks of one warp. */
__global__ void lone_warps(float *out, const float *a)
{
    out[GLOBAL_ID] = a[GLOBAL_ID] * 2 + a[GLOBAL_ID + 5];
}
static void run_lone_warps(const struct times_io *io)
{
    lone_warps<<<120000, 32>>>(io->out, io->a);
}

/* One block more than fit at once, of long loops: a second wave for one. */
__global__ void __launch_bounds__(1024) one_too_many(float *out, const float *a, int rounds)
{
    const float own = a[GLOBAL_ID + 1];
    float p = a[GLOBAL_ID], q = own;
    for (int k = 0; k < rounds; k++) {
        p = p * 0.5f + q;
        q = own - 0.3f * p;
    }
    out[GLOBAL_ID] = p + q;
}
static void run_one_too_many(const struct times_io *io)
{
    one_too_many<<<265, 1024>>>(io->out, io->a, 300);
}

/* Blocks of 80 threads: two warps and a half. */
__global__ void blocks_of_80(float *out, const float *a, const float *b, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i < n)
        out[i] = sqrtf(a[i] * a[i] + b[i] * b[i]) + __expf(-a[i]);
}
static void run_blocks_of_80(const struct times_io *io)
{
    blocks_of_80<<<blocks_for(2500000, 80), 80>>>(io->out, io->a, io->b, 2500000);
}

/* One warp an SM walks a list that all share: a long kernel with hardly any threads. */
__global__ void one_lane_walks(float *out, const int *index, const float *a, int steps)
{
    int at = blockIdx.x * 97;
    float sum = 0;
    for (int k = 0; k < steps; k++) {
        at = index[at];
        sum += a[at];
    }
    out[blockIdx.x] = sum;
}
static void run_one_lane_walks(const struct times_io *io)
{
    one_lane_walks<<<132, 1>>>(io->out, io->index, io->a, 1500);
}

const struct times_case solver_cases[] = {
    {"lu_pivot", run_lu_pivot, IN_OUT, 264 * 2304},
    {"conjugate_gradients", run_conjugate_gradients, IN_OUT, 200 * 256},
    {"cyclic_reduction", run_cyclic_reduction, IN_OUT, 1320 * 512},
    {"dgemm_64", run_dgemm_64, IN_DOUT, 640 * 640},
    {"fft_stage", run_fft_stage, IN_OUT, 1 << 21},
    {"hadamard_warp", run_hadamard_warp, IN_OUT, 2000 * 1024},
    {"channels_last", run_channels_last, IN_OUT, 57 * 40003},
    {"philox_option", run_philox_option, IN_OUT, 528 * 256},
    {"sphere_double", run_sphere_double, IN_DOUT, 264 * 256},
    {"multiply_256", run_multiply_256, IN_WORDS, 8 * 67584},
    {"kahan_rows", run_kahan_rows, IN_OUT, 132 * 256},
    {"next_task", run_next_task, IN_OUT, 20000 * 32},
    {"lone_warps", run_lone_warps, IN_OUT, 120000 * 32},
    {"one_too_many", run_one_too_many, IN_OUT, 265 * 1024},
    {"blocks_of_80", run_blocks_of_80, IN_OUT, 2500000},
    {"one_lane_walks", run_one_lane_walks, IN_OUT, 132},
    {NULL, NULL, IN_OUT, 0}};

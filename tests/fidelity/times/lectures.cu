/* lectures.cu - kernels as courses show them: streams, stencils, sums, scans and sorts of a block;
 * written and recorded before the model saw them. */
#include "times.h"

#include <cuda_fp16.h>

#define PIXEL_X (blockIdx.x * blockDim.x + threadIdx.x)
#define PIXEL_Y (blockIdx.y * blockDim.y + threadIdx.y)

/* --- streams --------------------------------------------------------------------------------- */

/* y = 1.5 x + y, two halves a thread; any word gives two halves in [0, 1). */
__global__ void axpy_half2(__half2 *out, const unsigned *x, const unsigned *y)
{
    const unsigned i = GLOBAL_ID, u = x[i] & 0x3bff3bffu, v = y[i] & 0x3bff3bffu;
    const __half2 factor = __float2half2_rn(1.5f);
    out[i] = __hfma2(factor, *(const __half2 *)&u, *(const __half2 *)&v);
}
static void run_axpy_half2(const struct times_io *io)
{
    axpy_half2<<<1 << 14, 256>>>((__half2 *)io->out, (const unsigned *)io->a,
                                 (const unsigned *)io->b);
}

/* Samples of 16 bits made louder, with saturation, one a thread. */
__global__ void scale_shorts(short *out, const short *in, int gain, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i >= n)
        return;
    const int v = in[i] * gain >> 8;
    out[i] = (short)min(max(v, -32768), 32767);
}
static void run_scale_shorts(const struct times_io *io)
{
    scale_shorts<<<blocks_for(6000000, 128), 128>>>((short *)io->out, (const short *)io->a, 400,
                                                    6000000);
}

/* Bytes through a table of 256 that each block copies to shared memory. */
__global__ void apply_table(unsigned char *out, const unsigned char *in, const int *table,
                            unsigned n)
{
    __shared__ unsigned char t[256];
    t[threadIdx.x] = (unsigned char)table[threadIdx.x];
    __syncthreads();
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x)
        out[i] = t[in[i]];
}
static void run_apply_table(const struct times_io *io)
{
    apply_table<<<1056, 256>>>((unsigned char *)io->out, (const unsigned char *)io->b, io->index,
                               1 << 22);
}

/* Vectors of three numbers to length 1, the length in the fourth. */
__global__ void unit_vectors(float4 *out, const float4 *in)
{
    float4 v = in[GLOBAL_ID];
    const float square = v.x * v.x + v.y * v.y + v.z * v.z + 1e-12f, scale = rsqrtf(square);
    v.x *= scale;
    v.y *= scale;
    v.z *= scale;
    v.w = square * scale;
    out[GLOBAL_ID] = v;
}
static void run_unit_vectors(const struct times_io *io)
{
    unit_vectors<<<1 << 12, 512>>>((float4 *)io->out, (const float4 *)io->a);
}

/* A square of doubles turned, by tiles of 32 x 32 and eight rows of threads. */
__global__ void transpose_double(double *out, const double *in, int n)
{
    __shared__ double tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
static void run_transpose_double(const struct times_io *io)
{
    transpose_double<<<dim3(64, 64), dim3(32, 8)>>>(io->dout, io->da, 2048);
}

/* Pictures by planes to pictures by points: the index taken apart by divisions. */
__global__ void planes_to_points(float *out, const float *in, int channels, int height, int width,
                                 int n)
{
    for (int i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x) {
        const int c = i % channels, x = i / channels % width;
        const int y = i / (channels * width) % height, picture = i / (channels * width * height);
        out[i] = in[((picture * channels + c) * height + y) * width + x];
    }
}
static void run_planes_to_points(const struct times_io *io)
{
    planes_to_points<<<1320, 256>>>(io->out, io->a, 48, 56, 56, 12 * 48 * 56 * 56);
}

/* --- stencils -------------------------------------------------------------------------------- */

__constant__ float taps_17[17] = {0.01f, 0.02f, 0.03f, 0.05f, 0.06f, 0.08f, 0.09f, 0.1f, 0.12f,
                                  0.1f,  0.09f, 0.08f, 0.06f, 0.05f, 0.03f, 0.02f, 0.01f};

/* Eight neighbours to each side, the block's part and its two rims in shared memory. */
__global__ void stencil_radius_8(float *out, const float *in)
{
    __shared__ float s[256 + 16];
    const int g = GLOBAL_ID + 8, l = threadIdx.x + 8;
    s[l] = in[g];
    if (threadIdx.x < 8) {
        s[l - 8] = in[g - 8];
        s[l + 256] = in[g + 256];
    }
    __syncthreads();
    float sum = 0;
    for (int k = -8; k <= 8; k++)
        sum += taps_17[k + 8] * s[l + k];
    out[g - 8] = sum;
}
static void run_stencil_radius_8(const struct times_io *io)
{
    stencil_radius_8<<<12000, 256>>>(io->out, io->a);
}

/* The Laplacian to fourth order, straight from global memory; the rim is copied. */
__global__ void laplace_fourth(float *out, const float *u, int width, int height)
{
    const int x = PIXEL_X, y = PIXEL_Y, i = y * width + x;
    if (x >= width || y >= height)
        return;
    if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2) {
        out[i] = u[i];
        return;
    }
    const float near = u[i - 1] + u[i + 1] + u[i - width] + u[i + width];
    const float far = u[i - 2] + u[i + 2] + u[i - 2 * width] + u[i + 2 * width];
    out[i] = (16 * near - far - 60 * u[i]) * (1 / 12.0f);
}
static void run_laplace_fourth(const struct times_io *io)
{
    laplace_fourth<<<dim3(63, 250), dim3(32, 4)>>>(io->out, io->a, 2000, 1000);
}

/* A fluid's density carried along: back along the velocity, then between four cells. */
__global__ void advect(float *out, const float *d, const float *u, const float *v, int n)
{
    const int i = PIXEL_X, j = PIXEL_Y, at = j * n + i;
    const float x = fminf(fmaxf((float)i - 12 * (u[at] - 0.5f), 0.5f), (float)n - 1.5f);
    const float y = fminf(fmaxf((float)j - 12 * (v[at] - 0.5f), 0.5f), (float)n - 1.5f);
    const int i0 = (int)x, j0 = (int)y;
    const float s = x - (float)i0, t = y - (float)j0;
    const float *p = d + j0 * n + i0;
    out[at] = (1 - s) * ((1 - t) * p[0] + t * p[n]) + s * ((1 - t) * p[1] + t * p[n + 1]);
}
static void run_advect(const struct times_io *io)
{
    advect<<<dim3(64, 64), dim3(16, 16)>>>(io->out, io->a, io->b, io->b + (1 << 21), 1024);
}

/* Shallow water by Lax's and Friedrichs' step: height and two momenta. */
__global__ void shallow_water(float *out, const float *h, const float *p, const float *q, int n)
{
    const int x = PIXEL_X, y = PIXEL_Y, mask = n - 1, size = n * n;
    const int at[4] = {y * n + ((x + 1) & mask), y * n + ((x - 1) & mask), ((y + 1) & mask) * n + x,
                       ((y - 1) & mask) * n + x};
    float sum_h = 0, sum_p = 0, sum_q = 0;
    for (int k = 0; k < 4; k++) {
        const float depth = h[at[k]] + 1, mx = p[at[k]], my = q[at[k]];
        const float sign = k & 1 ? -0.05f : 0.05f, along = k < 2 ? mx : my;
        const float speed = along / depth, pressure = 4.9f * depth * depth;
        sum_h += 0.25f * depth - sign * along;
        sum_p += 0.25f * mx - sign * (speed * mx + (k < 2 ? pressure : 0));
        sum_q += 0.25f * my - sign * (speed * my + (k < 2 ? 0 : pressure));
    }
    out[y * n + x] = sum_h;
    out[size + y * n + x] = sum_p;
    out[2 * size + y * n + x] = sum_q;
}
static void run_shallow_water(const struct times_io *io)
{
    shallow_water<<<dim3(32, 128), dim3(32, 8)>>>(io->out, io->a, io->b, io->b + (1 << 21), 1024);
}

/* --- blocks together ------------------------------------------------------------------------- */

/* The largest of 8192 numbers and where it stands, by a tree in shared memory. */
__global__ void argmax_blocks(int *out, const float *a)
{
    __shared__ float best[256];
    __shared__ int where[256];
    const int t = threadIdx.x, first = blockIdx.x * 8192;
    float v = -1;
    int at = 0;
    for (int i = first + t; i < first + 8192; i += 256)
        if (a[i] > v) {
            v = a[i];
            at = i;
        }
    best[t] = v;
    where[t] = at;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (t < half && (best[t + half] > best[t] ||
                         (best[t + half] == best[t] && where[t + half] < where[t]))) {
            best[t] = best[t + half];
            where[t] = where[t + half];
        }
    }
    if (t == 0)
        out[blockIdx.x] = where[0];
}
static void run_argmax_blocks(const struct times_io *io)
{
    argmax_blocks<<<1024, 256>>>((int *)io->out, io->a);
}

#define PADDED(i) ((i) + (i) / 32)

/* Blelloch's exclusive scan of 1024 numbers a block, padded against bank conflicts. */
__global__ void scan_blelloch(float *out, const float *in)
{
    __shared__ float s[1024 + 32];
    const int t = threadIdx.x, base = blockIdx.x * 1024;
    int offset = 1;
    s[PADDED(t)] = in[base + t];
    s[PADDED(t + 512)] = in[base + t + 512];
    for (int d = 512; d > 0; d /= 2, offset *= 2) {
        __syncthreads();
        if (t < d)
            s[PADDED(offset * (2 * t + 2) - 1)] += s[PADDED(offset * (2 * t + 1) - 1)];
    }
    if (t == 0)
        s[PADDED(1023)] = 0;
    for (int d = 1; d < 1024; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            const int i = PADDED(offset * (2 * t + 1) - 1), j = PADDED(offset * (2 * t + 2) - 1);
            const float v = s[i];
            s[i] = s[j];
            s[j] += v;
        }
    }
    __syncthreads();
    out[base + t] = s[PADDED(t)];
    out[base + t + 512] = s[PADDED(t + 512)];
}
static void run_scan_blelloch(const struct times_io *io)
{
    scan_blelloch<<<2048, 512>>>(io->out, io->a);
}

/* Keys and values, 32 a warp, in order by bitonic exchanges between lanes. */
__global__ void sort_pairs_warp(unsigned *values, const float *keys)
{
    const unsigned lane = threadIdx.x & 31;
    float key = keys[GLOBAL_ID];
    unsigned value = GLOBAL_ID;
    for (unsigned size = 2; size <= 32; size *= 2)
        for (unsigned step = size / 2; step; step /= 2) {
            const float other = __shfl_xor_sync(~0u, key, step);
            const unsigned other_value = __shfl_xor_sync(~0u, value, step);
            const bool low = (lane & step) == 0, up = (lane & size) == 0;
            if (low == up ? other < key : other > key) {
                key = other;
                value = other_value;
            }
        }
    values[GLOBAL_ID] = value;
}
static void run_sort_pairs_warp(const struct times_io *io)
{
    sort_pairs_warp<<<8192, 256>>>((unsigned *)io->out, io->a);
}

/* Three histograms of 256 bins, one a colour, in shared memory first. */
__global__ void histogram_colours(unsigned *counts, const uchar4 *pixels, unsigned n)
{
    __shared__ unsigned bins[3 * 256];
    for (unsigned i = threadIdx.x; i < 768; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x) {
        const uchar4 p = pixels[i];
        atomicAdd(&bins[p.x], 1u);
        atomicAdd(&bins[256 + p.y], 1u);
        atomicAdd(&bins[512 + p.z], 1u);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 768; i += blockDim.x)
        atomicAdd(&counts[i], bins[i]);
}
static void run_histogram_colours(const struct times_io *io)
{
    histogram_colours<<<264, 512>>>(io->counts, (const uchar4 *)io->a, 1 << 21);
}

/* Haar's wavelet of rows of 1024, all ten levels in shared memory. */
__global__ void haar_rows(float *out, const float *in)
{
    __shared__ float s[1024];
    const int t = threadIdx.x, row = blockIdx.x * 1024;
    s[t] = in[row + t];
    s[t + 512] = in[row + t + 512];
    for (int half = 512; half > 0; half /= 2) {
        float mean = 0, difference = 0;
        __syncthreads();
        if (t < half) {
            mean = (s[2 * t] + s[2 * t + 1]) * 0.70710678f;
            difference = (s[2 * t] - s[2 * t + 1]) * 0.70710678f;
        }
        __syncthreads();
        if (t < half) {
            s[t] = mean;
            out[row + half + t] = difference;
        }
    }
    if (t == 0)
        out[row] = s[0];
}
static void run_haar_rows(const struct times_io *io) { haar_rows<<<2048, 512>>>(io->out, io->a); }

/* --- whole numbers and groups ----------------------------------------------------------------- */

/* Sums and counts of 300 groups, of each block by itself, in shared memory. */
__global__ void group_sums(float *out, const float *group, const float *value, unsigned n)
{
    __shared__ float sums[300];
    __shared__ unsigned members[300];
    for (unsigned i = threadIdx.x; i < 300; i += blockDim.x) {
        sums[i] = 0;
        members[i] = 0;
    }
    __syncthreads();
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x) {
        const unsigned g = (unsigned)(group[i] * 300);
        atomicAdd(&sums[g], value[i]);
        atomicAdd(&members[g], 1u);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 300; i += blockDim.x)
        out[blockIdx.x * 300 + i] = members[i] ? sums[i] / (float)members[i] : 0;
}
static void run_group_sums(const struct times_io *io)
{
    group_sums<<<264, 256>>>(io->out, io->a, io->b, 1 << 20);
}

/* A stage of a transform of whole numbers modulo 998244353, places 2048 apart. */
__global__ void modular_stage(unsigned *out, const int *in, const int *powers, unsigned half)
{
    const unsigned modulus = 998244353u, i = GLOBAL_ID, k = i & (half - 1), at = 2 * i - k;
    const unsigned long long w = (unsigned)powers[k] * 211u % modulus;
    const unsigned a = (unsigned)in[at] * 199u;
    const unsigned b = (unsigned)((unsigned)in[at + half] * 223u % modulus * w % modulus);
    const unsigned sum = a + b, difference = a + modulus - b;
    out[at] = sum >= modulus ? sum - modulus : sum;
    out[at + half] = difference >= modulus ? difference - modulus : difference;
}
static void run_modular_stage(const struct times_io *io)
{
    modular_stage<<<4096, 256>>>((unsigned *)io->out, io->index, io->index, 2048);
}

/* Days since 1970 to year, month and day. */
__global__ void civil_dates(int *out, const int *days)
{
    const int z = days[GLOBAL_ID] / 8 + 719468, era = z / 146097, day = z % 146097;
    const int year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    const int rest = day - (365 * year + year / 4 - year / 100), m = (5 * rest + 2) / 153;
    const int month = m < 10 ? m + 3 : m - 9;
    const int full = year + era * 400 + (month <= 2);
    out[GLOBAL_ID] = full * 512 + month * 32 + rest - (153 * m + 2) / 5 + 1;
}
static void run_civil_dates(const struct times_io *io)
{
    civil_dates<<<8192, 256>>>((int *)io->out, io->index);
}

const struct times_case lecture_cases[] = {
    {"axpy_half2", run_axpy_half2, IN_WORDS, 1 << 22},
    {"scale_shorts", run_scale_shorts, IN_WORDS, 3000000},
    {"apply_table", run_apply_table, IN_WORDS, 1 << 20},
    {"unit_vectors", run_unit_vectors, IN_OUT, 1 << 23},
    {"transpose_double", run_transpose_double, IN_DOUT, DOUBLES},
    {"planes_to_points", run_planes_to_points, IN_OUT, 12 * 48 * 56 * 56},
    {"stencil_radius_8", run_stencil_radius_8, IN_OUT, 12000 * 256},
    {"laplace_fourth", run_laplace_fourth, IN_OUT, 2000 * 1000},
    {"advect", run_advect, IN_OUT, 1 << 20},
    {"shallow_water", run_shallow_water, IN_OUT, 3 << 20},
    {"argmax_blocks", run_argmax_blocks, IN_WORDS, 1024},
    {"scan_blelloch", run_scan_blelloch, IN_OUT, 1 << 21},
    {"sort_pairs_warp", run_sort_pairs_warp, IN_WORDS, 1 << 21},
    {"histogram_colours", run_histogram_colours, IN_COUNTS, 768},
    {"haar_rows", run_haar_rows, IN_OUT, 1 << 21},
    {"group_sums", run_group_sums, IN_OUT, 264 * 300},
    {"modular_stage", run_modular_stage, IN_WORDS, 1 << 21},
    {"civil_dates", run_civil_dates, IN_WORDS, 1 << 21},
    {NULL, NULL, IN_OUT, 0}};

/* grids.cu - stencils, products, layers of networks; written and recorded before the model saw
 * them. */
#include "times.h"

/* --- stencils -------------------------------------------------------------------------------- */

/* 27 points of a box of 160 x 160 x 64. */
__global__ void stencil_27(float *out, const float *a, int nx, int ny, int nz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 1, z = blockIdx.z + 1;
    if (x >= nx - 1 || y >= ny - 1 || z >= nz - 1)
        return;
    float sum = 0;
#pragma unroll
    for (int dz = -1; dz <= 1; dz++)
#pragma unroll
        for (int dy = -1; dy <= 1; dy++)
#pragma unroll
            for (int dx = -1; dx <= 1; dx++)
                sum += a[((z + dz) * ny + y + dy) * nx + x + dx] * (1.0f / (1 + dx * dx + dy * dy));
    out[((z - 1) * (ny - 2) + y - 1) * (nx - 2) + x - 1] = sum;
}
static void run_stencil_27(const struct times_io *io)
{
    stencil_27<<<dim3(5, 20, 62), dim3(32, 8)>>>(io->out, io->a, 160, 160, 64);
}

/* Six steps of heat in a tile of shared memory with a rim of six. */
__global__ void heat_steps(float *out, const float *a, int width)
{
    __shared__ float t[2][32][33];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * 20 + tx, y = blockIdx.y * 20 + ty;
    t[0][ty][tx] = a[y * width + x];
    __syncthreads();
    int from = 0;
    for (int step = 0; step < 6; step++, from = 1 - from) {
        if (tx > 0 && tx < 31 && ty > 0 && ty < 31)
            t[1 - from][ty][tx] =
                0.2f * (t[from][ty][tx] + t[from][ty][tx - 1] + t[from][ty][tx + 1] +
                        t[from][ty - 1][tx] + t[from][ty + 1][tx]);
        __syncthreads();
    }
    if (tx >= 6 && tx < 26 && ty >= 6 && ty < 26)
        out[(blockIdx.y * 20 + ty - 6) * (gridDim.x * 20) + blockIdx.x * 20 + tx - 6] =
            t[from][ty][tx];
}
static void run_heat_steps(const struct times_io *io)
{
    heat_steps<<<dim3(40, 40), dim3(32, 32)>>>(io->out, io->a, 1024);
}

/* Upwind differences of second order in double. */
__global__ void upwind_double(double *out, const double *a, int width)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 2;
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 2;
    if (x >= width - 2 || y >= width - 2)
        return;
    const double *p = a + y * width + x, u = p[0] - 0.5;
    const double dx = u > 0 ? 3 * p[0] - 4 * p[-1] + p[-2] : -3 * p[0] + 4 * p[1] - p[2];
    const double dy =
        u > 0 ? 3 * p[0] - 4 * p[-width] + p[-2 * width] : -3 * p[0] + 4 * p[width] - p[2 * width];
    out[(y - 2) * (width - 4) + x - 2] = p[0] - 0.01 * u * (dx + dy);
}
static void run_upwind_double(const struct times_io *io)
{
    upwind_double<<<dim3(32, 128), dim3(32, 8)>>>(io->dout, io->da, 1024);
}

/* Row sums from the left, a block a row, 4 KB of it at a time. */
__global__ void integral_rows(float *out, const float *a, unsigned width)
{
    __shared__ float sums[8];
    const unsigned t = threadIdx.x, lane = t % 32;
    float carry = 0;
    for (unsigned x = t; x < width; x += 256) {
        float v = a[blockIdx.x * width + x];
        for (unsigned step = 1; step < 32; step *= 2) {
            const float other = __shfl_up_sync(~0u, v, step);
            if (lane >= step)
                v += other;
        }
        if (lane == 31)
            sums[t / 32] = v;
        __syncthreads();
        float before = carry;
        for (unsigned w = 0; w < 8; w++) {
            before += w < t / 32 ? sums[w] : 0.0f;
            carry += sums[w];
        }
        __syncthreads();
        out[blockIdx.x * width + x] = v + before;
    }
}
static void run_integral_rows(const struct times_io *io)
{
    integral_rows<<<600, 256>>>(io->out, io->a, 2048);
}

/* Means of 7 x 7, each thread a column of eight results, sums kept. */
__global__ void mean_columns(float *out, const float *a, int width)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * 8;
    float row[7], sum = 0;
#pragma unroll
    for (int k = 0; k < 14; k++) {
        float v = 0;
        for (int dx = 0; dx < 7; dx++)
            v += a[(y + k) * width + x + dx];
        if (k >= 7)
            sum -= row[k % 7];
        row[k % 7] = v;
        sum += v;
        if (k >= 6)
            out[(y + k - 6) * 1024 + x] = sum * (1.0f / 49);
    }
}
static void run_mean_columns(const struct times_io *io)
{
    mean_columns<<<dim3(8, 120), 128>>>(io->out, io->a, 1032);
}

/* --- products -------------------------------------------------------------------------------- */

/* A by the rows of B, tiles of 32 x 32, each thread 2 x 2. */
__global__ void gemm_rows(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[32][33], bs[32][33];
    const int tx = threadIdx.x, ty = threadIdx.y;
    float s00 = 0, s01 = 0, s10 = 0, s11 = 0;
    for (int k0 = 0; k0 < n; k0 += 32) {
        for (int r = ty; r < 32; r += 16)
            for (int q = tx; q < 32; q += 16) {
                as[r][q] = a[(blockIdx.y * 32 + r) * n + k0 + q];
                bs[r][q] = b[(blockIdx.x * 32 + r) * n + k0 + q];
            }
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 32; k++) {
            s00 += as[ty][k] * bs[tx][k], s01 += as[ty][k] * bs[tx + 16][k];
            s10 += as[ty + 16][k] * bs[tx][k], s11 += as[ty + 16][k] * bs[tx + 16][k];
        }
        __syncthreads();
    }
    float *p = c + (blockIdx.y * 32 + ty) * n + blockIdx.x * 32 + tx;
    p[0] = s00, p[16] = s01, p[16 * n] = s10, p[16 * n + 16] = s11;
}
static void run_gemm_rows(const struct times_io *io)
{
    gemm_rows<<<dim3(20, 20), dim3(16, 16)>>>(io->out, io->a, io->b, 640);
}

/* Many products of 8 x 8, a warp two of them: lanes hold rows and exchange them. */
__global__ void small_products(float *c, const float *a, const float *b)
{
    const unsigned lane = threadIdx.x % 32, at = GLOBAL_ID / 32 * 128 + lane * 4;
    const float4 x = *(const float4 *)&a[at], y = *(const float4 *)&b[at];
    float4 s = make_float4(0, 0, 0, 0);
    const unsigned row = lane & ~1u, half = lane & 16;
#pragma unroll
    for (unsigned k = 0; k < 8; k++) {
        const float from = k % 4 == 0 ? x.x : k % 4 == 1 ? x.y : k % 4 == 2 ? x.z : x.w;
        const float m = __shfl_sync(~0u, from, row + k / 4);
        const unsigned source = half + k * 2 + lane % 2;
        s.x += m * __shfl_sync(~0u, y.x, source), s.y += m * __shfl_sync(~0u, y.y, source);
        s.z += m * __shfl_sync(~0u, y.z, source), s.w += m * __shfl_sync(~0u, y.w, source);
    }
    *(float4 *)&c[at] = s;
}
static void run_small_products(const struct times_io *io)
{
    small_products<<<2048, 128>>>(io->out, io->a, io->b);
}

/* A matrix of doubles by a vector, a block of 128 a row. */
__global__ void gemv_double(double *out, const double *a, const double *x, unsigned columns)
{
    __shared__ double part[4];
    double sum = 0;
    for (unsigned c = threadIdx.x; c < columns; c += 128)
        sum += a[blockIdx.x * columns + c] * x[c];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}
static void run_gemv_double(const struct times_io *io)
{
    gemv_double<<<2000, 128>>>(io->dout, io->da, io->da + 5, 1500);
}

/* --- networks -------------------------------------------------------------------------------- */

/* 32 channels mixed to 32 at each point, weights in shared memory. */
__global__ void mix_channels(float *out, const float *a, const float *weights, unsigned points)
{
    __shared__ float w[32][32];
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
        w[i / 32][i % 32] = weights[i];
    __syncthreads();
    const unsigned p = GLOBAL_ID;
    float in[32];
#pragma unroll
    for (int c = 0; c < 32; c++)
        in[c] = a[c * points + p];
#pragma unroll 4
    for (int o = 0; o < 32; o++) {
        float sum = 0;
#pragma unroll
        for (int c = 0; c < 32; c++)
            sum += w[o][c] * in[c];
        out[o * points + p] = sum;
    }
}
static void run_mix_channels(const struct times_io *io)
{
    mix_channels<<<500, 128>>>(io->out, io->a, io->b, 64000);
}

/* Rows of 1000 by a warp, maximum and sum in one pass. */
__global__ void softmax_running(float *out, const float *a, unsigned width)
{
    const unsigned row = GLOBAL_ID / 32, lane = threadIdx.x % 32;
    float most = -1e30f, sum = 0;
    for (unsigned x = lane; x < width; x += 32) {
        const float v = a[row * width + x] * 8, next = fmaxf(most, v);
        sum = sum * __expf(most - next) + __expf(v - next);
        most = next;
    }
    for (int step = 16; step > 0; step /= 2) {
        const float m = __shfl_xor_sync(~0u, most, step), s = __shfl_xor_sync(~0u, sum, step);
        const float next = fmaxf(most, m);
        sum = sum * __expf(most - next) + s * __expf(m - next);
        most = next;
    }
    for (unsigned x = lane; x < width; x += 32)
        out[row * width + x] = __expf(a[row * width + x] * 8 - most) / sum;
}
static void run_softmax_running(const struct times_io *io)
{
    softmax_running<<<500, 128>>>(io->out, io->a, 1000);
}

/* One question to 1024 keys of 64 numbers, a block a head. */
__global__ void attend_once(float *out, const float *q, const float *keys, const float *values)
{
    __shared__ float score[1024], question[64], total[8];
    const unsigned t = threadIdx.x, head = blockIdx.x * 65536;
    if (t < 64)
        question[t] = q[blockIdx.x * 64 + t];
    __syncthreads();
    float sum = 0;
    for (unsigned k = t / 16; k < 1024; k += 16) {
        const float4 v = *(const float4 *)&keys[head + k * 64 + t % 16 * 4];
        const float *p = question + t % 16 * 4;
        float s = v.x * p[0] + v.y * p[1] + v.z * p[2] + v.w * p[3];
        for (int step = 8; step > 0; step /= 2)
            s += __shfl_xor_sync(~0u, s, step, 16);
        s = __expf(s * 0.125f);
        sum += s;
        if (t % 16 == 0)
            score[k] = s;
    }
    sum += __shfl_xor_sync(~0u, sum, 16);
    if (t % 32 == 0)
        total[t / 32] = sum;
    __syncthreads();
    float all = 0, mine = 0;
    for (int w = 0; w < 8; w++)
        all += total[w];
    for (unsigned k = t / 64; k < 1024; k += 4)
        mine += score[k] * values[head + k * 64 + t % 64];
    __syncthreads();
    score[t] = mine;
    __syncthreads();
    if (t < 64)
        out[blockIdx.x * 64 + t] =
            (score[t] + score[t + 64] + score[t + 128] + score[t + 192]) / all;
}
static void run_attend_once(const struct times_io *io)
{
    attend_once<<<200, 256>>>(io->out, io->b, io->a, io->b);
}

/* Rows of 4096: mean, then variance, then the result, the row in shared memory. */
__global__ void normalise_rows(float *out, const float *a)
{
    __shared__ float row[4096], part[8];
    const unsigned t = threadIdx.x;
    float value[2] = {0, 0};
    for (int pass = 0; pass < 2; pass++) {
        float sum = 0;
        for (unsigned x = t; x < 4096; x += 256) {
            const float v = pass == 0 ? a[blockIdx.x * 4096 + x] : row[x] - value[0];
            if (pass == 0)
                row[x] = v;
            sum += pass == 0 ? v : v * v;
        }
        for (int step = 16; step > 0; step /= 2)
            sum += __shfl_xor_sync(~0u, sum, step);
        if (t % 32 == 0)
            part[t / 32] = sum;
        __syncthreads();
        sum = 0;
        for (int w = 0; w < 8; w++)
            sum += part[w];
        value[pass] = sum / 4096;
        __syncthreads();
    }
    for (unsigned x = t; x < 4096; x += 256)
        out[blockIdx.x * 4096 + x] = (row[x] - value[0]) * rsqrtf(value[1] + 1e-5f);
}
static void run_normalise_rows(const struct times_io *io)
{
    normalise_rows<<<1000, 256>>>(io->out, io->a);
}

/* The loss of 64 classes, a thread a sample: strided rows. */
__global__ void class_loss(float *out, const float *a, const int *index, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < 64; k++)
        sum += __expf(a[i * 64 + k]);
    out[i] = __logf(sum) - a[i * 64 + (index[i] & 63)];
}
static void run_class_loss(const struct times_io *io)
{
    class_loss<<<blocks_for(60000, 128), 128>>>(io->out, io->a, io->index, 60000);
}

const struct times_case grids_cases[] = {
    {"stencil_27", run_stencil_27, IN_OUT, 158 * 158 * 62},
    {"heat_steps", run_heat_steps, IN_OUT, 800 * 800},
    {"upwind_double", run_upwind_double, IN_DOUT, 1020 * 1020},
    {"integral_rows", run_integral_rows, IN_OUT, 600 * 2048},
    {"mean_columns", run_mean_columns, IN_OUT, 960 * 1024},
    {"gemm_rows", run_gemm_rows, IN_OUT, 640 * 640},
    {"small_products", run_small_products, IN_OUT, 2048 * 512},
    {"gemv_double", run_gemv_double, IN_DOUT, 2000},
    {"mix_channels", run_mix_channels, IN_OUT, 32 * 64000},
    {"softmax_running", run_softmax_running, IN_OUT, 2000000},
    {"attend_once", run_attend_once, IN_OUT, 200 * 64},
    {"normalise_rows", run_normalise_rows, IN_OUT, 1000 * 4096},
    {"class_loss", run_class_loss, IN_OUT, 60000},
    {NULL, NULL, IN_OUT, 0}};

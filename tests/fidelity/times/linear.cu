/* linear.cu - linear algebra: matrix times vector and matrix, small systems, rows of a network. */
#include "times.h"

/* One thread a row: neighbours are a row apart. */
__global__ void gemv_thread_per_row(float *out, const float *a, const float *x, unsigned n)
{
    unsigned row = GLOBAL_ID;
    float sum = 0;
    for (unsigned k = 0; k < n; k++)
        sum += a[(size_t)row * n + k] * x[k];
    out[row] = sum;
}
static void run_gemv_thread_per_row(const struct times_io *io)
{
    gemv_thread_per_row<<<2048 / 128, 128>>>(io->out, io->a, io->b, 1024);
}

__global__ void gemv_warp_per_row(float *out, const float *a, const float *x, unsigned n)
{
    unsigned row = GLOBAL_ID / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (unsigned k = lane; k < n; k += 32)
        sum += a[(size_t)row * n + k] * x[k];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (lane == 0)
        out[row] = sum;
}
static void run_gemv_warp_per_row(const struct times_io *io)
{
    gemv_warp_per_row<<<4096 * 32 / 256, 256>>>(io->out, io->a, io->b, 4096);
}

/* The matrix lies by columns: neighbours read neighbours, few threads. */
__global__ void gemv_columns(float *out, const float *a, const float *x, unsigned rows, unsigned n)
{
    unsigned row = GLOBAL_ID;
    float sum = 0;
    for (unsigned k = 0; k < n; k++)
        sum += a[(size_t)k * rows + row] * x[k];
    out[row] = sum;
}
static void run_gemv_columns(const struct times_io *io)
{
    gemv_columns<<<16384 / 128, 128>>>(io->out, io->a, io->b, 16384, 512);
}

__global__ void matmul_plain(float *c, const float *a, const float *b, unsigned n)
{
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (unsigned k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
static void run_matmul_plain(const struct times_io *io)
{
    matmul_plain<<<dim3(512 / 32, 512 / 8), dim3(32, 8)>>>(io->out, io->a, io->b, 512);
}

template <int T> __global__ void matmul_tile(float *c, const float *a, const float *b, unsigned n)
{
    __shared__ float as[T][T], bs[T][T];
    unsigned column = blockIdx.x * T + threadIdx.x, row = blockIdx.y * T + threadIdx.y;
    float sum = 0;
    for (unsigned phase = 0; phase < n; phase += T) {
        as[threadIdx.y][threadIdx.x] = a[row * n + phase + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(phase + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < T; k++)
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
static void run_matmul_tile_8(const struct times_io *io)
{
    matmul_tile<8><<<dim3(512 / 8, 512 / 8), dim3(8, 8)>>>(io->out, io->a, io->b, 512);
}
static void run_matmul_tile_16(const struct times_io *io)
{
    matmul_tile<16><<<dim3(768 / 16, 768 / 16), dim3(16, 16)>>>(io->out, io->a, io->b, 768);
}
static void run_matmul_tile_32(const struct times_io *io)
{
    matmul_tile<32><<<dim3(1024 / 32, 1024 / 32), dim3(32, 32)>>>(io->out, io->a, io->b, 1024);
}

/* 64 x 64 of the result a block of 256 threads, 4 x 4 of them in the registers of each. */
__global__ void matmul_registers(float *c, const float *a, const float *b, unsigned n)
{
    __shared__ float as[16][64], bs[16][64];
    unsigned tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    unsigned row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
    float sum[4][4] = {};
    for (unsigned phase = 0; phase < n; phase += 16) {
        for (unsigned i = threadIdx.x; i < 1024; i += 256) {
            as[i % 16][i / 16] = a[(row0 + i / 16) * n + phase + i % 16];
            bs[i / 64][i % 64] = b[(phase + i / 64) * n + column0 + i % 64];
        }
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            float x[4], y[4];
            for (int i = 0; i < 4; i++) {
                x[i] = as[k][ty * 4 + i];
                y[i] = bs[k][tx * 4 + i];
            }
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(row0 + ty * 4 + i) * n + column0 + tx * 4 + j] = sum[i][j];
}
static void run_matmul_registers(const struct times_io *io)
{
    matmul_registers<<<dim3(1024 / 64, 1024 / 64), 256>>>(io->out, io->a, io->b, 1024);
}
/* Fewer blocks than multiprocessors. */
static void run_matmul_registers_small(const struct times_io *io)
{
    matmul_registers<<<dim3(448 / 64, 448 / 64), 256>>>(io->out, io->a, io->b, 448);
}

__global__ void matmul_tile_double(double *c, const double *a, unsigned n)
{
    __shared__ double as[16][16], bs[16][16];
    unsigned column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    double sum = 0;
    for (unsigned phase = 0; phase < n; phase += 16) {
        as[threadIdx.y][threadIdx.x] = a[row * n + phase + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = a[(phase + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
static void run_matmul_tile_double(const struct times_io *io)
{
    matmul_tile_double<<<dim3(640 / 16, 640 / 16), dim3(16, 16)>>>(io->dout, io->da, 640);
}

/* 65,536 products of 8 x 8 matrices, one block of 64 threads each. */
__global__ void matmul_batched_8(float *c, const float *a, const float *b)
{
    __shared__ float as[64], bs[64];
    unsigned t = threadIdx.x, at = blockIdx.x * 64 + t;
    as[t] = a[at];
    bs[t] = b[at];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += as[t / 8 * 8 + k] * bs[k * 8 + t % 8];
    c[at] = sum;
}
static void run_matmul_batched_8(const struct times_io *io)
{
    matmul_batched_8<<<65536, 64>>>(io->out, io->a, io->b);
}

__global__ void outer_product(float *out, const float *x, const float *y, unsigned n)
{
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    out[(size_t)row * n + column] = x[row] * y[column];
}
static void run_outer_product(const struct times_io *io)
{
    outer_product<<<dim3(4096 / 256, 4096), 256>>>(io->out, io->a, io->b, 4096);
}

__global__ void dot_blocks(float *out, const float *a, const float *b, unsigned n)
{
    __shared__ float part[256];
    float sum = 0;
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x)
        sum += a[i] * b[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}
static void run_dot_blocks(const struct times_io *io)
{
    dot_blocks<<<132 * 16, 256>>>(io->out, io->a, io->b, FLOATS);
}

/* a^T a of 262,144 rows of 16: each block sums its own part of the rows. */
__global__ void gram_16(float *out, const float *a, unsigned rows)
{
    __shared__ float tile[32][17];
    unsigned i = threadIdx.x / 16, j = threadIdx.x % 16;
    float sum = 0;
    for (unsigned row = blockIdx.x * 32; row < rows; row += gridDim.x * 32) {
        for (unsigned k = threadIdx.x; k < 512; k += 256)
            tile[k / 16][k % 16] = a[row * 16 + k];
        __syncthreads();
        for (unsigned k = 0; k < 32; k++)
            sum += tile[k][i] * tile[k][j];
        __syncthreads();
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
static void run_gram_16(const struct times_io *io)
{
    gram_16<<<264, 256>>>(io->out, io->a, 262144);
}

/* Forward substitution, a block a system of 256 unknowns: one unknown after the other. */
__global__ void triangular_solve(float *out, const float *l, const float *b)
{
    __shared__ float x[256];
    unsigned row = threadIdx.x;
    float left = b[blockIdx.x * 256 + row];
    for (unsigned k = 0; k < 256; k++) {
        if (row == k)
            x[k] = left / (2.0f + l[k * 256 + k]);
        __syncthreads();
        if (row > k)
            left -= l[k * 256 + row] * x[k] * 0.0625f;
    }
    out[blockIdx.x * 256 + row] = x[row];
}
static void run_triangular_solve(const struct times_io *io)
{
    triangular_solve<<<264, 256>>>(io->out, io->a, io->b);
}

/* Elimination without pivoting, a warp a matrix of 32 x 32, a lane a column. */
__global__ void lu_warp(float *out, const float *a)
{
    __shared__ float m[4][32][33];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    size_t at = ((size_t)blockIdx.x * 4 + warp) * 1024;
    for (unsigned i = 0; i < 32; i++)
        m[warp][i][lane] = a[at + i * 32 + lane] + (i == lane ? 32.0f : 0.0f);
    __syncwarp();
    for (unsigned k = 0; k < 31; k++) {
        if (lane > k) {
            float factor = m[warp][lane][k] / m[warp][k][k];
            m[warp][lane][k] = factor;
            for (unsigned j = k + 1; j < 32; j++)
                m[warp][lane][j] -= factor * m[warp][k][j];
        }
        __syncwarp();
    }
    for (unsigned i = 0; i < 32; i++)
        out[at + i * 32 + lane] = m[warp][i][lane];
}
static void run_lu_warp(const struct times_io *io) { lu_warp<<<1024, 128>>>(io->out, io->a); }

/* A block a row of 2048: largest, sum of exponentials, quotient. */
__global__ void softmax_rows(float *out, const float *a)
{
    __shared__ float part[256];
    const float *row = a + (size_t)blockIdx.x * 2048;
    float v[8], most = -1e30f, sum = 0;
    for (int i = 0; i < 8; i++) {
        v[i] = row[threadIdx.x + 256 * i];
        most = fmaxf(most, v[i]);
    }
    part[threadIdx.x] = most;
    __syncthreads();
    for (unsigned half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
        __syncthreads();
    }
    most = part[0];
    __syncthreads();
    for (int i = 0; i < 8; i++)
        sum += v[i] = __expf(v[i] - most);
    part[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        out[(size_t)blockIdx.x * 2048 + threadIdx.x + 256 * i] = v[i] / part[0];
}
static void run_softmax_rows(const struct times_io *io)
{
    softmax_rows<<<4096, 256>>>(io->out, io->a);
}

/* A warp a row of 512: mean and variance through shuffles. */
__global__ void layernorm_warp(float *out, const float *a)
{
    unsigned row = GLOBAL_ID / 32, lane = threadIdx.x % 32;
    float v[16], sum = 0, squares = 0;
    for (int i = 0; i < 16; i++) {
        v[i] = a[row * 512 + lane + 32 * i];
        sum += v[i];
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    for (int i = 0; i < 16; i++)
        squares += (v[i] - sum / 512) * (v[i] - sum / 512);
    for (int offset = 16; offset > 0; offset /= 2)
        squares += __shfl_xor_sync(0xffffffffu, squares, offset);
    float scale = rsqrtf(squares / 512 + 1e-5f);
    for (int i = 0; i < 16; i++)
        out[row * 512 + lane + 32 * i] = (v[i] - sum / 512) * scale + 1.0f;
}
static void run_layernorm_warp(const struct times_io *io)
{
    layernorm_warp<<<16384 * 32 / 256, 256>>>(io->out, io->a);
}

/* Sparse only by place: a matrix with 17 diagonals. */
__global__ void banded_matvec(float *out, const float *bands, const float *x, unsigned n)
{
    unsigned row = GLOBAL_ID;
    float sum = 0;
    for (int d = -8; d <= 8; d++) {
        int column = (int)row + d;
        if (column >= 0 && column < (int)n)
            sum += bands[(size_t)(d + 8) * n + row] * x[column];
    }
    out[row] = sum;
}
static void run_banded_matvec(const struct times_io *io)
{
    banded_matvec<<<(1 << 19) / 256, 256>>>(io->out, io->a, io->b, 1 << 19);
}

const struct times_case linear_cases[] = {
    {"gemv_thread_per_row", run_gemv_thread_per_row, IN_OUT, 2048},
    {"gemv_warp_per_row", run_gemv_warp_per_row, IN_OUT, 4096},
    {"gemv_columns", run_gemv_columns, IN_OUT, 16384},
    {"matmul_plain", run_matmul_plain, IN_OUT, 512 * 512},
    {"matmul_tile_8", run_matmul_tile_8, IN_OUT, 512 * 512},
    {"matmul_tile_16", run_matmul_tile_16, IN_OUT, 768 * 768},
    {"matmul_tile_32", run_matmul_tile_32, IN_OUT, 1024 * 1024},
    {"matmul_registers", run_matmul_registers, IN_OUT, 1024 * 1024},
    {"matmul_registers_small", run_matmul_registers_small, IN_OUT, 448 * 448},
    {"matmul_tile_double", run_matmul_tile_double, IN_DOUT, 640 * 640},
    {"matmul_batched_8", run_matmul_batched_8, IN_OUT, 65536 * 64},
    {"outer_product", run_outer_product, IN_OUT, FLOATS},
    {"dot_blocks", run_dot_blocks, IN_OUT, 132 * 16},
    {"gram_16", run_gram_16, IN_OUT, 264 * 256},
    {"triangular_solve", run_triangular_solve, IN_OUT, 264 * 256},
    {"lu_warp", run_lu_warp, IN_OUT, 4096 * 1024},
    {"softmax_rows", run_softmax_rows, IN_OUT, 4096 * 2048},
    {"layernorm_warp", run_layernorm_warp, IN_OUT, 16384 * 512},
    {"banded_matvec", run_banded_matvec, IN_OUT, 1 << 19},
    {NULL, NULL, IN_OUT, 0}};

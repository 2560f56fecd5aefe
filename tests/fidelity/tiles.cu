/* tiles.cu - small whole algorithms: products, transposes, sums of rows and columns.
 *
 * Integers, so that every order of summation gives the same result. In the tiled products ptxas
 * merges neighbouring shared loads on purpose: README.md says when. */
#include "tests/fidelity/fidelity.h"

enum { M = 40, N = 56, K = 72 };

__global__ void product_naive(uint32_t *c, const uint32_t *a, const uint32_t *b)
{
    unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && column < N) {
        uint32_t sum = 0;
        for (unsigned k = 0; k < K; k++) {
            sum += a[row * K + k] * b[k * N + column];
        }
        c[row * N + column] = sum;
    }
}

__global__ void product_column_mapped(uint32_t *c, const uint32_t *a, const uint32_t *b)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < N) {
        uint32_t sum = 0;
        for (unsigned k = 0; k < K; k++) {
            sum += a[row * K + k] * b[k * N + column];
        }
        c[row * N + column] = sum;
    }
}

template <int TILE> __global__ void product_tiled(uint32_t *c, const uint32_t *a, const uint32_t *b)
{
    __shared__ uint32_t as[TILE][TILE], bs[TILE][TILE];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    unsigned row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    uint32_t sum = 0;
    for (unsigned k0 = 0; k0 < K; k0 += TILE) {
        as[ty][tx] = row < M && k0 + tx < K ? a[row * K + k0 + tx] : 0;
        bs[ty][tx] = k0 + ty < K && column < N ? b[(k0 + ty) * N + column] : 0;
        __syncthreads();
        for (unsigned k = 0; k < TILE; k++) {
            sum += as[ty][k] * bs[k][tx];
        }
        __syncthreads();
    }
    if (row < M && column < N) {
        c[row * N + column] = sum;
    }
}

/* The same in float, with small whole numbers, as the lessons have it. */
template <int TILE>
__global__ void product_tiled_float(float *c, const uint32_t *a, const uint32_t *b)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    unsigned row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    float sum = 0;
    for (unsigned k0 = 0; k0 < K; k0 += TILE) {
        as[ty][tx] = row < M && k0 + tx < K ? (float)(a[row * K + k0 + tx] & 255) : 0;
        bs[ty][tx] = k0 + ty < K && column < N ? (float)(b[(k0 + ty) * N + column] & 255) : 0;
        __syncthreads();
        for (unsigned k = 0; k < TILE; k++) {
            sum += as[ty][k] * bs[k][tx];
        }
        __syncthreads();
    }
    if (row < M && column < N) {
        c[row * N + column] = sum;
    }
}

/* Each thread computes 2 x 2 results from registers. */
__global__ void product_two_by_two(uint32_t *c, const uint32_t *a, const uint32_t *b)
{
    __shared__ uint32_t as[8][33], bs[8][32];
    unsigned tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx; /* 16 x 16 threads, 32 x 32 */
    uint32_t sum[2][2] = {{0, 0}, {0, 0}};
    for (unsigned k0 = 0; k0 < 64; k0 += 8) {
        as[t % 8][t / 8] = a[(blockIdx.y * 32 + t / 8) * 64 + k0 + t % 8];
        bs[t / 32][t % 32] = b[(k0 + t / 32) * 64 + blockIdx.x * 32 + t % 32];
        __syncthreads();
        for (unsigned k = 0; k < 8; k++) {
            uint32_t a0 = as[k][2 * ty], a1 = as[k][2 * ty + 1];
            uint32_t b0 = bs[k][2 * tx], b1 = bs[k][2 * tx + 1];
            sum[0][0] += a0 * b0;
            sum[0][1] += a0 * b1;
            sum[1][0] += a1 * b0;
            sum[1][1] += a1 * b1;
        }
        __syncthreads();
    }
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned j = 0; j < 2; j++) {
            c[(blockIdx.y * 32 + 2 * ty + i) * 64 + blockIdx.x * 32 + 2 * tx + j] = sum[i][j];
        }
    }
}

static void run_naive(const struct fidelity_io *io, int)
{
    const uint32_t *in = (const uint32_t *)io->in;
    product_naive<<<dim3(4, 3), dim3(16, 16)>>>((uint32_t *)io->out, in, in + 8192);
}

static void run_column_mapped(const struct fidelity_io *io, int)
{
    const uint32_t *in = (const uint32_t *)io->in;
    product_column_mapped<<<dim3(3, 4), dim3(16, 16)>>>((uint32_t *)io->out, in, in + 8192);
}

template <int TILE> static void run_tiled(const struct fidelity_io *io, int)
{
    const uint32_t *in = (const uint32_t *)io->in;
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    product_tiled<TILE><<<grid, dim3(TILE, TILE)>>>((uint32_t *)io->out, in, in + 8192);
}

template <int TILE> static void run_tiled_float(const struct fidelity_io *io, int)
{
    const uint32_t *in = (const uint32_t *)io->in;
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    product_tiled_float<TILE><<<grid, dim3(TILE, TILE)>>>((float *)io->out, in, in + 8192);
}

static void run_two_by_two(const struct fidelity_io *io, int)
{
    const uint32_t *in = (const uint32_t *)io->in;
    product_two_by_two<<<dim3(2, 2), dim3(16, 16)>>>((uint32_t *)io->out, in, in + 8192);
}

/* --- transposes of 96 x 64 ---------------------------------------------------------------------*/

enum { WIDTH = 96, HEIGHT = 64 };

__global__ void transpose_naive(uint32_t *out, const uint32_t *in)
{
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8) {
        out[x * HEIGHT + y + j] = in[(y + j) * WIDTH + x];
    }
}

template <int PITCH> __global__ void transpose_tile(uint32_t *out, const uint32_t *in)
{
    __shared__ uint32_t tile[32][PITCH];
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8) {
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * WIDTH + x];
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8) {
        out[(y + j) * HEIGHT + x] = tile[threadIdx.x][threadIdx.y + j];
    }
}

/* --- a matrix times a vector, both ways --------------------------------------------------------*/

__global__ void row_per_thread(uint32_t *out, const uint32_t *in)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t sum = 0;
    if (row < HEIGHT) {
        for (unsigned k = 0; k < WIDTH; k++) {
            sum += in[row * WIDTH + k] * in[20000 + k];
        }
        out[row] = sum;
    }
}

__global__ void column_per_thread(uint32_t *out, const uint32_t *in)
{
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t sum = 0;
    if (column < WIDTH) {
        for (unsigned k = 0; k < HEIGHT; k++) {
            sum += in[k * WIDTH + column] * in[20000 + k];
        }
        out[column] = sum;
    }
}

__global__ void warp_per_row(uint32_t *out, const uint32_t *in)
{
    unsigned row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    uint32_t sum = 0;
    for (unsigned k = lane; k < WIDTH; k += 32) {
        sum += in[row * WIDTH + k] * in[20000 + k];
    }
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    }
    if (lane == 0) {
        out[row] = sum;
    }
}

typedef void plain_kernel(uint32_t *, const uint32_t *);

template <plain_kernel *KERNEL> static void run_transpose(const struct fidelity_io *io, int)
{
    KERNEL<<<dim3(WIDTH / 32, HEIGHT / 32), dim3(32, 8)>>>((uint32_t *)io->out,
                                                           (const uint32_t *)io->in);
}

template <plain_kernel *KERNEL, int BLOCKS, int THREADS>
static void run_rows(const struct fidelity_io *io, int)
{
    KERNEL<<<BLOCKS, THREADS>>>((uint32_t *)io->out, (const uint32_t *)io->in);
}

const struct fidelity_family tile_families[] = {
    {"product_naive", run_naive, 0, 0},
    {"product_column_mapped", run_column_mapped, 0, 0},
    {"product_tiled_8", run_tiled<8>, 0, 0},
    {"product_tiled_16", run_tiled<16>, 0, 0},
    {"product_tiled_32", run_tiled<32>, 0, 0},
    {"product_tiled_float_16", run_tiled_float<16>, 0, 0},
    {"product_tiled_float_32", run_tiled_float<32>, 0, 0},
    {"product_two_by_two", run_two_by_two, 0, 0},
    {"transpose_naive", run_transpose<transpose_naive>, 0, 0},
    {"transpose_tile", run_transpose<transpose_tile<32>>, 0, 0},
    {"transpose_tile_padded", run_transpose<transpose_tile<33>>, 0, 0},
    {"row_per_thread", run_rows<row_per_thread, 2, 48>, 0, 0},
    {"column_per_thread", run_rows<column_per_thread, 2, 64>, 0, 0},
    {"warp_per_row", run_rows<warp_per_row, 16, 128>, 0, 0},
    {NULL, NULL, 0, 0},
};

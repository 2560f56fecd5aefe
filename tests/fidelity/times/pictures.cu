/* pictures.cu - stencils in three dimensions, filters of pictures, textures and sweeps; written and
 * recorded before the model saw them. */
#include "times.h"

/* --- three dimensions ------------------------------------------------------------------------ */

/* Seven points, 8 x 8 x 8 a block, with a halo in shared memory. */
__global__ void stencil_3d_halo(float *out, const float *a, unsigned nx, unsigned ny, unsigned nz)
{
    __shared__ float tile[10][10][10];
    const unsigned t = threadIdx.x + 8 * (threadIdx.y + 8 * threadIdx.z);
    const unsigned x0 = blockIdx.x * 8, y0 = blockIdx.y * 8, z0 = blockIdx.z * 8;
    for (unsigned i = t; i < 1000; i += 512) {
        const unsigned x = min(max(x0 + i % 10, 1u) - 1, nx - 1);
        const unsigned y = min(max(y0 + i / 10 % 10, 1u) - 1, ny - 1);
        const unsigned z = min(max(z0 + i / 100, 1u) - 1, nz - 1);
        tile[i / 100][i / 10 % 10][i % 10] = a[(z * ny + y) * nx + x];
    }
    __syncthreads();
    const unsigned x = threadIdx.x + 1, y = threadIdx.y + 1, z = threadIdx.z + 1;
    out[((z0 + z - 1) * ny + y0 + y - 1) * nx + x0 + x - 1] =
        0.4f * tile[z][y][x] + 0.1f * (tile[z][y][x - 1] + tile[z][y][x + 1] + tile[z][y - 1][x] +
                                       tile[z][y + 1][x] + tile[z - 1][y][x] + tile[z + 1][y][x]);
}
static void run_stencil_3d_halo(const struct times_io *io)
{
    stencil_3d_halo<<<dim3(32, 32, 8), dim3(8, 8, 8)>>>(io->out, io->a, 256, 256, 64);
}

/* A star of 25 points as for waves in rock: a plane in shared memory, a column in registers. */
__global__ void star_25(float *out, const float *a, unsigned nx, unsigned ny, unsigned nz)
{
    __shared__ float plane[16 + 8][32 + 8];
    const unsigned x = blockIdx.x * 32 + threadIdx.x + 4, y = blockIdx.y * 16 + threadIdx.y + 4;
    const unsigned tx = threadIdx.x + 4, ty = threadIdx.y + 4, step = nx * ny;
    float column[9];
    for (unsigned k = 0; k < 8; k++)
        column[k + 1] = a[k * step + y * nx + x];
    for (unsigned z = 4; z < nz - 4; z++) {
        for (int k = 0; k < 8; k++)
            column[k] = column[k + 1];
        column[8] = a[(z + 4) * step + y * nx + x];
        __syncthreads();
        plane[ty][tx] = column[4];
        if (threadIdx.y < 4) {
            plane[threadIdx.y][tx] = a[z * step + (y - 4) * nx + x];
            plane[ty + 16][tx] = a[z * step + (y + 16) * nx + x];
        }
        if (threadIdx.x < 4) {
            plane[ty][threadIdx.x] = a[z * step + y * nx + x - 4];
            plane[ty][tx + 32] = a[z * step + y * nx + x + 32];
        }
        __syncthreads();
        float sum = 0.5f * column[4];
        for (int r = 1; r <= 4; r++)
            sum += 0.1f / r *
                   (column[4 - r] + column[4 + r] + plane[ty][tx - r] + plane[ty][tx + r] +
                    plane[ty - r][tx] + plane[ty + r][tx]);
        out[((z - 4) * 256 + y - 4) * 256 + x - 4] = sum;
    }
}
static void run_star_25(const struct times_io *io)
{
    star_25<<<dim3(8, 16), dim3(32, 16)>>>(io->out, io->a, 264, 264, 40);
}

/* Eight of a fine grid's points to one of a coarse one, in FP64. */
__global__ void coarsen_double(double *out, const double *a, unsigned n)
{
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    double sum = 0;
    for (unsigned dz = 0; dz < 2; dz++)
        for (unsigned dy = 0; dy < 2; dy++)
            for (unsigned dx = 0; dx < 2; dx++)
                sum += a[((2 * z + dz) * 2 * n + 2 * y + dy) * 2 * n + 2 * x + dx];
    out[(z * n + y) * n + x] = sum * 0.125;
}
static void run_coarsen_double(const struct times_io *io)
{
    coarsen_double<<<dim3(1, 64, 64), 64>>>(io->dout, io->da, 64);
}

/* --- filters --------------------------------------------------------------------------------- */

#define SEVEN(v) (v), (v) + 0.01f, (v) + 0.02f, (v) + 0.05f, (v) + 0.02f, (v) + 0.01f, (v)
__constant__ float filter_49[49] = {SEVEN(0.01f), SEVEN(0.02f), SEVEN(0.03f), SEVEN(0.05f),
                                    SEVEN(0.03f), SEVEN(0.02f), SEVEN(0.01f)};
__constant__ float filter_17[17] = {0.01f, 0.02f, 0.03f, 0.04f, 0.05f, 0.06f, 0.07f, 0.08f, 0.28f,
                                    0.08f, 0.07f, 0.06f, 0.05f, 0.04f, 0.03f, 0.02f, 0.01f};

/* Seven by seven from constant memory, pixels through L1. */
__global__ void filter_7x7(float *out, const float *a, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int dy = -3; dy <= 3; dy++)
        for (int dx = -3; dx <= 3; dx++)
            sum += filter_49[(dy + 3) * 7 + dx + 3] *
                   a[min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)];
    out[y * width + x] = sum;
}
static void run_filter_7x7(const struct times_io *io)
{
    filter_7x7<<<dim3(64, 128), dim3(16, 8)>>>(io->out, io->a, 1024, 1024);
}

/* Columns of a picture: 17 weights, eight pixels a thread, a tile of 80 rows in shared memory. */
__global__ void filter_columns(float *out, const float *a, unsigned width)
{
    __shared__ float tile[80][16];
    const unsigned x = blockIdx.x * 16 + threadIdx.x, y0 = blockIdx.y * 64;
    for (unsigned r = threadIdx.y; r < 80; r += 8)
        tile[r][threadIdx.x] = a[(y0 + r) * width + x];
    __syncthreads();
    for (unsigned r = threadIdx.y; r < 64; r += 8) {
        float sum = 0;
        for (unsigned k = 0; k < 17; k++)
            sum += filter_17[k] * tile[r + k][threadIdx.x];
        out[(y0 + r) * width + x] = sum;
    }
}
static void run_filter_columns(const struct times_io *io)
{
    filter_columns<<<dim3(128, 32), dim3(16, 8)>>>(io->out, io->a, 2048);
}

/* The smallest of nine bytes, four pixels in a word. */
__global__ void erode_bytes(unsigned *out, const unsigned *a, unsigned words, unsigned height)
{
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x == 0 || x + 1 >= words || y == 0 || y + 1 >= height) {
        if (x < words)
            out[y * words + x] = 0;
        return;
    }
    unsigned low = ~0u;
    for (unsigned r = y - 1; r <= y + 1; r++) {
        const unsigned before = a[r * words + x - 1], at = a[r * words + x];
        const unsigned behind = a[r * words + x + 1];
        low = __vminu4(low, at);
        low = __vminu4(low, __funnelshift_l(before, at, 8));
        low = __vminu4(low, __funnelshift_r(at, behind, 8));
    }
    out[y * words + x] = low >> 1;
}
static void run_erode_bytes(const struct times_io *io)
{
    erode_bytes<<<dim3(4, 1080), 128>>>((unsigned *)io->out, (const unsigned *)io->a, 480, 1080);
}

/* Corners: products of differences, summed over 5 x 5, of a tile with its halo. */
__global__ void corners(float *out, const float *a, int width)
{
    __shared__ float xx[20][20], xy[20][20], yy[20][20];
    const int x0 = blockIdx.x * 16, y0 = blockIdx.y * 16;
    for (int i = threadIdx.y * 16 + threadIdx.x; i < 400; i += 256) {
        const int x = x0 + i % 20 + 1, y = y0 + i / 20 + 1;
        const float dx = a[y * width + x + 1] - a[y * width + x - 1];
        const float dy = a[(y + 1) * width + x] - a[(y - 1) * width + x];
        xx[i / 20][i % 20] = dx * dx;
        xy[i / 20][i % 20] = dx * dy;
        yy[i / 20][i % 20] = dy * dy;
    }
    __syncthreads();
    float p = 0, q = 0, r = 0;
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 5; x++) {
            p += xx[threadIdx.y + y][threadIdx.x + x];
            q += xy[threadIdx.y + y][threadIdx.x + x];
            r += yy[threadIdx.y + y][threadIdx.x + x];
        }
    out[(y0 + threadIdx.y) * 1024 + x0 + threadIdx.x] = p * r - q * q - 0.04f * (p + r) * (p + r);
}
static void run_corners(const struct times_io *io)
{
    corners<<<dim3(64, 48), dim3(16, 16)>>>(io->out, io->a, 1030);
}

/* --- textures -------------------------------------------------------------------------------- */

static cudaTextureObject_t texture_of(const float *a, size_t width, size_t height,
                                      enum cudaTextureFilterMode filter)
{
    cudaTextureObject_t texture;
    struct cudaResourceDesc resource = {};
    struct cudaTextureDesc how = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = (void *)a;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = width * sizeof(float);
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = filter;
    CUDA_CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    return texture;
}

/* A picture one and a half times as large, between four pixels each. */
__global__ void resize_texture(float *out, cudaTextureObject_t from, unsigned width)
{
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * width + x] =
        tex2D<float>(from, ((float)x + 0.5f) * (2 / 3.0f), ((float)y + 0.5f) * (2 / 3.0f));
}
static void run_resize_texture(const struct times_io *io)
{
    const cudaTextureObject_t from = texture_of(io->a, 1024, 1024, cudaFilterModeLinear);
    resize_texture<<<dim3(48, 96), dim3(32, 16)>>>(io->out, from, 1536);
    CUDA_CHECK(cudaDestroyTextureObject(from));
}

/* Turned by 30 degrees, the nearest pixel. */
__global__ void turn_texture(float *out, cudaTextureObject_t from, unsigned width)
{
    const unsigned x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    const float dx = (float)x - 1023.75f, dy = (float)y - 1023.75f;
    out[y * width + x] =
        tex2D<float>(from, 0.8125f * dx - 0.5f * dy + 1024.1f, 0.5f * dx + 0.8125f * dy + 1024.2f);
}
static void run_turn_texture(const struct times_io *io)
{
    const cudaTextureObject_t from = texture_of(io->a, 2048, 2048, cudaFilterModePoint);
    turn_texture<<<dim3(128, 128), dim3(16, 16)>>>(io->out, from, 2048);
    CUDA_CHECK(cudaDestroyTextureObject(from));
}

/* --- sweeps ---------------------------------------------------------------------------------- */

/* Gauss and Seidel's sweeps over tiles of 64 x 64, one diagonal behind the other. */
__global__ void seidel_tiles(float *out, const float *a, int sweeps)
{
    __shared__ float u[66][67];
    const int t = threadIdx.x;
    const float *from = a + blockIdx.x * 4356;
    for (int i = t; i < 4356; i += 64)
        u[i / 66][i % 66] = from[i];
    __syncthreads();
    for (int s = 0; s < sweeps; s++)
        for (int d = 0; d < 127; d++) {
            const int x = d - t;
            if (x >= 0 && x < 64)
                u[t + 1][x + 1] =
                    0.25f * (u[t][x + 1] + u[t + 2][x + 1] + u[t + 1][x] + u[t + 1][x + 2]);
            __syncthreads();
        }
    for (int r = 0; r < 64; r++)
        out[(blockIdx.x * 64 + r) * 64 + t] = u[r + 1][t + 1];
}
static void run_seidel_tiles(const struct times_io *io)
{
    seidel_tiles<<<396, 64>>>(io->out, io->a, 4);
}

/* The cheapest way down through a picture: a row behind the other, one block. */
__global__ void cheapest_seam(float *out, const float *a, int rows)
{
    __shared__ float cost[2][1026];
    const int t = threadIdx.x + 1;
    cost[0][t] = out[t - 1] = a[t - 1];
    if (t <= 2)
        cost[t - 1][0] = cost[t - 1][1025] = 1e30f;
    __syncthreads();
    for (int r = 1; r < rows; r++) {
        const float *before = cost[(r - 1) & 1];
        const float v = a[r * 1024 + t - 1] + fminf(before[t - 1], fminf(before[t], before[t + 1]));
        cost[r & 1][t] = v;
        out[r * 1024 + t - 1] = v;
        __syncthreads();
    }
}
static void run_cheapest_seam(const struct times_io *io)
{
    cheapest_seam<<<1, 1024>>>(io->out, io->a, 500);
}

/* How far the next bright pixel of the column is: down, then up again. */
__global__ void column_distance(float *out, const float *a, int width, int height)
{
    const int x = GLOBAL_ID;
    float far = 1000;
    for (int y = 0; y < height; y++) {
        far = a[y * width + x] > 0.95f ? 0 : far + 1;
        out[y * width + x] = far;
    }
    for (int y = height - 2; y >= 0; y--) {
        far = fminf(out[y * width + x], far + 1);
        out[y * width + x] = far;
    }
}
static void run_column_distance(const struct times_io *io)
{
    column_distance<<<64, 64>>>(io->out, io->a, 4096, 400);
}

const struct times_case picture_cases[] = {
    {"stencil_3d_halo", run_stencil_3d_halo, IN_OUT, 256 * 256 * 64},
    {"star_25", run_star_25, IN_OUT, 256 * 256 * 32},
    {"coarsen_double", run_coarsen_double, IN_DOUT, 64 * 64 * 64},
    {"filter_7x7", run_filter_7x7, IN_OUT, 1024 * 1024},
    {"filter_columns", run_filter_columns, IN_OUT, 2048 * 2048},
    {"erode_bytes", run_erode_bytes, IN_WORDS, 480 * 1080},
    {"corners", run_corners, IN_OUT, 1024 * 768},
    {"resize_texture", run_resize_texture, IN_OUT, 1536 * 1536},
    {"turn_texture", run_turn_texture, IN_OUT, 2048 * 2048},
    {"seidel_tiles", run_seidel_tiles, IN_OUT, 396 * 64 * 64},
    {"cheapest_seam", run_cheapest_seam, IN_OUT, 500 * 1024},
    {"column_distance", run_column_distance, IN_OUT, 4096 * 400},
    {NULL, NULL, IN_OUT, 0}};

/* stencil.cu - neighbours on grids: stencils, filters, cellular automata. */
#include "times.h"

__global__ void stencil_1d(float *out, const float *a, unsigned n)
{
    unsigned i = GLOBAL_ID + 4;
    if (i + 4 < n) {
        float sum = 0;
        for (int d = -4; d <= 4; d++)
            sum += a[(int)i + d];
        out[i - 4] = sum * (1.0f / 9);
    }
}
static void run_stencil_1d(const struct times_io *io)
{
    stencil_1d<<<FLOATS / 4 / 256, 256>>>(io->out, io->a, FLOATS / 4 + 8);
}

/* The same from shared memory, with a halo of four on both sides. */
__global__ void stencil_1d_shared(float *out, const float *a)
{
    __shared__ float tile[256 + 8];
    unsigned i = GLOBAL_ID, t = threadIdx.x;
    tile[t] = a[i];
    if (t < 8)
        tile[256 + t] = a[i + 256];
    __syncthreads();
    float sum = 0;
    for (int d = 0; d < 9; d++)
        sum += tile[t + d];
    out[i] = sum * (1.0f / 9);
}
static void run_stencil_1d_shared(const struct times_io *io)
{
    stencil_1d_shared<<<FLOATS / 4 / 256, 256>>>(io->out, io->a);
}

__global__ void jacobi_2d(float *out, const float *a, unsigned width, unsigned height)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    size_t at = (size_t)y * width + x;
    float v = a[at];
    if (x > 0 && y > 0 && x + 1 < width && y + 1 < height)
        v = 0.25f * (a[at - 1] + a[at + 1] + a[at - width] + a[at + width]);
    out[at] = v;
}
static void run_jacobi_2d(const struct times_io *io)
{
    jacobi_2d<<<dim3(4096 / 32, 2048 / 8), dim3(32, 8)>>>(io->out, io->a, 4096, 2048);
}
static void run_jacobi_2d_square(const struct times_io *io)
{
    jacobi_2d<<<dim3(2048 / 16, 2048 / 16), dim3(16, 16)>>>(io->out, io->a, 2048, 2048);
}

__global__ void jacobi_2d_shared(float *out, const float *a, unsigned width, unsigned height)
{
    __shared__ float tile[18][34];
    int x = (int)(blockIdx.x * 32 + threadIdx.x), y = (int)(blockIdx.y * 16 + threadIdx.y);
    for (unsigned i = threadIdx.y * 32 + threadIdx.x; i < 18 * 34; i += 512) {
        int from_x = (int)(blockIdx.x * 32 + i % 34) - 1,
            from_y = (int)(blockIdx.y * 16 + i / 34) - 1;
        from_x = min(max(from_x, 0), (int)width - 1);
        from_y = min(max(from_y, 0), (int)height - 1);
        tile[i / 34][i % 34] = a[(size_t)from_y * width + from_x];
    }
    __syncthreads();
    unsigned tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    out[(size_t)y * width + x] =
        0.25f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
}
static void run_jacobi_2d_shared(const struct times_io *io)
{
    jacobi_2d_shared<<<dim3(2048 / 32, 2048 / 16), dim3(32, 16)>>>(io->out, io->a, 2048, 2048);
}

__global__ void stencil_3d(float *out, const float *a, unsigned n)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned z = blockIdx.z;
    size_t at = ((size_t)z * n + y) * n + x;
    float v = a[at];
    if (x > 0 && y > 0 && z > 0 && x + 1 < n && y + 1 < n && z + 1 < n)
        v = 0.4f * v + 0.1f * (a[at - 1] + a[at + 1] + a[at - n] + a[at + n] +
                               a[at - (size_t)n * n] + a[at + (size_t)n * n]);
    out[at] = v;
}
static void run_stencil_3d(const struct times_io *io)
{
    stencil_3d<<<dim3(224 / 32, 224 / 8, 224), dim3(32, 8)>>>(io->out, io->a, 224);
}

/* Each thread walks along z and keeps three planes' values in registers. */
__global__ void stencil_3d_march(float *out, const float *a, unsigned n)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    size_t plane = (size_t)n * n, at = (size_t)y * n + x;
    bool inside = x > 0 && y > 0 && x + 1 < n && y + 1 < n;
    float below = a[at], here = a[at + plane];
    out[at] = below;
    for (unsigned z = 1; z + 1 < n; z++) {
        at += plane;
        float above = a[at + plane];
        float v = here;
        if (inside)
            v = 0.4f * here +
                0.1f * (below + above + a[at - 1] + a[at + 1] + a[at - n] + a[at + n]);
        out[at] = v;
        below = here;
        here = above;
    }
}
static void run_stencil_3d_march(const struct times_io *io)
{
    stencil_3d_march<<<dim3(224 / 32, 224 / 4), dim3(32, 4)>>>(io->out, io->a, 224);
}

__constant__ float weights[25] = {1, 2, 3, 2, 1, 2, 4, 6, 4, 2, 3, 6, 9,
                                  6, 3, 2, 4, 6, 4, 2, 1, 2, 3, 2, 1};
__global__ void convolution_5x5(float *out, const float *a, unsigned width, unsigned height)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    float sum = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            int from_x = min(max(x + i, 0), (int)width - 1);
            int from_y = min(max(y + j, 0), (int)height - 1);
            sum += weights[(j + 2) * 5 + i + 2] * a[from_y * width + from_x];
        }
    out[y * width + x] = sum * (1.0f / 81);
}
static void run_convolution_5x5(const struct times_io *io)
{
    convolution_5x5<<<dim3(2048 / 32, 1024 / 8), dim3(32, 8)>>>(io->out, io->a, 2048, 1024);
}

/* A row of weights, once along x, from shared memory: radius 16. */
__global__ void convolution_row(float *out, const float *a, unsigned width)
{
    __shared__ float row[256 + 32];
    int x0 = (int)(blockIdx.x * 256), t = (int)threadIdx.x;
    const float *from = a + (size_t)blockIdx.y * width;
    for (int i = t; i < 288; i += 256)
        row[i] = from[min(max(x0 + i - 16, 0), (int)width - 1)];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 33; i++)
        sum += row[t + i] * weights[i % 25];
    out[(size_t)blockIdx.y * width + x0 + t] = sum;
}
static void run_convolution_row(const struct times_io *io)
{
    convolution_row<<<dim3(2048 / 256, 2048), 256>>>(io->out, io->a, 2048);
}

__global__ void life(float *out, const unsigned char *alive, unsigned width, unsigned height)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned left = x > 0 ? x - 1 : width - 1, right = x + 1 < width ? x + 1 : 0;
    unsigned up = y > 0 ? y - 1 : height - 1, down = y + 1 < height ? y + 1 : 0;
    unsigned rows[3] = {up * width, y * width, down * width}, count = 0;
    for (unsigned row : rows)
        count += (alive[row + left] & 1u) + (alive[row + x] & 1u) + (alive[row + right] & 1u);
    unsigned self = alive[y * width + x] & 1u;
    ((unsigned char *)out)[y * width + x] = count == 3 || (count == 4 && self);
}
static void run_life(const struct times_io *io)
{
    life<<<dim3(2048 / 32, 2048 / 8), dim3(32, 8)>>>(io->out, (const unsigned char *)io->a, 2048,
                                                     2048);
}

/* Two time levels of a wave. */
__global__ void wave_2d(float *out, const float *now, const float *before, unsigned width)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y + 1;
    size_t at = (size_t)y * width + x;
    if (x == 0 || x + 1 >= width) {
        out[at - width] = 0;
        return;
    }
    float around = now[at - 1] + now[at + 1] + now[at - width] + now[at + width];
    out[at - width] = 2 * now[at] - before[at] + 0.2f * (around - 4 * now[at]);
}
static void run_wave_2d(const struct times_io *io)
{
    wave_2d<<<dim3(2048 / 256, 2046), 256>>>(io->out, io->a, io->b, 2048);
}

/* Weights by distance in brightness: an exponential per neighbour. */
__global__ void bilateral(float *out, const float *a, unsigned width, unsigned height)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    float centre = a[y * width + x], sum = 0, total = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            int from_x = (x + i) & (int)(width - 1), from_y = (y + j) & (int)(height - 1);
            float v = a[from_y * width + from_x], d = v - centre;
            float w = __expf(-(float)(i * i + j * j) * 0.125f - d * d * 8.0f);
            sum += w * v;
            total += w;
        }
    out[y * width + x] = sum / total;
}
static void run_bilateral(const struct times_io *io)
{
    bilateral<<<dim3(1024 / 16, 1024 / 16), dim3(16, 16)>>>(io->out, io->a, 1024, 1024);
}

__global__ void sobel(float *out, const float *a, unsigned width)
{
    unsigned x = blockIdx.x * 126 + threadIdx.x, y = blockIdx.y;
    __shared__ float rows[3][128];
    for (unsigned j = 0; j < 3; j++)
        rows[j][threadIdx.x] = a[(size_t)(y + j) * width + x];
    __syncthreads();
    if (threadIdx.x >= 126)
        return;
    unsigned t = threadIdx.x;
    float gx = rows[0][t + 2] + 2 * rows[1][t + 2] + rows[2][t + 2] - rows[0][t] - 2 * rows[1][t] -
               rows[2][t];
    float gy = rows[2][t] + 2 * rows[2][t + 1] + rows[2][t + 2] - rows[0][t] - 2 * rows[0][t + 1] -
               rows[0][t + 2];
    out[(size_t)y * 2016 + x] = sqrtf(gx * gx + gy * gy);
}
static void run_sobel(const struct times_io *io)
{
    sobel<<<dim3(16, 1024), 128>>>(io->out, io->a, 2048);
}

/* A running sum along each row, one thread a row: a long dependent chain, few threads. */
__global__ void box_filter_rows(float *out, const float *a, unsigned width)
{
    const unsigned y = GLOBAL_ID;
    const float *row = a + (size_t)y * width;
    float sum = 0;
    for (unsigned x = 0; x < 16; x++)
        sum += row[x];
    for (unsigned x = 16; x < width; x++) {
        out[(size_t)y * width + x - 16] = sum;
        sum += row[x] - row[x - 16];
    }
    for (unsigned x = width - 16; x < width; x++)
        out[(size_t)y * width + x] = sum;
}
static void run_box_filter_rows(const struct times_io *io)
{
    box_filter_rows<<<2048 / 64, 64>>>(io->out, io->a, 512);
}

/* Lattice Boltzmann, nine streams in and nine out. */
__global__ void lattice_boltzmann(float *out, const float *f, unsigned width, unsigned height)
{
    const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    const size_t cells = (size_t)width * height;
    float in[9], density = 0, ux = 0, uy = 0;
    for (int k = 0; k < 9; k++) {
        unsigned from_x = (x - (unsigned)ex[k]) & (width - 1);
        unsigned from_y = (y - (unsigned)ey[k]) & (height - 1);
        in[k] = f[(size_t)k * cells + from_y * width + from_x] + 0.1f;
        density += in[k];
        ux += (float)ex[k] * in[k];
        uy += (float)ey[k] * in[k];
    }
    ux /= density;
    uy /= density;
    for (int k = 0; k < 9; k++) {
        float weight = k == 0 ? 4.0f / 9 : k < 5 ? 1.0f / 9 : 1.0f / 36;
        float along = 3 * ((float)ex[k] * ux + (float)ey[k] * uy);
        float rest =
            weight * density * (1 + along + 0.5f * along * along - 1.5f * (ux * ux + uy * uy));
        out[(size_t)k * cells + y * width + x] = in[k] + 0.6f * (rest - in[k]);
    }
}
static void run_lattice_boltzmann(const struct times_io *io)
{
    lattice_boltzmann<<<dim3(1024 / 128, 1024), 128>>>(io->out, io->a, 1024, 1024);
}

/* Nineteen exchanges find the middle of nine. */
__device__ static void exchange(float *low, float *high)
{
    float least = fminf(*low, *high);
    *high = fmaxf(*low, *high);
    *low = least;
}
__global__ void median_3x3(float *out, const float *a, unsigned width, unsigned height)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float v[9];
    for (unsigned j = 0; j < 3; j++)
        for (unsigned i = 0; i < 3; i++)
            v[3 * j + i] = a[((y + j) & (height - 1)) * width + ((x + i) & (width - 1))];
#pragma unroll
    for (int round = 0; round < 5; round++)
#pragma unroll
        for (int i = 0; i < 8 - round; i++)
            exchange(&v[i], &v[i + 1]);
    out[y * width + x] = v[4];
}
static void run_median_3x3(const struct times_io *io)
{
    median_3x3<<<dim3(2048 / 256, 2048), 256>>>(io->out, io->a, 2048, 2048);
}

const struct times_case stencil_cases[] = {
    {"stencil_1d", run_stencil_1d, IN_OUT, FLOATS / 4},
    {"stencil_1d_shared", run_stencil_1d_shared, IN_OUT, FLOATS / 4},
    {"jacobi_2d", run_jacobi_2d, IN_OUT, 4096 * 2048},
    {"jacobi_2d_square", run_jacobi_2d_square, IN_OUT, 2048 * 2048},
    {"jacobi_2d_shared", run_jacobi_2d_shared, IN_OUT, 2048 * 2048},
    {"stencil_3d", run_stencil_3d, IN_OUT, 224 * 224 * 224},
    {"stencil_3d_march", run_stencil_3d_march, IN_OUT, 224 * 224 * 223},
    {"convolution_5x5", run_convolution_5x5, IN_OUT, 2048 * 1024},
    {"convolution_row", run_convolution_row, IN_OUT, 2048 * 2048},
    {"life", run_life, IN_OUT, 2048 * 2048 / 4},
    {"wave_2d", run_wave_2d, IN_OUT, 2046 * 2048},
    {"bilateral", run_bilateral, IN_OUT, 1024 * 1024},
    {"sobel", run_sobel, IN_OUT, 2016 * 1024},
    {"box_filter_rows", run_box_filter_rows, IN_OUT, 2048 * 512},
    {"lattice_boltzmann", run_lattice_boltzmann, IN_OUT, 9 * 1024 * 1024},
    {"median_3x3", run_median_3x3, IN_OUT, 2048 * 2048},
    {NULL, NULL, IN_OUT, 0}};

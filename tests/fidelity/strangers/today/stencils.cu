/* stencils.cu - neighbours on grids: queues in registers, tiles over time, lattices, cells as bits. */
#include "today.h"

__global__ void laplace_queue(const float *__restrict__ in, float *__restrict__ out, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    int plane = nx * ny, at = y * nx + x;
    float below = in[at], here = in[at + plane], above;
    for (int z = 1; z < nz - 1; z++) {
        above = in[at + (z + 1) * plane];
        const float *p = in + z * plane + at;
        out[z * plane + at] = p[-1] + p[1] + p[-nx] + p[nx] + below + above - 6.0f * here;
        below = here;
        here = above;
    }
}

/* 8th order along z, nine values in registers, x and y through a tile. */
__global__ void wave_z(const float *u, const float *before, float *next, int nx, int nz)
{
    __shared__ float tile[8 + 8][32 + 8];
    const float c[5] = {-2.847f, 1.6f, -0.2f, 0.0254f, -0.00178f};
    int x = blockIdx.x * 32 + threadIdx.x + 4, y = blockIdx.y * 8 + threadIdx.y + 4, ny = gridDim.y * 8 + 8;
    int plane = nx * ny;
    float q[9];
#pragma unroll
    for (int i = 0; i < 8; i++)
        q[i + 1] = u[i * plane + y * nx + x];
    for (int z = 4; z < nz - 4; z++) {
#pragma unroll
        for (int i = 0; i < 8; i++)
            q[i] = q[i + 1];
        q[8] = u[(z + 4) * plane + y * nx + x];
        __syncthreads();
        tile[threadIdx.y + 4][threadIdx.x + 4] = q[4];
        if (threadIdx.x < 4) {
            tile[threadIdx.y + 4][threadIdx.x] = u[z * plane + y * nx + x - 4];
            tile[threadIdx.y + 4][threadIdx.x + 36] = u[z * plane + y * nx + x + 32];
        }
        if (threadIdx.y < 4) {
            tile[threadIdx.y][threadIdx.x + 4] = u[z * plane + (y - 4) * nx + x];
            tile[threadIdx.y + 12][threadIdx.x + 4] = u[z * plane + (y + 8) * nx + x];
        }
        __syncthreads();
        float sum = 3 * c[0] * q[4];
#pragma unroll
        for (int r = 1; r <= 4; r++)
            sum += c[r] * (q[4 - r] + q[4 + r] + tile[threadIdx.y + 4][threadIdx.x + 4 - r] +
                           tile[threadIdx.y + 4][threadIdx.x + 4 + r] + tile[threadIdx.y + 4 - r][threadIdx.x + 4] +
                           tile[threadIdx.y + 4 + r][threadIdx.x + 4]);
        int i = z * plane + y * nx + x;
        next[i] = 2.0f * q[4] - before[i] + 0.1f * sum;
    }
}

/* Four steps of heat in one tile whose edge shrinks. */
__global__ void heat_in_time(const float *in, float *out, int n)
{
    __shared__ float t[2][24][25];
    int bx = blockIdx.x * 16 - 4, by = blockIdx.y * 16 - 4;
    for (int y = threadIdx.y; y < 24; y += blockDim.y)
        for (int x = threadIdx.x; x < 24; x += blockDim.x) {
            int gx = (bx + x + n) % n, gy = (by + y + n) % n;
            t[0][y][x] = in[gy * n + gx];
        }
    int now = 0;
    for (int step = 1; step <= 4; step++) {
        __syncthreads();
        for (int y = threadIdx.y + step; y < 24 - step; y += blockDim.y)
            for (int x = threadIdx.x + step; x < 24 - step; x += blockDim.x)
                t[now ^ 1][y][x] = 0.2f * (t[now][y][x] + t[now][y - 1][x] + t[now][y + 1][x] + t[now][y][x - 1] +
                                           t[now][y][x + 1]);
        now ^= 1;
    }
    for (int y = threadIdx.y; y < 16; y += blockDim.y)
        out[(by + 4 + y) * n + bx + 4 + threadIdx.x] = t[now][y + 4][threadIdx.x + 4];
}

/* 32 cells of the game of life in a word. */
__global__ void life_words(const unsigned *in, unsigned *out, int words, int rows)
{
    int x = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y;
    unsigned ones = 0, twos = 0, fours = 0;
    for (int dy = -1; dy <= 1; dy++) {
        const unsigned *row = in + ((y + dy + rows) % rows) * words;
        unsigned c = row[x], l = row[(x + words - 1) % words], r = row[(x + 1) % words];
        unsigned shifted[3] = {__funnelshift_l(l, c, 1), dy ? c : 0u, __funnelshift_r(c, r, 1)};
#pragma unroll
        for (int i = 0; i < 3; i++) {
            unsigned carry = ones & shifted[i];
            ones ^= shifted[i];
            fours |= twos & carry;
            twos ^= carry;
        }
    }
    out[y * words + x] = twos & ~fours & (ones | in[y * words + x]);
}

__constant__ int dirx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, diry[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};

__global__ void lattice_step(const float *f, float *g, int nx, int ny, float omega)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, cells = nx * ny;
    float v[9], rho = 0, ux = 0, uy = 0;
    for (int i = 0; i < 9; i++) {
        int sx = (x - dirx[i] + nx) % nx, sy = (y - diry[i] + ny) % ny;
        v[i] = f[i * cells + sy * nx + sx];
        rho += v[i];
        ux += v[i] * dirx[i];
        uy += v[i] * diry[i];
    }
    for (int i = 0; i < 9; i++) {
        float w = i == 0 ? 4.0f / 9 : i < 5 ? 1.0f / 9 : 1.0f / 36, cu = 3 * (dirx[i] * ux + diry[i] * uy);
        float equal = w * (rho + cu + 0.5f * cu * cu - 1.5f * (ux * ux + uy * uy));
        g[i * cells + y * nx + x] = v[i] + omega * (equal - v[i]);
    }
}

__global__ void jacobi_residual(const double *a, double *b, unsigned long long *worst, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y + 1;
    double r = 0;
    if (x < n - 1) {
        double v = 0.25 * (a[y * n + x - 1] + a[y * n + x + 1] + a[(y - 1) * n + x] + a[(y + 1) * n + x]);
        r = fabs(v - a[y * n + x]);
        b[y * n + x] = v;
    }
    if (r > 1e-3)
        atomicMax(worst, __double_as_longlong(r));
}

__global__ void upwind(const float2 *velocity, const float *c, float *out, int nx, float dt)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = blockIdx.y;
    float2 v = velocity[y * nx + x];
    int left = x > 0 ? x - 1 : 0, right = x < nx - 1 ? x + 1 : x;
    float dx = v.x > 0 ? c[y * nx + x] - c[y * nx + left] : c[y * nx + right] - c[y * nx + x];
    out[y * nx + x] = c[y * nx + x] - dt * (v.x * dx + 0.01f * v.y);
}

void run_stencils(void)
{
    float *const in = (float *)d_in, *const out = (float *)d_out;
    RUN(laplace_queue, FLOATS, laplace_queue<<<dim3(2, 4), dim3(32, 8)>>>(in, out, 60, 30, 12));
    RUN(wave_z, FLOATS, wave_z<<<dim3(2, 2), dim3(32, 8)>>>(in, in + 32768, out, 72, 14));
    RUN(heat_in_time, FLOATS, heat_in_time<<<dim3(4, 4), dim3(16, 8)>>>(in, out, 64));
    RUN(life_words, WHOLE, life_words<<<16, dim3(32, 4)>>>(d_in, d_out, 32, 64));
    RUN(lattice_step, FLOATS, lattice_step<<<dim3(2, 8), dim3(32, 4)>>>(in, out, 64, 32, 0.7f));
    RUN(jacobi_residual, SORTED, jacobi_residual<<<dim3(2, 30), 64>>>((double *)d_in, (double *)d_out, (unsigned long long *)d_out + 20000, 100));
    RUN(upwind, FLOATS, upwind<<<dim3(2, 16), 64>>>((float2 *)d_in, in + 8192, out, 128, 0.01f));
}

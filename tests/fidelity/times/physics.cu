/* physics.cu - simulation and linear algebra: fields, particles, paths, small systems. */
#include "times.h"

/* All pairs in double precision, positions by tiles through shared memory. */
__global__ void gravity_double(double *out, const double *p, unsigned n)
{
    __shared__ double tile[3][128];
    const unsigned i = GLOBAL_ID, t = threadIdx.x;
    const double x = p[3 * i], y = p[3 * i + 1], z = p[3 * i + 2];
    double ax = 0, ay = 0, az = 0;
    for (unsigned from = 0; from < n; from += 128) {
        for (unsigned k = 0; k < 3; k++)
            tile[k][t] = p[3 * (from + t) + k];
        __syncthreads();
        for (unsigned j = 0; j < 128; j++) {
            double dx = tile[0][j] - x, dy = tile[1][j] - y, dz = tile[2][j] - z;
            double r2 = dx * dx + dy * dy + dz * dz + 0.01;
            float near = rsqrtf((float)r2);
            double w = (double)near * (double)near * (double)near;
            ax += dx * w, ay += dy * w, az += dz * w;
        }
        __syncthreads();
    }
    out[i] = ax + 2 * ay + 3 * az;
}
static void run_gravity_double(const struct times_io *io)
{
    gravity_double<<<8192 / 128, 128>>>(io->dout, io->da, 2048);
}

/* Electric field from two magnetic ones on a staggered grid. */
__global__ void fdtd_electric(float *ez, const float *hx, const float *hy, unsigned width)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned i = y * width + x;
    if (x == 0 || y == 0) {
        ez[i] = 0;
        return;
    }
    float curl = hy[i] - hy[i - 1] - hx[i] + hx[i - width];
    ez[i] = 0.5f * hx[i + 64] + 0.3f * curl;
}
static void run_fdtd_electric(const struct times_io *io)
{
    fdtd_electric<<<dim3(2048 / 64, 1536 / 4), dim3(64, 4)>>>(io->out, io->a, io->b, 2048);
}

/* A plane in shared memory, the two others in registers, up the z axis. */
__global__ void heat_3d_planes(float *out, const float *a, unsigned width, unsigned depth)
{
    __shared__ float plane[10][34];
    const unsigned tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const unsigned x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty, slab = width * width;
    unsigned i = y * width + x, to = (y - 1) * 224 + x - 1;
    float below = a[i], here = a[i + slab];
    for (unsigned z = 1; z + 1 < depth; z++) {
        float above = a[i + 2 * slab];
        plane[ty][tx] = here;
        if (ty == 1)
            plane[0][tx] = a[i + slab - width], plane[9][tx] = a[i + slab + 8 * width];
        if (tx == 1)
            plane[ty][0] = a[i + slab - 1], plane[ty][33] = a[i + slab + 32];
        __syncthreads();
        out[to] = 0.4f * here + 0.1f * (below + above + plane[ty - 1][tx] + plane[ty + 1][tx] +
                                        plane[ty][tx - 1] + plane[ty][tx + 1]);
        __syncthreads();
        below = here, here = above, i += slab, to += 224 * 224;
    }
}
static void run_heat_3d_planes(const struct times_io *io)
{
    heat_3d_planes<<<dim3(7, 28), dim3(32, 8)>>>(io->out, io->a, 256, 48);
}

/* A tridiagonal system a thread, of 48 unknowns, neighbours in memory belong to neighbours. */
__global__ void thomas(float *x, const float *d, unsigned systems)
{
    unsigned s = GLOBAL_ID;
    float c[48], last = d[s] * 0.25f, ratio = 0.25f;
    c[0] = ratio;
    x[s] = last;
    for (unsigned k = 1; k < 48; k++) {
        float scale = 1.0f / (4.0f - ratio);
        ratio = scale;
        c[k] = ratio;
        last = (d[k * systems + s] - last) * scale;
        x[k * systems + s] = last;
    }
    for (int k = 46; k >= 0; k--) {
        last = x[(unsigned)k * systems + s] - c[k] * last;
        x[(unsigned)k * systems + s] = last;
    }
}
static void run_thomas(const struct times_io *io)
{
    thomas<<<65536 / 128, 128>>>(io->out, io->a, 65536);
}

/* Trailing update of an LU factorisation: a panel of 16 columns times one of 16 rows. */
__global__ void lu_update(float *out, const float *a, const float *panel, unsigned n)
{
    __shared__ float left[16][17], top[16][16];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    unsigned row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    left[ty][tx] = panel[row * 16 + tx];
    top[ty][tx] = panel[16 * n + ty * n + column];
    __syncthreads();
    float v = a[row * n + column];
#pragma unroll
    for (unsigned k = 0; k < 16; k++)
        v -= left[ty][k] * top[k][tx];
    out[row * n + column] = v;
}
static void run_lu_update(const struct times_io *io)
{
    lu_update<<<dim3(96, 96), dim3(16, 16)>>>(io->out, io->a, io->b, 1536);
}

/* A Cholesky factorisation of 24 x 24 in each block, column by column. */
__global__ void cholesky_small(float *out, const float *a)
{
    __shared__ float m[24][25];
    const unsigned t = threadIdx.x;
    const float *mine = a + blockIdx.x * 576;
    for (unsigned i = t; i < 576; i += 64) {
        unsigned r = i / 24, c = i % 24;
        m[r][c] = (mine[i] + mine[c * 24 + r]) * 0.5f + (r == c ? 24.0f : 0.0f);
    }
    __syncthreads();
    for (unsigned k = 0; k < 24; k++) {
        if (t == 0)
            m[k][k] = sqrtf(m[k][k]);
        __syncthreads();
        if (t > k && t < 24)
            m[t][k] /= m[k][k];
        __syncthreads();
        for (unsigned i = t; i < 576; i += 64) {
            unsigned r = i / 24, c = i % 24;
            if (c > k && r >= c)
                m[r][c] -= m[r][k] * m[c][k];
        }
        __syncthreads();
    }
    for (unsigned i = t; i < 576; i += 64)
        out[blockIdx.x * 576 + i] = i / 24 >= i % 24 ? m[i / 24][i % 24] : 0.0f;
}
static void run_cholesky_small(const struct times_io *io)
{
    cholesky_small<<<4096, 64>>>(io->out, io->a);
}

/* One pass of a radix-4 transform through global memory, twiddles computed. */
__global__ void fft_radix_4(float2 *out, const float2 *a, unsigned n, unsigned stride)
{
    unsigned i = GLOBAL_ID, quarter = n / 4, k = i & (stride - 1);
    float angle = -1.5707963f * (float)k / (float)stride, s, c;
    float2 v[4];
    for (unsigned j = 0; j < 4; j++) {
        float2 x = a[i + j * quarter];
        __sincosf(angle * (float)j, &s, &c);
        v[j] = make_float2(x.x * c - x.y * s, x.x * s + x.y * c);
    }
    float2 p = make_float2(v[0].x + v[2].x, v[0].y + v[2].y),
           q = make_float2(v[0].x - v[2].x, v[0].y - v[2].y),
           r = make_float2(v[1].x + v[3].x, v[1].y + v[3].y),
           u = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
    unsigned at = (i - k) * 4 + k;
    out[at] = make_float2(p.x + r.x, p.y + r.y);
    out[at + stride] = make_float2(q.x + u.x, q.y + u.y);
    out[at + 2 * stride] = make_float2(p.x - r.x, p.y - r.y);
    out[at + 3 * stride] = make_float2(q.x - u.x, q.y - u.y);
}
static void run_fft_radix_4(const struct times_io *io)
{
    fft_radix_4<<<(1 << 19) / 256, 256>>>((float2 *)io->out, (const float2 *)io->a, 1 << 21, 64);
}

/* Paths of a price, 32 steps each, a mean a block. */
__global__ void asian_option(float *out)
{
    __shared__ float sums[8];
    unsigned state = GLOBAL_ID * 747796405u + 2891336453u;
    float price = 100, mean = 0;
    for (int step = 0; step < 32; step++) {
        state ^= state << 13, state ^= state >> 17, state ^= state << 5;
        float u = (float)(state >> 8) * 0x1p-24f + 0x1p-25f;
        state ^= state << 13, state ^= state >> 17, state ^= state << 5;
        float w = (float)(state >> 8) * 0x1p-24f;
        float normal = sqrtf(-2 * __logf(u)) * __cosf(6.2831853f * w);
        price *= __expf(0.0002f + 0.03f * normal);
        mean += price;
    }
    float pay = fmaxf(mean / 32 - 100, 0);
    for (int offset = 16; offset > 0; offset /= 2)
        pay += __shfl_down_sync(~0u, pay, offset);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = pay;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            pay += sums[w];
        out[blockIdx.x] = pay;
    }
}
static void run_asian_option(const struct times_io *io) { asian_option<<<2048, 256>>>(io->out); }

/* Every second spin of a checkerboard, turned where a random number allows it. */
__global__ void ising(float *out, const float *a, unsigned width)
{
    unsigned x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + (blockIdx.y & 1), y = blockIdx.y;
    unsigned i = y * width + x, wrap = width - 1;
    float here = a[i] < 0.5f ? -1.0f : 1.0f;
    float sum = (a[y * width + ((x + 1) & wrap)] < 0.5f ? -1.0f : 1.0f) +
                (a[y * width + ((x - 1) & wrap)] < 0.5f ? -1.0f : 1.0f) +
                (a[((y + 1) & wrap) * width + x] < 0.5f ? -1.0f : 1.0f) +
                (a[((y - 1) & wrap) * width + x] < 0.5f ? -1.0f : 1.0f);
    unsigned r = (i ^ i >> 16) * 0x7feb352du;
    r = (r ^ r >> 15) * 0x846ca68bu;
    float chance = __expf(-0.9f * here * sum);
    out[i / 2] = (float)(r >> 8) * 0x1p-24f < chance ? -here : here;
}
static void run_ising(const struct times_io *io)
{
    ising<<<dim3(4, 2048), 256>>>(io->out, io->a, 2048);
}

/* Cells of 4 particles: each looks at those of 27 cells. */
__global__ void lennard_jones(float *out, const float4 *p, unsigned side)
{
    unsigned i = GLOBAL_ID, cell = i / 4;
    int cx = (int)(cell % side), cy = (int)(cell / side % side), cz = (int)(cell / side / side);
    float4 me = p[i];
    float energy = 0;
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++) {
                int nx = (cx + x + (int)side) % (int)side, ny = (cy + y + (int)side) % (int)side,
                    nz = (cz + z + (int)side) % (int)side;
                unsigned other = (unsigned)((nz * (int)side + ny) * (int)side + nx) * 4;
                for (unsigned k = 0; k < 4; k++) {
                    float4 v = p[other + k];
                    float dx = v.x + (float)x - me.x, dy = v.y + (float)y - me.y,
                          dz = v.z + (float)z - me.z;
                    float r2 = dx * dx + dy * dy + dz * dz + 0.05f;
                    if (r2 < 1.0f) {
                        float s = 0.09f / r2, s3 = s * s * s;
                        energy += s3 * (s3 - 1);
                    }
                }
            }
    out[i] = energy;
}
static void run_lennard_jones(const struct times_io *io)
{
    lennard_jones<<<32 * 32 * 32 * 4 / 128, 128>>>(io->out, (const float4 *)io->a, 32);
}

/* Rays march through a field of distances until they are near. */
__global__ void march_rays(float *out, unsigned width)
{
    unsigned x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float dx = (float)x / (float)width - 0.5f, dy = (float)y / (float)width - 0.5f, dz = 1;
    float scale = rsqrtf(dx * dx + dy * dy + 1), depth = 0;
    dx *= scale, dy *= scale, dz *= scale;
    int step = 0;
    for (; step < 64; step++) {
        float px = depth * dx, py = depth * dy, pz = depth * dz - 4;
        float ball = sqrtf(px * px + py * py + pz * pz) - 1;
        float qx = sqrtf(px * px + pz * pz) - 1.5f, ring = sqrtf(qx * qx + py * py) - 0.2f;
        float near = fminf(fminf(ball, ring), py + 1.2f);
        depth += near;
        if (near < 0.001f || depth > 20)
            break;
    }
    out[y * width + x] = depth + (float)step;
}
static void run_march_rays(const struct times_io *io)
{
    march_rays<<<dim3(1280 / 16, 720 / 8), dim3(16, 8)>>>(io->out, 1280);
}

/* One half of a Gauss-Seidel step in double precision. */
__global__ void red_black(double *out, const double *a, unsigned width)
{
    unsigned y = blockIdx.y + 1, t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = 2 * t + 1 + (y & 1), i = y * width + x;
    unsigned to = blockIdx.y * gridDim.x * blockDim.x + t;
    out[to] = a[i] + 0.45 * (a[i - 1] + a[i + 1] + a[i - width] + a[i + width] - 4 * a[i]);
}
static void run_red_black(const struct times_io *io)
{
    red_black<<<dim3(7, 2000), 128>>>(io->dout, io->da, 2048);
}

/* Sines and exponentials of the library, 16 points of an integral a thread. */
__global__ void quadrature(float *out)
{
    float sum = 0, x = (float)GLOBAL_ID * 1e-5f;
    for (int k = 0; k < 16; k++) {
        sum += sinf(x) * expf(-x) + cosf(x * 0.5f) / (1 + x);
        x += 6e-7f;
    }
    out[GLOBAL_ID] = sum;
}
static void run_quadrature(const struct times_io *io) { quadrature<<<1024, 256>>>(io->out); }

/* Grid of masses and springs: eight neighbours, lengths by a root. */
__global__ void cloth(float *out, const float4 *p, unsigned width)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)blockIdx.y;
    const int w = (int)width;
    float4 me = p[y * w + x];
    float fx = 0, fy = 0, fz = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int nx = x + dx, ny = y + dy;
            if ((dx == 0 && dy == 0) || nx < 0 || nx >= w || ny < 0 || ny >= (int)gridDim.y)
                continue;
            float4 v = p[ny * w + nx];
            float ex = v.x - me.x, ey = v.y - me.y, ez = v.z - me.z;
            float length = sqrtf(ex * ex + ey * ey + ez * ez + 1e-6f),
                  pull = (length - 0.4f) / length;
            fx += pull * ex, fy += pull * ey, fz += pull * ez;
        }
    out[y * w + x] = me.w + fx + 2 * fy + 3 * fz;
}
static void run_cloth(const struct times_io *io)
{
    cloth<<<dim3(8, 1024), 128>>>(io->out, (const float4 *)io->a, 1024);
}

const struct times_case physics_cases[] = {
    {"gravity_double", run_gravity_double, IN_DOUT, 8192},
    {"fdtd_electric", run_fdtd_electric, IN_OUT, 2048 * 1536},
    {"heat_3d_planes", run_heat_3d_planes, IN_OUT, 224 * 224 * 46},
    {"thomas", run_thomas, IN_OUT, 48 * 65536},
    {"lu_update", run_lu_update, IN_OUT, 1536 * 1536},
    {"cholesky_small", run_cholesky_small, IN_OUT, 4096 * 576},
    {"fft_radix_4", run_fft_radix_4, IN_OUT, 1 << 22},
    {"asian_option", run_asian_option, IN_OUT, 2048},
    {"ising", run_ising, IN_OUT, 1024 * 2048},
    {"lennard_jones", run_lennard_jones, IN_OUT, 131072},
    {"march_rays", run_march_rays, IN_OUT, 1280 * 720},
    {"red_black", run_red_black, IN_DOUT, 896 * 2000},
    {"quadrature", run_quadrature, IN_OUT, 1024 * 256},
    {"cloth", run_cloth, IN_OUT, 1024 * 1024},
    {NULL, NULL, IN_OUT, 0}};

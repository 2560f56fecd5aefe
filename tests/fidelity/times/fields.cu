/* fields.cu - fields, particles, random numbers, transforms and small systems of equations; written
 * and recorded before the model saw them. */
#include "times.h"

/* --- fields ---------------------------------------------------------------------------------- */

/* Nine directions of a flow: where they come from, how they meet, where they stand. */
__global__ void boltzmann(float *out, const float *a, int n)
{
    const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, cells = n * n;
    float f[9], rho = 0, ux = 0, uy = 0;
    for (int k = 0; k < 9; k++) {
        f[k] = a[k * cells + ((y - cy[k]) & (n - 1)) * n + ((x - cx[k]) & (n - 1))];
        rho += f[k];
        ux += f[k] * (float)cx[k];
        uy += f[k] * (float)cy[k];
    }
    ux /= rho;
    uy /= rho;
    const float square = 1.5f * (ux * ux + uy * uy);
    for (int k = 0; k < 9; k++) {
        const float w = k == 0 ? 4 / 9.0f : k < 5 ? 1 / 9.0f : 1 / 36.0f;
        const float e = (float)cx[k] * ux + (float)cy[k] * uy;
        const float rest = w * rho * (1 + 3 * e + 4.5f * e * e - square);
        out[k * cells + y * n + x] = f[k] + 0.6f * (rest - f[k]);
    }
}
static void run_boltzmann(const struct times_io *io)
{
    boltzmann<<<dim3(4, 512), 128>>>(io->out, io->a, 512);
}

/* Nineteen points in three dimensions, straight from global memory. */
__global__ void nineteen_points(float *out, const float *a, int nx, int ny)
{
    const int x = threadIdx.x + 1, y = blockIdx.x * 4 + threadIdx.y + 1, z = blockIdx.y + 1;
    const int row = nx, plane = nx * ny;
    const float *p = a + z * plane + y * row + x;
    float sum = -24 * p[0];
    sum += 2 * (p[-1] + p[1] + p[-row] + p[row] + p[-plane] + p[plane]);
    sum += p[-row - 1] + p[-row + 1] + p[row - 1] + p[row + 1];
    sum += p[-plane - 1] + p[-plane + 1] + p[-plane - row] + p[-plane + row];
    sum += p[plane - 1] + p[plane + 1] + p[plane - row] + p[plane + row];
    out[((z - 1) * (ny - 2) + y - 1) * (nx - 2) + x - 1] = sum;
}
static void run_nineteen_points(const struct times_io *io)
{
    nineteen_points<<<dim3(32, 62), dim3(128, 4)>>>(io->out, io->a, 130, 130);
}

/* Jacobi's step in FP64, and the largest change of each block. */
__global__ void jacobi_change(double *out, const double *a, int n)
{
    __shared__ double most[8];
    const int x = blockIdx.x * 32 + threadIdx.x + 1, y = blockIdx.y * 8 + threadIdx.y + 1;
    const double now = a[y * n + x];
    const double next =
        0.25 * (a[y * n + x - 1] + a[y * n + x + 1] + a[(y - 1) * n + x] + a[(y + 1) * n + x]);
    double change = fabs(next - now);
    out[1024 + y * n + x] = next;
    for (int d = 16; d; d /= 2)
        change = fmax(change, __shfl_xor_sync(~0u, change, d));
    if (threadIdx.x == 0)
        most[threadIdx.y] = change;
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        for (int k = 1; k < 8; k++)
            change = fmax(change, most[k]);
        out[blockIdx.y * gridDim.x + blockIdx.x] = change;
    }
}
static void run_jacobi_change(const struct times_io *io)
{
    jacobi_change<<<dim3(16, 64), dim3(32, 8)>>>(io->dout, io->da, 514);
}

/* The potential of 200 charges from constant memory on a plane of points, four a thread. */
__constant__ float4 charges[200];
__global__ void potential(float *out, unsigned width)
{
    const float x = (float)(blockIdx.x * 32 + threadIdx.x) * 0.1f;
    const float y = (float)(blockIdx.y * 8 + threadIdx.y) * 0.1f;
    const unsigned at = (blockIdx.y * 8 + threadIdx.y) * width + blockIdx.x * 128 + threadIdx.x;
    float v[4] = {0, 0, 0, 0};
    for (int k = 0; k < 200; k++) {
        const float4 c = charges[k];
        const float dy = y - c.y, rest = dy * dy + (c.z + 1) * (c.z + 1);
        for (int j = 0; j < 4; j++) {
            const float dx = x + 3.2f * (float)j - c.x;
            v[j] += (c.w + 1) * rsqrtf(dx * dx + rest);
        }
    }
    for (unsigned j = 0; j < 4; j++)
        out[at + 32 * j] = v[j];
}
static void run_potential(const struct times_io *io)
{
    potential<<<dim3(8, 64), dim3(32, 8)>>>(io->out, 1024);
}

/* --- particles ------------------------------------------------------------------------------- */

/* Densities from the particles of 27 cells, eight a cell, each cell's in a row. */
__global__ void densities(float *out, const float4 *bodies, int n)
{
    const int cell = blockIdx.x * 16 + threadIdx.x / 8;
    const int cx = cell % n, cy = cell / n % n, cz = cell / n / n;
    const float4 me = bodies[cell * 8 + threadIdx.x % 8];
    float sum = 0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                const int x = cx + dx, y = cy + dy, z = cz + dz;
                if (x < 0 || x >= n || y < 0 || y >= n || z < 0 || z >= n)
                    continue;
                const float4 *other = bodies + ((z * n + y) * n + x) * 8;
                for (int k = 0; k < 8; k++) {
                    const float4 o = other[k];
                    const float px = me.x - o.x, py = me.y - o.y, pz = me.z - o.z;
                    const float d = 0.5f - (px * px + py * py + pz * pz);
                    if (d > 0)
                        sum += d * d * d * o.w;
                }
            }
    out[cell * 8 + threadIdx.x % 8] = sum;
}
static void run_densities(const struct times_io *io)
{
    densities<<<2048, 128>>>(io->out, (const float4 *)io->a, 32);
}

/* Points turned by a quaternion of their own, structures of arrays and of four. */
__global__ void turn_points(float4 *out, const float4 *turns, const float4 *points)
{
    const unsigned i = GLOBAL_ID;
    float4 q = turns[i];
    const float4 p = points[i];
    const float s = rsqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    q.x *= s, q.y *= s, q.z *= s, q.w *= s;
    const float tx = 2 * (q.y * p.z - q.z * p.y), ty = 2 * (q.z * p.x - q.x * p.z);
    const float tz = 2 * (q.x * p.y - q.y * p.x);
    out[i] = make_float4(p.x + q.w * tx + q.y * tz - q.z * ty, p.y + q.w * ty + q.z * tx - q.x * tz,
                         p.z + q.w * tz + q.x * ty - q.y * tx, p.w);
}
static void run_turn_points(const struct times_io *io)
{
    turn_points<<<2048, 192>>>((float4 *)io->out, (const float4 *)io->a, (const float4 *)io->b);
}

__device__ static unsigned next_random(unsigned &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}
__device__ static float uniform(unsigned &state)
{
    return ((float)(next_random(state) >> 9) + 0.5f) * 0x1p-23f;
}

/* Neutrons in a slab: how far to the next meeting, then taken up or turned, until they are gone. */
__global__ void neutrons(unsigned *counts, unsigned per_thread)
{
    __shared__ unsigned fates[3];
    if (threadIdx.x < 3)
        fates[threadIdx.x] = 0;
    __syncthreads();
    unsigned state = GLOBAL_ID * 2654435761u + 12345u;
    for (unsigned k = 0; k < per_thread; k++) {
        float x = 0, mu = 1;
        unsigned fate;
        for (;;) {
            x -= mu * __logf(uniform(state));
            fate = x < 0 ? 0 : x > 4 ? 1 : uniform(state) < 0.3f ? 2 : 3;
            if (fate < 3)
                break;
            mu = 2 * uniform(state) - 1;
        }
        atomicAdd(&fates[fate], 1u);
    }
    __syncthreads();
    if (threadIdx.x < 3)
        atomicAdd(&counts[threadIdx.x], fates[threadIdx.x]);
}
static void run_neutrons(const struct times_io *io) { neutrons<<<264, 256>>>(io->counts, 8); }

/* Options that end when the price passes a barrier: 64 steps of normal random numbers. */
__global__ void barrier_option(float *out, const float *a)
{
    unsigned state = GLOBAL_ID * 747796405u + 2891336453u;
    float price = 0.9f + 0.2f * a[GLOBAL_ID];
    int step = 0;
    for (; step < 64 && price < 1.3f; step++) {
        const float r = sqrtf(-2 * logf(uniform(state)));
        price *= expf(0.03f * r * cospif(2 * uniform(state)) - 0.0004f);
    }
    out[GLOBAL_ID] = price >= 1.3f ? 0 : fmaxf(price - 1, 0);
}
static void run_barrier_option(const struct times_io *io)
{
    barrier_option<<<512, 128>>>(io->out, io->a);
}

/* --- transforms and systems ------------------------------------------------------------------ */

/* Fourier transforms of 256 complex numbers in FP64, 64 threads and four a thread. */
__global__ void fft_double(double2 *out, const double2 *a)
{
    __shared__ double2 v[256];
    for (int i = threadIdx.x; i < 256; i += 64)
        v[__brev(i) >> 24] = a[blockIdx.x * 256 + i];
    for (int half = 1; half < 256; half *= 2) {
        __syncthreads();
        for (int t = threadIdx.x; t < 128; t += 64) {
            const int k = t & (half - 1), i = 2 * t - k, j = i + half;
            double s, c;
            sincospi(-(double)k / half, &s, &c);
            const double2 p = v[i], q = v[j];
            const double re = q.x * c - q.y * s, im = q.x * s + q.y * c;
            v[i] = make_double2(p.x + re, p.y + im);
            v[j] = make_double2(p.x - re, p.y - im);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += 64)
        out[blockIdx.x * 256 + i] = v[i];
}
static void run_fft_double(const struct times_io *io)
{
    fft_double<<<792, 64>>>((double2 *)io->dout, (const double2 *)io->da);
}

/* Systems of six equations, one a thread, in registers; matrices lie side by side. */
__global__ void six_equations(float *out, const float *a, unsigned n)
{
    float m[6][7];
    const unsigned t = GLOBAL_ID;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 7; j++)
            m[i][j] = a[(i * 7 + j) * n + t] + (i == j ? 4.0f : 0.0f);
    for (int k = 0; k < 6; k++) {
        const float r = 1 / m[k][k];
        for (int i = k + 1; i < 6; i++) {
            const float f = m[i][k] * r;
            for (int j = k + 1; j < 7; j++)
                m[i][j] -= f * m[k][j];
        }
    }
    for (int k = 5; k >= 0; k--) {
        float sum = m[k][6];
        for (int j = k + 1; j < 6; j++)
            sum -= m[k][j] * m[j][6];
        m[k][6] = sum / m[k][k];
        out[k * n + t] = m[k][6];
    }
}
static void run_six_equations(const struct times_io *io)
{
    six_equations<<<1024, 128>>>(io->out, io->a, 131072);
}

/* The largest eigenvalue by powers: a matrix of 96 in shared memory, 12 rounds. */
__global__ void largest_eigenvalue(float *out, const float *a)
{
    __shared__ float m[96][97], v[96], w[96], norm;
    const unsigned t = threadIdx.x;
    for (unsigned i = t; i < 96 * 96; i += 96)
        m[i / 96][i % 96] = a[blockIdx.x * 9216 + i];
    v[t] = 1;
    for (int round = 0; round < 12; round++) {
        __syncthreads();
        float sum = 0;
        for (int k = 0; k < 96; k++)
            sum += m[t][k] * v[k];
        w[t] = sum;
        __syncthreads();
        if (t < 32) {
            float most = fmaxf(fmaxf(w[t], w[t + 32]), w[t + 64]);
            for (int d = 16; d; d /= 2)
                most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
            if (t == 0)
                norm = most;
        }
        __syncthreads();
        v[t] = w[t] / norm;
    }
    if (t == 0)
        out[blockIdx.x] = norm;
}
static void run_largest_eigenvalue(const struct times_io *io)
{
    largest_eigenvalue<<<528, 96>>>(io->out, io->a);
}

/* Vectors of four million: a scalar product of FP64, and the next direction at once. */
__global__ void product_and_step(double *out, const double *x, unsigned n)
{
    __shared__ double sums[16];
    double sum = 0;
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x) {
        const double v = x[i], w = x[n + i];
        sum += v * w;
        out[1024 + i] = v + 0.25 * w;
    }
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if ((threadIdx.x & 31) == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 16) {
        sum = sums[threadIdx.x];
        for (int d = 8; d; d /= 2)
            sum += __shfl_down_sync(0xffffu, sum, d, 16);
        if (threadIdx.x == 0)
            out[blockIdx.x] = sum;
    }
}
static void run_product_and_step(const struct times_io *io)
{
    product_and_step<<<264, 512>>>(io->dout, io->da, 1 << 20);
}

/* --- functions ------------------------------------------------------------------------------- */

/* Newton's way to the roots of z^3 = 1; how long it takes depends on the point. */
__global__ void newton_roots(int *out, unsigned width)
{
    const unsigned px = blockIdx.x * 16 + threadIdx.x, py = blockIdx.y * 16 + threadIdx.y;
    float x = ((float)px - 511.5f) * 0.004f, y = ((float)py - 255.5f) * 0.004f;
    int steps = 0;
    for (; steps < 40; steps++) {
        const float xx = x * x, yy = y * y, s = xx + yy, d = 1 / (3 * s * s + 1e-9f);
        const float fx = x * (xx - 3 * yy) - 1, fy = y * (3 * xx - yy);
        if (fx * fx + fy * fy < 1e-6f)
            break;
        const float gx = xx - yy, gy = 2 * x * y;
        x -= (fx * gx + fy * gy) * d;
        y -= (fy * gx - fx * gy) * d;
    }
    out[py * width + px] = steps + (x > 0 ? 100 : y > 0 ? 200 : 300);
}
static void run_newton_roots(const struct times_io *io)
{
    newton_roots<<<dim3(64, 32), dim3(16, 16)>>>((int *)io->out, 1024);
}

/* Legendre's polynomials up to the 24th, in FP64. */
__global__ void legendre(double *out, const double *a)
{
    const double x = 2 * a[GLOBAL_ID] - 1;
    double before = 1, now = x, sum = 1 + 0.5 * x;
    for (int n = 1; n < 24; n++) {
        const double next = ((2 * n + 1) * x * now - n * before) / (n + 1);
        before = now;
        now = next;
        sum += next / (n + 2);
    }
    out[GLOBAL_ID] = sum;
}
static void run_legendre(const struct times_io *io) { legendre<<<256, 256>>>(io->dout, io->da); }

/* Bessel's function of order 0 by its series, until a term no longer counts. */
__global__ void bessel_series(float *out, const float *a)
{
    const float x = 12 * a[GLOBAL_ID], q = -0.25f * x * x;
    float term = 1, sum = 1;
    for (int k = 1; k < 60 && fabsf(term) > 1e-6f; k++) {
        term *= q / (float)(k * k);
        sum += term;
    }
    out[GLOBAL_ID] = sum;
}
static void run_bessel_series(const struct times_io *io)
{
    bessel_series<<<2048, 64>>>(io->out, io->a);
}

/* Sixteen boxes of 128 that a ray may meet: which one first. */
__global__ void meet_boxes(float *out, const float4 *rays, const float4 *boxes)
{
    __shared__ float4 low[128], high[128];
    const unsigned t = threadIdx.x;
    low[t] = boxes[2 * t];
    high[t] = boxes[2 * t + 1];
    __syncthreads();
    const float4 r = rays[GLOBAL_ID];
    const float ix = 1 / (r.x + 0.1f), iy = 1 / (r.y + 0.1f), iz = 1 / (r.z + 0.1f);
    float first = 1e30f;
    for (int k = 0; k < 128; k++) {
        const float4 l = low[k], h = high[k];
        const float x0 = (l.x - 0.5f) * ix, x1 = (l.x + h.x) * ix;
        const float y0 = (l.y - 0.5f) * iy, y1 = (l.y + h.y) * iy;
        const float z0 = (l.z - 0.5f) * iz, z1 = (l.z + h.z) * iz;
        const float enter = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fminf(z0, z1));
        const float leave = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fmaxf(z0, z1));
        if (enter <= leave && leave > 0)
            first = fminf(first, fmaxf(enter, r.w));
    }
    out[GLOBAL_ID] = first;
}
static void run_meet_boxes(const struct times_io *io)
{
    meet_boxes<<<1024, 128>>>(io->out, (const float4 *)io->b, (const float4 *)io->a);
}

const struct times_case field_cases[] = {
    {"boltzmann", run_boltzmann, IN_OUT, 9 * 512 * 512},
    {"nineteen_points", run_nineteen_points, IN_OUT, 62 * 128 * 128},
    {"jacobi_change", run_jacobi_change, IN_DOUT, 1024},
    {"potential", run_potential, IN_OUT, 1024 * 512},
    {"densities", run_densities, IN_OUT, 2048 * 128},
    {"turn_points", run_turn_points, IN_OUT, 2048 * 192 * 4},
    {"neutrons", run_neutrons, IN_COUNTS, 3},
    {"barrier_option", run_barrier_option, IN_OUT, 512 * 128},
    {"fft_double", run_fft_double, IN_DOUT, 792 * 512},
    {"six_equations", run_six_equations, IN_OUT, 6 * 131072},
    {"largest_eigenvalue", run_largest_eigenvalue, IN_OUT, 528},
    {"product_and_step", run_product_and_step, IN_DOUT, 264},
    {"newton_roots", run_newton_roots, IN_WORDS, 1024 * 512},
    {"legendre", run_legendre, IN_DOUT, 65536},
    {"bessel_series", run_bessel_series, IN_OUT, 2048 * 64},
    {"meet_boxes", run_meet_boxes, IN_OUT, 1024 * 128},
    {NULL, NULL, IN_OUT, 0}};

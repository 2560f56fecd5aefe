/* methods.cu - dynamic programming, random numbers, solvers and sums as papers and tutorials of
 * numerical methods write them; written and recorded before the model saw them. */
#include "times.h"

#define PIXEL_X (blockIdx.x * blockDim.x + threadIdx.x)
#define PIXEL_Y (blockIdx.y * blockDim.y + threadIdx.y)

/* --- dynamic programming --------------------------------------------------------------------- */

/* A knapsack a block: a thread for each capacity, an item a round. */
__global__ void knapsack(int *out, const int *items, int count)
{
    __shared__ int best[2][1024];
    const int t = threadIdx.x;
    best[0][t] = 0;
    __syncthreads();
    for (int k = 0; k < count; k++) {
        const int item = items[blockIdx.x * count + k], weight = 1 + item % 97;
        const int value = 1 + item / 128 % 251, *now = best[k & 1];
        int v = now[t];
        if (t >= weight)
            v = max(v, now[t - weight] + value);
        best[(k + 1) & 1][t] = v;
        __syncthreads();
    }
    out[blockIdx.x * 1024 + t] = best[count & 1][t];
}
static void run_knapsack(const struct times_io *io)
{
    knapsack<<<200, 1024>>>((int *)io->out, io->index, 60);
}

/* Viterbi's best way through 64 hidden states, a block a sequence; where each came from is kept. */
__global__ void viterbi(unsigned char *from, const float *change, const float *seen, int steps)
{
    __shared__ float score[2][64];
    const int s = threadIdx.x;
    score[0][s] = 0;
    __syncthreads();
    for (int t = 0; t < steps; t++) {
        float best = -1e30f;
        int which = 0;
        for (int k = 0; k < 64; k++) {
            const float v = score[t & 1][k] + change[k * 64 + s];
            if (v > best) {
                best = v;
                which = k;
            }
        }
        const int at = (blockIdx.x * steps + t) * 64 + s;
        score[(t + 1) & 1][s] = best + seen[at];
        from[at] = (unsigned char)which;
        __syncthreads();
    }
}
static void run_viterbi(const struct times_io *io)
{
    viterbi<<<264, 64>>>((unsigned char *)io->out, io->a, io->b, 48);
}

/* Conway's game in bits: 256 rows of 64 cells a block, a thread a row, many generations. */
__global__ void life_in_bits(uint2 *out, const uint2 *in, int generations)
{
    __shared__ unsigned long long rows[2][256];
    const int t = threadIdx.x;
    const uint2 first = in[blockIdx.x * 256 + t];
    rows[0][t] =
        (unsigned long long)first.x << 37 ^ (unsigned long long)first.y * 0x9e3779b97f4aull;
    __syncthreads();
    for (int g = 0; g < generations; g++) {
        const unsigned long long *now = rows[g & 1];
        unsigned long long ones = 0, twos = 0, fours = 0;
        for (int d = -1; d <= 1; d++) {
            const unsigned long long m = now[(t + d) & 255];
            const unsigned long long l = m << 1 | m >> 63, r = m >> 1 | m << 63;
            const unsigned long long three[3] = {l, r, d == 0 ? 0 : m};
            for (int k = 0; k < 3; k++) {
                const unsigned long long carry = ones & three[k];
                ones ^= three[k];
                fours |= twos & carry;
                twos ^= carry;
            }
        }
        rows[(g + 1) & 1][t] = twos & ~fours & (ones | now[t]);
        __syncthreads();
    }
    const unsigned long long last = rows[generations & 1][t];
    out[blockIdx.x * 256 + t] = make_uint2((unsigned)last >> 1, (unsigned)(last >> 33));
}
static void run_life_in_bits(const struct times_io *io)
{
    life_in_bits<<<100, 256>>>((uint2 *)io->out, (const uint2 *)io->a, 120);
}

/* --- numbers --------------------------------------------------------------------------------- */

/* Sobol's points in four dimensions: directions in shared memory, by the bits of the Gray code. */
__global__ void sobol(float *out, const int *directions, unsigned n)
{
    __shared__ unsigned v[32];
    if (threadIdx.x < 32)
        v[threadIdx.x] = (unsigned)directions[blockIdx.y * 32 + threadIdx.x] << 10;
    __syncthreads();
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x) {
        unsigned x = 0, k = 0;
        for (unsigned gray = i ^ i >> 1; gray; gray >>= 1, k++)
            if (gray & 1)
                x ^= v[k];
        out[blockIdx.y * n + i] = (float)x * 0x1p-32f;
    }
}
static void run_sobol(const struct times_io *io)
{
    sobol<<<dim3(128, 4), 128>>>(io->out, io->index, 1 << 18);
}

/* Marsaglia's xorwow and Box's and Muller's normal numbers, 32 a thread. */
__global__ void xorwow_normal(float *out, unsigned seed)
{
    const unsigned id = GLOBAL_ID, threads = gridDim.x * blockDim.x;
    unsigned s[5] = {seed ^ id * 2654435761u, id + 362436069u, 521288629u, 88675123u, 5783321u};
    unsigned weyl = 6615241u + id;
    for (unsigned k = 0; k < 32; k += 2) {
        float u[2];
        for (int j = 0; j < 2; j++) {
            const unsigned t = s[0] ^ s[0] >> 2;
            s[0] = s[1], s[1] = s[2], s[2] = s[3], s[3] = s[4];
            s[4] = s[4] ^ s[4] << 4 ^ t ^ t << 1;
            weyl += 362437u;
            u[j] = (float)((weyl + s[4]) >> 8) * 0x1p-24f + 0x1p-25f;
        }
        float sine, cosine;
        sincosf(6.2831853f * u[1], &sine, &cosine);
        const float radius = sqrtf(-2 * logf(u[0]));
        out[k * threads + id] = radius * sine;
        out[(k + 1) * threads + id] = radius * cosine;
    }
}
static void run_xorwow_normal(const struct times_io *io)
{
    xorwow_normal<<<264, 256>>>(io->out, 12345);
}

/* Coulomb's potential of 200 charges in a plane, four points a thread. */
__global__ void coulomb_plane(float *out, const float4 *charges, int count, int width)
{
    const int x = (blockIdx.x * 16 + threadIdx.x) * 4, y = PIXEL_Y;
    const float step = 1 / 1024.0f, px = (float)x * step, py = (float)y * step;
    float e0 = 0, e1 = 0, e2 = 0, e3 = 0;
    for (int k = 0; k < count; k++) {
        const float4 c = charges[k];
        const float dx = px - c.x, dy = py - c.y, rest = dy * dy + c.z * c.z + 0.001f;
        e0 += c.w * rsqrtf(dx * dx + rest);
        e1 += c.w * rsqrtf((dx + step) * (dx + step) + rest);
        e2 += c.w * rsqrtf((dx + 2 * step) * (dx + 2 * step) + rest);
        e3 += c.w * rsqrtf((dx + 3 * step) * (dx + 3 * step) + rest);
    }
    *(float4 *)&out[y * width + x] = make_float4(e0, e1, e2, e3);
}
static void run_coulomb_plane(const struct times_io *io)
{
    coulomb_plane<<<dim3(16, 64), dim3(16, 8)>>>(io->out, (const float4 *)io->a, 200, 1024);
}

/* Newton's steps towards a cube root of 1, until one is near. */
__global__ void newton_fractal(int *out, int width, int height)
{
    float x = ((float)PIXEL_X + 0.5f) / (float)width * 4 - 2;
    float y = ((float)PIXEL_Y + 0.5f) / (float)height * 4 - 2;
    int k = 0;
    for (; k < 40; k++) {
        const float xx = x * x, yy = y * y, square = (xx + yy) * (xx + yy);
        const float nx = (2 * x + (xx - yy) / square) / 3;
        const float ny = (2 * y - 2 * x * y / square) / 3;
        const float moved = fabsf(nx - x) + fabsf(ny - y);
        x = nx;
        y = ny;
        if (moved < 1e-4f)
            break;
    }
    out[PIXEL_Y * width + PIXEL_X] = k;
}
static void run_newton_fractal(const struct times_io *io)
{
    newton_fractal<<<dim3(64, 64), dim3(16, 16)>>>((int *)io->out, 1024, 1024);
}

/* Kepler's equation in double precision, by Newton's method. */
__global__ void kepler(double *out, const double *mean, const double *eccentricity)
{
    const unsigned i = GLOBAL_ID;
    const double m = 6.283185307179586 * mean[i], e = 0.9 * eccentricity[i];
    double angle = m + e * sin(m);
    for (int k = 0; k < 10; k++) {
        double s, c;
        sincos(angle, &s, &c);
        const double step = (angle - e * s - m) / (1 - e * c);
        angle -= step;
        if (fabs(step) < 1e-12)
            break;
    }
    out[i] = angle;
}
static void run_kepler(const struct times_io *io)
{
    kepler<<<512, 256>>>(io->dout, io->da, io->da + (1 << 21));
}

/* Points to a distance and two angles. */
__global__ void to_sphere(float *out, const float *x, const float *y, const float *z, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i >= n)
        return;
    const float px = x[i] - 0.5f, py = y[i] - 0.5f, pz = z[i] - 0.5f;
    const float r = sqrtf(px * px + py * py + pz * pz);
    out[i] = r;
    out[n + i] = acosf(pz / fmaxf(r, 1e-6f));
    out[2 * n + i] = atan2f(py, px);
}
static void run_to_sphere(const struct times_io *io)
{
    to_sphere<<<blocks_for(1000000, 256), 256>>>(io->out, io->a, io->b, io->a + (1 << 21), 1000000);
}

/* --- pictures -------------------------------------------------------------------------------- */

/* How far each 5 x 5 window has moved between two pictures, of 16 ways to move. */
__global__ void stereo(int *out, const float *left, const float *right, int width)
{
    const int x = PIXEL_X + 2, y = PIXEL_Y + 2;
    float best = 1e30f;
    int which = 0;
    for (int d = 0; d < 16; d++) {
        float sum = 0;
        for (int dy = -2; dy <= 2; dy++)
            for (int dx = -2; dx <= 2; dx++)
                sum += fabsf(left[(y + dy) * width + x + dx + 16] -
                             right[(y + dy) * width + x + dx + 16 - d]);
        if (sum < best) {
            best = sum;
            which = d;
        }
    }
    out[(y - 2) * 640 + x - 2] = which;
}
static void run_stereo(const struct times_io *io)
{
    stereo<<<dim3(20, 60), dim3(32, 8)>>>((int *)io->out, io->a, io->b, 704);
}

/* One axis of a cubic B-spline: two places between texels and the share of the first. */
__device__ static void spline_places(float x, float *first, float *second, float *share)
{
    const float base = floorf(x - 0.5f), f = x - 0.5f - base, g = 1 - f;
    const float w0 = g * g * g / 6, w1 = (4 - 3 * f * f * (2 - f)) / 6;
    const float w2 = (4 - 3 * g * g * (2 - g)) / 6, w3 = f * f * f / 6;
    *share = w0 + w1;
    *first = base - 0.5f + w1 / (w0 + w1);
    *second = base + 1.5f + w3 / (w2 + w3);
}

/* A picture enlarged by cubic splines: four reads of a texture, each between four texels. */
__global__ void enlarge_cubic(float *out, cudaTextureObject_t from, int width, float step)
{
    float x0, x1, y0, y1, u, v;
    spline_places(((float)PIXEL_X + 0.5f) * step, &x0, &x1, &u);
    spline_places(((float)PIXEL_Y + 0.5f) * step, &y0, &y1, &v);
    const float above = u * tex2D<float>(from, x0, y0) + (1 - u) * tex2D<float>(from, x1, y0);
    const float below = u * tex2D<float>(from, x0, y1) + (1 - u) * tex2D<float>(from, x1, y1);
    out[PIXEL_Y * width + PIXEL_X] = v * above + (1 - v) * below;
}
static void run_enlarge_cubic(const struct times_io *io)
{
    cudaTextureObject_t from;
    struct cudaResourceDesc resource = {};
    struct cudaTextureDesc how = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = (void *)io->a;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = 640;
    resource.res.pitch2D.height = 480;
    resource.res.pitch2D.pitchInBytes = 640 * sizeof(float);
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    CUDA_CHECK(cudaCreateTextureObject(&from, &resource, &how, NULL));
    enlarge_cubic<<<dim3(80, 60), dim3(16, 16)>>>(io->out, from, 1280, 0.5f);
    CUDA_CHECK(cudaDestroyTextureObject(from));
}

/* --- solvers and mixtures -------------------------------------------------------------------- */

/* 4 x 4 matrices inverted by Gauss's and Jordan's steps without pivots, each in registers. */
__global__ void invert_4x4(float4 *out, const float4 *in)
{
    const unsigned i = GLOBAL_ID;
    float m[4][8];
#pragma unroll
    for (int r = 0; r < 4; r++) {
        const float4 v = in[i * 4 + r];
        m[r][0] = v.x, m[r][1] = v.y, m[r][2] = v.z, m[r][3] = v.w;
        m[r][r] += 4;
        for (int c = 0; c < 4; c++)
            m[r][4 + c] = r == c ? 1.0f : 0.0f;
    }
#pragma unroll
    for (int p = 0; p < 4; p++) {
        const float inverse = 1 / m[p][p];
        for (int c = 0; c < 8; c++)
            m[p][c] *= inverse;
#pragma unroll
        for (int r = 0; r < 4; r++) {
            const float factor = m[r][p];
            for (int c = 0; r != p && c < 8; c++)
                m[r][c] -= factor * m[p][c];
        }
    }
#pragma unroll
    for (int r = 0; r < 4; r++)
        out[i * 4 + r] = make_float4(m[r][4], m[r][5], m[r][6], m[r][7]);
}
static void run_invert_4x4(const struct times_io *io)
{
    invert_4x4<<<1600, 128>>>((float4 *)io->out, (const float4 *)io->a);
}

__device__ static float sum_of_block(float v, float *shared)
{
    for (int d = 16; d; d /= 2)
        v += __shfl_xor_sync(~0u, v, d);
    __syncthreads();
    if ((threadIdx.x & 31) == 0)
        shared[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
    for (unsigned k = 0; k < blockDim.x / 32; k++)
        v += shared[k];
    return v;
}

/* Householder's reflections of a panel of 128 x 8, a thread a row; the triangle replaces it. */
__global__ void householder_panel(float *out, const float *in)
{
    __shared__ float shared[4], head;
    const int t = threadIdx.x;
    const float *panel = in + blockIdx.x * 1024;
    float row[8];
    for (int c = 0; c < 8; c++)
        row[c] = panel[c * 128 + t];
#pragma unroll
    for (int p = 0; p < 8; p++) {
        const float mine = t >= p ? row[p] : 0;
        const float norm = sqrtf(sum_of_block(mine * mine, shared));
        if (t == p)
            head = mine;
        __syncthreads();
        const float alpha = head > 0 ? -norm : norm, v = t == p ? mine - alpha : mine;
        const float beta = 1 / (norm * (norm + fabsf(head)));
        for (int c = p; c < 8; c++) {
            const float dot = sum_of_block(v * row[c], shared);
            row[c] -= beta * dot * v;
        }
    }
    for (int c = 0; c < 8; c++)
        out[blockIdx.x * 1024 + c * 128 + t] = row[c];
}
static void run_householder_panel(const struct times_io *io)
{
    householder_panel<<<400, 128>>>(io->out, io->a);
}

/* Tridiagonal systems of 256 unknowns, a block each, by parallel cyclic reduction. */
__global__ void parallel_reduction(float *out, const float *below, const float *above,
                                   const float *right)
{
    __shared__ float a[256], b[256], c[256], d[256];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    a[t] = t > 0 ? -below[i] : 0;
    b[t] = 3;
    c[t] = t < 255 ? -above[i] : 0;
    d[t] = right[i];
    for (int step = 1; step < 256; step *= 2) {
        __syncthreads();
        const int low = max(t - step, 0), high = min(t + step, 255);
        const float k1 = t >= step ? a[t] / b[low] : 0, k2 = t + step < 256 ? c[t] / b[high] : 0;
        const float na = -a[low] * k1, nc = -c[high] * k2;
        const float nb = b[t] - c[low] * k1 - a[high] * k2, nd = d[t] - d[low] * k1 - d[high] * k2;
        __syncthreads();
        a[t] = na, b[t] = nb, c[t] = nc, d[t] = nd;
    }
    out[i] = d[t] / b[t];
}
static void run_parallel_reduction(const struct times_io *io)
{
    parallel_reduction<<<1056, 256>>>(io->out, io->a, io->b, io->a + (1 << 21));
}

/* To which of 16 Gaussians in four dimensions each point belongs, as probabilities. */
__global__ void mixture_of_gaussians(float *out, const float4 *points, const float4 *model,
                                     unsigned n)
{
    __shared__ float4 mean[16], precision[16];
    const unsigned i = GLOBAL_ID;
    if (threadIdx.x < 16) {
        mean[threadIdx.x] = model[threadIdx.x];
        precision[threadIdx.x] = model[16 + threadIdx.x];
    }
    __syncthreads();
    const float4 p = points[i];
    float value[16], top = -1e30f, sum = 0;
    for (int k = 0; k < 16; k++) {
        const float4 m = mean[k], w = precision[k];
        const float x = p.x - m.x, y = p.y - m.y, z = p.z - m.z, u = p.w - m.w;
        value[k] = -0.5f * (w.x * x * x + w.y * y * y + w.z * z * z + w.w * u * u) +
                   0.5f * logf(w.x * w.y * w.z * w.w + 1e-6f);
        top = fmaxf(top, value[k]);
    }
    for (int k = 0; k < 16; k++) {
        value[k] = expf(value[k] - top);
        sum += value[k];
    }
    for (int k = 0; k < 16; k++)
        out[k * n + i] = value[k] / sum;
}
static void run_mixture_of_gaussians(const struct times_io *io)
{
    mixture_of_gaussians<<<768, 256>>>(io->out, (const float4 *)io->b, (const float4 *)io->a,
                                       768 * 256);
}

/* 64 K numbers added up one after the other by a single block: 64 rounds with a carry. */
__global__ void scan_single_block(float *out, const float *in, int n)
{
    __shared__ float sums[32];
    const int t = threadIdx.x, lane = t & 31, warp = t / 32;
    float carry = 0;
    for (int i = t; i < n; i += 1024) {
        float v = in[i];
        for (int d = 1; d < 32; d *= 2) {
            const float other = __shfl_up_sync(~0u, v, d);
            v += lane >= d ? other : 0;
        }
        if (lane == 31)
            sums[warp] = v;
        __syncthreads();
        if (warp == 0) {
            float s = sums[lane];
            for (int d = 1; d < 32; d *= 2) {
                const float other = __shfl_up_sync(~0u, s, d);
                s += lane >= d ? other : 0;
            }
            sums[lane] = s;
        }
        __syncthreads();
        out[i] = carry + v + (warp > 0 ? sums[warp - 1] : 0);
        carry += sums[31];
        __syncthreads();
    }
}
static void run_scan_single_block(const struct times_io *io)
{
    scan_single_block<<<1, 1024>>>(io->out, io->a, 1 << 16);
}

const struct times_case method_cases[] = {
    {"knapsack", run_knapsack, IN_WORDS, 200 * 1024},
    {"viterbi", run_viterbi, IN_WORDS, 264 * 48 * 16},
    {"life_in_bits", run_life_in_bits, IN_WORDS, 100 * 512},
    {"sobol", run_sobol, IN_OUT, 1 << 20},
    {"xorwow_normal", run_xorwow_normal, IN_OUT, 32 * 264 * 256},
    {"coulomb_plane", run_coulomb_plane, IN_OUT, 1024 * 512},
    {"newton_fractal", run_newton_fractal, IN_WORDS, 1 << 20},
    {"kepler", run_kepler, IN_DOUT, 512 * 256},
    {"to_sphere", run_to_sphere, IN_OUT, 3000000},
    {"stereo", run_stereo, IN_WORDS, 640 * 480},
    {"enlarge_cubic", run_enlarge_cubic, IN_OUT, 1280 * 960},
    {"invert_4x4", run_invert_4x4, IN_OUT, 1600 * 128 * 16},
    {"householder_panel", run_householder_panel, IN_OUT, 400 * 1024},
    {"parallel_reduction", run_parallel_reduction, IN_OUT, 1056 * 256},
    {"mixture_of_gaussians", run_mixture_of_gaussians, IN_OUT, 16 * 768 * 256},
    {"scan_single_block", run_scan_single_block, IN_OUT, 1 << 16},
    {NULL, NULL, IN_OUT, 0}};

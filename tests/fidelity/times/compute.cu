/* compute.cu - kernels that mostly compute: options, fractals, hashes, transforms, FP64. */
#include "times.h"

__device__ static float normal_cdf(float x)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
    float tail =
        0.39894228f * __expf(-0.5f * x * x) *
        (k * (0.31938153f +
              k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return x > 0 ? 1 - tail : tail;
}
__global__ void black_scholes(float *out, const float *price, const float *strike, unsigned n)
{
    unsigned i = GLOBAL_ID;
    if (i >= n)
        return;
    float s = 5 + 25 * price[i], k = 1 + 99 * strike[i], t = 0.25f + 0.5f * price[i];
    float root = sqrtf(t), d1 = (__logf(s / k) + 0.06f * t) / (0.3f * root), d2 = d1 - 0.3f * root;
    float discounted = k * __expf(-0.02f * t);
    out[i] = s * normal_cdf(d1) - discounted * normal_cdf(d2);
}
static void run_black_scholes(const struct times_io *io)
{
    black_scholes<<<(1 << 21) / 256, 256>>>(io->out, io->a, io->b, 1 << 21);
}

/* Pixels leave at different rounds. */
__global__ void mandelbrot(float *out, unsigned width, unsigned height, unsigned most)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float cr = -2.0f + 3.0f * (float)x / (float)width, ci = -1.5f + 3.0f * (float)y / (float)height;
    float zr = 0, zi = 0;
    unsigned k = 0;
    while (k < most && zr * zr + zi * zi < 4) {
        float next = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = next;
        k++;
    }
    out[y * width + x] = (float)k;
}
static void run_mandelbrot(const struct times_io *io)
{
    mandelbrot<<<dim3(1024 / 16, 512 / 16), dim3(16, 16)>>>(io->out, 1024, 512, 128);
}

__global__ void horner(float *out, const float *a)
{
    float x = a[GLOBAL_ID], v = 1;
#pragma unroll 16
    for (int i = 0; i < 256; i++)
        v = v * x + 0.25f;
    out[GLOBAL_ID] = v;
}
static void run_horner(const struct times_io *io)
{
    horner<<<(1 << 20) / 256, 256>>>(io->out, io->a);
}
/* A warp for each scheduler: each addition waits for the last. */
static void run_horner_few_warps(const struct times_io *io)
{
    horner<<<132 * 8, 128>>>(io->out, io->a);
}
/* Four chains a thread. */
__global__ void horner_4(float *out, const float *a)
{
    float x = a[GLOBAL_ID], v[4] = {1, 2, 3, 4};
#pragma unroll 8
    for (int i = 0; i < 256; i++)
        for (int k = 0; k < 4; k++)
            v[k] = v[k] * x + 0.25f;
    out[GLOBAL_ID] = v[0] + v[1] + v[2] + v[3];
}
static void run_horner_4(const struct times_io *io) { horner_4<<<132 * 16, 256>>>(io->out, io->a); }

__global__ void horner_double(double *out, const double *a)
{
    double x = a[GLOBAL_ID], v = 1;
#pragma unroll 16
    for (int i = 0; i < 256; i++)
        v = v * x + 0.25;
    out[GLOBAL_ID] = v;
}
static void run_horner_double(const struct times_io *io)
{
    horner_double<<<(1 << 19) / 256, 256>>>(io->dout, io->da);
}

/* A mixing function of integers, 32 rounds. */
__global__ void mix_words(float *out, const int *words)
{
    unsigned v = (unsigned)words[GLOBAL_ID];
#pragma unroll 4
    for (unsigned i = 0; i < 32; i++) {
        v ^= v >> 16;
        v *= 0x7feb352du;
        v ^= v >> 15;
        v *= 0x846ca68bu;
    }
    out[GLOBAL_ID] = (float)(v & 0xffff);
}
static void run_mix_words(const struct times_io *io)
{
    mix_words<<<(1 << 21) / 256, 256>>>(io->out, io->index);
}

/* Shifts, rotations and logic, as a cipher has them. */
__global__ void chacha_rounds(float *out, const int *key)
{
    unsigned a = GLOBAL_ID, b = (unsigned)key[a & 1023], c = a ^ 0x61707865u, d = ~b;
#pragma unroll 2
    for (unsigned i = 0; i < 32; i++) {
        a += b, d ^= a, d = d << 16 | d >> 16;
        c += d, b ^= c, b = b << 12 | b >> 20;
        a += b, d ^= a, d = d << 8 | d >> 24;
        c += d, b ^= c, b = b << 7 | b >> 25;
    }
    out[GLOBAL_ID] = (float)((a ^ b ^ c ^ d) & 0xffff);
}
static void run_chacha_rounds(const struct times_io *io)
{
    chacha_rounds<<<(1 << 21) / 256, 256>>>(io->out, io->index);
}

/* Points in a circle: a generator a thread. */
__global__ void monte_carlo_pi(unsigned *counts, unsigned rounds)
{
    unsigned state = GLOBAL_ID * 747796405u + 1, inside = 0;
    for (unsigned i = 0; i < rounds; i++) {
        state = state * 1664525u + 1013904223u;
        float x = (float)(state >> 8) * 0x1p-24f;
        state = state * 1664525u + 1013904223u;
        float y = (float)(state >> 8) * 0x1p-24f;
        inside += x * x + y * y < 1;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        inside += __shfl_down_sync(0xffffffffu, inside, offset);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&counts[blockIdx.x], inside);
}
static void run_monte_carlo_pi(const struct times_io *io)
{
    monte_carlo_pi<<<132 * 8, 256>>>(io->counts, 128);
}

/* sin, cos and a root each round: the special function unit. */
__global__ void box_muller(float *out, const float *a, const float *b, unsigned n)
{
    unsigned i = GLOBAL_ID;
    float u = a[i] * 0.98f + 0.01f, v = b[i], sum = 0;
    for (int k = 0; k < 8; k++) {
        float r = sqrtf(-2.0f * __logf(u));
        sum += r * __cosf(6.2831853f * v) + r * __sinf(6.2831853f * v);
        u = u * 0.875f + 0.01f;
        v = v * 0.75f + 0.125f;
    }
    out[i] = sum;
}
static void run_box_muller(const struct times_io *io)
{
    box_muller<<<(1 << 20) / 256, 256>>>(io->out, io->a, io->b, 1 << 20);
}

/* 512 points a block, nine rounds, twiddle factors from sine and cosine. */
__global__ void fft_512(float2 *out, const float2 *in)
{
    __shared__ float2 v[512];
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < 512; i += 256)
        v[__brev(i) >> 23] = in[blockIdx.x * 512 + i];
    for (unsigned half = 1; half < 512; half *= 2) {
        __syncthreads();
        unsigned k = t % half, low = (t / half) * 2 * half + k;
        float angle = -3.14159265f * (float)k / (float)half, s, c;
        __sincosf(angle, &s, &c);
        float2 x = v[low], y = v[low + half];
        float re = y.x * c - y.y * s, im = y.x * s + y.y * c;
        v[low] = make_float2(x.x + re, x.y + im);
        v[low + half] = make_float2(x.x - re, x.y - im);
    }
    __syncthreads();
    for (unsigned i = t; i < 512; i += 256)
        out[blockIdx.x * 512 + i] = v[i];
}
static void run_fft_512(const struct times_io *io)
{
    fft_512<<<4096, 256>>>((float2 *)io->out, (const float2 *)io->a);
}

/* Rows, then columns of 8 x 8 blocks of an image, each thread a row. */
__global__ void dct_8x8(float *out, const float *a)
{
    __shared__ float block[8][8][9];
    unsigned which = threadIdx.x / 8, line = threadIdx.x % 8;
    size_t at = ((size_t)blockIdx.x * 8 + which) * 64;
    float in[8];
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 8; i++)
            in[i] = pass == 0 ? a[at + line * 8 + (unsigned)i] : block[which][i][line];
        for (int k = 0; k < 8; k++) {
            float sum = 0;
#pragma unroll
            for (int i = 0; i < 8; i++)
                sum += in[i] * __cosf(0.19634954f * (float)((2 * i + 1) * k));
            if (pass == 0)
                block[which][line][k] = sum;
            else
                out[at + (unsigned)k * 8 + line] = sum * 0.25f;
        }
        __syncthreads();
    }
}
static void run_dct_8x8(const struct times_io *io) { dct_8x8<<<2112, 64>>>(io->out, io->a); }

/* 32 spheres; a ray that hits computes more than one that does not. */
__global__ void trace_spheres(float *out, const float4 *spheres, unsigned width)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float ox = (float)x / (float)width, oy = (float)y / (float)width, nearest = 1e30f, light = 0;
    for (unsigned k = 0; k < 32; k++) {
        float4 s = spheres[k];
        float dx = ox - s.x, dy = oy - s.y, under = 0.01f * s.w - dx * dx - dy * dy;
        if (under > 0) {
            float root = sqrtf(under), depth = s.z - root;
            if (depth < nearest) {
                nearest = depth;
                light = root / (0.1f * sqrtf(s.w) + 0.001f);
            }
        }
    }
    out[y * width + x] = light;
}
static void run_trace_spheres(const struct times_io *io)
{
    trace_spheres<<<dim3(2048 / 16, 1024 / 16), dim3(16, 16)>>>(io->out, (const float4 *)io->a,
                                                                2048);
}

/* Gradient noise: integer hashes, interpolation. */
__device__ static float corner(int x, int y, float dx, float dy)
{
    unsigned h = (unsigned)x * 374761393u + (unsigned)y * 668265263u;
    h = (h ^ h >> 13) * 1274126177u;
    return (h & 1u ? dx : -dx) + (h & 2u ? dy : -dy);
}
__global__ void noise(float *out, unsigned width)
{
    unsigned px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y;
    float sum = 0, scale = 1;
    for (int octave = 0; octave < 4; octave++) {
        float x = (float)px * 0.03f / scale, y = (float)py * 0.03f / scale;
        int ix = (int)floorf(x), iy = (int)floorf(y);
        float fx = x - (float)ix, fy = y - (float)iy;
        float wx = fx * fx * (3 - 2 * fx), wy = fy * fy * (3 - 2 * fy);
        float top = corner(ix, iy, fx, fy) * (1 - wx) + corner(ix + 1, iy, fx - 1, fy) * wx;
        float low =
            corner(ix, iy + 1, fx, fy - 1) * (1 - wx) + corner(ix + 1, iy + 1, fx - 1, fy - 1) * wx;
        sum += scale * (top * (1 - wy) + low * wy);
        scale *= 0.5f;
    }
    out[py * width + px] = sum;
}
static void run_noise(const struct times_io *io)
{
    noise<<<dim3(1024 / 256, 1024), 256>>>(io->out, 1024);
}

/* Newton steps with division and square root, rounded as IEEE 754 says. */
__global__ void divide_and_root(float *out, const float *a)
{
    float x = a[GLOBAL_ID] + 0.5f, v = x;
    for (int i = 0; i < 16; i++)
        v = 0.5f * (v + x / v) + sqrtf(v) * 0.01f;
    out[GLOBAL_ID] = v;
}
static void run_divide_and_root(const struct times_io *io)
{
    divide_and_root<<<(1 << 20) / 256, 256>>>(io->out, io->a);
}

/* Springs in FP64, 16 steps of Runge and Kutta's fourth order. */
__global__ void runge_kutta_double(double *out, const double *a)
{
    double x = a[GLOBAL_ID], v = 0;
    const double h = 0.01;
    for (int i = 0; i < 16; i++) {
        double k1 = -x, k2 = -(x + 0.5 * h * v), k3 = -(x + 0.5 * h * v + 0.25 * h * h * k1);
        double k4 = -(x + h * v + 0.5 * h * h * k2);
        x += h * v + h * h * (k1 + k2 + k3) / 6;
        v += h * (k1 + 2 * k2 + 2 * k3 + k4) / 6;
    }
    out[GLOBAL_ID] = x + v;
}
static void run_runge_kutta_double(const struct times_io *io)
{
    runge_kutta_double<<<(1 << 19) / 128, 128>>>(io->dout, io->da);
}

/* Half of each warp takes the other way. */
__global__ void divergent_work(float *out, const float *a)
{
    float v = a[GLOBAL_ID], w = v;
    if (threadIdx.x % 2 == 0)
        for (int i = 0; i < 64; i++)
            w = w * v + 0.5f;
    else
        for (int i = 0; i < 64; i++)
            w = w * 0.5f + v;
    out[GLOBAL_ID] = w;
}
static void run_divergent_work(const struct times_io *io)
{
    divergent_work<<<(1 << 20) / 256, 256>>>(io->out, io->a);
}

/* Rounds that grow with the block: the last wave is the longest. */
__global__ void uneven_blocks(float *out, const float *a)
{
    float v = a[GLOBAL_ID];
    for (unsigned i = 0; i < blockIdx.x; i++)
        v = v * 0.99f + 0.001f;
    out[GLOBAL_ID] = v;
}
static void run_uneven_blocks(const struct times_io *io)
{
    uneven_blocks<<<2640, 128>>>(io->out, io->a);
}

const struct times_case compute_cases[] = {
    {"black_scholes", run_black_scholes, IN_OUT, 1 << 21},
    {"mandelbrot", run_mandelbrot, IN_OUT, 1024 * 512},
    {"horner", run_horner, IN_OUT, 1 << 20},
    {"horner_few_warps", run_horner_few_warps, IN_OUT, 132 * 8 * 128},
    {"horner_4", run_horner_4, IN_OUT, 132 * 16 * 256},
    {"horner_double", run_horner_double, IN_DOUT, 1 << 19},
    {"mix_words", run_mix_words, IN_OUT, 1 << 21},
    {"chacha_rounds", run_chacha_rounds, IN_OUT, 1 << 21},
    {"monte_carlo_pi", run_monte_carlo_pi, IN_COUNTS, 132 * 8},
    {"box_muller", run_box_muller, IN_OUT, 1 << 20},
    {"fft_512", run_fft_512, IN_OUT, 2 * 4096 * 512},
    {"dct_8x8", run_dct_8x8, IN_OUT, 2112 * 512},
    {"trace_spheres", run_trace_spheres, IN_OUT, 2048 * 1024},
    {"noise", run_noise, IN_OUT, 1024 * 1024},
    {"divide_and_root", run_divide_and_root, IN_OUT, 1 << 20},
    {"runge_kutta_double", run_runge_kutta_double, IN_DOUT, 1 << 19},
    {"divergent_work", run_divergent_work, IN_OUT, 1 << 20},
    {"uneven_blocks", run_uneven_blocks, IN_OUT, 2640 * 128},
    {NULL, NULL, IN_OUT, 0}};

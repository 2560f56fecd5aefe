/* half and half2: conversions in every rounding mode, arithmetic, comparisons, lanes, atomics. */
#include "check.h"

#include <cuda_fp16.h>

#define RESULTS 22

__global__ void compute(const float *in, int count, float *out)
{
    for (int i = 0; i < count; i++) {
        half a = __float2half(in[i]), b = __float2half(in[(i + 1) % count]);
        half c = __float2half(in[(i + 2) % count]);
        half2 p = __halves2half2(a, b), q = __floats2half2_rn(in[(i + 2) % count], 0.5f);
        half2 r;
        float *o = out + i * RESULTS;
        *o++ = __half2float(a);
        *o++ = __half2float(__float2half_rz(in[i]));
        *o++ = __half2float(__float2half_ru(in[i]));
        *o++ = __half2float(__float2half_rd(in[i]));
        *o++ = __half2float(__hadd(a, b));
        *o++ = __half2float(__hsub(a, b));
        *o++ = __half2float(__hmul(a, b));
        *o++ = __half2float(__hfma(a, b, c));
        *o++ = __half2float(a + b * c);
        *o++ = __half2float(-a);
        r = __hfma2(p, q, q);
        *o++ = __low2float(r);
        *o++ = __high2float(r);
        r = __hadd2(p, q) - p * q;
        *o++ = __half2float(r.x);
        *o++ = __half2float(r.y);
        *o++ = a < b;
        *o++ = a >= b;
        *o++ = __heq(a, a);
        *o++ = __hisnan(a);
        *o++ = __half2float(hsqrt(__habs(a)));
        *o++ = (float)__half2int_rz(a);
        *o++ = __half2float(__int2half_rn((int)in[i]));
        *o++ = __half2float(__hmax(a, b));
    }
}

/* Half precision by hand: a float rounded to 11 significant bits, in the given direction. */
static float round_to_half(double v, int direction) /* 0 nearest, 1 zero, 2 up, 3 down */
{
    if (isnan(v) || isinf(v) || v == 0)
        return (float)v;
    int exponent = ilogb(v) < -14 ? -14 : ilogb(v);
    double unit = ldexp(1.0, exponent - 10), scaled = v / unit;
    double whole = direction == 0   ? nearbyint(scaled)
                   : direction == 1 ? trunc(scaled)
                   : direction == 2 ? ceil(scaled)
                                    : floor(scaled);
    double rounded = copysign(whole * unit, v);
    if (fabs(rounded) <= 65504)
        return (float)rounded;
    bool infinite = direction == 0 || (direction == 2 && v > 0) || (direction == 3 && v < 0);
    return (float)copysign(infinite ? INFINITY : 65504, v);
}

static float nearest(double v) { return round_to_half(v, 0); }

static void expect(float x, float y, float z, float *o)
{
    double a = nearest(x), b = nearest(y), c = nearest(z);
    *o++ = (float)a;
    *o++ = round_to_half(x, 1);
    *o++ = round_to_half(x, 2);
    *o++ = round_to_half(x, 3);
    *o++ = nearest(a + b);
    *o++ = nearest(a - b);
    *o++ = nearest(a * b);
    *o++ = nearest(a * b + c);
    *o++ = NAN; /* a GPU may contract it to one fma: not compared */
    *o++ = (float)-a;
    *o++ = nearest(a * c + c);
    *o++ = nearest(b * 0.5 + 0.5);
    *o++ = NAN;
    *o++ = NAN;
    *o++ = a < b;
    *o++ = a >= b;
    *o++ = a == a;
    *o++ = isnan(a);
    *o++ = nearest(sqrt(fabs(a)));
    *o++ = (float)(isnan(a) ? 0 : isinf(a) ? NAN : trunc(a));
    *o++ = NAN;
    *o++ = (float)fmax(a, b);
}

/* Pairs are assigned bits as they are, and empty braces. */
__global__ void assign(half2 *out)
{
    __half2_raw bits;
    bits.x = 0x3c00;
    bits.y = 0xc000;
    out[0] = bits;
    out[1] = bits;
    out[1] = {};
}

__global__ void lanes(half *out, half2 *sum, half2 *shared_out)
{
    int lane = (int)threadIdx.x;
    half mine = __int2half_rn(lane);
    out[lane] = __shfl_xor_sync(0xffffffff, mine, 1);
    out[32 + lane] = __shfl_down_sync(0xffffffff, __half2half2(mine), 2).y;
    atomicAdd(sum, __floats2half2_rn(1.0f, 0.5f));
    shared_out[lane] = __ldg(shared_out + 32 + lane);
}

int main(void)
{
    const float values[] = {1.0f,     0.1f,     -2.5f,     65504.0f, 65519.0f, 65520.0f, 1e6f,
                            1e-7f,    6e-8f,    2.9e-8f,   -1e-5f,   0.33333f, 3.14159f, 2049.0f,
                            2051.0f,  -0.0f,    0.0f,      1024.5f,  5.5e-6f,  -7.75f,   100.3f,
                            INFINITY, -65536.f, 6.104e-5f, NAN,      1.0f};
    const int count = sizeof(values) / sizeof(values[0]);
    float *in = make_array<float>(count), *out = make_array<float>(count * RESULTS);
    memcpy(in, values, sizeof(values));
    compute<<<1, 1>>>(in, count, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < count; i++) {
        float want[RESULTS];
        expect(in[i], in[(i + 1) % count], in[(i + 2) % count], want);
        for (int j = 0; j < RESULTS; j++) {
            float got = out[i * RESULTS + j];
            bool free_to_differ =
                j == 8 || j == 12 || j == 13 || j == 20 || (j == 19 && isnan(want[j]));
            if (!free_to_differ && got != want[j] && !(isnan(got) && isnan(want[j])) &&
                check_failures++ < 10)
                printf("argument %d (%g), function %d: %a, not %a\n", i, in[i], j, got, want[j]);
        }
    }
    CHECK(__half2float(__float2half(0.1f)) == nearest(0.1f)); /* on the host */
    CHECK(sizeof(half) == 2 && sizeof(half2) == 4);

    half *shuffled = make_array<half>(64);
    half2 *sum = make_array<half2>(1), *pairs = make_array<half2>(64);
    *sum = __floats2half2_rn(0.0f, 0.0f);
    for (int i = 0; i < 64; i++)
        pairs[i] = __floats2half2_rn((float)i, 2.0f);
    lanes<<<1, 32>>>(shuffled, sum, pairs);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int lane = 0; lane < 32; lane++) {
        CHECK_FLOAT(__half2float(shuffled[lane]), lane ^ 1, 0);
        CHECK_FLOAT(__half2float(shuffled[32 + lane]), lane < 30 ? lane + 2 : lane, 0);
        CHECK_FLOAT(__low2float(pairs[lane]), 32 + lane, 0);
    }
    CHECK_FLOAT(__low2float(*sum), 32, 0);
    CHECK_FLOAT(__high2float(*sum), 16, 0);
    assign<<<1, 1>>>(pairs);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_FLOAT(__low2float(pairs[0]), 1, 0);
    CHECK_FLOAT(__high2float(pairs[0]), -2, 0);
    CHECK_FLOAT(__low2float(pairs[1]), 0, 0);
    CHECK_FLOAT(__high2float(pairs[1]), 0, 0);
    return check_done();
}

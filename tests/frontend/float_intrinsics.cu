/* Arithmetic and conversions with a rounding mode, against the host's arithmetic in that mode;
 * approximations, against the error bounds of the CUDA documentation. */
#include "check.h"

#include <fenv.h>

#define RESULTS 24

#define ALL(suffix)                                                                                \
    __global__ void compute_##suffix(const double *in, int count, double *out)                     \
    {                                                                                              \
        for (int i = 0; i < count; i++) {                                                          \
            double a = in[i], b = in[(i + 1) % count], c = in[(i + 2) % count];                    \
            float x = (float)a, y = (float)b, z = (float)c;                                        \
            double *o = out + i * RESULTS;                                                         \
            *o++ = __fadd_##suffix(x, y);                                                          \
            *o++ = __fsub_##suffix(x, y);                                                          \
            *o++ = __fmul_##suffix(x, y);                                                          \
            *o++ = __fdiv_##suffix(x, y);                                                          \
            *o++ = __fmaf_##suffix(x, y, z);                                                       \
            *o++ = __frcp_##suffix(x);                                                             \
            *o++ = __fsqrt_##suffix(fabsf(x));                                                     \
            *o++ = __dadd_##suffix(a, b);                                                          \
            *o++ = __dsub_##suffix(a, b);                                                          \
            *o++ = __dmul_##suffix(a, b);                                                          \
            *o++ = __ddiv_##suffix(a, b);                                                          \
            *o++ = __fma_##suffix(a, b, c);                                                        \
            *o++ = __drcp_##suffix(a);                                                             \
            *o++ = __dsqrt_##suffix(fabs(a));                                                      \
            *o++ = __float2int_##suffix(x);                                                        \
            *o++ = (double)__float2ll_##suffix(x);                                                 \
            *o++ = __double2int_##suffix(a);                                                       \
            *o++ = (double)__double2ll_##suffix(a);                                                \
            *o++ = __double2float_##suffix(a);                                                     \
            *o++ = __int2float_##suffix(__double2int_rz(b * 16777216.0));                          \
            *o++ = __ll2float_##suffix(__double2ll_rz(b * 1e15));                                  \
            *o++ = __ll2double_##suffix(__double2ll_rz(b * 1e18));                                 \
            *o++ = __uint2float_##suffix((unsigned int)__double2int_rz(fabs(b) * 1e9));            \
            *o++ = __float2uint_##suffix(fabsf(x));                                                \
        }                                                                                          \
    }

ALL(rn)
ALL(rz)
ALL(ru)
ALL(rd)

/* Conversion to an integer as CUDA does it: what is too large becomes the largest. */
static long long saturate(double v, double end)
{
    if (v >= end)
        return end == 2147483648.0 ? 2147483647 : 9223372036854775807ll;
    return v <= -end ? (long long)-end : (long long)v;
}

/* The host's results in the current rounding mode. volatile: nothing is computed at compile time
 * or moved across fesetround(). */
static void expect(double a_in, double b_in, double c_in, int mode, double *o)
{
    fesetround(FE_TONEAREST);
    volatile double a = a_in, b = b_in, c = c_in;
    volatile float x = (float)a, y = (float)b, z = (float)c;
    volatile long long big_int = saturate(b * 16777216.0, 2147483648.0);
    volatile long long big = saturate(b * 1e15, 9223372036854775808.0);
    volatile long long bigger = saturate(b * 1e18, 9223372036854775808.0);
    volatile long long unsigned_int = saturate(fabs(b) * 1e9, 2147483648.0);
    volatile double ax = fabs(x), aa = fabs(a);
    fesetround(mode);
    *o++ = (float)(x + y);
    *o++ = (float)(x - y);
    *o++ = (float)(x * y);
    *o++ = (float)(x / y);
    *o++ = fmaf(x, y, z);
    *o++ = (float)(1.0f / x);
    *o++ = sqrtf((float)ax);
    *o++ = a + b;
    *o++ = a - b;
    *o++ = a * b;
    *o++ = a / b;
    *o++ = fma(a, b, c);
    *o++ = 1.0 / a;
    *o++ = sqrt(aa);
    *o++ = nearbyint(x);
    *o++ = nearbyint(x);
    *o++ = nearbyint(a);
    *o++ = nearbyint(a);
    *o++ = (float)a;
    *o++ = (float)big_int;
    *o++ = (float)big;
    *o++ = (double)bigger;
    *o++ = (float)unsigned_int;
    *o++ = nearbyint((float)ax);
    fesetround(FE_TONEAREST);
}

struct bits {
    int i;
    unsigned int u;
    long long ll;
    double d, from_parts;
    float f;
    int high, low;
};

__global__ void reinterpret(float f, double d, struct bits *out)
{
    out->i = __float_as_int(f);
    out->u = __float_as_uint(f);
    out->f = __int_as_float(out->i) + __uint_as_float(out->u);
    out->ll = __double_as_longlong(d);
    out->d = __longlong_as_double(out->ll);
    out->high = __double2hiint(d);
    out->low = __double2loint(d);
    out->from_parts = __hiloint2double(out->high, out->low);
}

/* Conversions saturate, and NaN becomes 0. */
__global__ void extremes(float big, double bigger, float nan, long long *out)
{
    out[0] = __float2int_rn(big);
    out[1] = __float2int_rn(-big);
    out[2] = __float2uint_rn(-big);
    out[3] = __double2int_rz(bigger);
    out[4] = __double2ll_rz(bigger);
    out[5] = __float2int_rn(nan);
    out[6] = (long long)__saturatef(big) + (long long)(__saturatef(-big) * 4);
    out[7] = (long long)(__saturatef(0.75f) * 4);
    out[8] = (int)big;
    out[9] = (unsigned int)(-big);
}

__global__ void approximate(float x, float *out)
{
    out[0] = __expf(x);
    out[1] = __exp10f(x);
    out[2] = __logf(x);
    out[3] = __log2f(x);
    out[4] = __log10f(x);
    out[5] = __sinf(x);
    out[6] = __cosf(x);
    out[7] = __tanf(x);
    out[8] = __powf(x, 1.5f);
    out[9] = __fdividef(x, 3.0f);
    out[10] = rsqrtf(x);
    out[11] = __frsqrt_rn(x);
    __sincosf(x, &out[12], &out[13]);
}

static void check_approximations(float x, float *out)
{
    approximate<<<1, 1>>>(x, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_FLOAT(out[0], exp((double)x), (2 + fabs(1.173 * x)) * 1.2e-7);
    CHECK_FLOAT(out[1], pow(10.0, (double)x), (2 + fabs(2.97 * x)) * 1.2e-7 * 2);
    CHECK(fabs(out[2] - log((double)x)) <= 4e-7 + 3 * 1.2e-7 * fabs(log((double)x)));
    CHECK(fabs(out[3] - log2((double)x)) <= 4e-7 + 2 * 1.2e-7 * fabs(log2((double)x)));
    CHECK(fabs(out[4] - log10((double)x)) <= 4e-7 + 3 * 1.2e-7 * fabs(log10((double)x)));
    CHECK(fabs(out[5] - sin((double)x)) <= 5e-7);
    CHECK(fabs(out[6] - cos((double)x)) <= 5e-7);
    CHECK_FLOAT(out[7], tan((double)x), 4e-6);
    CHECK_FLOAT(out[8], pow((double)x, 1.5), 4e-6);
    CHECK_FLOAT(out[9], (double)x / 3, 2 * 1.2e-7);
    CHECK_FLOAT(out[10], 1 / sqrt((double)x), 2 * 1.2e-7);
    CHECK_FLOAT(out[11], (float)(1 / sqrt((double)x)), 0);
    CHECK(out[12] == out[5] && out[13] == out[6]);
}

int main(void)
{
    const double values[] = {1.0,        3.0,    0.1, -0.7,    1.0 / 3, 1e-3,  -2.5,
                             123456.789, -1.5,   2.5, 7.0,     -0.5,    0.5,   1e-30,
                             1.00001,    -99.99, 1e5, 1.7e-38, 16384,   0.3333};
    const int count = sizeof(values) / sizeof(values[0]);
    double *in = make_array<double>(count), *out = make_array<double>(count * RESULTS);
    memcpy(in, values, sizeof(values));
    void (*const kernels[])(const double *, int, double *) = {compute_rn, compute_rz, compute_ru,
                                                              compute_rd};
    const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
    for (int mode = 0; mode < 4; mode++) {
        kernels[mode]<<<1, 1>>>(in, count, out);
        CHECK_CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < count; i++) {
            double want[RESULTS];
            expect(in[i], in[(i + 1) % count], in[(i + 2) % count], modes[mode], want);
            for (int j = 0; j < RESULTS; j++)
                if (out[i * RESULTS + j] != want[j] && check_failures++ < 10)
                    printf("mode %d, argument %d, function %d: %a, not %a\n", mode, i, j,
                           out[i * RESULTS + j], want[j]);
        }
    }

    struct bits *bits = make_array<struct bits>(1);
    reinterpret<<<1, 1>>>(-1.5f, 3.141592653589793, bits);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_INT(bits->i, (int)0xbfc00000);
    CHECK_INT(bits->u, 0xbfc00000);
    CHECK_FLOAT(bits->f, -3.0, 0);
    CHECK_INT(bits->ll, 0x400921fb54442d18);
    CHECK_FLOAT(bits->d, 3.141592653589793, 0);
    CHECK_INT(bits->high, 0x400921fb);
    CHECK_INT(bits->low, 0x54442d18);
    CHECK_FLOAT(bits->from_parts, 3.141592653589793, 0);

    long long *limits = make_array<long long>(10);
    extremes<<<1, 1>>>(1e20f, 1e30, nanf(""), limits);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_INT(limits[0], 2147483647);
    CHECK_INT(limits[1], -2147483648ll);
    CHECK_INT(limits[2], 0);
    CHECK_INT(limits[3], 2147483647);
    CHECK_INT(limits[4], 9223372036854775807ll);
    CHECK_INT(limits[5], 0);
    CHECK_INT(limits[6], 1);
    CHECK_INT(limits[7], 3);
    CHECK_INT(limits[8], 2147483647);
    CHECK_INT(limits[9], 0);

    float *approximations = make_array<float>(14);
    check_approximations(0.7f, approximations);
    check_approximations(1.9f, approximations);
    check_approximations(3.0f, approximations);
    return check_done();
}

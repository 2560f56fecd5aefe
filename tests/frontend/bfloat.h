/* bfloat.h - the functions of bfloat16 in a kernel and on the host: both have the same bits. GPUs
 * before sm_90 have no sums, comparisons and conversions of integers in this type, and kernels work
 * there all the same. */
#include "check.h"

#include <cuda_bf16.h>

enum { VALUES = 9, RESULTS = 40 };

/* Functions of kernels alone, and what they compute: a sum of double is exact, or far from a tie.
 */
#ifdef __CUDA_ARCH__
#define KERNEL_OR_HOST(kernel, host) kernel
#else
#define KERNEL_OR_HOST(kernel, host) host
#endif

__host__ __device__ void compute(float x, float y, float *out)
{
    const __nv_bfloat16 a = __float2bfloat16(x), b = __float2bfloat16(y);
    const double fused = (double)__bfloat162float(a) * __bfloat162float(b) + __bfloat162float(a);
    const double squared = (double)__bfloat162float(b) * __bfloat162float(b) + __bfloat162float(b);
    const __nv_bfloat162 a2 = __halves2bfloat162(a, b), b2 = __halves2bfloat162(b, b);
    const __nv_bfloat16 values[] = {
        a + b,
        a - b,
        a * b,
        a / b,
        KERNEL_OR_HOST(__hfma(a, b, a), __double2bfloat16(fused)),
        __hmax(a, b),
        __hmin(a, b),
        __hneg(a),
        __habs(a),
        __hadd_sat(a, b),
        KERNEL_OR_HOST(__hfma_relu(a, b, a), __double2bfloat16(fused <= 0 ? 0 : fused)),
        __hadd_rn(a, b),
        __hmul_rn(a, b),
        __low2bfloat16(a2 + b2),
        __high2bfloat16(a2 - b2),
        __low2bfloat16(a2 * b2),
        KERNEL_OR_HOST(__high2bfloat16(__hfma2(a2, b2, b2)), __double2bfloat16(squared)),
        __low2bfloat16(__heq2(a2, b2)),
        __high2bfloat16(__hge2(a2, b2)),
        __low2bfloat16(__hmax2(a2, b2)),
        __int2bfloat16_rn((int)(x * 1000)),
        __uint2bfloat16_rn(4000000123u),
        __ll2bfloat16_rn((long long)(x * 1e12f)),
        __short2bfloat16_rn((short)(y * 100)),
        __double2bfloat16(x * 1.00390625),
        __float2bfloat16_rz(x),
        __nv_bfloat16((int)(y * 77))};
    const int count = sizeof values / sizeof values[0];
    for (int i = 0; i < count; i++)
        out[i] = __bfloat162float(values[i]);
    out[count] = (float)((a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * (a > b) +
                         32 * __hgeu(a, b));
    out[count + 1] = (float)(__hbeq2(a2, a2) + 2 * __hblt2(a2, b2) + 4 * __hisnan(a));
    out[count + 2] =
        (float)KERNEL_OR_HOST(__bfloat162int_rn(a), rint((double)__bfloat162float(a)) + 0.0);
    out[count + 3] = (float)__bfloat162uint_rz(b);
    out[count + 4] =
        (float)KERNEL_OR_HOST(__bfloat162ll_rd(a), floor((double)__bfloat162float(a)) + 0.0);
    out[count + 5] =
        (float)KERNEL_OR_HOST(__bfloat162short_ru(b), ceil((double)__bfloat162float(b)) + 0.0);
    out[count + 6] = (float)(a2 == b2);
    for (int i = count + 7; i < RESULTS; i++)
        out[i] = 0;
}

__global__ void on_device(const float *x, float *out)
{
    compute(x[threadIdx.x], x[(threadIdx.x + 1) % VALUES], out + threadIdx.x * RESULTS);
}

__global__ void add_up(__nv_bfloat16 *sum, __nv_bfloat162 *pair)
{
    atomicAdd(sum, __float2bfloat16(0.5f));
    atomicAdd(pair, __floats2bfloat162_rn(1.0f, -2.0f));
}

__global__ void tangents(float *out)
{
    out[0] = __bfloat162float(htanh(__float2bfloat16(0.5f)));
    out[1] = __bfloat162float(hexp(__float2bfloat16(1.0f)));
    out[2] = __bfloat162float(hrsqrt(__float2bfloat16(4.0f)));
}

int main(void)
{
    const float values[VALUES] = {0.7f, 1.3f, -2.5f, 0.0f, 1e-3f, 100.4f, 3.0f, 3.0f, -0.1f};
    float *x = make_array<float>(VALUES), *out = make_array<float>(VALUES * RESULTS);
    memcpy(x, values, sizeof values);
    on_device<<<1, VALUES>>>(x, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < VALUES; i++) {
        float want[RESULTS];
        compute(x[i], x[(i + 1) % VALUES], want);
        for (int k = 0; k < RESULTS; k++) {
            if (out[i * RESULTS + k] != want[k])
                printf("result %d of %g and %g\n", k, x[i], x[(i + 1) % VALUES]);
            CHECK_FLOAT(out[i * RESULTS + k], want[k], 0);
        }
    }
    CHECK_FLOAT(out[0], 2.0, 0); /* 0.69921875 + 1.296875: a tie */
    __nv_bfloat16 *sum = make_array<__nv_bfloat16>(1);
    __nv_bfloat162 *pair = make_array<__nv_bfloat162>(1);
    *sum = __float2bfloat16(0.0f);
    *pair = __floats2bfloat162_rn(0.0f, 1.0f);
    add_up<<<2, 40>>>(sum, pair);
    tangents<<<1, 1>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_FLOAT(__bfloat162float(*sum), 40, 0);
    CHECK_FLOAT(__low2float(*pair), 80, 0);
    CHECK_FLOAT(__high2float(*pair), -159, 0);
    CHECK_FLOAT(out[0], 0.462, 0.01);
    CHECK_FLOAT(out[1], 2.718, 0.01);
    CHECK_FLOAT(out[2], 0.5, 0);
    return check_done();
}

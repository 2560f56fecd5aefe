/* functions.cu - pointers with and without __restrict__, recursion, functions as values, templates. */
#include "strangers.h"

/* --- pointers that may be the same, and may not ------------------------------------------------------------------- */
__global__ void plain_pointers(float *a, float *b, const float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = c[i] * 2;
    b[i] = c[i] + a[i];
    a[i + 1024] = c[i] - b[i];
}

__global__ void restrict_pointers(float *__restrict__ a, float *__restrict__ b, const float *__restrict__ c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = c[i] * 2;
    b[i] = c[i] + a[i];
    a[i + 1024] = c[i] - b[i];
}

__global__ void loads_again(const volatile int *v, const int *c, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = c[i];
    if (x & 1)
        x += c[i] * c[i + 1];
    int y = v[i] + v[i];
    if (y > x)
        x += c[i + 1];
    out[i] = x + c[i];
}

/* --- functions ---------------------------------------------------------------------------------------------------- */
__device__ __noinline__ int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }

__global__ void reduce_fractions(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int a = (in[i] & 255) + 1, b = (in[i] >> 8 & 255) + 1;
    int d = gcd(a, b);
    out[i] = a / d * 1000 + b / d;
}

__device__ float power(float x, int n)
{
    if (n == 0)
        return 1;
    float half = power(x, n / 2);
    return n % 2 ? half * half * x : half * half;
}

__global__ void powers(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = power(in[i], i % 11);
}

typedef float (*operation)(float, float);
__device__ float add(float a, float b) { return a + b; }
__device__ float subtract(float a, float b) { return a - b; }
__device__ float larger(float a, float b) { return a > b ? a : b; }
__device__ operation table[3] = {add, subtract, larger};

__global__ void call_table(const float *a, const float *b, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    operation f = table[i / 32 % 3];
    out[i] = f(a[i], b[i]);
}

template <typename F> __device__ void for_each_of(const float *in, int n, F f)
{
    for (int k = 0; k < n; k++)
        f(k, in[k]);
}

__global__ void lambdas(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0, most = -1e9f;
    int where = 0;
    for_each_of(in + i * 6, 6, [&](int, float x) { sum += x; });
    for_each_of(in + i * 6, 6, [&](int k, float x) {
        if (x > most) {
            most = x;
            where = k;
        }
    });
    out[i] = sum + most * where;
}

template <typename T, int N> __global__ void block_sum(const T *in, T *out)
{
    __shared__ T s[N];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * N + t];
    __syncthreads();
#pragma unroll
    for (int d = N / 2; d > 32; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t < 32) {
        T x = s[t] + s[t + 32];
        for (int d = 16; d > 0; d /= 2)
            x += __shfl_down_sync(0xffffffff, x, d);
        if (t == 0)
            out[blockIdx.x] = x;
    }
}

void run_pointers(void)
{
    const int *in = (const int *)d_in;
    const float *floats = (const float *)d_in;
    float *out = (float *)d_out;
    RUN(plain_pointers, FLOATS, plain_pointers<<<2, 128>>>(out, out + 4096, floats));
    RUN(restrict_pointers, FLOATS, restrict_pointers<<<2, 128>>>(out, out + 4096, floats));
    RUN(loads_again, WHOLE, loads_again<<<2, 128>>>(in + 2048, in, (int *)d_out));
}

void run_functions(void)
{
    const int *in = (const int *)d_in;
    const float *floats = (const float *)d_in;
    float *out = (float *)d_out;
    RUN(reduce_fractions, WHOLE, reduce_fractions<<<2, 128>>>(in, (int *)d_out));
    RUN(powers, FLOATS, powers<<<2, 128>>>(floats, out));
    RUN(call_table, FLOATS, call_table<<<2, 128>>>(floats, floats + 1000, out));
    RUN(lambdas, FLOATS, lambdas<<<2, 128>>>(floats, out));
    RUN(block_sum_int, WHOLE, block_sum<int, 256><<<4, 256>>>(in, (int *)d_out));
    RUN(block_sum_long, WHOLE, block_sum<long long, 128><<<4, 128>>>((const long long *)in, (long long *)d_out));
}

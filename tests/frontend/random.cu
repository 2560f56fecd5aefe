/* curand_kernel.h: numbers of XORWOW and Philox, jumps ahead, distributions. Lines 9, 10 and 12,
 * normal numbers by logf(), may differ in the last bit and are left out; the expected text is what
 * nvcc's header gives on the simulator. An H200's logf() and sincosf() round a few of lines 11 and 36 to 38
 * otherwise. */
#include <curand_kernel.h>
#include <cstdio>
__global__ void k(unsigned *o)
{
    int i = threadIdx.x;
    unsigned *p = o + i * 64;
    int n = 0;
    curandState s;
    curand_init(1234ull + ((unsigned long long)(i & 1) << 40), i * 3, i % 5 * 1000000007ull, &s);
    for (int j = 0; j < 4; j++)
        p[n++] = curand(&s);
    float u = curand_uniform(&s);
    p[n++] = __float_as_uint(u);
    double d = curand_uniform_double(&s);
    long long b = __double_as_longlong(d);
    p[n++] = b;
    p[n++] = b >> 32;
    skipahead(77ull, &s);
    p[n++] = curand(&s);
    skipahead_sequence(5ull, &s);
    p[n++] = curand(&s);
    p[n++] = __float_as_uint(curand_normal(&s));
    p[n++] = __float_as_uint(curand_normal(&s));
    float2 f2 = curand_normal2(&s);
    p[n++] = __float_as_uint(f2.y);
    p[n++] = __float_as_uint(curand_log_normal(&s, 0.5f, 0.25f));
    n++;
    double nd = curand_normal_double(&s);
    p[n++] = (unsigned)(long long)(nd * 1e6);
    p[n++] = curand(&s);
    n = 20;
    curandStatePhilox4_32_10_t h;
    curand_init(99ull, i * 7ull, i * 3ull, &h);
    for (int j = 0; j < 6; j++)
        p[n++] = curand(&h);
    uint4 q = curand4(&h);
    p[n++] = q.x;
    p[n++] = q.w;
    float4 f = curand_uniform4(&h);
    p[n++] = __float_as_uint(f.y);
    p[n++] = __float_as_uint(curand_uniform(&h));
    d = curand_uniform_double(&h);
    b = __double_as_longlong(d);
    p[n++] = b;
    p[n++] = b >> 32;
    double2 d2 = curand_uniform2_double(&h);
    b = __double_as_longlong(d2.y);
    p[n++] = b;
    p[n++] = b >> 32;
    skipahead(10ull, &h);
    p[n++] = curand(&h);
    skipahead_sequence(3ull, &h);
    p[n++] = curand(&h);
    float4 g = curand_normal4(&h);
    p[n++] = __float_as_uint(g.z);
    p[n++] = __float_as_uint(curand_normal(&h));
    p[n++] = __float_as_uint(curand_normal(&h));
}
/* Poisson numbers: below a mean of 64 they are those of NVIDIA's header, above it only their distribution is. */
__global__ void poisson(unsigned *o, double mean)
{
    int i = threadIdx.x;
    unsigned *p = o + i * 6;
    curandState s;
    curandStatePhilox4_32_10_t h;
    curand_init(7ull, i, 0, &s);
    curand_init(7ull, i, 0, &h);
    uint4 four = curand_poisson4(&h, mean);
    p[0] = four.x;
    p[1] = four.y;
    p[2] = four.z;
    p[3] = four.w;
    p[4] = curand_poisson(&h, mean);
    p[5] = curand_poisson(&s, mean);
}
/* Mean and variance are the same; of 1,536 numbers they lie within 5 standard deviations of it. */
static bool is_poisson(const unsigned *o, int count, double mean)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < count; i++) {
        sum += o[i] - mean;
        squares += (o[i] - mean) * (o[i] - mean);
    }
    return fabs(sum / count) < 5 * sqrt(mean / count) &&
           fabs(squares / count - mean) < 5 * sqrt((2 * mean * mean + mean) / count);
}
static void test_poisson()
{
    const double means[] = {0.5, 12, 63, 64, 90, 5000, 1e6};
    const int count = 256 * 6;
    unsigned *o;
    cudaMallocManaged(&o, count * sizeof *o);
    for (int m = 0; m < 7; m++) {
        unsigned h = 0;
        poisson<<<1, 256>>>(o, means[m]);
        int e = cudaDeviceSynchronize();
        for (int i = 0; i < count; i++)
            h = h * 31 + o[i];
        printf("poisson %g: %d %s %08x\n", means[m], e,
               is_poisson(o, count, means[m]) ? "right" : "wrong", means[m] < 64 ? h : 0);
    }
}
int main()
{
    unsigned *o;
    cudaMallocManaged(&o, 32 * 64 * 4);
    cudaMemset(o, 0, 32 * 64 * 4);
    k<<<1, 32>>>(o);
    int e = cudaDeviceSynchronize();
    printf("%d sizeof %zu %zu %zu\n", e, sizeof(curandState), sizeof(curandStatePhilox4_32_10_t),
           sizeof(float));
    for (int j = 0; j < 40; j++) {
        if (j == 9 || j == 10 || j == 12)
            continue;
        unsigned h = 0;
        for (int i = 0; i < 32; i++)
            h = h * 31 + o[i * 64 + j];
        printf("%d:%08x %08x %08x\n", j, h, o[j], o[7 * 64 + j]);
    }
    test_poisson();
}

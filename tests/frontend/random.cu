/* curand_kernel.h: numbers of XORWOW, Philox, MRG32k3a and Sobol', jumps ahead, distributions.
 * Lines 9, 10 and 12, normal numbers by logf(), may differ in the last bit and are left out; the
 * expected text is what nvcc's header gives on the simulator. An H200's logf() and sincosf() round
 * a few of lines 11 and 36 to 38 otherwise. */
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
/* All that is no normal number is NVIDIA's bit for bit; these are told to six digits. */
__global__ void mrg(unsigned *o)
{
    int i = threadIdx.x;
    unsigned *p = o + i * 16;
    int n = 0;
    curandStateMRG32k3a s;
    curand_init(i ? 99ull + ((unsigned long long)i << 35) : 0ull, i * 5ull, i * 1000003ull, &s);
    p[n++] = curand(&s);
    p[n++] = curand(&s);
    p[n++] = __float_as_uint(curand_uniform(&s));
    long long b = __double_as_longlong(curand_uniform_double(&s));
    p[n++] = b;
    p[n++] = b >> 32;
    skipahead(123456789012ull, &s);
    p[n++] = curand(&s);
    skipahead_subsequence(7ull, &s);
    p[n++] = curand(&s);
    skipahead_sequence(3ull, &s);
    p[n++] = curand(&s);
    double2 d2 = curand_normal2_double(&s);
    p[n++] = (unsigned)(long long)(d2.x * 1e6);
    p[n++] = (unsigned)(long long)(curand_normal_double(&s) * 1e6);
    p[n++] = (unsigned)(long long)(curand_log_normal2_double(&s, 0.5, 0.25).y * 1e6);
    p[n++] = curand_poisson(&s, 12);
    p[n++] = curand(&s);
}
__global__ void sobol(unsigned *o, unsigned *vectors, unsigned long long *wide)
{
    int i = threadIdx.x;
    unsigned *p = o + i * 16;
    int n = 0;
    curandStateSobol32_t a;
    curandStateScrambledSobol32_t b;
    curandStateScrambledSobol64_t c;
    curand_init(vectors, i * 17u, &a);
    curand_init(vectors, 0x9e3779b9u, i * 17u, &b);
    curand_init(wide, 0x9e3779b97f4a7c15ull, i * 17ull, &c);
    p[n++] = curand(&a);
    p[n++] = curand(&b);
    p[n++] = curand(&c) >> 20;
    skipahead(5u, &b);
    p[n++] = curand(&b);
    p[n++] = __float_as_uint(curand_uniform(&b));
    long long bits = __double_as_longlong(curand_uniform_double(&c));
    p[n++] = bits;
    p[n++] = bits >> 32;
    p[n++] = (int)(curand_normal(&b) * 1e4f);
    p[n++] = (int)(curand_normal(&c) * 1e4f);
    p[n++] = (int)(curand_normal_double(&c) * 1e6);
    p[n++] = (int)(curand_log_normal_double(&b, 0.5, 0.25) * 1e6);
    p[n++] = curand(&c) >> 3;
}
static void show(const char *name, const unsigned *o, int words)
{
    int e = cudaDeviceSynchronize();
    for (int j = 0; j < words; j++) {
        unsigned h = 0;
        for (int i = 0; i < 32; i++)
            h = h * 31 + o[i * 16 + j];
        printf("%s %d %d: %08x %08x\n", name, e, j, h, o[5 * 16 + j]);
    }
}
static void test_mrg_and_sobol()
{
    unsigned *o, *vectors;
    unsigned long long *wide;
    cudaMallocManaged(&o, 32 * 16 * sizeof *o);
    cudaMallocManaged(&vectors, 32 * sizeof *vectors);
    cudaMallocManaged(&wide, 64 * sizeof *wide);
    for (int i = 0; i < 64; i++) { /* the second dimension: each of the one before and its half */
        wide[i] = i == 0 ? 1ull << 63 : wide[i - 1] ^ wide[i - 1] >> 1;
        if (i < 32)
            vectors[i] = wide[i] >> 32;
    }
    mrg<<<1, 32>>>(o);
    show("mrg", o, 13);
    sobol<<<1, 32>>>(o, vectors, wide);
    show("sobol", o, 12);
}
/* Poisson numbers: below a mean of 64 they are those of NVIDIA's header, above it only their
 * distribution is. */
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
    test_mrg_and_sobol();
    test_poisson();
}

/* The functions of dynamic programming (DPX) on numbers that a formula scatters, on device and
 * host. */
#include <cstdio>
__host__ __device__ unsigned mixu(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352d;
    x ^= x >> 15;
    x *= 0x846ca68b;
    return x ^ x >> 16;
}
#define F3(N)                                                                                      \
    N(__vimax3_s32)                                                                                \
    N(__vimin3_s32) N(__viaddmax_s32) N(__viaddmin_s32) N(__vimax3_u32) N(__vimin3_u32)            \
        N(__viaddmax_u32) N(__viaddmin_u32) N(__vimax3_s16x2) N(__vimin3_s16x2)                    \
            N(__viaddmax_s16x2) N(__viaddmin_s16x2) N(__vimax3_u16x2) N(__vimin3_u16x2)            \
                N(__viaddmax_u16x2) N(__viaddmin_u16x2) N(__vimax3_s32_relu) N(__vimin3_s32_relu)  \
                    N(__viaddmax_s32_relu) N(__viaddmin_s32_relu) N(__vimax3_s16x2_relu)           \
                        N(__vimin3_s16x2_relu) N(__viaddmax_s16x2_relu) N(__viaddmin_s16x2_relu)
#define F2(N) N(__vimax_s32_relu) N(__vimin_s32_relu) N(__vimax_s16x2_relu) N(__vimin_s16x2_relu)
#define B1(N) N(__vibmax_s32) N(__vibmin_s32) N(__vibmax_u32) N(__vibmin_u32)
#define B2(N) N(__vibmax_s16x2) N(__vibmin_s16x2) N(__vibmax_u16x2) N(__vibmin_u16x2)
#define R3(f) h = h * 31 + (unsigned)f(a, b, c);
#define R2(f) h = h * 31 + (unsigned)f(a, b);
#define RB(f) h = h * 31 + (unsigned)f(a, b, &p) + p;
#define RC(f) h = h * 31 + (unsigned)f(a, b, &p, &q) + p + 2 * q;
__host__ __device__ unsigned every(unsigned i)
{
    unsigned a = mixu(i), b = mixu(i + 77777), c = mixu(i * 3 + 5), h = 0;
    bool p, q;
    if (i % 5 == 0)
        b = a;
    if (i % 7 == 0)
        b = (a & 0xffff) | (b << 16);
    F3(R3) F2(R2) B1(RB) B2(RC) return h;
}
__global__ void k(unsigned *o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = every(i);
}
int main()
{
    unsigned *o;
    cudaMallocManaged(&o, 4 * 4096);
    k<<<16, 256>>>(o);
    int e = cudaDeviceSynchronize();
    unsigned h = 0, d = 0;
    for (int i = 0; i < 4096; i++) {
        h = h * 31 + o[i];
        d += o[i] != every(i);
    }
    printf("%d %08x host differs %u\n", e, h, d);
}

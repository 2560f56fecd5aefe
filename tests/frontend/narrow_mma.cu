/* flags: -arch=sm_90 */
/* mma of FP8 with accumulators of FP16: ptxas makes for sm_90 two products of FP16 of it, of the
 * lower and the upper two elements of each register, and an addition of the accumulator. That
 * sequence, written out, must give the same bits; also for subnormal numbers, infinities, NaNs and
 * sums that overflow. */
#include "check.h"

enum { TILES = 96, WORDS = 32 * 8 };

__device__ static unsigned widen(unsigned word, unsigned upper, bool five)
{
    unsigned pair;
    const unsigned short two = (unsigned short)(word >> 16 * upper);
    if (five) {
        asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(pair) : "h"(two));
    } else {
        asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"(two));
    }
    return pair;
}

/* k 32 of A and B of types T and U, whose codes are wide_a and wide_b */
#define LONG(T, U)                                                                                 \
    asm("mma.sync.aligned.m16n8k32.row.col.f16." T "." U ".f16 {%0, %1}, {%2, %3, %4, %5}, {%6, "  \
        "%7}, {%8, %9};"                                                                           \
        : "=r"(d[0]), "=r"(d[1])                                                                   \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]))
#define SHORT(T, U)                                                                                \
    asm("mma.sync.aligned.m16n8k16.row.col.f16." T "." U ".f16 {%0, %1}, {%2, %3}, {%4}, {%5, "    \
        "%6};"                                                                                     \
        : "=r"(d[0]), "=r"(d[1])                                                                   \
        : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]))

__device__ static void long_apart(unsigned *d, const unsigned *a, const unsigned *b,
                                  const unsigned *c, bool five_a, bool five_b)
{
    unsigned sum[2] = {0, 0};
    for (unsigned upper = 0; upper < 2; upper++) {
        asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, "
            "%7}, {%0, %1};"
            : "+r"(sum[0]), "+r"(sum[1])
            : "r"(widen(a[0], upper, five_a)), "r"(widen(a[1], upper, five_a)),
              "r"(widen(a[2], upper, five_a)), "r"(widen(a[3], upper, five_a)),
              "r"(widen(b[0], upper, five_b)), "r"(widen(b[1], upper, five_b)));
    }
    asm("add.rn.f16x2 %0, %1, %2;" : "=r"(d[0]) : "r"(sum[0]), "r"(c[0]));
    asm("add.rn.f16x2 %0, %1, %2;" : "=r"(d[1]) : "r"(sum[1]), "r"(c[1]));
}

__device__ static void short_apart(unsigned *d, const unsigned *a, const unsigned *b,
                                   const unsigned *c, bool five_a, bool five_b)
{
    unsigned sum[2] = {0, 0};
    for (unsigned upper = 0; upper < 2; upper++) {
        asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
            : "+r"(sum[0]), "+r"(sum[1])
            : "r"(widen(a[0], upper, five_a)), "r"(widen(a[1], upper, five_a)),
              "r"(widen(b[0], upper, five_b)));
    }
    asm("add.rn.f16x2 %0, %1, %2;" : "=r"(d[0]) : "r"(sum[0]), "r"(c[0]));
    asm("add.rn.f16x2 %0, %1, %2;" : "=r"(d[1]) : "r"(sum[1]), "r"(c[1]));
}

__global__ void multiply(const unsigned *in, unsigned *together, unsigned *apart)
{
    for (unsigned tile = 0; tile < TILES; tile++) {
        unsigned v[8], *a = v, *b = v + 4, *c = v + 6, d[2];
        for (unsigned i = 0; i < 8; i++) {
            v[i] = in[(tile * 8 + i) * 32 + threadIdx.x];
        }
#define KEEP(variant)                                                                              \
    together[((tile * 4 + variant) * 2 + 0) * 32 + threadIdx.x] = d[0];                            \
    together[((tile * 4 + variant) * 2 + 1) * 32 + threadIdx.x] = d[1]
#define KEEP_APART(variant)                                                                        \
    apart[((tile * 4 + variant) * 2 + 0) * 32 + threadIdx.x] = d[0];                               \
    apart[((tile * 4 + variant) * 2 + 1) * 32 + threadIdx.x] = d[1]
        LONG("e4m3", "e4m3");
        KEEP(0);
        long_apart(d, a, b, c, false, false);
        KEEP_APART(0);
        LONG("e5m2", "e4m3");
        KEEP(1);
        long_apart(d, a, b, c, true, false);
        KEEP_APART(1);
        SHORT("e4m3", "e5m2");
        KEEP(2);
        short_apart(d, a, b, c, false, true);
        KEEP_APART(2);
        SHORT("e5m2", "e5m2");
        KEEP(3);
        short_apart(d, a, b, c, true, true);
        KEEP_APART(3);
    }
}

int main()
{
    static unsigned in[TILES * WORDS], together[TILES * WORDS], apart[TILES * WORDS];
    unsigned *d_in, *d_together, *d_apart, seed = 7, finite = 0;
    for (unsigned i = 0; i < TILES * WORDS; i++) {
        seed = seed * 1664525u + 1013904223u;
        const unsigned tile = i / WORDS, word = i / 32 % 8, noise = seed ^ seed >> 15;
        /* Three kinds of tiles: any bits; numbers near one; tiny ones. */
        const unsigned near_one = (noise & 0x87878787u) | 0x30303030u, tiny = noise & 0x83838383u;
        in[i] = tile % 3 == 0 ? noise : tile % 3 == 1 ? near_one : tiny;
        if (word >= 6) { /* the accumulator */
            in[i] = tile % 4 == 0 ? noise : noise & 0xbbffbbffu;
        }
    }
    CHECK_CUDA(cudaMalloc(&d_in, sizeof in));
    CHECK_CUDA(cudaMalloc(&d_together, sizeof together));
    CHECK_CUDA(cudaMalloc(&d_apart, sizeof apart));
    CHECK_CUDA(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemset(d_together, 0xff, sizeof together));
    CHECK_CUDA(cudaMemset(d_apart, 0xfe, sizeof apart));
    multiply<<<1, 32>>>(d_in, d_together, d_apart);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(together, d_together, sizeof together, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(apart, d_apart, sizeof apart, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < TILES * WORDS; i++) {
        CHECK_INT(together[i], apart[i]);
        finite += (together[i] & 0x7c00u) != 0x7c00u;
    }
    CHECK(finite > TILES * WORDS / 2 && finite < TILES * WORDS); /* both kinds are there */
    CHECK_CUDA(cudaFree(d_in));
    CHECK_CUDA(cudaFree(d_together));
    CHECK_CUDA(cudaFree(d_apart));
    return check_failures != 0;
}

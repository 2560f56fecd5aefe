/* narrow.cu - the functions of cuda_fp16.h and cuda_bf16.h on all 65,536 values (those of several
 * operands on as many further values for each), one line for each function:
 *
 *     half __hadd(x, y),hash of the device's results,how many of the host's differ, NaNs aside
 *
 * usage: narrow [TEXT]   with TEXT: every result of the functions that have it in their line */
#ifndef __clang__
#pragma nv_diag_suppress 550 /* each row uses some of the operands */
#endif
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 65536, ROUNDS = 2, COUNT = VALUES * ROUNDS };

#define EVERYWHERE __host__ __device__ static __forceinline__

/* --- operands: x runs through all values, the others through numbers that its index scatters
 * ------ */

EVERYWHERE uint64_t scattered(uint64_t v)
{
    v += 0x9e3779b97f4a7c15;
    v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9;
    v = (v ^ v >> 27) * 0x94d049bb133111eb;
    return v ^ v >> 31;
}

/* Every fourth value is near x, so that sums cancel and comparisons meet equals. */
EVERYWHERE unsigned short other(unsigned index, unsigned which)
{
    uint64_t v = scattered(index * 8ull + which);
    return v >> 62 ? (unsigned short)v : (unsigned short)(index ^ (v >> 20 & 0x8001));
}

EVERYWHERE uint64_t bits_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return v != v ? 0x7fffffff : bits;
}
EVERYWHERE uint64_t bits_of(__half v) { return __half_raw(v).x; }
EVERYWHERE uint64_t bits_of(__nv_bfloat16 v) { return __nv_bfloat16_raw(v).x; }
EVERYWHERE uint64_t bits_of(__half2 v) { return bits_of(v.x) | bits_of(v.y) << 16; }
EVERYWHERE uint64_t bits_of(__nv_bfloat162 v) { return bits_of(v.x) | bits_of(v.y) << 16; }
#define INTEGER(type)                                                                              \
    EVERYWHERE uint64_t bits_of(type v) { return (uint64_t)v; }
INTEGER(bool)
INTEGER(char)
INTEGER(signed char)
INTEGER(unsigned char)
INTEGER(short)
INTEGER(unsigned short)
INTEGER(int)
INTEGER(unsigned int)
INTEGER(long)
INTEGER(unsigned long)
INTEGER(long long)
INTEGER(unsigned long long)

template <typename H, typename H2, typename Raw> struct operands {
    H x, y, z;
    H2 p, q, r;
    float f;
    double d;
    int i;
    unsigned u;
    long long l;
    unsigned long long m;
    __nv_bfloat16 b;
    unsigned short t;
    __host__ __device__ static H value(unsigned short bits)
    {
        Raw raw;
        raw.x = bits;
        return H(raw);
    }
    __host__ __device__ explicit operands(unsigned index)
        : x(value((unsigned short)index)), y(value(other(index, 0))), z(value(other(index, 1))),
          p(x, y), q(value(other(index, 2)), value(other(index + 1, 0))),
          r(value(other(index, 3)), z)
    {
        __nv_bfloat16_raw raw;
        raw.x = (unsigned short)index;
        b = __nv_bfloat16(raw);
        t = (unsigned short)index;
        uint64_t v = scattered(index);
        l = (long long)v >> (v & 63);
        m = v >> (v & 63);
        i = (int)l;
        u = (unsigned)m;
        /* x, and what lies a tie, nearly a tie and little beyond it */
        uint32_t wide = (uint32_t)bits_of((float)x);
        uint32_t lower = v >> 60 == 0   ? 0
                         : v >> 62 == 1 ? 0x1000
                         : v >> 62 == 2 ? 0x8000
                                        : (uint32_t)v & 0xffff;
        wide ^= (wide & 0x7f800000) != 0x7f800000 ? lower : 0; /* infinities and NaNs stay */
        memcpy(&f, &wide, sizeof f);
        d = (double)f;
        uint64_t deep;
        memcpy(&deep, &d, sizeof deep);
        deep ^= f - f == 0 ? v >> 58 & 1 : 0; /* infinities and NaNs stay */
        memcpy(&d, &deep, sizeof d);
    }
};

/* What the expressions of narrow.def call them. */
#define NAMES                                                                                      \
    H x = o.x, y = o.y, z = o.z;                                                                   \
    H2 p = o.p, q = o.q, r = o.r;                                                                  \
    float f = o.f;                                                                                 \
    double d = o.d;                                                                                \
    int i = o.i;                                                                                   \
    unsigned u = o.u;                                                                              \
    long long l = o.l;                                                                             \
    unsigned long long m = o.m;                                                                    \
    (void)x, (void)y, (void)z, (void)p, (void)q, (void)r, (void)f, (void)d, (void)i, (void)u,      \
        (void)l, (void)m;                                                                          \
    __nv_bfloat16 b = o.b;                                                                         \
    unsigned short t = o.t;                                                                        \
    (void)b, (void)t

struct row {
    const char *text;
    void (*kernel)(uint64_t *);
    uint64_t (*host)(unsigned);
};

namespace of_half
{
typedef __half H;
typedef __half2 H2;
typedef __half_raw Raw;
#define FORMAT              "half"
#define TO_H(before, after) before##half##after
#define ROWS                "narrow.def"
#include "narrow_rows.h"
} // namespace of_half

namespace of_bfloat16
{
typedef __nv_bfloat16 H;
typedef __nv_bfloat162 H2;
typedef __nv_bfloat16_raw Raw;
#define FORMAT              "bfloat16"
#define TO_H(before, after) before##bfloat16##after
#define ROWS                "narrow.def"
#include "narrow_rows.h"
} // namespace of_bfloat16

/* An object of the given bits. */
template <typename T, typename Bits> EVERYWHERE T of_bits(Bits bits)
{
    T v;
    v.__x = bits;
    return v;
}

namespace of_fp8
{
typedef __half H;
typedef __half2 H2;
typedef __half_raw Raw;
#define FORMAT              "fp8"
#define TO_H(before, after) before##half##after
#define ROWS                "narrow_fp8.def"
#include "narrow_rows.h"
} // namespace of_fp8

/* ------------------------------------------------------------------------------------------------
 */

static void check(cudaError_t status)
{
    if (status != cudaSuccess) {
        fprintf(stderr, "narrow: %s\n", cudaGetErrorString(status));
        exit(2);
    }
}

/* A NaN of either format, alone or in a pair: which of them the host makes is its own business. */
static bool is_nan(const char *text, uint64_t bits)
{
    unsigned infinity = text[0] == 'b' ? 0x7f80 : 0x7c00;
    return (bits & 0x7fff) > infinity || (bits >> 16 & 0x7fff) > infinity;
}

static void run(const struct row *row, uint64_t *d_out, uint64_t *out, const char *wanted)
{
    check(cudaMemset(d_out, 0xff, COUNT * sizeof *d_out));
    row->kernel<<<COUNT / 256, 256>>>(d_out);
    if (cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) {
        printf("%s,rejected,\n", row->text);
        return;
    }
    check(cudaMemcpy(out, d_out, COUNT * sizeof *out, cudaMemcpyDeviceToHost));
    uint64_t device = 0;
    unsigned differing = 0;
    for (unsigned i = 0; i < COUNT; i++) {
        device = scattered(device ^ out[i]);
        uint64_t host = row->host != NULL ? row->host(i) : out[i];
        differing += host != out[i] && !is_nan(row->text, host);
        if (wanted != NULL) {
            printf("%s %x %llx %llx\n", row->text, i, (unsigned long long)out[i],
                   (unsigned long long)host);
        }
    }
    printf("%s,%016llx,%u\n", row->text, (unsigned long long)device, differing);
}

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : NULL;
    uint64_t *d_out, *out = (uint64_t *)malloc(COUNT * sizeof *out);
    check(cudaMalloc((void **)&d_out, COUNT * sizeof *d_out));
    const struct {
        const struct row *rows;
        size_t count;
    } lists[] = {{of_half::rows, sizeof of_half::rows / sizeof(struct row)},
                 {of_bfloat16::rows, sizeof of_bfloat16::rows / sizeof(struct row)},
                 {of_fp8::rows, sizeof of_fp8::rows / sizeof(struct row)}};
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < lists[k].count; i++) {
            if (wanted == NULL || strstr(lists[k].rows[i].text, wanted) != NULL) {
                run(&lists[k].rows[i], d_out, out, wanted);
            }
        }
    }
    check(cudaFree(d_out));
    free(out);
    return 0;
}

/* numbers.cu - hashes, wide integers, random numbers, tricks with bits, and functions of the mathematics library. */
#include "today.h"

#include <math.h>
#include <stdint.h>

__device__ uint32_t murmur_mix(uint32_t h)
{
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}

__global__ void murmur_rows(const uint32_t *data, uint32_t *out, int words)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t *row = data + i * words;
    uint32_t h = 42;
    for (int k = 0; k < words; k++) {
        uint32_t x = row[k] * 0xcc9e2d51u;
        x = __funnelshift_l(x, x, 15) * 0x1b873593u;
        h = __funnelshift_l(h ^ x, h ^ x, 13) * 5 + 0xe6546b64u;
    }
    out[i] = murmur_mix(h ^ words * 4);
}

__global__ void hash_bytes(const unsigned char *text, const int *starts, uint64_t *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = starts[i] & 0x3fff, length = starts[i] >> 14 & 31;
    uint64_t h = 0xcbf29ce484222325ull;
    while (length-- > 0)
        h = (h ^ text[at++]) * 0x100000001b3ull;
    out[i] = h;
}

__device__ uint64_t multiply_mod(uint64_t a, uint64_t b, uint64_t m) { return (unsigned __int128)a * b % m; }

__global__ void power_mod(const uint64_t *in, uint64_t *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t m = 0xffffffff00000001ull;
    uint64_t base = in[i] % m, r = 1;
    for (uint32_t e = 65537; e; e >>= 1) {
        if (e & 1)
            r = multiply_mod(r, base, m);
        base = multiply_mod(base, base, m);
    }
    out[i] = r;
}

__global__ void montgomery(const uint64_t *a, const uint64_t *b, uint64_t *out, uint64_t n, uint64_t inverse)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t low = a[i] * b[i], high = __umul64hi(a[i], b[i]), q = low * inverse, t = __umul64hi(q, n);
    out[i] = high >= t ? high - t : high - t + n;
}

struct big {
    uint32_t w[8];
};

__global__ void add_256(const big *a, const big *b, big *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    big r;
    uint32_t carry = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        uint64_t s = (uint64_t)a[i].w[k] + b[i].w[k] + carry;
        r.w[k] = (uint32_t)s;
        carry = s >> 32;
    }
    c[i] = r;
}

__global__ void multiply_256(const uint4 *a, const uint4 *b, uint4 *low)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 x = a[i], y = b[i];
    uint32_t r[4];
    asm("{\n .reg .u32 t;\n"
        " mul.lo.u32 %0, %4, %8;\n mul.hi.u32 %1, %4, %8;\n mad.lo.cc.u32 %1, %5, %8, %1;\n madc.hi.u32 %2, %5, %8, 0;\n"
        " mad.lo.cc.u32 %1, %4, %9, %1;\n madc.hi.cc.u32 %2, %4, %9, %2;\n addc.u32 t, 0, 0;\n mad.lo.cc.u32 %2, %6, %8, %2;\n"
        " madc.hi.u32 %3, %6, %8, t;\n mad.lo.cc.u32 %2, %5, %9, %2;\n addc.u32 %3, %3, %7;\n}"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3])
        : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "r"(y.x), "r"(y.y));
    low[i] = make_uint4(r[0], r[1], r[2], r[3]);
}

__constant__ uint32_t crc_table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                       0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

__global__ void crc_lines(const unsigned char *in, uint32_t *out, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t crc = ~0u;
    for (int k = 0; k < length; k++) {
        crc ^= in[i * length + k];
        crc = crc_table[crc & 15] ^ crc >> 4;
        crc = crc_table[crc & 15] ^ crc >> 4;
    }
    out[i] = ~crc;
}

__global__ void philox(uint4 *out, uint32_t seed, int rounds)
{
    uint4 c = {blockIdx.x * blockDim.x + threadIdx.x, 0, 1, 2};
    uint2 key = {seed, ~seed};
    uint32_t at = c.x;
    for (int r = 0; r < rounds; r++) {
        uint32_t h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x, h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
        c = make_uint4(h1 ^ c.y ^ key.x, l1, h0 ^ c.w ^ key.y, l0);
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    out[at] = c;
}

__global__ void bit_tricks(const uint32_t *in, uint32_t *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        uint32_t v = in[i];
        uint64_t w = (uint64_t)v << 20 | v;
        uint32_t r = __popc(v) + __ffs(v) * 3 + __clz(v) * 5 + __popcll(w) * 7 + __clzll(w) * 11 + __ffsll(w);
        r ^= __brev(v) + __byte_perm(v, ~v, 0x2541) + __funnelshift_rc(v, ~v, v & 63) + (uint32_t)(__brevll(w) >> 13);
        r += __usad(v, 77, r) + __vabsdiffu4(v, r) + __vcmpgtu2(v, r) + __vsadu4(v, r) + __sad((int)v, -5, 9) + __uhadd(v, r) + __rhadd(v, r);
        out[i] = r + __mul24(v, r) + __umul24(v, 3) + __mulhi((int)v, (int)r) + __vavgs2(v, r) + __vaddss4(v, r);
    }
}

/* 32 x 32 bits are transposed within a warp. */
__global__ void transpose_bits(const uint32_t *in, uint32_t *out)
{
    uint32_t v = in[blockIdx.x * 32 + threadIdx.x], mask = 0x0000ffff;
    for (int s = 16; s > 0; s >>= 1, mask ^= mask << s) {
        uint32_t o = __shfl_xor_sync(0xffffffff, v, s);
        v = threadIdx.x & s ? (v & ~mask) | (o >> s & mask) : (v & mask) | (o << s & ~mask);
    }
    out[blockIdx.x * 32 + threadIdx.x] = v;
}

__global__ void floats(const float *x, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i], a = fabsf(v) + 0.01f, s, c;
    sincosf(v, &s, &c);
    float r[16] = {s, c, expf(v), logf(a), powf(a, 1.7f), log1pf(a), expm1f(v), erff(v), erfcf(v), tanhf(v), atan2f(v, 3.0f), cbrtf(v), hypotf(v, 2.0f), tgammaf(a), asinf(v / 11), fmodf(v, 0.7f)};
    for (int k = 0; k < 16; k++)
        out[k * n + i] = r[k];
}

__global__ void doubles(const float *x, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double v = x[i], a = fabs(v) + 0.01;
    double r[14] = {sin(v), cos(v * 1000), exp(v), log(a), pow(a, 1.7), log1p(a), expm1(v), erf(v), erfc(v), tanh(v), atan2(v, 3.0), cbrt(v), lgamma(a), remainder(v, 0.7)};
#pragma unroll
    for (int k = 0; k < 14; k++)
        out[k * n + i] = r[k];
}

__global__ void fast_floats(const float *x, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i], a = fabsf(v) + 0.01f, r = __sinf(v) + __cosf(v) * 3 + __logf(a) + __powf(a, 0.3f) + __fdividef(v, a) + __frsqrt_rn(a);
    r += __fmaf_rz(v, a, r) + __fadd_ru(v, a) + __fsqrt_rd(a) + __frcp_rn(a) + rintf(v) + truncf(v * 3) + ldexpf(a, 3) + j0f(v) + normcdff(v) + rcbrtf(a);
    out[i] = r + __int2float_rz(__float2int_ru(v)) + __uint2float_rd(__float2uint_rn(a)) + __saturatef(v) + copysignf(a, v) + nextafterf(v, 9) + ilogbf(a);
}

/* Text: how many characters a line of UTF-8 has, and Base64. */
__global__ void count_characters(const char *text, int *counts, int line)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, many = 0;
    for (const char *p = text + i * line, *end = p + line; p < end; p++)
        many += (*p & 0xc0) != 0x80;
    counts[i] = many;
}

__constant__ char letters[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

__global__ void base64(const unsigned char *in, char *out, int triples)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < triples) {
        unsigned v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
        for (int k = 0; k < 4; k++)
            out[4 * i + k] = letters[v >> (18 - 6 * k) & 63];
    }
}

/* Dates from days, by divisions. */
__global__ void civil_dates(const int *days, int3 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    long long z = (days[i] & 0xfffff) + 719468, era = z / 146097;
    unsigned doe = z % 146097, yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365, doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    unsigned mp = (5 * doy + 2) / 153;
    out[i] = make_int3(yoe + era * 400 + (mp >= 10), mp < 10 ? mp + 3 : mp - 9, doy - (153 * mp + 2) / 5 + 1);
}

void run_numbers(void)
{
    float *const x = (float *)d_in;
    uint64_t *const in = (uint64_t *)d_in, *const out = (uint64_t *)d_out;
    RUN(murmur_rows, WHOLE, murmur_rows<<<4, 64>>>(d_in, d_out, 11));
    RUN(hash_bytes, WHOLE, hash_bytes<<<4, 64>>>((unsigned char *)d_in, (int *)d_in + 32768, out));
    RUN(power_mod, WHOLE, power_mod<<<2, 64>>>(in, out));
    RUN(montgomery, WHOLE, montgomery<<<2, 64>>>(in, in + 2048, out, 0xfffffffffffffc5full, 0x1234567812345679ull));
    RUN(add_256, WHOLE, add_256<<<2, 64>>>((big *)d_in, (big *)d_in + 512, (big *)d_out, 120));
    RUN(multiply_256, WHOLE, multiply_256<<<2, 64>>>((uint4 *)d_in, (uint4 *)d_in + 512, (uint4 *)d_out));
    RUN(crc_lines, WHOLE, crc_lines<<<4, 64>>>((unsigned char *)d_in, d_out, 20));
    RUN(philox, WHOLE, philox<<<4, 64>>>((uint4 *)d_out, 2026, 10));
    RUN(bit_tricks, WHOLE, bit_tricks<<<4, 128>>>(d_in, d_out, 2000));
    RUN(transpose_bits, WHOLE, transpose_bits<<<4, 32>>>(d_in, d_out));
    RUN(floats, FLOATS, floats<<<4, 128>>>(x, (float *)d_out, 500));
    RUN(doubles, FLOATS, doubles<<<4, 128>>>(x, (double *)d_out, 500));
    RUN(fast_floats, FLOATS, fast_floats<<<4, 128>>>(x, (float *)d_out, 500));
    RUN(count_characters, WHOLE, count_characters<<<2, 64>>>((char *)d_in, (int *)d_out, 37));
    RUN(base64, WHOLE, base64<<<4, 128>>>((unsigned char *)d_in, (char *)d_out, 500));
    RUN(civil_dates, WHOLE, civil_dates<<<4, 128>>>((int *)d_in, (int3 *)d_out, 500));
}

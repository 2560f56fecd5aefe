/* cuda_fp6.h and cuda_fp4.h: hashes of conversions of all halves, all bfloat16 and as many floats
 * and doubles, on the host and in a kernel. few_bits.txt is what NVIDIA's headers give on the host.
 */
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <stdio.h>
#include <string.h>

typedef unsigned long long u64;
#define BOTH __host__ __device__ static

enum { VALUES = 65536, ON_DEVICE = 512 };

BOTH void add(u64 *hash, u64 v)
{
    *hash = (*hash ^ v) * 0x100000001b3ull;
    *hash ^= *hash >> 29;
}

struct values { /* number x of each kind; the last float and the last double are no large ones */
    __half_raw half;
    __nv_bfloat16_raw bfloat;
    __half2_raw halves;
    __nv_bfloat162_raw bfloats;
    float wide, near_one;
    double wider, near_two;
};

BOTH values values_of(unsigned x)
{
    values v;
    const unsigned wide = x * 65537u + 12345u, near_one = (x << 12) + 0x3c000000u + (x & 7);
    const u64 wider = x * 0x0001000100010001ull ^ 0x5a5a5;
    v.half.x = v.bfloat.x = v.halves.x = v.bfloats.x = (unsigned short)x;
    v.halves.y = v.bfloats.y = (unsigned short)(x * 31);
    memcpy(&v.wide, &wide, sizeof wide);
    memcpy(&v.near_one, &near_one, sizeof near_one);
    memcpy(&v.wider, &wider, sizeof wider);
    v.near_two = v.near_one * (1 + (x & 3) * 0x1p-40);
    return v;
}

#define INTO(bits, kind, rounding)                                                                 \
    add(hash, __nv_cvt_halfraw_to_##bits(v.half, kind, rounding));                                 \
    add(hash, __nv_cvt_bfloat16raw_to_##bits(v.bfloat, kind, rounding));                           \
    add(hash, __nv_cvt_float_to_##bits(v.wide, kind, rounding));                                   \
    add(hash, __nv_cvt_float_to_##bits(-v.near_one, kind, rounding));                              \
    add(hash, __nv_cvt_double_to_##bits(v.wider, kind, rounding));                                 \
    add(hash, __nv_cvt_double_to_##bits(v.near_two, kind, rounding));                              \
    add(hash, __nv_cvt_halfraw2_to_##bits##x2(v.halves, kind, rounding));                          \
    add(hash, __nv_cvt_bfloat16raw2_to_##bits##x2(v.bfloats, kind, rounding));                     \
    add(hash, __nv_cvt_float2_to_##bits##x2(make_float2(v.wide, v.near_one), kind, rounding));     \
    add(hash, __nv_cvt_double2_to_##bits##x2(make_double2(v.near_two, v.wider), kind, rounding))

BOTH void convert(u64 *hash, unsigned x, cudaRoundMode rounding)
{
    const values v = values_of(x);
    INTO(fp6, __NV_E2M3, rounding);
    INTO(fp6, __NV_E3M2, rounding);
    INTO(fp4, __NV_E2M1, rounding);
}

BOTH void add_halves(u64 *hash, __half2_raw v) { add(hash, v.x | (u64)v.y << 16); }

BOTH void convert_back(u64 *hash, unsigned x)
{
    add_halves(hash, __nv_cvt_fp6x2_to_halfraw2((unsigned short)(x & 0x3f3f), __NV_E2M3));
    add_halves(hash, __nv_cvt_fp6x2_to_halfraw2((unsigned short)(x & 0x3f3f), __NV_E3M2));
    add_halves(hash, __nv_cvt_fp4x2_to_halfraw2((unsigned char)x, __NV_E2M1));
    add(hash, __nv_cvt_fp6_to_halfraw((unsigned char)(x & 63), __NV_E3M2).x);
    add(hash, __nv_cvt_fp4_to_halfraw((unsigned char)(x & 15), __NV_E2M1).x);
}

BOTH u64 bits_of(float4 v) { return (u64)(long long)(v.x * 8 + v.y * 64 + v.z * 512 + v.w * 4096); }

BOTH void types(u64 *hash, int i)
{
    const float v = i * 0.375f;
    const __nv_fp6_e2m3 p(v), whole(i);
    const __nv_fp6_e3m2 q((double)v), natural((unsigned long long)(i + 70));
    const __nv_fp4_e2m1 s((__half(v))), small((short)i);
    add(hash, p.__x | q.__x << 8 | s.__x << 16 | (u64)whole.__x << 24 | (u64)natural.__x << 32 |
                  (u64)small.__x << 40);
    add(hash, (u64)(long long)(float(p) * 64 + float(q) + (int)p + (unsigned char)s + (short)q));
    add(hash, (bool)p + 2 * (bool)s);
    const float4 four = make_float4(v, -v, v / 2, v * 3);
    const __nv_fp6x4_e2m3 t(four);
    const __nv_fp4x4_e2m1 u(four);
    const __nv_fp6x2_e3m2 z(make_float2(v, 1));
    const __nv_fp4x2_e2m1 n(make_float2(v, 2));
    add(hash, t.__x | (u64)u.__x << 32 | (u64)z.__x << 48);
    add(hash, bits_of((float4)t));
    add(hash, bits_of((float4)u));
    add(hash, (u64)(long long)(((float2)n).x * 8 + n.__x * 256 + (int)(sizeof t + sizeof u)));
}

BOTH void all(u64 *hashes, unsigned step)
{
    for (int i = 0; i < 4; i++)
        hashes[i] = 1;
    for (unsigned x = 0; x < VALUES; x += step) {
        convert(&hashes[0], x, cudaRoundNearest);
        convert(&hashes[1], x, cudaRoundZero);
        convert_back(&hashes[2], x);
    }
    for (int i = -70; i < 70; i++)
        types(&hashes[3], i);
}

__global__ void on_device(u64 *hashes) { all(hashes, VALUES / ON_DEVICE + 1); }

static void print(const char *where, const u64 *hashes)
{
    for (int i = 0; i < 4; i++)
        printf("%s %016llx\n", where, hashes[i]);
}

int main(void)
{
    u64 hashes[4], *d_hashes;
    all(hashes, 1);
    print("all", hashes);
    all(hashes, VALUES / ON_DEVICE + 1);
    print("some", hashes);
    if (cudaMalloc(&d_hashes, sizeof hashes) != cudaSuccess)
        return 2;
    on_device<<<1, 1>>>(d_hashes);
    if (cudaMemcpy(hashes, d_hashes, sizeof hashes, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 2;
    print("some", hashes);
    return 0;
}

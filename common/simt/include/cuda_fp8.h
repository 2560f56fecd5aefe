/* cuda_fp8.h - 8-bit floats e4m3 (4 bits of exponent, 3 of fraction, largest number 448, no
 * infinity) and e5m2 (5 and 2), alone and in twos and fours. Written to the CUDA Math API's
 * documentation. They are stored and converted; arithmetic is done in wider types. */
#ifndef SIMT_CUDA_FP8_H
#define SIMT_CUDA_FP8_H
#define __CUDA_FP8_H__ /* programs ask for the header by NVIDIA's guard */
#define __CUDA_FP8_TYPES_EXIST__

#include "cuda_bf16.h"

#ifdef __cplusplus

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

SIMT_BOTH constexpr simt_small_format simt_fp8_format(__nv_fp8_interpretation_t kind)
{
    return kind == __NV_E4M3 ? simt_small_format{4, 3, 0x7e, 0x7f, 0x7f}
                             : simt_small_format{5, 2, 0x7b, 0x7c, 0x7f};
}

/* ------------------------------------------------------------- one number */

SIMT_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double v, __nv_saturation_t saturate,
                                                    __nv_fp8_interpretation_t kind)
{
    return (__nv_fp8_storage_t)simt_small_bits(v, simt_fp8_format(kind), simt_to_nearest,
                                               saturate == __NV_SATFINITE);
}
/* A pair; high goes to the upper byte. */
SIMT_BOTH __nv_fp8x2_storage_t simt_fp8_pair(float low, float high, __nv_saturation_t saturate,
                                             __nv_fp8_interpretation_t kind)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
    if (saturate == __NV_SATFINITE) {
        unsigned short bits;
        if (kind == __NV_E4M3) {
            asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(bits) : "f"(high), "f"(low));
        } else {
            asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(bits) : "f"(high), "f"(low));
        }
        return bits;
    }
#endif
    return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(high, saturate, kind) << 8 |
                                  __nv_cvt_double_to_fp8(low, saturate, kind));
}
SIMT_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(float v, __nv_saturation_t saturate,
                                                   __nv_fp8_interpretation_t kind)
{
    return (__nv_fp8_storage_t)simt_fp8_pair(v, 0.0f, saturate, kind);
}
SIMT_BOTH __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw v, __nv_saturation_t saturate,
                                                     __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(__half2float(v), saturate, kind);
}
SIMT_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw v,
                                                         __nv_saturation_t saturate,
                                                         __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(__bfloat162float(v), saturate, kind);
}
SIMT_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t v, __nv_fp8_interpretation_t kind)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
    unsigned int bits;
    if (kind == __NV_E4M3) {
        asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(bits) : "h"((unsigned short)v));
    } else {
        asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(bits) : "h"((unsigned short)v));
    }
    return __half_raw{(unsigned short)bits};
#else
    float value = simt_small_value(v, simt_fp8_format(kind));
    return value != value ? __half_raw{0x7fff} : (__half_raw)__half(value);
#endif
}

/* ------------------------------------------------------------- two numbers */

SIMT_BOTH __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 v, __nv_saturation_t saturate,
                                                         __nv_fp8_interpretation_t kind)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(v.y, saturate, kind) << 8 |
                                  __nv_cvt_double_to_fp8(v.x, saturate, kind));
}
SIMT_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 v, __nv_saturation_t saturate,
                                                        __nv_fp8_interpretation_t kind)
{
    return simt_fp8_pair(v.x, v.y, saturate, kind);
}
SIMT_BOTH __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw v, __nv_saturation_t saturate,
                                                          __nv_fp8_interpretation_t kind)
{
    return simt_fp8_pair(__half2float(__half_raw{v.x}), __half2float(__half_raw{v.y}), saturate,
                         kind);
}
SIMT_BOTH __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw v,
                                                              __nv_saturation_t saturate,
                                                              __nv_fp8_interpretation_t kind)
{
    return simt_fp8_pair(__bfloat162float(__nv_bfloat16_raw{v.x}),
                         __bfloat162float(__nv_bfloat16_raw{v.y}), saturate, kind);
}
SIMT_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t v,
                                                 __nv_fp8_interpretation_t kind)
{
    return __half2_raw{__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)v, kind).x,
                       __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(v >> 8), kind).x};
}

/* ------------------------------------------------------------- types */

#define SIMT_STORAGE(suffix)       __nv_fp8##suffix##_storage_t
#define SIMT_INTO(from, suffix, v) __nv_cvt_##from##_to_fp8##suffix(v, __NV_SATFINITE, SIMT_KIND)
#define SIMT_OUT_OF(suffix, to, v) __nv_cvt_fp8##suffix##_to_##to(v, SIMT_KIND)
#define SIMT_PAIR_BITS             16
#define SIMT_MAGNITUDE             0x7f
#define SIMT_FP(suffix)            __nv_fp8##suffix##_e4m3
#define SIMT_KIND                  __NV_E4M3
#include "simt/float8.h"
#define SIMT_FP(suffix) __nv_fp8##suffix##_e5m2
#define SIMT_KIND       __NV_E5M2
#include "simt/float8.h"
#undef SIMT_STORAGE
#undef SIMT_INTO
#undef SIMT_OUT_OF
#undef SIMT_PAIR_BITS
#undef SIMT_MAGNITUDE

#endif

#endif

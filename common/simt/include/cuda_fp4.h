/* cuda_fp4.h - 4-bit floats e2m1 (2 bits of exponent, 1 of fraction, largest number 6), alone and
 * in twos and fours; two share a byte. Written to the CUDA Math API's documentation. They are
 * stored and converted; arithmetic is done in wider types. None has an infinity or a NaN: what is
 * too large becomes the largest number with its sign, and a NaN the largest positive one. */
#ifndef SIMT_CUDA_FP4_H
#define SIMT_CUDA_FP4_H
#define __CUDA_FP4_H__ /* programs ask for the header by NVIDIA's guard */
#define __CUDA_FP4_TYPES_EXIST__

#include "cuda_fp8.h"
#include "simt/round_mode.h"

#ifdef __cplusplus

typedef __nv_fp8_storage_t __nv_fp4_storage_t;
typedef __nv_fp8_storage_t __nv_fp4x2_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp4x4_storage_t;
typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

SIMT_BOTH constexpr simt_small_format simt_fp4_format(__nv_fp4_interpretation_t)
{
    return simt_small_format{2, 1, 0x7, 0x7, 0x7};
}

#define SIMT_BITS      4
#define SIMT_PAIR_BITS 8
#include "simt/few_bits.h"

/* ------------------------------------------------------------- types */

#define SIMT_STORAGE(suffix)       __nv_fp4##suffix##_storage_t
#define SIMT_INTO(from, suffix, v) __nv_cvt_##from##_to_fp4##suffix(v, SIMT_KIND, cudaRoundNearest)
#define SIMT_OUT_OF(suffix, to, v) __nv_cvt_fp4##suffix##_to_##to(v, SIMT_KIND)
#define SIMT_MAGNITUDE             0x7
#define SIMT_FP(suffix)            __nv_fp4##suffix##_e2m1
#define SIMT_KIND                  __NV_E2M1
#include "simt/float8.h"
#undef SIMT_STORAGE
#undef SIMT_INTO
#undef SIMT_OUT_OF
#undef SIMT_PAIR_BITS
#undef SIMT_BITS
#undef SIMT_MAGNITUDE

#endif

#endif

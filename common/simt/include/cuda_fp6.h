/* cuda_fp6.h - 6-bit floats e2m3 (2 bits of exponent, 3 of fraction, largest number 7.5) and e3m2
 * (3 and 2, largest 28), alone and in twos and fours, each in a byte of its own.
 * Written to the CUDA Math API's documentation. They are stored and converted; arithmetic is done
 * in wider types. None has an infinity or a NaN: what is too large becomes the largest number with
 * its sign, and a NaN the largest positive one. */
#ifndef SIMT_CUDA_FP6_H
#define SIMT_CUDA_FP6_H
#define __CUDA_FP6_H__ /* programs ask for the header by NVIDIA's guard */
#define __CUDA_FP6_TYPES_EXIST__

#include "cuda_fp8.h"
#include "simt/round_mode.h"

#ifdef __cplusplus

typedef __nv_fp8_storage_t __nv_fp6_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp6x2_storage_t;
typedef __nv_fp8x4_storage_t __nv_fp6x4_storage_t;
typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;

SIMT_BOTH constexpr simt_small_format simt_fp6_format(__nv_fp6_interpretation_t kind)
{
    return kind == __NV_E2M3 ? simt_small_format{2, 3, 0x1f, 0x1f, 0x1f}
                             : simt_small_format{3, 2, 0x1f, 0x1f, 0x1f};
}

#define SIMT_BITS      6
#define SIMT_PAIR_BITS 16
#include "simt/few_bits.h"

/* ------------------------------------------------------------- types */

#define SIMT_STORAGE(suffix)       __nv_fp6##suffix##_storage_t
#define SIMT_INTO(from, suffix, v) __nv_cvt_##from##_to_fp6##suffix(v, SIMT_KIND, cudaRoundNearest)
#define SIMT_OUT_OF(suffix, to, v) __nv_cvt_fp6##suffix##_to_##to(v, SIMT_KIND)
#define SIMT_MAGNITUDE             0x1f
#define SIMT_FP(suffix)            __nv_fp6##suffix##_e2m3
#define SIMT_KIND                  __NV_E2M3
#include "simt/float8.h"
#define SIMT_FP(suffix) __nv_fp6##suffix##_e3m2
#define SIMT_KIND       __NV_E3M2
#include "simt/float8.h"
#undef SIMT_STORAGE
#undef SIMT_INTO
#undef SIMT_OUT_OF
#undef SIMT_PAIR_BITS
#undef SIMT_BITS
#undef SIMT_MAGNITUDE

#endif

#endif

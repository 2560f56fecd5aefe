/* cuda_bf16.h - __nv_bfloat16 and __nv_bfloat162: the upper halves of floats, 8 significant bits,
 * written to the CUDA Math API's documentation. What bfloat16 has in common with half stands in
 * simt/float16.h. */
#ifndef SIMT_CUDA_BF16_H
#define SIMT_CUDA_BF16_H
#define __CUDA_BF16_H__ /* programs ask for the header by NVIDIA's guard */

#include "cuda_fp16.h"

#ifdef __cplusplus

struct __nv_bfloat16_raw {
    unsigned short x;
};
struct __nv_bfloat162_raw {
    unsigned short x, y;
};

#define SIMT_T                   __nv_bfloat16
#define SIMT_T2                  __nv_bfloat162
#define SIMT_RAW                 __nv_bfloat16_raw
#define SIMT_RAW2                __nv_bfloat162_raw
#define SIMT_PTX                 "bf16"
#define SIMT_FORMAT              simt_bfloat_format()
#define SIMT_WORD(before, after) before##bfloat16##after
#define SIMT_PAIR                __bfloat162bfloat162
#define SIMT_SINCE               800
#define SIMT_SUMS_SINCE          900
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define SIMT_WIDEN "mov.b32 %0, {0, %1};"
#else
#define SIMT_WIDEN "cvt.f32.bf16 %0, %1;"
#endif
#define SIMT_MEMBERS                                                                               \
    SIMT_METHOD explicit __nv_bfloat16(const __half v) : __x(simt_from((float)v)) {}
#include "simt/float16.h"

__inline__ __host__ __device__ __half::__half(const __nv_bfloat16 v) : __x(simt_from((float)v)) {}

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#endif

#endif

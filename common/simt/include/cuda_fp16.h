/* cuda_fp16.h - half and half2: 16-bit floats of 11 significant bits, written to the CUDA Math
 * API's documentation. What half has in common with bfloat16 stands in simt/float16.h. */
#ifndef SIMT_CUDA_FP16_H
#define SIMT_CUDA_FP16_H
#define __CUDA_FP16_H__ /* programs ask for the header by NVIDIA's guard */

#include "cuda_runtime.h"

#ifdef __cplusplus

#include "simt/small_float.h"

struct __half_raw {
    unsigned short x;
};
struct __half2_raw {
    unsigned short x, y;
};
struct __nv_bfloat16;

#define SIMT_T                   __half
#define SIMT_T2                  __half2
#define SIMT_RAW                 __half_raw
#define SIMT_RAW2                __half2_raw
#define SIMT_PTX                 "f16"
#define SIMT_FORMAT              simt_half_format()
#define SIMT_WORD(before, after) before##half##after
#define SIMT_PAIR                __half2half2
#define SIMT_MEMBERS             SIMT_METHOD explicit __half(const __nv_bfloat16 v);
#define SIMT_SINCE               0
#define SIMT_SUMS_SINCE          0
#define SIMT_WIDEN               "cvt.f32.f16 %0, %1;"
#include "simt/float16.h"

#ifndef CUDA_NO_HALF
typedef __half half;
typedef __half2 half2;
#endif
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;
typedef __half nv_half;
typedef __half2 nv_half2;

#endif

#endif

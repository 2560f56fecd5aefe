/* simt/math_host.h - CUDA's math functions that programs call on the host, too, and that the C
 * library lacks: rsqrtf, rcbrt, sinpi, erfinv, normcdf ... cuda_runtime.h includes it behind
 * <cmath>, whose functions these are made of. */
#ifndef SIMT_MATH_HOST_H
#define SIMT_MATH_HOST_H

#define SIMT_SIDE static __inline__ __attribute__((host, unused))

SIMT_SIDE double rsqrt(double x) { return 1.0 / sqrt(x); }
SIMT_SIDE float rsqrtf(float x) { return (float)rsqrt((double)x); }
SIMT_SIDE float rsqrt(float x) { return rsqrtf(x); }
SIMT_SIDE double rcbrt(double x) { return 1.0 / cbrt(x); }
SIMT_SIDE float rcbrtf(float x) { return (float)rcbrt((double)x); }
SIMT_SIDE float rcbrt(float x) { return rcbrtf(x); }
SIMT_SIDE float exp10(float x) { return exp10f(x); }
SIMT_SIDE void sincos(float x, float *sine, float *cosine) { sincosf(x, sine, cosine); }

#include "math_both.h"
#undef SIMT_SIDE

#endif

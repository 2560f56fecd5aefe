/* cuComplex.h - complex numbers as pairs of floats and doubles, in C and C++. */
#ifndef SIMT_CUCOMPLEX_H
#define SIMT_CUCOMPLEX_H
#define CU_COMPLEX_H_

#include "host_defines.h"
#include "vector_types.h"
#include <math.h>

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

/* The functions of both types; suffix: "f" or nothing, of their names and of the C library's. */
#define SIMT_COMPLEX(type, part, suffix, name)                                                     \
    static __inline__ __host__ __device__ type make_##name(part x, part y)                         \
    {                                                                                              \
        type z;                                                                                    \
        z.x = x;                                                                                   \
        z.y = y;                                                                                   \
        return z;                                                                                  \
    }                                                                                              \
    static __inline__ __host__ __device__ part cuCreal##suffix(type a) { return a.x; }             \
    static __inline__ __host__ __device__ part cuCimag##suffix(type a) { return a.y; }             \
    static __inline__ __host__ __device__ type cuConj##suffix(type a)                              \
    {                                                                                              \
        return make_##name(a.x, -a.y);                                                             \
    }                                                                                              \
    static __inline__ __host__ __device__ type cuCadd##suffix(type a, type b)                      \
    {                                                                                              \
        return make_##name(a.x + b.x, a.y + b.y);                                                  \
    }                                                                                              \
    static __inline__ __host__ __device__ type cuCsub##suffix(type a, type b)                      \
    {                                                                                              \
        return make_##name(a.x - b.x, a.y - b.y);                                                  \
    }                                                                                              \
    static __inline__ __host__ __device__ type cuCmul##suffix(type a, type b)                      \
    {                                                                                              \
        return make_##name(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                          \
    }                                                                                              \
    static __inline__ __host__ __device__ type cuCdiv##suffix(type a, type b)                      \
    {                                                                                              \
        /* scaled, so that squares neither overflow nor vanish */                                  \
        part scale = (part)1 / (fabs##suffix(b.x) + fabs##suffix(b.y));                            \
        part ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;               \
        part inverse = (part)1 / (bx * bx + by * by);                                              \
        return make_##name((ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse);          \
    }                                                                                              \
    static __inline__ __host__ __device__ part cuCabs##suffix(type a)                              \
    {                                                                                              \
        return hypot##suffix(a.x, a.y);                                                            \
    }                                                                                              \
    static __inline__ __host__ __device__ type cuCfma##suffix(type a, type b, type c)              \
    {                                                                                              \
        return make_##name(a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x);              \
    }
SIMT_COMPLEX(cuFloatComplex, float, f, cuFloatComplex)
SIMT_COMPLEX(cuDoubleComplex, double, , cuDoubleComplex)
#undef SIMT_COMPLEX

static __inline__ __host__ __device__ cuComplex make_cuComplex(float x, float y)
{
    return make_cuFloatComplex(x, y);
}
static __inline__ __host__ __device__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a)
{
    return make_cuDoubleComplex(a.x, a.y);
}
static __inline__ __host__ __device__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a)
{
    return make_cuFloatComplex((float)a.x, (float)a.y);
}

#endif

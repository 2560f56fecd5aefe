/* vector_functions.h - make_int2(x, y), make_float4(x, y, z, w) ... on host and device. */
#ifndef SIMT_VECTOR_FUNCTIONS_H
#define SIMT_VECTOR_FUNCTIONS_H

#include "vector_types.h"

#if defined(__CUDA__)
#define SIMT_MAKE static __inline__ __attribute__((host, device, always_inline, nodebug, unused))
#else
#define SIMT_MAKE static __inline__ __attribute__((always_inline, unused))
#endif

#define SIMT_MAKE_VECTOR(name, element)                                                            \
    SIMT_MAKE name##1 make_##name##1(element x)                                                    \
    {                                                                                              \
        name##1 v = {x};                                                                           \
        return v;                                                                                  \
    }                                                                                              \
    SIMT_MAKE name##2 make_##name##2(element x, element y)                                         \
    {                                                                                              \
        name##2 v = {x, y};                                                                        \
        return v;                                                                                  \
    }                                                                                              \
    SIMT_MAKE name##3 make_##name##3(element x, element y, element z)                              \
    {                                                                                              \
        name##3 v = {x, y, z};                                                                     \
        return v;                                                                                  \
    }                                                                                              \
    SIMT_MAKE name##4 make_##name##4(element x, element y, element z, element w)                   \
    {                                                                                              \
        name##4 v = {x, y, z, w};                                                                  \
        return v;                                                                                  \
    }

SIMT_MAKE_VECTOR(char, signed char)
SIMT_MAKE_VECTOR(uchar, unsigned char)
SIMT_MAKE_VECTOR(short, short)
SIMT_MAKE_VECTOR(ushort, unsigned short)
SIMT_MAKE_VECTOR(int, int)
SIMT_MAKE_VECTOR(uint, unsigned int)
SIMT_MAKE_VECTOR(long, long)
SIMT_MAKE_VECTOR(ulong, unsigned long)
SIMT_MAKE_VECTOR(longlong, long long)
SIMT_MAKE_VECTOR(ulonglong, unsigned long long)
SIMT_MAKE_VECTOR(float, float)
SIMT_MAKE_VECTOR(double, double)

#undef SIMT_MAKE_VECTOR

#define SIMT_MAKE_VECTOR4(name, element)                                                           \
    SIMT_MAKE name make_##name(element x, element y, element z, element w)                         \
    {                                                                                              \
        name v = {x, y, z, w};                                                                     \
        return v;                                                                                  \
    }

SIMT_MAKE_VECTOR4(long4_16a, long)
SIMT_MAKE_VECTOR4(long4_32a, long)
SIMT_MAKE_VECTOR4(ulong4_16a, unsigned long)
SIMT_MAKE_VECTOR4(ulong4_32a, unsigned long)
SIMT_MAKE_VECTOR4(longlong4_16a, long long)
SIMT_MAKE_VECTOR4(longlong4_32a, long long)
SIMT_MAKE_VECTOR4(ulonglong4_16a, unsigned long long)
SIMT_MAKE_VECTOR4(ulonglong4_32a, unsigned long long)
SIMT_MAKE_VECTOR4(double4_16a, double)
SIMT_MAKE_VECTOR4(double4_32a, double)

#undef SIMT_MAKE_VECTOR4
#undef SIMT_MAKE

#endif

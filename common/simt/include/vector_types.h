/* vector_types.h - int2, float4, dim3 and their relatives, in C and C++.
 *
 * Alignment is part of the interface: a float4 is read and written by one 16-byte access because
 * it is aligned to 16 bytes; a float3 is three separate floats. Alignments are those of the table
 * "Alignment Requirements" in the CUDA C++ Programming Guide. */
#ifndef SIMT_VECTOR_TYPES_H
#define SIMT_VECTOR_TYPES_H
#define __VECTOR_TYPES_H__

#include "host_defines.h"

/* clang copies a struct as bytes, and its backend copies 16 bytes as two times 8. Member by member,
 * the loads and stores of one vector become one access again, so the types with a vector's
 * alignment have copy functions of their own (in CUDA sources only). trivial_abi: they are still
 * passed as the plain structs that they are everywhere else. simt_braced lets {0} begin a vector,
 * but no bare number become one. */
#if defined(__CUDA__)
#define SIMT_VECTOR_ATTRIBUTES(align) __attribute__((aligned(align), trivial_abi))
template <typename T> struct simt_braced {
    T value;
    __host__ __device__ constexpr simt_braced(T v) : value(v) {}
};
#define SIMT_INLINE __attribute__((host, device, always_inline, nodebug))
#define SIMT_VECTOR2_METHODS(name, element)                                                        \
    name() = default;                                                                              \
    SIMT_INLINE constexpr name(simt_braced<element> a) : x(a.value), y() {}                        \
    SIMT_INLINE constexpr name(element a, element b) : x(a), y(b) {}                               \
    SIMT_INLINE constexpr name(const name &v) : x(v.x), y(v.y) {}                                  \
    SIMT_INLINE name &operator=(const name &v)                                                     \
    {                                                                                              \
        element a = v.x, b = v.y;                                                                  \
        x = a, y = b;                                                                              \
        return *this;                                                                              \
    }
#define SIMT_VECTOR4_METHODS(name, element)                                                        \
    name() = default;                                                                              \
    SIMT_INLINE constexpr name(simt_braced<element> a) : x(a.value), y(), z(), w() {}              \
    SIMT_INLINE constexpr name(element a, element b) : x(a), y(b), z(), w() {}                     \
    SIMT_INLINE constexpr name(element a, element b, element c) : x(a), y(b), z(c), w() {}         \
    SIMT_INLINE constexpr name(element a, element b, element c, element d)                         \
        : x(a), y(b), z(c), w(d)                                                                   \
    {                                                                                              \
    }                                                                                              \
    SIMT_INLINE constexpr name(const name &v) : x(v.x), y(v.y), z(v.z), w(v.w) {}                  \
    SIMT_INLINE name &operator=(const name &v)                                                     \
    {                                                                                              \
        element a = v.x, b = v.y, c = v.z, d = v.w;                                                \
        x = a, y = b, z = c, w = d;                                                                \
        return *this;                                                                              \
    }
#else
#define SIMT_VECTOR_ATTRIBUTES(align) __attribute__((aligned(align)))
#define SIMT_VECTOR2_METHODS(name, element)
#define SIMT_VECTOR4_METHODS(name, element)
#endif

#define SIMT_VECTOR4(name, element, align)                                                         \
    struct SIMT_VECTOR_ATTRIBUTES(align) name {                                                    \
        element x, y, z, w;                                                                        \
        SIMT_VECTOR4_METHODS(name, element)                                                        \
    };                                                                                             \
    typedef struct name name;

/* One element type: name1 .. name4, with the alignment of name2 and name4. */
#define SIMT_VECTOR(name, element, align2, align4)                                                 \
    struct name##1 { element x; };                                                                 \
    struct SIMT_VECTOR_ATTRIBUTES(align2) name##2                                                  \
    {                                                                                              \
        element x, y;                                                                              \
        SIMT_VECTOR2_METHODS(name##2, element)                                                     \
    };                                                                                             \
    struct name##3 { element x, y, z; };                                                           \
    typedef struct name##1 name##1;                                                                \
    typedef struct name##2 name##2;                                                                \
    typedef struct name##3 name##3;                                                                \
    SIMT_VECTOR4(name##4, element, align4)

SIMT_VECTOR(char, signed char, 2, 4)
SIMT_VECTOR(uchar, unsigned char, 2, 4)
SIMT_VECTOR(short, short, 4, 8)
SIMT_VECTOR(ushort, unsigned short, 4, 8)
SIMT_VECTOR(int, int, 8, 16)
SIMT_VECTOR(uint, unsigned int, 8, 16)
SIMT_VECTOR(long, long, 16, 16)
SIMT_VECTOR(ulong, unsigned long, 16, 16)
SIMT_VECTOR(longlong, long long, 16, 16)
SIMT_VECTOR(ulonglong, unsigned long long, 16, 16)
SIMT_VECTOR(float, float, 8, 16)
SIMT_VECTOR(double, double, 16, 16)

/* CUDA 13 names the alignment of four 8-byte elements: 32 bytes allow one 32-byte access on the
 * newest GPUs. */
SIMT_VECTOR4(long4_16a, long, 16)
SIMT_VECTOR4(long4_32a, long, 32)
SIMT_VECTOR4(ulong4_16a, unsigned long, 16)
SIMT_VECTOR4(ulong4_32a, unsigned long, 32)
SIMT_VECTOR4(longlong4_16a, long long, 16)
SIMT_VECTOR4(longlong4_32a, long long, 32)
SIMT_VECTOR4(ulonglong4_16a, unsigned long long, 16)
SIMT_VECTOR4(ulonglong4_32a, unsigned long long, 32)
SIMT_VECTOR4(double4_16a, double, 16)
SIMT_VECTOR4(double4_32a, double, 32)

#undef SIMT_VECTOR
#undef SIMT_VECTOR4
#undef SIMT_VECTOR_ATTRIBUTES
#undef SIMT_VECTOR2_METHODS
#undef SIMT_VECTOR4_METHODS
#undef SIMT_INLINE

/* Numbers of blocks or threads; what is left out is 1. */
struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    __host__ __device__ constexpr dim3(unsigned int nx = 1, unsigned int ny = 1,
                                       unsigned int nz = 1)
        : x(nx), y(ny), z(nz)
    {
    }
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#ifdef __CUDA__
    /* From threadIdx, blockDim and so on, which are no uint3 here: simt/builtin_variables.h. */
    template <typename V, typename = typename V::simt_coordinates>
    __device__ dim3(const V &v) : x(v.x), y(v.y), z(v.z)
    {
    }
#endif
#endif
};
typedef struct dim3 dim3;

#endif

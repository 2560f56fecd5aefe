/* simt/memory.h - loads and stores with cache hints, and address spaces.
 *
 * __ldg reads through the read-only path (ld.global.nc); the others name a cache policy:
 * cg = L2 only, ca = all levels, cs = streaming, lu = last use, cv = do not cache, wb = write
 * back, wt = write through. */
#ifndef SIMT_SIMT_MEMORY_H
#define SIMT_SIMT_MEMORY_H

#include "../vector_types.h"
#include "device.h"

/* One 8-, 16-, 32- or 64-bit access: `word` is the type that travels in a register. Assembly has
 * no 8-bit register, so bytes travel in 16 bits. */
#define SIMT_LOAD(name, op, clobber, type, suffix, word, letter)                                   \
    SIMT_DEVICE type name(const type *p)                                                           \
    {                                                                                              \
        word v;                                                                                    \
        asm("ld.global." op "." suffix " %0, [%1];" : "=" letter(v) : "l"(p)clobber);              \
        return (type)v;                                                                            \
    }
#define SIMT_STORE(name, op, clobber, type, suffix, word, letter)                                  \
    SIMT_DEVICE void name(type *p, type value)                                                     \
    {                                                                                              \
        asm volatile("st.global." op "." suffix " [%0], %1;" ::"l"(p),                             \
                     letter((word)value) clobber);                                                 \
    }

/* Vectors of two and four. */
#define SIMT_LOAD2(name, op, clobber, type, suffix, letter)                                        \
    SIMT_DEVICE type name(const type *p)                                                           \
    {                                                                                              \
        type v;                                                                                    \
        asm("ld.global." op ".v2." suffix " {%0, %1}, [%2];"                                       \
            : "=" letter(v.x), "=" letter(v.y)                                                     \
            : "l"(p)clobber);                                                                      \
        return v;                                                                                  \
    }
#define SIMT_LOAD4(name, op, clobber, type, suffix, letter)                                        \
    SIMT_DEVICE type name(const type *p)                                                           \
    {                                                                                              \
        type v;                                                                                    \
        asm("ld.global." op ".v4." suffix " {%0, %1, %2, %3}, [%4];"                               \
            : "=" letter(v.x), "=" letter(v.y), "=" letter(v.z), "=" letter(v.w)                   \
            : "l"(p)clobber);                                                                      \
        return v;                                                                                  \
    }
#define SIMT_STORE2(name, op, clobber, type, suffix, letter)                                       \
    SIMT_DEVICE void name(type *p, type v)                                                         \
    {                                                                                              \
        asm volatile("st.global." op ".v2." suffix " [%0], {%1, %2};" ::"l"(p), letter(v.x),       \
                     letter(v.y) clobber);                                                         \
    }
#define SIMT_STORE4(name, op, clobber, type, suffix, letter)                                       \
    SIMT_DEVICE void name(type *p, type v)                                                         \
    {                                                                                              \
        asm volatile("st.global." op ".v4." suffix " [%0], {%1, %2, %3, %4};" ::"l"(p),            \
                     letter(v.x), letter(v.y), letter(v.z), letter(v.w) clobber);                  \
    }

/* All types, by the macro for one register, for two and for four. */
#define SIMT_TYPES(ONE, TWO, FOUR, name, op, clobber)                                              \
    ONE(name, op, clobber, char, "s8", short, "h")                                                 \
    ONE(name, op, clobber, signed char, "s8", short, "h")                                          \
    ONE(name, op, clobber, unsigned char, "u8", unsigned short, "h")                               \
    ONE(name, op, clobber, short, "s16", short, "h")                                               \
    ONE(name, op, clobber, unsigned short, "u16", unsigned short, "h")                             \
    ONE(name, op, clobber, int, "s32", int, "r")                                                   \
    ONE(name, op, clobber, unsigned int, "u32", unsigned int, "r")                                 \
    ONE(name, op, clobber, long, "s64", long, "l")                                                 \
    ONE(name, op, clobber, unsigned long, "u64", unsigned long, "l")                               \
    ONE(name, op, clobber, long long, "s64", long long, "l")                                       \
    ONE(name, op, clobber, unsigned long long, "u64", unsigned long long, "l")                     \
    ONE(name, op, clobber, float, "f32", float, "f")                                               \
    ONE(name, op, clobber, double, "f64", double, "d")                                             \
    TWO(name, op, clobber, int2, "s32", "r")                                                       \
    TWO(name, op, clobber, uint2, "u32", "r")                                                      \
    TWO(name, op, clobber, float2, "f32", "f")                                                     \
    TWO(name, op, clobber, double2, "f64", "d")                                                    \
    TWO(name, op, clobber, longlong2, "s64", "l")                                                  \
    TWO(name, op, clobber, ulonglong2, "u64", "l")                                                 \
    FOUR(name, op, clobber, int4, "s32", "r")                                                      \
    FOUR(name, op, clobber, uint4, "u32", "r")                                                     \
    FOUR(name, op, clobber, float4, "f32", "f")                                                    \
    TWO(name, op, clobber, long2, "s64", "l")                                                      \
    TWO(name, op, clobber, ulong2, "u64", "l")
#define SIMT_LOADS(name, op, clobber)                                                              \
    SIMT_TYPES(SIMT_LOAD, SIMT_LOAD2, SIMT_LOAD4, name, op, clobber)
#define SIMT_STORES(name, op, clobber)                                                             \
    SIMT_TYPES(SIMT_STORE, SIMT_STORE2, SIMT_STORE4, name, op, clobber)

/* All functions, with the policy's name in PTX. Read-only data is free to move, so that __ldg
 * clobbers nothing. */
#define SIMT_HINTED(LOAD, STORE)                                                                   \
    LOAD(__ldg, "nc", )                                                                            \
    LOAD(__ldca, "ca", : "memory")                                                                 \
    LOAD(__ldcg, "cg", : "memory")                                                                 \
    LOAD(__ldcs, "cs", : "memory")                                                                 \
    LOAD(__ldlu, "lu", : "memory")                                                                 \
    LOAD(__ldcv, "cv", : "memory")                                                                 \
    STORE(__stwb, "wb", : "memory")                                                                \
    STORE(__stcg, "cg", : "memory")                                                                \
    STORE(__stcs, "cs", : "memory")                                                                \
    STORE(__stwt, "wt", : "memory")
SIMT_HINTED(SIMT_LOADS, SIMT_STORES)

#undef SIMT_LOAD
#undef SIMT_LOAD2
#undef SIMT_LOAD4
#undef SIMT_LOADS
#undef SIMT_STORE
#undef SIMT_STORE2
#undef SIMT_STORE4
#undef SIMT_STORES
#undef SIMT_TYPES

/* Small vectors travel as a word of their size. */
template <typename V> struct simt_word_of {
};
#define SIMT_WORD_OF(type, of)                                                                     \
    template <> struct simt_word_of<type> {                                                        \
        typedef type vector;                                                                       \
        typedef of word;                                                                           \
    };
SIMT_WORD_OF(char2, unsigned short)
SIMT_WORD_OF(uchar2, unsigned short)
SIMT_WORD_OF(char4, unsigned int)
SIMT_WORD_OF(uchar4, unsigned int)
SIMT_WORD_OF(short2, unsigned int)
SIMT_WORD_OF(ushort2, unsigned int)
SIMT_WORD_OF(short4, unsigned long long)
SIMT_WORD_OF(ushort4, unsigned long long)
#undef SIMT_WORD_OF
#define SIMT_LOAD(name, ...)                                                                       \
    template <typename V> SIMT_DEVICE typename simt_word_of<V>::vector name(const V *p)            \
    {                                                                                              \
        typename simt_word_of<V>::word w = name((const typename simt_word_of<V>::word *)p);        \
        V v;                                                                                       \
        __builtin_memcpy((void *)&v, &w, sizeof v);                                                \
        return v;                                                                                  \
    }
#define SIMT_STORE(name, ...)                                                                      \
    template <typename V> SIMT_DEVICE void name(V *p, typename simt_word_of<V>::vector v)          \
    {                                                                                              \
        typename simt_word_of<V>::word w;                                                          \
        __builtin_memcpy(&w, (const void *)&v, sizeof w);                                          \
        name((typename simt_word_of<V>::word *)p, w);                                              \
    }
SIMT_HINTED(SIMT_LOAD, SIMT_STORE)
#undef SIMT_LOAD
#undef SIMT_STORE

/* A generic pointer as an address within one space, and back. */
#define SIMT_CVTA(space)                                                                           \
    SIMT_DEVICE size_t __cvta_generic_to_##space(const void *p)                                    \
    {                                                                                              \
        size_t address;                                                                            \
        asm("cvta.to." #space ".u64 %0, %1;" : "=l"(address) : "l"(p));                            \
        return address;                                                                            \
    }                                                                                              \
    SIMT_DEVICE void *__cvta_##space##_to_generic(size_t address)                                  \
    {                                                                                              \
        void *p;                                                                                   \
        asm("cvta." #space ".u64 %0, %1;" : "=l"(p) : "l"(address));                               \
        return p;                                                                                  \
    }

SIMT_CVTA(global)
SIMT_CVTA(shared)
SIMT_CVTA(local)
#undef SIMT_CVTA
SIMT_DEVICE size_t __cvta_generic_to_constant(const void *p)
{
    size_t address;
    asm("cvta.to.const.u64 %0, %1;" : "=l"(address) : "l"(p));
    return address;
}

SIMT_DEVICE unsigned int __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
SIMT_DEVICE unsigned int __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
SIMT_DEVICE unsigned int __isLocal(const void *p) { return __nvvm_isspacep_local(p); }
SIMT_DEVICE unsigned int __isConstant(const void *p) { return __nvvm_isspacep_const(p); }

#endif

/* simt/atomics.h - atomicAdd and its relatives.
 *
 * Built on clang's atomics, not on inline assembly, so that the compiler finds out which memory a
 * pointer points to and writes atom.global or atom.shared. All are relaxed, as CUDA says. A
 * function without suffix is atomic for the whole device, _block for the block, _system for the
 * device and the host. */
#ifndef SIMT_ATOMICS_H
#define SIMT_ATOMICS_H

#include "device.h"

/* name, the builtin's operation, its type letter: __nvvm_atom_add_gen_i and so on. */
#define SIMT_ATOMIC(name, op, letter, type)                                                        \
    SIMT_DEVICE type name(type *address, type value)                                               \
    {                                                                                              \
        return (type)__nvvm_atom_##op##_gen_##letter(address, value);                              \
    }
#define SIMT_ATOMIC_AS(name, op, letter, type, as)                                                 \
    SIMT_DEVICE type name(type *address, type value)                                               \
    {                                                                                              \
        return (type)__nvvm_atom_##op##_gen_##letter((as *)address, (as)value);                    \
    }
#define SIMT_ATOMIC_SCOPES(name, op, letter, type)                                                 \
    SIMT_ATOMIC(name, op, letter, type)                                                            \
    SIMT_ATOMIC(name##_block, cta_##op, letter, type)                                              \
    SIMT_ATOMIC(name##_system, sys_##op, letter, type)
#define SIMT_ATOMIC_SCOPES_AS(name, op, letter, type, as)                                          \
    SIMT_ATOMIC_AS(name, op, letter, type, as)                                                     \
    SIMT_ATOMIC_AS(name##_block, cta_##op, letter, type, as)                                       \
    SIMT_ATOMIC_AS(name##_system, sys_##op, letter, type, as)

SIMT_ATOMIC_SCOPES(atomicAdd, add, i, int)
SIMT_ATOMIC_SCOPES_AS(atomicAdd, add, i, unsigned int, int)
SIMT_ATOMIC_SCOPES_AS(atomicAdd, add, ll, unsigned long long, long long)
SIMT_ATOMIC_SCOPES(atomicAdd, add, f, float)
SIMT_ATOMIC_SCOPES(atomicAdd, add, d, double)

SIMT_ATOMIC_SCOPES(atomicExch, xchg, i, int)
SIMT_ATOMIC_SCOPES_AS(atomicExch, xchg, i, unsigned int, int)
SIMT_ATOMIC_SCOPES_AS(atomicExch, xchg, ll, unsigned long long, long long)

SIMT_ATOMIC_SCOPES(atomicMin, min, i, int)
SIMT_ATOMIC_SCOPES(atomicMax, max, i, int)
SIMT_ATOMIC_SCOPES(atomicMin, min, ll, long long)
SIMT_ATOMIC_SCOPES(atomicMax, max, ll, long long)
SIMT_ATOMIC_SCOPES(atomicMin, min, ui, unsigned int)
SIMT_ATOMIC_SCOPES(atomicMax, max, ui, unsigned int)
SIMT_ATOMIC_SCOPES(atomicMin, min, ull, unsigned long long)
SIMT_ATOMIC_SCOPES(atomicMax, max, ull, unsigned long long)

SIMT_ATOMIC_SCOPES(atomicInc, inc, ui, unsigned int)
SIMT_ATOMIC_SCOPES(atomicDec, dec, ui, unsigned int)

#define SIMT_ATOMIC_BITS(name, op)                                                                 \
    SIMT_ATOMIC_SCOPES(name, op, i, int)                                                           \
    SIMT_ATOMIC_SCOPES_AS(name, op, i, unsigned int, int)                                          \
    SIMT_ATOMIC_SCOPES_AS(name, op, ll, unsigned long long, long long)

SIMT_ATOMIC_BITS(atomicAnd, and)
SIMT_ATOMIC_BITS(atomicOr, or)
SIMT_ATOMIC_BITS(atomicXor, xor)

/* What is made of another. */
#define SIMT_ATOMIC_MADE(suffix)                                                                   \
    SIMT_DEVICE int atomicSub##suffix(int *address, int value)                                     \
    {                                                                                              \
        return atomicAdd##suffix((unsigned int *)address, 0u - (unsigned int)value);               \
    }                                                                                              \
    SIMT_DEVICE unsigned int atomicSub##suffix(unsigned int *address, unsigned int value)          \
    {                                                                                              \
        return atomicAdd##suffix(address, 0u - value);                                             \
    }                                                                                              \
    SIMT_DEVICE float atomicExch##suffix(float *address, float value)                              \
    {                                                                                              \
        return __builtin_bit_cast(                                                                 \
            float, atomicExch##suffix((int *)address, __builtin_bit_cast(int, value)));            \
    }

SIMT_ATOMIC_MADE()
SIMT_ATOMIC_MADE(_block)
SIMT_ATOMIC_MADE(_system)

/* Compare and swap: returns what was there. */
#define SIMT_ATOMIC_CAS(suffix, scope)                                                             \
    SIMT_DEVICE int atomicCAS##suffix(int *address, int compare, int value)                        \
    {                                                                                              \
        return __nvvm_atom_##scope##cas_gen_i(address, compare, value);                            \
    }                                                                                              \
    SIMT_DEVICE unsigned int atomicCAS##suffix(unsigned int *address, unsigned int compare,        \
                                               unsigned int value)                                 \
    {                                                                                              \
        return (unsigned int)__nvvm_atom_##scope##cas_gen_i((int *)address, (int)compare,          \
                                                            (int)value);                           \
    }                                                                                              \
    SIMT_DEVICE unsigned long long atomicCAS##suffix(                                              \
        unsigned long long *address, unsigned long long compare, unsigned long long value)         \
    {                                                                                              \
        return (unsigned long long)__nvvm_atom_##scope##cas_gen_ll(                                \
            (long long *)address, (long long)compare, (long long)value);                           \
    }

SIMT_ATOMIC_CAS(, )
SIMT_ATOMIC_CAS(_block, cta_)
SIMT_ATOMIC_CAS(_system, sys_)

SIMT_DEVICE unsigned short atomicCAS(unsigned short *address, unsigned short compare,
                                     unsigned short value)
{
    unsigned short old;
    asm volatile("atom.cas.b16 %0, [%1], %2, %3;"
                 : "=h"(old)
                 : "l"(address), "h"(compare), "h"(value)
                 : "memory");
    return old;
}

/* Any type of 16 bytes that is copied as bytes and aligned to them: sm_90 and later. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
template <typename T> struct simt_sixteen_bytes {
    static constexpr bool fits = sizeof(T) == 16 && alignof(T) >= 16 && __is_trivially_copyable(T);
};
template <bool fits, typename T> struct simt_if {
};
template <typename T> struct simt_if<true, T> {
    typedef T type;
};
#define SIMT_ATOMIC_16(suffix, scope)                                                              \
    template <typename T>                                                                          \
    SIMT_DEVICE typename simt_if<simt_sixteen_bytes<T>::fits, T>::type atomicExch##suffix(         \
        T *address, T value)                                                                       \
    {                                                                                              \
        unsigned long long v[2], old[2];                                                           \
        __builtin_memcpy(v, &value, 16);                                                           \
        asm volatile("{\n\t.reg .b128 v, old;\n\tmov.b128 v, {%2, %3};\n\t"                        \
                     "atom.relaxed." scope ".exch.b128 old, [%4], v;\n\t"                          \
                     "mov.b128 {%0, %1}, old;\n\t}"                                                \
                     : "=l"(old[0]), "=l"(old[1])                                                  \
                     : "l"(v[0]), "l"(v[1]), "l"(address)                                          \
                     : "memory");                                                                  \
        __builtin_memcpy((void *)&value, old, 16);                                                 \
        return value;                                                                              \
    }                                                                                              \
    template <typename T>                                                                          \
    SIMT_DEVICE typename simt_if<simt_sixteen_bytes<T>::fits, T>::type atomicCAS##suffix(          \
        T *address, T compare, T value)                                                            \
    {                                                                                              \
        unsigned long long v[2], wanted[2], old[2];                                                \
        __builtin_memcpy(v, &value, 16);                                                           \
        __builtin_memcpy(wanted, &compare, 16);                                                    \
        asm volatile("{\n\t.reg .b128 v, wanted, old;\n\t"                                         \
                     "mov.b128 v, {%2, %3};\n\tmov.b128 wanted, {%4, %5};\n\t"                     \
                     "atom.relaxed." scope ".cas.b128 old, [%6], wanted, v;\n\t"                   \
                     "mov.b128 {%0, %1}, old;\n\t}"                                                \
                     : "=l"(old[0]), "=l"(old[1])                                                  \
                     : "l"(v[0]), "l"(v[1]), "l"(wanted[0]), "l"(wanted[1]), "l"(address)          \
                     : "memory");                                                                  \
        __builtin_memcpy((void *)&value, old, 16);                                                 \
        return value;                                                                              \
    }
SIMT_ATOMIC_16(, "gpu")
SIMT_ATOMIC_16(_block, "cta")
SIMT_ATOMIC_16(_system, "sys")
#undef SIMT_ATOMIC_16
#endif

#undef SIMT_ATOMIC
#undef SIMT_ATOMIC_AS
#undef SIMT_ATOMIC_SCOPES
#undef SIMT_ATOMIC_SCOPES_AS
#undef SIMT_ATOMIC_BITS
#undef SIMT_ATOMIC_MADE
#undef SIMT_ATOMIC_CAS

#endif

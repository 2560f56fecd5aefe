/* simt/scoped_atomics.h - __nv_atomic_fetch_add() and its relatives: atomics that name an order and
 * a scope. CUDA 12.8's compilers know them without a header.
 *
 * Order and scope are constants once everything is inlined; of each choice one instruction stays.
 * An operation is relaxed, with a fence before it if it releases, and one behind it if it acquires.
 * Words of 4 and 8 bytes; loads and stores of 1 and 2 bytes, too. */
#ifndef SIMT_SCOPED_ATOMICS_H
#define SIMT_SCOPED_ATOMICS_H

#include "atomics.h"

#define __NV_ATOMIC_RELAXED       __ATOMIC_RELAXED
#define __NV_ATOMIC_CONSUME       __ATOMIC_CONSUME
#define __NV_ATOMIC_ACQUIRE       __ATOMIC_ACQUIRE
#define __NV_ATOMIC_RELEASE       __ATOMIC_RELEASE
#define __NV_ATOMIC_ACQ_REL       __ATOMIC_ACQ_REL
#define __NV_ATOMIC_SEQ_CST       __ATOMIC_SEQ_CST
#define __NV_THREAD_SCOPE_THREAD  0
#define __NV_THREAD_SCOPE_BLOCK   1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE  3
#define __NV_THREAD_SCOPE_SYSTEM  4

/* One of three; what is for a cluster is done for the device. */
#define SIMT_BY_SCOPE(scope, block, device, system)                                                \
    if ((scope) <= __NV_THREAD_SCOPE_BLOCK) {                                                      \
        block;                                                                                     \
    } else if ((scope) <= __NV_THREAD_SCOPE_DEVICE) {                                              \
        device;                                                                                    \
    } else {                                                                                       \
        system;                                                                                    \
    }

SIMT_DEVICE void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    if (order == __NV_ATOMIC_SEQ_CST) {
        SIMT_BY_SCOPE(scope,
                      asm volatile("fence.sc.cta;" ::
                                       : "memory"),
                      asm volatile("fence.sc.gpu;" ::
                                       : "memory"),
                      asm volatile("fence.sc.sys;" ::
                                       : "memory"))
    } else if (order != __NV_ATOMIC_RELAXED) {
        SIMT_BY_SCOPE(scope,
                      asm volatile("fence.acq_rel.cta;" ::
                                       : "memory"),
                      asm volatile("fence.acq_rel.gpu;" ::
                                       : "memory"),
                      asm volatile("fence.acq_rel.sys;" ::
                                       : "memory"))
    }
}
SIMT_DEVICE void simt_before_atomic(int order, int scope)
{
    if (order >= __NV_ATOMIC_RELEASE) { /* the two that do more come behind it */
        __nv_atomic_thread_fence(order, scope);
    }
}
SIMT_DEVICE void simt_behind_atomic(int order, int scope)
{
    if (order != __NV_ATOMIC_RELAXED && order != __NV_ATOMIC_RELEASE) {
        __nv_atomic_thread_fence(__NV_ATOMIC_ACQUIRE, scope);
    }
}

/* --- words ------------------------------------------------------------------------------------ */

template <int bytes> struct simt_word;
#define SIMT_WORD(bytes, type, bits, letter)                                                       \
    template <> struct simt_word<bytes> {                                                          \
        typedef type word;                                                                         \
        SIMT_DEVICE word load(const void *p, int scope)                                            \
        {                                                                                          \
            word v;                                                                                \
            SIMT_BY_SCOPE(scope,                                                                   \
                          asm volatile("ld.relaxed.cta." bits " %0, [%1];"                         \
                                       : "=" letter(v)                                             \
                                       : "l"(p)                                                    \
                                       : "memory"),                                                \
                          asm volatile("ld.relaxed.gpu." bits " %0, [%1];"                         \
                                       : "=" letter(v)                                             \
                                       : "l"(p)                                                    \
                                       : "memory"),                                                \
                          asm volatile("ld.relaxed.sys." bits " %0, [%1];"                         \
                                       : "=" letter(v)                                             \
                                       : "l"(p)                                                    \
                                       : "memory"))                                                \
            return v;                                                                              \
        }                                                                                          \
        SIMT_DEVICE void store(void *p, word v, int scope)                                         \
        {                                                                                          \
            SIMT_BY_SCOPE(scope,                                                                   \
                          asm volatile("st.relaxed.cta." bits " [%0], %1;" ::"l"(p), letter(v)     \
                                       : "memory"),                                                \
                          asm volatile("st.relaxed.gpu." bits " [%0], %1;" ::"l"(p), letter(v)     \
                                       : "memory"),                                                \
                          asm volatile("st.relaxed.sys." bits " [%0], %1;" ::"l"(p), letter(v)     \
                                       : "memory"))                                                \
        }                                                                                          \
    };
SIMT_WORD(1, unsigned short, "u8", "h")
SIMT_WORD(2, unsigned short, "u16", "h")
SIMT_WORD(4, unsigned int, "b32", "r")
SIMT_WORD(8, unsigned long long, "b64", "l")
#undef SIMT_WORD

/* A value of 1, 2, 4 or 8 bytes as such a word, and back. */
template <typename To, typename From> SIMT_DEVICE To simt_as(From from)
{
    To to = To();
    __builtin_memcpy(&to, &from, sizeof from < sizeof to ? sizeof from : sizeof to);
    return to;
}

/* The type by which atomicAdd() and the others know a value: long is one of two. */
template <typename T, int bytes = sizeof(T), bool is_signed = (T(-1) < T(0))> struct simt_number {
    typedef T type;
};
template <> struct simt_number<long, 8, true> {
    typedef long long type;
};
template <> struct simt_number<unsigned long, 8, false> {
    typedef unsigned long long type;
};
/* A sum, an exchange, and bits are the same with a sign and without. */
template <typename T> struct simt_unsigned : simt_number<T> {
};
template <> struct simt_unsigned<long> : simt_number<unsigned long> {
};
template <> struct simt_unsigned<long long> : simt_number<unsigned long long> {
};

/* --- what programs call ----------------------------------------------------------------------- */

template <typename T>
SIMT_DEVICE T __nv_atomic_load_n(const T *p, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    if (order == __NV_ATOMIC_SEQ_CST) {
        __nv_atomic_thread_fence(order, scope);
    }
    const T value = simt_as<T>(simt_word<sizeof(T)>::load(p, scope));
    simt_behind_atomic(order, scope);
    return value;
}
template <typename T>
SIMT_DEVICE void __nv_atomic_load(const T *p, T *value, int order,
                                  int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    *value = __nv_atomic_load_n(p, order, scope);
}
template <typename T, typename U>
SIMT_DEVICE void __nv_atomic_store_n(T *p, U value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    simt_before_atomic(order, scope);
    simt_word<sizeof(T)>::store(p, simt_as<typename simt_word<sizeof(T)>::word>((T)value), scope);
}
template <typename T>
SIMT_DEVICE void __nv_atomic_store(T *p, const T *value, int order,
                                   int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    __nv_atomic_store_n(p, *value, order, scope);
}

/* fetch_NAME() returns what was there; NAME() returns nothing. */
#define SIMT_SCOPED(name, function, number)                                                        \
    template <typename T, typename U>                                                              \
    SIMT_DEVICE T __nv_atomic_fetch_##name(T *p, U value, int order,                               \
                                           int scope = __NV_THREAD_SCOPE_SYSTEM)                   \
    {                                                                                              \
        typedef typename number<T>::type word;                                                     \
        word old, *const at = (word *)p;                                                           \
        simt_before_atomic(order, scope);                                                          \
        SIMT_BY_SCOPE(scope, old = function##_block(at, (word)(T)value),                           \
                      old = function(at, (word)(T)value),                                          \
                      old = function##_system(at, (word)(T)value))                                 \
        simt_behind_atomic(order, scope);                                                          \
        return (T)old;                                                                             \
    }                                                                                              \
    template <typename T, typename U>                                                              \
    SIMT_DEVICE void __nv_atomic_##name(T *p, U value, int order,                                  \
                                        int scope = __NV_THREAD_SCOPE_SYSTEM)                      \
    {                                                                                              \
        __nv_atomic_fetch_##name(p, value, order, scope);                                          \
    }
SIMT_SCOPED(add, atomicAdd, simt_unsigned)
SIMT_SCOPED(and, atomicAnd, simt_unsigned)
SIMT_SCOPED(or, atomicOr, simt_unsigned)
SIMT_SCOPED(xor, atomicXor, simt_unsigned)
SIMT_SCOPED(min, atomicMin, simt_number)
SIMT_SCOPED(max, atomicMax, simt_number)
#undef SIMT_SCOPED

template <typename T, typename U>
SIMT_DEVICE T __nv_atomic_fetch_sub(T *p, U value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    return __nv_atomic_fetch_add(p, (T)(T() - (T)value), order, scope);
}
template <typename T, typename U>
SIMT_DEVICE void __nv_atomic_sub(T *p, U value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    __nv_atomic_fetch_sub(p, value, order, scope);
}

template <typename T, typename U>
SIMT_DEVICE T __nv_atomic_exchange_n(T *p, U value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    typedef typename simt_word<sizeof(T)>::word word;
    const word v = simt_as<word>((T)value);
    word old, *const at = (word *)p;
    simt_before_atomic(order, scope);
    SIMT_BY_SCOPE(scope, old = atomicExch_block(at, v), old = atomicExch(at, v),
                  old = atomicExch_system(at, v))
    simt_behind_atomic(order, scope);
    return simt_as<T>(old);
}
template <typename T>
SIMT_DEVICE void __nv_atomic_exchange(T *p, const T *value, T *old, int order,
                                      int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    *old = __nv_atomic_exchange_n(p, *value, order, scope);
}

/* True: it was *expected. Else *expected is what was there. */
template <typename T, typename U>
SIMT_DEVICE bool __nv_atomic_compare_exchange_n(T *p, T *expected, U value, bool, int success,
                                                int failure, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    typedef typename simt_word<sizeof(T)>::word word;
    const int order = success > failure ? success : failure;
    const word v = simt_as<word>((T)value), wanted = simt_as<word>(*expected);
    word old, *const at = (word *)p;
    simt_before_atomic(order, scope);
    SIMT_BY_SCOPE(scope, old = atomicCAS_block(at, wanted, v), old = atomicCAS(at, wanted, v),
                  old = atomicCAS_system(at, wanted, v))
    simt_behind_atomic(order, scope);
    *expected = simt_as<T>(old);
    return old == wanted;
}
template <typename T>
SIMT_DEVICE bool __nv_atomic_compare_exchange(T *p, T *expected, const T *value, bool weak,
                                              int success, int failure,
                                              int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    return __nv_atomic_compare_exchange_n(p, expected, *value, weak, success, failure, scope);
}

#undef SIMT_BY_SCOPE

#endif

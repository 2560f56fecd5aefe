/* simt/atomic_words.h - atomic operations on words of 4 and 8 bytes with an order and a scope, for
 * <cuda/atomic>: atom, ld, st and fence of PTX on the device, the compiler's atomics on the host.
 *
 * Order and scope are constants once everything is inlined; of each switch one instruction stays.
 * A sequentially consistent operation is a fence.sc followed by one that acquires, or by a store.
 */
#ifndef SIMT_ATOMIC_WORDS_H
#define SIMT_ATOMIC_WORDS_H

#include "device.h"

namespace cuda
{

enum thread_scope {
    thread_scope_system = 0,
    thread_scope_device = 1,
    thread_scope_block = 2,
    thread_scope_thread = 10
};

namespace std
{
typedef enum memory_order {
    memory_order_relaxed = __ATOMIC_RELAXED,
    memory_order_consume = __ATOMIC_CONSUME,
    memory_order_acquire = __ATOMIC_ACQUIRE,
    memory_order_release = __ATOMIC_RELEASE,
    memory_order_acq_rel = __ATOMIC_ACQ_REL,
    memory_order_seq_cst = __ATOMIC_SEQ_CST
} memory_order;
} // namespace std

using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

} // namespace cuda

#ifdef __CUDA_ARCH__

/* STATEMENT(how, ...): one instruction, with order and scope in `how`; the rest is handed on. */
#define SIMT_BY_SCOPE(STATEMENT, order, scope, ...)                                                \
    switch (scope) {                                                                               \
    case cuda::thread_scope_system:                                                                \
        STATEMENT(order ".sys", __VA_ARGS__);                                                      \
        break;                                                                                     \
    case cuda::thread_scope_device:                                                                \
        STATEMENT(order ".gpu", __VA_ARGS__);                                                      \
        break;                                                                                     \
    default:                                                                                       \
        STATEMENT(order ".cta", __VA_ARGS__);                                                      \
    }
#define SIMT_BY_ORDER(STATEMENT, order, scope, ...)                                                \
    switch (order) {                                                                               \
    case cuda::memory_order_relaxed:                                                               \
        SIMT_BY_SCOPE(STATEMENT, "relaxed", scope, __VA_ARGS__)                                    \
        break;                                                                                     \
    case cuda::memory_order_release:                                                               \
        SIMT_BY_SCOPE(STATEMENT, "release", scope, __VA_ARGS__)                                    \
        break;                                                                                     \
    case cuda::memory_order_acq_rel:                                                               \
        SIMT_BY_SCOPE(STATEMENT, "acq_rel", scope, __VA_ARGS__)                                    \
        break;                                                                                     \
    default:                                                                                       \
        SIMT_BY_SCOPE(STATEMENT, "acquire", scope, __VA_ARGS__)                                    \
    }

#define SIMT_FENCE(how, unused) asm volatile("fence." how ";" ::: "memory")
SIMT_DEVICE void simt_fence(cuda::memory_order order, cuda::thread_scope scope)
{
    if (order == cuda::memory_order_seq_cst) {
        SIMT_BY_SCOPE(SIMT_FENCE, "sc", scope, )
    } else if (order != cuda::memory_order_relaxed) {
        SIMT_BY_SCOPE(SIMT_FENCE, "acq_rel", scope, )
    }
}
#undef SIMT_FENCE
SIMT_DEVICE void simt_fence_if_sequential(cuda::memory_order order, cuda::thread_scope scope)
{
    if (order == cuda::memory_order_seq_cst) {
        simt_fence(order, scope);
    }
}

/* simt_atom_NAME(address, value, order, scope): returns what was there. */
#define SIMT_UPDATE(how, op, letter)                                                               \
    asm volatile("atom." how "." op " %0, [%1], %2;"                                               \
                 : "=" letter(old)                                                                 \
                 : "l"(p), letter(v)                                                               \
                 : "memory")
#define SIMT_ATOM(name, op, type, letter)                                                          \
    SIMT_DEVICE type simt_atom_##name(type *p, type v, cuda::memory_order order,                   \
                                      cuda::thread_scope scope)                                    \
    {                                                                                              \
        type old;                                                                                  \
        simt_fence_if_sequential(order, scope);                                                    \
        SIMT_BY_ORDER(SIMT_UPDATE, order, scope, op, letter)                                       \
        return old;                                                                                \
    }
#define SIMT_ATOMS(type, letter, bits, extreme)                                                    \
    SIMT_ATOM(exchange, "exch.b" bits, type, letter)                                               \
    SIMT_ATOM(add, "add.u" bits, type, letter)                                                     \
    SIMT_ATOM(and, "and.b" bits, type, letter)                                                     \
    SIMT_ATOM(or, "or.b" bits, type, letter)                                                       \
    SIMT_ATOM(xor, "xor.b" bits, type, letter)                                                     \
    SIMT_ATOM(min, "min." extreme, type, letter)                                                   \
    SIMT_ATOM(max, "max." extreme, type, letter)
SIMT_ATOMS(unsigned int, "r", "32", "u32")
SIMT_ATOMS(int, "r", "32", "s32")
SIMT_ATOMS(unsigned long long, "l", "64", "u64")
SIMT_ATOMS(long long, "l", "64", "s64")
SIMT_ATOM(add, "add.f32", float, "f")
SIMT_ATOM(add, "add.f64", double, "d")
#undef SIMT_ATOMS
#undef SIMT_ATOM
#undef SIMT_UPDATE

#define SIMT_SWAP(how, op, letter)                                                                 \
    asm volatile("atom." how ".cas." op " %0, [%1], %2, %3;"                                       \
                 : "=" letter(old)                                                                 \
                 : "l"(p), letter(expected), letter(v)                                             \
                 : "memory")
#define SIMT_LOAD(how, op, letter)                                                                 \
    asm volatile("ld." how "." op " %0, [%1];" : "=" letter(v) : "l"(p) : "memory")
#define SIMT_STORE(how, op, letter)                                                                \
    asm volatile("st." how "." op " [%0], %1;" ::"l"(p), letter(v) : "memory")
#define SIMT_WORD(type, op, letter)                                                                \
    SIMT_DEVICE type simt_atom_cas(type *p, type expected, type v, cuda::memory_order order,       \
                                   cuda::thread_scope scope)                                       \
    {                                                                                              \
        type old;                                                                                  \
        simt_fence_if_sequential(order, scope);                                                    \
        SIMT_BY_ORDER(SIMT_SWAP, order, scope, op, letter)                                         \
        return old;                                                                                \
    }                                                                                              \
    SIMT_DEVICE type simt_atom_load(const type *p, cuda::memory_order order,                       \
                                    cuda::thread_scope scope)                                      \
    {                                                                                              \
        type v;                                                                                    \
        simt_fence_if_sequential(order, scope);                                                    \
        if (order == cuda::memory_order_relaxed) {                                                 \
            SIMT_BY_SCOPE(SIMT_LOAD, "relaxed", scope, op, letter)                                 \
        } else {                                                                                   \
            SIMT_BY_SCOPE(SIMT_LOAD, "acquire", scope, op, letter)                                 \
        }                                                                                          \
        return v;                                                                                  \
    }                                                                                              \
    SIMT_DEVICE void simt_atom_store(type *p, type v, cuda::memory_order order,                    \
                                     cuda::thread_scope scope)                                     \
    {                                                                                              \
        simt_fence_if_sequential(order, scope);                                                    \
        if (order == cuda::memory_order_release) {                                                 \
            SIMT_BY_SCOPE(SIMT_STORE, "release", scope, op, letter)                                \
        } else {                                                                                   \
            SIMT_BY_SCOPE(SIMT_STORE, "relaxed", scope, op, letter)                                \
        }                                                                                          \
    }
SIMT_WORD(unsigned int, "b32", "r")
SIMT_WORD(unsigned long long, "b64", "l")
#undef SIMT_WORD
#undef SIMT_SWAP
#undef SIMT_LOAD
#undef SIMT_STORE
#undef SIMT_BY_ORDER
#undef SIMT_BY_SCOPE

#else

/* The host: the compiler's own, whatever the scope. */
SIMT_BOTH void simt_fence(cuda::memory_order order, cuda::thread_scope)
{
    __atomic_thread_fence((int)order);
}
#define SIMT_ATOM(name, expression)                                                                \
    template <typename T>                                                                          \
    SIMT_BOTH T simt_atom_##name(T *p, T v, cuda::memory_order order, cuda::thread_scope)          \
    {                                                                                              \
        return expression;                                                                         \
    }
SIMT_ATOM(exchange, __atomic_exchange_n(p, v, (int)order))
SIMT_ATOM(and, __atomic_fetch_and(p, v, (int)order))
SIMT_ATOM(or, __atomic_fetch_or(p, v, (int)order))
SIMT_ATOM(xor, __atomic_fetch_xor(p, v, (int)order))
#undef SIMT_ATOM
template <typename T>
SIMT_BOTH T simt_atom_cas(T *p, T expected, T v, cuda::memory_order order, cuda::thread_scope)
{
    __atomic_compare_exchange_n(p, &expected, v, false, (int)order, __ATOMIC_SEQ_CST);
    return expected;
}
template <typename T>
SIMT_BOTH T simt_atom_load(const T *p, cuda::memory_order order, cuda::thread_scope)
{
    return __atomic_load_n(p, (int)order);
}
template <typename T>
SIMT_BOTH void simt_atom_store(T *p, T v, cuda::memory_order order, cuda::thread_scope)
{
    __atomic_store_n(p, v, (int)order);
}
/* Sums and extremes, floating-point ones among them. */
#define SIMT_ATOM(name, expression)                                                                \
    template <typename T>                                                                          \
    SIMT_BOTH T simt_atom_##name(T *p, T v, cuda::memory_order order, cuda::thread_scope)          \
    {                                                                                              \
        T old, now;                                                                                \
        __atomic_load(p, &old, __ATOMIC_RELAXED);                                                  \
        do {                                                                                       \
            now = expression;                                                                      \
        } while (!__atomic_compare_exchange(p, &old, &now, false, (int)order, __ATOMIC_RELAXED));  \
        return old;                                                                                \
    }
SIMT_ATOM(add, (T)(old + v))
SIMT_ATOM(min, v < old ? v : old)
SIMT_ATOM(max, old < v ? v : old)
#undef SIMT_ATOM

#endif

#endif

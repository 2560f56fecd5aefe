/* exec_single.h - copies of 1, 2, 4, 8 or 16 aligned bytes that are one access of this machine, so
 * that another worker sees all of them or none.
 *
 * Up to 8 bytes are single on every machine that this runs on. 16 bytes are single on x86-64 with
 * AVX (Intel SDM 3A, 9.1.1 "Guaranteed Atomic Operations"; AMD APM 2, 7.3.2) and on Arm with LSE2
 * (Arm ARM, B2.2.1); PTX itself promises less (PTX ISA, "Vector Data-types": an element each). For
 * exec_element.c and exec_memory.c. */
#ifndef SIMT_EXEC_SINGLE_H
#define SIMT_EXEC_SINGLE_H

#include "exec/exec_types.h"

#include <stdatomic.h>
#include <stddef.h>

enum { MOST_SINGLE = 16 };

typedef u8 single_16 __attribute__((vector_size(16), may_alias));
/* An aligned piece of up to 16 bytes lies within one of these, wherever a row of pieces begins. */
typedef u8 single_row __attribute__((vector_size(64), may_alias, aligned(1)));
typedef u64 single_part __attribute__((may_alias, aligned(1))); /* bytes may begin anywhere */

/* The pieces that a word of the host holds; one of 16 bytes takes instructions of its own. */
#define EACH_WORD(ROW) ROW(1, u8) ROW(2, u16) ROW(4, u32) ROW(8, u64)

/* Both sides are aligned to `bytes`. */
static inline void single_copy(u8 *to, const u8 *from, unsigned bytes)
{
    switch (bytes) {
#define ROW(bytes, T)                                                                              \
    case bytes:                                                                                    \
        *(T *)(void *)to = *(const T *)(const void *)from;                                         \
        break;
        EACH_WORD(ROW)
#undef ROW
    default:
        *(single_16 *)(void *)to = *(const single_16 *)(const void *)from;
        break;
    }
}

/* Many pieces of one size side by side, of which some machine instructions take several at once.
 * total: a power of two from 32 on. */
static inline void single_copy_row(u8 *to, const u8 *from, size_t total)
{
    for (size_t i = 0; i + sizeof(single_row) <= total; i += sizeof(single_row)) {
        *(single_row *)(void *)(to + i) = *(const single_row *)(const void *)(from + i);
    }
    for (size_t i = 0; total < sizeof(single_row) && i < total; i += sizeof(u64)) {
        *(single_part *)(void *)(to + i) = *(const single_part *)(const void *)(from + i);
    }
}

#if defined __aarch64__

static inline single_16 load_16(const u8 *from)
{
    u64 low, high;
    __asm__ volatile("ldp %0, %1, %2"
                     : "=r"(low), "=r"(high)
                     : "Q"(*(const single_16 *)(const void *)from));
    return (single_16)(__attribute__((vector_size(16))) u64){low, high};
}

static inline void store_16(u8 *to, single_16 value)
{
    const __attribute__((vector_size(16))) u64 halves = (__attribute__((vector_size(16))) u64)value;
    __asm__ volatile("stp %1, %2, %0"
                     : "=Q"(*(single_16 *)(void *)to)
                     : "r"(halves[0]), "r"(halves[1]));
}

#else

#if defined __SANITIZE_THREAD__
#define UNSEEN __attribute__((no_sanitize_thread, noinline)) /* as no atomic of C has 16 bytes */
#else
#define UNSEEN inline
#endif

static UNSEEN single_16 load_16(const u8 *from)
{
    return *(const volatile single_16 *)(const void *)from;
}

static inline void store_16(u8 *to, single_16 value) { *(volatile single_16 *)(void *)to = value; }

#endif

/* What was stored before the value that this finds was stored, is there after it. */
static inline void single_acquire(u8 *to, const u8 *from, unsigned bytes)
{
    switch (bytes) {
#define ROW(bytes, T)                                                                              \
    case bytes:                                                                                    \
        *(T *)(void *)to = __atomic_load_n((const T *)(const void *)from, __ATOMIC_ACQUIRE);       \
        break;
        EACH_WORD(ROW)
#undef ROW
    default:
        *(single_16 *)(void *)to = load_16(from);
        atomic_thread_fence(memory_order_acquire);
        break;
    }
}

static inline void single_release(u8 *to, const u8 *from, unsigned bytes)
{
    switch (bytes) {
#define ROW(bytes, T)                                                                              \
    case bytes:                                                                                    \
        __atomic_store_n((T *)(void *)to, *(const T *)(const void *)from, __ATOMIC_RELEASE);       \
        break;
        EACH_WORD(ROW)
#undef ROW
    default:
        atomic_thread_fence(memory_order_release);
        store_16(to, *(const single_16 *)(const void *)from);
        break;
    }
}

#undef EACH_WORD

#endif

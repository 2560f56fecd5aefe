/* simt/sync.h - barriers, fences, votes, matches and warp reductions.
 *
 * Everything here is volatile or convergent: no call may move across another or into a branch.
 * Nor may a load or store move across a barrier or a fence, but clang 14 believes that an intrinsic
 * changes no __shared__ variable of internal linkage (one of a kernel that is no template), and
 * loads it ahead of the barrier: each intrinsic is followed by SIMT_MEMORY, which says otherwise.
 */
#ifndef SIMT_SYNC_H
#define SIMT_SYNC_H

#include <time.h>

#include "device.h"

#define SIMT_MEMORY() asm volatile("" ::: "memory")

/* A clang builtin, with what it lacks. */
SIMT_DEVICE void simt_syncthreads()
{
    SIMT_MEMORY();
    __nvvm_bar_sync(0);
    SIMT_MEMORY();
}
#define __syncthreads() simt_syncthreads()

/* Barriers that also combine a predicate of all threads of the block. */
SIMT_DEVICE int __syncthreads_count(int predicate)
{
    SIMT_MEMORY();
    const int result = __nvvm_bar0_popc(predicate);
    SIMT_MEMORY();
    return result;
}
SIMT_DEVICE int __syncthreads_and(int predicate)
{
    SIMT_MEMORY();
    const int result = __nvvm_bar0_and(predicate);
    SIMT_MEMORY();
    return result;
}
SIMT_DEVICE int __syncthreads_or(int predicate)
{
    SIMT_MEMORY();
    const int result = __nvvm_bar0_or(predicate);
    SIMT_MEMORY();
    return result;
}
SIMT_DEVICE void __syncwarp(unsigned int mask = 0xffffffff)
{
    SIMT_MEMORY();
    __nvvm_bar_warp_sync(mask);
    SIMT_MEMORY();
}

/* Fences. */
SIMT_DEVICE void __threadfence_block()
{
    SIMT_MEMORY();
    __nvvm_membar_cta();
    SIMT_MEMORY();
}
SIMT_DEVICE void __threadfence()
{
    SIMT_MEMORY();
    __nvvm_membar_gl();
    SIMT_MEMORY();
}
SIMT_DEVICE void __threadfence_system()
{
    SIMT_MEMORY();
    __nvvm_membar_sys();
    SIMT_MEMORY();
}

/* Votes. */
SIMT_DEVICE int __all_sync(unsigned int mask, int predicate)
{
    return __nvvm_vote_all_sync(mask, predicate);
}
SIMT_DEVICE int __any_sync(unsigned int mask, int predicate)
{
    return __nvvm_vote_any_sync(mask, predicate);
}
SIMT_DEVICE int __uni_sync(unsigned int mask, int predicate)
{
    return __nvvm_vote_uni_sync(mask, predicate);
}
SIMT_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate)
{
    return __nvvm_vote_ballot_sync(mask, predicate);
}
/* Where both arms of an `if` ask, clang would ask once, in front of it. */
SIMT_DEVICE unsigned int __activemask()
{
    unsigned int mask;
    [[clang::nomerge]] {
        asm volatile("activemask.b32 %0;" : "=r"(mask));
    }
    return mask;
}

/* Which lanes hold the same value. Floats compare by their bits. (By assembly: clang 14 writes the
 * 64-bit form with a result register of the wrong width.) */
#define SIMT_MATCH(type, width, letter, bits)                                                      \
    SIMT_DEVICE unsigned int __match_any_sync(unsigned int mask, type value)                       \
    {                                                                                              \
        unsigned int lanes;                                                                        \
        asm volatile("match.any.sync.b" #width " %0, %1, %2;"                                      \
                     : "=r"(lanes)                                                                 \
                     : letter(__builtin_bit_cast(bits, value)), "r"(mask));                        \
        return lanes;                                                                              \
    }                                                                                              \
    SIMT_DEVICE unsigned int __match_all_sync(unsigned int mask, type value, int *predicate)       \
    {                                                                                              \
        unsigned int lanes;                                                                        \
        int all;                                                                                   \
        asm volatile("{\n\t.reg .pred p;\n\tmatch.all.sync.b" #width " %0|p, %2, %3;\n\t"          \
                     "selp.b32 %1, 1, 0, p;\n\t}"                                                  \
                     : "=r"(lanes), "=r"(all)                                                      \
                     : letter(__builtin_bit_cast(bits, value)), "r"(mask));                        \
        *predicate = all;                                                                          \
        return lanes;                                                                              \
    }

SIMT_MATCH(int, 32, "r", unsigned int)
SIMT_MATCH(unsigned int, 32, "r", unsigned int)
SIMT_MATCH(float, 32, "r", unsigned int)
SIMT_MATCH(long, 64, "l", unsigned long long)
SIMT_MATCH(unsigned long, 64, "l", unsigned long long)
SIMT_MATCH(long long, 64, "l", unsigned long long)
SIMT_MATCH(unsigned long long, 64, "l", unsigned long long)
SIMT_MATCH(double, 64, "l", unsigned long long)
#undef SIMT_MATCH

/* One value from all lanes of the mask, from compute capability 8.0. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define SIMT_REDUCE(name, op, type)                                                                \
    SIMT_DEVICE type __reduce_##name##_sync(unsigned int mask, type value)                         \
    {                                                                                              \
        type result;                                                                               \
        asm volatile("redux.sync." op " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));      \
        return result;                                                                             \
    }

SIMT_REDUCE(add, "add.s32", int)
SIMT_REDUCE(add, "add.u32", unsigned int)
SIMT_REDUCE(min, "min.s32", int)
SIMT_REDUCE(min, "min.u32", unsigned int)
SIMT_REDUCE(max, "max.s32", int)
SIMT_REDUCE(max, "max.u32", unsigned int)
SIMT_REDUCE(and, "and.b32", unsigned int)
SIMT_REDUCE(or, "or.b32", unsigned int)
SIMT_REDUCE(xor, "xor.b32", unsigned int)

#undef SIMT_REDUCE
#endif

/* Clocks, waiting, ending. */
SIMT_DEVICE clock_t clock()
{
    int ticks;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(ticks)::"memory");
    return ticks;
}
SIMT_DEVICE long long clock64()
{
    long long ticks;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(ticks)::"memory");
    return ticks;
}
SIMT_DEVICE void __nanosleep(unsigned int nanoseconds)
{
    asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds) : "memory");
}
SIMT_DEVICE void __trap() { asm volatile("trap;"); }
SIMT_DEVICE void __brkpt() { asm volatile("brkpt;"); }

#endif

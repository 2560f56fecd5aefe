/* simt/copy_async.h - the copies behind cuda::memcpy_async and cooperative_groups::memcpy_async:
 * the threads of a group move pieces of 16, 8 or 4 bytes from global to shared memory with
 * cp.async; what is not aligned so far, or lies elsewhere, is copied at once. */
#ifndef SIMT_COPY_ASYNC_H
#define SIMT_COPY_ASYNC_H

#include <stddef.h>

#include "device.h"

namespace cuda
{

/* A size that is a multiple of `Alignment`, of memory that is aligned to it. */
template <size_t Alignment> struct aligned_size_t {
    static constexpr size_t align = Alignment;
    size_t value;
    __host__ __device__ constexpr explicit aligned_size_t(size_t bytes) : value(bytes) {}
    __host__ __device__ constexpr operator size_t() const { return value; }
};

enum class async_contract_fulfillment { none, async };

} // namespace cuda

/* What a size says about the alignment. */
template <typename Size> struct simt_size_alignment {
    static constexpr size_t value = 1;
};
template <size_t Alignment> struct simt_size_alignment<cuda::aligned_size_t<Alignment>> {
    static constexpr size_t value = Alignment;
};

#ifdef __CUDA_ARCH__
template <int Bytes> SIMT_DEVICE void simt_copy_piece(char *to, const char *from)
{
    unsigned int shared = (unsigned int)__cvta_generic_to_shared(to);
    const char *global = (const char *)__cvta_generic_to_global(from);
    if (Bytes == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global)
                     : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(global),
                     "n"(Bytes)
                     : "memory");
    }
}
template <int Bytes>
SIMT_DEVICE void simt_copy_pieces(char *to, const char *from, size_t bytes, size_t rank,
                                  size_t size)
{
    for (size_t i = rank * Bytes; i < bytes; i += size * Bytes) {
        simt_copy_piece<Bytes>(to + i, from + i);
    }
}
template <typename Word>
SIMT_DEVICE void simt_copy_words(char *to, const char *from, size_t bytes, size_t rank, size_t size)
{
    for (size_t i = rank; i < bytes / sizeof(Word); i += size) {
        ((Word *)to)[i] = ((const Word *)from)[i];
    }
}
#endif

/* The part of thread `rank` of `size`. Returns whether copies are under way. */
template <size_t Alignment>
SIMT_BOTH bool simt_copy_async(void *to, const void *from, size_t bytes, size_t rank, size_t size)
{
#ifdef __CUDA_ARCH__
    char *t = (char *)to;
    const char *f = (const char *)from;
    if (__isShared(t) && __isGlobal(f) && Alignment >= 4) {
        if (Alignment >= 16) {
            simt_copy_pieces<16>(t, f, bytes, rank, size);
        } else if (Alignment >= 8) {
            simt_copy_pieces<8>(t, f, bytes, rank, size);
        } else {
            simt_copy_pieces<4>(t, f, bytes, rank, size);
        }
        return true;
    }
    if (Alignment >= 16) {
        simt_copy_words<uint4>(t, f, bytes, rank, size);
    } else if (Alignment >= 8) {
        simt_copy_words<uint2>(t, f, bytes, rank, size);
    } else if (Alignment >= 4) {
        simt_copy_words<unsigned int>(t, f, bytes, rank, size);
    } else {
        simt_copy_words<unsigned char>(t, f, bytes, rank, size);
    }
#else
    if (rank == 0) {
        __builtin_memcpy(to, from, bytes);
    }
    (void)size;
#endif
    return false;
}

/* --- cuda::memcpy_async -------------------------------------------------------------------------
 * Of bytes and of objects, by one thread and by a group's together, for a barrier or a pipeline:
 * what has a member simt_copy(). A pointer's type says how it is aligned, and so does
 * aligned_size_t. */

template <typename T, typename Size> struct simt_alignment {
    static constexpr size_t value = alignof(T) > simt_size_alignment<Size>::value
                                        ? alignof(T)
                                        : simt_size_alignment<Size>::value;
};
template <typename Size> struct simt_alignment<void, Size> : simt_size_alignment<Size> {
};

#include "without_lines.h"

namespace cuda
{

template <typename T, typename Size, typename Object>
__host__ __device__ __forceinline__ auto memcpy_async(T *to, const T *from, Size bytes, Object &o)
    -> decltype(o.template simt_copy<simt_alignment<T, Size>::value>(to, from, bytes, 0, 1))
{
    return o.template simt_copy<simt_alignment<T, Size>::value>(to, from, bytes, 0, 1);
}
template <typename Group, typename T, typename Size, typename Object>
__host__ __device__ __forceinline__ auto memcpy_async(const Group &g, T *to, const T *from,
                                                      Size bytes, Object &o)
    -> decltype(o.template simt_copy<simt_alignment<T, Size>::value>(to, from, bytes, 0, 1))
{
    return o.template simt_copy<simt_alignment<T, Size>::value>(to, from, bytes, g.thread_rank(),
                                                                g.size());
}
/* Pointers of two types count as bytes. */
template <typename Size, typename Object>
__host__ __device__ __forceinline__ auto memcpy_async(void *to, const void *from, Size bytes,
                                                      Object &o)
    -> decltype(o.template simt_copy<simt_alignment<void, Size>::value>(to, from, bytes, 0, 1))
{
    return o.template simt_copy<simt_alignment<void, Size>::value>(to, from, bytes, 0, 1);
}
template <typename Group, typename Size, typename Object>
__host__ __device__ __forceinline__ auto memcpy_async(const Group &g, void *to, const void *from,
                                                      Size bytes, Object &o)
    -> decltype(o.template simt_copy<simt_alignment<void, Size>::value>(to, from, bytes, 0, 1))
{
    return o.template simt_copy<simt_alignment<void, Size>::value>(to, from, bytes, g.thread_rank(),
                                                                   g.size());
}

} // namespace cuda

#include "with_lines.h"

#endif

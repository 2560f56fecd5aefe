/* stream_copies.h - how pieces of A and B get into shared memory: by cp.async, past the registers.
 *
 * Operands come as they are. Where rows start at multiples of 16 bytes, a copy moves 16 bytes;
 * elsewhere 4, which asks for no alignment and can transpose A on its way. */
#ifndef STEP02_STREAM_COPIES_H
#define STEP02_STREAM_COPIES_H

#include "step02_tiled/summit/stream_tile.h"

/* Copies go out between multiplications, without a condition: ptxas makes a branch of each that has
 * one. No "memory" clobber either, which would keep the reads of fragments in their places: a
 * barrier lies between a copy and whatever reads or overwrites the same piece. */
__device__ __forceinline__ void copy_16(unsigned to, const float *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
}

__device__ __forceinline__ void copy_4(unsigned to, const float *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from));
}

/* These write zeros instead of what is not there. */
__device__ __forceinline__ void copy_16_or_zeros(unsigned to, const float *from, bool there)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                 "r"(there ? 16 : 0)
                 : "memory");
}

__device__ __forceinline__ void copy_4_or_zero(unsigned to, const float *from, bool there)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from),
                 "r"(there ? 4 : 0)
                 : "memory");
}

__device__ __forceinline__ void close_copies()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int OPEN> __device__ __forceinline__ void wait_for_copies()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(OPEN) : "memory");
}

/* What a thread copies of a piece. A as it is: 8 lanes take neighbours in k, the others
 * neighbouring rows, and A arrives transposed. B, and packed operands: rows of k, vectors or single
 * elements. */
template <class S, operands O> struct copies {
    enum {
        A_WIDTH = O == PACKED ? 4 : 1,
        A_LANES = S::BM / A_WIDTH, /* packed: threads to a row of k */
        A_ROWS = O == PACKED ? S::THREADS / A_LANES : S::THREADS / 8, /* at once */
        A_PASSES = O == PACKED ? 1 : S::BM / A_ROWS,
        A_COUNT = S::BM * S::DEEP / S::THREADS / A_WIDTH,
        B_WIDTH = O == ANY ? 1 : 4,
        B_LANES = S::BN / B_WIDTH,
        B_ROWS = S::THREADS / B_LANES,
        B_COUNT = S::BN * S::DEEP / S::THREADS / B_WIDTH,
        COUNT = A_COUNT + B_COUNT
    };
};

/* Where a thread's copies come from. Rows beyond m and columns beyond n repeat the last one: their
 * products are never stored. */
template <class S, operands O> struct copier {
    const float *a, *b;
    int a_row[copies<S, O>::A_PASSES]; /* elements from a */
    int a_step, b_step;                /* elements from one row of k to the thread's next */
    unsigned to_a, to_b;               /* in shared memory, from a piece's beginning */
};

template <class S, operands O>
__device__ __forceinline__ struct copier<S, O> copier_at(const struct stream &w, int row0,
                                                         int column0, int k0) {
    typedef copies<S, O> X;
    const int tid = threadIdx.x, b_column = tid % X::B_LANES * X::B_WIDTH;
    struct copier<S, O> c;
    c.to_b = (S::DEEP * S::A_PITCH + tid * X::B_WIDTH) * 4;
    if (O == PACKED) {
        c.a = w.A + (long long)(k0 + tid / X::A_LANES) * w.a_columns + row0 + tid % X::A_LANES * 4;
        c.b = w.B + (long long)(k0 + tid / X::B_LANES) * w.b_columns + column0 + b_column;
        c.a_row[0] = 0;
        c.a_step = X::A_ROWS * w.a_columns;
        c.b_step = X::B_ROWS * w.b_columns;
        c.to_a = (tid / X::A_LANES * S::A_PITCH + tid % X::A_LANES * 4) * 4;
        return c;
    }
    c.a = w.A + (long long)row0 * w.k + k0 + tid % 8;
    c.b =
        w.B + (long long)(k0 + tid / X::B_LANES) * w.n + min(column0 + b_column, w.n - X::B_WIDTH);
#pragma unroll
    for (int r = 0; r < X::A_PASSES; r++)
        c.a_row[r] = min(tid / 8 + r * X::A_ROWS, w.m - 1 - row0) * w.k;
    c.a_step = 8;
    c.b_step = X::B_ROWS * w.n;
    c.to_a = (tid % 8 * S::A_PITCH + tid / 8) * 4;
    return c;
}

/* Copy number i of the thread's COUNT. */
template <class S, operands O>
__device__ __forceinline__ void copy(const struct copier<S, O> &c, unsigned piece, int i)
{
    typedef copies<S, O> X;
    if (i >= X::A_COUNT) {
        const int x = i - X::A_COUNT;
        const unsigned to = piece + c.to_b + x * S::THREADS * X::B_WIDTH * 4;
        const float *from = c.b + (long long)x * c.b_step;
        if (X::B_WIDTH == 4)
            copy_16(to, from);
        else
            copy_4(to, from);
    } else if (O == PACKED) {
        copy_16(piece + c.to_a + i * X::A_ROWS * S::A_PITCH * 4, c.a + (long long)i * c.a_step);
    } else {
        const int octet = i / X::A_PASSES, r = i % X::A_PASSES;
        copy_4(piece + c.to_a + (octet * 8 * S::A_PITCH + r * X::A_ROWS) * 4,
               c.a + c.a_row[r] + octet * 8);
    }
}

/* The first piece of a tile: what k lacks to whole pieces is missing there, `missing` steps at its
 * beginning, so that none of the others needs a test. Packed operands have zeros there. */
template <class S, operands O>
__device__ __forceinline__ void copy_first(const struct copier<S, O> &c, unsigned piece,
                                           int missing, const float *anywhere)
{
    typedef copies<S, O> X;
#pragma unroll
    for (int i = 0; i < X::A_COUNT; i++) {
        const int octet = i / X::A_PASSES, r = i % X::A_PASSES;
        const bool there = (int)(threadIdx.x % 8) + octet * 8 >= missing;
        copy_4_or_zero(piece + c.to_a + (octet * 8 * S::A_PITCH + r * X::A_ROWS) * 4,
                       there ? c.a + c.a_row[r] + octet * 8 : anywhere, there);
    }
#pragma unroll
    for (int i = 0; i < X::B_COUNT; i++) {
        const bool there = (int)threadIdx.x / X::B_LANES + i * X::B_ROWS >= missing;
        const unsigned to = piece + c.to_b + i * S::THREADS * X::B_WIDTH * 4;
        const float *from = there ? c.b + (long long)i * c.b_step : anywhere;
        if (X::B_WIDTH == 4)
            copy_16_or_zeros(to, from, there);
        else
            copy_4_or_zero(to, from, there);
    }
}

template <class S, operands O>
__device__ __forceinline__ void advance(struct copier<S, O> &c, const struct stream &w)
{
    c.a += O == PACKED ? (long long)S::DEEP * w.a_columns : S::DEEP;
    c.b += (long long)S::DEEP * (O == PACKED ? w.b_columns : w.n);
}

template <class S, operands O>
__device__ __forceinline__ void begin_copies(struct copier<S, O> &c, const struct stream &w,
                                             const struct unit &u, unsigned base, int missing)
{
    int left = u.last - u.first;
#pragma unroll 1
    for (int p = 0; p < S::AHEAD; p++) {
        const unsigned piece = base + p * S::PIECE * 4;
        if (O != PACKED && u.first + p == 0) {
            copy_first<S, O>(c, piece, missing, w.A);
        } else if (left > 0) {
#pragma unroll
            for (int i = 0; i < copies<S, O>::COUNT; i++)
                copy<S, O>(c, piece, i);
        }
        if (--left > 0 || (O != PACKED && u.first + p == 0 && w.pieces > 1))
            advance<S, O>(c,
                          w); /* always on from the first piece, which must not be copied again */
        close_copies();       /* an empty group beyond the last piece: the counts stay right */
    }
    if (O != PACKED && w.pieces == 1) { /* the loop copies something: nobody reads it */
        c.a = c.b = w.spare;
        c.b_step = 0;
#pragma unroll
        for (int r = 0; r < copies<S, O>::A_PASSES; r++)
            c.a_row[r] = 0;
    }
    wait_for_copies<S::AHEAD - 1>();
    __syncthreads();
}

#endif

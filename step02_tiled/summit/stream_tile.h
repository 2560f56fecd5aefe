/* stream_tile.h - the tiles of matmul_stream_k, and which block computes what of which.
 *
 * The tiles that are divided stand in one row, k after k, in pieces; block b of a grid computes the
 * pieces from share(b) on. Used by the other stream_*.h and by stream_k.cu. */
#ifndef STEP02_STREAM_TILE_H
#define STEP02_STREAM_TILE_H

#include <cuda_runtime.h>

#include "step02_tiled/summit/warp_tile.h"

/* How operands lie in memory: A as it is and B as it is, n a multiple of four or not; or both
 * packed beforehand (packed.cu). */
enum operands { ANY, VECTORS, PACKED };

template <int BM_, int BN_, int TM_, int TN_, int STEPS_, int SLICES_, int RING_, int PER_SM_>
struct stream_tile {
    enum {
        BM = BM_,
        BN = BN_,
        TM = TM_,
        TN = TN_,
        STEPS = STEPS_, /* of k, for one slice, in one piece */
        SLICES = SLICES_,
        RING = RING_,
        PER_SM = PER_SM_,
        DEEP = STEPS * SLICES,
        WM = TM * LANES_M,
        WN = TN * LANES_N,
        WARPS = BM / WM * (BN / WN), /* of one slice */
        THREADS = WARPS * SLICES * 32,
        A_PITCH = BM + 4, /* 8 neighbours in k of 4 rows are in 32 different banks */
        PIECE = DEEP * (A_PITCH + BN),
        AHEAD = RING - 1,
        VECTORS_A_THREAD = TM * TN / 4,
        SUMS = (SLICES - 1) * BM * BN, /* floats, to add up the slices */
        ROW = WN + 4,                  /* floats: a row of a warp on its way to C */
        STAGED = WARPS * LANES_M * ROW,
        FLOATS = RING * PIECE > SUMS ? RING *PIECE : SUMS,
        SHARED_BYTES = (FLOATS > STAGED ? FLOATS : STAGED) * 4
    };
    static_assert(BM % (THREADS / 8) == 0 && DEEP % 8 == 0, "copies of A do not divide");
    static_assert(THREADS % BN == 0 && DEEP % (THREADS * 4 / BN) == 0, "copies of B do not divide");
    static_assert(RING > 2, "the ring is too short");
};

struct stream {
    const float *A, *B;
    float *C, *parts;
    const float *spare; /* 64 floats to copy where there is nothing left to copy */
    unsigned *tickets;  /* one for each divided tile; NULL: add_parts() comes after */
    int m, n, k;
    int a_columns, b_columns;     /* of the packed copies */
    int tiles_m, tiles_n, pieces; /* pieces: of one tile */
    int first;                    /* the tiles before this one are computed elsewhere */
    int whole, band;
};

/* Pieces first .. last - 1 of a tile: what a block computes in one go. */
struct unit {
    int tile, first, last;
};

/* The row of divided tiles has this many pieces, block b begins at piece share(b). */
__device__ __forceinline__ long long divided_pieces(const struct stream &w)
{
    return ((long long)w.tiles_m * w.tiles_n - w.whole) * w.pieces;
}

__device__ __forceinline__ long long share(long long total, int block, int blocks)
{
    return total * block / blocks;
}

/* The block whose share holds piece x of the row. */
__device__ __forceinline__ int block_of(long long total, long long x, int blocks)
{
    return (int)(((x + 1) * blocks - 1) / total);
}

/* Which blocks have parts of a divided tile: from .. to. Part i of a tile is where block from + i
 * left it; a block has two places: for the tile that it finds begun, and for the one it begins. */
struct sharers {
    int from, to;
};

__device__ __forceinline__ struct sharers sharers_of(const struct stream &w, int tile, int blocks)
{
    const long long total = divided_pieces(w), x = (long long)(tile - w.whole) * w.pieces;
    const struct sharers s = {block_of(total, x, blocks),
                              block_of(total, x + w.pieces - 1, blocks)};
    return s;
}

template <class S>
__device__ __forceinline__ float *part_of(const struct stream &w, const struct sharers &s,
                                          int block)
{
    return w.parts + (size_t)(2 * block + (block == s.from)) * (S::BM * S::BN);
}

#endif

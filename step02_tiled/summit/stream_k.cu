/* stream_k.cu - too few tiles, ragged edges: the work is cut by multiplications, wherever that is.
 *
 * Tiles are whole numbers. 100 of them on 132 multiprocessors leave 32 idle, and 140 need two
 * waves, the second nearly empty. So the last waves' tiles are put in one row, k after k, and the
 * row is cut into as many equal parts as there are blocks (stream-k: M. Osama et al., 2023). A
 * block then ends in the middle of one tile and begins in the middle of another; such parts are
 * left in memory, and the block that finishes last (a ticket tells, as in lesson 05) adds up the
 * tile's parts in order. Split-k is the special case where each tile is cut into the same number of
 * parts. Operands come as they are: cp.async of 4 bytes transposes A on its way and asks for no
 * alignment, so a leading dimension that is no multiple of four costs hardly anything. */
#include "step02_tiled/summit/stream.h"

#include <cuda_runtime.h>

#include "common/cuda_check.h"
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

/* ------------------------------------------------------------------------------ who computes what
 */

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

/* ---------------------------------------------------------------------------------------- copies
 */

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
    unsigned to_a, to_b;               /* in shared memory, from the begin of a piece */
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

/* -------------------------------------------------------------------------------- multiplication
 */

/* Where a lane reads its fragments: offsets within a piece. */
struct lane_place {
    int a, b;
};

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

template <class S, operands O>
__device__ __forceinline__ void multiply_unit(float (&sum)[S::TM][S::TN], const struct stream &w,
                                              const struct unit &u, int row0, int column0,
                                              float *shared, const struct lane_place &lane)
{
    enum { COUNT = copies<S, O>::COUNT };
    const unsigned base = (unsigned)__cvta_generic_to_shared(shared);
    const int missing = w.pieces * S::DEEP - w.k;
    struct copier<S, O> c = copier_at<S, O>(w, row0, column0, u.first * S::DEEP - missing);
    begin_copies<S, O>(c, w, u, base, missing);
    const float *a_lane = shared + lane.a, *b_lane = shared + lane.b;
    float a[2][S::TM], b[2][S::TN];
    int place_read = 0, place_filled = S::AHEAD, begin = 0;
    read_fragment(a[0], a_lane, LANES_M * 4);
    read_fragment(b[0], b_lane, LANES_N * 4);
#pragma unroll 1
    for (int left = u.last - u.first; left > 0; left--) {
        /* After the barrier the next piece is there for all, and the place of the last is free. */
        wait_for_copies<S::AHEAD - 2>();
        __syncthreads();
        const unsigned filled = base + place_filled * S::PIECE * 4;
        place_filled = place_filled == S::RING - 1 ? 0 : place_filled + 1;
        place_read = place_read == S::RING - 1 ? 0 : place_read + 1;
#pragma unroll
        for (int s = 0; s < S::STEPS; s++) {
            const int next = (s + 1) % S::STEPS;
#pragma unroll
            for (int i = s * COUNT / S::STEPS; i < (s + 1) * COUNT / S::STEPS; i++)
                copy<S, O>(c, filled, i);
            if (next == 0) {
                begin = place_read * S::PIECE;
                close_copies();
                if (left > S::AHEAD + 1) /* the last piece is copied again: nobody reads it */
                    advance<S, O>(c, w);
            }
            read_fragment(a[(s + 1) % 2], a_lane + begin + next * S::A_PITCH, LANES_M * 4);
            read_fragment(b[(s + 1) % 2], b_lane + begin + next * S::BN, LANES_N * 4);
            multiply_step(sum, a[s % 2], b[s % 2]);
        }
    }
    wait_for_copies<0>();
    __syncthreads(); /* shared memory is free again */
}

/* The slices of k leave their sums in shared memory, the first one adds them to its own. */
template <class S>
__device__ __forceinline__ void add_slices(float (&sum)[S::TM][S::TN], float *shared, int slice,
                                           int thread)
{
    float4 *mine = (float4 *)shared + thread;
#pragma unroll
    for (int v = 0; v < S::VECTORS_A_THREAD; v++) {
        const int i = v / (S::TN / 4), j = v % (S::TN / 4) * 4;
        if (slice > 0)
            mine[((slice - 1) * S::VECTORS_A_THREAD + v) * (S::WARPS * 32)] =
                four_registers(&sum[i][j]);
    }
    __syncthreads();
    if (slice == 0) {
#pragma unroll
        for (int v = 0; v < (S::SLICES - 1) * S::VECTORS_A_THREAD; v++) {
            const int i = v % S::VECTORS_A_THREAD / (S::TN / 4), j = v % (S::TN / 4) * 4;
            const float4 part = mine[v * (S::WARPS * 32)];
            sum[i][j] += part.x;
            sum[i][j + 1] += part.y;
            sum[i][j + 2] += part.z;
            sum[i][j + 3] += part.w;
        }
    }
    __syncthreads();
}

/* ---------------------------------------------------------------------------------------- storing
 */

/* Rows of C that start anywhere are stored element by element, but by neighbouring lanes: eight
 * rows of the warp at a time go through shared memory. */
template <class S>
__device__ __forceinline__ void store_through_shared(const float (&sum)[S::TM][S::TN],
                                                     const struct stream &w, int row0, int column0,
                                                     float *rows, int lane)
{
#pragma unroll
    for (int i = 0; i < S::TM; i++) {
#pragma unroll
        for (int j = 0; j < S::TN; j += 4)
            *(float4 *)&rows[lane_row(lane) * S::ROW + column_in_warp(lane, j)] =
                four_registers(&sum[i][j]);
        __syncwarp();
#pragma unroll
        for (int r = 0; r < LANES_M; r++) {
            const int row = row0 + (i / 4 * LANES_M + r) * 4 + i % 4;
            float *to = &w.C[(size_t)row * w.n + column0];
#pragma unroll
            for (int x = 0; x < S::WN; x += 32)
                if (row < w.m && column0 + x + lane < w.n && x + lane < S::WN)
                    to[x + lane] = rows[r * S::ROW + x + lane];
        }
        __syncwarp();
    }
}

template <class S>
__device__ __forceinline__ void store_tile(const float (&sum)[S::TM][S::TN], const struct stream &w,
                                           int row0, int column0, float *shared, int warp, int lane)
{
    const int row = row0 + warp % (S::BM / S::WM) * S::WM,
              column = column0 + warp / (S::BM / S::WM) * S::WN;
    if (row + S::WM <= w.m && column + S::WN <= w.n && w.n % 4 == 0)
        store_whole_tile(sum, w.C, w.n, row, column, lane);
    else
        store_through_shared<S>(sum, w, row, column, shared + warp * LANES_M * S::ROW, lane);
}

/* Leaves a part; true for the block that comes last, which gets the sum of all parts of the tile,
 * in the order of k whoever is last. */
template <class S>
__device__ __forceinline__ bool exchange_parts(float (&sum)[S::TM][S::TN], const struct stream &w,
                                               const struct unit &u, int slice, int thread)
{
    __shared__ bool last;
    const struct sharers s = sharers_of(w, u.tile, gridDim.x);
    float4 *mine = (float4 *)part_of<S>(w, s, blockIdx.x) + thread;
    if (slice == 0) {
#pragma unroll
        for (int v = 0; v < S::VECTORS_A_THREAD; v++)
            mine[v * (S::WARPS * 32)] = four_registers(&sum[v / (S::TN / 4)][v % (S::TN / 4) * 4]);
    }
    if (!w.tickets)
        return false;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned parts = s.to - s.from;
        last = atomicInc(&w.tickets[u.tile - w.whole], parts) == parts; /* 0 again after the last */
    }
    __syncthreads();
    if (!last || slice > 0)
        return false;
    __threadfence();
#pragma unroll
    for (int i = 0; i < S::TM; i++)
#pragma unroll
        for (int j = 0; j < S::TN; j++)
            sum[i][j] = 0.0f;
#pragma unroll 1
    for (int block = s.from; block <= s.to; block++) {
        const float4 *part = (const float4 *)part_of<S>(w, s, block) + thread;
#pragma unroll
        for (int v = 0; v < S::VECTORS_A_THREAD; v++) {
            const float4 x = __ldcg(part + v * (S::WARPS * 32));
            float *to = &sum[v / (S::TN / 4)][v % (S::TN / 4) * 4];
            to[0] += x.x;
            to[1] += x.y;
            to[2] += x.z;
            to[3] += x.w;
        }
    }
    return true;
}

template <class S, operands O>
__global__ void __launch_bounds__(S::THREADS, S::PER_SM) matmul_stream_k(const struct stream w)
{
    extern __shared__ __align__(16) float shared[];
    const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32 % S::WARPS;
    const int slice = tid / 32 / S::WARPS, thread = tid % (S::WARPS * 32);
    const int warp_row = warp % (S::BM / S::WM) * S::WM,
              warp_column = warp / (S::BM / S::WM) * S::WN;
    const struct lane_place place = {
        slice * S::STEPS * S::A_PITCH + warp_row + row_in_warp(lane, 0),
        S::DEEP * S::A_PITCH + slice * S::STEPS * S::BN + warp_column + column_in_warp(lane, 0)};
    const long long total = divided_pieces(w);
    long long next = share(total, blockIdx.x, gridDim.x);
    const long long end = share(total, blockIdx.x + 1, gridDim.x);
    int tile = w.first + blockIdx.x;
#pragma unroll 1
    while (tile < w.whole || next < end) {
        struct unit u = {tile, 0, w.pieces};
        if (tile >= w.whole) {
            u.tile = w.whole + (int)(next / w.pieces);
            u.first = (int)(next % w.pieces);
            u.last = (int)min((long long)w.pieces, u.first + end - next);
            next += u.last - u.first;
        } else {
            tile += gridDim.x;
        }
        const struct tile_place at = place_of_tile(u.tile, w.tiles_m, w.tiles_n, w.band);
        const int row0 = at.row * S::BM, column0 = at.column * S::BN;
        float sum[S::TM][S::TN] = {};
        multiply_unit<S, O>(sum, w, u, row0, column0, shared, place);
        if (S::SLICES > 1)
            add_slices<S>(sum, shared, slice, thread);
        const bool whole = u.first == 0 && u.last == w.pieces;
        if (whole ? slice == 0 : exchange_parts<S>(sum, w, u, slice, thread))
            store_tile<S>(sum, w, row0, column0, shared, warp, lane);
        __syncthreads(); /* the next unit fills shared memory */
    }
}

/* Adds up the parts of divided tiles, if they are too many for one block to add: 32 x 8 threads
 * take 32 vectors of a tile, each of the 8 every eighth part. blockIdx.x: vectors, blockIdx.y:
 * tile. */
template <class S> __global__ void add_parts(const struct stream w, int blocks)
{
    __shared__ float4 sums[8][32];
    const int tile = w.whole + blockIdx.y, index = blockIdx.x * 32 + threadIdx.x;
    const struct sharers s = sharers_of(w, tile, blocks);
    if (s.from == s.to)
        return;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 4
    for (int block = s.from + threadIdx.y; block <= s.to; block += 8) {
        const float4 x = __ldcg((const float4 *)part_of<S>(w, s, block) + index);
        sum.x += x.x;
        sum.y += x.y;
        sum.z += x.z;
        sum.w += x.w;
    }
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y > 0)
        return;
    for (int y = 1; y < 8; y++) {
        sum.x += sums[y][threadIdx.x].x;
        sum.y += sums[y][threadIdx.x].y;
        sum.z += sums[y][threadIdx.x].z;
        sum.w += sums[y][threadIdx.x].w;
    }
    const int v = index / (S::WARPS * 32), lane = index % 32, warp = index / 32 % S::WARPS;
    const struct tile_place at = place_of_tile(tile, w.tiles_m, w.tiles_n, w.band);
    const int row =
        at.row * S::BM + warp % (S::BM / S::WM) * S::WM + row_in_warp(lane, v / (S::TN / 4));
    const int column = at.column * S::BN + warp / (S::BM / S::WM) * S::WN +
                       column_in_warp(lane, v % (S::TN / 4) * 4);
    if (row >= w.m)
        return;
    float *to = &w.C[(size_t)row * w.n + column];
    if (column < w.n)
        to[0] = sum.x;
    if (column + 1 < w.n)
        to[1] = sum.y;
    if (column + 2 < w.n)
        to[2] = sum.z;
    if (column + 3 < w.n)
        to[3] = sum.w;
}

/* ------------------------------------------------------------------------------------- launching
 */

static int tiles_of(int size, int tile) { return (size + tile - 1) / tile; }

template <class S, operands O>
static void launch_as(const struct stream_plan *plan, const struct stream &w)
{
    CUDA_CHECK(cudaFuncSetAttribute((const void *)matmul_stream_k<S, O>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, S::SHARED_BYTES));
    matmul_stream_k<S, O><<<plan->blocks, S::THREADS, S::SHARED_BYTES>>>(w);
    const int divided = w.tiles_m * w.tiles_n - w.whole;
    if (plan->add_after && divided > 0)
        add_parts<S><<<dim3(S::BM * S::BN / 4 / 32, divided), dim3(32, 8)>>>(w, plan->blocks);
}

static struct stream work_of(const struct product *p, const struct stream_plan *plan, int bm,
                             int bn, int deep)
{
    struct stream w = {};
    w.A = p->d_a;
    w.B = p->d_b;
    w.C = p->d_c;
    w.parts = p->d_parts;
    w.spare = (const float *)(p->d_tickets + TICKETS);
    w.tickets = plan->add_after ? NULL : p->d_tickets;
    w.m = p->m;
    w.n = p->n;
    w.k = p->k;
    w.tiles_m = tiles_of(p->m, bm);
    w.tiles_n = tiles_of(p->n, bn);
    w.pieces = tiles_of(p->k, deep);
    w.whole = plan->whole;
    w.band = plan->band;
    return w;
}

template <class S> static void launch(const struct product *p, const struct stream_plan *plan)
{
    const struct stream w = work_of(p, plan, S::BM, S::BN, S::DEEP);
    if (p->n % 4 == 0)
        launch_as<S, VECTORS>(plan, w);
    else
        launch_as<S, ANY>(plan, w);
}

/* The copies of A and B take the places of A and B. B is used as it is if it has whole tiles. */
template <class S>
static struct stream pack(const struct product *p, const struct stream_plan *plan)
{
    struct stream w = work_of(p, plan, S::BM, S::BN, S::DEEP);
    float *a = p->d_work, *b;
    w.k = w.pieces * S::DEEP;
    w.a_columns = w.tiles_m * S::BM;
    w.b_columns = w.tiles_n * S::BN;
    b = a + (size_t)w.k * w.a_columns;
    const bool whole = w.k == p->k && w.b_columns == p->n;
    pack_operands(p, a, whole ? NULL : b, w.k, w.a_columns, w.b_columns);
    w.A = a;
    w.B = whole ? p->d_b : b;
    return w;
}

template <class S>
static void launch_packed(const struct product *p, const struct stream_plan *plan)
{
    launch_as<S, PACKED>(plan, pack<S>(p, plan));
}

template <class S> static void launch_waves(const struct product *p, const struct stream_plan *plan)
{
    struct stream w = pack<S>(p, plan);
    packed_tall_tiles(p, w.A, w.B, w.k, w.a_columns, w.b_columns, w.whole, w.band);
    w.first = w.whole;
    launch_as<S, PACKED>(plan, w);
}

template <class S> static const void *instance(const struct product *p)
{
    return p->n % 4 == 0 ? (const void *)matmul_stream_k<S, VECTORS>
                         : (const void *)matmul_stream_k<S, ANY>;
}

template <class S> static const void *instance_packed(const struct product *p)
{
    (void)p;
    return (const void *)matmul_stream_k<S, PACKED>;
}

/*                  BM   BN   TM  TN steps slices ring blocks */
typedef stream_tile<256, 128, 8, 16, 16, 1, 4, 1> tall;
typedef stream_tile<128, 128, 8, 16, 16, 1, 4, 2> square;
typedef stream_tile<64, 128, 8, 16, 8, 2, 4, 2> low;
typedef stream_tile<128, 64, 8, 16, 8, 2, 4, 2> slim;
typedef stream_tile<64, 64, 8, 16, 8, 4, 4, 2> small;
typedef stream_tile<128, 64, 8, 8, 16, 2, 4, 2> slim_8;
typedef stream_tile<64, 64, 8, 8, 8, 4, 4, 2> small_8;
typedef stream_tile<32, 128, 4, 16, 8, 4, 4, 2> flat;
typedef stream_tile<128, 32, 16, 8, 8, 4, 4, 2> narrow;

#define SHAPE(S, NAME, OPERANDS, SHARE, LAUNCH, INSTANCE)                                          \
    {                                                                                              \
        NAME, S::BM, S::BN, S::DEEP, S::THREADS, S::PER_SM, S::SHARED_BYTES, OPERANDS, SHARE,      \
            LAUNCH<S>, INSTANCE<S>, stream_plans                                                   \
    }
#define AS_IS(S, NAME, SHARE) SHAPE(S, NAME, OPERANDS_AS_THEY_ARE, SHARE, launch, instance)
static const struct stream_shape shapes[] = {
    AS_IS(tall, "256x128", 0.75),
    SHAPE(tall, "packed 256x128", OPERANDS_PACKED, 0.78, launch_packed, instance_packed),
    SHAPE(tall, "packed 256x128, waves apart", OPERANDS_PACKED_WAVES, 0.80, launch_waves,
          instance_packed),
    AS_IS(square, "128x128", 0.74),
    SHAPE(square, "packed 128x128", OPERANDS_PACKED, 0.78, launch_packed, instance_packed),
    AS_IS(low, "64x128, 2 slices", 0.73),
    AS_IS(slim, "128x64, 2 slices", 0.73),
    AS_IS(small, "64x64, 4 slices", 0.66),
    AS_IS(slim_8, "128x64, 2 slices, 8x8 a thread", 0.68),
    AS_IS(small_8, "64x64, 4 slices, 8x8 a thread", 0.60),
    AS_IS(flat, "32x128, 4 slices", 0.55),
    AS_IS(narrow, "128x32, 4 slices", 0.60),
};

const struct stream_shape *stream_shapes(size_t *count)
{
    *count = sizeof shapes / sizeof shapes[0];
    return shapes;
}

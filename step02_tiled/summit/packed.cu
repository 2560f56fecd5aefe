/* packed.cu - repack the operands first, then multiply with nothing in the way.
 *
 * Transposing A on its way into shared memory costs 16 stores a tile and 24 registers. Done once,
 * before, it costs one pass over A (1 % of the time at 4096), and in the loop cp.async then carries
 * both operands past the registers, 16 bytes at a time. The repacked copies are padded with zeros
 * to whole tiles, so the multiplication needs no test at any edge, except where it stores C. The
 * time of this rung contains the packing. */
#include "step02_tiled/lesson.h"

#include <cuda_runtime.h>

#include "common/cuda_check.h"
#include "step02_tiled/summit/stream.h"
#include "step02_tiled/summit/warp_tile.h"

/* -------------------------------------------------------------------------------------- packing */

enum { PACK = 64, PACK_THREADS = 256 };

/* packed[k][m]: A transposed, `rows` x `columns` with zeros beyond A. In tiles of 64 x 64 through
 * shared memory, so that reads and writes are both coalesced; the 65th column moves each row of the
 * tile by a bank. Four vectors of A are on their way to a thread before it uses the first. */
__global__ void pack_transposed(const float *A, float *packed, int m, int k, int rows, int columns)
{
    enum { VECTORS = PACK * PACK / 4 / PACK_THREADS, STEP = PACK / VECTORS };
    __shared__ float tile[PACK][PACK + 1];
    const int k0 = blockIdx.x * PACK, m0 = blockIdx.y * PACK;
    const int kk = threadIdx.x % (PACK / 4) * 4, y = threadIdx.x / (PACK / 4);
    __align__(16) float v[VECTORS][4];
#pragma unroll
    for (int i = 0; i < VECTORS; i++) {
        const int row = m0 + y + i * STEP, left = row < m ? k - k0 - kk : 0;
        const float *from = &A[(size_t)row * k + k0 + kk];
        if (k % 4 == 0 && left > 0) {
            *(float4 *)v[i] = *(const float4 *)from;
        } else {
#pragma unroll
            for (int l = 0; l < 4; l++)
                v[i][l] = l < left ? from[l] : 0.0f;
        }
    }
#pragma unroll
    for (int i = 0; i < VECTORS; i++)
#pragma unroll
        for (int l = 0; l < 4; l++)
            tile[kk + l][y + i * STEP] = v[i][l];
    __syncthreads();
#pragma unroll
    for (int e = threadIdx.x; e < PACK * PACK; e += PACK_THREADS)
        if (k0 + e / PACK < rows)
            packed[(size_t)(k0 + e / PACK) * columns + m0 + e % PACK] = tile[e / PACK][e % PACK];
}

/* packed[k][n]: B with zeros beyond it. Only where rows or columns of B are not whole tiles. */
__global__ void pack_padded(const float *B, float *packed, int k, int n, int columns)
{
    const int row = blockIdx.x, column = blockIdx.y * blockDim.x + threadIdx.x;
    if (column < columns)
        packed[(size_t)row * columns + column] =
            row < k && column < n ? B[(size_t)row * n + column] : 0.0f;
}

void pack_operands(const struct product *p, float *a, float *b, int rows, int a_columns,
                   int b_columns)
{
    const dim3 grid((rows + PACK - 1) / PACK, a_columns / PACK);
    pack_transposed<<<grid, PACK_THREADS>>>(p->d_a, a, p->m, p->k, rows, a_columns);
    if (b)
        pack_padded<<<dim3(rows, (b_columns + 255) / 256), 256>>>(p->d_b, b, p->k, p->n, b_columns);
}

/* ------------------------------------------------------------------------------- multiplication */

/* The ring of pieces: DEEP steps of k each, RING of them in shared memory. A barrier every SYNC
 * pieces; the copies run RING - SYNC pieces ahead of the multiplication. */
template <int BM_, int BN_, int TM_, int TN_, int DEEP_, int RING_, int SYNC_, int BLOCKS_PER_SM_>
struct packed_shape {
    enum {
        BM = BM_,
        BN = BN_,
        TM = TM_,
        TN = TN_,
        DEEP = DEEP_,
        RING = RING_,
        SYNC = SYNC_,
        BLOCKS_PER_SM = BLOCKS_PER_SM_,
        WM = TM * LANES_M,
        WN = TN * LANES_N,
        THREADS = BM / WM * (BN / WN) * 32,
        PIECE = DEEP * (BM + BN), /* floats: A's part, then B's */
        AHEAD = RING - SYNC,
        A_ROWS = THREADS / (BM / 4), /* rows of k that the block copies at once */
        B_ROWS = THREADS / (BN / 4),
        SHARED_BYTES = RING * PIECE * 4
    };
    static_assert(DEEP % A_ROWS == 0 && DEEP % B_ROWS == 0, "copies do not divide");
    static_assert(RING % SYNC == 0 && RING > 2 * SYNC, "the ring is too short");
};

/* to: an address within shared memory, as cp.async takes it. */
__device__ __forceinline__ void copy_vector(unsigned to, const float *global)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
}

__device__ __forceinline__ void close_group()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Waits until at most OPEN of the thread's groups of copies are still on their way. */
template <int OPEN> __device__ __forceinline__ void wait_for_groups()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(OPEN) : "memory");
}

/* A is packed transposed (k rows of a_columns), B has rows of b_columns; both cover whole tiles. */
struct operands {
    const float *A, *B;
    float *C;
    int m, n, a_columns, b_columns, pieces;
};

template <class S>
__device__ __forceinline__ void copy_piece(const struct operands &x, const float *a, const float *b,
                                           unsigned piece)
{
    const unsigned to = piece + threadIdx.x * 16;
#pragma unroll
    for (int i = 0; i < S::DEEP / S::A_ROWS; i++)
        copy_vector(to + i * S::THREADS * 16, a + (size_t)(i * S::A_ROWS) * x.a_columns);
#pragma unroll
    for (int i = 0; i < S::DEEP / S::B_ROWS; i++)
        copy_vector(to + S::DEEP * S::BM * 4 + i * S::THREADS * 16,
                    b + (size_t)(i * S::B_ROWS) * x.b_columns);
}

template <class S>
__global__ void __launch_bounds__(S::THREADS, S::BLOCKS_PER_SM)
    matmul_packed(struct operands x, int band)
{
    extern __shared__ __align__(16) float shared[];
    const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    const unsigned base = (unsigned)__cvta_generic_to_shared(shared);
    const int warp_row = warp % (S::BM / S::WM) * S::WM,
              warp_column = warp / (S::BM / S::WM) * S::WN;
    const int tiles_m = x.a_columns / S::BM, tiles_n = x.b_columns / S::BN;
    const struct tile_place place = place_of_block(tiles_m, tiles_n, band);
    const int row0 = place.row * S::BM, column0 = place.column * S::BN;
    const float *a_from =
        x.A + (size_t)(tid / (S::BM / 4)) * x.a_columns + row0 + tid % (S::BM / 4) * 4;
    const float *b_from =
        x.B + (size_t)(tid / (S::BN / 4)) * x.b_columns + column0 + tid % (S::BN / 4) * 4;

#pragma unroll 1
    for (int p = 0; p < S::AHEAD; p++) {
        if (p < x.pieces)
            copy_piece<S>(x, a_from, b_from, base + p * S::PIECE * 4);
        a_from += (size_t)S::DEEP * x.a_columns;
        b_from += (size_t)S::DEEP * x.b_columns;
        close_group(); /* an empty one beyond the last piece: the counts stay right */
    }
    wait_for_groups<S::AHEAD - 1>();
    __syncthreads();

    const float *a_lane = shared + warp_row + row_in_warp(lane, 0);
    const float *b_lane = shared + S::DEEP * S::BM + warp_column + column_in_warp(lane, 0);
    float a[2][S::TM], b[2][S::TN], sum[S::TM][S::TN] = {};
    int place_read = 0, place_filled = S::AHEAD, begin = 0;
    read_fragment(a[0], a_lane, LANES_M * 4);
    read_fragment(b[0], b_lane, LANES_N * 4);
#pragma unroll 1
    for (int p = 0; p < x.pieces; p++) {
        /* After the barrier the next SYNC pieces are there for all, and the places of the last SYNC
         * are free: all warps have read them. */
        if (p % S::SYNC == 0) {
            wait_for_groups<S::AHEAD - S::SYNC - 1>();
            __syncthreads();
        }
        if (p + S::AHEAD < x.pieces) {
            copy_piece<S>(x, a_from, b_from, base + place_filled * S::PIECE * 4);
            a_from += (size_t)S::DEEP * x.a_columns;
            b_from += (size_t)S::DEEP * x.b_columns;
        }
        close_group();
        place_filled = place_filled == S::RING - 1 ? 0 : place_filled + 1;
        place_read = place_read == S::RING - 1 ? 0 : place_read + 1;
#pragma unroll
        for (int s = 0; s < S::DEEP; s++) {
            const int next = (s + 1) % S::DEEP;
            if (next == 0)
                begin = place_read * S::PIECE;
            read_fragment(a[(s + 1) % 2], a_lane + begin + next * S::BM, LANES_M * 4);
            read_fragment(b[(s + 1) % 2], b_lane + begin + next * S::BN, LANES_N * 4);
            multiply_step(sum, a[s % 2], b[s % 2]);
        }
    }
    wait_for_groups<0>();
    const int row = row0 + warp_row, column = column0 + warp_column;
    if (row0 + S::BM <= x.m && column0 + S::BN <= x.n && x.n % 4 == 0)
        store_whole_tile(sum, x.C, x.n, row, column, lane);
    else
        store_ragged_tile(sum, x.C, x.m, x.n, row, column, lane);
}

/* ------------------------------------------------------------------------------------ launching */

static int round_up(int value, int step) { return (value + step - 1) / step * step; }

/* B is used as it is where it consists of whole tiles. A's copy comes first in the working memory;
 * both start at multiples of 16 bytes, because their sizes are multiples of four floats. */
template <class S> static void launch(void *state)
{
    const struct product *p = (const struct product *)state;
    const int rows = round_up(p->k, S::DEEP);
    const int a_columns = round_up(p->m, S::BM), b_columns = round_up(p->n, S::BN);
    float *a = p->d_work, *b = p->d_work + (size_t)rows * a_columns;
    const bool whole = rows == p->k && b_columns == p->n;
    const struct operands x = {a,    whole ? p->d_b : b, p->d_c,    p->m,
                               p->n, a_columns,          b_columns, rows / S::DEEP};

    CUDA_CHECK(cudaFuncSetAttribute((const void *)matmul_packed<S>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, S::SHARED_BYTES));
    pack_operands(p, a, whole ? NULL : b, rows, a_columns, b_columns);
    matmul_packed<S>
        <<<a_columns / S::BM *(b_columns / S::BN), S::THREADS, S::SHARED_BYTES>>>(x, p->band);
}

void packed_tall_tiles(const struct product *p, const float *a, const float *b, int rows,
                       int a_columns, int b_columns, int tiles, int band)
{
    typedef packed_shape<256, 128, 8, 16, 16, 4, 1, 1> tall;
    const struct operands x = {a, b, p->d_c, p->m, p->n, a_columns, b_columns, rows / tall::DEEP};
    CUDA_CHECK(cudaFuncSetAttribute((const void *)matmul_packed<tall>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    tall::SHARED_BYTES));
    matmul_packed<tall><<<tiles, tall::THREADS, tall::SHARED_BYTES>>>(x, band);
}

template <class S> static const void *instance(const struct product *p)
{
    (void)p;
    return (const void *)matmul_packed<S>;
}

/* The first needs 64 KB: it also runs on GPUs with 100 KB a multiprocessor. */
typedef packed_shape<128, 128, 8, 16, 8, 8, 2, 2> square_8;
typedef packed_shape<128, 128, 8, 16, 16, 4, 1, 2> square_16;
typedef packed_shape<128, 256, 8, 16, 8, 12, 4, 1> wide_8;
typedef packed_shape<256, 128, 8, 16, 8, 12, 4, 1> tall_8;
typedef packed_shape<256, 128, 8, 16, 16, 4, 1, 1> tall_16;
typedef packed_shape<256, 128, 8, 16, 16, 6, 2, 1> tall_16_late;
typedef packed_shape<256, 128, 8, 16, 32, 4, 1, 1> tall_32;

#define SHAPE(S, NAME)                                                                             \
    {                                                                                              \
        NAME, S::BM, S::BN, S::THREADS, S::SHARED_BYTES, launch<S>, instance<S>                    \
    }
static const struct shape shapes[] = {
    SHAPE(square_8, "packed 128x128, 8 deep, 8x16 a thread"),
    SHAPE(square_16, "packed 128x128, 16 deep, 8x16 a thread"),
    SHAPE(wide_8, "packed 128x256, 8 deep, 8x16 a thread"),
    SHAPE(tall_8, "packed 256x128, 8 deep, 8x16 a thread"),
    SHAPE(tall_16, "packed 256x128, 16 deep, 8x16 a thread"),
    SHAPE(tall_16_late, "packed 256x128, 16 deep, a barrier every 32, 8x16 a thread"),
    SHAPE(tall_32, "packed 256x128, 32 deep, 8x16 a thread"),
};

const struct shape *packed_shapes(size_t *count)
{
    *count = sizeof shapes / sizeof shapes[0];
    return shapes;
}

static const char *refusal(const struct product *p)
{
    return shape_fits(&shapes[6], p) ? NULL : "a block has too little shared memory here";
}

static const struct rung rungs[] = {
    {"matmul_packed", "A transposed beforehand, tiles by cp.async past the registers", false,
     launch<tall_32>, refusal},
};

const struct rung *packed_rungs(size_t *count)
{
    *count = sizeof rungs / sizeof rungs[0];
    return rungs;
}

/* warp_tiled.cu - block tile, warp tile, thread tile: and nothing but multiplications in the loop.
 *
 * A multiprocessor issues 4 warp instructions a cycle and could multiply with all of them. Every
 * other instruction takes a multiplication's place, so the thread tile is as large as the registers
 * allow (8 x 16: 6 reads for 128 multiplications), tiles are 16 or 32 deep, and what a tile needs
 * is spread over the loop. Small products have too few tiles for 132 multiprocessors: SLICES groups
 * of warps then divide each tile's k among themselves, and add their sums up at the end. */
#include "step02_tiled/lesson.h"

#include <cuda_runtime.h>

#include "common/cuda_check.h"
#include "step02_tiled/summit/warp_tile.h"

template <int BM_, int BN_, int BK_, int TM_, int TN_, int SLICES_, int BLOCKS_PER_SM_>
struct warp_shape {
    enum {
        BM = BM_,
        BN = BN_,
        BK = BK_,
        TM = TM_,
        TN = TN_,
        SLICES = SLICES_,
        BLOCKS_PER_SM = BLOCKS_PER_SM_,
        WM = TM * LANES_M,
        WN = TN * LANES_N,           /* warp tile */
        WARPS = BM / WM * (BN / WN), /* of one slice */
        THREADS = WARPS * SLICES * 32,
        STEPS = BK / SLICES,       /* of k, for one slice, in one tile */
        TILE = BK * (BM + BN),     /* floats: A's tile, then B's */
        CHUNKS = BK / 4,           /* vectors in a row of A's tile */
        A_ROWS = THREADS / CHUNKS, /* rows that the block loads at once */
        A_LOADS = BM / A_ROWS,
        B_ROWS = THREADS / (BN / 4),
        B_LOADS = BK / B_ROWS,
        LOADS = A_LOADS + B_LOADS,     /* vectors a thread brings to each tile */
        SUMS = (SLICES - 1) * BM * BN, /* floats, to add up the slices */
        SHARED_BYTES = (2 * TILE > SUMS ? 2 * TILE : SUMS) * 4
    };
    static_assert(A_ROWS % 32 == 0 && BM % A_ROWS == 0 && BK % B_ROWS == 0, "loads do not divide");
};

/* A thread's part in bringing a tile: vectors of A along k, vectors of B along n. */
template <class S> struct loader {
    const float *a, *b; /* where the thread's first vectors of the next tile are */
    int m, n, k;
    int a_rows_left, a_k_left, b_columns_left, b_k_left; /* inside while > 0 */
    int tiles_left;
    float4 next[S::LOADS]; /* on their way */
};

/* Four elements of a row, of which `left` exist. */
__device__ __forceinline__ float4 load_ragged(const float *p, int left)
{
    return make_float4(left > 0 ? p[0] : 0.0f, left > 1 ? p[1] : 0.0f, left > 2 ? p[2] : 0.0f,
                       left > 3 ? p[3] : 0.0f);
}

/* The last tile is loaded twice: cheaper than a branch in the loop, and nobody reads the second. */
template <class S, bool RAGGED> __device__ __forceinline__ void load_tile(struct loader<S> &l)
{
#pragma unroll
    for (int i = 0; i < S::A_LOADS; i++) {
        const float *p = l.a + (size_t)(i * S::A_ROWS) * l.k;
        const int left = l.a_rows_left > i * S::A_ROWS ? l.a_k_left : 0;
        l.next[i] = RAGGED ? load_ragged(p, left) : *(const float4 *)p;
    }
#pragma unroll
    for (int i = 0; i < S::B_LOADS; i++) {
        const float *p = l.b + (size_t)(i * S::B_ROWS) * l.n;
        const int left = l.b_k_left > i * S::B_ROWS ? l.b_columns_left : 0;
        l.next[S::A_LOADS + i] = RAGGED ? load_ragged(p, left) : *(const float4 *)p;
    }
    if (--l.tiles_left > 0) {
        l.a += S::BK;
        l.b += (size_t)S::BK * l.n;
        l.a_k_left -= S::BK;
        l.b_k_left -= S::BK;
    }
}

/* Vector i of the thread's LOADS goes to shared memory: one of A transposed, element by element.
 * Row r of chunk c (k = 4c .. 4c + 3) is stored at column r XOR c * 32 / CHUNKS, so that the lanes
 * of a warp, which hold CHUNKS chunks of 32 / CHUNKS rows, store to 32 different banks. */
template <class S>
__device__ __forceinline__ void put_vector(const struct loader<S> &l, float *tile, int i)
{
    const int tid = threadIdx.x, chunk = tid % S::CHUNKS;
    const float4 v = l.next[i];
    if (i < S::A_LOADS) {
        float *to =
            tile + chunk * 4 * S::BM + (tid / S::CHUNKS ^ chunk * (32 / S::CHUNKS)) + i * S::A_ROWS;
        to[0] = v.x;
        to[S::BM] = v.y;
        to[2 * S::BM] = v.z;
        to[3 * S::BM] = v.w;
    } else {
        *(float4 *)(tile + S::BK * S::BM + tid * 4 + (i - S::A_LOADS) * S::THREADS * 4) = v;
    }
}

/* The other slices leave their sums in shared memory, the first one adds them to its own. */
template <class S>
__device__ __forceinline__ void add_slices(float (&sum)[S::TM][S::TN], float *shared, int slice)
{
    const int thread = threadIdx.x % (S::WARPS * 32);
    float4 *mine = (float4 *)shared + thread;
    __syncthreads();
#pragma unroll
    for (int other = 1; other < S::SLICES; other++)
#pragma unroll
        for (int v = 0; v < S::TM * S::TN / 4; v++) {
            const int i = v / (S::TN / 4), j = v % (S::TN / 4) * 4;
            if (slice == other)
                mine[((other - 1) * (S::TM * S::TN / 4) + v) * (S::WARPS * 32)] =
                    make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
        }
    __syncthreads();
    if (slice > 0)
        return;
#pragma unroll
    for (int v = 0; v < (S::SLICES - 1) * S::TM * S::TN / 4; v++) {
        const int i = v % (S::TM * S::TN / 4) / (S::TN / 4), j = v % (S::TN / 4) * 4;
        const float4 part = mine[v * (S::WARPS * 32)];
        sum[i][j] += part.x;
        sum[i][j + 1] += part.y;
        sum[i][j + 2] += part.z;
        sum[i][j + 3] += part.w;
    }
}

template <class S, bool RAGGED>
__global__ void __launch_bounds__(S::THREADS, S::BLOCKS_PER_SM)
    matmul_warp_tiled(const float *A, const float *B, float *C, int m, int n, int k, int band)
{
    extern __shared__ __align__(16) float shared[];
    const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32 % S::WARPS;
    const int slice = tid / 32 / S::WARPS;
    const int warp_row = warp % (S::BM / S::WM) * S::WM,
              warp_column = warp / (S::BM / S::WM) * S::WN;
    const int tiles_n = (n + S::BN - 1) / S::BN, tiles_m = (m + S::BM - 1) / S::BM;
    const struct tile_place place = place_of_block(tiles_m, tiles_n, band);
    const int row0 = place.row * S::BM, column0 = place.column * S::BN;
    const int tiles = (k + S::BK - 1) / S::BK;

    struct loader<S> l;
    const int a_row = tid / S::CHUNKS, a_k = tid % S::CHUNKS * 4;
    const int b_k = tid / (S::BN / 4), b_column = tid % (S::BN / 4) * 4;
    l.a = A + (size_t)(row0 + a_row) * k + a_k;
    l.b = B + (size_t)b_k * n + column0 + b_column;
    l.m = m, l.n = n, l.k = k, l.tiles_left = tiles;
    l.a_rows_left = m - row0 - a_row, l.a_k_left = k - a_k;
    l.b_columns_left = n - column0 - b_column, l.b_k_left = k - b_k;

    /* Where the lane's fragments begin. put_vector() gave each chunk of k columns of its own. */
    int a_begin[S::STEPS / 4];
#pragma unroll
    for (int c = 0; c < S::STEPS / 4; c++) {
        const int chunk = slice * (S::STEPS / 4) + c;
        a_begin[c] =
            chunk * 4 * S::BM + ((warp_row + row_in_warp(lane, 0)) ^ chunk * (32 / S::CHUNKS));
    }
    const int b_begin =
        S::BK * S::BM + slice * S::STEPS * S::BN + warp_column + column_in_warp(lane, 0);
    float a[2][S::TM], b[2][S::TN], sum[S::TM][S::TN] = {};

    load_tile<S, RAGGED>(l);
#pragma unroll
    for (int i = 0; i < S::LOADS; i++)
        put_vector<S>(l, shared, i);
    load_tile<S, RAGGED>(l);
    __syncthreads();
    float *tile = shared, *other = shared + S::TILE;
    read_fragment(a[0], tile + a_begin[0], LANES_M * 4);
    read_fragment(b[0], tile + b_begin, LANES_N * 4);
#pragma unroll 1
    for (int t = 0; t < tiles; t++) {
#pragma unroll
        for (int s = 0; s < S::STEPS; s++) {
            const int next = (s + 1) % S::STEPS;
            /* What was loaded a tile ago goes to the other buffer in the second half of the steps,
             * a vector at a time; the barrier then publishes it. The loads of the tile after that
             * stand before the barrier, because ptxas would move them down to their use. */
#pragma unroll
            for (int i = 0; i < S::LOADS; i++)
                if (s == S::STEPS / 2 + i * (S::STEPS / 2) / S::LOADS)
                    put_vector<S>(l, other, i);
            if (next == 0) {
                load_tile<S, RAGGED>(l);
                __syncthreads();
                float *used = tile;
                tile = other;
                other = used;
            }
            read_fragment(a[(s + 1) % 2], tile + a_begin[next / 4] + next % 4 * S::BM, LANES_M * 4);
            read_fragment(b[(s + 1) % 2], tile + b_begin + next * S::BN, LANES_N * 4);
            multiply_step(sum, a[s % 2], b[s % 2]);
        }
    }
    if (S::SLICES > 1) {
        add_slices<S>(sum, shared, slice);
        if (slice > 0)
            return;
    }
    keep_banks_apart(sum, C, k < 0);
    const int row = row0 + warp_row, column = column0 + warp_column;
    if (RAGGED)
        store_ragged_tile(sum, C, m, n, row, column, lane);
    else
        store_whole_tile(sum, C, n, row, column, lane);
}

/* ------------------------------------------------------------------------------------ launching */

template <class S> static bool divides(const struct product *p)
{
    return p->m % S::BM == 0 && p->n % S::BN == 0 && p->k % S::BK == 0;
}

template <class S> static const void *instance(const struct product *p)
{
    return divides<S>(p) ? (const void *)matmul_warp_tiled<S, false>
                         : (const void *)matmul_warp_tiled<S, true>;
}

template <class S> static void launch(void *state)
{
    const struct product *p = (const struct product *)state;
    const int blocks = (p->m + S::BM - 1) / S::BM * ((p->n + S::BN - 1) / S::BN);
    CUDA_CHECK(cudaFuncSetAttribute(instance<S>(p), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    S::SHARED_BYTES));
    if (divides<S>(p))
        matmul_warp_tiled<S, false><<<blocks, S::THREADS, S::SHARED_BYTES>>>(
            p->d_a, p->d_b, p->d_c, p->m, p->n, p->k, p->band);
    else
        matmul_warp_tiled<S, true><<<blocks, S::THREADS, S::SHARED_BYTES>>>(
            p->d_a, p->d_b, p->d_c, p->m, p->n, p->k, p->band);
}

typedef warp_shape<128, 128, 16, 8, 16, 1, 2> large; /* two blocks of 128 threads on a SM */
typedef warp_shape<128, 64, 32, 8, 8, 2, 1> medium;  /* two slices */
typedef warp_shape<64, 64, 32, 8, 8, 4, 1> small;    /* four */

#define SHAPE(S, NAME)                                                                             \
    {                                                                                              \
        NAME, S::BM, S::BN, S::THREADS, S::SHARED_BYTES, launch<S>, instance<S>                    \
    }
static const struct shape shapes[] = {
    SHAPE(small, "64x64x32, 8x8 a thread, 4 slices"),
    SHAPE(medium, "128x64x32, 8x8 a thread, 2 slices"),
    SHAPE(large, "128x128x16, 8x16 a thread"),
};

const struct shape *warp_tiled_shapes(size_t *count)
{
    *count = sizeof shapes / sizeof shapes[0];
    return shapes;
}

static const char *refusal(const struct product *p)
{
    return shape_fits(&shapes[2], p) ? NULL : "a block has too little shared memory here";
}

static const struct rung rungs[] = {
    {"matmul_warp_tiled", "warp tiles of 64 x 64, 8 x 16 elements a thread", false, launch<large>,
     refusal},
};

const struct rung *warp_tiled_rungs(size_t *count)
{
    *count = sizeof rungs / sizeof rungs[0];
    return rungs;
}

/* stream_k.cu - too few tiles, ragged edges: the work is cut by multiplications, wherever that is.
 *
 * Tiles are whole numbers. 100 of them on 132 multiprocessors leave 32 idle, and 140 need two
 * waves, the second nearly empty. So the last waves' tiles are put in one row, k after k, and the
 * row is cut into as many equal parts as there are blocks (stream-k: M. Osama et al., 2023). A
 * block then ends in the middle of one tile and begins in the middle of another; such parts are
 * left in memory, and the block that finishes last (known by a ticket, as in lesson 05) adds up the
 * tile's parts in order. Split-k is the special case where each tile is cut into the same number of
 * parts. Operands come as they are: cp.async of 4 bytes transposes A on its way and asks for no
 * alignment, so a leading dimension that is no multiple of four costs hardly anything. */
#include "step02_tiled/summit/stream.h"

#include <cuda_runtime.h>

#include "common/cuda_check.h"
#include "step02_tiled/summit/stream_copies.h"
#include "step02_tiled/summit/stream_parts.h"

/* Where a lane reads its fragments: offsets within a piece. */
struct lane_place {
    int a, b;
};

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
    keep_banks_apart(sum, w.C, w.pieces < 0);
    __syncthreads(); /* shared memory is free again */
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

/* ------------------------------------------------------------------------------------ launching */

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
    AS_IS(tall, "256x128", 0.82),
    SHAPE(tall, "packed 256x128", OPERANDS_PACKED, 0.82, launch_packed, instance_packed),
    SHAPE(tall, "packed 256x128, waves apart", OPERANDS_PACKED_WAVES, 0.84, launch_waves,
          instance_packed),
    AS_IS(square, "128x128", 0.81),
    SHAPE(square, "packed 128x128", OPERANDS_PACKED, 0.84, launch_packed, instance_packed),
    AS_IS(low, "64x128, 2 slices", 0.77),
    AS_IS(slim, "128x64, 2 slices", 0.77),
    AS_IS(small, "64x64, 4 slices", 0.66),
    AS_IS(slim_8, "128x64, 2 slices, 8x8 a thread", 0.71),
    AS_IS(small_8, "64x64, 4 slices, 8x8 a thread", 0.63),
    AS_IS(flat, "32x128, 4 slices", 0.58),
    AS_IS(narrow, "128x32, 4 slices", 0.60),
};

const struct stream_shape *stream_shapes(size_t *count)
{
    *count = sizeof shapes / sizeof shapes[0];
    return shapes;
}

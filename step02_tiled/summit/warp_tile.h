/* warp_tile.h - what the two topmost kernels share: how a warp multiplies a piece of shared memory.
 *
 * A warp computes a tile of its own: 8 x 4 lanes, TM x TN elements each. Both operands lie k by k
 * in shared memory (A transposed), so that a lane reads four neighbours at once. Three choices here
 * decide the speed, and none of them shows in the arithmetic:
 *  - which lane takes which elements: lanes 0, 1 and 2, 3 ... share their columns, lanes 0, 2 and
 *    1, 3 ... their rows. The hardware serves two lanes in one wavefront if they want the same
 *    vector: every read costs 2 wavefronts, which is the least for 32 lanes x 16 bytes here;
 *  - the order of the multiplications: down one column of the thread's tile and up the next. One
 *    operand is then the one that the multiplication before used, and comes from the operand cache
 *    instead of the register file, whose two banks cannot deliver three operands a cycle;
 *  - fragments of step k + 1 are read from shared memory while step k is multiplied. */
#ifndef STEP02_WARP_TILE_H
#define STEP02_WARP_TILE_H

#include <cuda_runtime.h>

#include "step02_tiled/summit/register_banks.h"

enum { LANES_M = 8, LANES_N = 4 };

__device__ __forceinline__ int lane_row(int lane) /* 0..7: bits 0, 3 and 4 of the lane */
{
    return (lane & 1) | (lane >> 2 & 6);
}

__device__ __forceinline__ int lane_column(int lane) /* 0..3: bits 1 and 2 */
{
    return lane >> 1 & 3;
}

/* Row i of a lane's TM, within its warp's tile: groups of four, LANES_M groups apart. */
__device__ __forceinline__ int row_in_warp(int lane, int i)
{
    return (i / 4 * LANES_M + lane_row(lane)) * 4 + i % 4;
}

__device__ __forceinline__ int column_in_warp(int lane, int j)
{
    return (j / 4 * LANES_N + lane_column(lane)) * 4 + j % 4;
}

/* COUNT values in vectors of four, `step` floats from one vector to the next. */
template <int COUNT>
__device__ __forceinline__ void read_fragment(float (&to)[COUNT], const float *shared, int step)
{
#pragma unroll
    for (int i = 0; i < COUNT; i += 4) {
        *(float4 *)&to[i] = *(const float4 *)&shared[i / 4 * step];
    }
}

template <int TM, int TN>
__device__ __forceinline__ void multiply_step(float (&sum)[TM][TN], const float (&a)[TM],
                                              const float (&b)[TN])
{
#pragma unroll
    for (int j = 0; j < TN; j++)
#pragma unroll
        for (int step = 0; step < TM; step++) {
            const int i = j % 2 ? TM - 1 - step : step;
            sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
        }
}

/* A vector is stored from four neighbouring registers. The added zeros give it four of its own:
 * without them ptxas keeps the accumulators neighbours through the whole loop, where the register
 * banks want them elsewhere, and the loop has twice as many bank conflicts. */
__device__ __forceinline__ float4 four_registers(const float *sum)
{
    return make_float4(sum[0] + 0.0f, sum[1] + 0.0f, sum[2] + 0.0f, sum[3] + 0.0f);
}

/* Stores a warp's tile, whose first element is C[row0][column0]: all of it, in vectors ... */
template <int TM, int TN>
__device__ __forceinline__ void store_whole_tile(const float (&sum)[TM][TN], float *C, int n,
                                                 int row0, int column0, int lane)
{
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            *(float4 *)&C[(size_t)(row0 + row_in_warp(lane, i)) * n + column0 +
                          column_in_warp(lane, j)] = four_registers(&sum[i][j]);
}

/* ... or what of it lies in C, element by element. */
template <int TM, int TN>
__device__ __forceinline__ void store_ragged_tile(const float (&sum)[TM][TN], float *C, int m,
                                                  int n, int row0, int column0, int lane)
{
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++) {
            const int row = row0 + row_in_warp(lane, i), column = column0 + column_in_warp(lane, j);
            if (row < m && column < n)
                C[(size_t)row * n + column] = sum[i][j];
        }
}

/* Where tile number `tile` lies in C. Blocks that run at the same time should share rows of A and
 * columns of B in the L2 cache, so the tiles are numbered in bands of `band` rows, column by
 * column: tile 0 and its neighbours form a near-square, not a line across all of C. */
struct tile_place {
    int row, column;
};

__device__ __forceinline__ struct tile_place place_of_tile(int tile, int tiles_m, int tiles_n,
                                                           int band)
{
    const int first = tile / (band * tiles_n) * band;
    const int in_band = tile % (band * tiles_n), rows = min(band, tiles_m - first);
    const struct tile_place p = {first + in_band % rows, in_band / rows};
    return p;
}

__device__ __forceinline__ struct tile_place place_of_block(int tiles_m, int tiles_n, int band)
{
    return place_of_tile(blockIdx.x, tiles_m, tiles_n, band);
}

#endif

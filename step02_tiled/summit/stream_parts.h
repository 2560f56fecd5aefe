/* stream_parts.h - what happens to a tile's sums: slices are added up in shared memory, the parts
 * of a divided tile in global memory, and C is written. */
#ifndef STEP02_STREAM_PARTS_H
#define STEP02_STREAM_PARTS_H

#include "step02_tiled/summit/stream_tile.h"

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
 * in the order of k, whichever block is last. */
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

#endif

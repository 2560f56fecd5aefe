/* transpose.cuh - the cure: read rows, write rows, and turn the tile around in shared memory.
 *
 * in is height x width, out is width x height. A block of TILE x TILE_ROWS threads moves one tile
 * of TILE x TILE floats, each thread TILE / TILE_ROWS = 16 of them. Neighbouring blocks take tiles
 * below each other, which lie beside each other in the output: blocks that run together then write
 * the same rows. */
#ifndef STEP03_TRANSPOSE_CUH
#define STEP03_TRANSPOSE_CUH

#include "step03_coalescing/shapes.h"

/* Reads along rows; writes down columns, so each of a warp's 32 stores is a sector of its own. */
__global__ void transpose_naive(float *__restrict__ out, const float *__restrict__ in, int width,
                                int height)
{
    const int x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (int j = 0; j < TILE; j += TILE_ROWS)
        if (x < width && y + j < height)
            out[(size_t)x * height + y + j] = in[(size_t)(y + j) * width + x];
}

/* The tile waits in shared memory, so reads and writes both run along rows. Reading a column of
 * the tile is where PITCH, the floats from one row of the tile to the next, matters:
 * PITCH 64: the 32 floats of a column lie 64 words apart, all in one bank: 32 wavefronts;
 * PITCH 65: each row is shifted by one bank, so a column lies in 32 banks: one wavefront. */
template <int PITCH>
__global__ void transpose_tile(float *__restrict__ out, const float *__restrict__ in, int width,
                               int height)
{
    __shared__ float tile[TILE][PITCH];
    const int x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (int j = 0; j < TILE; j += TILE_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * width + x];
    __syncthreads(); /* the rows of out come from other threads' rows of in */

    const int out_x = blockIdx.x * TILE + threadIdx.x, out_y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (int j = 0; j < TILE; j += TILE_ROWS)
        if (out_x < height && out_y + j < width)
            out[(size_t)(out_y + j) * height + out_x] = tile[threadIdx.x][threadIdx.y + j];
}

/* 16 bytes per lane on every side. A thread reads a square of 4 x 4 floats, turns it around in its
 * registers, and leaves four float4 in shared memory, as rows of out. Padding by one float would
 * break the 16-byte alignment there, so a swizzle takes its place: unit u (of four floats) of tile
 * row r lies at u ^ (r / 4 % 8), which puts eight lanes that write below each other, or read beside
 * each other, into eight different groups of four banks.
 * Needs rows that start at multiples of 16 bytes on both sides: width and height divisible by 4. */
__global__ void transpose_float4(float *__restrict__ out, const float *__restrict__ in, int width,
                                 int height)
{
    enum { UNITS = TILE / 4 };
    __shared__ float4 tile[TILE][UNITS];
    const int thread = threadIdx.y * TILE + threadIdx.x;
    const int unit = thread % UNITS, row = thread / UNITS;

    const int x = blockIdx.y * TILE + 4 * unit, y = blockIdx.x * TILE + 4 * row;
    if (x < width && y < height) {
        const float4 *from = (const float4 *)(in + (size_t)y * width + x);
        const int pitch = width / 4;
        const float4 a = from[0], b = from[pitch], c = from[2 * pitch], d = from[3 * pitch];
        float4 *column = &tile[4 * unit][row ^ unit % 8];
        column[0 * UNITS] = make_float4(a.x, b.x, c.x, d.x);
        column[1 * UNITS] = make_float4(a.y, b.y, c.y, d.y);
        column[2 * UNITS] = make_float4(a.z, b.z, c.z, d.z);
        column[3 * UNITS] = make_float4(a.w, b.w, c.w, d.w);
    }
    __syncthreads();

    const int out_x = blockIdx.x * TILE + 4 * unit;
#pragma unroll
    for (int j = 0; j < TILE; j += TILE / 4) {
        const int r = row + j, out_y = blockIdx.y * TILE + r;
        if (out_x < height && out_y < width) {
            const float4 v = tile[r][unit ^ r / 4 % 8];
            float4 *to = (float4 *)(out + (size_t)out_y * height + out_x);
            *to = v;
        }
    }
}

#endif

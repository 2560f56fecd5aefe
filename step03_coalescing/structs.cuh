/* structs.cuh - the same particles as an array of structs and as a struct of arrays.
 *
 * Two pieces of work: move x by one (one field of eight), and move every particle by its velocity
 * (all fields). As array of structs, lane i's x lies 32 bytes behind lane i-1's: a stride of 8
 * floats in disguise. */
#ifndef STEP03_STRUCTS_CUH
#define STEP03_STRUCTS_CUH

#include "step03_coalescing/shapes.h"

__global__ void aos_one_field(struct particle *out, const struct particle *in, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i].x = in[i].x + 1.0f;
}

/* Field f of particle i is in[f * n + i]: a warp's 32 values lie side by side. */
__global__ void soa_one_field(float *out, const float *in, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + 1.0f;
}

/* All eight fields are wanted, so no byte is fetched for nothing; but each of the eight loads asks
 * for all 32 sectors again, and is fast only if the cache still has them. */
__global__ void aos_all_fields(struct particle *__restrict__ out,
                               const struct particle *__restrict__ in, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float x = in[i].x, y = in[i].y, z = in[i].z;
    const float vx = in[i].vx, vy = in[i].vy, vz = in[i].vz;
    const float mass = in[i].mass, charge = in[i].charge;
    out[i].x = x + vx;
    out[i].y = y + vy;
    out[i].z = z + vz;
    out[i].vx = vx;
    out[i].vy = vy;
    out[i].vz = vz;
    out[i].mass = mass;
    out[i].charge = charge;
}

/* The same array, read and written 16 bytes at a time: two requests instead of eight. */
__global__ void aos_all_fields_float4(float4 *__restrict__ out, const float4 *__restrict__ in,
                                      size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 low = in[2 * i];            /* x, y, z, vx */
    const float4 high = in[2 * i + 1]; /* vy, vz, mass, charge */
    low.x += low.w;
    low.y += high.x;
    low.z += high.y;
    out[2 * i] = low;
    out[2 * i + 1] = high;
}

__global__ void soa_all_fields(float *__restrict__ out, const float *__restrict__ in, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float field[PARTICLE_FIELDS];
#pragma unroll
    for (int f = 0; f < PARTICLE_FIELDS; f++)
        field[f] = in[f * n + i];
    for (int axis = 0; axis < 3; axis++)
        field[axis] += field[axis + 3];
#pragma unroll
    for (int f = 0; f < PARTICLE_FIELDS; f++)
        out[f * n + i] = field[f];
}

#endif

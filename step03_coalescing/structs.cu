/* structs.cu - the same particles as an array of structs and as a struct of arrays.
 *
 * Two pieces of work: move x by one (one field of eight), and move every particle by its velocity
 * (all fields). As array of structs, lane i's x lies 32 bytes behind lane i-1's: a stride of 8
 * floats in disguise. Called by plan.c through struct_kernels(). */
#include <cuda_runtime.h>

#include "step03_coalescing/lesson.h"

enum { BLOCK = 256 };

/* ------------------------------------------------------------------------------------ kernels */

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

/* All eight fields are wanted, so no byte is fetched in vain; but each of the eight loads fetches
 * all 32 sectors again, and hopes that the cache still has them. */
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

/* ----------------------------------------------------------------------------------- launches */

template <typename T, void (*KERNEL)(T *, const T *, size_t)> static void launch(void *state)
{
    const struct trial *t = (const struct trial *)state;
    KERNEL<<<(unsigned)((t->n + BLOCK - 1) / BLOCK), BLOCK>>>((T *)t->d_out, (const T *)t->d_in,
                                                              t->n);
}

/* clang-format off */
static const struct kernel kernels[] = {
    {"aos_one_field", "structs", "array of structs, one field of eight", false,
     launch<struct particle, aos_one_field>, predict_aos_one_field, check_aos_one_field, 8},
    {"soa_one_field", "structs", "struct of arrays, one field of eight", false,
     launch<float, soa_one_field>, predict_soa_one_field, check_soa_one_field, 8},
    {"aos_all_fields", "structs", "array of structs, all fields", false,
     launch<struct particle, aos_all_fields>, predict_aos_all_fields, check_aos_all_fields, 64},
    {"aos_all_fields_float4", "structs", "the same array, 16 bytes at a time", false,
     launch<float4, aos_all_fields_float4>, predict_aos_all_fields_float4, check_aos_all_fields,
     64},
    {"soa_all_fields", "structs", "struct of arrays, all fields", false,
     launch<float, soa_all_fields>, predict_soa_all_fields, check_soa_all_fields, 64},
};
/* clang-format on */

const struct kernel *struct_kernels(size_t *count)
{
    *count = sizeof kernels / sizeof kernels[0];
    return kernels;
}

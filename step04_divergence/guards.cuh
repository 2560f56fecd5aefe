/* guards.cuh - the boundary check that everybody writes: one thread per element, `if (inside)`. And
 * the warps' own word on it: __ballot_sync() gives every lane the condition of all 32. */
#ifndef STEP04_GUARDS_CUH
#define STEP04_GUARDS_CUH

#include "step04_divergence/arms.cuh"
#include "step04_divergence/harness/lesson.h"

__global__ void vec_add(float *out, const float *a, const float *b, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

/* `&`, not `&&`: one condition and one branch, where `&&` may become two. */
__global__ void image_add(float *out, const float *a, const float *b, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if ((x < width) & (y < height)) {
        const size_t i = (size_t)y * width + x;
        out[i] = a[i] + b[i];
    }
}

/* One for each warp: its state, and how many of its lanes are inside. */
struct warp_report {
    uint8_t state, inside;
};

/* height 1 for a vector. sabotaged: takes a warp wholly outside for a divergent one. */
__global__ void boundary_report(struct warp_report *reports, int width, int height, bool sabotaged)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const unsigned number = threadIdx.x + blockDim.x * threadIdx.y;
    const unsigned threads = blockDim.x * blockDim.y, lanes = lanes_of_warp(number, threads);
    const unsigned votes = __ballot_sync(lanes, x < width && y < height);
    if (number % WARP != 0)
        return;

    struct warp_report r;
    if (votes == lanes)
        r.state = WARP_FULL;
    else
        r.state = votes == 0 && !sabotaged ? WARP_OUTSIDE : WARP_DIVERGENT;
    r.inside = (uint8_t)__popc(votes);
    const size_t block = (size_t)blockIdx.y * gridDim.x + blockIdx.x;
    reports[block * ((threads + WARP - 1) / WARP) + number / WARP] = r;
}

#endif

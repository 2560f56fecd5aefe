/* transpose.cu - launches of transpose.cuh. Called by plan.c through transpose_kernels(). */
#include <cuda_runtime.h>

#include "step03_coalescing/harness/lesson.h"
#include "step03_coalescing/transpose.cuh"

/* Sabotaged: turns every tile around but leaves it in its place. With one tile it is right. */
__global__ void transpose_tiles_stay(float *__restrict__ out, const float *__restrict__ in,
                                     int width, int height)
{
    const int x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += TILE_ROWS) {
        const int out_x = blockIdx.y * TILE + threadIdx.y + j;
        const int out_y = blockIdx.x * TILE + threadIdx.x;
        if (x < width && y + j < height && out_x < height && out_y < width)
            out[(size_t)out_y * height + out_x] = in[(size_t)(y + j) * width + x];
    }
}

/* ----------------------------------------------------------------------------------- launches */

template <void (*KERNEL)(float *, const float *, int, int)> static void launch(void *state)
{
    const struct trial *t = (const struct trial *)state;
    const dim3 block(TILE, TILE_ROWS);
    const dim3 grid((t->height + TILE - 1) / TILE, (t->width + TILE - 1) / TILE);
    KERNEL<<<grid, block>>>((float *)t->d_out, (const float *)t->d_in, t->width, t->height);
}

/* A matrix whose rows cannot be read 16 bytes at a time takes the padded tile. */
static void launch_float4(void *state)
{
    const struct trial *t = (const struct trial *)state;
    if (t->width % 4 == 0 && t->height % 4 == 0)
        launch<transpose_float4>(state);
    else
        launch<transpose_tile<TILE + 1>>(state);
}

/* clang-format off */
static const struct kernel kernels[] = {
    {"transpose_naive", "transpose", "reads rows, writes columns", false,
     launch<transpose_naive>, predict_transpose_naive, check_transpose, 8},
    {"transpose_tile", "transpose", "through shared memory; 32-way bank conflicts", false,
     launch<transpose_tile<TILE>>, predict_transpose_tile, check_transpose, 8},
    {"transpose_padded", "transpose", "one float of padding per row: no conflicts", false,
     launch<transpose_tile<TILE + 1>>, predict_transpose_padded, check_transpose, 8},
    {"transpose_float4", "transpose", "16 bytes per lane on every side", false,
     launch_float4, predict_transpose_float4, check_transpose, 8},
    {"transpose_tiles_stay", "transpose", "turns the tiles but does not move them", true,
     launch<transpose_tiles_stay>, predict_transpose_naive, check_transpose, 8},
};
/* clang-format on */

const struct kernel *transpose_kernels(size_t *count)
{
    *count = sizeof kernels / sizeof kernels[0];
    return kernels;
}

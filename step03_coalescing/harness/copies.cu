/* copies.cu - launches of simple.cuh and copies.cuh, for every element size. Called by plan.c
 * through copy_kernels(). */
#include <cuda_runtime.h>

#include "common/cuda_check.h"
#include "step03_coalescing/copies.cuh"
#include "step03_coalescing/harness/lesson.h"
#include "step03_coalescing/simple.cuh"

/* Sabotaged: the guard tests the shifted index, so the last `offset` elements are never copied.
 * Right at offset 0, and only there. */
template <typename T>
__global__ void copy_offset_short(T *__restrict__ out, const T *__restrict__ in, size_t offset,
                                  size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x + offset;
    if (i < n)
        out[i] = in[i];
}

/* ----------------------------------------------------------------------------------- launches */

static unsigned blocks_for(size_t n, size_t per_block)
{
    return (unsigned)((n + per_block - 1) / per_block);
}

static void launch_plain(void *state)
{
    const struct trial *t = (const struct trial *)state;
    copy_plain<<<blocks_for(t->n / 4 + t->n % 4, PLAIN_BLOCK), PLAIN_BLOCK>>>(
        (float *)t->d_out, (const float *)t->d_in, t->n);
}

static void launch_simple_offset(void *state)
{
    const struct trial *t = (const struct trial *)state;
    offset_copy<<<blocks_for(t->n, COPY_BLOCK), COPY_BLOCK>>>(
        (float *)t->d_out, (const float *)t->d_in, t->offset, t->n);
}

static void launch_simple_stride(void *state)
{
    const struct trial *t = (const struct trial *)state;
    stride_copy<<<blocks_for(t->n, COPY_BLOCK), COPY_BLOCK>>>(
        (float *)t->d_out, (const float *)t->d_in, t->stride, t->n);
}

static void launch_memcpy(void *state)
{
    const struct trial *t = (const struct trial *)state;
    CUDA_CHECK(cudaMemcpyAsync(t->d_out, t->d_in, t->array_bytes, cudaMemcpyDeviceToDevice, 0));
}

/* One launcher per element size: 1, 2, 4, 8 and 16 bytes are types number 0 to 4. */
typedef void (*start)(const struct trial *t, unsigned blocks);
static void start_for_size(const start starts[5], const struct trial *t, size_t blocks)
{
    starts[__builtin_ctz(t->element_bytes)](t, (unsigned)blocks);
}

template <typename T> static void start_copy_offset(const struct trial *t, unsigned blocks)
{
    copy_offset<T, COPY_PER_THREAD>
        <<<blocks, COPY_BLOCK>>>((T *)t->d_out, (const T *)t->d_in, t->offset, t->n);
}

template <typename T> static void start_copy_stride(const struct trial *t, unsigned blocks)
{
    copy_stride<T, COPY_PER_THREAD>
        <<<blocks, COPY_BLOCK>>>((T *)t->d_out, (const T *)t->d_in, t->stride, t->n);
}

template <typename T> static void start_offset_short(const struct trial *t, unsigned blocks)
{
    copy_offset_short<<<blocks, COPY_BLOCK>>>((T *)t->d_out, (const T *)t->d_in, t->offset, t->n);
}

static const start offset_starts[5] = {start_copy_offset<unsigned char>,
                                       start_copy_offset<unsigned short>, start_copy_offset<float>,
                                       start_copy_offset<float2>, start_copy_offset<float4>};
static const start stride_starts[5] = {start_copy_stride<unsigned char>,
                                       start_copy_stride<unsigned short>, start_copy_stride<float>,
                                       start_copy_stride<float2>, start_copy_stride<float4>};
static const start short_starts[5] = {start_offset_short<unsigned char>,
                                      start_offset_short<unsigned short>, start_offset_short<float>,
                                      start_offset_short<float2>, start_offset_short<float4>};

static void launch_offset(void *state)
{
    const struct trial *t = (const struct trial *)state;
    start_for_size(offset_starts, t, blocks_for(t->n, COPY_BLOCK * COPY_PER_THREAD));
}

static void launch_stride(void *state)
{
    const struct trial *t = (const struct trial *)state;
    start_for_size(stride_starts, t, blocks_for(t->n, COPY_BLOCK * COPY_PER_THREAD));
}

/* Sabotaged: rounds the grid down, so what does not fill a block is never copied. The kernel is
 * the right one; its launch is not. */
static void launch_stride_truncated(void *state)
{
    const struct trial *t = (const struct trial *)state;
    const size_t blocks = t->n / (COPY_BLOCK * COPY_PER_THREAD);
    if (blocks > 0) /* a grid of no blocks would be refused */
        start_for_size(stride_starts, t, blocks);
}

static void launch_offset_short(void *state)
{
    const struct trial *t = (const struct trial *)state;
    start_for_size(short_starts, t, blocks_for(t->n, COPY_BLOCK));
}

template <int PER_THREAD> static void launch_per_thread(void *state)
{
    const struct trial *t = (const struct trial *)state;
    const unsigned block = (unsigned)t->parameter;
    copy_offset<float, PER_THREAD><<<blocks_for(t->n, block * PER_THREAD), block>>>(
        (float *)t->d_out, (const float *)t->d_in, 0, t->n);
}

/* clang-format off */
static const struct kernel kernels[] = {
    {"cudaMemcpy", "copy", "the library's device-to-device copy (GPU only)", false,
     launch_memcpy, NULL, check_copy, 8},
    {"copy_plain", "copy", "one float4 per thread: the speed of light of every row below", false,
     launch_plain, predict_plain, check_copy, 8},
    {"offset_copy", "simple_offset", "one float per thread, at an offset", false,
     launch_simple_offset, predict_copy, check_copy, 8},
    {"stride_copy", "simple_stride", "one float per thread, at a stride", false,
     launch_simple_stride, predict_copy, check_copy, 8},
    {"copy_1_per_thread", "in_flight", "one float per thread, blocks of 64 to 1024", false,
     launch_per_thread<1>, predict_copy, check_copy, 8},
    {"copy_2_per_thread", "in_flight", "two floats per thread, a block apart", false,
     launch_per_thread<2>, predict_copy, check_copy, 8},
    {"copy_4_per_thread", "in_flight", "four floats per thread, a block apart", false,
     launch_per_thread<4>, predict_copy, check_copy, 8},
    {"copy_offset", "offset", "the warp starts at element 0..32", false,
     launch_offset, predict_copy, check_copy, 0},
    {"copy_stride", "stride", "lanes lie 1..32 elements apart", false,
     launch_stride, predict_copy, check_copy, 0},
    {"copy_size", "size", "copy_offset with elements of 1 to 16 bytes", false,
     launch_offset, predict_copy, check_copy, 0},
    {"copy_offset_short", "offset", "guards the shifted index: forgets the end", true,
     launch_offset_short, predict_copy, check_copy, 0},
    {"copy_stride_truncated", "stride", "rounds the grid down: forgets the last block", true,
     launch_stride_truncated, predict_copy, check_copy, 0},
};
/* clang-format on */

const struct kernel *copy_kernels(size_t *count)
{
    *count = sizeof kernels / sizeof kernels[0];
    return kernels;
}

/* global.cu - loads and stores of global memory: how many sectors an access pattern touches. */
#include "tests/fidelity/fidelity.h"

enum { BLOCKS = 4, THREADS = 256, ELEMENTS = BLOCKS * THREADS };

struct three_floats {
    float x, y, z;
};
struct eight_words {
    uint32_t w[8];
};
struct __align__(16) eight_aligned_words { uint32_t w[8]; };

static __device__ unsigned global_thread(void) { return blockIdx.x * blockDim.x + threadIdx.x; }

/* --- offsets and strides, elements of 1, 2, 4, 8 and 16 bytes ----------------------------------*/

template <typename T> __global__ void load_offset(T *out, const T *in, int offset)
{
    unsigned i = global_thread();
    out[i] = in[i + offset];
}

template <typename T> __global__ void store_offset(T *out, const T *in, int offset)
{
    unsigned i = global_thread();
    out[i + offset] = in[i];
}

template <typename T> __global__ void load_stride(T *out, const T *in, int stride)
{
    unsigned i = global_thread();
    out[i] = in[i * stride];
}

template <typename T> __global__ void store_stride(T *out, const T *in, int stride)
{
    unsigned i = global_thread();
    out[i * stride] = in[i];
}

#define LAUNCH_SHIFTED(kernel)                                                                     \
    template <typename T> static void run_##kernel(const struct fidelity_io *io, int value)        \
    {                                                                                              \
        kernel<T><<<BLOCKS, THREADS>>>((T *)io->out, (const T *)io->in, value);                    \
    }
LAUNCH_SHIFTED(load_offset)
LAUNCH_SHIFTED(store_offset)
LAUNCH_SHIFTED(load_stride)
LAUNCH_SHIFTED(store_stride)

/* --- structures --------------------------------------------------------------------------------*/

__global__ void load_one_field(float *out, const struct three_floats *in)
{
    unsigned i = global_thread();
    out[i] = (float)((__float_as_uint(in[i].y) & 1023u) + 1);
}

__global__ void copy_three_floats(uint3 *out, const uint3 *in)
{
    unsigned i = global_thread();
    uint3 v = in[i];
    out[i] = make_uint3(v.z, v.x, v.y);
}

template <typename S> __global__ void copy_eight_words(S *out, const S *in)
{
    unsigned i = global_thread();
    S v = in[i];
    for (unsigned k = 0; k < 8; k++) {
        v.w[k] += k;
    }
    out[i] = v;
}

__global__ void copy_two_words(uint2 *out, const uint2 *in)
{
    unsigned i = global_thread();
    uint2 v = in[i];
    out[i] = make_uint2(v.y, v.x);
}

__global__ void copy_packed_three(uchar3 *out, const uchar3 *in)
{
    unsigned i = global_thread();
    uchar3 v = in[i];
    out[i] = make_uchar3(v.z, v.y, v.x);
}

__global__ void copy_packed_four(uchar4 *out, const uchar4 *in)
{
    unsigned i = global_thread();
    uchar4 v = in[i];
    out[i] = make_uchar4(v.w, v.z, v.y, v.x);
}

__global__ void fields_apart(uint32_t *out, const uint32_t *in)
{
    unsigned i = global_thread();
    out[i] = in[i] ^ in[ELEMENTS + i] ^ in[2 * ELEMENTS + i]; /* structure of arrays */
}

static void run_one_field(const struct fidelity_io *io, int)
{
    load_one_field<<<BLOCKS, THREADS>>>((float *)io->out, (const struct three_floats *)io->in);
}

static void run_three_floats(const struct fidelity_io *io, int)
{
    copy_three_floats<<<BLOCKS, THREADS>>>((uint3 *)io->out, (const uint3 *)io->in);
}

template <typename S> static void run_eight_words(const struct fidelity_io *io, int)
{
    copy_eight_words<S><<<BLOCKS, THREADS>>>((S *)io->out, (const S *)io->in);
}

static void run_two_words(const struct fidelity_io *io, int)
{
    copy_two_words<<<BLOCKS, THREADS>>>((uint2 *)io->out, (const uint2 *)io->in);
}

static void run_packed_three(const struct fidelity_io *io, int)
{
    copy_packed_three<<<BLOCKS, THREADS>>>((uchar3 *)io->out, (const uchar3 *)io->in);
}

static void run_packed_four(const struct fidelity_io *io, int)
{
    copy_packed_four<<<BLOCKS, THREADS>>>((uchar4 *)io->out, (const uchar4 *)io->in);
}

static void run_fields_apart(const struct fidelity_io *io, int)
{
    fields_apart<<<BLOCKS, THREADS>>>((uint32_t *)io->out, (const uint32_t *)io->in);
}

/* --- gather and scatter ------------------------------------------------------------------------*/

static __device__ unsigned where(unsigned i, int pattern, const uint32_t *permutation)
{
    switch (pattern) {
    case 0:
        return permutation[i];
    case 1:
        return ELEMENTS - 1 - i; /* reversed */
    case 2:
        return i ^ 1;
    case 3:
        return i ^ 21;
    case 4:
        return i / 4; /* four lanes on each word */
    case 5:
        return i % 8; /* every warp on the same sector */
    case 6:
        return 77; /* every lane on the same word */
    case 7:
        return (i * 37) & 1023; /* a permutation with a pattern */
    default:
        return i / 32 * 40 + i % 32 / 8 * 8; /* eight lanes on each of four sectors */
    }
}

__global__ void gather(uint32_t *out, const uint32_t *in, const uint32_t *permutation, int pattern)
{
    unsigned i = global_thread();
    out[i] = in[where(i, pattern, permutation)];
}

__global__ void scatter(uint32_t *out, const uint32_t *in, const uint32_t *permutation, int pattern)
{
    unsigned i = global_thread();
    unsigned at = where(i, pattern, permutation);
    out[at] = in[at]; /* lanes that share a word write the same value */
}

static void run_gather(const struct fidelity_io *io, int value)
{
    gather<<<BLOCKS, THREADS>>>((uint32_t *)io->out, (const uint32_t *)io->in, io->permutation,
                                value);
}

static void run_scatter(const struct fidelity_io *io, int value)
{
    scatter<<<BLOCKS, THREADS>>>((uint32_t *)io->out, (const uint32_t *)io->in, io->permutation,
                                 value);
}

/* --- block shapes and grid-stride loops --------------------------------------------------------*/

__global__ void copy_guarded(uint32_t *out, const uint32_t *in, unsigned n)
{
    unsigned i = global_thread();
    if (i < n) {
        out[i] = in[i];
    }
}

__global__ void copy_grid_stride(uint32_t *out, const uint32_t *in, unsigned n)
{
    for (unsigned i = global_thread(); i < n; i += gridDim.x * blockDim.x) {
        out[i] = in[i] * 3;
    }
}

__global__ void copy_image(uint32_t *out, const uint32_t *in, unsigned width, unsigned height,
                           unsigned depth)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < width && y < height && z < depth) {
        unsigned i = (z * height + y) * width + x;
        out[i] = in[i] + z;
    }
}

static void run_odd_block(const struct fidelity_io *io, int value)
{
    static const int threads[] = {1, 31, 33, 48, 100, 257, 1000};
    int t = threads[value];
    copy_guarded<<<(1003 + t - 1) / t, t>>>((uint32_t *)io->out, (const uint32_t *)io->in, 1003);
}

static void run_grid_stride(const struct fidelity_io *io, int)
{
    copy_grid_stride<<<3, 96>>>((uint32_t *)io->out, (const uint32_t *)io->in, 10007);
}

static void run_image(const struct fidelity_io *io, int value)
{
    static const dim3 blocks[] = {dim3(16, 16),  dim3(8, 8),    dim3(32, 4),    dim3(4, 32),
                                  dim3(4, 4, 4), dim3(5, 3, 2), dim3(2, 16, 3), dim3(1, 1, 64)};
    dim3 b = blocks[value];
    unsigned width = 76, height = 62, depth = b.z > 1 ? 5 : 1;
    dim3 grid((width + b.x - 1) / b.x, (height + b.y - 1) / b.y, (depth + b.z - 1) / b.z);
    copy_image<<<grid, b>>>((uint32_t *)io->out, (const uint32_t *)io->in, width, height, depth);
}

const struct fidelity_family global_families[] = {
    {"load_offset_1_byte", run_load_offset<uint8_t>, 0, 9},
    {"load_offset_2_byte", run_load_offset<uint16_t>, 0, 9},
    {"load_offset_4_byte", run_load_offset<uint32_t>, 0, 9},
    {"load_offset_8_byte", run_load_offset<uint2>, 0, 5},
    {"load_offset_16_byte", run_load_offset<uint4>, 0, 3},
    {"store_offset_1_byte", run_store_offset<uint8_t>, 0, 9},
    {"store_offset_4_byte", run_store_offset<uint32_t>, 0, 9},
    {"store_offset_16_byte", run_store_offset<uint4>, 0, 3},
    {"load_stride_1_byte", run_load_stride<uint8_t>, 0, 10},
    {"load_stride_2_byte", run_load_stride<uint16_t>, 0, 10},
    {"load_stride_4_byte", run_load_stride<uint32_t>, 0, 10},
    {"load_stride_8_byte", run_load_stride<uint2>, 0, 6},
    {"load_stride_16_byte", run_load_stride<uint4>, 0, 4},
    {"store_stride_1_byte", run_store_stride<uint8_t>, 1, 10},
    {"store_stride_2_byte", run_store_stride<uint16_t>, 1, 10},
    {"store_stride_4_byte", run_store_stride<uint32_t>, 1, 10},
    {"store_stride_8_byte", run_store_stride<uint2>, 1, 6},
    {"store_stride_16_byte", run_store_stride<uint4>, 1, 4},
    {"load_one_field", run_one_field, 0, 0},
    {"copy_three_words", run_three_floats, 0, 0},
    {"copy_eight_words", run_eight_words<struct eight_words>, 0, 0},
    {"copy_eight_aligned_words", run_eight_words<struct eight_aligned_words>, 0, 0},
    {"copy_two_words", run_two_words, 0, 0},
    {"copy_packed_three", run_packed_three, 0, 0},
    {"copy_packed_four", run_packed_four, 0, 0},
    {"fields_apart", run_fields_apart, 0, 0},
    {"gather", run_gather, 0, 8},
    {"scatter", run_scatter, 0, 8},
    {"odd_block", run_odd_block, 0, 6},
    {"grid_stride_loop", run_grid_stride, 0, 0},
    {"image_block", run_image, 0, 7},
    {NULL, NULL, 0, 0},
};

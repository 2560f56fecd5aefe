/* shared.cu - loads and stores of shared memory: passes over the 32 banks. */
#include "tests/fidelity/fidelity.h"

enum { UNITS = 1056 }; /* 33 strides of 32 lanes */

/* --- strides of 1- to 16-byte elements ---------------------------------------------------------
 * One warp. It fills the buffer in order, so that the stride shows in loads or in stores alone. */

template <typename T> __global__ void strided_loads(T *out, const T *in, int stride)
{
    __shared__ T buffer[UNITS];
    for (unsigned i = threadIdx.x; i < UNITS; i += blockDim.x) {
        buffer[i] = in[i];
    }
    __syncthreads();
    out[threadIdx.x] = buffer[threadIdx.x * stride];
}

template <typename T> __global__ void strided_stores(T *out, const T *in, int stride)
{
    __shared__ T buffer[UNITS];
    for (unsigned i = threadIdx.x; i < UNITS; i += blockDim.x) {
        buffer[i] = in[i];
    }
    __syncthreads();
    buffer[threadIdx.x * stride] = in[UNITS + threadIdx.x];
    __syncthreads();
    for (unsigned i = threadIdx.x; i < UNITS; i += blockDim.x) {
        out[i] = buffer[i];
    }
}

template <typename T> static void run_loads(const struct fidelity_io *io, int value)
{
    strided_loads<T><<<1, 32>>>((T *)io->out, (const T *)io->in, value);
}

template <typename T> static void run_stores(const struct fidelity_io *io, int value)
{
    strided_stores<T><<<1, 32>>>((T *)io->out, (const T *)io->in, value);
}

/* --- which lanes share a word ------------------------------------------------------------------*/

/* Lanes of equal shape read the same unit; `rows` apart are the units of different shapes. */
static __device__ unsigned shape(unsigned lane, int which)
{
    switch (which) {
    case 0:
        return 0;
    case 1:
        return lane >> 1;
    case 2:
        return lane >> 2;
    case 3:
        return lane >> 3;
    case 4:
        return lane >> 4;
    case 5:
        return lane & 1;
    case 6:
        return lane & 3;
    case 7:
        return lane & 7;
    case 8:
        return lane & 15;
    case 9:
        return lane & ~2u;
    case 10:
        return lane & ~4u;
    case 11:
        return 31 - lane;
    default:
        return lane ^ 5;
    }
}

template <typename T> __global__ void shared_words(T *out, const T *in, int which, unsigned apart)
{
    __shared__ T buffer[UNITS];
    for (unsigned i = threadIdx.x; i < UNITS; i += blockDim.x) {
        buffer[i] = in[i];
    }
    __syncthreads();
    out[threadIdx.x] = buffer[shape(threadIdx.x, which) * apart];
}

template <typename T> static void run_broadcast(const struct fidelity_io *io, int value)
{
    shared_words<T><<<1, 32>>>((T *)io->out, (const T *)io->in, value, 1);
}

template <typename T> static void run_broadcast_rows(const struct fidelity_io *io, int value)
{
    shared_words<T><<<1, 32>>>((T *)io->out, (const T *)io->in, value, 32);
}

/* --- some of the lanes -------------------------------------------------------------------------*/

static __device__ bool takes_part(unsigned lane, int which)
{
    static_assert(sizeof(unsigned) == 4, "masks have 32 bits");
    switch (which) {
    case 0:
        return lane % 2 == 0;
    case 1:
        return lane % 2 == 1;
    case 2:
        return lane < 16;
    case 3:
        return lane >= 16;
    case 4:
        return lane % 8 < 4;
    case 5:
        return lane == 13;
    case 6:
        return lane < 5 || lane > 29;
    case 7:
        return lane % 3 == 0;
    default:
        return lane > 32; /* nobody */
    }
}

template <typename T> __global__ void some_lanes(T *out, const T *in, int which, unsigned stride)
{
    __shared__ T buffer[UNITS];
    for (unsigned i = threadIdx.x; i < UNITS; i += blockDim.x) {
        buffer[i] = in[i];
    }
    __syncthreads();
    if (takes_part(threadIdx.x, which)) {
        T v = buffer[threadIdx.x * stride];
        buffer[threadIdx.x * 2] = v;
    }
    __syncthreads();
    out[threadIdx.x] = buffer[threadIdx.x];
    out[threadIdx.x + 32] = buffer[threadIdx.x + 32];
}

template <typename T> static void run_some_lanes(const struct fidelity_io *io, int value)
{
    some_lanes<T><<<1, 32>>>((T *)io->out, (const T *)io->in, value, 2);
}

/* --- gather, dynamic allocation, padded tile ---------------------------------------------------*/

template <typename T>
__global__ void shared_gather(T *out, const T *in, const uint32_t *permutation)
{
    extern __shared__ uint4 dynamic[];
    T *buffer = (T *)dynamic;
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) {
        buffer[i] = in[i];
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) {
        out[i] = buffer[permutation[i]];
    }
}

template <typename T> static void run_shared_gather(const struct fidelity_io *io, int)
{
    shared_gather<T>
        <<<1, 128, 1024 * sizeof(T)>>>((T *)io->out, (const T *)io->in, io->permutation);
}

template <int PITCH> __global__ void tile_columns(uint32_t *out, const uint32_t *in)
{
    __shared__ uint32_t tile[32][PITCH];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

template <int PITCH> static void run_tile_columns(const struct fidelity_io *io, int)
{
    tile_columns<PITCH><<<1, dim3(32, 32)>>>((uint32_t *)io->out, (const uint32_t *)io->in);
}

/* --- trees of additions ------------------------------------------------------------------------*/

__global__ void tree_interleaved(uint32_t *out, const uint32_t *in)
{
    __shared__ uint32_t sums[256];
    sums[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    for (unsigned step = 1; step < 256; step *= 2) {
        __syncthreads();
        if (threadIdx.x % (2 * step) == 0) {
            sums[threadIdx.x] += sums[threadIdx.x + step];
        }
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sums[0];
    }
}

__global__ void tree_strided(uint32_t *out, const uint32_t *in)
{
    __shared__ uint32_t sums[256];
    sums[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    for (unsigned step = 1; step < 256; step *= 2) {
        __syncthreads();
        unsigned i = 2 * step * threadIdx.x;
        if (i < 256) {
            sums[i] += sums[i + step];
        }
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sums[0];
    }
}

__global__ void tree_sequential(uint32_t *out, const uint32_t *in)
{
    __shared__ uint32_t sums[256];
    sums[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    for (unsigned step = 128; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step) {
            sums[threadIdx.x] += sums[threadIdx.x + step];
        }
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sums[0];
    }
}

typedef void tree_kernel(uint32_t *, const uint32_t *);

template <tree_kernel *TREE> static void run_tree(const struct fidelity_io *io, int)
{
    TREE<<<4, 256>>>((uint32_t *)io->out, (const uint32_t *)io->in);
}

const struct fidelity_family shared_families[] = {
    {"shared_load_1_byte_stride", run_loads<uint8_t>, 0, 8},
    {"shared_load_2_byte_stride", run_loads<uint16_t>, 0, 8},
    {"shared_load_4_byte_stride", run_loads<uint32_t>, 0, 33},
    {"shared_load_8_byte_stride", run_loads<uint2>, 0, 33},
    {"shared_load_16_byte_stride", run_loads<uint4>, 0, 33},
    {"shared_store_1_byte_stride", run_stores<uint8_t>, 1, 8},
    {"shared_store_2_byte_stride", run_stores<uint16_t>, 1, 8},
    {"shared_store_4_byte_stride", run_stores<uint32_t>, 1, 33},
    {"shared_store_8_byte_stride", run_stores<uint2>, 1, 33},
    {"shared_store_16_byte_stride", run_stores<uint4>, 1, 33},
    {"broadcast_4_byte", run_broadcast<uint32_t>, 0, 12},
    {"broadcast_8_byte", run_broadcast<uint2>, 0, 12},
    {"broadcast_16_byte", run_broadcast<uint4>, 0, 12},
    {"broadcast_rows_4_byte", run_broadcast_rows<uint32_t>, 0, 12},
    {"broadcast_rows_8_byte", run_broadcast_rows<uint2>, 0, 12},
    {"broadcast_rows_16_byte", run_broadcast_rows<uint4>, 0, 12},
    {"some_lanes_4_byte", run_some_lanes<uint32_t>, 0, 8},
    {"some_lanes_8_byte", run_some_lanes<uint2>, 0, 8},
    {"some_lanes_16_byte", run_some_lanes<uint4>, 0, 8},
    {"shared_gather_1_byte", run_shared_gather<uint8_t>, 0, 0},
    {"shared_gather_4_byte", run_shared_gather<uint32_t>, 0, 0},
    {"shared_gather_8_byte", run_shared_gather<uint2>, 0, 0},
    {"shared_gather_16_byte", run_shared_gather<uint4>, 0, 0},
    {"tile_columns", run_tile_columns<32>, 0, 0},
    {"tile_columns_padded", run_tile_columns<33>, 0, 0},
    {"tree_interleaved", run_tree<tree_interleaved>, 0, 0},
    {"tree_strided", run_tree<tree_strided>, 0, 0},
    {"tree_sequential", run_tree<tree_sequential>, 0, 0},
    {NULL, NULL, 0, 0},
};

/* stream.cu - kernels that move each element once or a few times: copies, vectors, layouts. */
#include "times.h"

__global__ void copy_float(float *out, const float *a, unsigned n)
{
    unsigned i = GLOBAL_ID;
    if (i < n)
        out[i] = a[i];
}
static void run_copy_float(const struct times_io *io)
{
    copy_float<<<FLOATS / 256, 256>>>(io->out, io->a, FLOATS);
}

__global__ void copy_float4(float4 *out, const float4 *a, unsigned n)
{
    unsigned i = GLOBAL_ID;
    if (i < n)
        out[i] = a[i];
}
static void run_copy_float4(const struct times_io *io)
{
    copy_float4<<<FLOATS / 4 / 256, 256>>>((float4 *)io->out, (const float4 *)io->a, FLOATS / 4);
}

__global__ void copy_double(double *out, const double *a, unsigned n)
{
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x)
        out[i] = a[i];
}
static void run_copy_double(const struct times_io *io)
{
    copy_double<<<DOUBLES / 512, 256>>>(io->dout, io->da, DOUBLES);
}

__global__ void copy_bytes(unsigned char *out, const float *a, unsigned n)
{
    unsigned i = GLOBAL_ID;
    if (i < n)
        out[i] = (unsigned char)(((const unsigned char *)a)[i] & 0x3f);
}
static void run_copy_bytes(const struct times_io *io)
{
    copy_bytes<<<FLOATS / 512, 512>>>((unsigned char *)io->out, io->a, FLOATS);
}

/* One element past the start: five sectors a request. */
__global__ void copy_misaligned(float *out, const float *a, unsigned n)
{
    unsigned i = GLOBAL_ID;
    if (i + 1 < n)
        out[i] = a[i + 1];
}
static void run_copy_misaligned(const struct times_io *io)
{
    copy_misaligned<<<FLOATS / 2 / 128, 128>>>(io->out, io->a, FLOATS / 2 + 1);
}

__global__ void copy_strided(float *out, const float *a, unsigned n, unsigned stride)
{
    unsigned i = GLOBAL_ID;
    if (i < n)
        out[i] = a[(size_t)i * stride];
}
static void run_copy_stride_2(const struct times_io *io)
{
    copy_strided<<<FLOATS / 2 / 256, 256>>>(io->out, io->a, FLOATS / 2, 2);
}
static void run_copy_stride_8(const struct times_io *io)
{
    copy_strided<<<FLOATS / 8 / 256, 256>>>(io->out, io->a, FLOATS / 8, 8);
}

__global__ void reverse(float *out, const float *a, unsigned n)
{
    unsigned i = GLOBAL_ID;
    if (i < n)
        out[n - 1 - i] = a[i];
}
static void run_reverse(const struct times_io *io)
{
    reverse<<<FLOATS / 2 / 256, 256>>>(io->out, io->a, FLOATS / 2);
}

__global__ void saxpy(float *out, float alpha, const float *a, const float *b, unsigned n)
{
    unsigned i = GLOBAL_ID;
    if (i < n)
        out[i] = alpha * a[i] + b[i];
}
static void run_saxpy(const struct times_io *io)
{
    saxpy<<<FLOATS / 256, 256>>>(io->out, 1.5f, io->a, io->b, FLOATS);
}

/* As many blocks as fit at once; each thread goes on with the next element of its own. */
__global__ void triad_grid_stride(float *out, const float *a, const float *b, unsigned n)
{
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x)
        out[i] = a[i] + 3.0f * b[i];
}
static void run_triad_grid_stride(const struct times_io *io)
{
    triad_grid_stride<<<132 * 8, 256>>>(io->out, io->a, io->b, FLOATS);
}

/* Too few warps for the memory: what is in flight limits it. */
static void run_triad_few_warps(const struct times_io *io)
{
    triad_grid_stride<<<132, 128>>>(io->out, io->a, io->b, FLOATS / 4);
}

__global__ void fill(float *out, float value, unsigned n)
{
    unsigned i = GLOBAL_ID;
    if (i < n)
        out[i] = value;
}
static void run_fill(const struct times_io *io)
{
    fill<<<FLOATS / 256, 256>>>(io->out, 0.25f, FLOATS);
}

/* Reads everything, writes a number per thread. */
__global__ void sum_strided(float *out, const float4 *a, unsigned n)
{
    float sum = 0;
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x) {
        float4 v = a[i];
        sum += v.x + v.y + v.z + v.w;
    }
    out[GLOBAL_ID] = sum;
}
static void run_sum_strided(const struct times_io *io)
{
    sum_strided<<<132 * 4, 512>>>(io->out, (const float4 *)io->a, FLOATS / 4);
}

/* Each thread reads a run of its own: neighbours are 64 floats apart. */
__global__ void sum_chunks(float *out, const float *a, unsigned chunk)
{
    unsigned i = GLOBAL_ID;
    float sum = 0;
    for (unsigned k = 0; k < chunk; k++)
        sum += a[i * chunk + k];
    out[i] = sum;
}
static void run_sum_chunks(const struct times_io *io)
{
    sum_chunks<<<FLOATS / 64 / 256, 256>>>(io->out, io->a, 64);
}

struct particle {
    float x, y, z, mass;
};
__global__ void aos_to_soa(float *out, const struct particle *in, unsigned n)
{
    unsigned i = GLOBAL_ID;
    if (i < n) {
        out[i] = in[i].x;
        out[n + i] = in[i].y;
        out[2 * n + i] = in[i].z;
        out[3 * n + i] = in[i].mass;
    }
}
static void run_aos_to_soa(const struct times_io *io)
{
    aos_to_soa<<<FLOATS / 8 / 256, 256>>>(io->out, (const struct particle *)io->a, FLOATS / 8);
}

__global__ void soa_to_aos(float *out, const float *in, unsigned n)
{
    unsigned i = GLOBAL_ID;
    if (i < n)
        for (unsigned field = 0; field < 3; field++)
            out[3 * i + field] = in[field * n + i];
}
static void run_soa_to_aos(const struct times_io *io)
{
    soa_to_aos<<<(1 << 21) / 256, 256>>>(io->out, io->a, 1 << 21);
}

/* Three bytes a pixel to a brightness. */
__global__ void rgb_to_gray(float *out, const unsigned char *rgb, unsigned n)
{
    unsigned i = GLOBAL_ID;
    if (i < n)
        out[i] = 0.299f * rgb[3 * i] + 0.587f * rgb[3 * i + 1] + 0.114f * rgb[3 * i + 2];
}
static void run_rgb_to_gray(const struct times_io *io)
{
    rgb_to_gray<<<(1 << 22) / 256, 256>>>(io->out, (const unsigned char *)io->a, 1 << 22);
}

enum { TILE = 32, TILE_ROWS = 8 };
__global__ void transpose_naive(float *out, const float *a, unsigned width, unsigned height)
{
    unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (unsigned j = 0; j < TILE; j += TILE_ROWS)
        out[(size_t)x * height + y + j] = a[(size_t)(y + j) * width + x];
}
template <int PITCH>
__global__ void transpose_tile(float *out, const float *a, unsigned width, unsigned height)
{
    __shared__ float tile[TILE][PITCH];
    unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (unsigned j = 0; j < TILE; j += TILE_ROWS)
        tile[threadIdx.y + j][threadIdx.x] = a[(size_t)(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (unsigned j = 0; j < TILE; j += TILE_ROWS)
        out[(size_t)(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
static const dim3 transpose_grid(4096 / TILE, 2048 / TILE), transpose_block(TILE, TILE_ROWS);
static void run_transpose_naive(const struct times_io *io)
{
    transpose_naive<<<transpose_grid, transpose_block>>>(io->out, io->a, 4096, 2048);
}
static void run_transpose_conflicts(const struct times_io *io)
{
    transpose_tile<32><<<transpose_grid, transpose_block>>>(io->out, io->a, 4096, 2048);
}
static void run_transpose_padded(const struct times_io *io)
{
    transpose_tile<33><<<transpose_grid, transpose_block>>>(io->out, io->a, 4096, 2048);
}

__global__ void interleave(float2 *out, const float *a, const float *b, unsigned n)
{
    unsigned i = GLOBAL_ID;
    if (i < n)
        out[i] = make_float2(a[i], b[i]);
}
static void run_interleave(const struct times_io *io)
{
    interleave<<<FLOATS / 4 / 128, 128>>>((float2 *)io->out, io->a, io->b, FLOATS / 4);
}

/* Blocks of one warp: starting them is the work. */
__global__ void tiny_blocks(float *out, const float *a)
{
    unsigned i = GLOBAL_ID;
    out[i] = 2.0f * a[i];
}
static void run_tiny_blocks(const struct times_io *io)
{
    tiny_blocks<<<(1 << 20) / 32, 32>>>(io->out, io->a);
}

const struct times_case stream_cases[] = {
    {"copy_float", run_copy_float, IN_OUT, FLOATS},
    {"copy_float4", run_copy_float4, IN_OUT, FLOATS},
    {"copy_double", run_copy_double, IN_DOUT, DOUBLES},
    {"copy_bytes", run_copy_bytes, IN_OUT, FLOATS / 4},
    {"copy_misaligned", run_copy_misaligned, IN_OUT, FLOATS / 2},
    {"copy_stride_2", run_copy_stride_2, IN_OUT, FLOATS / 2},
    {"copy_stride_8", run_copy_stride_8, IN_OUT, FLOATS / 8},
    {"reverse", run_reverse, IN_OUT, FLOATS / 2},
    {"saxpy", run_saxpy, IN_OUT, FLOATS},
    {"triad_grid_stride", run_triad_grid_stride, IN_OUT, FLOATS},
    {"triad_few_warps", run_triad_few_warps, IN_OUT, FLOATS / 4},
    {"fill", run_fill, IN_OUT, FLOATS},
    {"sum_strided", run_sum_strided, IN_OUT, 132 * 4 * 512},
    {"sum_chunks", run_sum_chunks, IN_OUT, FLOATS / 64},
    {"aos_to_soa", run_aos_to_soa, IN_OUT, FLOATS / 2},
    {"soa_to_aos", run_soa_to_aos, IN_OUT, 3 << 21},
    {"rgb_to_gray", run_rgb_to_gray, IN_OUT, 1 << 22},
    {"transpose_naive", run_transpose_naive, IN_OUT, 4096 * 2048},
    {"transpose_conflicts", run_transpose_conflicts, IN_OUT, 4096 * 2048},
    {"transpose_padded", run_transpose_padded, IN_OUT, 4096 * 2048},
    {"interleave", run_interleave, IN_OUT, FLOATS / 2},
    {"tiny_blocks", run_tiny_blocks, IN_OUT, 1 << 20},
    {NULL, NULL, IN_OUT, 0}};

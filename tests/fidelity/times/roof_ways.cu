/* roof_ways.cu - more microbenchmarks: textures, votes, lanes that go different ways, quotients of
 * 64 bits, atomics whose results are wanted, constants by lane, long programs, bursts of loads.
 *
 * As in roof.cu, one warp alone shows a latency and full multiprocessors show a rate. */
#include "times.h"

enum { STEPS = 1024 };
#define ROOF_ALONE <<<1, 32>>>
#define ROOF_FULL  <<<264, 1024>>>

/* --- textures -------------------------------------------------------------------------------- */

static cudaTextureObject_t square(const float *a, struct cudaChannelFormatDesc format,
                                  enum cudaTextureFilterMode filter, enum cudaTextureReadMode read)
{
    cudaTextureObject_t texture;
    struct cudaResourceDesc resource = {};
    struct cudaTextureDesc how = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = (void *)a;
    resource.res.pitch2D.desc = format;
    resource.res.pitch2D.width = resource.res.pitch2D.height = 64;
    resource.res.pitch2D.pitchInBytes =
        64 * (size_t)(format.x + format.y + format.z + format.w) / 8;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = filter;
    how.readMode = read;
    CUDA_CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    return texture;
}
static float4 __device__ four(float v) { return make_float4(v, v, v, v); }
static float4 __device__ four(float4 v) { return v; }

/* A fetch whose place depends on the last one's result. */
__global__ void texture_chain(float *out, cudaTextureObject_t from)
{
    float x = (float)threadIdx.x * 0.5f;
    for (int i = 0; i < STEPS; i++)
        x = tex2D<float>(from, x, 3.5f) + (float)threadIdx.x;
    out[GLOBAL_ID] = x;
}
/* Independent fetches of a picture that L1 holds: rows (spread 0) or places of each lane's own. */
template <typename T>
__global__ void texture_rate(float *out, cudaTextureObject_t from, unsigned spread)
{
    float sum = 0;
#pragma unroll 8
    for (unsigned i = 0; i < 256; i++) {
        const unsigned x = (threadIdx.x + i) & 31, y = ((threadIdx.x / 32 + i) + x * spread) & 31;
        const float4 v = four(tex2D<T>(from, (float)x + 0.6f, (float)y + 0.7f));
        sum += v.x + v.w;
    }
    out[GLOBAL_ID] = sum;
}
#define TEXTURE(name, type, format, filter, read, spread)                                          \
    static void run_tex_##name(const struct times_io *io)                                          \
    {                                                                                              \
        const cudaTextureObject_t t = square(io->a, cudaCreateChannelDesc<format>(),               \
                                             cudaFilterMode##filter, cudaReadMode##read);          \
        texture_rate<type> ROOF_FULL(io->out, t, spread);                                          \
        CUDA_CHECK(cudaDestroyTextureObject(t));                                                   \
    }
TEXTURE(point, float, float, Point, ElementType, 0)
TEXTURE(point_spread, float, float, Point, ElementType, 5)
TEXTURE(linear, float, float, Linear, ElementType, 0)
TEXTURE(linear_spread, float, float, Linear, ElementType, 5)
TEXTURE(bytes, float4, uchar4, Linear, NormalizedFloat, 0)
TEXTURE(point_four, float4, float4, Point, ElementType, 0)
TEXTURE(linear_four, float4, float4, Linear, ElementType, 0)
static void run_tex_chain(const struct times_io *io)
{
    const cudaTextureObject_t t =
        square(io->a, cudaCreateChannelDesc<float>(), cudaFilterModePoint, cudaReadModeElementType);
    texture_chain ROOF_ALONE(io->out, t);
    CUDA_CHECK(cudaDestroyTextureObject(t));
}
static void run_tex_chain_linear(const struct times_io *io)
{
    const cudaTextureObject_t t = square(io->a, cudaCreateChannelDesc<float>(),
                                         cudaFilterModeLinear, cudaReadModeElementType);
    texture_chain ROOF_ALONE(io->out, t);
    CUDA_CHECK(cudaDestroyTextureObject(t));
}

/* --- what lanes say to each other ------------------------------------------------------------ */

#define LANES(name, step)                                                                          \
    __global__ void lanes_##name(unsigned *out, unsigned mask)                                     \
    {                                                                                              \
        unsigned x = threadIdx.x;                                                                  \
        _Pragma("unroll 4") for (int i = 0; i < STEPS; i++) { step; }                              \
        out[GLOBAL_ID] = x;                                                                        \
    }
LANES(match, x = __match_any_sync(~0u, (x == 0x12345678u ? 1u : 0u) + (threadIdx.x & mask)) + mask)
LANES(match_all, {
    int same;
    x += __match_all_sync(~0u, (x == 0x12345678u ? threadIdx.x : 0u) + mask, &same);
})
LANES(reduce, x = __reduce_add_sync(~0u, x &mask) + threadIdx.x)
LANES(any, x = x + (unsigned)__any_sync(~0u, x == mask))
LANES(shuffle_at, x = __shfl_sync(~0u, x, x & 31) + 1)

/* --- lanes that go different ways ------------------------------------------------------------ */

#define FOUR_SUMS asm volatile("add.f32 %0, %0, %1; add.f32 %0, %0, %1;" : "+f"(x) : "f"(y));
#define ARM(k)                                                                                     \
    case k:                                                                                        \
        FOUR_SUMS FOUR_SUMS FOUR_SUMS FOUR_SUMS x *= 1.0f + k;                                     \
        break;
/* A switch of 16 arms of nine instructions: lanes take as many arms as the mask has values. */
__global__ void ways(float *out, const int *index, unsigned mask, int rounds)
{
    float x = (float)threadIdx.x, y = (float)mask;
    const unsigned me = threadIdx.x & mask;
    for (int i = 0; i < rounds; i++)
        switch ((me + (unsigned)i) & 15) {
            ARM(0)
            ARM(1) ARM(2) ARM(3) ARM(4) ARM(5) ARM(6) ARM(7) ARM(8) ARM(9) ARM(10) ARM(11) ARM(12)
                ARM(13) ARM(14) ARM(15)
        }
    out[GLOBAL_ID] = x < 1e30f ? 1 : 0;
}
/* An if without an else, of so many instructions that it is a branch. */
__global__ void guarded(float *out, unsigned mask, int rounds)
{
    float x = (float)threadIdx.x, y = (float)mask;
    for (int i = 0; i < rounds; i++)
        if (((threadIdx.x + (unsigned)i) & mask) == 0) {
            for (int k = 0; k < 4; k++) {
                FOUR_SUMS FOUR_SUMS FOUR_SUMS FOUR_SUMS
            }
        }
    out[GLOBAL_ID] = x < 1e30f ? 1 : 0;
}
/* Loops of so many rounds as the lane's number under the mask, again and again. */
__global__ void own_rounds(float *out, unsigned mask, int rounds)
{
    float x = (float)threadIdx.x, y = 1;
    for (int i = 0; i < rounds; i++)
#pragma unroll 1
        for (unsigned k = 0; k <= ((threadIdx.x + (unsigned)i) & mask); k++) {
            FOUR_SUMS
        }
    out[GLOBAL_ID] = x < 1e30f ? 1 : 0;
}

/* --- quotients and functions ----------------------------------------------------------------- */

#define WIDE(name, type, start, step)                                                              \
    __global__ void wide_##name(float *out, type y)                                                \
    {                                                                                              \
        type x = (type)(start + threadIdx.x);                                                      \
        for (int i = 0; i < STEPS / 4; i++) {                                                      \
            step;                                                                                  \
        }                                                                                          \
        out[GLOBAL_ID] = (float)x * 1e-30f;                                                        \
    }
typedef unsigned long long u64;
WIDE(quotient, u64, 12345, x = 0xfedcba9876543210ull / (x + y))
WIDE(rest, u64, 12345, x = 0xfedcba9876543210ull % (x + y) + y)
WIDE(rest_small, u64, 12345, x = 0x12345678u % (x % 1000 + 7))
WIDE(log, float, 2, x = logf(x + y))
WIDE(power, float, 2, x = powf(x, y))
WIDE(sine, float, 2, x = sinf(x + y))
WIDE(root_double, double, 2, x = sqrt(x + y))
WIDE(sine_double, double, 2, x = sin(x + y))

/* --- atomics whose results are wanted --------------------------------------------------------- */

__global__ void wanted_sums(unsigned *counts, float *out, unsigned mask, unsigned step)
{
    unsigned at = GLOBAL_ID * step & mask;
    for (int i = 0; i < 16; i++)
        at = (at + 0x9e3779b1u * step + (atomicAdd(&counts[at], 1u) == ~0u ? 1u : 0u)) & mask;
    out[GLOBAL_ID] = (float)at;
}
__global__ void shared_sums(float *out, unsigned mask, int wanted)
{
    __shared__ unsigned v[1024];
    v[threadIdx.x] = 0;
    __syncthreads();
    unsigned at = threadIdx.x & mask;
    for (int i = 0; i < 256; i++)
        if (wanted)
            at += atomicAdd(&v[at], 1u) == ~0u ? 1u : 0u;
        else
            atomicAdd(&v[at], 1u);
    __syncthreads();
    out[GLOBAL_ID] = (float)(v[threadIdx.x] & 0);
}
__global__ void shared_float_sums(float *out, unsigned mask)
{
    __shared__ float v[1024];
    v[threadIdx.x] = 0;
    __syncthreads();
    for (int i = 0; i < 64; i++)
        atomicAdd(&v[threadIdx.x & mask], 1.0f);
    __syncthreads();
    out[GLOBAL_ID] = v[threadIdx.x] * 0;
}

/* --- constants, programs, bursts ------------------------------------------------------------- */

__constant__ unsigned table[1024];
__global__ void constants_by_lane(unsigned *out, unsigned mask)
{
    unsigned at = threadIdx.x & mask;
    for (int i = 0; i < STEPS; i++)
        at = (at + 1 + table[at]) & mask;
    out[GLOBAL_ID] = at;
}

template <int INSTRUCTIONS> __global__ void long_program(float *out, int rounds)
{
    float x = (float)threadIdx.x, y = 1.5f, z = 2;
    for (int i = 0; i < rounds; i++) {
#pragma unroll
        for (int k = 0; k < INSTRUCTIONS / 4; k++)
            asm volatile(
                "add.f32 %0, %0, %2; add.f32 %1, %1, %2; add.f32 %0, %0, %2; add.f32 %1, %1, %2;"
                : "+f"(x), "+f"(z)
                : "f"(y));
    }
    out[GLOBAL_ID] = x + z;
}

/* Rounds of `B` loads of a line each by a warp, the next round only when all are there: from memory
 * (each line once). */
template <int B> __global__ void burst(float *out, const float *a, int rounds)
{
    const unsigned warp = GLOBAL_ID / 32, warps = gridDim.x * blockDim.x / 32;
    float sum = 0;
    unsigned none = 0;
    for (int r = 0; r < rounds; r++) {
        float v[B];
#pragma unroll
        for (unsigned k = 0; k < B; k++)
            v[k] = a[((((unsigned)r * B + k) * warps + warp) * 32 & (FLOATS - 1)) +
                     (threadIdx.x & 31) + none];
#pragma unroll
        for (unsigned k = 0; k < B; k++)
            sum += v[k];
        none = sum < 0 ? 1 : 0;
    }
    out[GLOBAL_ID] = sum;
}
/* The same lines for all warps of the GPU, each waited for. */
__global__ void same_lines(float *out, const float *a, int rounds, unsigned lanes)
{
    unsigned at = threadIdx.x & lanes;
    float sum = 0;
    for (int r = 0; r < rounds; r++) {
        const float v = __ldcg(&a[at]);
        sum += v;
        at = at + 32 + (v < 0 ? 1 : 0);
    }
    out[GLOBAL_ID] = sum;
}
/* 16 MB in pieces: lines or sectors, in the order of a permutation or of columns of a matrix. */
__global__ void pieces(float *out, const float *a, const int *index, unsigned floats,
                       unsigned pitch)
{
    const unsigned piece = GLOBAL_ID / floats, in = threadIdx.x & (floats - 1);
    const unsigned pieces = FLOATS / floats;
    const unsigned at = pitch ? piece * pitch % pieces + piece * pitch / pieces
                              : (unsigned)index[piece & (INDICES - 1)] & (pieces - 1);
    out[GLOBAL_ID & 0xfffff] = a[at * floats + in];
}

#define ALONE_AND_FULL(name, kernel, ...)                                                          \
    static void run_##name##_chain(const struct times_io *io) { kernel ROOF_ALONE(__VA_ARGS__); }  \
    static void run_##name##_rate(const struct times_io *io) { kernel ROOF_FULL(__VA_ARGS__); }
#define ONE(name, kernel, grid, block, ...)                                                        \
    static void run_##name(const struct times_io *io) { kernel<<<grid, block>>>(__VA_ARGS__); }
#define OUT ((unsigned *)io->out)
ALONE_AND_FULL(match_1, lanes_match, OUT, 0)
ALONE_AND_FULL(match_2, lanes_match, OUT, 1)
ALONE_AND_FULL(match_8, lanes_match, OUT, 7)
ALONE_AND_FULL(match_32, lanes_match, OUT, 31)
ALONE_AND_FULL(match_all, lanes_match_all, OUT, 5)
ALONE_AND_FULL(reduce, lanes_reduce, OUT, 7)
ALONE_AND_FULL(any, lanes_any, OUT, 77777)
ALONE_AND_FULL(shuffle_at, lanes_shuffle_at, OUT, 0)
ALONE_AND_FULL(ways_1, ways, io->out, io->index, 0, 256)
ALONE_AND_FULL(ways_2, ways, io->out, io->index, 1, 256)
ALONE_AND_FULL(ways_4, ways, io->out, io->index, 3, 256)
ALONE_AND_FULL(ways_16, ways, io->out, io->index, 15, 256)
ALONE_AND_FULL(guarded_1, guarded, io->out, 0, 256)
ALONE_AND_FULL(guarded_2, guarded, io->out, 1, 256)
ALONE_AND_FULL(guarded_32, guarded, io->out, 31, 256)
ALONE_AND_FULL(own_rounds_1, own_rounds, io->out, 0, 512)
ALONE_AND_FULL(own_rounds_8, own_rounds, io->out, 7, 512)
ALONE_AND_FULL(own_rounds_32, own_rounds, io->out, 31, 512)
ALONE_AND_FULL(quotient_64, wide_quotient, io->out, 3)
ALONE_AND_FULL(rest_64, wide_rest, io->out, 1ull << 33)
ALONE_AND_FULL(rest_64_small, wide_rest_small, io->out, 3)
ALONE_AND_FULL(log, wide_log, io->out, 3)
ALONE_AND_FULL(power, wide_power, io->out, 0.7f)
ALONE_AND_FULL(sine_exact, wide_sine, io->out, 3)
ALONE_AND_FULL(root_double, wide_root_double, io->out, 3)
ALONE_AND_FULL(sine_double, wide_sine_double, io->out, 3)
ALONE_AND_FULL(shared_sums_1, shared_sums, io->out, 0, 0)
ALONE_AND_FULL(shared_sums_32, shared_sums, io->out, 31, 0)
ALONE_AND_FULL(shared_wanted_1, shared_sums, io->out, 0, 1)
ALONE_AND_FULL(shared_wanted_8, shared_sums, io->out, 7, 1)
ALONE_AND_FULL(shared_wanted_32, shared_sums, io->out, 31, 1)
ALONE_AND_FULL(shared_float_1, shared_float_sums, io->out, 0)
ALONE_AND_FULL(shared_float_8, shared_float_sums, io->out, 7)
ALONE_AND_FULL(shared_float_32, shared_float_sums, io->out, 31)
ALONE_AND_FULL(constants_1, constants_by_lane, OUT, 0)
ALONE_AND_FULL(constants_4, constants_by_lane, OUT, 3)
ALONE_AND_FULL(constants_32, constants_by_lane, OUT, 31)
ALONE_AND_FULL(program_1k, long_program<1024>, io->out, 32)
ALONE_AND_FULL(program_4k, long_program<4096>, io->out, 8)
ALONE_AND_FULL(program_16k, long_program<16384>, io->out, 4)
ONE(wanted_1, wanted_sums, 264, 256, io->counts, io->out, 0, 1)
ONE(wanted_16, wanted_sums, 264, 256, io->counts, io->out, 15, 1)
ONE(wanted_1024, wanted_sums, 264, 256, io->counts, io->out, 1023, 1)
ONE(wanted_64k, wanted_sums, 264, 256, io->counts, io->out, 65535, 1)
ONE(wanted_1m, wanted_sums, 264, 256, io->counts, io->out, COUNTS - 1, 33)
ONE(burst_1_1, burst<1>, 132, 32, io->out, io->a, 128)
ONE(burst_1_8, burst<8>, 132, 32, io->out, io->a, 64)
ONE(burst_1_32, burst<32>, 132, 32, io->out, io->a, 32)
ONE(burst_8_1, burst<1>, 132, 256, io->out, io->a, 128)
ONE(burst_8_8, burst<8>, 132, 256, io->out, io->a, 32)
ONE(burst_8_32, burst<32>, 132, 256, io->out, io->a, 8)
ONE(burst_32_1, burst<1>, 132, 1024, io->out, io->a, 64)
ONE(burst_32_8, burst<8>, 132, 1024, io->out, io->a, 8)
ONE(same_1, same_lines, 132, 32, io->out, io->a, 1024, 0)
ONE(same_8, same_lines, 132, 256, io->out, io->a, 1024, 0)
ONE(same_8_line, same_lines, 132, 256, io->out, io->a, 1024, 31)
ONE(same_32, same_lines, 132, 1024, io->out, io->a, 512, 0)
ONE(same_one_sm, same_lines, 1, 1024, io->out, io->a, 512, 0)
ONE(lines_permuted, pieces, 16384, 256, io->out, io->a, io->index, 32, 0)
ONE(sectors_permuted, pieces, 16384, 256, io->out, io->a, io->index, 8, 0)
ONE(lines_in_columns, pieces, 16384, 256, io->out, io->a, io->index, 32, 64)
ONE(sectors_in_columns, pieces, 16384, 256, io->out, io->a, io->index, 8, 512)
ONE(lines_in_order, pieces, 16384, 256, io->out, io->a, io->index, 32, 1)

#define ROW(name, count)                                                                           \
    {                                                                                              \
        "roof_" #name, run_##name, IN_OCCUPIED, count                                              \
    }
#define BOTH(name) ROW(name##_chain, 32), ROW(name##_rate, 264 * 1024)
const struct times_case way_cases[] = {ROW(tex_chain, 32),
                                       ROW(tex_chain_linear, 32),
                                       ROW(tex_point, 32),
                                       ROW(tex_point_spread, 32),
                                       ROW(tex_linear, 32),
                                       ROW(tex_linear_spread, 32),
                                       ROW(tex_bytes, 32),
                                       ROW(tex_point_four, 32),
                                       ROW(tex_linear_four, 32),
                                       BOTH(match_1),
                                       BOTH(match_2),
                                       BOTH(match_8),
                                       BOTH(match_32),
                                       BOTH(match_all),
                                       BOTH(reduce),
                                       BOTH(any),
                                       BOTH(shuffle_at),
                                       BOTH(ways_1),
                                       BOTH(ways_2),
                                       BOTH(ways_4),
                                       BOTH(ways_16),
                                       BOTH(guarded_1),
                                       BOTH(guarded_2),
                                       BOTH(guarded_32),
                                       BOTH(own_rounds_1),
                                       BOTH(own_rounds_8),
                                       BOTH(own_rounds_32),
                                       BOTH(quotient_64),
                                       BOTH(rest_64),
                                       BOTH(rest_64_small),
                                       BOTH(log),
                                       BOTH(power),
                                       BOTH(sine_exact),
                                       BOTH(root_double),
                                       BOTH(sine_double),
                                       BOTH(shared_sums_1),
                                       BOTH(shared_sums_32),
                                       BOTH(shared_wanted_1),
                                       BOTH(shared_wanted_8),
                                       BOTH(shared_wanted_32),
                                       BOTH(shared_float_1),
                                       BOTH(shared_float_8),
                                       BOTH(shared_float_32),
                                       BOTH(constants_1),
                                       BOTH(constants_4),
                                       BOTH(constants_32),
                                       BOTH(program_1k),
                                       BOTH(program_4k),
                                       BOTH(program_16k),
                                       ROW(wanted_1, 32),
                                       ROW(wanted_16, 32),
                                       ROW(wanted_1024, 32),
                                       ROW(wanted_64k, 32),
                                       ROW(wanted_1m, 32),
                                       ROW(burst_1_1, 32),
                                       ROW(burst_1_8, 32),
                                       ROW(burst_1_32, 32),
                                       ROW(burst_8_1, 32),
                                       ROW(burst_8_8, 32),
                                       ROW(burst_8_32, 32),
                                       ROW(burst_32_1, 32),
                                       ROW(burst_32_8, 32),
                                       ROW(same_1, 32),
                                       ROW(same_8, 32),
                                       ROW(same_8_line, 32),
                                       ROW(same_32, 32),
                                       ROW(same_one_sm, 32),
                                       ROW(lines_permuted, 32),
                                       ROW(sectors_permuted, 32),
                                       ROW(lines_in_columns, 32),
                                       ROW(sectors_in_columns, 32),
                                       ROW(lines_in_order, 32),
                                       {NULL, NULL, IN_OUT, 0}};

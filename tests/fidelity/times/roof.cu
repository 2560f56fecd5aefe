/* roof.cu - microbenchmarks: the latency and the rate of each kind of instruction and memory.
 *
 * A chain of one operation that waits for the last: one warp alone shows the latency, 64 warps on
 * every multiprocessor show the rate. The model's latencies come from here (common/gpu). */
#include "times.h"

enum { STEPS = 2048, CHASE_STEPS = 512 };

#define CHAIN(name, type, step)                                                                    \
    __global__ void chain_##name(float *out, const float *a)                                       \
    {                                                                                              \
        type x = (type)(a[threadIdx.x] * 100), y = (type)(a[32] * 7 + 1),                          \
             z = (type)(a[64] * 5 + 3);                                                            \
        _Pragma("unroll 16") for (int i = 0; i < STEPS; i++) { step; }                             \
        out[GLOBAL_ID] = (float)(x + 0 * y + 0 * z) * 0x1p-20f;                                    \
    }                                                                                              \
    static void run_##name##_chain(const struct times_io *io)                                      \
    {                                                                                              \
        chain_##name<<<1, 32>>>(io->out, io->a);                                                   \
    }                                                                                              \
    static void run_##name##_rate(const struct times_io *io)                                       \
    {                                                                                              \
        chain_##name<<<264, 1024>>>(io->out, io->a);                                               \
    }
#define F_OP(op) asm volatile(op " %0, %0;" : "+f"(x))

CHAIN(fadd, float, x = x + y)
CHAIN(ffma, float, x = x * 0.5f + y)
CHAIN(fmax, float, x = fminf(fmaxf(x, y), z))
CHAIN(imad, unsigned, x = x * y + z)
CHAIN(iadd_xor, unsigned, x = (x ^ y) + z)
CHAIN(shift, unsigned, x = __funnelshift_l(x, y, z & 31u))
CHAIN(dfma, double, x = x * 0.5 + y)
CHAIN(ex2, float, F_OP("ex2.approx.ftz.f32"))
CHAIN(rsqrt, float, F_OP("rsqrt.approx.ftz.f32"))
CHAIN(sine, float, F_OP("sin.approx.ftz.f32"))
CHAIN(divide, float, x = y / (x + 1.0f))
CHAIN(divide_double, double, x = y / (x + 1.0))
CHAIN(square_root, float, x = sqrtf(x + y))
CHAIN(popcount, unsigned, x = __popc(x) + y)
CHAIN(convert, float, x = (float)((int)x ^ 1))
CHAIN(shuffle, float, x = __shfl_xor_sync(0xffffffffu, x, 1))
CHAIN(vote, unsigned, x = __ballot_sync(0xffffffffu, x & 1u) + y)
CHAIN(integer_divide, unsigned, x = 0xffffffffu / (x % 1000u + y))

/* A chain through shared memory: each word holds the place of the next. */
__global__ void shared_chain(float *out, unsigned stride)
{
    __shared__ unsigned next[1024];
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
        next[i] = (i * stride + stride) & 1023u;
    __syncthreads();
    unsigned at = threadIdx.x & 1023u;
#pragma unroll 16
    for (int i = 0; i < STEPS; i++)
        at = next[at];
    out[GLOBAL_ID] = (float)at;
}
static void run_shared_chain(const struct times_io *io) { shared_chain<<<1, 32>>>(io->out, 1); }
static void run_shared_rate(const struct times_io *io) { shared_chain<<<264, 1024>>>(io->out, 1); }

__global__ void shared_vectors(float *out, const float *a)
{
    __shared__ float4 v[256];
    v[threadIdx.x & 255u] = make_float4(a[threadIdx.x], 1, 2, 3);
    __syncthreads();
    float sum = 0;
    unsigned at = threadIdx.x & 255u;
#pragma unroll 8
    for (unsigned i = 0; i < STEPS / 4; i++) {
        float4 got = v[(at + i) & 255u];
        sum += got.x + got.y + got.z + got.w;
    }
    out[GLOBAL_ID] = sum;
}
static void run_shared_vectors_rate(const struct times_io *io)
{
    shared_vectors<<<264, 1024>>>(io->out, io->a);
}

/* Follows a random function of the first mask + 1 words: L1, L2 or memory by size. */
__global__ void follow(float *out, const int *index, unsigned mask, int steps)
{
    unsigned at = threadIdx.x;
    for (int i = 0; i < steps; i++)
        at = ((unsigned)index[at] + at * 5 + 1) & mask;
    out[GLOBAL_ID] = (float)at;
}
/* 16 KB: after the first rounds out of L1 (each step also adds and masks: three cheap steps). */
static void run_l1_chain(const struct times_io *io)
{
    follow<<<1, 32>>>(io->out, io->index, 4095, 16 * CHASE_STEPS);
}
/* 512 KB: more than L1, less than L2. */
static void run_l2_chain(const struct times_io *io)
{
    follow<<<1, 1>>>(io->out, io->index, (1u << 17) - 1, 64 * CHASE_STEPS);
}
/* 16 MB, one lane, each step a new line: memory. */
static void run_dram_chain(const struct times_io *io)
{
    follow<<<1, 1>>>(io->out, io->index, INDICES - 1, CHASE_STEPS);
}

__global__ void l1_loads(float *out, const float4 *a)
{
    float sum = 0;
#pragma unroll 4
    for (unsigned k = 0; k < 256; k++) {
        float4 v = a[(threadIdx.x + k * 32) & 511u];
        sum += v.x + v.y + v.z + v.w;
    }
    out[GLOBAL_ID] = sum;
}
static void run_l1_rate(const struct times_io *io)
{
    l1_loads<<<264, 1024>>>(io->out, (const float4 *)io->a);
}

/* The L2's rate, and that of one multiprocessor alone. */
__global__ void l2_loads(float *out, const float4 *a, unsigned n, unsigned rounds)
{
    float sum = 0;
    for (unsigned k = 0; k < rounds; k++)
#pragma unroll
        for (unsigned i = 0; i < 4; i++) {
            float4 v = __ldcg(a + ((GLOBAL_ID + (k * 4 + i) * gridDim.x * blockDim.x) & (n - 1)));
            sum += v.x + v.y + v.z + v.w;
        }
    out[GLOBAL_ID] = sum;
}
static void run_l2_rate(const struct times_io *io)
{
    l2_loads<<<264, 1024>>>(io->out, (const float4 *)io->a, 1 << 20, 64);
}
static void run_l2_rate_one(const struct times_io *io)
{
    l2_loads<<<1, 1024>>>(io->out, (const float4 *)io->a, 1 << 16, 64);
}

__global__ void nothing(float *out)
{
    if (out == NULL)
        __trap();
}
static void run_nothing(const struct times_io *io) { nothing<<<1, 32>>>(io->out); }
static void run_blocks_32(const struct times_io *io) { nothing<<<132 * 512, 32>>>(io->out); }
static void run_blocks_256(const struct times_io *io) { nothing<<<132 * 512, 256>>>(io->out); }
static void run_blocks_1024(const struct times_io *io) { nothing<<<132 * 128, 1024>>>(io->out); }

/* Barriers of a block of 1024, one block alone and two on each multiprocessor. */
__global__ void barrier_chain(float *out)
{
    for (int i = 0; i < STEPS; i++)
        __syncthreads();
    out[GLOBAL_ID] = 1;
}
static void run_barrier_chain(const struct times_io *io) { barrier_chain<<<1, 1024>>>(io->out); }
static void run_barrier_chain_128(const struct times_io *io) { barrier_chain<<<1, 128>>>(io->out); }
static void run_barrier_rate(const struct times_io *io) { barrier_chain<<<1056, 256>>>(io->out); }

/* Atomics whose result the next one needs; and as many as go. */
__global__ void atomic_chain(unsigned *counts, float *out, unsigned words)
{
    unsigned at = GLOBAL_ID & (words - 1);
    for (int i = 0; i < 256; i++)
        at = (atomicAdd(&counts[at], 0) + at + 33) & (words - 1);
    out[GLOBAL_ID] = (float)at;
}
static void run_atomic_chain(const struct times_io *io)
{
    atomic_chain<<<1, 1>>>(io->counts, io->out, 1024);
}
__global__ void shared_atomic_chain(float *out)
{
    __shared__ unsigned v[1024];
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
        v[i] = 0;
    __syncthreads();
    unsigned at = threadIdx.x;
    for (int i = 0; i < 512; i++)
        at = (atomicAdd(&v[at], 0) + at) & 1023u;
    out[GLOBAL_ID] = (float)at;
}
static void run_shared_atomic_chain(const struct times_io *io)
{
    shared_atomic_chain<<<1, 32>>>(io->out);
}
static void run_shared_atomic_rate(const struct times_io *io)
{
    shared_atomic_chain<<<264, 1024>>>(io->out);
}

/* What L2 takes in for the first time: written, or read from memory and written, 16 bytes a lane
 * and four of them at once. */
template <bool READS> __global__ void first_touch(float4 *out, const float4 *a, unsigned n)
{
    const unsigned step = gridDim.x * blockDim.x;
    for (unsigned i = GLOBAL_ID; i < n; i += 4 * step) {
        float4 v[4];
#pragma unroll
        for (unsigned k = 0; k < 4; k++)
            v[k] = READS && i + k * step < n ? a[i + k * step] : make_float4(1, 2, 3, 4);
#pragma unroll
        for (unsigned k = 0; k < 4; k++)
            if (i + k * step < n)
                out[i + k * step] = v[k];
    }
}
template <bool READS>
static void first_touch_of(const struct times_io *io, unsigned mb, unsigned blocks)
{
    first_touch<READS><<<blocks, 512>>>((float4 *)io->out, (const float4 *)io->a, mb << 16);
}
#define FIRST_TOUCH(name, reads, mb, blocks)                                                       \
    static void run_##name(const struct times_io *io) { first_touch_of<reads>(io, mb, blocks); }
FIRST_TOUCH(write_8, false, 8, 528)
FIRST_TOUCH(write_16, false, 16, 528)
FIRST_TOUCH(write_24, false, 24, 528)
FIRST_TOUCH(write_24_once, false, 24, 768)
FIRST_TOUCH(write_32, false, 32, 528)
FIRST_TOUCH(write_64, false, 64, 528)
FIRST_TOUCH(copy_8, true, 8, 528)
FIRST_TOUCH(copy_16, true, 16, 528)
FIRST_TOUCH(copy_16_once, true, 16, 512)
FIRST_TOUCH(copy_32, true, 32, 528)
FIRST_TOUCH(copy_32_once, true, 32, 1024)
FIRST_TOUCH(copy_64, true, 64, 528)

#define BOTH(name)                                                                                 \
    {"roof_" #name "_chain", run_##name##_chain, IN_OUT, 32},                                      \
    {                                                                                              \
        "roof_" #name "_rate", run_##name##_rate, IN_OUT, 264 * 1024                               \
    }

const struct times_case roof_cases[] = {
    BOTH(fadd),
    BOTH(ffma),
    BOTH(fmax),
    BOTH(imad),
    BOTH(iadd_xor),
    BOTH(shift),
    BOTH(dfma),
    BOTH(ex2),
    BOTH(rsqrt),
    BOTH(sine),
    BOTH(divide),
    BOTH(divide_double),
    BOTH(square_root),
    BOTH(popcount),
    BOTH(convert),
    BOTH(shuffle),
    BOTH(vote),
    BOTH(integer_divide),
    BOTH(shared),
    {"roof_shared_vectors_rate", run_shared_vectors_rate, IN_OUT, 264 * 1024},
    {"roof_l1_chain", run_l1_chain, IN_OUT, 32},
    {"roof_l2_chain", run_l2_chain, IN_OUT, 1},
    {"roof_dram_chain", run_dram_chain, IN_OUT, 1},
    {"roof_l1_rate", run_l1_rate, IN_OUT, 264 * 1024},
    {"roof_l2_rate", run_l2_rate, IN_OUT, 264 * 1024},
    {"roof_l2_rate_one", run_l2_rate_one, IN_OUT, 1024},
    {"roof_nothing", run_nothing, IN_OUT, 0},
    {"roof_blocks_32", run_blocks_32, IN_OUT, 0},
    {"roof_blocks_256", run_blocks_256, IN_OUT, 0},
    {"roof_blocks_1024", run_blocks_1024, IN_OUT, 0},
    {"roof_barrier_chain", run_barrier_chain, IN_OUT, 1024},
    {"roof_barrier_chain_128", run_barrier_chain_128, IN_OUT, 128},
    {"roof_barrier_rate", run_barrier_rate, IN_OUT, 1056 * 256},
    {"roof_atomic_chain", run_atomic_chain, IN_OUT, 1},
    {"roof_shared_atomic_chain", run_shared_atomic_chain, IN_OUT, 32},
    {"roof_shared_atomic_rate", run_shared_atomic_rate, IN_OUT, 264 * 1024},
    {"roof_write_8", run_write_8, IN_OUT, 8 << 18},
    {"roof_write_16", run_write_16, IN_OUT, 16 << 18},
    {"roof_write_24", run_write_24, IN_OUT, 24 << 18},
    {"roof_write_24_once", run_write_24_once, IN_OUT, 24 << 18},
    {"roof_write_32", run_write_32, IN_OUT, 32 << 18},
    {"roof_write_64", run_write_64, IN_OUT, 64 << 18},
    {"roof_copy_8", run_copy_8, IN_OUT, 8 << 18},
    {"roof_copy_16", run_copy_16, IN_OUT, 16 << 18},
    {"roof_copy_16_once", run_copy_16_once, IN_OUT, 16 << 18},
    {"roof_copy_32", run_copy_32, IN_OUT, 32 << 18},
    {"roof_copy_32_once", run_copy_32_once, IN_OUT, 32 << 18},
    {"roof_copy_64", run_copy_64, IN_OUT, 64 << 18},
    {NULL, NULL, IN_OUT, 0}};

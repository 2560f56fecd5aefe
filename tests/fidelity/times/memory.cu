/* memory.cu - what the levels of memory cost: shared memory, caches, few warps, atomics. */
#include "times.h"

/* 8 MB, read 16 times: out of L2 from the second time on. */
__global__ void reread(float *out, const float4 *a, unsigned n, unsigned times)
{
    float sum = 0;
    for (unsigned k = 0; k < times; k++)
        for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x) {
            float4 v = a[(i + k) & (n - 1)];
            sum += v.x + v.y + v.z + v.w;
        }
    out[GLOBAL_ID] = sum;
}
static void run_reread_l2(const struct times_io *io)
{
    reread<<<132 * 4, 512>>>(io->out, (const float4 *)io->a, 1 << 19, 16);
}

/* 16 KB a block, again and again: out of L1. */
__global__ void reread_own(float *out, const float *a, unsigned times)
{
    float sum = 0;
    const float *mine = a + blockIdx.x * 4096;
    for (unsigned k = 0; k < times; k++)
        for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x)
            sum += mine[(i + k) & 4095];
    out[GLOBAL_ID] = sum;
}
static void run_reread_l1(const struct times_io *io)
{
    reread_own<<<132 * 2, 512>>>(io->out, io->a, 32);
}

/* A table of 64 words in shared memory, indexed by data: conflicts at random. */
__global__ void crc_table(float *out, const int *words)
{
    __shared__ unsigned table[256];
    table[threadIdx.x] = threadIdx.x * 2654435761u;
    __syncthreads();
    unsigned crc = (unsigned)words[GLOBAL_ID];
    for (int i = 0; i < 64; i++)
        crc = crc >> 8 ^ table[crc & 255u];
    out[GLOBAL_ID] = (float)(crc & 0xffff);
}
static void run_crc_table(const struct times_io *io)
{
    crc_table<<<(1 << 19) / 256, 256>>>(io->out, io->index);
}

template <unsigned STRIDE> __global__ void shared_walk(float *out, const float *a)
{
    __shared__ float v[2048];
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < 2048; i += 256)
        v[i] = a[blockIdx.x * 2048 + i];
    __syncthreads();
    float sum = 0;
    for (unsigned k = 0; k < 128; k++)
        sum += v[(t * STRIDE + k * 7) & 2047u];
    out[GLOBAL_ID] = sum;
}
static void run_shared_walk_1(const struct times_io *io)
{
    shared_walk<1><<<2112, 256>>>(io->out, io->a);
}
static void run_shared_walk_8(const struct times_io *io)
{
    shared_walk<8><<<2112, 256>>>(io->out, io->a);
}

/* 100 KB a block: two blocks, 16 warps a multiprocessor. */
__global__ void big_shared(float *out, const float *a, unsigned times)
{
    extern __shared__ float v[];
    unsigned t = threadIdx.x;
    const unsigned n = 25600;
    for (unsigned i = t; i < n; i += 256)
        v[i] = a[(size_t)blockIdx.x * n + i];
    __syncthreads();
    float sum = 0;
    unsigned at = t;
    for (unsigned k = 0; k < times; k++) {
        float got = v[at];
        sum += got;
        at = (unsigned)(got * 25000.0f) + t % 32;
    }
    out[GLOBAL_ID] = sum;
}
static void run_big_shared(const struct times_io *io)
{
    CUDA_CHECK(cudaFuncSetAttribute((const void *)big_shared,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, 25600 * 4));
    big_shared<<<264, 256, 25600 * 4>>>(io->out, io->a, 64);
}

/* So many values live at once that only a few warps fit. */
__global__ void __launch_bounds__(128) many_registers(float *out, const float *a)
{
    float v[96];
#pragma unroll
    for (int i = 0; i < 96; i++)
        v[i] = a[(GLOBAL_ID + (unsigned)i * 1024) & (FLOATS - 1)];
#pragma unroll 1
    for (int round = 0; round < 8; round++)
#pragma unroll
        for (int i = 0; i < 96; i++)
            v[i] = v[i] * v[(i + 1) % 96] + 0.125f;
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 96; i++)
        sum += v[i];
    out[GLOBAL_ID] = sum;
}
static void run_many_registers(const struct times_io *io)
{
    many_registers<<<1320, 128>>>(io->out, io->a);
}

__global__ void atomics_spread(unsigned *counts, unsigned words, unsigned rounds)
{
    for (unsigned k = 0; k < rounds; k++)
        atomicAdd(&counts[(GLOBAL_ID * 33 + k * 77) & (words - 1)], 1 + k);
}
static void run_atomics_one_word(const struct times_io *io)
{
    atomics_spread<<<132, 256>>>(io->counts, 1, 4);
}
static void run_atomics_64_words(const struct times_io *io)
{
    atomics_spread<<<264, 256>>>(io->counts, 64, 8);
}
static void run_atomics_many_words(const struct times_io *io)
{
    atomics_spread<<<1056, 256>>>(io->counts, COUNTS, 32);
}

/* A ticket a thread: the result is read, so the warp waits for it. */
__global__ void tickets(unsigned *counts, float *out)
{
    unsigned mine = atomicAdd(&counts[blockIdx.x], 1);
    out[blockIdx.x * blockDim.x + mine % blockDim.x] = 1.0f;
}
static void run_tickets(const struct times_io *io) { tickets<<<4096, 256>>>(io->counts, io->out); }

__global__ void float_atomics(float *out, const float *a)
{
    __shared__ float sum[32];
    if (threadIdx.x < 32)
        sum[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned k = 0; k < 8; k++)
        atomicAdd(&sum[(threadIdx.x + k) % 32], a[blockIdx.x * 2048 + k * 256 + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x < 32)
        out[blockIdx.x * 32 + threadIdx.x] = sum[threadIdx.x];
}
static void run_float_atomics(const struct times_io *io)
{
    float_atomics<<<1056, 256>>>(io->out, io->a);
}

/* Nothing but barriers between short steps. */
__global__ void barriers(float *out, const float *a, unsigned rounds)
{
    __shared__ float v[512];
    unsigned t = threadIdx.x;
    v[t] = a[GLOBAL_ID];
    for (unsigned k = 0; k < rounds; k++) {
        __syncthreads();
        float next = v[(t + 1) % 512];
        __syncthreads();
        v[t] = next;
    }
    out[GLOBAL_ID] = v[t];
}
static void run_barriers(const struct times_io *io) { barriers<<<528, 512>>>(io->out, io->a, 64); }

/* Constants indexed by the lane: one address after the other. */
__constant__ float table_of_constants[1024];
__global__ void constant_lookup(float *out, const int *index)
{
    unsigned at = (unsigned)index[GLOBAL_ID];
    float sum = 1;
    for (unsigned k = 0; k < 8; k++)
        sum += table_of_constants[(at >> k) & 15u];
    out[GLOBAL_ID] = sum;
}
static void run_constant_lookup(const struct times_io *io)
{
    constant_lookup<<<(1 << 19) / 256, 256>>>(io->out, io->index);
}

/* An array that the compiler cannot keep in registers. */
__global__ void local_array(float *out, const int *index)
{
    float v[32];
    for (unsigned i = 0; i < 32; i++)
        v[i] = (float)i;
    unsigned at = (unsigned)index[GLOBAL_ID];
    for (unsigned k = 0; k < 32; k++) {
        at = at * 1664525u + 1013904223u;
        v[at >> 27] += 1.0f;
    }
    out[GLOBAL_ID] = v[at >> 27] + v[3];
}
static void run_local_array(const struct times_io *io)
{
    local_array<<<(1 << 19) / 128, 128>>>(io->out, io->index);
}

/* A flow of 64 independent loads a thread at low occupancy, then at full. */
__global__ void loads_in_flight(float *out, const float *a, unsigned n)
{
    float sum = 0;
#pragma unroll
    for (unsigned k = 0; k < 16; k++)
        sum += a[(GLOBAL_ID + k * gridDim.x * blockDim.x) & (n - 1)];
    out[GLOBAL_ID] = sum;
}
static void run_loads_in_flight(const struct times_io *io)
{
    loads_in_flight<<<132, 1024>>>(io->out, io->a, FLOATS);
}
static void run_loads_in_flight_many(const struct times_io *io)
{
    loads_in_flight<<<4096, 256>>>(io->out, io->a, FLOATS);
}

const struct times_case memory_cases[] = {
    {"reread_l2", run_reread_l2, IN_OUT, 132 * 4 * 512},
    {"reread_l1", run_reread_l1, IN_OUT, 132 * 2 * 512},
    {"crc_table", run_crc_table, IN_OUT, 1 << 19},
    {"shared_walk_1", run_shared_walk_1, IN_OUT, 2112 * 256},
    {"shared_walk_8", run_shared_walk_8, IN_OUT, 2112 * 256},
    {"big_shared", run_big_shared, IN_OUT, 264 * 256},
    {"many_registers", run_many_registers, IN_OUT, 1320 * 128},
    {"atomics_one_word", run_atomics_one_word, IN_COUNTS, 1},
    {"atomics_64_words", run_atomics_64_words, IN_COUNTS, 64},
    {"atomics_many_words", run_atomics_many_words, IN_COUNTS, COUNTS},
    {"tickets", run_tickets, IN_OUT, 4096 * 256},
    {"float_atomics", run_float_atomics, IN_OUT, 1056 * 32},
    {"barriers", run_barriers, IN_OUT, 528 * 512},
    {"constant_lookup", run_constant_lookup, IN_OUT, 1 << 19},
    {"local_array", run_local_array, IN_OUT, 1 << 19},
    {"loads_in_flight", run_loads_in_flight, IN_OUT, 132 * 1024},
    {"loads_in_flight_many", run_loads_in_flight_many, IN_OUT, 4096 * 256},
    {NULL, NULL, IN_OUT, 0}};

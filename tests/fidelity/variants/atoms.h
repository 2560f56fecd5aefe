/* atoms.h - the atomics of atoms.cu and pointers.cu, and how they are launched: one warp each, with five patterns of addresses.
 * What a launch left in global memory is summed and printed, with what lies in shared memory then; where the lanes keep the
 * atomics' results, whose order is free, without. */
#ifndef ATOMS_H
#define ATOMS_H

#include "../must.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 256 }; /* elements, and as many behind them that are operands */
typedef unsigned long long u64;
typedef unsigned short u16;

template <typename T> __device__ unsigned low(T x)
{
    unsigned bits = 0;
    memcpy(&bits, &x, sizeof x < 4 ? sizeof x : 4);
    return bits;
}

/* Each atomic, for X(name, type, call). p: the elements, v: the lane's operand, i: its element. */
#define LIST(X)                                                                                                        \
    X(add_int, int, atomicAdd(p + i, v))                                                                               \
    X(add_u32, unsigned, atomicAdd(p + i, v))                                                                          \
    X(add_u64, u64, atomicAdd(p + i, v))                                                                               \
    X(add_f32, float, atomicAdd(p + i, v))                                                                             \
    X(add_f64, double, atomicAdd(p + i, v))                                                                            \
    X(add_half2, __half2, atomicAdd(p + i, v))                                                                         \
    X(add_bf162, __nv_bfloat162, atomicAdd(p + i, v))                                                                  \
    X(add_half, __half, atomicAdd(p + i, v))                                                                           \
    X(add_bf16, __nv_bfloat16, atomicAdd(p + i, v))                                                                    \
    X(sub_int, int, atomicSub(p + i, v))                                                                               \
    X(min_int, int, atomicMin(p + i, v))                                                                               \
    X(max_u32, unsigned, atomicMax(p + i, v))                                                                          \
    X(min_s64, long long, atomicMin(p + i, v))                                                                         \
    X(max_u64, u64, atomicMax(p + i, v))                                                                               \
    X(and_u32, unsigned, atomicAnd(p + i, v))                                                                          \
    X(or_u64, u64, atomicOr(p + i, v))                                                                                 \
    X(xor_u32, unsigned, atomicXor(p + i, v))                                                                          \
    X(inc, unsigned, atomicInc(p + i, 77u))                                                                            \
    X(dec, unsigned, atomicDec(p + i, 77u))                                                                            \
    X(exch_u32, unsigned, atomicExch(p + i, v))                                                                        \
    X(exch_f32, float, atomicExch(p + i, v))                                                                           \
    X(exch_u64, u64, atomicExch(p + i, v))                                                                             \
    X(cas_u32, unsigned, atomicCAS(p + i, v, 5u))                                                                      \
    X(cas_u64, u64, atomicCAS(p + i, v, 5ull))                                                                         \
    X(cas_u16, u16, atomicCAS(p + i, v, (u16)5))                                                                       \
    X(add_block, int, atomicAdd_block(p + i, v))                                                                       \
    X(add_system, int, atomicAdd_system(p + i, v))                                                                     \
    X(add_one, int, atomicAdd(p + i, 1))                                                                               \
    X(add_uniform, int, atomicAdd(p + 3, v))                                                                           \
    X(add_f32_one, float, atomicAdd(p + 3, v))                                                                         \
    X(max_one, int, atomicMax(p + 3, v))                                                                               \
    X(count, int, atomicAdd(p, 1))                                                                                     \
    X(add_if, int, i & 1 ? atomicAdd(p + i, v) : 7)

static void *memory;
static int *at;
static unsigned *out;
static unsigned char host[ROOM * 2 * 16];

static int place(int pattern, int lane)
{
    switch (pattern) {
    case 0: return lane;
    case 1: return lane / 4;
    case 2: return lane * 4 % ROOM;
    case 3: return (lane * lane * 7 + lane) % 200;
    default: return 9;
    }
}

/* Five launches, which `launch` makes of the kernel. */
template <typename T, typename Kernel, typename Launch> static void run(const char *name, Kernel kernel, Launch launch)
{
    for (int pattern = 0; pattern < 5; pattern++) {
        int places[32];
        unsigned came[64], sum = 0, came_sum = 0;
        for (int i = 0; i < 32; i++)
            places[i] = place(pattern, i);
        for (size_t i = 0; i < sizeof host; i++)
            host[i] = (unsigned char)(i * 37 & 0x3f);
        MUST(cudaMemcpy(memory, host, sizeof host, cudaMemcpyHostToDevice));
        MUST(cudaMemcpy(at, places, sizeof places, cudaMemcpyHostToDevice));
        MUST(cudaMemset(out, 0, sizeof came));
        launch(kernel, (T *)memory);
        MUST(cudaMemcpy(came, out, sizeof came, cudaMemcpyDeviceToHost));
        MUST(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < sizeof host; i++)
            sum = sum * 31 + host[i];
        for (unsigned x : came)
            came_sum = came_sum * 31 + x;
        printf("%s pattern %d,%08x\n", name, pattern, strstr(name, " unused") != NULL ? sum ^ came_sum : sum);
    }
}

static void begin()
{
    MUST(cudaMalloc(&memory, sizeof host));
    MUST(cudaMalloc(&at, 32 * sizeof *at));
    MUST(cudaMalloc(&out, 64 * sizeof *out));
}

#endif

/* fragments.cu - which lane holds which element: of every wmma fragment, of ldmatrix, stmatrix and
 * movmatrix.
 *
 *     NAME,ROW:COLUMN ...      of lane 0's register 0 first element, its second ..., of lane 0's
 * register 1 ...
 *
 * Elements are told by their own number, in passes where an element has too few bits. usage:
 * fragments [FILE] */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 32, MOST_REGISTERS = 8, MEMORY = 1 << 16 };

#define FRAGMENT_KERNEL(name, T, N, STORES, INSTRUCTION)                                           \
    __global__ void fragment_##name(uint8_t *memory, uint64_t *registers, int stride)              \
    {                                                                                              \
        T x[N];                                                                                    \
        for (int i = 0; i < N; i++)                                                                \
            x[i] = (T)registers[i * LANES + threadIdx.x];                                          \
        INSTRUCTION;                                                                               \
        for (int i = 0; i < N && !STORES; i++)                                                     \
            registers[i * LANES + threadIdx.x] = x[i];                                             \
    }
#include "fragments.inc"

#define MATRIX_LOAD(name, N, TEXT, LIST, OUT)                                                      \
    __global__ void fragment_##name(uint8_t *memory, uint64_t *registers, int stride)              \
    {                                                                                              \
        __shared__ uint4 tile[LANES * 2];                                                          \
        for (int i = threadIdx.x; i < LANES * 2; i += LANES)                                       \
            tile[i] = ((uint4 *)memory)[i];                                                        \
        __syncwarp();                                                                              \
        uint32_t x[4],                                                                             \
            at = (uint32_t)__cvta_generic_to_shared(&tile[(threadIdx.x * 5 + 3) % LANES]);         \
        asm volatile(TEXT " " LIST ", [%" #N "];" : OUT : "r"(at) : "memory");                     \
        for (int i = 0; i < N; i++)                                                                \
            registers[i * LANES + threadIdx.x] = x[i];                                             \
    }
#define MATRIX_STORE(name, N, TEXT, LIST, IN)                                                      \
    __global__ void fragment_##name(uint8_t *memory, uint64_t *registers, int stride)              \
    {                                                                                              \
        __shared__ uint4 tile[LANES * 2];                                                          \
        uint32_t x[4],                                                                             \
            at = (uint32_t)__cvta_generic_to_shared(&tile[(threadIdx.x * 5 + 3) % LANES]);         \
        for (int i = threadIdx.x; i < LANES * 2; i += LANES)                                       \
            tile[i] = make_uint4(0, 0, 0, 0);                                                      \
        for (int i = 0; i < N; i++)                                                                \
            x[i] = (uint32_t)registers[i * LANES + threadIdx.x];                                   \
        __syncwarp();                                                                              \
        asm volatile(TEXT " [%0], " LIST ";" ::"r"(at), IN : "memory");                            \
        __syncwarp();                                                                              \
        for (int i = threadIdx.x; i < LANES * 2; i += LANES)                                       \
            ((uint4 *)memory)[i] = tile[i];                                                        \
    }
#define OUT1 "=r"(x[0])
#define OUT2 OUT1, "=r"(x[1])
#define OUT4 OUT2, "=r"(x[2]), "=r"(x[3])
#define IN1  "r"(x[0])
#define IN2  IN1, "r"(x[1])
#define IN4  IN2, "r"(x[2]), "r"(x[3])
MATRIX_LOAD(ldmatrix_x1, 1, "ldmatrix.sync.aligned.m8n8.x1.shared.b16", "{%0}", OUT1)
MATRIX_LOAD(ldmatrix_x2, 2, "ldmatrix.sync.aligned.m8n8.x2.shared.b16", "{%0,%1}", OUT2)
MATRIX_LOAD(ldmatrix_x4, 4, "ldmatrix.sync.aligned.m8n8.x4.shared.b16", "{%0,%1,%2,%3}", OUT4)
MATRIX_LOAD(ldmatrix_x1_trans, 1, "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16", "{%0}", OUT1)
MATRIX_LOAD(ldmatrix_x2_trans, 2, "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16", "{%0,%1}", OUT2)
MATRIX_LOAD(ldmatrix_x4_trans, 4, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", "{%0,%1,%2,%3}",
            OUT4)
MATRIX_STORE(stmatrix_x1, 1, "stmatrix.sync.aligned.m8n8.x1.shared.b16", "{%1}", IN1)
MATRIX_STORE(stmatrix_x2, 2, "stmatrix.sync.aligned.m8n8.x2.shared.b16", "{%1,%2}", IN2)
MATRIX_STORE(stmatrix_x4, 4, "stmatrix.sync.aligned.m8n8.x4.shared.b16", "{%1,%2,%3,%4}", IN4)
MATRIX_STORE(stmatrix_x1_trans, 1, "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16", "{%1}", IN1)
MATRIX_STORE(stmatrix_x2_trans, 2, "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16", "{%1,%2}", IN2)
MATRIX_STORE(stmatrix_x4_trans, 4, "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
             "{%1,%2,%3,%4}", IN4)
__global__ void fragment_movmatrix(uint8_t *memory, uint64_t *registers, int stride)
{
    uint32_t x = (uint32_t)registers[threadIdx.x];
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(x));
    ((uint32_t *)memory)[threadIdx.x] = x;
}

struct fragment {
    const char *name;
    void (*kernel)(uint8_t *, uint64_t *, int);
    unsigned registers, bits, rows, columns, is_column, stores;
};
#define FRAGMENT(name, ...) {#name, fragment_##name, __VA_ARGS__},
static const fragment fragments[] = {
    FRAGMENTS FRAGMENT(ldmatrix_x1, 1, 16, 32, 8, 0, 0) FRAGMENT(ldmatrix_x2, 2, 16, 32, 8, 0, 0)
        FRAGMENT(ldmatrix_x4, 4, 16, 32, 8, 0, 0) FRAGMENT(ldmatrix_x1_trans, 1, 16, 32, 8, 0, 0)
            FRAGMENT(ldmatrix_x2_trans, 2, 16, 32, 8, 0, 0) FRAGMENT(
                ldmatrix_x4_trans, 4, 16, 32, 8, 0, 0) FRAGMENT(stmatrix_x1, 1, 16, 32, 8, 0, 1)
                FRAGMENT(stmatrix_x2, 2, 16, 32, 8, 0, 1) FRAGMENT(stmatrix_x4, 4, 16, 32, 8, 0, 1)
                    FRAGMENT(stmatrix_x1_trans, 1, 16, 32, 8, 0, 1)
                        FRAGMENT(stmatrix_x2_trans, 2, 16, 32, 8, 0, 1)
                            FRAGMENT(stmatrix_x4_trans, 4, 16, 32, 8, 0, 1)
                                FRAGMENT(movmatrix, 1, 16, 8, 8, 0, 1)};

static void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "fragments: %s: %s\n", what, cudaGetErrorString(error));
        exit(2);
    }
}

static void put(uint8_t *memory, unsigned element, unsigned bits, uint64_t value)
{
    for (unsigned b = 0; b < bits; b++) {
        const unsigned at = element * bits + b;
        memory[at / 8] = (uint8_t)(memory[at / 8] | (value >> b & 1) << at % 8);
    }
}

static uint64_t get(const uint8_t *memory, unsigned element, unsigned bits)
{
    uint64_t value = 0;
    for (unsigned b = 0; b < bits; b++) {
        const unsigned at = element * bits + b;
        value |= (uint64_t)(memory[at / 8] >> at % 8 & 1) << b;
    }
    return value;
}

/* Each source element holds its number, from 1: what arrives is read off the target's elements. */
static void run(const fragment &f, uint8_t *d_memory, uint64_t *d_registers)
{
    static uint8_t memory[MEMORY];
    static uint8_t packed[LANES * MOST_REGISTERS * 8];
    static uint64_t registers[LANES * MOST_REGISTERS];
    static unsigned found[LANES * MOST_REGISTERS * 32], stored[MEMORY];
    const unsigned width = f.bits == 64 ? 64 : 32, per = width / f.bits,
                   lines = f.is_column ? f.columns : f.rows;
    const unsigned least = f.is_column ? f.rows : f.columns, align = 256 / f.bits;
    const unsigned stride = f.kernel == fragment_movmatrix || f.rows == 32 && f.name[2] == 'm'
                                ? least
                                : (least + align - 1) / align * align + align;
    const unsigned held = LANES * f.registers * per, elements = lines * stride;
    memset(found, 0, sizeof found);
    memset(stored, 0, sizeof stored);
    for (unsigned shift = 0; shift < 12; shift += f.bits) {
        memset(memory, 0, sizeof memory);
        memset(registers, 0, sizeof registers);
        for (unsigned e = 0; e < elements && !f.stores; e++) {
            put(memory, e, f.bits, f.bits < 12 ? e + 1 >> shift & ((1u << f.bits) - 1) : e + 1);
        }
        for (unsigned h = 0; h < held && f.stores; h++) {
            const unsigned lane = h / (f.registers * per), reg = h / per % f.registers;
            registers[reg * LANES + lane] |= (uint64_t)(h + 1) << h % per * f.bits;
        }
        check(cudaMemcpy(d_memory, memory, MEMORY, cudaMemcpyHostToDevice), f.name);
        check(cudaMemcpy(d_registers, registers, sizeof registers, cudaMemcpyHostToDevice), f.name);
        f.kernel<<<1, LANES>>>(d_memory, d_registers, (int)stride);
        check(cudaGetLastError(), f.name);
        check(cudaMemcpy(memory, d_memory, MEMORY, cudaMemcpyDeviceToHost), f.name);
        check(cudaMemcpy(registers, d_registers, sizeof registers, cudaMemcpyDeviceToHost), f.name);
        for (unsigned h = 0; h < held && !f.stores; h++) {
            const unsigned lane = h / (f.registers * per), reg = h / per % f.registers;
            memcpy(packed, &registers[reg * LANES + lane], 8);
            found[h] |= (unsigned)get(packed, h % per, f.bits) << shift;
        }
        for (unsigned e = 0; e < elements && f.stores; e++) {
            stored[e] = (unsigned)get(memory, e, f.bits);
        }
    }
    printf("%s,", f.name);
    for (unsigned h = 0; h < held; h++) {
        unsigned element = found[h] - 1;
        for (unsigned e = 0; e < elements && f.stores; e++) {
            element = stored[e] == h + 1 ? e : element;
        }
        const unsigned line = element / stride, place = element % stride;
        printf("%s%u:%u", h > 0 ? " " : "", f.is_column ? place : line, f.is_column ? line : place);
    }
    printf("\n");
}

int main()
{
    uint8_t *d_memory;
    uint64_t *d_registers;
    check(cudaMalloc(&d_memory, MEMORY), "cudaMalloc");
    check(cudaMalloc(&d_registers, LANES * MOST_REGISTERS * sizeof(uint64_t)), "cudaMalloc");
    for (const fragment &f : fragments) {
        run(f, d_memory, d_registers);
    }
    return 0;
}

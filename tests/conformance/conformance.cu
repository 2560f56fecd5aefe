/* conformance.cu - executes every instruction of instructions.txt on tables of edge cases, and
 * prints one line for each: what a GPU prints, the simulator must print.
 *
 *     name,results,hash,digits     one hexadecimal digit per result tells which differ
 *     name,rejected                the kernel cannot be launched
 *
 * usage: conformance [name ...]   with names: every result in full, "name index operands result"
 *
 * The build passes PART=0..PARTS-1: the instructions are compiled in as many pieces. PART 0 has
 * main. run.sh builds and compares; it says how the recording was made. */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- tables of operands: special values first ---------------------------------------------------- */

#define TABLES(TABLE)                                                                              \
    TABLE(f32, uint32_t, 0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,            \
          0x7fc00000, 0x7fc12345, 0xffc00001, 0x7f812345, 0x00000001, 0x80000001, 0x007fffff,      \
          0x807fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x3f000000, 0xbf000000,      \
          0x3fc00000, 0xc0200000, 0x40200000, 0x40600000, 0x3f800001, 0x3f7fffff, 0x3eaaaaab,      \
          0x4b800001, 0x4b000001, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f800000,      \
          0x5effffff, 0x5f000000, 0xdf000000, 0x5f800000, 0x477fe000, 0x477fefff, 0x477ff000,      \
          0x33000000, 0x33000001, 0x387fc000, 0x42ff0000, 0x437f8000, 0xc3008000, 0xbefffff0,      \
          0x46fffe00, 0x477fff00, 0x0d800000, 0x71800000, 0x3f801000, 0x3f803000, 0x3f808000,      \
          0x3f818000, 0x1f800000, 0x20000000, 0x9f800000, 0x5f3759df, 0x437e8000, 0xc0490fdb)       \
    TABLE(angle, uint32_t, 0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0x7fc00000,          \
          0x3f000000, 0x3fc90fdb, 0x40490fdb, 0xc0490fdb, 0x3eaaaaab, 0x3dcccccd, 0xbdcccccd,      \
          0x40200000)                                                                              \
    TABLE(f64, uint64_t, 0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,            \
          0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff8123456789abc,          \
          0xfff8000000000001, 0x7ff0123456789abc, 1, 0x8000000000000001, 0x000fffffffffffff,       \
          0x800fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 0xffefffffffffffff,          \
          0x3fe0000000000000, 0xbfe0000000000000, 0x3ff8000000000000, 0xc004000000000000,          \
          0x4004000000000000, 0x400c000000000000, 0x3ff0000000000001, 0x3fefffffffffffff,          \
          0x3fd5555555555555, 0x4170000010000000, 0x41dfffffffc00000, 0x41dfffffffe00000,          \
          0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000100000, 0x41efffffffe00000,          \
          0x41f0000000000000, 0x43dfffffffffffff, 0x43e0000000000000, 0xc3e0000000000000,          \
          0x43f0000000000000, 0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000,          \
          0x36a0000000000000, 0x3690000000000000, 0x3690000000000001, 0x380fffffc0000000,          \
          0x380fffffe0000000, 0x3810000000000000, 0x40effc0000000000, 0x40effe0000000000,          \
          0x3e60000000000000, 0x3e70000000000000, 0x406fe00000000000, 0x406ff00000000000,          \
          0x3ff0000010000000, 0x3ff0000030000000, 0x3ff0000010000001, 0x3ff0020000000000,          \
          0x3ff0060000000000, 0x3ff0020000000001, 0x2000000000000000, 0x5fe0000000000000)          \
    TABLE(f16, uint16_t, 0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7e5a, 0xfe01,        \
          0x7d23, 1, 0x8001, 0x3ff, 0x83ff, 0x400, 0x8400, 0x7bff, 0xfbff, 0x3800, 0xb800, 0x3e00, \
          0xc100, 0x4100, 0x4300, 0x3c01, 0x3bff, 0x3555, 0x1400, 0x6400, 0x6801, 0x5bf8, 0xd808,  \
          0x57f0, 0x77ff, 0x3c02, 0x0200)                                                          \
    TABLE(bf16, uint16_t, 0, 0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0, 0x7fda, 0xffc1,       \
          0x7f91, 1, 0x8001, 0x7f, 0x807f, 0x80, 0x8080, 0x7f7f, 0xff7f, 0x3f00, 0xbf00, 0x3fc0,   \
          0xc020, 0x4020, 0x4060, 0x3f81, 0x3f7f, 0x3eab, 0x3b80, 0x4b80, 0x4f00, 0xcf00, 0x437f,  \
          0xc301, 0x5f00, 0x1f80, 0x2000)                                                          \
    TABLE(f16x2, uint32_t, 0, 0x80003c00, 0x3c008000, 0xbc007c00, 0x7c00fc00, 0x7e007c00,          \
          0x7e5a3c00, 0x3c00fe01, 0x7d230001, 0x00018001, 0x03ff83ff, 0x04007bff, 0xfbff7bff,      \
          0x3800b800, 0x3e00c100, 0x41004300, 0x3c013bff, 0x35551400, 0x64006801, 0x02003c02,      \
          0x77ff5bf8, 0x7c007c00)                                                                  \
    TABLE(bf16x2, uint32_t, 0, 0x80003f80, 0x3f808000, 0xbf807f80, 0x7f80ff80, 0x7fc07f80,         \
          0x7fda3f80, 0x3f80ffc1, 0x7f910001, 0x00018001, 0x007f807f, 0x00807f7f, 0xff7f7f7f,      \
          0x3f00bf00, 0x3fc0c020, 0x40204060, 0x3f813f7f, 0x3eab3b80, 0x4b804f00, 0x1f802000,      \
          0x5f00437f, 0x7f807f80)                                                                  \
    TABLE(i16, uint16_t, 0, 1, 0xffff, 0x7fff, 0x8000, 2, 0xfffe, 0x8001, 255, 256, 128, 127,      \
          0xff80, 0xff7f, 3, 7, 10, 100, 0x1234, 0xabcd, 0x5555, 0xaaaa, 4096, 0x4000)             \
    TABLE(i32, uint32_t, 0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 2, 0xfffffffe, 0x80000001, 255, \
          256, 128, 127, 0xffffff80, 0xffffff7f, 32767, 32768, 65535, 65536, 0xffff8000,           \
          0xffff7fff, 3, 7, 10, 1000, 0x12345678, 0xabcdef01, 0x55555555, 0xaaaaaaaa, 0x00ffffff,  \
          0x01000001, 0x7fffff80, 0x7f807f80, 0x40000000, 0xc0000000, 0x80808080, 0x00010000)      \
    TABLE(i64, uint64_t, 0, 1, 0xffffffffffffffff, 0x7fffffffffffffff, 0x8000000000000000, 2,      \
          0xfffffffffffffffe, 0x8000000000000001, 0xffffffff, 0x80000000, 0x7fffffff, 0x100000000, \
          0xffffffff80000000, 0xffffffff7fffffff, 255, 256, 128, 0xffffffffffffff80, 65535, 65536, \
          0xffffffffffff8000, 3, 7, 10, 1000000007, 0x123456789abcdef0, 0xfedcba9876543210,        \
          0x5555555555555555, 0x20000000000001, 0x20000000000003, 0x7fffff4000000000,              \
          0x7fffffbfffffffff, 0x7ffffffffffffe00, 0x7fffffffffffffff, 0xffffff0000000000,          \
          0x1000001000000001)                                                                      \
    TABLE(distance, uint32_t, 0, 1, 31, 32, 33, 63, 64, 65, 255, 256, 5, 8, 15, 16, 17, 47, 128,   \
          287, 0x80000000, 0xffffffff)                                                             \
    TABLE(order, uint32_t, 1, 0, 0xffffffff, 2, 5, 0xfffffffd, 31, 33)                             \
    TABLE(few, uint32_t, 1, 2, 3)                                                                  \
    TABLE(lane, uint32_t, 0, 1, 2, 5, 8, 16, 17, 30, 31, 32, 33, 63)                               \
    TABLE(clamp, uint32_t, 0x1f, 0, 0x1c1f, 0x181f, 0x101f, 0x1e1f, 0x1800, 0x1c03, 0x0f, 0x707,   \
          0x1f1f, 0xffffffff)

enum { THREADS = 64, RESULTS = 384 };

#define TABLE(name, type, ...) __device__ const type table_##name[] = {__VA_ARGS__};
TABLES(TABLE)
#undef TABLE
#define TABLE(name, type, ...) size_##name = sizeof(table_##name) / sizeof(type),
enum table_sizes { TABLES(TABLE) size_m = 1, size_m_shared = 1, size_m_local = 1 };
#undef TABLE

/* Which value operand k of result i is. With one operand: all in turn. With more: mixed, half of
 * them from the special values alone. `lane` and `clamp` are the same for all lanes of a warp. */
__host__ __device__ static unsigned pick(unsigned i, unsigned k, unsigned operands, unsigned size)
{
    unsigned x = (i * 4 + k) * 0x9e3779b1u;
    if (operands == 1) {
        return i % size;
    }
    x ^= x >> 15;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    return x % (i % 2 != 0 && size > 12 ? 12 : size);
}

#define OPERAND(name) table_##name[pick(i, k, operands, size_##name)]
#define VALUE_f32      OPERAND(f32)
#define VALUE_angle    OPERAND(angle)
#define VALUE_f64      OPERAND(f64)
#define VALUE_f16      OPERAND(f16)
#define VALUE_bf16     OPERAND(bf16)
#define VALUE_f16x2    OPERAND(f16x2)
#define VALUE_bf16x2   OPERAND(bf16x2)
#define VALUE_i16      OPERAND(i16)
#define VALUE_i32      OPERAND(i32)
#define VALUE_i64      OPERAND(i64)
#define VALUE_distance OPERAND(distance)
#define VALUE_order    OPERAND(order)
#define VALUE_few      OPERAND(few)
#define VALUE_lane     table_lane[i / 32 % size_lane]
#define VALUE_clamp    table_clamp[i / 32 * 5 % size_clamp]
#define VALUE_m        fill(scratch + 16 * i, i)
#define VALUE_m_shared fill(shared_scratch + 16 * threadIdx.x, i)
#define VALUE_m_local  fill(local_scratch, i)

#define TYPE_f32 uint32_t
#define TYPE_angle uint32_t
#define TYPE_f64 uint64_t
#define TYPE_f16 uint16_t
#define TYPE_bf16 uint16_t
#define TYPE_f16x2 uint32_t
#define TYPE_bf16x2 uint32_t
#define TYPE_i16 uint16_t
#define TYPE_i32 uint32_t
#define TYPE_i64 uint64_t
#define TYPE_distance uint32_t
#define TYPE_order uint32_t
#define TYPE_few uint32_t
#define TYPE_lane uint32_t
#define TYPE_clamp uint32_t
#define TYPE_m uint64_t
#define TYPE_m_shared uint64_t
#define TYPE_m_local uint64_t
#define TYPE_b16 uint16_t
#define TYPE_b32 uint32_t
#define TYPE_b64 uint64_t
#define IN_f32(x) "r"(x)
#define IN_angle(x) "r"(x)
#define IN_f64(x) "l"(x)
#define IN_f16(x) "h"(x)
#define IN_bf16(x) "h"(x)
#define IN_f16x2(x) "r"(x)
#define IN_bf16x2(x) "r"(x)
#define IN_i16(x) "h"(x)
#define IN_i32(x) "r"(x)
#define IN_i64(x) "l"(x)
#define IN_distance(x) "r"(x)
#define IN_order(x) "r"(x)
#define IN_few(x) "r"(x)
#define IN_lane(x) "r"(x)
#define IN_clamp(x) "r"(x)
#define IN_m(x) "l"(x)
#define IN_m_shared(x) "l"(x)
#define IN_m_local(x) "l"(x)
#define OUT_b16(x) "=h"(x)
#define OUT_b32(x) "=r"(x)
#define OUT_b64(x) "=l"(x)

/* 16 bytes of memory with a pattern in them, as a generic address. */
__device__ static inline uint64_t fill(unsigned char *memory, unsigned i)
{
    for (unsigned k = 0; k < 16; k++) {
        memory[k] = (unsigned char)(k * 37 + i * 91 + (i & 4) * 32);
    }
    return (uint64_t)memory;
}

/* --- one kernel per instruction ------------------------------------------------------------------ */

#define KERNEL_BEGIN(number, count)                                                                \
    __global__ void instruction_##number(uint64_t *result, unsigned char *scratch)                 \
    {                                                                                              \
        const unsigned i = blockIdx.x * THREADS + threadIdx.x, operands = count;                   \
        (void)scratch;                                                                             \
        (void)operands;
#define LET(letter, position, type)                                                                \
    MEMORY_##type TYPE_##type letter;                                                              \
    {                                                                                              \
        const unsigned k = position;                                                               \
        (void)k;                                                                                   \
        letter = (TYPE_##type)VALUE_##type;                                                        \
    }
#define MEMORY_m_shared __shared__ __align__(16) unsigned char shared_scratch[16 * THREADS];
#define MEMORY_m_local  __align__(16) unsigned char local_scratch[16];
#define MEMORY_m
#define MEMORY_f32
#define MEMORY_angle
#define MEMORY_f64
#define MEMORY_f16
#define MEMORY_bf16
#define MEMORY_f16x2
#define MEMORY_bf16x2
#define MEMORY_i16
#define MEMORY_i32
#define MEMORY_i64
#define MEMORY_distance
#define MEMORY_order
#define MEMORY_few
#define MEMORY_lane
#define MEMORY_clamp
#define KERNEL_END                                                                                 \
    result[i] = d;                                                                                 \
    }

#define CASE1(number, name, text, D, A)                                                            \
    KERNEL_BEGIN(number, 1)                                                                        \
    LET(a, 0, A)                                                                                   \
    TYPE_##D d;                                                                                    \
    asm volatile(text : OUT_##D(d) : IN_##A(a) : "memory");                                        \
    KERNEL_END
#define CASE2(number, name, text, D, A, B)                                                         \
    KERNEL_BEGIN(number, 2)                                                                        \
    LET(a, 0, A) LET(b, 1, B)                                                                      \
    TYPE_##D d;                                                                                    \
    asm volatile(text : OUT_##D(d) : IN_##A(a), IN_##B(b) : "memory");                             \
    KERNEL_END
#define CASE3(number, name, text, D, A, B, C)                                                      \
    KERNEL_BEGIN(number, 3)                                                                        \
    LET(a, 0, A) LET(b, 1, B) LET(c, 2, C)                                                         \
    TYPE_##D d;                                                                                    \
    asm volatile(text : OUT_##D(d) : IN_##A(a), IN_##B(b), IN_##C(c) : "memory");                  \
    KERNEL_END
#define CASE4(number, name, text, D, A, B, C, E)                                                   \
    KERNEL_BEGIN(number, 4)                                                                        \
    LET(a, 0, A) LET(b, 1, B) LET(c, 2, C) LET(e, 3, E)                                            \
    TYPE_##D d;                                                                                    \
    asm volatile(text : OUT_##D(d) : IN_##A(a), IN_##B(b), IN_##C(c), IN_##E(e) : "memory");       \
    KERNEL_END
#include "part.inc"
#undef CASE1
#undef CASE2
#undef CASE3
#undef CASE4

/* --- the list of them ---------------------------------------------------------------------------- */


struct instruction {
    const char *name;
    void (*kernel)(uint64_t *, unsigned char *);
    unsigned results;
};

/* One operand: every value once, in whole blocks; else RESULTS mixtures. */
#define ONE(A) (size_##A == 1 ? THREADS : (size_##A + THREADS - 1) / THREADS * THREADS)
#define CASE1(number, name, text, D, A) {name, instruction_##number, ONE(A)},
#define CASE2(number, name, text, D, A, B) {name, instruction_##number, RESULTS},
#define CASE3(number, name, text, D, A, B, C) {name, instruction_##number, RESULTS},
#define CASE4(number, name, text, D, A, B, C, E) {name, instruction_##number, RESULTS},
static const struct instruction instructions[] = {
#include "part.inc"
};

static void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "conformance: %s: %s\n", what, cudaGetErrorString(error));
        exit(2);
    }
}

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 31) * 0x7fb5d329728ea185u;
    x = (x ^ x >> 27) * 0x81dadef4bc2dd44du;
    return x ^ x >> 33;
}

static void print_results(const struct instruction *in, const uint64_t *result, bool in_full)
{
    uint64_t hash = 0;
    if (in_full) {
        for (unsigned i = 0; i < in->results; i++) {
            printf("%s %u %016llx\n", in->name, i, (unsigned long long)result[i]);
        }
        return;
    }
    for (unsigned i = 0; i < in->results; i++) {
        hash = mixed(hash ^ result[i]) + i;
    }
    printf("%s,%u,%016llx,", in->name, in->results, (unsigned long long)hash);
    for (unsigned i = 0; i < in->results; i++) {
        printf("%x", (unsigned)(mixed(result[i]) >> 60));
    }
    printf("\n");
}

static bool wanted(const char *name, int count, char **names)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0 || strcmp(names[i], "all") == 0) {
            return true;
        }
    }
    return count == 0;
}

int main(int argc, char **argv)
{
    uint64_t *d_result, result[RESULTS];
    unsigned char *d_scratch;
    check(cudaMalloc(&d_result, sizeof result), "cudaMalloc");
    check(cudaMalloc(&d_scratch, 16 * RESULTS), "cudaMalloc");
    for (size_t k = 0; k < sizeof instructions / sizeof *instructions; k++) {
        const struct instruction *in = &instructions[k];
        if (!wanted(in->name, argc - 1, argv + 1)) {
            continue;
        }
        check(cudaMemset(d_result, 0xff, sizeof result), "cudaMemset");
        in->kernel<<<in->results / THREADS, THREADS>>>(d_result, d_scratch);
        if (cudaGetLastError() != cudaSuccess) {
            printf("%s,rejected\n", in->name);
            continue;
        }
        check(cudaDeviceSynchronize(), in->name);
        check(cudaMemcpy(result, d_result, sizeof result, cudaMemcpyDeviceToHost), "cudaMemcpy");
        print_results(in, result, argc > 1);
    }
    return 0;
}

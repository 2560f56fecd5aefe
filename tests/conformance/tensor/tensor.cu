/* tensor.cu - matrix instructions on random registers: prints a hash for every 8192 tiles.
 *
 *     NAME,CHUNK,HASH        128 chunks are 2^20 tiles of that instruction
 *
 * Each tile runs the instruction twice: on registers made by inputs.h, then with A's signs (or
 * bits) turned over and the first result as the accumulator. The same program ran on an H200
 * (h200.csv says when); run.sh compares a few chunks of each, or all of them.
 *
 * usage: tensor [--chunks FIRST,COUNT] [--tiles FILE] [--raw FILE,TILES] [NAME ...]
 *   --tiles  a hash for each tile of the chunks as well; --raw: the registers of the first tiles,
 * as bytes */
#include "inputs.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILES_PER_CHUNK = 8192, TILES_PER_WARP = 64, WARPS = 4, LANES = 32 };

struct job {
    uint32_t first_tile;
    unsigned long long *hashes; /* one per chunk */
    uint64_t *raw;              /* results of the first tiles, or NULL */
    uint32_t raw_tiles;
    unsigned long long *tiles; /* a hash of each tile, or NULL */
};

__device__ static uint32_t operand_word(uint32_t tile, unsigned operand, uint32_t reg,
                                        uint32_t lane, int format, uint32_t)
{
    return tensor_word(tile, operand, reg, lane, format);
}
__device__ static uint64_t operand_word(uint32_t tile, unsigned operand, uint32_t reg,
                                        uint32_t lane, int, uint64_t)
{
    return tensor_double(tile, operand, reg, lane);
}

__device__ static uint64_t turned_over(int format)
{
    switch (format) {
    case FORMAT_F64:
        return 0x8000000000000000u;
    case FORMAT_F16:
    case FORMAT_BF16:
        return 0x80008000u;
    case FORMAT_E4M3:
    case FORMAT_E5M2:
        return 0x80808080u;
    case FORMAT_TF32:
        return 0x80000000u;
    default:
        return 0xa5c3963cu;
    }
}

template <class T>
__device__ static void keep(const job &j, uint32_t tile, uint32_t step, uint32_t reg, uint32_t lane,
                            uint32_t count, T value, unsigned long long *hash)
{
    *hash += tensor_hash(value, tile, step, reg, lane);
    if (j.tiles) {
        atomicAdd(&j.tiles[tile - j.first_tile],
                  (unsigned long long)tensor_hash(value, tile, step, reg, lane));
    }
    if (j.raw && tile < j.raw_tiles) {
        j.raw[((tile * 2ull + step) * count + reg) * LANES + lane] = value;
    }
}

#define MATRIX_KERNEL(name, T, NA, NB, NC, ND, FA, FB, FC, FM, INSTRUCTION)                        \
    __global__ void kernel_##name(job j)                                                           \
    {                                                                                              \
        const uint32_t lane = threadIdx.x % LANES;                                                 \
        const uint32_t warp = blockIdx.x * WARPS + threadIdx.x / LANES;                            \
        unsigned long long hash = 0;                                                               \
        for (uint32_t t = 0; t < TILES_PER_WARP; t++) {                                            \
            const uint32_t tile = j.first_tile + warp * TILES_PER_WARP + t;                        \
            T a[NA], b[NB], c[NC], d[ND];                                                          \
            for (int i = 0; i < NA; i++)                                                           \
                a[i] = operand_word(tile, OPERAND_A, i, lane, FA, T());                            \
            for (int i = 0; i < NB; i++)                                                           \
                b[i] = operand_word(tile, OPERAND_B, i, lane, FB, T());                            \
            for (int i = 0; i < NC; i++)                                                           \
                c[i] = operand_word(tile, OPERAND_C, i, lane, FC, T());                            \
            const uint32_t meta = tensor_word(tile, OPERAND_META, 0, lane, FM);                    \
            (void)meta;                                                                            \
            INSTRUCTION;                                                                           \
            for (int i = 0; i < ND; i++)                                                           \
                keep(j, tile, 0, i, lane, ND, d[i], &hash);                                        \
            for (int i = 0; i < NA; i++)                                                           \
                a[i] ^= (T)turned_over(FA);                                                        \
            for (int i = 0; i < NC && NC == ND; i++)                                               \
                c[i] = d[i];                                                                       \
            INSTRUCTION;                                                                           \
            for (int i = 0; i < ND; i++)                                                           \
                keep(j, tile, 1, i, lane, ND, d[i], &hash);                                        \
        }                                                                                          \
        for (int k = LANES / 2; k > 0; k /= 2)                                                     \
            hash += __shfl_down_sync(0xffffffffu, hash, k);                                        \
        if (lane == 0)                                                                             \
            atomicAdd(&j.hashes[warp * TILES_PER_WARP / TILES_PER_CHUNK], hash);                   \
    }
#include "part.inc"
#undef MATRIX_KERNEL

struct row {
    const char *name;
    void (*kernel)(job);
    unsigned registers, wide;
};
#define ROW(name, text, registers, wide) {text, kernel_##name, registers, wide},
static const row rows[] = {ROWS};

static void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "tensor: %s: %s\n", what, cudaGetErrorString(error));
        exit(2);
    }
}

enum { MOST_CHUNKS = 128, RAW_WORDS = 2 * 8 * LANES };

static void print_tiles(const row &r, unsigned first, unsigned count, unsigned long long *d_tiles,
                        FILE *out)
{
    const size_t tiles = (size_t)count * TILES_PER_CHUNK;
    unsigned long long *hashes = (unsigned long long *)malloc(tiles * sizeof *hashes);
    check(cudaMemcpy(hashes, d_tiles, tiles * sizeof *hashes, cudaMemcpyDeviceToHost), r.name);
    for (size_t i = 0; i < tiles; i++) {
        fprintf(out, "%s,%zu,%016llx\n", r.name, first * (size_t)TILES_PER_CHUNK + i, hashes[i]);
    }
    free(hashes);
    cudaFree(d_tiles);
}

static void run(const row &r, unsigned first, unsigned count, FILE *raw, uint32_t raw_tiles,
                FILE *each)
{
    unsigned long long *d_tiles = NULL;
    if (each) {
        check(cudaMalloc(&d_tiles, (size_t)count * TILES_PER_CHUNK * 8), "cudaMalloc");
        check(cudaMemset(d_tiles, 0, (size_t)count * TILES_PER_CHUNK * 8), "cudaMemset");
    }
    unsigned long long hashes[MOST_CHUNKS], *d_hashes;
    uint64_t *d_raw = NULL,
             *h_raw = (uint64_t *)calloc(raw_tiles + 1, RAW_WORDS * sizeof(uint64_t));
    check(cudaMalloc(&d_hashes, sizeof hashes), "cudaMalloc");
    check(cudaMemset(d_hashes, 0, sizeof hashes), "cudaMemset");
    if (raw_tiles > 0) {
        check(cudaMalloc(&d_raw, raw_tiles * RAW_WORDS * sizeof(uint64_t)), "cudaMalloc");
        check(cudaMemset(d_raw, 0, raw_tiles * RAW_WORDS * sizeof(uint64_t)), "cudaMemset");
    }
    const job j = {first * TILES_PER_CHUNK, d_hashes, d_raw, raw_tiles, d_tiles};
    r.kernel<<<count * TILES_PER_CHUNK / (WARPS * TILES_PER_WARP), WARPS * LANES>>>(j);
    check(cudaGetLastError(), r.name);
    check(cudaMemcpy(hashes, d_hashes, sizeof hashes, cudaMemcpyDeviceToHost), r.name);
    for (unsigned i = 0; i < count; i++) {
        printf("%s,%u,%016llx\n", r.name, first + i, hashes[i]);
    }
    if (raw_tiles > 0) {
        check(cudaMemcpy(h_raw, d_raw, raw_tiles * RAW_WORDS * sizeof(uint64_t),
                         cudaMemcpyDeviceToHost),
              r.name);
        for (size_t i = 0; i < raw_tiles * 2ull * r.registers * LANES; i++) {
            fwrite(h_raw + i, r.wide ? 8 : 4, 1, raw); /* little-endian */
        }
    }
    if (each) {
        print_tiles(r, first, count, d_tiles, each);
    }
    cudaFree(d_hashes);
    cudaFree(d_raw);
    free(h_raw);
}

int main(int argc, char **argv)
{
    unsigned first = 0, count = 1, tiles = 0;
    char file[256] = "";
    FILE *raw = NULL, *each = NULL;
    int next = 1;
    for (; next + 1 < argc && argv[next][0] == '-'; next += 2) {
        if (strcmp(argv[next], "--chunks") == 0 &&
            sscanf(argv[next + 1], "%u,%u", &first, &count) == 2 && count <= MOST_CHUNKS) {
            continue;
        }
        if (strcmp(argv[next], "--tiles") == 0 && (each = fopen(argv[next + 1], "w")) != NULL) {
            continue;
        }
        if (strcmp(argv[next], "--raw") == 0 &&
            sscanf(argv[next + 1], "%255[^,],%u", file, &tiles) == 2) {
            raw = fopen(file, "wb");
            continue;
        }
        fprintf(
            stderr,
            "usage: tensor [--chunks FIRST,COUNT] [--tiles FILE] [--raw FILE,TILES] [NAME ...]\n");
        return 2;
    }
    for (const row &r : rows) {
        bool wanted = next == argc;
        for (int i = next; i < argc; i++) {
            wanted |= strcmp(argv[i], r.name) == 0;
        }
        if (wanted) {
            run(r, first, count, raw, raw ? tiles : 0, each);
        }
    }
    return (raw != NULL && fclose(raw) != 0) || (each != NULL && fclose(each) != 0);
}

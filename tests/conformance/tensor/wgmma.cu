/* wgmma.cu - the same test as tensor.cu of warpgroup instructions: A in registers, B of 32 bytes of
 * k (64 where A is sparse) by 8 columns in shared memory, not swizzled. Every 16th tile begins with
 * scale-d 0; of floats the second product has scale-a -1.
 *
 *     NAME,CHUNK,HASH
 *
 * usage: wgmma [CHUNKS [NAME ...]] */
#include "inputs.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILES_PER_CHUNK = 8192, TILES_PER_BLOCK = 64, MOST_CHUNKS = 128, THREADS = 128 };

struct job {
    unsigned long long *hashes; /* one per chunk */
};

#define FENCE asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define COMMIT                                                                                     \
    asm volatile("wgmma.commit_group.sync.aligned;\n wgmma.wait_group.sync.aligned 0;" ::          \
                     : "memor"                                                                     \
                       "y")

#define WGMMA_KERNEL(name, ND, FA, FB, FC, FM, FLOATS, FIRST, SECOND)                              \
    __global__ void wgmma_##name(job j)                                                            \
    {                                                                                              \
        __shared__ __align__(1024) uint32_t b[128];                                                \
        const uint32_t lane = threadIdx.x;                                                         \
        const uint32_t shared = (uint32_t)__cvta_generic_to_shared(b);                             \
        const uint64_t descriptor = (shared >> 4 & 0x3fff) | 8ull << 16 | 8ull << 32;              \
        unsigned long long hash = 0;                                                               \
        for (uint32_t t = 0; t < TILES_PER_BLOCK; t++) {                                           \
            const uint32_t tile = blockIdx.x * TILES_PER_BLOCK + t;                                \
            uint32_t a[4], d[ND];                                                                  \
            const int scale_d = tile % 16 != 15;                                                   \
            __syncthreads();                                                                       \
            b[lane] = tensor_word(tile, OPERAND_B, lane / 32, lane % 32, FB);                      \
            asm volatile("fence.proxy.async;" ::: "memory");                                       \
            __syncthreads();                                                                       \
            for (int i = 0; i < 4; i++)                                                            \
                a[i] = tensor_word(tile, OPERAND_A, i, lane, FA);                                  \
            for (int i = 0; i < ND; i++)                                                           \
                d[i] = tensor_word(tile, OPERAND_C, i, lane, FC);                                  \
            const uint32_t meta = tensor_word(tile, OPERAND_META, 0, lane, FM);                    \
            (void)meta;                                                                            \
            FENCE;                                                                                 \
            FIRST;                                                                                 \
            COMMIT;                                                                                \
            for (int i = 0; i < ND; i++)                                                           \
                hash += tensor_hash(d[i], tile, 0, i, lane);                                       \
            for (int i = 0; i < 4 && !FLOATS; i++)                                                 \
                a[i] ^= 0xa5c3963cu;                                                               \
            FENCE;                                                                                 \
            SECOND;                                                                                \
            COMMIT;                                                                                \
            for (int i = 0; i < ND; i++)                                                           \
                hash += tensor_hash(d[i], tile, 1, i, lane);                                       \
        }                                                                                          \
        for (int k = 16; k > 0; k /= 2)                                                            \
            hash += __shfl_down_sync(0xffffffffu, hash, k);                                        \
        if (lane % 32 == 0)                                                                        \
            atomicAdd(&j.hashes[blockIdx.x * TILES_PER_BLOCK / TILES_PER_CHUNK], hash);            \
    }
#include "wgmma.inc"

struct row {
    const char *name;
    void (*kernel)(job);
};
#define ROW(name) {#name, wgmma_##name},
static const row rows[] = {ROWS};

static void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "wgmma: %s: %s\n", what, cudaGetErrorString(error));
        exit(2);
    }
}

int main(int argc, char **argv)
{
    const int chunks = argc > 1 ? atoi(argv[1]) : 1;
    unsigned long long hashes[MOST_CHUNKS], *d_hashes;
    if (chunks < 1 || chunks > MOST_CHUNKS) {
        fprintf(stderr, "usage: wgmma [CHUNKS [NAME ...]]   1 to %d chunks\n", MOST_CHUNKS);
        return 2;
    }
    check(cudaMalloc(&d_hashes, sizeof hashes), "cudaMalloc");
    for (const row &r : rows) {
        bool wanted = argc < 3;
        for (int i = 2; i < argc; i++) {
            wanted |= strcmp(argv[i], r.name) == 0;
        }
        if (!wanted) {
            continue;
        }
        check(cudaMemset(d_hashes, 0, sizeof hashes), "cudaMemset");
        r.kernel<<<chunks *(TILES_PER_CHUNK / TILES_PER_BLOCK), THREADS>>>({d_hashes});
        check(cudaGetLastError(), r.name);
        check(cudaMemcpy(hashes, d_hashes, sizeof hashes, cudaMemcpyDeviceToHost), r.name);
        for (int i = 0; i < chunks; i++) {
            printf("%s,%d,%016llx\n", r.name, i, hashes[i]);
        }
    }
    return 0;
}

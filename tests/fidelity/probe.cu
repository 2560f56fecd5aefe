/* probe.cu - one warp, one memory instruction, one address pattern per launch.
 *
 *   probe FIRST STEP KIND...   launches patterns FIRST, FIRST + STEP, ... of those kinds of
 *                              instruction (probe_kinds.def; "all": every kind) and prints
 *                              kind,pattern,name, one line per launch, in order
 *
 * Run under ncu (ncu.sh), it shows what a pattern costs; the kernel makes no other access of the
 * kind it measures. Needs a GPU; recorded results are in probe.csv, and the unit test of
 * common/gpu/access.c holds its rules to every line there. */
#include "common/cuda_check.h"
#include "tests/fidelity/probe_pattern.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHARED_BYTES 32768
#define GLOBAL_BYTES (1 << 20)
#define NEVER        0x9e3779b9u /* a value that no run produces */

struct lanes {
    uint32_t offset[32];
    uint32_t mask;
};

#define QUAD(text, address)                                                                        \
    do {                                                                                           \
        uint32_t v1, v2, v3;                                                                       \
        asm volatile(text : "=r"(v), "=r"(v1), "=r"(v2), "=r"(v3) : address);                      \
        v ^= v1 ^ v2 ^ v3;                                                                         \
    } while (0)

#define KIND(name, space, operation, bytes, ...)                                                   \
    __global__ void probe_##name(struct lanes lanes, char *base, uint32_t *out)                    \
    {                                                                                              \
        __shared__ __align__(128) char buffer[SHARED_BYTES];                                       \
        uint32_t offset = lanes.offset[threadIdx.x];                                               \
        [[maybe_unused]] uint32_t s = (uint32_t)__cvta_generic_to_shared(buffer) + offset;         \
        [[maybe_unused]] char *g = base + offset;                                                  \
        uint32_t v = offset;                                                                       \
        uint64_t w = offset;                                                                       \
        if (lanes.mask >> threadIdx.x & 1u) {                                                      \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        if ((v ^ (uint32_t)w ^ (uint32_t)(w >> 32)) == NEVER) {                                    \
            *out = 1;                                                                              \
        }                                                                                          \
    }
#include "tests/fidelity/probe_kinds.def"
#undef KIND

static const struct kind {
    const char *name;
    unsigned bytes;
    void (*kernel)(struct lanes, char *, uint32_t *);
} kinds[] = {
#define KIND(name, space, operation, bytes, ...) {#name, bytes, probe_##name},
#include "tests/fidelity/probe_kinds.def"
#undef KIND
};

static void probe(const struct kind *kind, unsigned first, unsigned step, char *d_base,
                  uint32_t *d_out)
{
    for (unsigned n = first; n < probe_pattern_count(); n += step) {
        struct probe_pattern p = probe_pattern(n);
        struct lanes lanes;
        for (unsigned i = 0; i < 32; i++) {
            lanes.offset[i] = p.unit[i] * kind->bytes;
        }
        lanes.mask = p.mask;
        kind->kernel<<<1, 32>>>(lanes, d_base, d_out);
        CUDA_CHECK(cudaGetLastError());
        printf("%s,%u,%s\n", kind->name, n, p.name);
    }
    CUDA_CHECK(cudaDeviceSynchronize());
}

static bool wanted(const char *name, char **names)
{
    for (; *names; names++) {
        if (strcmp(*names, name) == 0 || strcmp(*names, "all") == 0) {
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    char *d_base;
    uint32_t *d_out;
    int first = argc > 3 ? atoi(argv[1]) : -1, step = argc > 3 ? atoi(argv[2]) : 0;

    if (first < 0 || step < 1) {
        fprintf(stderr, "usage: probe FIRST STEP KIND...; FIRST from 0, STEP from 1, kinds are in "
                        "probe_kinds.def\n");
        return 2;
    }
    CUDA_CHECK(cudaMalloc((void **)&d_base, GLOBAL_BYTES));
    CUDA_CHECK(cudaMemset(d_base, 0, GLOBAL_BYTES));
    CUDA_CHECK(cudaMalloc((void **)&d_out, sizeof *d_out));
    for (const struct kind &kind : kinds) {
        if (wanted(kind.name, argv + 3)) {
            probe(&kind, (unsigned)first, (unsigned)step, d_base, d_out);
        }
    }
    CUDA_CHECK(cudaFree(d_base));
    CUDA_CHECK(cudaFree(d_out));
    return 0;
}

/* single.cu - does one thread ever see a half of what another one stores?
 *
 * Block 0 stores (i, i) or (i, i, i, i) again and again, block 1 loads and compares, lane beside lane. An
 * aligned access of 8 or 16 bytes is one access on a GPU, whether its PTX names a vector, a 64-bit
 * number, global or generic space. `./single [ROUNDS]`; the last line: N passed, M failed. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

/* Blocks beyond the two end at once: the simulator gives small grids to one thread. */
enum { LANES = 32, STRIDE = 5, BLOCKS = 80 };

/* One way to store and to load: `bytes` of them at p, all words equal to i. torn: they differ. */
#define WAY(NAME, BYTES, STORE, LOAD)                                                              \
    struct NAME {                                                                                  \
        static const unsigned bytes = BYTES;                                                       \
        static __device__ void store(void *p, unsigned i) { STORE; }                               \
        static __device__ bool torn(const void *p) { LOAD; }                                       \
    }

#define STORE_2(op)                                                                                \
    asm volatile(op " [%0], {%1, %1};" ::"l"(p), "r"(i) : "memory")
#define STORE_4(op)                                                                                \
    asm volatile(op " [%0], {%1, %1, %1, %1};" ::"l"(p), "r"(i) : "memory")
#define STORE_64(op)                                                                               \
    asm volatile(op " [%0], %1;" ::"l"(p), "l"((unsigned long long)i << 32 | i) : "memory")
#define STORE_2X64(op)                                                                             \
    asm volatile(op " [%0], {%1, %1};" ::"l"(p), "l"((unsigned long long)i << 32 | i) : "memory")
#define LOAD_2(op)                                                                                 \
    unsigned x, y;                                                                                 \
    asm volatile(op " {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(p) : "memory");                    \
    return x != y
#define LOAD_4(op)                                                                                 \
    unsigned x, y, z, u;                                                                           \
    asm volatile(op " {%0, %1, %2, %3}, [%4];"                                                     \
                 : "=r"(x), "=r"(y), "=r"(z), "=r"(u)                                              \
                 : "l"(p)                                                                          \
                 : "memory");                                                                      \
    return x != y || x != z || x != u
#define LOAD_64(op)                                                                                \
    unsigned long long x;                                                                          \
    asm volatile(op " %0, [%1];" : "=l"(x) : "l"(p) : "memory");                                   \
    return x >> 32 != (x & 0xffffffffu)
#define LOAD_2X64(op)                                                                              \
    unsigned long long x, y;                                                                       \
    asm volatile(op " {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(p) : "memory");                    \
    return x != y || x >> 32 != (x & 0xffffffffu)

WAY(relaxed_v2_u32, 8, STORE_2("st.relaxed.gpu.global.v2.u32"), LOAD_2("ld.relaxed.gpu.global.v2.u32"));
WAY(generic_v2_u32, 8, STORE_2("st.relaxed.gpu.v2.u32"), LOAD_2("ld.relaxed.gpu.v2.u32"));
WAY(volatile_v2_b32, 8, STORE_2("st.volatile.global.v2.b32"), LOAD_2("ld.volatile.global.v2.b32"));
WAY(weak_v2_u32, 8, STORE_2("st.global.v2.u32"), LOAD_2("ld.global.v2.u32"));
WAY(release_u64, 8, STORE_64("st.release.gpu.global.u64"), LOAD_64("ld.acquire.gpu.global.u64"));
WAY(weak_u64, 8, STORE_64("st.u64"), LOAD_64("ld.u64"));
WAY(pair_and_u64, 8, STORE_2("st.relaxed.gpu.v2.u32"), LOAD_64("ld.relaxed.gpu.global.u64"));
WAY(relaxed_v4_u32, 16, STORE_4("st.relaxed.gpu.global.v4.u32"), LOAD_4("ld.relaxed.gpu.global.v4.u32"));
WAY(generic_v2_u64, 16, STORE_2X64("st.relaxed.gpu.v2.u64"), LOAD_2X64("ld.relaxed.gpu.v2.u64"));
WAY(weak_v4_u32, 16, STORE_4("st.global.v4.u32"), LOAD_4("ld.global.v4.u32"));
WAY(weak_v2_u64, 16, STORE_2X64("st.v2.u64"), LOAD_2X64("ld.v2.u64"));

/* Lanes lie side by side, or (scattered) at 5 times their index. */
template <typename Way>
__global__ void hammer(unsigned char *at, unsigned rounds, bool scattered, unsigned *torn,
                       unsigned *seen, volatile unsigned *begun)
{
    const unsigned lane = threadIdx.x;
    unsigned char *p = at + Way::bytes * (scattered ? STRIDE * lane : lane);
    unsigned halves = 0, others = 0, last = 0;
    if (blockIdx.x > 1) {
        return;
    }
    if (lane == 0) {
        begun[blockIdx.x] = 1;
        while (begun[1 - blockIdx.x] == 0) {
        }
    }
    __syncthreads();
    for (unsigned i = 1; i <= rounds; i++) {
        if (blockIdx.x == 0) {
            Way::store(p, i);
        } else {
            const unsigned now = *(volatile unsigned *)p;
            halves += Way::torn(p);
            others += now != last;
            last = now;
        }
    }
    if (blockIdx.x == 1) {
        atomicAdd(torn, halves);
        atomicAdd(seen, others);
    }
}

static int passed, failed;
static unsigned char *at;
static unsigned *counts; /* torn, seen, begun[2] */

template <typename Way> static void run(const char *name, unsigned rounds)
{
    for (int scattered = 0; scattered < 2; scattered++) {
        unsigned host[4] = {0};
        cudaMemset(at, 0, 16 * STRIDE * LANES);
        cudaMemset(counts, 0, sizeof host);
        hammer<Way><<<BLOCKS, LANES>>>(at, rounds, scattered, counts, counts + 1, counts + 2);
        cudaError_t code = cudaMemcpy(host, counts, sizeof host, cudaMemcpyDefault);
        const bool good = code == cudaSuccess && host[0] == 0;
        passed += good;
        failed += !good;
        if (!good || getenv("VERBOSE") != NULL) {
            printf("%s, %s: %u torn, %u other values seen in %u rounds (%s)\n", name,
                   scattered ? "scattered" : "side by side", host[0], host[1], rounds,
                   cudaGetErrorString(code));
        }
    }
}
#define RUN(way) run<way>(#way, rounds)

int main(int argc, char **argv)
{
    const unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 300000;
    cudaMalloc(&at, 16 * STRIDE * LANES);
    cudaMalloc(&counts, 4 * sizeof *counts);
    RUN(relaxed_v2_u32);
    RUN(generic_v2_u32);
    RUN(volatile_v2_b32);
    RUN(weak_v2_u32);
    RUN(release_u64);
    RUN(weak_u64);
    RUN(pair_and_u64);
    RUN(relaxed_v4_u32);
    RUN(generic_v2_u64);
    RUN(weak_v4_u32);
    RUN(weak_v2_u64);
    cudaFree(at);
    cudaFree(counts);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}

/* spaces.cu - what is not global or shared memory, or reaches it another way: constants, local
 * arrays, shuffles, votes, read-only loads, asynchronous copies, prefetches. */
#include "tests/fidelity/fidelity.h"

static __constant__ uint32_t table[64] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

static __device__ unsigned global_thread(void) { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void constant_uniform(uint32_t *out, const uint32_t *in, unsigned k)
{
    unsigned i = global_thread();
    out[i] = in[i] + table[k];
}

__global__ void constant_by_lane(uint32_t *out, const uint32_t *in)
{
    unsigned i = global_thread();
    out[i] = in[i] + table[threadIdx.x % 16];
}

/* Indices that the compiler cannot know: the array lives in local memory. */
__global__ void local_array(uint32_t *out, const uint32_t *in)
{
    unsigned i = global_thread();
    uint32_t bins[16];
    for (unsigned k = 0; k < 16; k++) {
        bins[k] = k;
    }
    uint32_t v = in[i];
    for (unsigned k = 0; k < 8; k++) {
        bins[v >> (4 * k) & 15] += v;
    }
    uint32_t hash = 0;
    for (unsigned k = 0; k < 16; k++) {
        hash = hash * 31 + bins[k];
    }
    out[i] = hash;
}

__global__ void shuffles(uint32_t *out, const uint32_t *in)
{
    unsigned i = global_thread();
    uint32_t own = in[i], v = own;
    for (int step = 16; step > 0; step /= 2) {
        v += __shfl_xor_sync(0xffffffffu, v, step);
    }
    v ^= __shfl_sync(0xffffffffu, own, (int)(threadIdx.x * 7 % 32));
    v += __shfl_up_sync(0xffffffffu, v, 3);
    v -= __shfl_down_sync(0xffffffffu, v, 9, 16);
    out[i] = v;
}

__global__ void votes(uint32_t *out, const uint32_t *in)
{
    unsigned i = global_thread();
    uint32_t v = in[i];
    uint32_t odd = __ballot_sync(0xffffffffu, v & 1);
    if (__any_sync(0xffffffffu, v % 97 == 0)) {
        odd ^= 0xff;
    }
    out[i] = odd + __popc(__match_any_sync(0xffffffffu, v & 3));
}

__global__ void read_only(uint32_t *__restrict__ out, const uint32_t *__restrict__ in)
{
    unsigned i = global_thread();
    out[i] = __ldg(&in[i * 3]) + in[i + 7];
}

__global__ void volatile_twice(volatile uint32_t *out, const volatile uint32_t *in)
{
    unsigned i = global_thread();
    uint32_t a = in[i], b = in[i];
    out[i] = a;
    out[i] = a + b;
}

__global__ void half_words(ushort2 *out, const ushort2 *in)
{
    unsigned i = global_thread();
    ushort2 v = in[i];
    v.x = (unsigned short)(v.x * 3);
    out[i] = v;
}

/* 4, 8 and 16 bytes from global to shared memory without a register in between. */
template <int BYTES, bool BYPASS> __global__ void async_copy(uint32_t *out, const char *in)
{
    __shared__ __align__(16) char buffer[128 * BYTES];
    unsigned i = global_thread();
    uint32_t to = (uint32_t)__cvta_generic_to_shared(buffer + threadIdx.x * BYTES);
    const char *from = in + i * BYTES;
    if (BYPASS) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(BYTES)
                     : "memory");
    }
    asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    out[i] = *(const uint32_t *)(buffer + (threadIdx.x ^ 1) * BYTES);
}

/* A copy of fewer source bytes fills up with zeros. */
__global__ void async_copy_short(uint32_t *out, const char *in)
{
    __shared__ __align__(16) char buffer[128 * 16];
    unsigned i = global_thread();
    uint32_t to = (uint32_t)__cvta_generic_to_shared(buffer + threadIdx.x * 16);
    const char *from = in + i * 16;
    unsigned bytes = threadIdx.x % 5 * 4;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    const uint32_t *words = (const uint32_t *)buffer;
    out[i] = words[threadIdx.x * 4] ^ words[threadIdx.x * 4 + 3];
}

typedef void plain_kernel(uint32_t *, const uint32_t *);

template <plain_kernel *KERNEL> static void run(const struct fidelity_io *io, int)
{
    KERNEL<<<4, 128>>>((uint32_t *)io->out, (const uint32_t *)io->in);
}

static void run_constant_uniform(const struct fidelity_io *io, int)
{
    constant_uniform<<<4, 128>>>((uint32_t *)io->out, (const uint32_t *)io->in, 5);
}

static void run_volatile(const struct fidelity_io *io, int)
{
    volatile_twice<<<4, 128>>>((uint32_t *)io->out, (const uint32_t *)io->in);
}

static void run_half_words(const struct fidelity_io *io, int)
{
    half_words<<<4, 128>>>((ushort2 *)io->out, (const ushort2 *)io->in);
}

template <int BYTES, bool BYPASS> static void run_async(const struct fidelity_io *io, int)
{
    async_copy<BYTES, BYPASS><<<4, 128>>>((uint32_t *)io->out, (const char *)io->in);
}

static void run_async_short(const struct fidelity_io *io, int)
{
    async_copy_short<<<4, 128>>>((uint32_t *)io->out, (const char *)io->in);
}

const struct fidelity_family space_families[] = {
    {"constant_uniform", run_constant_uniform, 0, 0},
    {"constant_by_lane", run<constant_by_lane>, 0, 0},
    {"local_array", run<local_array>, 0, 0},
    {"shuffles", run<shuffles>, 0, 0},
    {"votes", run<votes>, 0, 0},
    {"read_only", run<read_only>, 0, 0},
    {"volatile_twice", run_volatile, 0, 0},
    {"half_words", run_half_words, 0, 0},
    {"async_copy_4_byte", run_async<4, false>, 0, 0},
    {"async_copy_8_byte", run_async<8, false>, 0, 0},
    {"async_copy_16_byte", run_async<16, false>, 0, 0},
    {"async_copy_16_byte_bypass", run_async<16, true>, 0, 0},
    {"async_copy_short", run_async_short, 0, 0},
    {NULL, NULL, 0, 0},
};

/* Matrices in shared memory that tensor cores read: stores that they do not see, buffers that are used again while a
 * product may still read them, data that has not come yet, descriptors and rows that point elsewhere. */
/* flags: -arch=sm_90a -std=c++17 */
#include "mistakes.h"

typedef unsigned long long u64;

enum { THREADS = 128, HALVES = 64 * 16 }; /* A is 64 x 16, B 16 x 8, both in cores of 8 x 8 halves */

__device__ static unsigned at(const void *shared) { return (unsigned)__cvta_generic_to_shared(shared); }
__device__ static void proxy_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ static void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int left> __device__ static void wait_group()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(left) : "memory");
}

/* K-major, not swizzled: the second half of k lies 128 bytes further, the next 8 rows 256. */
__device__ static u64 descriptor(unsigned begin)
{
    return (u64)(begin >> 4 & 0x3fff) | (u64)(128 >> 4) << 16 | (u64)(256 >> 4) << 32;
}
#define MULTIPLY(sum, a, b)                                                                                            \
    do {                                                                                                               \
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                                        \
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"      \
                     : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])                                          \
                     : "l"(descriptor(a)), "l"(descriptor(b))                                                          \
                     : "memory");                                                                                      \
        commit();                                                                                                      \
    } while (0)

/* --- stores that tensor cores need not see --------------------------------------------------------------- */

template <bool right> __global__ void unfenced(float *out)
{
    __shared__ __align__(128) unsigned short tile[HALVES];
    float sum[4] = {};
    for (int i = threadIdx.x; i < HALVES; i += THREADS) {
        tile[i] = 0x3c00; // MISTAKE no_fence_before_product fence.proxy.async
    }
    if (right) {
        proxy_fence();
    }
    __syncthreads();
    MULTIPLY(sum, at(tile), at(tile));
    wait_group<0>();
    out[threadIdx.x] = sum[0];
}
TWINS(no_fence_before_product) { unfenced<right><<<1, THREADS>>>(buffer<float>(THREADS)); }

/* --- registers that a product still uses ------------------------------------------------------------------ */

template <bool right> __global__ void early_sums(float *out)
{
    __shared__ __align__(128) unsigned short tile[HALVES];
    float sum[4] = {};
    for (int i = threadIdx.x; i < HALVES; i += THREADS) {
        tile[i] = 0x3c00;
    }
    proxy_fence();
    __syncthreads();
    MULTIPLY(sum, at(tile), at(tile));
    MULTIPLY(sum, at(tile), at(tile)); // adds to the same sums: this is right
    if (right) {
        wait_group<0>();
    } else {
        wait_group<1>();
    }
    out[threadIdx.x] = sum[0] + sum[3]; // MISTAKE sums_used_too_early wgmma.wait_group
    wait_group<0>();
}
TWINS(sums_used_too_early) { early_sums<right><<<1, THREADS>>>(buffer<float>(THREADS)); }

#define MULTIPLY_REGISTERS(sum, b, behind)                                                                             \
    asm volatile("{ .reg .b32 a<4>; mov.b32 a0, 0x3c003c00; mov.b32 a1, a0; mov.b32 a2, a0; mov.b32 a3, a0;\n"         \
                 "wgmma.fence.sync.aligned;\n"                                                                         \
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {a0, a1, a2, a3}, %4, 1, 1, 1, 0;\n" \
                 "wgmma.commit_group.sync.aligned;\n" behind "add.u32 a2, a2, 1; }"                                    \
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])                                              \
                 : "l"(descriptor(b))                                                                                  \
                 : "memory")

template <bool right> __global__ void early_elements(float *out)
{
    __shared__ __align__(128) unsigned short tile[HALVES];
    float sum[4] = {};
    for (int i = threadIdx.x; i < HALVES; i += THREADS) {
        tile[i] = 0x3c00;
    }
    proxy_fence();
    __syncthreads();
    if (right) {
        MULTIPLY_REGISTERS(sum, at(tile), "wgmma.wait_group.sync.aligned 0;\n");
    } else {
        MULTIPLY_REGISTERS(sum, at(tile), ""); // MISTAKE elements_changed_too_early an element of A
    }
    wait_group<0>();
    out[threadIdx.x] = sum[0];
}
TWINS(elements_changed_too_early) { early_elements<right><<<1, THREADS>>>(buffer<float>(THREADS)); }

/* --- registers that a product may read before they are written ------------------------------------------------- */

#define PRODUCT(sum, a, b)                                                                                             \
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"          \
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])                                              \
                 : "l"(descriptor(a)), "l"(descriptor(b))                                                              \
                 : "memory")
#define WIDE_PRODUCT(sum, a, b)                                                                                        \
    asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, 1, 1, " \
                 "1, 0, 0;"                                                                                            \
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]), "+f"(sum[5]), "+f"(sum[6]),   \
                   "+f"(sum[7])                                                                                        \
                 : "l"(descriptor(a)), "l"(descriptor(b))                                                              \
                 : "memory")
#define PRODUCT_OF_REGISTERS(sum, a, b)                                                                                \
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, 1, 1, 1, 0;" \
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])                                              \
                 : "r"(a), "l"(descriptor(b))                                                                          \
                 : "memory")

__device__ static void fence_registers() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

__device__ static void fill(unsigned short *tile)
{
    for (int i = threadIdx.x; i < HALVES; i += THREADS) {
        tile[i] = 0x3c00;
    }
    proxy_fence();
    __syncthreads();
}

template <bool right> __global__ void first_product(float *out)
{
    __shared__ __align__(128) unsigned short tile[HALVES];
    float sum[4] = {};
    fill(tile);
    if (right) {
        fence_registers();
    }
    PRODUCT(sum, at(tile), at(tile)); // MISTAKE no_fence_before_first wgmma.fence
    commit();
    wait_group<0>();
    out[threadIdx.x] = sum[0];
}
TWINS(no_fence_before_first) { first_product<right><<<1, THREADS>>>(buffer<float>(THREADS)); }

/* Between two products of one shape, which add to the same sums, no fence is needed; behind the scaling, one is. */
template <bool right> __global__ void scaled(const float *scale, float *out)
{
    __shared__ __align__(128) unsigned short tile[HALVES];
    float sum[4] = {};
    fill(tile);
    fence_registers();
    PRODUCT(sum, at(tile), at(tile));
    PRODUCT(sum, at(tile), at(tile));
    commit();
    wait_group<0>();
    for (int i = 0; i < 4; i++) {
        sum[i] *= scale[i];
    }
    if (right) {
        fence_registers();
    }
    PRODUCT(sum, at(tile), at(tile)); // MISTAKE no_fence_behind_scaling wgmma.fence
    commit();
    wait_group<0>();
    out[threadIdx.x] = sum[0];
}
TWINS(no_fence_behind_scaling)
{
    scaled<right><<<1, THREADS>>>(buffer<float>(4), buffer<float>(THREADS));
}

template <bool right> __global__ void loaded(const unsigned *in, float *out)
{
    __shared__ __align__(128) unsigned short tile[HALVES];
    float sum[4] = {};
    fill(tile);
    if (!right) {
        fence_registers();
    }
    for (int round = 0; round < 3; round++) {
        unsigned a = *(volatile const unsigned *)(in + threadIdx.x);
        if (right) {
            fence_registers();
        }
        PRODUCT_OF_REGISTERS(sum, a, at(tile)); // MISTAKE no_fence_behind_load an element of A
        commit();
        wait_group<0>();
    }
    out[threadIdx.x] = sum[0];
}
TWINS(no_fence_behind_load)
{
    loaded<right><<<1, THREADS>>>(buffer<unsigned>(THREADS), buffer<float>(THREADS));
}

/* A product of another shape has computed the sums. */
template <bool right> __global__ void two_shapes(float *out)
{
    __shared__ __align__(128) unsigned short tile[HALVES];
    float sum[8] = {};
    fill(tile);
    fence_registers();
    PRODUCT(sum, at(tile), at(tile));
    commit();
    wait_group<0>();
    if (right) {
        fence_registers();
    }
    WIDE_PRODUCT(sum, at(tile), at(tile)); // MISTAKE no_fence_between_shapes wgmma.fence
    commit();
    wait_group<0>();
    out[threadIdx.x] = sum[0];
}
TWINS(no_fence_between_shapes) { two_shapes<right><<<1, THREADS>>>(buffer<float>(THREADS)); }

/* --- buffers that are used again too early --------------------------------------------------------------- */

template <bool right> __global__ void refilled(float *out)
{
    __shared__ __align__(128) unsigned short tile[2][HALVES];
    float sum[4] = {};
    for (int round = 0; round < 4; round++) {
        for (int i = threadIdx.x; i < HALVES; i += THREADS) {
            tile[round % 2][i] = 0x3c00; // MISTAKE refilled_while_multiplied wgmma.wait_group
        }
        proxy_fence();
        __syncthreads();
        MULTIPLY(sum, at(tile[round % 2]), at(tile[round % 2]));
        if (right) {
            wait_group<1>(); // the other buffer's product, before that one is filled again
        } else {
            wait_group<2>();
        }
        __syncthreads();
    }
    wait_group<0>();
    out[threadIdx.x] = sum[0];
}
TWINS(refilled_while_multiplied) { refilled<right><<<1, THREADS>>>(buffer<float>(THREADS)); }

#define LOAD(to, from, bytes, b)                                                                                       \
    do {                                                                                                               \
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(b)), "r"((unsigned)(bytes))     \
                     : "memory");                                                                                      \
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(  \
                         at(to)),                                                                                      \
                     "l"(from), "r"((unsigned)(bytes)), "r"(at(b))                                                     \
                     : "memory");                                                                                      \
    } while (0)

__device__ static void wait_for(u64 *b, unsigned parity)
{
    unsigned over = 0;
    while (!over) {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(at(b)), "r"(parity)
                     : "memory");
    }
}

__device__ static void start(u64 *b)
{
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(b)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
}

template <bool right> __global__ void copied_over(const float *in, float *out)
{
    __shared__ __align__(128) unsigned short tile[HALVES];
    __shared__ u64 b;
    float sum[4] = {};
    start(&b);
    for (int round = 0; round < 3; round++) {
        if (threadIdx.x == 0) {
            LOAD(tile, in, sizeof tile, &b); // MISTAKE copied_while_multiplied wgmma.wait_group
        }
        wait_for(&b, round % 2);
        MULTIPLY(sum, at(tile), at(tile));
        if (right) {
            wait_group<0>();
        }
        __syncthreads();
    }
    wait_group<0>();
    out[threadIdx.x] = sum[0];
}
TWINS(copied_while_multiplied) { copied_over<right><<<1, THREADS>>>(buffer<float>(HALVES), buffer<float>(THREADS)); }

/* --- data that has not come yet ------------------------------------------------------------------------------ */

template <bool right> __global__ void early(const float *in, float *out)
{
    __shared__ __align__(128) unsigned short tile[HALVES];
    __shared__ u64 b;
    float sum[4] = {};
    start(&b);
    if (threadIdx.x == 0) {
        LOAD(tile, in, sizeof tile, &b);
    }
    if (right) {
        wait_for(&b, 0);
    }
    MULTIPLY(sum, at(tile), at(tile)); // MISTAKE multiplied_before_phase try_wait
    wait_group<0>();
    wait_for(&b, 0);
    out[threadIdx.x] = sum[0];
}
TWINS(multiplied_before_phase) { early<right><<<1, THREADS>>>(buffer<float>(HALVES), buffer<float>(THREADS)); }

/* --- places that are elsewhere --------------------------------------------------------------------------------- */

template <bool right> __global__ void astray(float *out)
{
    __shared__ __align__(128) unsigned short tile[HALVES];
    float sum[4] = {};
    for (int i = threadIdx.x; i < HALVES; i += THREADS) {
        tile[i] = 0x3c00;
    }
    proxy_fence();
    __syncthreads();
    MULTIPLY(sum, at(tile) + (right ? 0 : 128), at(tile)); // MISTAKE descriptor_beyond_array shared.memory
    wait_group<0>();
    out[threadIdx.x] = sum[0];
}
TWINS(descriptor_beyond_array) { astray<right><<<1, THREADS>>>(buffer<float>(THREADS)); }

template <bool right> __global__ void odd_rows(unsigned *out)
{
    __shared__ __align__(128) unsigned short tile[HALVES];
    unsigned r;
    for (int i = threadIdx.x; i < HALVES; i += 32) {
        tile[i] = (unsigned short)i;
    }
    __syncwarp();
    const unsigned row = at(&tile[threadIdx.x % 8 * (right ? 24 : 20)]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(row) : "memory"); // MISTAKE row_between_pieces aligned
    out[threadIdx.x] = r;
}
TWINS(row_between_pieces) { odd_rows<right><<<1, 32>>>(buffer<unsigned>(32)); }

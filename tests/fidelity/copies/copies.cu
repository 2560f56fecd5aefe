/* copies.cu - launches whose counts are held to an H200's: cp.async, bulk copies, tensors, shared memory of other
 * blocks, and atomics on vectors. `./copies` runs all of them, in the order in which h200.csv has them. Lines that
 * say `held` were not looked at when the rules were found (README.md). */
#include "../must.h"

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

typedef unsigned long long u64;

__device__ static unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ static void init(u64 *bar, unsigned count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(count) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ static void expect(u64 *bar, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(bar)), "r"(bytes)
                 : "memory");
}

__device__ static void wait(u64 *bar)
{
    asm volatile("{ .reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
                 "@!p bra again; }" ::"r"(shared_address(bar))
                 : "memory");
}

__device__ static void sync_cluster(void)
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ static unsigned map(unsigned address, unsigned rank)
{
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

__device__ static unsigned rank(void)
{
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}

__device__ static void commit_and_wait(void)
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/* --- cp.async: lane i copies from global_stride * i to shared_stride * i ------------------------------ */

struct async_case {
    int bytes;
    bool bypass; /* .cg: not through L1 */
    int global_stride, shared_stride;
    unsigned lanes;
    int global_offset, shared_offset;
    bool zeros; /* every other lane reads nothing */
};

static const async_case async_cases[] = {
    {4, false, 4, 4, ~0u, 0, 0, false},
    {8, false, 8, 8, ~0u, 0, 0, false},
    {16, false, 16, 16, ~0u, 0, 0, false},
    {16, true, 16, 16, ~0u, 0, 0, false},
    {4, false, 32, 4, ~0u, 0, 0, false},
    {4, false, 4, 128, ~0u, 0, 0, false},
    {16, true, 16, 32, ~0u, 0, 0, false},
    {16, true, 64, 16, ~0u, 0, 0, false},
    {4, false, 4, 4, 0x55555555u, 0, 0, false},
    {4, false, 4, 4, ~0u, 0, 0, true},
    {16, true, 16, 16, ~0u, 0, 0, true},
    {4, false, 4, 4, ~0u, 4, 0, false},
    {8, false, 8, 64, ~0u, 0, 0, false},
    {4, false, 0, 4, ~0u, 0, 0, false},
    {16, true, 16, 16, 0x000000ffu, 0, 0, false},
    {4, false, 8, 8, ~0u, 0, 0, false},
    {16, true, 16, 128, ~0u, 0, 0, false},
    {16, false, 32, 48, ~0u, 0, 0, false},
    {16, true, 16, 16, ~0u, 16, 0, false},  /* held, like all that follow */
    {16, true, 16, 16, ~0u, 0, 16, false},
    {16, true, 16, 16, ~0u, 16, 16, false},
    {16, true, 32, 16, ~0u, 0, 0, false},
    {16, true, 16, 64, ~0u, 0, 0, false},
    {16, true, 80, 16, ~0u, 0, 0, false},
    {16, true, 32, 32, ~0u, 0, 0, false},
    {16, true, 0, 16, ~0u, 0, 0, false},
    {16, true, 128, 128, ~0u, 0, 0, false},
    {16, false, 16, 16, ~0u, 16, 0, false},
    {16, false, 48, 16, ~0u, 0, 0, false},
    {8, false, 24, 8, ~0u, 0, 0, false},
    {8, false, 8, 8, ~0u, 0, 0, true},
    {8, false, 8, 8, ~0u, 8, 16, false},
    {4, false, 12, 4, ~0u, 0, 0, false},
    {4, false, 4, 12, ~0u, 0, 0, false},
    {4, false, 4, 4, ~0u, 12, 0, false},
    {4, false, 8, 4, 0x0f0f0f0fu, 0, 0, false},
    {4, false, 4, 8, 0x00ff00ffu, 0, 4, false},
    {4, false, 128, 4, ~0u, 0, 0, false},
    {16, false, 0, 16, ~0u, 0, 0, false},
};

template <int bytes, bool bypass>
__device__ static void copy(unsigned to, const char *from, bool has_size, int size)
{
    if (has_size && bypass) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(size) : "memory");
    } else if (has_size) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(bytes), "r"(size)
                     : "memory");
    } else if (bypass) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(bytes) : "memory");
    }
}

template <int bytes, bool bypass> __global__ void async_copies(const char *from, async_case c)
{
    extern __shared__ __align__(1024) char room[];
    const unsigned t = threadIdx.x;
    if (c.lanes >> t % 32 & 1) {
        copy<bytes, bypass>(shared_address(room) + t * c.shared_stride + c.shared_offset,
                            from + (size_t)t * c.global_stride + c.global_offset, c.zeros, t % 2 ? bytes : 0);
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
}

/* --- bulk copies --------------------------------------------------------------------------------------- */

struct bulk_case {
    int bytes, global_offset, shared_offset, blocks;
};

static const bulk_case bulk_cases[] = {
    {128, 0, 0, 1}, {1024, 0, 0, 1},  {4096, 0, 0, 1},  {1024, 16, 0, 1}, {16, 0, 0, 1},    {512, 0, 0, 3},
    {144, 0, 0, 1}, {1024, 0, 16, 1}, {1024, 48, 0, 2}, {1024, 48, 48, 1}, {32, 16, 112, 1}, /* held */
};

__global__ void bulk_load(const char *from, bulk_case c)
{
    extern __shared__ __align__(1024) char room[];
    __shared__ u64 bar;
    if (threadIdx.x == 0) {
        init(&bar, 1);
        expect(&bar, c.bytes);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         shared_address(room) + c.shared_offset),
                     "l"(from + c.global_offset), "r"(c.bytes), "r"(shared_address(&bar))
                     : "memory");
    }
    __syncthreads();
    wait(&bar);
}

__global__ void bulk_store(char *to, bulk_case c)
{
    extern __shared__ __align__(1024) char room[];
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to + c.global_offset),
                     "r"(shared_address(room) + c.shared_offset), "r"(c.bytes)
                     : "memory");
        commit_and_wait();
    }
}

__global__ void bulk_reduce(char *to, bulk_case c)
{
    extern __shared__ __align__(1024) char room[];
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(
                         to + c.global_offset),
                     "r"(shared_address(room) + c.shared_offset), "r"(c.bytes)
                     : "memory");
        commit_and_wait();
    }
}

__global__ void __cluster_dims__(4, 1, 1) bulk_multicast(const char *from)
{
    extern __shared__ __align__(1024) char room[];
    __shared__ u64 bar;
    if (threadIdx.x == 0) {
        init(&bar, 1);
        expect(&bar, 1024);
    }
    sync_cluster();
    if (threadIdx.x == 0 && rank() == 0) {
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                     "[%0], [%1], 1024, [%2], %3;" ::"r"(shared_address(room)),
                     "l"(from), "r"(shared_address(&bar)), "h"((unsigned short)15)
                     : "memory");
    }
    wait(&bar);
    sync_cluster();
}

__global__ void __cluster_dims__(2, 1, 1) bulk_to_block(void)
{
    __shared__ __align__(128) int from[512], to[512];
    __shared__ u64 bar;
    if (threadIdx.x == 0) {
        init(&bar, 1);
        expect(&bar, 2048);
    }
    sync_cluster();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 2048, [%2];" ::"r"(
                         map(shared_address(to), rank() ^ 1)),
                     "r"(shared_address(from)), "r"(map(shared_address(&bar), rank() ^ 1))
                     : "memory");
    }
    wait(&bar);
    sync_cluster();
}

/* --- tensors of 16-bit elements, 512 x 512 -------------------------------------------------------------- */

struct tensor_case {
    unsigned width, height;
    CUtensorMapSwizzle swizzle;
    int x, y;
};

static const tensor_case tensor_cases[] = {
    {64, 16, CU_TENSOR_MAP_SWIZZLE_NONE, 0, 0},   {64, 16, CU_TENSOR_MAP_SWIZZLE_128B, 0, 0},
    {8, 64, CU_TENSOR_MAP_SWIZZLE_NONE, 0, 0},    {256, 8, CU_TENSOR_MAP_SWIZZLE_NONE, 0, 0},
    {64, 16, CU_TENSOR_MAP_SWIZZLE_NONE, 8, 3},   {64, 16, CU_TENSOR_MAP_SWIZZLE_NONE, 480, 508},
    {32, 20, CU_TENSOR_MAP_SWIZZLE_64B, 64, 5}, /* held */
    {32, 20, CU_TENSOR_MAP_SWIZZLE_NONE, 72, 5},  {64, 16, CU_TENSOR_MAP_SWIZZLE_128B, -8, -2},
    {128, 10, CU_TENSOR_MAP_SWIZZLE_NONE, 24, 0}, {16, 9, CU_TENSOR_MAP_SWIZZLE_32B, 8, 1},
};

__global__ void tensor_load(const __grid_constant__ CUtensorMap map, int x, int y, unsigned bytes)
{
    extern __shared__ __align__(1024) char room[];
    __shared__ u64 bar;
    if (threadIdx.x == 0) {
        init(&bar, 1);
        expect(&bar, bytes);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%3, %4}], [%2];" ::"r"(shared_address(room)),
                     "l"(&map), "r"(shared_address(&bar)), "r"(x), "r"(y)
                     : "memory");
    }
    __syncthreads();
    wait(&bar);
}

__global__ void tensor_store(const __grid_constant__ CUtensorMap map, int x, int y)
{
    extern __shared__ __align__(1024) char room[];
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%1, {%2, %3}], [%0];" ::"r"(
                         shared_address(room)),
                     "l"(&map), "r"(x), "r"(y)
                     : "memory");
        commit_and_wait();
    }
}

typedef CUresult (*encode_function)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                    const cuuint64_t *, const cuuint32_t *, const cuuint32_t *,
                                    CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                    CUtensorMapFloatOOBfill);

static CUtensorMap make_map(void *array, const tensor_case &c)
{
    void *function = NULL;
    cudaDriverEntryPointQueryResult found;
    CUtensorMap map;
    const cuuint64_t dims[] = {512, 512}, strides[] = {1024};
    const cuuint32_t box[] = {c.width, c.height}, steps[] = {1, 1};
    MUST(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found));
    if (((encode_function)function)(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, array, dims, strides, box, steps,
                                    CU_TENSOR_MAP_INTERLEAVE_NONE, c.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
        fprintf(stderr, "copies: a tensor map was rejected\n");
        exit(2);
    }
    return map;
}

/* --- shared memory of the other block ------------------------------------------------------------------- */

enum operation { LOAD, LOAD_4, STORE, STORE_4, RED, ATOM };

struct remote_case {
    operation what;
    int stride; /* words from one lane to the next */
    bool own;   /* of the own block, by an address of shared::cluster */
};

static const remote_case remote_cases[] = {
    {LOAD, 1, false},  {LOAD, 2, false},  {LOAD, 32, false}, {LOAD_4, 4, false}, {LOAD, 0, false},
    {STORE, 1, false}, {STORE, 2, false}, {STORE_4, 4, false}, {RED, 1, false},  {RED, 0, false},
    {ATOM, 1, false},  {LOAD, 1, true},   {LOAD, 32, true},
    {LOAD, 3, false},  {LOAD, 8, false},  {STORE, 32, false}, {STORE, 0, false}, {ATOM, 0, false}, /* held */
    {RED, 2, false},   {STORE, 1, true},  {ATOM, 1, true},    {LOAD_4, 8, false},
};

__global__ void __cluster_dims__(2, 1, 1) remote(int *out, remote_case c)
{
    __shared__ __align__(16) int words[4096];
    words[threadIdx.x] = threadIdx.x;
    sync_cluster();
    const unsigned word = threadIdx.x * c.stride % 4096;
    const unsigned there = map(shared_address(words + word), c.own ? rank() : rank() ^ 1);
    int a = threadIdx.x, b = 0, d = 0, e = 0;
    switch (c.what) {
    case LOAD:
        asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(a) : "r"(there) : "memory");
        break;
    case LOAD_4:
        asm volatile("ld.shared::cluster.v4.s32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(d), "=r"(e)
                     : "r"(there)
                     : "memory");
        break;
    case STORE:
        asm volatile("st.shared::cluster.s32 [%1], %0;" ::"r"(a), "r"(there) : "memory");
        break;
    case STORE_4:
        asm volatile("st.shared::cluster.v4.s32 [%1], {%0, %0, %0, %0};" ::"r"(a), "r"(there) : "memory");
        break;
    case RED:
        asm volatile("red.shared::cluster.add.s32 [%1], %0;" ::"r"(a), "r"(there) : "memory");
        break;
    case ATOM:
        asm volatile("atom.shared::cluster.add.s32 %0, [%1], %2;" : "=r"(b) : "r"(there), "r"(a) : "memory");
        break;
    }
    sync_cluster();
    if (a + b + d + e == -12345) {
        out[0] = a;
    }
}

__global__ void __cluster_dims__(2, 1, 1) remote_generic(int *out)
{
    __shared__ int words[256];
    words[threadIdx.x] = threadIdx.x;
    sync_cluster();
    u64 there;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(&words[threadIdx.x]), "r"(rank() ^ 1));
    const int value = *(volatile int *)there;
    sync_cluster();
    if (value == -12345) {
        out[0] = value;
    }
}

__global__ void __cluster_dims__(2, 1, 1) remote_async(void)
{
    __shared__ __align__(16) int words[512];
    __shared__ u64 bar;
    if (threadIdx.x == 0) {
        init(&bar, 1);
        expect(&bar, blockDim.x * 4);
    }
    sync_cluster();
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.s32 [%0], %1, [%2];" ::"r"(
                     map(shared_address(words + threadIdx.x), rank() ^ 1)),
                 "r"((int)threadIdx.x), "r"(map(shared_address(&bar), rank() ^ 1))
                 : "memory");
    wait(&bar);
    sync_cluster();
}

/* --- atomics on vectors ---------------------------------------------------------------------------------- */

struct vector_case {
    int elements, stride; /* floats; bytes from one lane to the next */
    bool result;
};

static const vector_case vector_cases[] = {
    {1, 4, false},  {2, 8, false},  {4, 16, false}, {4, 0, false},   {2, 0, false},  {2, 64, false}, {4, 64, false},
    {2, 8, true},   {4, 16, true},  {4, 0, true},
    {2, 16, false}, {4, 32, false}, {2, 64, true},  {4, 128, false}, {4, 32, true}, /* held */
};

__global__ void vectors(char *at, vector_case c, float *out)
{
    char *p = at + (size_t)threadIdx.x * c.stride;
    float a = 0, b = 0, d = 0, e = 0;
    const float f = 1;
    if (c.elements == 1) {
        asm volatile("red.global.add.f32 [%0], %1;" ::"l"(p), "f"(f) : "memory");
    } else if (c.elements == 2 && !c.result) {
        asm volatile("red.global.add.v2.f32 [%0], {%1, %1};" ::"l"(p), "f"(f) : "memory");
    } else if (c.elements == 4 && !c.result) {
        asm volatile("red.global.add.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(p), "f"(f) : "memory");
    } else if (c.elements == 2) {
        asm volatile("atom.global.add.v2.f32 {%0, %1}, [%2], {%3, %3};" : "=f"(a), "=f"(b) : "l"(p), "f"(f) : "memory");
    } else {
        asm volatile("atom.global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %5, %5, %5};"
                     : "=f"(a), "=f"(b), "=f"(d), "=f"(e)
                     : "l"(p), "f"(f)
                     : "memory");
    }
    if (a + b + d + e == -1) {
        out[0] = a;
    }
}

template <int pairs> __global__ void halves(char *at, int stride)
{
    char *p = at + (size_t)threadIdx.x * stride;
    if (pairs == 1) {
        asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(p), "r"(0x3c003c00) : "memory");
    } else if (pairs == 2) {
        asm volatile("red.global.add.noftz.v2.f16x2 [%0], {%1, %1};" ::"l"(p), "r"(0x3c003c00) : "memory");
    } else {
        asm volatile("red.global.add.noftz.v4.bf16x2 [%0], {%1, %1, %1, %1};" ::"l"(p), "r"(0x3f803f80) : "memory");
    }
}

/* --- all of it --------------------------------------------------------------------------------------------- */

int main()
{
    enum { ROOM = 32768, BYTES = 1 << 22 };
    char *memory;
    MUST(cudaMalloc(&memory, BYTES));
    MUST(cudaMemset(memory, 0, BYTES));
    int *out = (int *)(memory + BYTES / 2);
    for (const async_case &c : async_cases) {
        auto kernel = c.bypass       ? async_copies<16, true>
                      : c.bytes == 4 ? async_copies<4, false>
                      : c.bytes == 8 ? async_copies<8, false>
                                     : async_copies<16, false>;
        kernel<<<2, 128, ROOM>>>(memory, c);
    }
    for (const bulk_case &c : bulk_cases) {
        bulk_load<<<c.blocks, 32, ROOM>>>(memory, c);
        bulk_store<<<c.blocks, 32, ROOM>>>(memory, c);
        bulk_reduce<<<c.blocks, 32, ROOM>>>(memory, c);
    }
    bulk_multicast<<<4, 32, ROOM>>>(memory);
    bulk_to_block<<<2, 128>>>();
    for (const tensor_case &c : tensor_cases) {
        const CUtensorMap map = make_map(memory, c);
        tensor_load<<<1, 32, ROOM>>>(map, c.x, c.y, 2 * c.width * c.height);
        if (c.x >= 0) { /* a store may not begin before the array */
            tensor_store<<<1, 32, ROOM>>>(map, c.x, c.y);
        }
    }
    for (const remote_case &c : remote_cases) {
        remote<<<2, 128>>>(out, c);
    }
    remote_generic<<<2, 128>>>(out);
    remote_async<<<2, 128>>>();
    for (const vector_case &c : vector_cases) {
        vectors<<<2, 128>>>(memory, c, (float *)out);
    }
    halves<1><<<2, 128>>>(memory, 4);
    halves<2><<<2, 128>>>(memory, 8);
    halves<4><<<2, 128>>>(memory, 16);
    halves<4><<<2, 128>>>(memory, 0);
    halves<4><<<2, 128>>>(memory, 32);
    MUST(cudaDeviceSynchronize());
    return 0;
}

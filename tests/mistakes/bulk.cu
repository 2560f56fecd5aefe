/* Copies by the bulk engine and clusters: data used before it has come, stores that the engine does not see, arrays
 * that are used again too early, phases that never end, and memory that is not there. */
/* flags: -arch=sm_90a -std=c++17 */
#include "mistakes.h"

#include <cuda.h>

typedef unsigned long long u64;

enum { N = 256 };

__device__ static unsigned at(const void *shared) { return (unsigned)__cvta_generic_to_shared(shared); }
__device__ static void init(u64 *b)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(b)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ static void expect(u64 *b, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(b)), "r"(bytes) : "memory");
}
#define TRY(yes, b, parity)                                                                                            \
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"       \
                 : "=r"(yes)                                                                                           \
                 : "r"(at(b)), "r"(parity)                                                                             \
                 : "memory")
__device__ static bool over(u64 *b, unsigned parity)
{
    unsigned yes;
    TRY(yes, b, parity); // MISTAKE too_many_bytes 16.bytes MISTAKE nobody_arrives 1.of.1.arrivals
    return yes != 0;
}
__device__ static void wait(u64 *b, unsigned parity)
{
    while (!over(b, parity)) {
    }
}
#define LOAD(to, from, bytes, b)                                                                                       \
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(      \
                     at(to)),                                                                                          \
                 "l"(from), "r"((unsigned)(bytes)), "r"(at(b))                                                                     \
                 : "memory")
#define LOAD_BOX(to, map, x, b)                                                                                        \
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes "                        \
                 "[%0], [%1, {%2}], [%3];" ::"r"(at(to)),                                                              \
                 "l"(map), "r"(x), "r"(at(b))                                                                          \
                 : "memory")
#define STORE(to, from, bytes)                                                                                         \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(at(from)), "r"((unsigned)(bytes))    \
                 : "memory")
__device__ static void proxy_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ static void commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
__device__ static void wait_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
__device__ static void wait_group() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

/* --- loads ----------------------------------------------------------------------------------------- */

template <bool right> __global__ void early(const int *in, int *out)
{
    __shared__ __align__(128) int tile[N];
    __shared__ u64 b;
    if (threadIdx.x == 0) {
        init(&b);
        expect(&b, sizeof tile);
        LOAD(tile, in, sizeof tile, &b);
    }
    __syncthreads();
    if (right) {
        wait(&b, 0);
    }
    out[threadIdx.x] = tile[threadIdx.x]; // MISTAKE read_before_phase race
}
TWINS(read_before_phase) { early<right><<<1, N>>>(buffer<int>(N), buffer<int>(N)); }

template <bool right> __global__ void refilled(const int *in, int *out)
{
    __shared__ __align__(128) int tile[N];
    __shared__ u64 b[3];
    if (threadIdx.x < 3) {
        init(&b[threadIdx.x]);
    }
    __syncthreads();
    int sum = 0;
    for (unsigned k = 0; k < 3; k++) {
        if (threadIdx.x == 0) {
            expect(&b[k], sizeof tile);
            LOAD(tile, in + k * N, sizeof tile, &b[k]); // MISTAKE refilled_while_read race
        }
        wait(&b[k], 0);
        sum += tile[threadIdx.x ^ 64];
        if (right) {
            __syncthreads();
        }
    }
    out[threadIdx.x] = sum;
}
TWINS(refilled_while_read) { refilled<right><<<1, N>>>(buffer<int>(3 * N), buffer<int>(N)); }

template <bool right> __global__ void expects(const int *in, int *out)
{
    __shared__ __align__(128) int tile[N];
    __shared__ u64 b;
    if (threadIdx.x == 0) {
        init(&b);
        expect(&b, right ? sizeof tile : sizeof tile + 16);
        LOAD(tile, in, sizeof tile, &b);
    }
    __syncthreads();
    while (!over(&b, 0)) {
    }
    out[threadIdx.x] = tile[threadIdx.x];
}
TWINS(too_many_bytes) { expects<right><<<1, N>>>(buffer<int>(N), buffer<int>(N)); }

/* --- stores ---------------------------------------------------------------------------------------- */

template <bool right> __global__ void unfenced(int *out)
{
    __shared__ __align__(128) int tile[N];
    tile[threadIdx.x] = threadIdx.x; // MISTAKE no_proxy_fence fence.proxy.async
    if (right) {
        proxy_fence();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE(out, tile, sizeof tile);
        commit();
        wait_group();
    }
}
TWINS(no_proxy_fence) { unfenced<right><<<1, N>>>(buffer<int>(N)); }

template <bool right> __global__ void overwritten(int *out)
{
    __shared__ __align__(128) int tile[N];
    for (int k = 0; k < 3; k++) {
        tile[threadIdx.x] = k; // MISTAKE overwritten_while_stored wait_group
        proxy_fence();
        __syncthreads();
        if (threadIdx.x == 0) {
            STORE(out + k * N, tile, sizeof tile);
            commit();
            if (right) {
                wait_read();
            }
        }
        __syncthreads();
    }
    wait_group();
}
TWINS(overwritten_while_stored) { overwritten<right><<<1, N>>>(buffer<int>(3 * N)); }

/* --- tensor maps ------------------------------------------------------------------------------------ */

__global__ void boxes(const __grid_constant__ CUtensorMap map, int x, int *out)
{
    __shared__ __align__(128) int tile[N];
    __shared__ u64 b;
    if (threadIdx.x == 0) {
        init(&b);
        expect(&b, sizeof tile);
        LOAD_BOX(tile, &map, x, &b); // MISTAKE map_beyond_array bounds MISTAKE odd_coordinate multiples
    }
    __syncthreads();
    wait(&b, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}
static CUtensorMap make_map(int *array, cuuint64_t elements)
{
    CUtensorMap map;
    void *encode = NULL;
    cudaDriverEntryPointQueryResult found;
    const cuuint64_t strides[] = {0};
    const cuuint32_t box[] = {N}, steps[] = {1};
    must(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found));
    ((decltype(&cuTensorMapEncodeTiled))encode)(
        &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 1, array, &elements, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return map;
}
TWINS(map_beyond_array)
{
    boxes<<<1, N>>>(make_map(buffer<int>(N), right ? N : 4 * N), 3 * N, buffer<int>(N));
}
TWINS(odd_coordinate) { boxes<<<1, N>>>(make_map(buffer<int>(N), N), right ? 8 : 2, buffer<int>(N)); }

/* --- clusters ----------------------------------------------------------------------------------------- */

template <bool right> __global__ void __cluster_dims__(2, 1, 1) leaves(int *out)
{
    __shared__ int word[32];
    unsigned rank, there;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    word[threadIdx.x] = rank;
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    if (rank == 0) {
        asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(there) : "r"(at(&word[threadIdx.x])));
        for (int i = 0; i < 20000; i++) {
            int value;
            asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(value) : "r"(there) : "memory"); // MISTAKE block_has_ended ended
            out[threadIdx.x] = value;
        }
    }
    if (right) {
        asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    }
}
TWINS(block_has_ended) { leaves<right><<<2, 32>>>(buffer<int>(32)); }

template <bool right> __global__ void __cluster_dims__(2, 1, 1) one_arrives(int *out)
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (rank == 0 || right) {
        asm volatile("barrier.cluster.arrive;" ::: "memory");
    }
    if (rank == 1 && !right) {
        __shared__ u64 b;
        init(&b);
        wait(&b, 0);
    }
    asm volatile("barrier.cluster.wait;" ::: "memory");
    out[rank] = rank;
}
TWINS(nobody_arrives) { one_arrives<right><<<2, 1>>>(buffer<int>(32)); }

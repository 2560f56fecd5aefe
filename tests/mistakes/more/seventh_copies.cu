/* seventh_copies.cu - of the seventh set: asynchronous copies, mbarriers, matrix fragments and
 * clusters. */
/* flags: -std=c++17 -arch=sm_90a */
#include "mistakes.h"

#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>
#include <mma.h>
#include <stdint.h>

namespace cg = cooperative_groups;

#pragma nv_diag_suppress 20054 /* the state of a pipeline is constructed by make_pipeline() */

#define I ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#define T ((int)threadIdx.x)

__device__ static unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* Two stages: the next tile is fetched into the stage that is being read. */
template <bool right> __global__ void two_stage(const float4 *in, float4 *out)
{
    __shared__ float4 s[2][64];
    float4 sum = make_float4(0, 0, 0, 0);
    __pipeline_memcpy_async(&s[0][T], &in[T], 16);
    __pipeline_commit();
    for (int k = 0; k < 4; k++) {
        __pipeline_wait_prior(0);
        __syncthreads();
        if (k < 3) {
            int stage = right ? (k + 1) % 2 : k % 2;
            const float4 *from = &in[64 * (k + 1) + T];
            __pipeline_memcpy_async(&s[stage][T], from, 16); // MISTAKE two_stage race
            __pipeline_commit();
        }
        sum.x += s[k % 2][(T + 1) % 64].x;
    }
    out[T] = sum;
}
TWINS(two_stage) { two_stage<right><<<1, 64>>>(buffer<float4>(256), buffer<float4>(64)); }

/* Zeros instead of what lies behind the end: the number of zeros is forgotten. */
template <bool right> __global__ void fetch_tail(const float4 *in, int n, float4 *out)
{
    __shared__ float4 s[64];
    bool behind = T >= n;
    const float4 *from = &in[right && behind ? 0 : T];
    __pipeline_memcpy_async(&s[T], from, 16, right && behind ? 16 : 0); // MISTAKE fetch_tail out
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[T] = s[T];
}
TWINS(fetch_tail) { fetch_tail<right><<<1, 64>>>(buffer<float4>(60), 60, buffer<float4>(64)); }

/* Rows of 33 words against bank conflicts, and copies of 16 bytes. */
template <bool right> __global__ void padded_rows(const float *in, float *out)
{
    __shared__ __align__(16) float s[32][right ? 36 : 33];
    int row = T / 8, column = T % 8 * 4;
    const float *from = &in[row * 32 + column];
    __pipeline_memcpy_async(&s[row][column], from, 16); // MISTAKE padded_rows aligned
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[T] = s[T % 32][row];
}
TWINS(padded_rows) { padded_rows<right><<<1, 256>>>(buffer<float>(1024), buffer<float>(256)); }

/* A pipeline of a block, two stages: nobody releases what has been consumed. */
template <bool right> __global__ void unreleased(const int *in, int *out)
{
    __shared__ int s[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&s[k % 2][T], &in[64 * k + T], sizeof(int), pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        sum += s[k % 2][T]; // MISTAKE unreleased race
        if (right) {
            pipe.consumer_release();
        }
    }
    out[T] = sum;
}
TWINS(unreleased) { unreleased<right><<<1, 64>>>(buffer<int>(256), buffer<int>(64)); }

/* Macros, so that each use has a line of its own. */
#define INIT(bar, count)                                                                           \
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(count)       \
                 : "memory")
#define ARRIVE(bar)                                                                                \
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(shared_address(bar)) \
                 : "memory")
#define EXPECT(bar, bytes)                                                                         \
    asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1; }" ::"r"(       \
                     shared_address(bar)),                                                         \
                 "r"(bytes)                                                                        \
                 : "memory")
#define FETCH(to, from, bytes, bar)                                                                \
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], "  \
                 "%2, [%3];" ::"r"(shared_address(to)),                                            \
                 "l"(from), "r"(bytes), "r"(shared_address(bar))                                   \
                 : "memory")
#define FETCH_BOX(to, map, bar)                                                                    \
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "    \
                 "[%0], [%1, {%2, %2}], [%3];" ::"r"(shared_address(to)),                          \
                 "l"(map), "r"(0), "r"(shared_address(bar))                                        \
                 : "memory")
#define LOAD_FOUR(r, row)                                                                          \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"                \
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                                  \
                 : "r"(shared_address(row)))
__device__ static void wait(uint64_t *bar, unsigned parity)
{
    unsigned done = 0;
    while (!done) {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(bar)), "r"(parity)
                     : "memory");
    }
}

/* A ring of three tiles: each is fetched again as soon as thread 0 has read it. */
template <bool right> __global__ void ring(const int *in, int *out)
{
    __shared__ __align__(16) int s[3][64];
    __shared__ uint64_t full[3];
    int sum = 0;
    if (T == 0) {
        for (int k = 0; k < 3; k++) {
            INIT(&full[k], 1);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        for (int k = 0; k < 3; k++) {
            EXPECT(&full[k], 256);
            FETCH(s[k], in + 64 * k, 256, &full[k]);
        }
    }
    __syncthreads();
    for (int k = 0; k < 6; k++) {
        wait(&full[k % 3], k / 3);
        sum += s[k % 3][63 - T];
        if (right) {
            __syncthreads();
        }
        if (T == 0 && k < 3) {
            EXPECT(&full[k], 256);
            FETCH(s[k], in + 64 * (k + 3), 256, &full[k]); // MISTAKE ring race
        }
    }
    out[T] = sum;
}
TWINS(ring) { ring<right><<<1, 64>>>(buffer<int>(384), buffer<int>(64)); }

/* Four matrices of 8 x 8 from a tile of 16 x 16: the lane's row is below the tile. */
template <bool right> __global__ void four_matrices(const __half *in, unsigned *out)
{
    __shared__ __align__(16) __half tile[16 * 16];
    for (int k = T; k < 256; k += 32) {
        tile[k] = in[k];
    }
    __syncwarp();
    unsigned r[4];
    int row = right ? T % 16 : T, column = right ? T / 16 * 8 : 0;
    LOAD_FOUR(r, tile + row * 16 + column); // MISTAKE four_matrices shared
    out[T] = r[0] + r[1] + r[2] + r[3];
}
TWINS(four_matrices) { four_matrices<right><<<1, 32>>>(buffer<__half>(256), buffer<unsigned>(32)); }

/* Rows of 36 halves do not all begin at a multiple of 16 bytes. */
template <bool right> __global__ void matrix_rows(const __half *in, unsigned *out)
{
    enum { ROW = right ? 40 : 36 };
    __shared__ __align__(16) __half tile[16 * ROW];
    for (int k = T; k < 16 * ROW; k += 32) {
        tile[k] = in[k];
    }
    __syncwarp();
    unsigned r[4];
    LOAD_FOUR(r, tile + T % 16 * ROW + T / 16 * 8); // MISTAKE matrix_rows aligned
    out[T] = r[0] + r[1] + r[2] + r[3];
}
TWINS(matrix_rows) { matrix_rows<right><<<1, 32>>>(buffer<__half>(640), buffer<unsigned>(32)); }

/* Where the accumulators of mma.m16n8k16 belong: a row is of four lanes, not of two. */
template <bool right> __global__ void fragment_rows(const unsigned *in, float *c)
{
    float d[4] = {0, 0, 0, 0};
    unsigned a[4] = {in[T], in[T + 32], in[T + 64], in[T + 96]}, b[2] = {in[T], in[T + 32]};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, "
                 "%7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    int row = right ? T / 4 : T / 8, column = T % 4 * 2;
    c[row * 8 + column] = d[0] + T; // MISTAKE fragment_rows race
    c[row * 8 + column + 1] = d[1];
    c[(row + 8) * 8 + column] = d[2];
    c[(row + 8) * 8 + column + 1] = d[3];
}
TWINS(fragment_rows) { fragment_rows<right><<<1, 32>>>(buffer<unsigned>(128), buffer<float>(128)); }

/* A leading dimension of 17 halves: every other row begins in the middle of a word. */
template <bool right> __global__ void leading(const __half *a, float *c)
{
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a, right ? 24 : 17); // MISTAKE leading aligned
    wmma::load_matrix_sync(fb, a, 24);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
TWINS(leading) { leading<right><<<1, 32>>>(buffer<__half>(400), buffer<float>(256)); }

/* The next of the last block of a cluster is none. */
template <bool right> __global__ void __cluster_dims__(4, 1, 1) to_the_next(int *out)
{
    __shared__ int s;
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    if (T == 0) {
        s = rank;
    }
    cluster.sync();
    int *next = cluster.map_shared_rank(&s, right ? (rank + 1) % 4 : rank + 1);
    out[I] = *next; // MISTAKE to_the_next cluster
    cluster.sync();
}
TWINS(to_the_next) { to_the_next<right><<<4, 32>>>(buffer<int>(128)); }

/* A tensor's box has 64 rows, the tile in shared memory 32. */
template <bool right> __global__ void boxed(const __grid_constant__ CUtensorMap map, float *out)
{
    __shared__ __align__(128) float tile[right ? 64 : 32][32];
    __shared__ uint64_t bar;
    if (T == 0) {
        INIT(&bar, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        EXPECT(&bar, 64 * 32 * 4);
        FETCH_BOX(tile, &map, &bar); // MISTAKE box_too_large shared
    }
    __syncthreads();
    wait(&bar, 0);
    out[T] = tile[T % 32][T / 32];
}
TWINS(box_too_large)
{
    float *a = buffer<float>(64 * 32);
    CUtensorMap map;
    cuuint64_t size[2] = {32, 64}, stride[1] = {128};
    cuuint32_t box[2] = {32, 64}, step[2] = {1, 1};
    void *entry;
    cudaDriverEntryPointQueryResult found;
    must(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &found));
    if (((decltype(&cuTensorMapEncodeTiled))entry)(
            &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, a, size, stride, box, step,
            CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
            CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) {
        exit(3);
    }
    boxed<right><<<1, 64>>>(map, buffer<float>(64));
}

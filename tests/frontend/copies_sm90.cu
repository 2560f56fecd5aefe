/* libcu++ on sm_90a: barriers that count bytes, memcpy_async that is a bulk copy through nvcc, pipelines, cuda::ptx (which our
 * headers for clang do not have), and another block's shared memory through this_cluster(). */
/* flags: -arch=sm_90a -std=c++17 */
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#if __has_include(<cuda/ptx>)
#include <cuda/ptx>
#define HAS_PTX 1
namespace ptx = cuda::ptx;
#endif
#include <cstdio>

namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;
enum { N = 256, TILES = 8 };

#ifdef HAS_PTX
__global__ void by_barrier(const int *in, int *out)
{
    __shared__ alignas(16) int tile[N];
    __shared__ barrier b;
    if (threadIdx.x == 0) {
        init(&b, blockDim.x);
        cuda::device::experimental::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::memcpy_async_tx(tile, in + blockIdx.x * N, cuda::aligned_size_t<16>(sizeof tile), b);
        token = cuda::device::barrier_arrive_tx(b, 1, sizeof tile);
    } else {
        token = b.arrive();
    }
    b.wait(std::move(token));
    const int value = tile[(threadIdx.x + 1) % N];
    __syncthreads();
    tile[threadIdx.x] = value * 2;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + blockIdx.x * N, tile, sizeof tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}
#endif

__global__ void by_memcpy_async(const int *in, int *out)
{
    auto block = cg::this_thread_block();
    __shared__ alignas(128) int tile[N];
    __shared__ barrier b;
    if (threadIdx.x == 0) {
        init(&b, blockDim.x);
    }
    block.sync();
    cuda::memcpy_async(block, tile, in + blockIdx.x * N, cuda::aligned_size_t<16>(sizeof tile), b);
    b.arrive_and_wait();
    out[blockIdx.x * N + threadIdx.x] = tile[(threadIdx.x + 1) % N] * 2;
}

__global__ void by_pipeline(const int *in, int *out)
{
    auto block = cg::this_thread_block();
    __shared__ alignas(128) int tile[2][N];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipeline = cuda::make_pipeline(block, &state);
    for (int fetch = 0, k = 0; k < TILES; k++) {
        for (; fetch < TILES && fetch < k + 2; fetch++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, tile[fetch % 2], in + fetch * N, cuda::aligned_size_t<16>(sizeof tile[0]), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        out[k * N + threadIdx.x] = tile[k % 2][(threadIdx.x + 1) % N] * 2;
        pipeline.consumer_release();
    }
}

__global__ void __cluster_dims__(4, 1, 1) by_cluster(const int *in, int *out)
{
    auto cluster = cg::this_cluster();
    __shared__ int tile[N];
    tile[threadIdx.x] = in[blockIdx.x * N + threadIdx.x];
    cluster.sync();
    const int *next = cluster.map_shared_rank(tile, (cluster.block_rank() + 1) % cluster.num_blocks());
    out[blockIdx.x * N + threadIdx.x] = next[threadIdx.x] + (int)cluster.num_threads();
    cluster.sync();
}

static int wrong(const char *what, const int *out, bool clusters)
{
    cudaError_t e = cudaDeviceSynchronize();
    int bad = e != cudaSuccess;
    for (int i = 0; i < TILES * N; i++) {
        const int tile = i / N, at = i % N;
        const int expected = clusters ? ((tile / 4 * 4 + (tile + 1) % 4) * N + at) * 3 + 4 * N : (tile * N + (at + 1) % N) * 3 * 2;
        bad += out[i] != expected;
    }
    if (bad) {
        printf("%s: %d wrong (%s)\n", what, bad, cudaGetErrorString(e));
    }
    return bad != 0;
}

int main()
{
    int *in, *out, failed = 0;
    cudaMallocManaged(&in, TILES * N * sizeof(int));
    cudaMallocManaged(&out, TILES * N * sizeof(int));
    for (int i = 0; i < TILES * N; i++) {
        in[i] = 3 * i;
    }
#ifdef HAS_PTX
    by_barrier<<<TILES, N>>>(in, out);
    failed += wrong("barrier", out, false);
#endif
    by_memcpy_async<<<TILES, N>>>(in, out);
    failed += wrong("memcpy_async", out, false);
    by_pipeline<<<1, N>>>(in, out);
    failed += wrong("pipeline", out, false);
    by_cluster<<<TILES, N>>>(in, out);
    failed += wrong("cluster", out, true);
    return failed != 0;
}

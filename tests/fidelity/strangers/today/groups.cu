/* groups.cu - cooperative groups: tiles, partitions, reductions, scans, clusters, the whole grid. */
#include "today.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>

namespace cg = cooperative_groups;

__global__ void dot_tiles(const float *a, const float *b, float *out, int n)
{
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    float sum = 0;
    for (int i = tile.thread_rank() + tile.meta_group_rank() * n; i < (tile.meta_group_rank() + 1) * n; i += tile.size())
        sum += a[i] * b[i];
    sum = cg::reduce(tile, sum, cg::plus<float>());
    if (tile.thread_rank() == 0)
        out[blockIdx.x * tile.meta_group_size() + tile.meta_group_rank()] = sum;
}

__global__ void label_sums(const int *keys, const int *values, int *out)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int i = cg::this_grid().thread_rank();
    auto same = cg::labeled_partition(warp, keys[i] & 3);
    int sum = cg::reduce(same, values[i] & 0xfff, cg::plus<int>());
    if (same.thread_rank() == 0)
        atomicAdd(&out[keys[i] & 3], sum);
    out[1024 + i] = same.size() * 100 + same.thread_rank();
}

__global__ void scan_tiles(const unsigned *in, unsigned *out)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i] >> 20;
    unsigned sum = cg::inclusive_scan(tile, v), before = cg::exclusive_scan(tile, v, cg::plus<unsigned>());
    unsigned most = cg::inclusive_scan(tile, v, cg::greater<unsigned>());
    out[i] = sum * 3 + before + most;
}

__device__ int next_slot(int *counter)
{
    auto active = cg::coalesced_threads();
    int first = 0;
    if (active.thread_rank() == 0)
        first = atomicAdd(counter, (int)active.size());
    return active.shfl(first, 0) + active.thread_rank();
}

__global__ void aggregated_filter(const int *in, int *out, int *counter, int n)
{
    int i = threadIdx.x;
    for (; i < n; i += blockDim.x)
        if (in[i] & 1)
            out[next_slot(counter) % 32768] = 1;
}

__global__ void split_by_sign(const int *in, int *out)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto side = cg::binary_partition(warp, in[i] % 2 == 0);
    int best = cg::reduce(side, in[i] & 0xffff, cg::greater<int>());
    out[i] = best + side.any(in[i] % 5 == 0) + side.num_threads();
}

__global__ void __cluster_dims__(4, 1, 1) cluster_histogram(const unsigned *in, unsigned *out, int n)
{
    __shared__ unsigned bins[64];
    auto cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < 64; i += blockDim.x)
        bins[i] = 0;
    cluster.sync();
    for (int i = cluster.thread_rank(); i < n; i += cluster.num_threads()) {
        unsigned bin = in[i] & 255;
        unsigned *there = cluster.map_shared_rank(bins, bin / 64);
        atomicAdd(&there[bin % 64], 1u);
    }
    cluster.sync();
    for (int i = threadIdx.x; i < 64; i += blockDim.x)
        out[(blockIdx.x % 4) * 64 + i + blockIdx.x / 4 * 256] = bins[i];
}

__global__ void __cluster_dims__(2, 2, 1) cluster_exchange(const float4 *in, float4 *out)
{
    __shared__ float4 mine[64];
    auto cluster = cg::this_cluster();
    int at = (blockIdx.y * gridDim.x + blockIdx.x) * 64 + threadIdx.x;
    mine[threadIdx.x] = in[at];
    cluster.sync();
    float4 sum = make_float4(0, 0, 0, 0);
    for (unsigned r = 0; r < cluster.num_blocks(); r++) {
        const float4 *other = cluster.map_shared_rank(mine, (cluster.block_rank() + r) % cluster.num_blocks());
        float4 v = other[63 - threadIdx.x];
        sum = make_float4(sum.x + v.x, sum.y + v.y, sum.z + v.z, sum.w + v.w);
    }
    cluster.sync();
    out[at] = sum;
}

__global__ void grid_power(const float *m, float *x, float *y, int n)
{
    auto grid = cg::this_grid();
    for (int round = 0; round < 2; round++) {
        for (int row = grid.thread_rank(); row < n; row += grid.size()) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += m[row * n + k] * x[k];
            y[row] = sum;
        }
        grid.sync();
        for (int row = grid.thread_rank(); row < n; row += grid.size())
            x[row] = y[row] * 0.01f;
        cg::sync(grid);
    }
}

__global__ void copy_and_sum(const int *in, int *out, int n)
{
    __shared__ alignas(16) int stage[512];
    auto block = cg::this_thread_block();
    int sum = 0;
    for (int at = 0; at < n; at += 512) {
        cg::memcpy_async(block, stage, in + blockIdx.x * n + at, sizeof(int) * 512);
        cg::wait(block);
        for (int i = block.thread_rank(); i < 512; i += block.size())
            sum += stage[i] >> 8;
        block.sync();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void copy_two_ahead(const float *in, float *out, int tiles)
{
    __shared__ float stage[2][128];
    auto block = cg::this_thread_block();
    float sum = 0;
    cg::memcpy_async(block, stage[0], in, sizeof stage[0]);
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles) {
            cg::memcpy_async(block, stage[(k + 1) & 1], in + (k + 1) * 128, sizeof stage[0]);
            cg::wait_prior<1>(block);
        } else {
            cg::wait(block);
        }
        sum += stage[k & 1][127 - block.thread_rank()];
        block.sync();
    }
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}

__global__ void votes_in_tiles(const int *in, unsigned *out)
{
    auto four = cg::tiled_partition<4>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i] & 3;
    unsigned same = four.match_any(v), odd = four.ballot(v & 1);
    out[i] = same | odd << 8 | four.all(v < 3) << 16 | four.shfl_xor(v, 1) << 20;
}

__global__ void scoped_counters(const int *in, int *out, int n)
{
    __shared__ int local;
    if (threadIdx.x == 0)
        local = 0;
    __syncthreads();
    cuda::atomic_ref<int, cuda::thread_scope_block> here(local);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 7 == 0)
        here.fetch_add(1, cuda::memory_order_relaxed);
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::atomic_ref<int, cuda::thread_scope_device> total(out[0]), most(out[1]);
        total.fetch_add(here.load(), cuda::memory_order_relaxed);
        most.fetch_max(local);
    }
}

void run_groups(void)
{
    const int *in = (const int *)d_in;
    int *out = (int *)d_out;
    float *const x = (float *)d_in, *const y = (float *)d_out;
    RUN(dot_tiles, FLOATS, dot_tiles<<<4, 128>>>(x, x + 4096, y, 50));
    RUN(label_sums, WHOLE, label_sums<<<4, 128>>>(in, in + 1024, out));
    RUN(scan_tiles, WHOLE, scan_tiles<<<4, 128>>>(d_in, d_out));
    RUN(aggregated_filter, WHOLE, aggregated_filter<<<1, 128>>>(in, out, out + 40000, 3000));
    RUN(split_by_sign, WHOLE, split_by_sign<<<4, 128>>>(in, out));
    RUN(cluster_histogram, WHOLE, cluster_histogram<<<8, 128>>>(d_in, d_out, 3000));
    RUN(cluster_exchange, FLOATS, cluster_exchange<<<dim3(2, 4), 64>>>((float4 *)d_in, (float4 *)d_out));
    begin(FLOATS);
    int n = 100;
    float *vector = x + 32768;
    void *arguments[] = {(void *)&x, &vector, (void *)&y, &n};
    MUST(cudaLaunchCooperativeKernel((void *)grid_power, 3, 64, arguments, 0, 0));
    show("grid_power");
    RUN(copy_and_sum, WHOLE, copy_and_sum<<<3, 128>>>(in, out, 2048));
    RUN(copy_two_ahead, FLOATS, copy_two_ahead<<<3, 128>>>(x, y, 7));
    RUN(votes_in_tiles, WHOLE, votes_in_tiles<<<4, 128>>>(in, d_out));
    RUN(scoped_counters, WHOLE, scoped_counters<<<4, 128>>>(in, out, 500));
}

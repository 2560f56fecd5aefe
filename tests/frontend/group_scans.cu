/* Reductions, scans, partitions and copies of cooperative groups. The sums are of floats, so the
 * expected text, which nvcc's headers gave, holds the order of every one of them. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#include <cstdio>
namespace cg = cooperative_groups;
/* Operations of the program's own. */
struct maxop {
    __device__ float operator()(float a, float b) const { return a > b ? a : b; }
};
template <int N> __device__ void tile(float v, float *o)
{
    auto b = cg::this_thread_block();
    auto t = cg::tiled_partition<N>(b);
    o[0] = cg::reduce(t, v, cg::plus<float>());
    o[1] = cg::inclusive_scan(t, v);
    o[2] = cg::exclusive_scan(t, v);
    o[3] = cg::inclusive_scan(t, v, cg::greater<float>());
    o[4] = cg::exclusive_scan(t, v, cg::plus<float>());
    o[5] = cg::reduce(t, v, maxop());
    o[6] = cg::reduce(t, v * v, [](float a, float b) { return a * 0.5f + b; });
    o[7] = cg::inclusive_scan(t, v, [](float a, float b) { return a + 2 * b; });
}
__global__ void k(const float *in, float *out)
{
    float v = in[threadIdx.x];
    float *o = out + threadIdx.x * 48;
    auto b = cg::this_thread_block();
    tile<32>(v, o);
    tile<8>(v, o + 8);
    tile<2>(v, o + 16);
    auto t = cg::tiled_partition<32>(b);
    auto l = cg::labeled_partition(t, threadIdx.x % 5);
    o[24] = cg::reduce(l, v, cg::plus<float>());
    o[25] = cg::inclusive_scan(l, v, cg::plus<float>());
    o[26] = cg::exclusive_scan(l, v);
    o[27] = l.size() + l.thread_rank() * 100 + l.meta_group_rank() * 10000 +
            l.meta_group_size() * 1000000;
    if (threadIdx.x % 3) {
        auto c = cg::coalesced_threads();
        o[28] = cg::reduce(c, v, cg::plus<float>());
        o[29] = cg::inclusive_scan(c, v);
        o[30] = cg::reduce(c, (int)threadIdx.x, cg::bit_xor<int>());
        o[31] = c.shfl_down(v, 2) + c.shfl_up(v, 1) + c.shfl(v, 3);
        auto d = cg::labeled_partition(c, threadIdx.x % 2);
        o[32] = cg::reduce(d, v, cg::less<float>());
        o[33] = d.meta_group_rank();
    }
    auto bp = cg::binary_partition(t, threadIdx.x & 4);
    o[34] = cg::exclusive_scan(bp, v, cg::plus<float>());
    o[35] = bp.meta_group_rank();
    o[36] = bp.meta_group_size();
    long long w = cg::reduce(t, (long long)threadIdx.x << 33, cg::plus<long long>());
    o[37] = (float)w;
    double d = cg::reduce(t, (double)v, cg::plus<double>());
    o[38] = (float)d;
    o[39] = (float)(d * 1e6 - floor(d * 1e6));
    __shared__ float s[64];
    cg::memcpy_async(b, s, 64, in, 64);
    cg::wait(b);
    o[40] = s[63 - threadIdx.x];
    b.sync();
    cg::memcpy_async(b, s, in, sizeof(float) * 32);
    cg::memcpy_async(b, s + 32, in, sizeof(float) * 32);
    cg::wait_prior<1>(b);
    o[41] = s[threadIdx.x % 32];
    cg::wait(b);
    o[42] = s[63 - threadIdx.x];
}
__global__ void partitions(int *o)
{
    auto t = cg::tiled_partition<32>(cg::this_thread_block());
    int i = threadIdx.x;
    auto l = cg::labeled_partition(t, 4 - i % 5);
    o[i] = l.meta_group_rank() * 100 + l.meta_group_size();
    auto b = cg::binary_partition(t, !(i & 4));
    o[32 + i] = b.meta_group_rank() * 100 + b.meta_group_size();
    auto c = cg::binary_partition(t, true);
    o[64 + i] = c.meta_group_rank() * 100 + c.meta_group_size();
    auto d = cg::binary_partition(t, false);
    o[96 + i] = d.meta_group_rank() * 100 + d.meta_group_size();
    auto t8 = cg::tiled_partition<8>(t);
    auto e = cg::labeled_partition(t8, i % 3);
    o[128 + i] = e.meta_group_rank() * 100 + e.meta_group_size();
    if (i % 2) {
        auto g = cg::coalesced_threads();
        auto h = cg::tiled_partition(g, 4);
        o[160 + i] = h.thread_rank() + h.size() * 100;
        auto f = cg::labeled_partition(g, i % 3);
        o[192 + i] = f.meta_group_rank() * 100 + f.meta_group_size() + f.num_threads() * 10000;
    }
}
/* Tiles of several warps; results that go to memory, or into an atomic. */
template <int N> __global__ void large(const float *in, float *o, float *most)
{
    __shared__ cg::block_tile_memory<256> memory;
    auto b = cg::this_thread_block(memory);
    auto t = cg::tiled_partition<N>(b);
    const int i = (int)threadIdx.x;
    float v = in[i % 64] + (float)(i % 5), *at = o + i * 6;
    at[0] = cg::inclusive_scan(t, v);
    at[1] = cg::exclusive_scan(t, v);
    at[2] = cg::inclusive_scan(t, v, [](float x, float y) { return x * 0.5f + y; });
    at[3] = cg::exclusive_scan(t, v, [](float x, float y) { return x * 0.25f - y; });
    at[4] = (float)cg::exclusive_scan(t, i % 7, cg::plus<int>());
    at[5] = 0;
    b.sync();
    cg::reduce_store_async(t, o + N * t.meta_group_rank() * 6 + 5, v, cg::plus<float>());
    cuda::atomic_ref<float, cuda::thread_scope_device> atomic(*most);
    cg::reduce_update_async(t, atomic, v, cg::greater<float>());
    cg::reduce_update_async(cg::tiled_partition<32>(b), *(cuda::atomic<int, cuda::thread_scope_device> *)(most + 1),
                            i, cg::plus<int>());
}

static unsigned hash(const unsigned *words, int count, int stride)
{
    unsigned h = 0;
    for (int i = 0; i < count; i++)
        h = h * 31 + words[i * stride];
    return h;
}

int main()
{
    float *a, *o;
    int *p;
    cudaMallocManaged(&a, 64 * sizeof *a);
    cudaMallocManaged(&o, 64 * 48 * sizeof *o);
    cudaMallocManaged(&p, 224 * sizeof *p);
    cudaMemset(o, 0, 64 * 48 * sizeof *o);
    cudaMemset(p, 0, 224 * sizeof *p);
    for (int i = 0; i < 64; i++)
        a[i] = 1.f / (float)(i + 1) + (float)i * .37f;
    k<<<1, 64>>>(a, o);
    partitions<<<1, 32>>>(p);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    for (int j = 0; j < 43; j++)
        printf("%d: %08x %g\n", j, hash((unsigned *)o + j, 64, 48), o[7 * 48 + j]);
    for (int j = 0; j < 7; j++)
        printf("partition %d: %08x %d\n", j, hash((unsigned *)p + 32 * j, 32, 1), p[32 * j + 7]);
    for (int n = 64; n <= 256; n *= 4) {
        cudaMemset(p, 0, 2 * sizeof *p);
        (n == 64 ? large<64> : large<256>)<<<1, 256>>>(a, o, (float *)p);
        printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
        for (int j = 0; j < 6; j++)
            printf("tiles of %d, %d: %08x %g\n", n, j, hash((unsigned *)o + j, 256, 6), o[200 * 6 + j]);
        printf("%g %d\n", *(float *)p, p[1]);
    }
    return 0;
}

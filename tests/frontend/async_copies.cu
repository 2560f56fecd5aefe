/* cuda::barrier, cuda::pipeline, cuda::latch, semaphores, and the copies that they wait for. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <new>
namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;
template <int K> __global__ void copies(const int *in, int *out)
{
    __shared__ barrier bar;
    __shared__ alignas(16) int s[256];
    auto b = cg::this_thread_block();
    if (b.thread_rank() == 0)
        init(&bar, b.size());
    b.sync();
    if (K == 0)
        cuda::memcpy_async(b, s, in, sizeof(s), bar);
    if (K == 1)
        cuda::memcpy_async(b, s, in, cuda::aligned_size_t<16>(sizeof(s)), bar);
    if (K == 2)
        cuda::memcpy_async(b, (char *)s, (const char *)in, sizeof(s), bar);
    if (K == 3)
        cuda::memcpy_async(b, (int4 *)s, (const int4 *)in, sizeof(s), bar);
    if (K == 4)
        cuda::memcpy_async(b, (void *)s, (const void *)in, sizeof(s), bar);
    if (K == 5)
        cuda::memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 4, bar);
    if (K == 6)
        cg::memcpy_async(b, s, in, sizeof(s));
    if (K == 7)
        cg::memcpy_async(b, s, 256, in, 256);
    if (K == 8)
        cg::memcpy_async(b, (char *)s, (const char *)in, sizeof(s));
    if (K == 9)
        cg::memcpy_async(b, s, in, cuda::aligned_size_t<16>(sizeof(s)));

    if (K == 10) {
        auto t = cg::tiled_partition<32>(b);
        cuda::memcpy_async(t, s + 32 * t.meta_group_rank(), in + 32 * t.meta_group_rank(),
                           cuda::aligned_size_t<16>(128), bar);
    }
    if (K == 11) {
        if (b.thread_rank() == 0)
            s[0] = in[0]; // what the copy leaves out
        cuda::memcpy_async(b, s + 1, in + 1, sizeof(s) - 4, bar);
    }
    if (K == 12)
        cuda::memcpy_async(b, (double *)s, (const double *)in, sizeof(s), bar);
    if (K < 6 || K > 9)
        bar.arrive_and_wait();
    else
        cg::wait(b);
    out[threadIdx.x] = s[255 - threadIdx.x];
}
__global__ void pipelines(const int *in, int *out, int n)
{
    auto b = cooperative_groups::this_thread_block();
    constexpr size_t stages = 2;
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> st;
    __shared__ int s[stages][64];
    auto p = cuda::make_pipeline(b, &st);
    int sum = 0;
    for (int c = 0, f = 0; c < n; c++) {
        for (; f < n && f < c + (int)stages; f++) {
            p.producer_acquire();
            cuda::memcpy_async(b, s[f % stages], in + f * 64,
                               cuda::aligned_size_t<4>(sizeof(int) * 64), p);
            p.producer_commit();
        }
        p.consumer_wait();
        b.sync();
        sum += s[c % stages][63 - threadIdx.x];
        b.sync();
        p.consumer_release();
    }
    out[threadIdx.x] = sum;
    cuda::pipeline<cuda::thread_scope_thread> tp = cuda::make_pipeline();
    tp.producer_acquire();
    cuda::memcpy_async(&s[0][threadIdx.x], in + threadIdx.x, sizeof(int), tp);
    tp.producer_commit();
    cuda::pipeline_consumer_wait_prior<0>(tp);
    out[threadIdx.x] += s[0][threadIdx.x];
    tp.consumer_release();
}
__global__ void roles(const int *in, int *out)
{
    auto block = cg::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int s[2][32];
    bool produces = threadIdx.x < 32;
    auto p = cuda::make_pipeline(
        block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    int sum = 0;
    for (int i = 0; i < 8; i++) {
        if (produces) {
            p.producer_acquire();
            cuda::memcpy_async(&s[i % 2][threadIdx.x], in + i * 32 + threadIdx.x, sizeof(int), p);
            p.producer_commit();
        } else {
            p.consumer_wait();
            sum += s[i % 2][63 - threadIdx.x];
            p.consumer_release();
        }
    }
    if (!produces)
        out[threadIdx.x - 32] = sum;
}
struct count_phases {
    int *phases;
    __host__ __device__ void operator()() noexcept { ++*phases; }
};
/* A barrier of the device's scope in global memory, and one with a function for the end of a phase.
 */
__global__ void phases(cuda::barrier<cuda::thread_scope_device> *all, int *seen, int *out)
{
    __shared__ int ends;
    __shared__ alignas(8) char room[sizeof(cuda::barrier<cuda::thread_scope_block, count_phases>)];
    auto *own = (cuda::barrier<cuda::thread_scope_block, count_phases> *)room;
    if (threadIdx.x == 0) {
        ends = 0;
        new (own)
            cuda::barrier<cuda::thread_scope_block, count_phases>(blockDim.x, count_phases{&ends});
    }
    __syncthreads();
    atomicAdd(seen, 1);
    all->arrive_and_wait();
    if (*(volatile int *)seen != (int)(gridDim.x * blockDim.x))
        atomicAdd(out + 1, 1);
    for (int i = 0; i < 3; i++)
        own->arrive_and_wait();
    if (threadIdx.x == 5)
        own->arrive_and_drop();
    else
        own->arrive_and_wait();
    __syncthreads();
    atomicAdd(out, ends);
}
__global__ void locks(int *o)
{
    __shared__ cuda::binary_semaphore<cuda::thread_scope_block> s;
    __shared__ alignas(8) char lm[8];
    auto &l = *(cuda::latch<cuda::thread_scope_block> *)lm;
    __shared__ int v;
    if (threadIdx.x == 0) {
        new (&s) cuda::binary_semaphore<cuda::thread_scope_block>(1);
        new (&l) cuda::latch<cuda::thread_scope_block>(blockDim.x);
        v = 0;
    }
    __syncthreads();
    s.acquire();
    v = v + 1;
    s.release();
    l.arrive_and_wait();
    if (threadIdx.x == 0)
        *o = v;
}

static int *a, *o;
static void show(const char *name)
{
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s: %s %d %d %d\n", name, cudaGetErrorString(status), o[0], o[5], o[31]);
    cudaMemset(o, 0, 1024);
}
template <int K> void copy()
{
    copies<K><<<1, 256>>>(a, o);
    show("copies");
}
int main()
{
    cuda::barrier<cuda::thread_scope_device> *all;
    int *seen;
    cudaMallocManaged(&a, 2048);
    cudaMallocManaged(&o, 1024);
    cudaMallocManaged(&all, sizeof *all);
    cudaMallocManaged(&seen, sizeof *seen);
    cudaMemset(o, 0, 1024);
    for (int i = 0; i < 512; i++)
        a[i] = i * i;
    copy<0>();
    copy<1>();
    copy<2>();
    copy<3>();
    copy<4>();
    copy<5>();
    copy<6>();
    copy<7>();
    copy<8>();
    copy<9>();
    copy<10>();
    copy<11>();
    copy<12>();
    pipelines<<<1, 64>>>(a, o, 8);
    show("pipelines");
    roles<<<1, 64>>>(a, o);
    show("roles");
    locks<<<1, 64>>>(o);
    show("locks");
    *seen = 0;
    new (all) cuda::barrier<cuda::thread_scope_device>(128);
    phases<<<2, 64>>>(all, seen, o);
    show("phases");
    return 0;
}

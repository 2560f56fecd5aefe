/* fourth.cu - of the fourth set of mistakes those that were missed when they were first run, or
 * reported at a line of a header; fourth_clusters.cu has those of clusters, more/ the others. */
#include "mistakes.h"
#include <algorithm>
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <mma.h>

namespace cg = cooperative_groups;

#pragma nv_diag_suppress static_var_with_dynamic_init

/* An accumulator that nobody has set goes through two products. */
template <bool right> __global__ void wmma_unset(const half *a, const half *b, float *out)
{
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    if (right)
        wmma::fill_fragment(fc, 0.0f);
    for (int k = 0; k < 2; k++) {
        wmma::load_matrix_sync(fa, a + 256 * k, 16);
        wmma::load_matrix_sync(fb, b + 256 * k, 16);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(out, fc, 16, wmma::mem_row_major); // MISTAKE wmma_unset uninitialised
}
TWINS(wmma_unset)
{
    wmma_unset<right><<<1, 32>>>(buffer<half>(512), buffer<half>(512), buffer<float>(256));
}

/* The copy is a lambda's, and reported at its line, not at one of the header. */
template <bool right> __global__ void release_early(const int *in, int *out)
{
    constexpr int stages = 2;
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    __shared__ int s[stages][64];
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    auto fill = [&](int k) {
        pipe.producer_acquire();
        const int *from = in + k * 64;
        cuda::memcpy_async(block, s[k % stages], from, 256, pipe); // MISTAKE release_early race
        pipe.producer_commit();
    };
    fill(0);
    fill(1);
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        pipe.consumer_wait();
        if (right)
            sum += s[k % stages][63 - threadIdx.x];
        pipe.consumer_release();
        if (k + 2 < 4)
            fill(k + 2);
        if (!right)
            sum += s[k % stages][63 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
TWINS(release_early) { release_early<right><<<1, 64>>>(buffer<int>(256), buffer<int>(64)); }

/* A relaxed load of the flag orders nothing, and the barrier behind it makes no acquire of it. */
template <bool right> __global__ void relaxed_load(float2 *data, unsigned *flag, float *out)
{
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> f(*flag);
    if (blockIdx.x == 1) {
        data[threadIdx.x] = make_float2(1, 2);
        __syncthreads();
        if (threadIdx.x == 0)
            f.store(1, cuda::memory_order_release);
    } else {
        const auto order = right ? cuda::memory_order_acquire : cuda::memory_order_relaxed;
        if (threadIdx.x == 0) {
            while (f.load(order) != 1) {
            }
        }
        __syncthreads();
        float2 v = data[31 - threadIdx.x]; // MISTAKE relaxed_load race
        out[threadIdx.x] = v.x + v.y;
    }
}
TWINS(relaxed_load)
{
    relaxed_load<right><<<2, 32>>>(buffer<float2>(32), buffer<unsigned>(1), buffer<float>(32));
}

/* The same, cured by a fence of those who read. */
template <bool right> __global__ void relaxed_fence(int *data, unsigned *flag, int *out)
{
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> f(*flag);
    if (blockIdx.x == 1) {
        data[threadIdx.x] = 3;
        __syncthreads();
        if (threadIdx.x == 0)
            f.store(1, cuda::memory_order_release);
    } else {
        if (threadIdx.x == 0) {
            while (f.load(cuda::memory_order_relaxed) != 1) {
            }
            if (right)
                cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
        }
        __syncthreads();
        out[threadIdx.x] = data[63 - threadIdx.x]; // MISTAKE relaxed_fence race
    }
}
TWINS(relaxed_fence)
{
    relaxed_fence<right><<<2, 64>>>(buffer<int>(64), buffer<unsigned>(1), buffer<int>(64));
}

/* The program has used no memory of the GPU when it ends. */
TWINS(event_leak)
{
    cudaEvent_t e = nullptr;
    for (int k = 0; k < 3; k++) {
        if (!right || !e)
            must(cudaEventCreate(&e)); // MISTAKE event_leak leak
        must(cudaEventRecord(e));
    }
    must(cudaEventDestroy(e));
}

__global__ void fill(int *a, int v) { a[blockIdx.x * blockDim.x + threadIdx.x] = v; }
/* The host's read is inlined from a header of the C++ library. */
TWINS(header_read)
{
    cudaStream_t s;
    must(cudaStreamCreate(&s));
    int n = 1 << 14, *d = buffer<int>(n);
    int *h;
    must(cudaHostAlloc(&h, n * sizeof(int), 0));
    fill<<<n / 256, 256, 0, s>>>(d, 1);
    must(cudaMemcpyAsync(h, d, n * sizeof(int), cudaMemcpyDeviceToHost, s));
    if (right)
        must(cudaStreamSynchronize(s));
    const int *found = std::find(h, h + n, 7); // MISTAKE header_read race
    must(cudaDeviceSynchronize());
    if (found != h + n)
        puts("seven");
    must(cudaFreeHost(h));
    must(cudaStreamDestroy(s));
}

/* Many threads try for a semaphore again and again: what they did before is not asked for each
 * time. */
template <bool right> __global__ void many_try(int *out)
{
    __shared__ cuda::binary_semaphore<cuda::thread_scope_block> free;
    __shared__ int count;
    if (threadIdx.x == 0) {
        new (&free) cuda::binary_semaphore<cuda::thread_scope_block>(1);
        count = 0;
    }
    __syncthreads();
    free.acquire();
    if (right)
        count = count + 1;
    free.release();
    if (!right)
        count = count + 1; // MISTAKE many_try race
    __syncthreads();
    *out = count;
}
TWINS(many_try) { many_try<right><<<1, 64>>>(buffer<int>(1)); }

/* A struct goes through a shuffle word by word: its padding, which clang keeps in local memory,
 * never had a value. */
struct padded {
    short tile;
    double number;
};
static __device__ int add_times(int *sum, int by, int times)
{
    return atomicAdd(sum, by * times); // MISTAKE shuffled uninitialised
}
template <bool right> __global__ void shuffled(int *sum, padded *out)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    const int i = (int)threadIdx.x;
    const int number = cg::invoke_one_broadcast(tile, add_times, sum, 1, 1);
    out[i] = cg::invoke_one_broadcast(
        tile,
        [](int k, int at) -> padded {
            return {(short)(at / 8), k + 0.5};
        },
        number, i);
}
TWINS(shuffled)
{
    int *sum;
    must(cudaMalloc(&sum, sizeof *sum));
    if (right)
        must(cudaMemset(sum, 0, sizeof *sum));
    shuffled<right><<<1, 64>>>(sum, buffer<padded>(64));
    must(cudaFree(sum));
}

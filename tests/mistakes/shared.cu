/* Races on shared memory, within a block and within a warp. */
#include "mistakes.h"

#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <mma.h>

namespace cg = cooperative_groups;

template <bool right> __global__ void reverse(int *out)
{
    __shared__ int tile[128];
    tile[threadIdx.x] = threadIdx.x;
    if (right) {
        __syncthreads();
    }
    out[threadIdx.x] = tile[127 - threadIdx.x]; // MISTAKE read_before_barrier race
}
TWINS(read_before_barrier) { reverse<right><<<2, 128>>>(buffer<int>(128)); }

template <bool right> __global__ void phases(const float *in, float *out)
{
    __shared__ float tile[64];
    float sum = 0;
    for (int phase = 0; phase < 4; phase++) {
        tile[threadIdx.x] = in[phase * 64 + threadIdx.x]; // MISTAKE write_after_read race
        __syncthreads();
        sum += tile[(threadIdx.x + 33) % 64];
        if (right) {
            __syncthreads();
        }
    }
    out[threadIdx.x] = sum;
}
TWINS(write_after_read) { phases<right><<<1, 64>>>(buffer<float>(256), buffer<float>(64)); }

template <bool right> __global__ void count(int *out)
{
    __shared__ int counter;
    if (threadIdx.x == 0) {
        counter = 0;
    }
    __syncthreads();
    if (right) {
        atomicAdd(&counter, 1);
    } else {
        counter++; // MISTAKE shared_counter race
    }
    __syncthreads();
    out[threadIdx.x] = counter;
}
TWINS(shared_counter) { count<right><<<1, 96>>>(buffer<int>(96)); }

template <bool right> __global__ void init(int *out)
{
    __shared__ int counter;
    if (threadIdx.x == 0) {
        counter = 0;
    }
    if (right) {
        __syncthreads();
    }
    atomicAdd(&counter, 1); // MISTAKE init_without_barrier race
    __syncthreads();
    out[threadIdx.x] = counter;
}
TWINS(init_without_barrier) { init<right><<<1, 96>>>(buffer<int>(96)); }

template <bool right> __global__ void tree(const float *in, float *out)
{
    __shared__ float s[256];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (unsigned stride = 128; stride > 0; stride /= 2) {
        if (t < stride) {
            s[t] += s[t + stride]; // MISTAKE tree_without_barrier race
        }
        if (right) {
            __syncthreads();
        }
    }
    if (t == 0) {
        out[0] = s[0];
    }
}
TWINS(tree_without_barrier) { tree<right><<<1, 256>>>(buffer<float>(256), buffer<float>(1)); }

template <bool right> __global__ void exchange(int *out)
{
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    if (right) {
        __syncwarp();
    }
    out[threadIdx.x] = s[threadIdx.x ^ 1]; // MISTAKE exchange_without_syncwarp race
}
TWINS(exchange_without_syncwarp) { exchange<right><<<1, 32>>>(buffer<int>(32)); }

template <bool right> __global__ void old_warp_reduction(float *out)
{
    __shared__ float s[64];
    unsigned t = threadIdx.x;
    s[t] = s[t + 32] = (float)t;
    __syncwarp();
    volatile float *v = s;
    for (int d = 16; d > 0; d /= 2) {
        float x = v[t + d]; // MISTAKE volatile_is_no_syncwarp race
        if (right) {
            __syncwarp();
        }
        v[t] += x;
        if (right) {
            __syncwarp();
        }
    }
    out[t] = v[t];
}
TWINS(volatile_is_no_syncwarp) { old_warp_reduction<right><<<1, 32>>>(buffer<float>(32)); }

template <bool right> __global__ void half_the_mask(int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    if (right) {
        __syncwarp();
    } else {
        __syncwarp(t < 16 ? 0xffff : 0xffff0000);
    }
    out[t] = s[(t + 16) % 32]; // MISTAKE syncwarp_of_half race
}
TWINS(syncwarp_of_half) { half_the_mask<right><<<1, 32>>>(buffer<int>(32)); }

template <bool right> __global__ void tiles(int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    s[t] = t;
    tile.sync();
    out[t] = s[right ? t ^ 7 : t ^ 8]; // MISTAKE tile_reads_another_tile race
}
TWINS(tile_reads_another_tile) { tiles<right><<<1, 32>>>(buffer<int>(32)); }

template <bool right> __global__ void same_element(int *out)
{
    __shared__ int winner;
    if (right) {
        winner = 7; /* all the same */
    } else {
        winner = threadIdx.x; // MISTAKE all_write_one_element race
    }
    __syncthreads();
    out[threadIdx.x] = winner;
}
TWINS(all_write_one_element) { same_element<right><<<1, 64>>>(buffer<int>(64)); }

template <bool right> __global__ void copy_ahead(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], sizeof(int));
    __pipeline_commit();
    if (right) {
        __pipeline_wait_prior(0);
    }
    __syncthreads();
    out[t] = s[63 - t]; // MISTAKE async_copy_not_waited race
}
TWINS(async_copy_not_waited) { copy_ahead<right><<<1, 64>>>(buffer<int>(64), buffer<int>(64)); }

template <bool right> __global__ void two_stages(const int *in, int *out)
{
    __shared__ int s[2][64];
    int t = threadIdx.x;
    for (int i = 0; i < 2; i++) {
        __pipeline_memcpy_async(&s[i][t], &in[i * 64 + t], sizeof(int));
        __pipeline_commit();
    }
    if (right) {
        __pipeline_wait_prior(0);
    } else {
        __pipeline_wait_prior(1);
    }
    __syncthreads();
    out[t] = s[0][63 - t] + s[1][t]; // MISTAKE async_one_group_short race
}
TWINS(async_one_group_short) { two_stages<right><<<1, 64>>>(buffer<int>(128), buffer<int>(64)); }

template <bool right> __global__ void wait_without_barrier(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (right) {
        __syncthreads();
    }
    out[t] = s[63 - t]; // MISTAKE async_wait_without_barrier race
}
TWINS(async_wait_without_barrier)
{
    wait_without_barrier<right><<<1, 64>>>(buffer<int>(64), buffer<int>(64));
}

template <bool right> __global__ void bytes(unsigned char *out)
{
    __shared__ unsigned char s[64];
    s[threadIdx.x] = (unsigned char)threadIdx.x; /* neighbours in one word: no race */
    if (right) {
        __syncthreads();
    }
    out[threadIdx.x] = s[threadIdx.x ^ 32]; // MISTAKE bytes_without_barrier race
}
TWINS(bytes_without_barrier) { bytes<right><<<1, 64>>>(buffer<unsigned char>(64)); }

/* Two warps meet at a barrier of their own; the third is not asked. */
template <bool right> __global__ void named(int *out)
{
    __shared__ int s[96];
    int t = threadIdx.x;
    s[t] = t;
    if (t < 64) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[t] = s[right ? (t + 32) % 64 : t + 32]; // MISTAKE named_barrier_of_others race
    }
}
TWINS(named_barrier_of_others) { named<right><<<1, 96>>>(buffer<int>(96)); }

/* The last value of a scan, read by all, before the loop goes on and writes it anew. */
template <bool right> __global__ void carry(int *data)
{
    __shared__ int total;
    int t = threadIdx.x;
    for (int i = 0; i < 3; i++) {
        int x = data[i * 64 + t];
        if (t == 63) {
            total = x; // MISTAKE carry_overwritten race
        }
        __syncthreads();
        data[i * 64 + t] = x + total;
        if (right) {
            __syncthreads();
        }
    }
}
TWINS(carry_overwritten) { carry<right><<<1, 64>>>(buffer<int>(192)); }

extern __shared__ float dynamic[];
template <bool right> __global__ void halves(float *out)
{
    float *a = dynamic, *b = dynamic + 64;
    a[threadIdx.x] = 1;
    b[threadIdx.x] = 2;
    if (right) {
        __syncthreads();
    }
    out[threadIdx.x] = a[63 - threadIdx.x] + b[threadIdx.x]; // MISTAKE dynamic_without_barrier race
}
TWINS(dynamic_without_barrier) { halves<right><<<1, 64, 512>>>(buffer<float>(64)); }

/* A flag in shared memory: what it announces needs a fence, and a fence behind the look. */
template <bool right> __global__ void shared_flag(int *out)
{
    __shared__ int data;
    __shared__ volatile int ready;
    if (threadIdx.x == 0) {
        ready = 0;
    }
    __syncthreads();
    if (threadIdx.x == 32) {
        data = out[1];
        if (right) {
            __threadfence_block();
        }
        ready = 1;
    } else if (threadIdx.x == 0) {
        while (!ready) {
        }
        if (right) {
            __threadfence_block();
        }
        out[0] = data; // MISTAKE shared_flag_without_fence race
    }
}
TWINS(shared_flag_without_fence) { shared_flag<right><<<1, 64>>>(buffer<int>(2)); }

/* Rows of a matrix of halves come from shared memory as ldmatrix loads them: 16 aligned bytes. */
template <bool right> __global__ void padded(const half *in, float *out)
{
    using namespace nvcuda;
    constexpr int stride = right ? 24 : 20;
    __shared__ __align__(32) half tile[16 * stride];
    for (int i = threadIdx.x; i < 16 * stride; i += 32)
        tile[i] = in[i];
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::load_matrix_sync(a, tile, stride); // MISTAKE rows_of_40_bytes misaligned
    out[threadIdx.x] = __half2float(a.x[0]);
}
TWINS(rows_of_40_bytes) { padded<right><<<1, 32>>>(buffer<half>(512), buffer<float>(32)); }

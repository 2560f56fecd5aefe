/* third_warps.cu - mistakes within a warp and with barriers: masks, counts, ways that part. */
/* flags: -arch=sm_80 */
#include "mistakes.h"
#include <cooperative_groups.h>
#include <mma.h>

namespace cg = cooperative_groups;

enum { WARP = 32 };

/* A reduction by shuffles in a branch that only some lanes take, with the mask of all. */
template <bool right>
__global__ void part_sum(const int *in, int *out, int n)
{
    int t = threadIdx.x;
    if (right || t < n) {
        int v = t < n ? in[t] : 0;
        for (int offset = 16; offset > 0; offset /= 2) {
            v += __shfl_xor_sync(0xffffffff, v, offset); // MISTAKE full_mask .
        }
        if (t == 0) {
            *out = v;
        }
    }
}
TWINS(full_mask)
{
    part_sum<right><<<1, WARP>>>(buffer<int>(WARP), buffer<int>(1), 20);
}

/* A vote in a loop that some lanes have left. */
template <bool right>
__global__ void vote_loop(const int *in, int *out)
{
    int t = threadIdx.x, rounds = 0;
    for (int i = 0; right ? i < 8 : i < in[t]; i++) {
        rounds += __popc(__ballot_sync(0xffffffff, i < in[t])); // MISTAKE vote_left .
    }
    out[t] = rounds;
}
TWINS(vote_left)
{
    int h[WARP];
    for (int i = 0; i < WARP; i++) {
        h[i] = i % 8;
    }
    int *in = buffer<int>(WARP);
    must(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    vote_loop<right><<<1, WARP>>>(in, buffer<int>(WARP));
}

/* The mask does not name the lane that executes. */
template <bool right>
__global__ void wrong_mask(int *out)
{
    int t = threadIdx.x;
    unsigned mask = right ? 0xffffffffu : 0x0000ffffu;
    out[t] = __reduce_add_sync(mask, t); // MISTAKE mask_without_me .
}
TWINS(mask_without_me)
{
    wrong_mask<right><<<1, WARP>>>(buffer<int>(WARP));
}

/* Lanes hand values to their neighbours through shared memory as if they ran in step. */
template <bool right>
__global__ void hand_on(const int *in, int *out)
{
    __shared__ int s[2][WARP];
    int lane = threadIdx.x, warp = threadIdx.y;
    int v = in[lane];
    for (int i = 0; i < 3; i++) {
        s[warp][lane] = v; // MISTAKE in_step race
        if (right) {
            __syncwarp();
        }
        v = s[warp][(lane + 1) % WARP];
        if (right) {
            __syncwarp();
        }
    }
    out[warp * WARP + lane] = v;
}
TWINS(in_step)
{
    hand_on<right><<<1, dim3(WARP, 2)>>>(buffer<int>(WARP), buffer<int>(2 * WARP));
}

/* A tail without barriers, with volatile, as older samples had it. */
template <bool right>
__global__ void volatile_tail(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        volatile int *v = s;
        if (right) {
            int x = v[t] + v[t + 32];
            for (int offset = 16; offset > 0; offset /= 2) {
                x += __shfl_down_sync(0xffffffff, x, offset);
            }
            v[t] = x;
        } else {
            v[t] += v[t + 32];
            v[t] += v[t + 16]; // MISTAKE volatile_tail race
            v[t] += v[t + 8];
            v[t] += v[t + 4];
            v[t] += v[t + 2];
            v[t] += v[t + 1];
        }
    }
    if (t == 0) {
        *out = s[0];
    }
}
TWINS(volatile_tail)
{
    volatile_tail<right><<<1, 64>>>(buffer<int>(64), buffer<int>(1));
}

/* A fragment is stored to shared memory and read by other lanes at once. */
template <bool right>
__global__ void fragment_out(const half *in, float *out)
{
    using namespace nvcuda;
    __shared__ alignas(32) float s[256];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::load_matrix_sync(a, in, 16);
    wmma::load_matrix_sync(b, in, 16);
    wmma::fill_fragment(c, 0.0f);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(s, c, 16, wmma::mem_row_major);
    if (right) {
        __syncwarp();
    }
    out[threadIdx.x] = s[threadIdx.x * 8]; // MISTAKE fragment_out race
}
TWINS(fragment_out)
{
    fragment_out<right><<<1, WARP>>>(buffer<half>(256), buffer<float>(WARP));
}

/* Rows of ldmatrix come from what other lanes have stored. */
template <bool right>
__global__ void rows(const unsigned *in, unsigned *out)
{
    __shared__ alignas(16) unsigned s[WARP * 4];
    int t = threadIdx.x;
    for (int i = 0; i < 4; i++) {
        s[i * WARP + t] = in[i * WARP + t];
    }
    if (right) {
        __syncwarp();
    }
    unsigned a, b, c, d, address = (unsigned)__cvta_generic_to_shared(&s[t * 4]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(address) : "memory"); // MISTAKE ldmatrix_early race
    out[t] = a + b + c + d;
}
TWINS(ldmatrix_early)
{
    rows<right><<<1, WARP>>>(buffer<unsigned>(128), buffer<unsigned>(WARP));
}

/* A barrier in a branch on the thread. */
template <bool right>
__global__ void guarded(const int *in, int *out, int n)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    if (t < n) {
        s[t] = in[t];
        if (!right) {
            __syncthreads(); // MISTAKE guarded_barrier .
        }
    }
    if (right) {
        __syncthreads();
    }
    if (t < n) {
        out[t] = s[n - 1 - t];
    }
}
TWINS(guarded_barrier)
{
    guarded<right><<<1, 128>>>(buffer<int>(128), buffer<int>(128), 80);
}

/* Threads behind the end of the array return before the barrier. */
template <bool right>
__global__ void early(const int *in, int *out, int n)
{
    __shared__ int s[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    if (!right && i >= n) {
        return;
    }
    s[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads(); // MISTAKE early_return .
    if (i < n) {
        out[i] = s[63 - threadIdx.x];
    }
}
TWINS(early_return)
{
    int *in = buffer<int>(128), *out = buffer<int>(128);
    must(cudaMemset(in, 0, 512));
    early<right><<<2, 64>>>(in, out, 100);
}

/* A named barrier expects a warp more than come. */
template <bool right>
__global__ void named(int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 64) {
        s[t] = t;
        asm volatile("bar.sync 3, %0;" ::"r"(right ? 64 : 96) : "memory"); // MISTAKE named_count .
        out[t] = s[63 - t];
    }
}
TWINS(named_count)
{
    named<right><<<1, 128>>>(buffer<int>(128));
}

/* Producer and consumer with two named barriers: the consumer waits at the wrong one. */
template <bool right>
__global__ void two_barriers(int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = t;
        asm volatile("bar.arrive 1, 64;" ::
                         : "memory");
    } else {
        if (right) {
            asm volatile("bar.sync 1, 64;" ::
                             : "memory");
        } else {
            asm volatile("bar.sync 2, 64;" :: : "memory"); // MISTAKE other_barrier .
        }
        out[t - 32] = s[t - 32];
    }
}
TWINS(other_barrier)
{
    two_barriers<right><<<1, 64>>>(buffer<int>(32));
}

/* Arms of a branch meet at barriers of the warp with masks that do not fit together. */
template <bool right>
__global__ void arms(int *out)
{
    int t = threadIdx.x;
    if (t < 16) {
        __syncwarp(right ? 0x0000ffffu : 0xffffffffu); // MISTAKE arms_mask .
        out[t] = 1;
    } else {
        __syncwarp(0xffff0000u);
        out[t] = 2;
    }
    __syncwarp();
    out[t] += t;
}
TWINS(arms_mask)
{
    arms<right><<<1, WARP>>>(buffer<int>(WARP));
}

/* Two locks, taken in different order. */
__device__ void take(int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0) { // MISTAKE lock_order .
    }
    __threadfence();
}
template <bool right>
__global__ void two_locks(int *locks, int *met, int *sum)
{
    if (threadIdx.x == 0) {
        int first = right ? 0 : blockIdx.x;
        take(&locks[first]);
        if (!right) {
            atomicAdd(met, 1);
            while (atomicAdd(met, 0) < 2) {
            }
        }
        take(&locks[1 - first]);
        *sum += 1;
        __threadfence();
        atomicExch(&locks[1 - first], 0);
        atomicExch(&locks[first], 0);
    }
}
TWINS(lock_order)
{
    two_locks<right><<<2, 32>>>(buffer<int>(2), buffer<int>(1), buffer<int>(1));
}

/* A lock is not given back on the way out of an error. */
template <bool right>
__global__ void lost_lock(int *lock, int *sum)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) { // MISTAKE lost_lock .
        }
        __threadfence();
        if (*sum >= 2) {
            if (right) {
                __threadfence();
                atomicExch(lock, 0);
            }
            return;
        }
        *sum += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}
TWINS(lost_lock)
{
    lost_lock<right><<<6, 32>>>(buffer<int>(1), buffer<int>(1));
}

/* A flag that nobody declares volatile is loaded once, and waited for for ever. */
template <bool right>
__global__ void plain_poll(int *flag, int *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    if (blockIdx.x == 1) {
        __threadfence();
        atomicExch(flag, 1);
    } else {
        if (right) {
            while (*(volatile int *)flag == 0) {
            }
        } else {
            while (*flag == 0) { // MISTAKE plain_poll .
            }
        }
        *out = 1;
    }
}
TWINS(plain_poll)
{
    plain_poll<right><<<2, 32>>>(buffer<int>(1), buffer<int>(1));
}

/* More blocks wait for each other than the GPU holds. */
template <bool right>
__global__ void __launch_bounds__(1024) too_many(unsigned *count)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(count, 1);
        while (*(volatile unsigned *)count < gridDim.x) { // MISTAKE too_many_wait .
        }
    }
    __syncthreads();
}
TWINS(too_many_wait)
{
    too_many<right><<<right ? 16 : 400, 1024>>>(buffer<unsigned>(1));
}

/* Only the first block of a cooperative grid comes to the second barrier. */
template <bool right>
__global__ void grid_part(int *sum)
{
    cg::grid_group grid = cg::this_grid();
    atomicAdd(sum, 1);
    grid.sync();
    if (right || blockIdx.x < 2) {
        grid.sync(); // MISTAKE grid_part .
    }
}
TWINS(grid_part)
{
    int *sum = buffer<int>(1);
    void *args[] = {&sum};
    cudaLaunchCooperativeKernel((void *)grid_part<right>, dim3(4), dim3(32), args, 0, 0);
}

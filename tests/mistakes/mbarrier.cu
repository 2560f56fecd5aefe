/* Barriers in shared memory (mbarrier, what cuda::barrier and cuda::pipeline are made of): threads
 * that do not wait, wait for too little, or start before it is there. In PTX, as both front ends
 * have it. */
#include "mistakes.h"

typedef unsigned long long u64;

__device__ static unsigned at(const void *shared)
{
    return (unsigned)__cvta_generic_to_shared(shared);
}
__device__ static void init(u64 *b, unsigned count)
{
    const unsigned a = at(b), n = count;
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(a), "r"(n)); // MISTAKE too_early race
}
__device__ static u64 arrive(u64 *b)
{
    u64 state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at(b)) : "memory");
    return state;
}
__device__ static bool over(u64 *b, u64 state)
{
    unsigned yes;
    asm volatile(
        "{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(yes)
        : "r"(at(b)), "l"(state)
        : "memory");
    return yes != 0;
}
__device__ static void wait(u64 *b, u64 state)
{
    while (!over(b, state)) {
    }
}
__device__ static void copy(int *to, const int *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(to)), "l"(from) : "memory");
}
__device__ static void arrives_with_copies(u64 *b)
{
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at(b)) : "memory");
}

template <bool right> __global__ void split(int *out)
{
    __shared__ u64 b;
    __shared__ int tile[128];
    if (threadIdx.x == 0) {
        init(&b, blockDim.x);
    }
    __syncthreads();
    tile[threadIdx.x] = threadIdx.x;
    u64 state = arrive(&b);
    if (right) {
        wait(&b, state);
    }
    out[threadIdx.x] = tile[127 - threadIdx.x]; // MISTAKE arrived_without_wait race
}
TWINS(arrived_without_wait) { split<right><<<1, 128>>>(buffer<int>(128)); }

template <bool right> __global__ void reused(int *out)
{
    __shared__ u64 b;
    __shared__ int tile[128];
    if (threadIdx.x == 0) {
        init(&b, blockDim.x);
    }
    __syncthreads();
    for (int i = 0; i < 9; i++) {
        tile[threadIdx.x] = i;
        wait(&b, arrive(&b));
        out[threadIdx.x] += tile[127 - threadIdx.x]; // MISTAKE one_phase_of_two race
        if (right) {
            wait(&b, arrive(&b));
        }
    }
}
TWINS(one_phase_of_two) { reused<right><<<1, 128>>>(buffer<int>(128)); }

template <bool right> __global__ void fetched(const int *in, int *out)
{
    __shared__ u64 b;
    __shared__ int tile[128];
    if (threadIdx.x == 0) {
        init(&b, blockDim.x);
    }
    __syncthreads();
    copy(&tile[threadIdx.x], in + threadIdx.x);
    if (right) {
        arrives_with_copies(&b);
    }
    wait(&b, arrive(&b));
    out[threadIdx.x] = tile[127 - threadIdx.x]; // MISTAKE copies_do_not_arrive race
}
TWINS(copies_do_not_arrive) { fetched<right><<<1, 128>>>(buffer<int>(128), buffer<int>(128)); }

template <bool right> __global__ void early(int *out)
{
    __shared__ u64 b;
    if (threadIdx.x == 0) {
        init(&b, blockDim.x);
    }
    if (right) {
        __syncthreads();
    }
    wait(&b, arrive(&b));
    out[threadIdx.x] = 1;
}
TWINS(too_early) { early<right><<<1, 128>>>(buffer<int>(128)); }

template <bool right> __global__ void roles(const int *in, int *out, int n)
{
    __shared__ u64 full, empty;
    __shared__ int tile[64];
    const int t = threadIdx.x % 64;
    if (threadIdx.x == 0) {
        init(&full, 128);
        init(&empty, 128);
    }
    __syncthreads();
    for (int i = 0; i < n; i++) {
        u64 state = 0;
        if (threadIdx.x < 64) {
            tile[t] = in[i * 64 + t];
            arrive(&full);
        } else {
            state = arrive(&full);
            if (right) {
                wait(&full, state);
            }
            out[t] += tile[63 - t]; // MISTAKE consumer_does_not_wait race
        }
        wait(&empty, arrive(&empty));
    }
}
TWINS(consumer_does_not_wait) { roles<right><<<1, 128>>>(buffer<int>(64 * 6), buffer<int>(64), 6); }

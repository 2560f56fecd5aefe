/* Races on global memory: within a block, between blocks, through flags, tickets and locks. */
#include "mistakes.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <bool right> __global__ void counter(int *out)
{
    if (right) {
        atomicAdd(out, 1);
    } else {
        *out += 1; // MISTAKE counter_of_blocks race
    }
}
TWINS(counter_of_blocks) { counter<right><<<1000, 1>>>(buffer<int>(1)); }

template <bool right> __global__ void volatile_count(volatile int *out)
{
    if (right) {
        atomicAdd((int *)out, 1);
    } else {
        *out = *out + 1; // MISTAKE volatile_counter race
    }
}
TWINS(volatile_counter) { volatile_count<right><<<4, 32>>>(buffer<int>(1)); }

template <bool right> __global__ void rounds(int *a, int *b)
{
    cg::grid_group grid = cg::this_grid();
    unsigned i = (unsigned)grid.thread_rank(), n = (unsigned)grid.size();
    for (int round = 0; round < 3; round++) {
        b[i] = a[(i + 32) % n];
        grid.sync();
        a[i] = b[i] + 1; // MISTAKE one_grid_barrier_of_two race
        if (right) {
            grid.sync();
        }
    }
}
TWINS(one_grid_barrier_of_two)
{
    int *a = buffer<int>(128), *b = buffer<int>(128);
    void *args[] = {&a, &b};
    must(cudaLaunchCooperativeKernel((void *)rounds<right>, dim3(4), dim3(32), args, 0, 0));
}

/* The threads that miss their array end; the launch fails, but the others are looked at still. */
template <bool right> __global__ void strays(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!right || i < n) {
        int x = in[i];
        if (right) {
            atomicAdd(out, x);
        } else {
            *out += x; // MISTAKE race_behind_a_stray_thread race
        }
    }
}
TWINS(race_behind_a_stray_thread) { strays<right><<<2, 32>>>(buffer<int>(20), buffer<int>(1), 20); }

template <bool right> __global__ void histogram(const int *in, int *bins)
{
    int bin = in[blockIdx.x * blockDim.x + threadIdx.x] & 7;
    if (right) {
        atomicAdd(&bins[bin], 1);
    } else {
        bins[bin]++; // MISTAKE histogram_without_atomic race
    }
}
TWINS(histogram_without_atomic) { histogram<right><<<4, 64>>>(buffer<int>(256), buffer<int>(8)); }

template <bool right> __global__ void neighbours(float *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (right) {
        a[512 + i] = a[i] + a[(i + 1) % 512];
    } else {
        a[i] += a[(i + 1) % 512]; // MISTAKE stencil_in_place race
    }
}
TWINS(stencil_in_place) { neighbours<right><<<4, 128>>>(buffer<float>(1024)); }

template <bool right> __global__ void guarded_maximum(const int *in, int *best)
{
    int x = in[threadIdx.x] + (int)(threadIdx.x + blockIdx.x);
    if (right || *best < x) { // MISTAKE plain_look_before_atomic race
        atomicMax(best, x);
    }
}
TWINS(plain_look_before_atomic)
{
    guarded_maximum<right><<<4, 32>>>(buffer<int>(32), buffer<int>(1));
}

template <bool right> __global__ void in_one_block(int *a)
{
    a[threadIdx.x] = threadIdx.x;
    if (right) {
        __syncthreads();
    }
    a[256 + threadIdx.x] = a[255 - threadIdx.x]; // MISTAKE global_without_barrier race
}
TWINS(global_without_barrier) { in_one_block<right><<<1, 256>>>(buffer<int>(512)); }

/* A barrier orders a block, not the grid. */
template <bool right> __global__ void whole_grid(int *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    a[i] = i;
    if (right) {
        cg::this_grid().sync();
    } else {
        __syncthreads();
    }
    a[n + i] = a[n - 1 - i]; // MISTAKE barrier_is_not_of_the_grid race
}
TWINS(barrier_is_not_of_the_grid)
{
    int *a = buffer<int>(512);
    void *arguments[] = {&a};
    must(cudaLaunchCooperativeKernel((const void *)whole_grid<right>, dim3(4), dim3(64), arguments,
                                     0, 0));
}

/* --- the last block ------------------------------------------------------------------------- */

enum fault { NO_FENCE, FENCE_TOO_LATE, RIGHT, RIGHT_EVERY_THREAD };
template <fault kind>
__global__ void last_block(const float *in, float *part, float *out, unsigned *ticket)
{
    __shared__ bool last;
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
        if (t < d) {
            s[t] += s[t + d];
        }
        __syncthreads();
    }
    if (t == 0) {
        part[blockIdx.x] = s[0];
        if (kind == RIGHT) {
            __threadfence();
        }
    }
    if (kind == RIGHT_EVERY_THREAD) {
        __threadfence();
        __syncthreads();
    }
    if (t == 0) {
        last = atomicAdd(ticket, 1) == gridDim.x - 1;
        if (kind == FENCE_TOO_LATE) {
            __threadfence();
        }
    }
    __syncthreads();
    if (last) {
        __threadfence();
        float sum = 0;
        for (int i = t; i < (int)gridDim.x; i += 64) {
            sum += part[i]; // MISTAKE ticket_without_fence race MISTAKE ticket_before_fence race
        }
        s[t] = sum;
        __syncthreads();
        if (t == 0) {
            for (int i = 1; i < 64; i++) {
                sum += s[i];
            }
            *out = sum;
        }
    }
}
TWINS(ticket_without_fence)
{
    last_block<right ? RIGHT : NO_FENCE>
        <<<9, 64>>>(buffer<float>(9 * 64), buffer<float>(9), buffer<float>(1), buffer<unsigned>(1));
}
TWINS(ticket_before_fence)
{
    last_block<right ? RIGHT_EVERY_THREAD : FENCE_TOO_LATE>
        <<<9, 64>>>(buffer<float>(9 * 64), buffer<float>(9), buffer<float>(1), buffer<unsigned>(1));
}

/* A ticket within blocks of one warp, passed on by a shuffle; nobody fences behind the ticket. */
template <bool right> __global__ void last_warp(int *part, int *out, unsigned *ticket)
{
    unsigned drawn = 0;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = (int)blockIdx.x;
        if (right) {
            __threadfence();
        }
        drawn = atomicInc(ticket, gridDim.x - 1);
    }
    drawn = __shfl_sync(0xffffffff, drawn, 0);
    if (drawn == gridDim.x - 1 && threadIdx.x < gridDim.x) {
        out[threadIdx.x] = part[threadIdx.x]; // MISTAKE warp_ticket_without_fence race
    }
}
TWINS(warp_ticket_without_fence)
{
    last_warp<right><<<6, 32>>>(buffer<int>(6), buffer<int>(32), buffer<unsigned>(1));
}

/* The last one may set the ticket back by a plain store: atomics of one word have an order. */
template <bool right> __global__ void set_back(int *ticket, int *laps)
{
    if (threadIdx.x == 0 && (atomicAdd(ticket, 1) == (int)gridDim.x - 1 || !right)) {
        *ticket = 0; // MISTAKE ticket_set_back_by_all race
        atomicAdd(laps, 1);
    }
}
TWINS(ticket_set_back_by_all) { set_back<right><<<5, 32>>>(buffer<int>(1), buffer<int>(1)); }

/* --- flags ----------------------------------------------------------------------------------- */

template <bool right> __global__ void flag(int *data, volatile int *ready)
{
    if (blockIdx.x == 0) {
        *data = 42 + *ready;
        if (right) {
            __threadfence();
        }
        *ready = 1;
    } else {
        while (*ready == 0) {
        }
        __threadfence();
        data[1] = data[0]; // MISTAKE flag_without_fence race
    }
}
TWINS(flag_without_fence) { flag<right><<<2, 1>>>(buffer<int>(2), buffer<int>(1)); }

template <bool right> __global__ void look(int *data, volatile int *ready)
{
    if (blockIdx.x == 0) {
        *data = 42 + *ready;
        __threadfence();
        *ready = 1;
    } else {
        while (*ready == 0) {
        }
        if (right) {
            __threadfence();
        }
        data[1] = data[0]; // MISTAKE look_without_fence race
    }
}
TWINS(look_without_fence) { look<right><<<2, 1>>>(buffer<int>(2), buffer<int>(1)); }

/* A plain flag is itself a race. */
template <bool right> __global__ void plain_flag(int *data, int *ready)
{
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        if (right) {
            atomicExch(ready, 1);
        } else {
            *ready = 1;
        }
    } else if (right ? atomicAdd(ready, 0) : *ready) { // MISTAKE flag_is_plain race
        __threadfence();
        data[1] = data[0];
    }
}
TWINS(flag_is_plain) { plain_flag<right><<<2, 1>>>(buffer<int>(2), buffer<int>(1)); }

/* A fence for the block does not reach another block. */
template <bool right> __global__ void narrow_fence(int *data, int *ready)
{
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 42;
        __syncthreads();
        if (threadIdx.x == 0) {
            if (right) {
                __threadfence();
            } else {
                __threadfence_block();
            }
            atomicExch(ready, 1);
        }
    } else {
        if (threadIdx.x == 0) {
            while (atomicAdd(ready, 0) == 0) {
            }
            __threadfence();
        }
        __syncthreads();
        data[64 + threadIdx.x] = data[63 - threadIdx.x]; // MISTAKE fence_of_the_block race
    }
}
TWINS(fence_of_the_block) { narrow_fence<right><<<2, 64>>>(buffer<int>(128), buffer<int>(1)); }

template <bool right> __global__ void narrow_atomic(int *sum)
{
    if (right) {
        atomicAdd(sum, 1);
    } else {
        atomicAdd_block(sum, 1); // MISTAKE atomic_of_the_block race
    }
}
TWINS(atomic_of_the_block) { narrow_atomic<right><<<2, 64>>>(buffer<int>(1)); }

/* Each block hands on to the next: a chain. */
template <bool right> __global__ void chain(int *data, volatile int *turn)
{
    if (threadIdx.x == 0) {
        while (*turn != (int)blockIdx.x) {
        }
        __threadfence();
    }
    __syncthreads();
    int below = 0;
    if (blockIdx.x > 0) {
        below = data[(blockIdx.x - 1) * 32 + threadIdx.x]; // MISTAKE chain_without_fence race
    }
    data[blockIdx.x * 32 + threadIdx.x] = below + data[threadIdx.x] * 0 + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        if (right) {
            __threadfence();
        }
        *turn = (int)blockIdx.x + 1;
    }
}
TWINS(chain_without_fence) { chain<right><<<8, 32>>>(buffer<int>(8 * 32), buffer<int>(1)); }

/* --- locks ----------------------------------------------------------------------------------- */

template <bool right> __global__ void lock(int *mutex, int *shelf)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(mutex, 0, 1) != 0) {
        }
        if (right) {
            __threadfence();
        }
        *shelf += 1; // MISTAKE lock_without_fence race
        if (right) {
            __threadfence();
        }
        atomicExch(mutex, 0);
    }
}
TWINS(lock_without_fence) { lock<right><<<20, 32>>>(buffer<int>(1), buffer<int>(1)); }

/* One of the two ways to the shelf does not take the lock. */
template <bool right> __global__ void unlocked(int *mutex, int *shelf)
{
    if (!right && blockIdx.x == 3) {
        *shelf += 1; // MISTAKE way_around_the_lock race
        return;
    }
    while (atomicCAS(mutex, 0, 1) != 0) {
    }
    __threadfence();
    *shelf += 1;
    __threadfence();
    atomicExch(mutex, 0);
}
TWINS(way_around_the_lock) { unlocked<right><<<6, 1>>>(buffer<int>(1), buffer<int>(1)); }

/* --- the rest --------------------------------------------------------------------------------- */

__device__ int shared_total;
template <bool right> __global__ void reset(int *out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0 && !right) {
        shared_total = 0; // MISTAKE reset_by_block_0 race
    }
    __syncthreads();
    atomicAdd(&shared_total, 1);
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
TWINS(reset_by_block_0) { reset<right><<<3, 32>>>(buffer<int>(96)); }

template <bool right> __global__ void overlap(const int *in, int *out)
{
    int i = blockIdx.x * (right ? 64 : 60) + threadIdx.x;
    int x = in[blockIdx.x * 64 + threadIdx.x] + (int)threadIdx.x;
    out[i] = x; // MISTAKE overlapping_chunks race
}
TWINS(overlapping_chunks) { overlap<right><<<4, 64>>>(buffer<int>(256), buffer<int>(256)); }

/* Everybody who finds something says so with the same value; who looks in between races. */
template <bool right> __global__ void found(const int *in, int *any)
{
    if (!right && *any) { // MISTAKE early_out_on_a_plain_flag race
        return;
    }
    if (in[blockIdx.x * 32 + threadIdx.x] == 0) {
        *any = 1;
    }
}
TWINS(early_out_on_a_plain_flag) { found<right><<<4, 32>>>(buffer<int>(128), buffer<int>(1)); }

/* In each round of the loop a lane stores where the next one stored in the round before. */
template <bool right> __global__ void overlapping_rounds(int *out)
{
    const int t = threadIdx.x;
#pragma unroll 1
    for (int round = 0; round < 4; round++) {
        out[t + round] = right ? t + round : t; // MISTAKE overlapping_rounds race
    }
}
TWINS(overlapping_rounds) { overlapping_rounds<right><<<1, 64>>>(buffer<int>(67)); }

/* Bytes side by side do not race; the same byte does. */
template <bool right> __global__ void byte_map(unsigned char *map)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    map[right ? i : i / 2] = (unsigned char)i; // MISTAKE two_threads_a_byte race
}
TWINS(two_threads_a_byte) { byte_map<right><<<4, 32>>>(buffer<unsigned char>(128)); }

/* A transposition in place that forgets that pairs belong to one thread. */
template <bool right> __global__ void transpose(float *a)
{
    int x = threadIdx.x, y = blockIdx.x;
    if (right ? x < y : x != y) {
        float t = a[y * 32 + x];
        a[y * 32 + x] = a[x * 32 + y]; // MISTAKE transposed_twice race
        a[x * 32 + y] = t;
    }
}
TWINS(transposed_twice) { transpose<right><<<32, 32>>>(buffer<float>(1024)); }

/* A work list: the place is drawn with an atomic, or two threads get the same. */
template <bool right> __global__ void push(int *list, int *length)
{
    int at = 0;
    if (right) {
        at = atomicAdd(length, 1);
    } else {
        at = (*length)++; // MISTAKE work_list_without_atomic race
    }
    list[at] = threadIdx.x;
}
TWINS(work_list_without_atomic) { push<right><<<3, 32>>>(buffer<int>(96), buffer<int>(1)); }

/* variants_flags.cu - second variants: flags, rings, sequence locks, look-back, blocks that wait.
 */
#include "mistakes.h"

#include <cooperative_groups.h>
#include <cuda/atomic>

namespace cg = cooperative_groups;
using flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

/* --- waiting
 * --------------------------------------------------------------------------------------- */

/* A lock is given back by another thread than the one that took it, which waits for ever. */
template <bool right> __global__ void never_given_back(int *lock, int *x)
{
    while (atomicCAS(lock, 0, 1) != 0) { // MISTAKE never_given_back end
    }
    __threadfence();
    (*x)++;
    __threadfence();
    if (right || blockIdx.x > 1) {
        atomicExch(lock, 0);
    }
}
TWINS(never_given_back) { never_given_back<right><<<3, 1>>>(buffer<int>(1), buffer<int>(1)); }

template <bool right> __global__ void reversed_chain(int *done, int *value)
{
    const int b = blockIdx.x + gridDim.x * blockIdx.y, n = gridDim.x * gridDim.y;
    const int wanted = right ? b - 1 : b + 1;
    if (wanted >= 0 && wanted < n) {
        flag other(done[wanted]);
        while (other.load(cuda::memory_order_acquire) == 0) { // MISTAKE reversed_chain deadlock
        }
        value[b] = value[wanted] + 1;
    }
    flag(done[b]).store(1, cuda::memory_order_release);
}
TWINS(reversed_chain)
{
    const dim3 grid(67, 64);
    reversed_chain<right><<<grid, 32>>>(buffer<int>(67 * 64), buffer<int>(67 * 64));
}

/* A barrier of one's own, that a grid of any size is to pass. */
struct grid_gate {
    unsigned *come;
    __device__ void pass(unsigned generation) const
    {
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(come, 1u);
            while (*(volatile unsigned *)come < generation * gridDim.x) { // MISTAKE gate deadlock
            }
            __threadfence();
        }
        __syncthreads();
    }
};
template <bool right> __global__ void two_phases(grid_gate gate, int *a, int *out)
{
    a[blockIdx.x] = 1;
    gate.pass(1);
    out[blockIdx.x] = a[(blockIdx.x + 1) % gridDim.x];
}
TWINS(gate)
{
    const int blocks = right ? 8 : 132 * 2 + 1;
    int *a = buffer<int>(blocks);
    two_phases<right>
        <<<blocks, right ? 1 : 1024>>>(grid_gate{buffer<unsigned>(1)}, a, buffer<int>(blocks));
    if (right) {
        must(cudaDeviceSynchronize());
    }
}

/* --- sequence locks
 * -------------------------------------------------------------------------------- */

struct position_now {
    float x, y, z;
};
template <bool right> struct seqlock {
    int *number;
    position_now *data;
    __device__ void write(position_now p) const
    {
        flag n(*number);
        const int old = n.load(cuda::memory_order_relaxed);
        n.store(old + 1, cuda::memory_order_relaxed);
        __threadfence();
        if (right) {
            cuda::atomic_ref<float, cuda::thread_scope_device>(data->x).store(
                p.x, cuda::memory_order_relaxed);
            cuda::atomic_ref<float, cuda::thread_scope_device>(data->y).store(
                p.y, cuda::memory_order_relaxed);
            cuda::atomic_ref<float, cuda::thread_scope_device>(data->z).store(
                p.z, cuda::memory_order_relaxed);
        } else {
            *data = p; // MISTAKE seqlock_of_refs race
        }
        n.store(old + 2, cuda::memory_order_release);
    }
    __device__ position_now read() const
    {
        position_now p;
        int before, after;
        do {
            before = flag(*number).load(cuda::memory_order_acquire);
            if (right) {
                p.x = cuda::atomic_ref<float, cuda::thread_scope_device>(data->x).load(
                    cuda::memory_order_relaxed);
                p.y = cuda::atomic_ref<float, cuda::thread_scope_device>(data->y).load(
                    cuda::memory_order_relaxed);
                p.z = cuda::atomic_ref<float, cuda::thread_scope_device>(data->z).load(
                    cuda::memory_order_relaxed);
            } else {
                p = *data;
            }
            __threadfence();
            after = flag(*number).load(cuda::memory_order_relaxed);
        } while (before != after || before % 2 != 0);
        return p;
    }
};
template <bool right> __global__ void track(seqlock<right> lock, position_now *out)
{
    for (int i = 0; i < 5; i++) {
        if (blockIdx.x == 0) {
            lock.write(position_now{1.0f * i, 2.0f * i, 3.0f * i});
        } else {
            out[(blockIdx.x - 1) * 5 + i] = lock.read();
        }
    }
}
TWINS(seqlock_of_refs)
{
    track<right><<<3, 1>>>(seqlock<right>{buffer<int>(1), buffer<position_now>(1)},
                           buffer<position_now>(10));
}

/* A version number beside a row of a table, in global memory, volatile. */
template <bool right>
__global__ void versioned(volatile unsigned *version, long long *row, long long *out)
{
    volatile long long *strong = row;
    if (blockIdx.x == 1) {
        for (int k = 1; k < 6; k++) {
            *version = 2 * k - 1;
            __threadfence();
            for (int i = 0; i < 2; i++) {
                if (right) {
                    strong[i] = k;
                } else {
                    row[i] = k; // MISTAKE versioned race
                }
            }
            __threadfence();
            *version = 2 * k;
        }
        return;
    }
    for (unsigned seen = 0; seen < 8;) {
        const unsigned v = *version;
        __threadfence();
        const long long a = right ? strong[0] : row[0], b = right ? strong[1] : row[1];
        __threadfence();
        if (v % 2 == 0 && *version == v) {
            seen = v;
            out[0] = a;
            out[1] = b;
        }
    }
}
TWINS(versioned)
{
    versioned<right><<<2, 1>>>(buffer<unsigned>(1), buffer<long long>(2), buffer<long long>(2));
}

/* --- look-back ----------------------------------------------------------------------------------
 */

struct tile_state {
    int ready, sum;
};
template <bool right> __global__ void scan_tiles(const int *in, tile_state *state, int *out)
{
    __shared__ int before;
    const int b = blockIdx.x, t = threadIdx.x;
    if (t == 0) {
        int sum = 0;
        for (int i = b - 1; i >= 0; i--) {
            flag ready(state[i].ready);
            while (ready.load(right ? cuda::memory_order_acquire : cuda::memory_order_relaxed) ==
                   0) {
            }
            sum += state[i].sum; // MISTAKE scan_tiles race
        }
        state[b].sum = in[b * 32];
        flag(state[b].ready)
            .store(1, right ? cuda::memory_order_release : cuda::memory_order_relaxed);
        before = sum;
    }
    __syncthreads();
    out[b * 32 + t] = before + in[b * 32 + t];
}
TWINS(scan_tiles)
{
    scan_tiles<right><<<5, 32>>>(buffer<int>(160), buffer<tile_state>(5), buffer<int>(160));
}

/* Status and value in one 64-bit word are right without a fence; in two words they are not. */
template <bool right>
__global__ void one_word(volatile unsigned long long *both, volatile int *status, int *value,
                         int *out)
{
    const int b = blockIdx.x;
    int before = 0;
    if (b > 0) {
        if (right) {
            unsigned long long w;
            while (((w = both[b - 1]) >> 32) == 0) {
            }
            before = (int)w;
        } else {
            while (status[b - 1] == 0) {
            }
            before = value[b - 1]; // MISTAKE one_word race
        }
    }
    if (right) {
        both[b] = 1ull << 32 | (unsigned)(before + b);
    } else {
        value[b] = before + b;
        status[b] = 1;
    }
    out[b] = before;
}
TWINS(one_word)
{
    one_word<right>
        <<<6, 1>>>(buffer<unsigned long long>(6), buffer<int>(6), buffer<int>(6), buffer<int>(6));
}

/* The fence stands before the value instead of behind it. */
template <bool right> __global__ void fence_too_early(float *partial, int *status, float *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    if (blockIdx.x != 0) {
        while (atomicAdd(&status[blockIdx.x - 1], 0) == 0) {
        }
        __threadfence();
        out[blockIdx.x] = partial[blockIdx.x - 1]; // MISTAKE fence_too_early race
    }
    if (!right) {
        __threadfence();
    }
    partial[blockIdx.x] = blockIdx.x * 0.5f;
    if (right) {
        __threadfence();
    }
    atomicExch(&status[blockIdx.x], 1);
}
TWINS(fence_too_early)
{
    fence_too_early<right><<<4, 32>>>(buffer<float>(4), buffer<int>(4), buffer<float>(4));
}

/* --- rings
 * ---------------------------------------------------------------------------------------- */

/* A queue of one producer and one consumer, with libcu++; the producer looks at no tail. */
template <bool right> struct ring {
    int *slot, *head, *tail;
    enum { SIZE = 2 };
    __device__ void push(int i, int value) const
    {
        if (right) {
            while (i - flag(*tail).load(cuda::memory_order_acquire) >= SIZE) {
            }
        }
        slot[i % SIZE] = value; // MISTAKE ring_of_refs race
        flag(*head).store(i + 1, cuda::memory_order_release);
    }
    __device__ int pop(int i) const
    {
        while (flag(*head).load(cuda::memory_order_acquire) <= i) {
        }
        const int value = slot[i % SIZE];
        flag(*tail).store(i + 1, cuda::memory_order_release);
        return value;
    }
};
template <bool right> __global__ void stream_through(ring<right> r, int n, int *out)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (blockIdx.x == 1) {
            r.push(i, i * i);
        } else {
            sum += r.pop(i);
        }
    }
    if (blockIdx.x == 0) {
        *out = sum;
    }
}
TWINS(ring_of_refs)
{
    stream_through<right>
        <<<2, 1>>>(ring<right>{buffer<int>(2), buffer<int>(1), buffer<int>(1)}, 9, buffer<int>(1));
}

/* Two warps of one block, a ring in shared memory. */
template <bool right> __global__ void warps_ring(int *out, int n)
{
    __shared__ int ring[4][32];
    __shared__ volatile int full, empty;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        full = empty = 0;
    }
    __syncthreads();
    for (int i = 0; i < n; i++) {
        if (warp == 0) {
            while (right && i - empty >= 4) {
            }
            __threadfence_block();
            __syncwarp();
            ring[i % 4][lane] = i + lane; // MISTAKE warps_ring race
            __threadfence_block();
            __syncwarp();
            if (lane == 0) {
                full = i + 1;
            }
        } else {
            while (full <= i) {
            }
            __threadfence_block();
            __syncwarp();
            out[i * 32 + lane] = ring[i % 4][31 - lane];
            __threadfence_block();
            __syncwarp();
            if (lane == 0) {
                empty = i + 1;
            }
        }
    }
}
TWINS(warps_ring) { warps_ring<right><<<1, 64>>>(buffer<int>(32 * 12), 12); }

/* Double buffering between blocks: the writer waits for the first half only. */
template <bool right> __global__ void two_halves(int2 *half, int *written, int *taken, int2 *out)
{
    const int rounds = 40, t = threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        int2 *mine = half + (r % 2) * blockDim.x;
        if (blockIdx.x == 0) {
            if (t == 0) {
                while (atomicAdd(taken, 0) < (right ? r - 1 : 1) && r >= 2) {
                }
                __threadfence();
            }
            __syncthreads();
            mine[t] = make_int2(r, t); // MISTAKE two_halves race
            __threadfence();
            __syncthreads();
            if (t == 0) {
                atomicAdd(written, 1);
            }
        } else {
            if (t == 0) {
                while (atomicAdd(written, 0) <= r) {
                }
                __threadfence();
            }
            __syncthreads();
            out[r * blockDim.x + t] = mine[blockDim.x - 1 - t];
            __threadfence();
            __syncthreads();
            if (t == 0) {
                atomicAdd(taken, 1);
            }
        }
    }
}
TWINS(two_halves)
{
    two_halves<right>
        <<<2, 64>>>(buffer<int2>(128), buffer<int>(1), buffer<int>(1), buffer<int2>(40 * 64));
}

/* Two buffers, six rounds: the writer may be one round too far ahead, and fills what is still read. */
template <bool right>
__global__ void two_buffers_of(volatile int *filled, volatile int *taken, int *slot, int *sum)
{
    for (int i = 0; i < 6; i++) {
        int *s = slot + i % 2 * 64;
        if (blockIdx.x == 0) {
            if (threadIdx.x == 0) {
                while (i - *taken >= (right ? 2 : 3)) {
                }
            }
            __syncthreads();
            __threadfence();
            s[threadIdx.x] = i; // MISTAKE too_far_ahead race
            __threadfence();
            __syncthreads();
            if (threadIdx.x == 0) {
                *filled = i + 1;
            }
        } else {
            if (threadIdx.x == 0) {
                while (*filled <= i) {
                }
            }
            __syncthreads();
            __threadfence();
            sum[threadIdx.x] += s[threadIdx.x];
            __threadfence();
            __syncthreads();
            if (threadIdx.x == 0) {
                *taken = i + 1;
            }
        }
    }
}
TWINS(too_far_ahead)
{
    int *p = buffer<int>(512);
    two_buffers_of<right><<<2, 64>>>(p, p + 32, p + 64, p + 256);
}

/* The same, where the first block reads. */
template <bool right>
__global__ void two_buffers_back(volatile int *filled, volatile int *taken, int *slot, int *sum)
{
    for (int i = 0; i < 6; i++) {
        int *s = slot + i % 2 * 64;
        if (blockIdx.x == 1) {
            while (i - *taken >= (right ? 2 : 3)) {
            }
            __threadfence();
            s[0] = i; // MISTAKE too_far_ahead_back race
            __threadfence();
            *filled = i + 1;
        } else {
            while (*filled <= i) {
            }
            __threadfence();
            *sum += s[0];
            __threadfence();
            *taken = i + 1;
        }
    }
}
TWINS(too_far_ahead_back)
{
    int *p = buffer<int>(512);
    two_buffers_back<right><<<2, 1>>>(p, p + 32, p + 64, p + 256);
}

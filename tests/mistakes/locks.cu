/* locks.cu - locks that are taken without a fence behind: by whoever comes second, and by whoever
 * comes first, where only another order would show it. */
#include "mistakes.h"

enum { BLOCKS = 4 };

__device__ void give_back(int *lock)
{
    __threadfence();
    atomicExch(lock, 0);
}

/* Nobody has the fence. */
template <bool right> __global__ void all_lack(int *lock, int *sum)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        if (right) {
            __threadfence();
        }
        *sum += 1; // MISTAKE all_lack race
        give_back(lock);
    }
}
TWINS(all_lack)
{
    all_lack<right><<<BLOCKS, 32>>>(buffer<int>(1), buffer<int>(1));
}

/* Block 0 takes it first, and lacks the fence; the others have it. */
template <bool right> __global__ void first_lacks(int *lock, int *sum, int n)
{
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) {
            while (atomicCAS(lock, 0, 1) != 0) {
            }
            if (right) {
                __threadfence();
            }
            *sum += 1; // MISTAKE first_lacks race
        } else {
            while (atomicCAS(lock, 0, 1) != 0) {
            }
            __threadfence();
            for (int i = 0; i < n; i++) {
                *sum = *sum * 3 % 7 + i;
            }
        }
        give_back(lock);
    }
}
TWINS(first_lacks)
{
    first_lacks<right><<<BLOCKS, 32>>>(buffer<int>(1), buffer<int>(1), 2);
}

/* Its fence is for the block alone. */
template <bool right> __global__ void narrow_fence(int *lock, int *data)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        if (right) {
            __threadfence();
        } else {
            __threadfence_block();
        }
        data[1] = data[0] + 1; // MISTAKE narrow_fence race
        data[0] = data[1];
        give_back(lock);
    }
}
TWINS(narrow_fence)
{
    narrow_fence<right><<<BLOCKS, 32>>>(buffer<int>(1), buffer<int>(2));
}

/* A lock by exchange. */
template <bool right> __global__ void exchanged(int *lock, float *most, const float *in)
{
    if (threadIdx.x == 0) {
        while (atomicExch(lock, 1) == 1) {
        }
        if (right) {
            __threadfence();
        }
        most[0] = fmaxf(most[0], in[blockIdx.x]); // MISTAKE exchanged race
        give_back(lock);
    }
}
TWINS(exchanged)
{
    exchanged<right><<<BLOCKS, 32>>>(buffer<int>(1), buffer<float>(1), buffer<float>(BLOCKS));
}

/* Lanes of a warp take turns: the lock is taken and given back within one round of a loop. */
template <bool right> __global__ void by_turns(int *lock, int *sum)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            if (right) {
                __threadfence();
            }
            *(right ? sum : sum + 0) += 1; // MISTAKE by_turns race
            give_back(lock);
            done = true;
        }
    }
}
TWINS(by_turns)
{
    by_turns<right><<<BLOCKS, 2>>>(buffer<int>(1), buffer<int>(1));
}

/* What is no lock: a place that is claimed once, a ticket, a thread's own memory behind the lock. */
template <bool right> __global__ void beside(int *claims, int *lock, int *sum, int *own, unsigned *ticket, int *out)
{
    for (int i = 0; i < 4; i++) {
        if (atomicCAS(&claims[(i + threadIdx.x) % 4], 0, 1) == 0) {
            own[(i + threadIdx.x) % 4] = blockIdx.x;
        }
    }
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        *sum += 1;
        give_back(lock);
        if (!right) {
            *sum -= 1; // MISTAKE beside race
        }
        own[4 + blockIdx.x] = 1;
        __threadfence();
        if (atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1) {
            for (unsigned i = 0; i < gridDim.x; i++) {
                *out += own[4 + i];
            }
        }
    }
}
TWINS(beside)
{
    beside<right><<<BLOCKS, 32>>>(buffer<int>(4), buffer<int>(1), buffer<int>(1), buffer<int>(4 + BLOCKS),
                                  buffer<unsigned>(1), buffer<int>(1));
}

/* Without a lock: the barrier behind it is as good as a fence, for all threads of the block. */
template <bool right> __global__ void barrier_behind(int *lock, int *data)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
    }
    __syncthreads();
    data[threadIdx.x] += 1; // MISTAKE barrier_behind race
    if (right) {
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicExch(lock, 0);
    }
}
TWINS(barrier_behind)
{
    barrier_behind<right><<<BLOCKS, 32>>>(buffer<int>(1), buffer<int>(32));
}

/* Lanes of a warp: shuffles from lanes that are not there, values that come through shuffles, and
 * barriers that lanes reach in different places. */
#include "mistakes.h"

#define FULL 0xffffffffu

template <bool right> __global__ void barrier_in_if(const int *in, int *out, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    if (right) {
        s[t] = t < n ? in[t] : 0;
        __syncthreads();
        if (t < n)
            out[t] = s[63 - t];
    } else if (t < n) {
        s[t] = in[t];
        __syncthreads(); // MISTAKE barrier_in_if barrier
        out[t] = s[t];
    } else {
        s[t] = 0;
        out[t] = s[t];
        __syncthreads();
    }
}
TWINS(barrier_in_if) { barrier_in_if<right><<<1, 64>>>(buffer<int>(64), buffer<int>(64), 50); }

template <bool right> __global__ void shfl_in_half(int *out)
{
    int v = threadIdx.x;
    if (v < 16)
        v += __shfl_down_sync(right ? 0xffffu : FULL, v, 8, 16); // MISTAKE shfl_in_half lanes
    out[threadIdx.x] = v;
}
TWINS(shfl_in_half) { shfl_in_half<right><<<1, 32>>>(buffer<int>(32)); }

template <bool right> __global__ void shfl_from_absent(int *out)
{
    int v = threadIdx.x;
    if (v < 16)
        v = __shfl_sync(0xffffu, v, right ? 10 : 20); // MISTAKE shfl_from_absent lane
    out[threadIdx.x] = v;
}
TWINS(shfl_from_absent) { shfl_from_absent<right><<<1, 32>>>(buffer<int>(32)); }

template <bool right> __global__ void shfl_short_block(int *out, int n)
{
    int v = threadIdx.x + 1;
    for (int d = 16; d > 0; d /= 2) {
        unsigned mask = right ? (1u << n) - 1 : FULL;
        int other = __shfl_down_sync(mask, v, d); // MISTAKE shfl_short_block lane
        if (!right || (int)threadIdx.x + d < n)
            v += other;
    }
    if (threadIdx.x == 0)
        out[0] = v;
}
TWINS(shfl_short_block) { shfl_short_block<right><<<1, 20>>>(buffer<int>(32), 20); }

template <bool right> __global__ void shfl_after_exit(int *out, int n)
{
    int i = threadIdx.x;
    if (right) {
        int v = i < n ? i : 0;
        v += __shfl_xor_sync(FULL, v, 16);
        if (i < n)
            out[i] = v;
        return;
    }
    if (i >= n)
        return;
    int v = i;
    v += __shfl_xor_sync(FULL, v, 16); // MISTAKE shfl_after_exit lane
    out[i] = v;
}
TWINS(shfl_after_exit) { shfl_after_exit<right><<<1, 32>>>(buffer<int>(32), 20); }

template <bool right> __global__ void divergent_exchange(int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 16) {
        s[t] = t;
        __syncwarp(0xffff);
        out[t] = s[15 - t];
    } else {
        s[t] = t;
        if (right)
            __syncwarp(0xffff0000);
        out[t] = s[47 - t]; // MISTAKE divergent_exchange race
    }
}
TWINS(divergent_exchange) { divergent_exchange<right><<<1, 32>>>(buffer<int>(32)); }

template <bool right> __global__ void sums_of_warps(const int *in, int *out)
{
    __shared__ int sums[32];
    int t = threadIdx.x, warp = t / 32;
    int v = __reduce_add_sync(FULL, in[t]);
    if (t % 32 == 0)
        sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int x = right ? (t < 4 ? sums[t] : 0) : sums[t]; // MISTAKE sums_of_warps uninitialised
        for (int d = 16; d > 0; d /= 2)
            x += __shfl_xor_sync(FULL, x, d);
        if (t == 0)
            out[0] = x;
    }
}
TWINS(sums_of_warps) { sums_of_warps<right><<<1, 128>>>(buffer<int>(128), buffer<int>(1)); }

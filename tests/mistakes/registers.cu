/* Variables that were never given a value, and that the compiler keeps in a register. Each twin is
 * a kernel of its own: behind `if (right) x = 0;` compilers take 0 for the other way, too. */
/* flags: -w */
#include "mistakes.h"

__global__ void unset_sum(const float *in, float *out, int n)
{
    float sum;
    for (int i = 0; i < n; i++) {
        sum += in[i]; // MISTAKE sum_never_set uninitialised
    }
    out[threadIdx.x] = sum;
}
__global__ void set_sum(const float *in, float *out, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++) {
        sum += in[i];
    }
    out[threadIdx.x] = sum;
}
TWINS(sum_never_set)
{
    (right ? set_sum : unset_sum)<<<1, 32>>>(buffer<float>(64), buffer<float>(32), 61);
}

/* Which lanes take which way decides; no lane of the twin comes without a value. */
__global__ void only_if_large(const int *in, int *out)
{
    int x;
    if (in[threadIdx.x] >= 0) {
        x = in[threadIdx.x + 32];
    }
    out[threadIdx.x] = x + 1; // MISTAKE set_in_one_arm uninitialised
}
TWINS(set_in_one_arm)
{
    int *in = buffer<int>(64), minus = right ? 1 : -1;
    must(cudaMemcpy(in + 7, &minus, sizeof minus, cudaMemcpyHostToDevice));
    only_if_large<<<1, 32>>>(in, buffer<int>(32));
}

__global__ void unset_best(const int *in, int *out, int n)
{
    int best, where = -1;
    for (int i = 0; i < n; i++) {
        if (in[i] > best) { // MISTAKE best_never_set uninitialised
            best = in[i];
            where = i;
        }
    }
    out[threadIdx.x] = where;
}
__global__ void set_best(const int *in, int *out, int n)
{
    int best = in[0], where = 0;
    for (int i = 1; i < n; i++) {
        if (in[i] > best) {
            best = in[i];
            where = i;
        }
    }
    out[threadIdx.x] = where;
}
TWINS(best_never_set)
{
    (right ? set_best : unset_best)<<<1, 32>>>(buffer<int>(64), buffer<int>(32), 37);
}

/* A neighbour that only inner threads have read is used as an address by all. */
__global__ void follow(const int *in, int *out, int n)
{
    int next;
    if (threadIdx.x < n) {
        next = in[threadIdx.x];
    }
    out[next + threadIdx.x] = 1; // MISTAKE address_of_nothing uninitialised
}
TWINS(address_of_nothing)
{
    follow<<<1, 32>>>(buffer<int>(64), buffer<int>(64), right ? 32 : 31);
}

__device__ __noinline__ float unset_mean(const float *in, int n)
{
    float sum;
    for (int i = 0; i < n; i++) {
        sum += in[i]; // MISTAKE sum_of_a_function uninitialised
    }
    return sum / n;
}
__device__ __noinline__ float set_mean(const float *in, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++) {
        sum += in[i];
    }
    return sum / n;
}
template <bool right> __global__ void means(const float *in, float *out, int n)
{
    __shared__ float mean[32];
    mean[threadIdx.x] = right ? set_mean(in, n) : unset_mean(in, n);
    __syncthreads();
    out[threadIdx.x] = mean[31 - threadIdx.x];
}
TWINS(sum_of_a_function) { means<right><<<1, 32>>>(buffer<float>(64), buffer<float>(32), 20); }

__global__ void unset_warp(const float *in, float *out, int n)
{
    float v;
    if (threadIdx.x < n) {
        v = in[threadIdx.x];
    }
    for (int d = 16; d > 0; d /= 2) {
        v += __shfl_down_sync(~0u, v, d); // MISTAKE value_of_idle_lanes uninitialised
    }
    if (threadIdx.x == 0) {
        *out = v;
    }
}
TWINS(value_of_idle_lanes)
{
    unset_warp<<<1, 32>>>(buffer<float>(32), buffer<float>(1), right ? 32 : 20);
}

/* Of each item's two values one is set. */
__global__ void either(const int *in, int *out)
{
    int low, high, i = threadIdx.x;
    if (in[i] > 8) {
        high = in[i + 32] * 3;
    } else {
        low = in[i + 64] * 5;
    }
    out[i] = in[i + 96] ? high : low; // MISTAKE other_of_two uninitialised
}
TWINS(other_of_two)
{
    int *in = buffer<int>(128), one = 1;
    must(cudaMemcpy(in + 96, &one, right ? 0 : sizeof one, cudaMemcpyHostToDevice));
    either<<<1, 32>>>(in, buffer<int>(32));
}

struct particle {
    float x, y, vx, vy;
};
__global__ void unset_field(const float *in, particle *out, int n)
{
    particle p;
    int i = threadIdx.x;
    p.x = in[i];
    p.vx = in[i + 32];
    p.vy = in[i + 64];
    for (int step = 0; step < n; step++) {
        p.x += p.vx;
        p.y += p.vy; // MISTAKE one_field_never_set uninitialised
    }
    out[i] = p;
}
__global__ void set_fields(const float *in, particle *out, int n)
{
    particle p;
    int i = threadIdx.x;
    p.x = p.y = in[i];
    p.vx = p.vy = in[i + 32];
    for (int step = 0; step < n; step++) {
        p.x += p.vx;
        p.y += p.vy;
    }
    out[i] = p;
}
TWINS(one_field_never_set)
{
    (right ? set_fields : unset_field)<<<1, 32>>>(buffer<float>(96), buffer<particle>(32), 5);
}

/* Nothing of this is a mistake: what has no value is not used where it has none. */
struct item {
    float value;
    int key;
};
__global__ void careful(const int *in, int *out, float4 *wide, item *items, int n)
{
    int x, last;
    int i = threadIdx.x;
    bool inside = i < n, found = false;
    if (inside) {
        x = in[i];
    }
    for (int k = 0; k < 8; k++) {
        if (in[i + k] > 3) {
            last = in[i + k + 1];
            found = true;
        }
    }
    if (inside && x > 3) {
        out[i] = x;
    }
    if (found && last > 2) {
        out[i + 32] = last;
    }
    int largest = __shfl_sync(~0u, x, 0);
    float4 v;
    v.x = v.y = v.z = largest;
    wide[i] = v;
    item one;
    one.key = largest;
    items[i] = one;
    if (inside) {
        items[i].value = x;
    }
}
/* One more than n is taken as a row, whose sum is stored. */
__global__ void careless(const int *in, int *out, int n)
{
    int x;
    if (threadIdx.x < n) {
        x = in[threadIdx.x];
    }
    if (threadIdx.x <= n) {
        out[threadIdx.x] = x + 2; // MISTAKE one_too_many uninitialised
    }
}
TWINS(one_too_many)
{
    if (right) {
        careful<<<1, 32>>>(buffer<int>(64), buffer<int>(64), buffer<float4>(32), buffer<item>(32),
                           20);
    } else {
        careless<<<1, 32>>>(buffer<int>(64), buffer<int>(64), 20);
    }
}

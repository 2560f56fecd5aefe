/* flags: -arch=sm_90 */
/* Registers, loads, stores and atomics of 128 bits. Their results do not depend on the order in
 * which threads come. */
#include "check.h"

enum { BLOCKS = 6, THREADS = 64 };

struct alignas(16) pair {
    unsigned long long low, high;
};

/* Global memory and back through a register of 128 bits, with the halves exchanged on the way. */
__global__ void move(const pair *in, pair *out)
{
    __shared__ pair tile[THREADS];
    const unsigned t = threadIdx.x, at = (unsigned)__cvta_generic_to_shared(&tile[t]);
    unsigned long long low, high;
    asm volatile("{ .reg .b128 a, b, c<2>; ld.global.b128 a, [%2]; mov.b128 b, a;\n"
                 "st.shared.b128 [%3], b; ld.shared.b128 c1, [%3]; mov.b128 {%0, %1}, c1; }"
                 : "=l"(low), "=l"(high)
                 : "l"(in + t), "r"(at)
                 : "memory");
    asm volatile(
        "{ .reg .b128 a; mov.b128 a, {%1, %2}; st.release.gpu.global.b128 [%0], a; }" ::"l"(out +
                                                                                            t),
        "l"(high), "l"(low)
        : "memory");
}

__device__ static pair compare_and_swap(pair *p, pair expected, pair next)
{
    pair old;
    asm volatile("{ .reg .b128 d, b, c; mov.b128 b, {%3, %4}; mov.b128 c, {%5, %6};\n"
                 "atom.acq_rel.gpu.cas.b128 d, [%2], b, c; mov.b128 {%0, %1}, d; }"
                 : "=l"(old.low), "=l"(old.high)
                 : "l"(p), "l"(expected.low), "l"(expected.high), "l"(next.low), "l"(next.high)
                 : "memory");
    return old;
}

/* Each thread adds its number to one half and 3 to the other, in one step. */
__global__ void add(pair *global, pair *sums)
{
    __shared__ pair shared;
    if (threadIdx.x == 0) {
        shared.low = shared.high = 0;
    }
    __syncthreads();
    for (unsigned place = 0; place < 2; place++) {
        pair *p = place == 0 ? global : &shared, seen = {0, 0};
        for (;;) {
            const pair next = {seen.low + blockIdx.x * THREADS + threadIdx.x, seen.high + 3};
            const pair old = compare_and_swap(p, seen, next);
            if (old.low == seen.low && old.high == seen.high) {
                break;
            }
            seen = old;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = shared;
    }
}

/* Tokens: each thread leaves its own and takes the one that it finds. */
__global__ void exchange(pair *place, unsigned *seen)
{
    const unsigned long long mine = blockIdx.x * THREADS + threadIdx.x + 1;
    unsigned long long low, high;
    asm volatile("{ .reg .b128 d, b; mov.b128 b, {%3, %4};\n"
                 "atom.global.exch.b128 d, [%2], b; mov.b128 {%0, %1}, d; }"
                 : "=l"(low), "=l"(high)
                 : "l"(place), "l"(mine), "l"(~mine)
                 : "memory");
    if (low != 0 && high != ~low) {
        atomicAdd(&seen[0], 1000000); /* halves of two threads */
    }
    atomicAdd(&seen[low], 1);
}

/* The same by CUDA's functions: the odd threads swap from 0 in vain, the even ones take each their place. */
__global__ void by_name(pair *places, pair *old)
{
    const unsigned t = threadIdx.x;
    const pair empty = {0, 0}, mine = {t + 1, ~0ull - t};
    __shared__ pair shared[THREADS];
    shared[t] = mine;
    old[t] = t % 2 ? atomicExch(&places[t], mine) : empty;
    old[THREADS + t] = atomicCAS(&places[t], empty, mine);
    old[2 * THREADS + t] = atomicCAS_block(&shared[t], mine, pair{mine.high, mine.low});
    old[3 * THREADS + t] = atomicExch_system(&shared[t], empty);
}

static void test_by_name(pair *places, pair *d_old)
{
    static pair now[THREADS], old[4 * THREADS];
    CHECK_CUDA(cudaMemset(places, 0, sizeof now));
    by_name<<<1, THREADS>>>(places, d_old);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(now, places, sizeof now, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(old, d_old, sizeof old, cudaMemcpyDeviceToHost));
    for (unsigned t = 0; t < THREADS; t++) {
        const unsigned long long low = t + 1, high = ~0ull - t;
        CHECK(now[t].low == low && now[t].high == high);
        CHECK(old[t].low == 0 && old[t].high == 0);
        CHECK(old[THREADS + t].low == (t % 2 ? low : 0) && old[THREADS + t].high == (t % 2 ? high : 0));
        CHECK(old[2 * THREADS + t].low == low && old[2 * THREADS + t].high == high);
        CHECK(old[3 * THREADS + t].low == high && old[3 * THREADS + t].high == low);
    }
}

int main()
{
    static pair in[THREADS], out[THREADS], sums[1 + BLOCKS], last;
    static unsigned seen[BLOCKS * THREADS + 1];
    pair *d_in, *d_out, *d_sums;
    unsigned *d_seen;
    for (unsigned i = 0; i < THREADS; i++) {
        in[i].low = 0x0123456789abcdefull * (i + 1);
        in[i].high = 0xfedcba9876543210ull ^ i;
    }
    CHECK_CUDA(cudaMalloc(&d_in, sizeof in));
    CHECK_CUDA(cudaMalloc(&d_out, sizeof out));
    CHECK_CUDA(cudaMalloc(&d_sums, sizeof sums));
    CHECK_CUDA(cudaMalloc(&d_seen, sizeof seen));
    CHECK_CUDA(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    move<<<1, THREADS>>>(d_in, d_out);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < THREADS; i++) {
        CHECK_INT(out[i].low, in[i].high);
        CHECK_INT(out[i].high, in[i].low);
    }
    CHECK_CUDA(cudaMemset(d_sums, 0, sizeof sums));
    add<<<BLOCKS, THREADS>>>(d_sums, d_sums + 1);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost));
    CHECK_INT(sums[0].low, BLOCKS * THREADS * (BLOCKS * THREADS - 1) / 2);
    CHECK_INT(sums[0].high, 3 * BLOCKS * THREADS);
    for (int b = 0; b < BLOCKS; b++) {
        CHECK_INT(sums[1 + b].low, b * THREADS * THREADS + THREADS * (THREADS - 1) / 2);
        CHECK_INT(sums[1 + b].high, 3 * THREADS);
    }
    CHECK_CUDA(cudaMemset(d_sums, 0, sizeof sums));
    CHECK_CUDA(cudaMemset(d_seen, 0, sizeof seen));
    exchange<<<BLOCKS, THREADS>>>(d_sums, d_seen);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(seen, d_seen, sizeof seen, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(&last, d_sums, sizeof last, cudaMemcpyDeviceToHost));
    CHECK_INT(last.high, ~last.low);
    for (unsigned i = 0; i <= BLOCKS * THREADS; i++) {
        CHECK_INT(seen[i], i == last.low ? 0 : 1);
    }
    pair *d_old;
    CHECK_CUDA(cudaMalloc(&d_old, 4 * sizeof in));
    test_by_name(d_in, d_old);
    CHECK_CUDA(cudaFree(d_old));
    CHECK_CUDA(cudaFree(d_in));
    CHECK_CUDA(cudaFree(d_out));
    CHECK_CUDA(cudaFree(d_sums));
    CHECK_CUDA(cudaFree(d_seen));
    return check_failures != 0;
}

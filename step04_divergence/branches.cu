/* branches.cu - which conditions divide a warp, what a loop costs whose lanes leave at different
 * times, and what divided warps cost in time.
 *
 * Each case exists twice: as an ordinary kernel with a real branch, and as a count kernel, where
 * the warp votes on the same condition. Both arms of a branch are equally long. */
#include <cuda_runtime.h>
#include <stdlib.h>

#include "common/cuda_check.h"
#include "common/verify.h"
#include "step04_divergence/lesson.h"

enum which { FIRST_FOUR, ODD_EVEN, BY_WARP, LOOP_6_7_8, SHORT_ODD_EVEN, SHORT_BY_WARP, CASES };

/* clang-format off */
static const struct branch_case cases[CASES] = {
    {"branch_first_four", "threadIdx.x < 4",              false, false},
    {"branch_odd_even",   "threadIdx.x % 2",              false, false},
    {"branch_by_warp",    "threadIdx.x / 32 % 2",         false, false},
    {"loop_6_7_8",        "i < 6 + threadIdx.x % 32 % 3", true,  false},
    {"short_odd_even",    "(threadIdx.x + i) % 2",        false, true},
    {"short_by_warp",     "(threadIdx.x / 32 + i) % 2",   false, true},
};
/* clang-format on */

const struct branch_case *branch_cases(size_t *count)
{
    *count = CASES;
    return cases;
}

/* ------------------------------------------------------- conditions, used by GPU and CPU alike */

__host__ __device__ static constexpr bool takes(int which, unsigned thread, unsigned round)
{
    return which == FIRST_FOUR       ? thread < 4
           : which == ODD_EVEN       ? thread % 2 != 0
           : which == BY_WARP        ? thread / WARP % 2 != 0
           : which == SHORT_ODD_EVEN ? (thread + round) % 2 != 0
                                     : (thread / WARP + round) % 2 != 0;
}

__host__ __device__ static constexpr unsigned trips(unsigned thread)
{
    return 6 + thread % WARP % 3;
}

/* One round of work. Integers, so that CPU and GPU agree to the last bit. */
__host__ __device__ static constexpr unsigned work_then(unsigned v)
{
    return v * 1664525u + 1013904223u;
}
__host__ __device__ static constexpr unsigned work_else(unsigned v)
{
    return v * 22695477u + 12345u;
}

/* ------------------------------------------------------------------------------------ kernels */

/* Each arm is a loop, far too long for the compiler to do without a branch. In a divided warp the
 * arms run one after the other, each with some of the lanes. */
template <int WHICH> __global__ void branch(unsigned *out, unsigned rounds)
{
    unsigned v = threadIdx.x;
    if (takes(WHICH, threadIdx.x, 0)) {
#pragma unroll 1
        for (unsigned i = 0; i < rounds; i++)
            v = work_then(v);
    } else {
#pragma unroll 1
        for (unsigned i = 0; i < rounds; i++)
            v = work_else(v);
    }
    out[(size_t)blockIdx.x * blockDim.x + threadIdx.x] = v + blockIdx.x;
}

/* Arms of one instruction, another condition each round: the compiler computes both and selects. */
template <int WHICH> __global__ void branch_short(unsigned *out, unsigned rounds)
{
    unsigned v = threadIdx.x;
#pragma unroll 1 /* unrolled, the compiler would halve the work of both cases */
    for (unsigned i = 0; i < rounds; i++) {
        if (takes(WHICH, threadIdx.x, i))
            v += 1013904223u;
        else
            v ^= 22695477u;
    }
    out[(size_t)blockIdx.x * blockDim.x + threadIdx.x] = v + blockIdx.x;
}

/* 6, 7 or 8 trips, by lane. A lane that is done waits until the last one is. */
__global__ void loop_6_7_8(unsigned *out, unsigned)
{
    unsigned v = threadIdx.x;
    const unsigned count = trips(threadIdx.x);
#pragma unroll 1
    for (unsigned i = 0; i < count; i++)
        v = work_then(v);
    out[(size_t)blockIdx.x * blockDim.x + threadIdx.x] = v + blockIdx.x;
}

/* ------------------------------------------------------------------------------ count kernels */

typedef unsigned long long count_t;

__device__ static unsigned lanes_of_warp()
{
    const unsigned left = blockDim.x - threadIdx.x / WARP * WARP;
    return left >= WARP ? 0xffffffffu : (1u << left) - 1;
}

__device__ static void add_to_tally(count_t *tally, count_t divergent, count_t issues,
                                    count_t lanes)
{
    if (threadIdx.x % WARP != 0)
        return;
    atomicAdd(&tally[0], 1);
    atomicAdd(&tally[1], divergent);
    atomicAdd(&tally[2], issues);
    atomicAdd(&tally[3], lanes);
}

/* The vote of round 0; the other rounds of the short cases divide a warp alike. */
template <int WHICH> __global__ void count_branch(count_t *tally)
{
    const unsigned lanes = lanes_of_warp();
    const unsigned then_lanes = __ballot_sync(lanes, takes(WHICH, threadIdx.x, 0));
    const bool divergent = then_lanes != 0 && then_lanes != lanes;
    add_to_tally(tally, divergent, divergent ? 2 : 1, __popc(lanes));
}

/* The warp stays together until no lane wants another trip. */
__global__ void count_loop(count_t *tally)
{
    const unsigned lanes = lanes_of_warp(), count = trips(threadIdx.x);
    unsigned issues = 0, active_lanes = 0, active;
    bool divergent = false;
    for (unsigned i = 0; (active = __ballot_sync(lanes, i < count)) != 0; i++) {
        issues++;
        active_lanes += __popc(active);
        divergent |= active != lanes;
    }
    add_to_tally(tally, divergent, issues, active_lanes);
}

/* ----------------------------------------------------------------------------------- launches */

/* clang-format off */
static void (*const kernels[CASES])(unsigned *, unsigned) = {
    branch<FIRST_FOUR>, branch<ODD_EVEN>, branch<BY_WARP>, loop_6_7_8,
    branch_short<SHORT_ODD_EVEN>, branch_short<SHORT_BY_WARP>};
static void (*const count_kernels[CASES])(count_t *) = {
    count_branch<FIRST_FOUR>, count_branch<ODD_EVEN>, count_branch<BY_WARP>, count_loop,
    count_branch<SHORT_ODD_EVEN>, count_branch<SHORT_BY_WARP>};
/* clang-format on */

struct launch {
    size_t which;
    unsigned blocks, threads, rounds;
    unsigned *d_out;
};

static void launch_branch(void *state)
{
    const struct launch *l = (const struct launch *)state;
    kernels[l->which]<<<l->blocks, l->threads>>>(l->d_out, l->rounds);
}

/* What thread `thread` of block 0 computes. */
static unsigned reference(size_t which, unsigned thread, unsigned rounds)
{
    unsigned v = thread;
    if (cases[which].is_loop)
        rounds = trips(thread);
    for (unsigned i = 0; i < rounds; i++) {
        const bool then = cases[which].is_loop || takes((int)which, thread, i);
        if (cases[which].short_arms)
            v = then ? v + 1013904223u : v ^ 22695477u;
        else
            v = then ? work_then(v) : work_else(v);
    }
    return v;
}

/* Every block computes what block 0 does, plus its number. */
static bool check(const struct launch *l, const unsigned *out)
{
    struct verify_result r = {};
    unsigned want[BLOCK_MAX];
    for (unsigned t = 0; t < l->threads; t++)
        want[t] = reference(l->which, t, l->rounds);
    r.ok = true;
    r.count = (size_t)l->blocks * l->threads;
    for (size_t i = r.count; i-- > 0;) {
        const unsigned expected = want[i % l->threads] + (unsigned)(i / l->threads);
        if (out[i] == expected)
            continue;
        r.ok = false;
        r.mismatches++;
        r.first = i;
        r.got = out[i];
        r.want = expected;
    }
    verify_explain(stderr, cases[l->which].name, &r, 0);
    return r.ok;
}

static struct branch_tally count_on_device(const struct launch *l)
{
    count_t tally[4], *d_tally;
    CUDA_CHECK(cudaMalloc((void **)&d_tally, sizeof tally));
    CUDA_CHECK(cudaMemset(d_tally, 0, sizeof tally));
    count_kernels[l->which]<<<l->blocks, l->threads>>>(d_tally);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(tally, d_tally, sizeof tally, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_tally));
    return {tally[0], tally[1], tally[2], tally[3]};
}

struct branch_run branch_measure(size_t which, unsigned blocks, unsigned threads, unsigned rounds,
                                 const struct timing_options *timing)
{
    struct branch_run r = {};
    struct launch l = {which, blocks, threads, rounds, NULL};
    const size_t bytes = (size_t)blocks * threads * sizeof(unsigned);
    unsigned *out = (unsigned *)malloc(bytes);
    if (!out) {
        fprintf(stderr, "step04_divergence: no memory for %zu bytes\n", bytes);
        exit(2);
    }
    CUDA_CHECK(cudaMalloc((void **)&l.d_out, bytes));
    cuda_poison(l.d_out, bytes);
    r.timing = timing_run(timing, launch_branch, &l);
    r.has_counters = counters_last_launch(&r.counters);
    CUDA_CHECK(cudaMemcpy(out, l.d_out, bytes, cudaMemcpyDeviceToHost));
    r.right = check(&l, out);
    CUDA_CHECK(cudaFree(l.d_out));
    free(out);
    r.counted = count_on_device(&l);
    return r;
}

/* --------------------------------------------------------------------------------- prediction */

static void predict_loop_warp(struct branch_tally *t, unsigned first, unsigned lanes,
                              uint64_t *divergent_branches)
{
    unsigned longest = 0, shortest = ~0u, leaving[16] = {0};
    for (unsigned lane = 0; lane < lanes; lane++) {
        const unsigned count = trips(first + lane);
        longest = count > longest ? count : longest;
        shortest = count < shortest ? count : shortest;
        leaving[count]++;
        t->lanes += count;
    }
    t->issues += longest;
    t->divergent += shortest < longest;
    for (unsigned count = shortest; count < longest; count++)
        *divergent_branches += leaving[count] > 0; /* some leave here, others go on */
}

struct branch_tally branch_predict(size_t which, unsigned blocks, unsigned threads,
                                   uint64_t *divergent_branches)
{
    struct branch_tally t = {};
    *divergent_branches = 0;
    for (unsigned first = 0; first < threads; first += WARP) {
        const unsigned left = threads - first, lanes = left < WARP ? left : (unsigned)WARP;
        t.warps++;
        if (cases[which].is_loop) {
            predict_loop_warp(&t, first, lanes, divergent_branches);
            continue;
        }
        unsigned then_lanes = 0;
        for (unsigned lane = 0; lane < lanes; lane++)
            then_lanes += takes((int)which, first + lane, 0);
        const bool divergent = then_lanes > 0 && then_lanes < lanes;
        t.divergent += divergent;
        t.issues += divergent ? 2 : 1;
        t.lanes += lanes;
    }
    if (!cases[which].is_loop)
        *divergent_branches = cases[which].short_arms ? 0 : t.divergent;
    *divergent_branches *= blocks;
    return {t.warps * blocks, t.divergent * blocks, t.issues * blocks, t.lanes * blocks};
}

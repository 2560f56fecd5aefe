/* branches.cu - runs the kernels of branches.cuh, lets their warps vote, and predicts both.
 *
 * One table: a kernel, the vote about its condition, and the condition itself for the CPU. */
#include <cuda_runtime.h>
#include <stdlib.h>

#include "common/cuda_check.h"
#include "common/verify.h"
#include "step04_divergence/branches.cuh"
#include "step04_divergence/harness/lesson.h"
#include "step04_divergence/votes.cuh"

/* The conditions for the CPU: thread and round. */
static bool first_four(unsigned t, unsigned) { return FIRST_FOUR(t); }
static bool odd_even(unsigned t, unsigned) { return ODD_EVEN(t); }
static bool by_warp(unsigned t, unsigned) { return BY_WARP(t); }
static bool odd_even_by_round(unsigned t, unsigned i) { return ODD_EVEN(t + i); }
static bool by_warp_by_round(unsigned t, unsigned i) { return (t / 32 + i) % 2 != 0; }
static bool always(unsigned, unsigned) { return true; }

struct entry {
    struct branch_case c;
    void (*kernel)(unsigned *out, unsigned rounds);
    void (*vote)(count_t *tally);
    bool (*takes)(unsigned thread, unsigned round); /* the `then` arm */
};

enum { CASES = 6 };

/* clang-format off */
static const struct entry *entries()
{
    static const struct entry table[CASES] = {
        {{"branch_first_four", "threadIdx.x < 4",              false, false}, branch_first_four, count_first_four, first_four},
        {{"branch_odd_even",   "threadIdx.x % 2",              false, false}, branch_odd_even,   count_odd_even,   odd_even},
        {{"branch_by_warp",    "threadIdx.x / 32 % 2",         false, false}, branch_by_warp,    count_by_warp,    by_warp},
        {{"loop_6_7_8",        "i < 6 + threadIdx.x % 32 % 3", true,  false}, loop_6_7_8,        count_loop,       always},
        {{"short_odd_even",    "(threadIdx.x + i) % 2",        false, true},  short_odd_even,    count_odd_even,   odd_even_by_round},
        {{"short_by_warp",     "(threadIdx.x / 32 + i) % 2",   false, true},  short_by_warp,     count_by_warp,    by_warp_by_round},
    };
    return table;
}
/* clang-format on */

const struct branch_case *branch_cases(size_t which)
{
    return which < CASES ? &entries()[which].c : NULL;
}

struct launch {
    size_t which;
    unsigned blocks, threads, rounds;
    unsigned *d_out;
};

static void launch_branch(void *state)
{
    const struct launch *l = (const struct launch *)state;
    entries()[l->which].kernel<<<l->blocks, l->threads>>>(l->d_out, l->rounds);
}

/* What thread `thread` of block 0 computes. */
static unsigned reference(size_t which, unsigned thread, unsigned rounds)
{
    const struct entry *e = &entries()[which];
    unsigned v = thread;
    if (e->c.is_loop)
        rounds = TRIPS(thread);
    for (unsigned i = 0; i < rounds; i++) {
        const bool then = e->takes(thread, i);
        if (e->c.short_arms)
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
    verify_explain(stderr, entries()[l->which].c.name, &r, 0);
    return r.ok;
}

static struct branch_tally count_on_device(const struct launch *l)
{
    count_t tally[4], *d_tally;
    CUDA_CHECK(cudaMalloc((void **)&d_tally, sizeof tally));
    CUDA_CHECK(cudaMemset(d_tally, 0, sizeof tally));
    entries()[l->which].vote<<<l->blocks, l->threads>>>(d_tally);
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
        const unsigned count = TRIPS(first + lane);
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
    const struct entry *e = &entries()[which];
    struct branch_tally t = {};
    *divergent_branches = 0;
    for (unsigned first = 0; first < threads; first += WARP) {
        const unsigned left = threads - first, lanes = left < WARP ? left : (unsigned)WARP;
        t.warps++;
        if (e->c.is_loop) {
            predict_loop_warp(&t, first, lanes, divergent_branches);
            continue;
        }
        unsigned then_lanes = 0;
        for (unsigned lane = 0; lane < lanes; lane++)
            then_lanes += e->takes(first + lane, 0);
        const bool divergent = then_lanes > 0 && then_lanes < lanes;
        t.divergent += divergent;
        t.issues += divergent ? 2 : 1;
        t.lanes += lanes;
    }
    if (!e->c.is_loop)
        *divergent_branches = e->c.short_arms ? 0 : t.divergent;
    *divergent_branches *= blocks;
    return {t.warps * blocks, t.divergent * blocks, t.issues * blocks, t.lanes * blocks};
}

/* test_sample.c - a launch by a sample of its blocks: scaled counts equal whole ones, no block runs
 * twice, and what cannot be sampled runs whole. And the cache that the model is made of. */
#include <stdlib.h>
#include <string.h>

#include "common/gpu/gpu_limits.h"
#include "api/simt.h"
#include "time/lru.h"
#include "suite.h"

/* Each thread adds 1 to its word of an array of n, a guard leaves the last ones out; then it goes
 * round a loop as often as the bound says. */
static const char text[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry add(.param .u64 out, .param .u32 n, .param .u32 rounds)\n{\n"
    ".reg .u32 %r<9>; .reg .u64 %d<4>; .reg .pred %p<3>;\n"
    "ld.param.u64 %d1, [out]; ld.param.u32 %r6, [n]; ld.param.u32 %r7, [rounds];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r4, %r1, %r2, %r3; setp.ge.u32 %p1, %r4, %r6; @%p1 bra END;\n"
    "mul.wide.u32 %d2, %r4, 4; add.s64 %d3, %d1, %d2;\n"
    "ld.global.u32 %r5, [%d3]; add.u32 %r5, %r5, 1; st.global.u32 [%d3], %r5;\n"
    "LOOP: setp.eq.u32 %p2, %r7, 0; @%p2 bra END; sub.u32 %r7, %r7, 1; bra LOOP;\n"
    "END: ret;\n}\n"
    ".visible .entry counting(.param .u64 out, .param .u32 n, .param .u32 rounds)\n{\n"
    ".reg .u32 %r<3>; .reg .u64 %d<3>;\n"
    "ld.param.u64 %d1, [out]; atom.global.add.u32 %r1, [%d1], 1; ret;\n}\n"
    ".visible .entry mark(.param .u64 out, .param .u32 n, .param .u32 rounds)\n{\n"
    ".reg .u32 %r<3>; .reg .u64 %d<4>;\n" /* the word of its block */
    "ld.param.u64 %d1, [out]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %d2, %r1, 4;\n"
    "add.s64 %d3, %d1, %d2; st.global.u32 [%d3], 1; ret;\n}\n";

/* One fence before the block's word is marked. */
#define FENCED(name, fence)                                                                        \
    ".visible .entry " name "(.param .u64 out, .param .u32 n, .param .u32 rounds)\n{\n"            \
    ".reg .u32 %r<3>; .reg .u64 %d<4>;\n"                                                          \
    "ld.param.u64 %d1, [out]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %d2, %r1, 4;\n" fence            \
    "\nadd.s64 %d3, %d1, %d2; st.global.u32 [%d3], 1; ret;\n}\n"
static const char fences[] = ".version 8.0\n.target sm_90\n.address_size 64\n" FENCED(
    "own", "fence.proxy.async.shared::cta; fence.mbarrier_init.release.cluster; membar.cta;")
    FENCED("others", "fence.acq_rel.gpu;");

struct params {
    uint64_t out;
    uint32_t n, rounds;
};

struct run {
    struct simt_counters counters;
    struct simt_sample sample;
    uint32_t *words;
};

enum { BLOCKS = 300, THREADS = 64, WORDS = BLOCKS * THREADS };

static struct run run_text(const char *ptx, const char *name, uint32_t n, uint64_t budget,
                           uint32_t blocks, uint32_t threads)
{
    struct run r = {0};
    struct err e = {0};
    struct simt *s = simt_open(gpu_limits_default(), 2, &e);
    struct simt_module *m = simt_module_load(s, ptx, strlen(ptx), "text", &e);
    ck_assert_msg(m != NULL, "%s", e.text);
    const struct allocation *a =
        memory_alloc(simt_memory(s), WORDS * 4, MEMORY_DEVICE, "test", NULL);
    const struct params p = {a->begin, n, 5};
    const struct simt_launch l = {.kernel = simt_module_kernel(m, name, &e),
                                  .grid = {blocks, 1, 1},
                                  .block = {threads, 1, 1},
                                  .params = &p};
    memset(memory_host(simt_memory(s), a->begin, WORDS * 4), 0, WORDS * 4);
    simt_sample(s, budget, 0);
    ck_assert_msg(simt_run(s, &l, &r.counters, &e), "%s", e.text);
    simt_last_sample(s, &r.sample);
    r.words = malloc(WORDS * 4);
    memcpy(r.words, memory_host(simt_memory(s), a->begin, WORDS * 4), WORDS * 4);
    simt_close(s);
    return r;
}

static struct run run_shape(const char *name, uint32_t n, uint64_t budget, uint32_t blocks,
                            uint32_t threads)
{
    return run_text(text, name, n, budget, blocks, threads);
}

static struct run run_kernel(const char *name, uint32_t n, uint64_t budget)
{
    return run_shape(name, n, budget, BLOCKS, THREADS);
}

static unsigned count_of(const struct run *r, uint32_t value)
{
    unsigned count = 0;
    for (unsigned i = 0; i < WORDS; i++)
        count += r->words[i] == value;
    return count;
}

/* The last block has fewer threads: a class of its own. */
START_TEST(scaled_counts_are_those_of_the_whole)
{
    struct run whole = run_kernel("add", WORDS - 40, 0);
    struct run part = run_kernel("add", WORDS - 40, 2000);
    ck_assert_uint_eq(whole.sample.executed, BLOCKS);
    ck_assert_uint_lt(part.sample.executed, BLOCKS / 4);
    ck_assert_uint_gt(part.sample.executed, 4);
    ck_assert(part.sample.exact);
    ck_assert_mem_eq(&whole.counters, &part.counters, sizeof whole.counters);
    free(whole.words);
    free(part.words);
}
END_TEST

/* Also where the probe shows that the launch is small enough to run whole. */
START_TEST(no_block_runs_twice)
{
    struct run part = run_kernel("add", WORDS, 2000);
    ck_assert_uint_eq(count_of(&part, 0) + count_of(&part, 1), WORDS);
    ck_assert_uint_eq(count_of(&part, 1), part.sample.executed * THREADS);
    free(part.words);
    struct run all = run_kernel("add", WORDS, 1000000);
    ck_assert_uint_eq(all.sample.executed, BLOCKS);
    ck_assert_uint_eq(count_of(&all, 1), WORDS);
    struct run whole = run_kernel("add", WORDS, 0);
    ck_assert_mem_eq(&whole.counters, &all.counters, sizeof whole.counters);
    free(all.words);
    free(whole.words);
}
END_TEST

/* A class of one block, and that one has been looked at first: of 3 blocks the one in the middle.
 */
START_TEST(nor_does_one_that_is_a_class)
{
    struct run part = run_shape("add", 3 * THREADS, 1, 3, THREADS);
    ck_assert_uint_eq(part.sample.executed, 3);
    ck_assert_uint_eq(count_of(&part, 1), 3 * THREADS);
    ck_assert_uint_eq(count_of(&part, 0), WORDS - 3 * THREADS);
    struct run whole = run_shape("add", 3 * THREADS, 0, 3, THREADS);
    ck_assert_mem_eq(&whole.counters, &part.counters, sizeof whole.counters);
    free(part.words);
    free(whole.words);
}
END_TEST

START_TEST(atomics_run_whole)
{
    struct run r = run_kernel("counting", WORDS, 100);
    ck_assert_uint_eq(r.sample.executed, BLOCKS);
    ck_assert_str_eq(r.sample.whole, "an atomic on global memory");
    ck_assert_uint_eq(r.words[0], WORDS);
    free(r.words);
}
END_TEST

/* Fences that no other block hears of do not make a launch run whole. */
START_TEST(fences_for_the_own_block_are_sampled)
{
    struct run own = run_text(fences, "own", 0, 100, BLOCKS, THREADS);
    ck_assert_uint_lt(own.sample.executed, BLOCKS);
    ck_assert_ptr_null(own.sample.whole);
    struct run others = run_text(fences, "others", 0, 100, BLOCKS, THREADS);
    ck_assert_uint_eq(others.sample.executed, BLOCKS);
    ck_assert_str_eq(others.sample.whole, "a fence for other blocks");
    free(own.words);
    free(others.words);
}
END_TEST

/* Part of a sample are blocks of one SM, twice as many as it holds: 2 of 1024 threads. With 40 for
 * each SM and a sample of about 100, all 40 would be there if it held 32. */
START_TEST(blocks_of_one_sm_are_as_many_as_it_holds)
{
    const uint32_t sms = gpu_limits_default()->sm_count, blocks = 40 * sms;
    ck_assert_uint_lt(blocks, WORDS);
    struct run r = run_shape("mark", 0, 4000 * 6 * 32, blocks, 1024);
    ck_assert_uint_ge(r.sample.executed, 80);
    ck_assert_uint_le(r.sample.executed, 120);
    unsigned of_first = 0;
    for (uint32_t b = 0; b < blocks; b += sms) {
        of_first += r.words[b];
    }
    ck_assert_uint_ge(of_first, 4);
    ck_assert_uint_le(of_first, 8);
    free(r.words);
}
END_TEST

START_TEST(the_oldest_line_leaves)
{
    struct lru c;
    struct lru_line evicted;
    lru_open(&c, 4 * 128, 4); /* one set of four */
    for (uint64_t line = 1; line <= 4; line++) {
        ck_assert_ptr_null(lru_find(&c, line));
        lru_insert(&c, line, &evicted);
        ck_assert_uint_eq(evicted.used, 0);
    }
    ck_assert_ptr_nonnull(lru_find(&c, 1)); /* used now: 2 is the oldest */
    lru_insert(&c, 5, &evicted);
    ck_assert_uint_eq(evicted.line, 2);
    ck_assert_ptr_null(lru_find(&c, 2));
    ck_assert_ptr_nonnull(lru_find(&c, 1));
    lru_close(&c);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("sample");
    tcase_add_test(tc, scaled_counts_are_those_of_the_whole);
    tcase_add_test(tc, no_block_runs_twice);
    tcase_add_test(tc, nor_does_one_that_is_a_class);
    tcase_add_test(tc, atomics_run_whole);
    tcase_add_test(tc, fences_for_the_own_block_are_sampled);
    tcase_add_test(tc, blocks_of_one_sm_are_as_many_as_it_holds);
    tcase_add_test(tc, the_oldest_line_leaves);
    return run_suite("sample", tc);
}

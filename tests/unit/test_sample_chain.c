/* test_sample_chain.c - of launches that build on each other the last one alone can be sampled:
 * what common/counters.h promises of launch_again_for_last(). */
#include "common/counters.h"
#include "cudart_fixture.h"
#include "suite.h"

enum { BLOCKS = 300, THREADS = 64, WORDS = BLOCKS * THREADS, FEW = 2000, PLENTY = 10000000 };

#define ENTRY(name, body)                                                                          \
    ".visible .entry " name "(.param .u64 to, .param .u64 from)\n{\n.reg .u32 %r<6>; "             \
    ".reg .u64 %d<6>;\nld.param.u64 %d1, [to]; ld.param.u64 %d2, [from];\n"                        \
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"                          \
    "mad.lo.u32 %r4, %r1, %r2, %r3;\n" body "\nret;\n}\n"

/* number: to[i] = i + 1; mirror: to[i] = from[WORDS - 1 - i], which another block has written. */
static const char ptx[] = ".version 7.0\n.target sm_80\n.address_size 64\n" ENTRY(
    "number", "mul.wide.u32 %d3, %r4, 4; add.s64 %d3, %d1, %d3; add.u32 %r5, %r4, 1;"
              "st.global.u32 [%d3], %r5;")
    ENTRY("mirror", "mul.wide.u32 %d3, %r4, 4; add.s64 %d3, %d1, %d3; sub.u32 %r5, 19199, %r4;"
                    "mul.wide.u32 %d4, %r5, 4; add.s64 %d4, %d2, %d4;"
                    "ld.global.u32 %r5, [%d4]; st.global.u32 [%d3], %r5;");

static const char number_stub, mirror_stub;
static unsigned *numbers, *mirrored;

static void setup(void)
{
    static struct fatbin_wrapper wrapper = {0x466243b1, 1, ptx, NULL};
    ck_assert_int_eq(WORDS, 19200); /* which the text above says */
    register_program();
    void **handle = __cudaRegisterFatBinary(&wrapper);
    register_kernel(handle, &number_stub, "number");
    register_kernel(handle, &mirror_stub, "mirror");
    __cudaRegisterFatBinaryEnd(handle);
    CHECK_OK(cudaMalloc((void **)&numbers, WORDS * sizeof *numbers));
    CHECK_OK(cudaMalloc((void **)&mirrored, WORDS * sizeof *mirrored));
    CHECK_OK(cudaMemset(numbers, 0, WORDS * sizeof *numbers));
    CHECK_OK(cudaMemset(mirrored, 0, WORDS * sizeof *mirrored));
}

static void one_launch(void *calls)
{
    void *args[] = {&numbers, &numbers};
    ++*(int *)calls;
    CHECK_OK(launch(&number_stub, BLOCKS, THREADS, args));
    CHECK_OK(cudaDeviceSynchronize());
}

static void two_launches(void *calls)
{
    void *args[] = {&mirrored, &numbers};
    one_launch(calls);
    CHECK_OK(launch(&mirror_stub, BLOCKS, THREADS, args));
    CHECK_OK(cudaDeviceSynchronize());
}

static unsigned right_words(const unsigned *device, bool mirror)
{
    static unsigned words[WORDS];
    unsigned right = 0;
    CHECK_OK(cudaMemcpy(words, device, sizeof words, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < WORDS; i++)
        right += words[i] == (mirror ? WORDS - i : i + 1);
    return right;
}

START_TEST(launches_that_are_built_on_run_again_whole)
{
    int calls = 0;
    launch_sample(FEW);
    launch_times_start();
    two_launches(&calls);
    ck_assert_uint_lt(right_words(mirrored, true), WORDS / 2);
    CHECK_OK(cudaMemset(mirrored, 0, WORDS * sizeof *mirrored));
    capture_begin();
    ck_assert(launch_again_for_last("a chain", two_launches, &calls));
    ck_assert_str_eq(capture_end(),
                     "a chain: its launches build on each other, so all but the last of them run "
                     "whole\n");
    struct launch_sampled sample;
    ck_assert_int_eq(calls, 2);
    ck_assert_uint_eq(right_words(numbers, false), WORDS);
    ck_assert(launch_was_sampled(&sample));
    ck_assert_uint_eq(right_words(mirrored, true), sample.executed * THREADS);
    CHECK_OK(cudaMemset(numbers, 0, WORDS * sizeof *numbers));
    one_launch(&calls); /* the next ones are sampled as before */
    ck_assert(launch_was_sampled(&sample));
    ck_assert_uint_eq(right_words(numbers, false), sample.executed * THREADS);
}
END_TEST

static void runs_once(uint64_t above, void (*launches)(void *), bool sampled)
{
    int calls = 0;
    struct launch_sampled sample;
    launch_sample(above);
    launch_times_start();
    launches(&calls);
    capture_begin();
    ck_assert(!launch_again_for_last("one", launches, &calls));
    ck_assert_str_eq(capture_end(), "");
    ck_assert_int_eq(calls, 1);
    ck_assert(launch_was_sampled(&sample) == sampled);
}

START_TEST(a_launch_alone_stays_a_sample) { runs_once(FEW, one_launch, true); }
END_TEST

START_TEST(launches_that_ran_whole_stand)
{
    runs_once(PLENTY, two_launches, false);
    runs_once(0, two_launches, false);
}
END_TEST

/* What was sampled before launch_times_start() counts for nothing. */
START_TEST(a_sample_before_the_start_is_forgotten)
{
    int calls = 0;
    launch_sample(FEW);
    one_launch(&calls);
    runs_once(FEW, one_launch, true);
}
END_TEST

/* The times of all launches since the start are one sum. */
START_TEST(times_of_launches_are_added)
{
    int calls = 0;
    struct launch_times one, two;
    launch_times_by_default();
    launch_sample(0);
    launch_times_start();
    one_launch(&calls);
    ck_assert(launch_times(&one));
    ck_assert_double_gt(one.floor_ms, 0);
    one_launch(&calls);
    ck_assert(launch_times(&two));
    ck_assert_double_eq_tol(two.floor_ms, 2 * one.floor_ms, 0.5 * one.floor_ms);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("samples in a chain");
    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_test(tc, launches_that_are_built_on_run_again_whole);
    tcase_add_test(tc, a_launch_alone_stays_a_sample);
    tcase_add_test(tc, launches_that_ran_whole_stand);
    tcase_add_test(tc, a_sample_before_the_start_is_forgotten);
    tcase_add_test(tc, times_of_launches_are_added);
    return run_suite("samples in a chain", tc);
}

/* test_verify.c - the same inputs everywhere, and comparisons that let no NaN pass. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/verify.h"
#include "suite.h"

START_TEST(splitmix64_known_values)
{
    /* The first outputs for seed 1234567 that descriptions of the generator give. */
    struct rng r = rng_start(1234567);
    ck_assert_uint_eq(rng_next(&r), 6457827717110365317u);
    ck_assert_uint_eq(rng_next(&r), 3203168211198807973u);
    ck_assert_uint_eq(rng_next(&r), 9817491932198370423u);
}
END_TEST

START_TEST(fills_repeat_and_stay_in_range)
{
    enum { N = 10000 };
    static float a[N], b[N];
    static double d[N];
    verify_fill_floats(a, N, 7);
    verify_fill_floats(b, N, 7);
    verify_fill_doubles(d, N, 7);
    ck_assert(memcmp(a, b, sizeof a) == 0);
    double sum = 0;
    for (int i = 0; i < N; i++) {
        ck_assert(a[i] >= -1.0f && a[i] < 1.0f);
        ck_assert(d[i] >= -1.0 && d[i] < 1.0);
        sum += (double)a[i];
    }
    ck_assert(fabs(sum / N) < 0.05);
    verify_fill_floats(b, N, 8);
    ck_assert(memcmp(a, b, sizeof a) != 0);
}
END_TEST

START_TEST(integers_reach_both_ends)
{
    int32_t values[1000];
    int low = 0, high = 0;
    verify_fill_ints(values, 1000, -2, 2, 1);
    for (int i = 0; i < 1000; i++) {
        ck_assert(values[i] >= -2 && values[i] <= 2);
        low += values[i] == -2;
        high += values[i] == 2;
    }
    ck_assert(low > 100 && high > 100);
    struct rng r = rng_start(1);
    ck_assert_int_eq(rng_between(&r, 5, 5), 5);
    rng_between(&r, INT64_MIN, INT64_MAX); /* must not divide by zero */
}
END_TEST

static const struct {
    double got, want, abs, rel;
    bool close;
} pairs[] = {
    {1.0, 1.0, 0, 0, true},           {1.0, 1.1, 0.2, 0, true},
    {1.0, 1.3, 0.2, 0, false},        {100.0, 101.0, 0, 0.01, true},
    {100.0, 102.0, 0, 0.01, false},   {NAN, 1.0, 1e9, 1e9, false},
    {1.0, NAN, 1e9, 1e9, false},      {NAN, NAN, 1e9, 1e9, false},
    {INFINITY, INFINITY, 0, 0, true}, {-INFINITY, INFINITY, 1e9, 1e9, false},
    {5.0, INFINITY, 1e9, 1e9, false}, /* rel * inf would let this pass */
    {INFINITY, 5.0, 1e9, 1e9, false}, {0.0, -0.0, 0, 0, true},
};

START_TEST(close_or_not)
{
    ck_assert(verify_close(pairs[_i].got, pairs[_i].want, pairs[_i].abs, pairs[_i].rel) ==
              pairs[_i].close);
}
END_TEST

START_TEST(first_mismatch_is_reported)
{
    const float got[] = {1, 2, NAN, 4, 50, 6};
    const double want[] = {1, 2.25, 3, 4, 5, 6};
    struct verify_result r = verify_floats(got, want, 6, 0.5, 0);
    ck_assert(!r.ok);
    ck_assert_uint_eq(r.mismatches, 2);
    ck_assert_uint_eq(r.first, 2);
    ck_assert(isnan(r.got));
    ck_assert(r.want == 3);
    ck_assert(isnan(r.max_abs_error));

    char text[200] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    verify_explain(out, "matmul", &r, 2);
    verify_explain(out, "copy", &r, 0);
    fclose(out);
    ck_assert_str_eq(text,
                     "matmul: 2 of 6 values wrong, first at row 1, column 0: got nan, want 3\n"
                     "copy: 2 of 6 values wrong, first at index 2: got nan, want 3\n");
}
END_TEST

START_TEST(right_results_are_ok)
{
    const float got[] = {1, 2};
    const double want[] = {1, 2.25};
    struct verify_result r = verify_floats(got, want, 2, 0.5, 0);
    ck_assert(r.ok && r.mismatches == 0 && r.count == 2);
    ck_assert(r.max_abs_error == 0.25);
    ck_assert(verify_floats(got, want, 0, 0, 0).ok);

    char text[50] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    verify_explain(out, "x", &r, 0);
    fclose(out);
    ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(exact_comparisons)
{
    const int32_t a[] = {1, INT32_MIN, 3}, b[] = {1, INT32_MAX, 3};
    struct verify_result r = verify_ints(a, b, 3);
    ck_assert(!r.ok && r.first == 1 && r.max_abs_error == 4294967295.0);
    ck_assert(verify_ints(a, a, 3).ok);

    const double x[] = {1, 2}, y[] = {1, 2.0000001};
    ck_assert(!verify_doubles(x, y, 2, 0, 0).ok);
    ck_assert(verify_doubles(x, y, 2, 1e-6, 0).ok);

    const float f[] = {1, NAN};
    ck_assert(!verify_floats_equal(f, f, 2).ok); /* a NaN equals nothing */
    ck_assert(verify_floats_equal(f, f, 1).ok);

    r = verify_bytes("abcx", "abdx", 4);
    ck_assert(!r.ok && r.first == 2 && r.mismatches == 1 && r.got == 'c' && r.want == 'd');
    ck_assert(verify_bytes("abc", "abc", 4).ok);
    ck_assert(verify_bytes("", "", 0).ok);
}
END_TEST

START_TEST(poison_is_never_right)
{
    float poisoned[4];
    const double zeros[4] = {0};
    memset(poisoned, 0xff, sizeof poisoned);
    ck_assert_uint_eq(verify_floats(poisoned, zeros, 4, INFINITY, 0).mismatches, 4);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("verify");
    tcase_add_test(tc, splitmix64_known_values);
    tcase_add_test(tc, fills_repeat_and_stay_in_range);
    tcase_add_test(tc, integers_reach_both_ends);
    tcase_add_loop_test(tc, close_or_not, 0, sizeof pairs / sizeof pairs[0]);
    tcase_add_test(tc, first_mismatch_is_reported);
    tcase_add_test(tc, right_results_are_ok);
    tcase_add_test(tc, exact_comparisons);
    tcase_add_test(tc, poison_is_never_right);
    return run_suite("verify", tc);
}

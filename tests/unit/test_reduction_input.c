/* test_reduction_input.c - the right answers of lesson 05 are right: sums beyond double, wrapping
 * ints, NaN, infinity, and bounds. The lesson's file is compiled into this test. */
#include <string.h>

#include "step05_reduction/harness/input.c"
#include "suite.h"

static double distance(const struct expected *e, enum reduction_op op, double result)
{
    return expected_error(e, TYPE_DOUBLE, op, &result);
}

START_TEST(sums_keep_what_double_loses)
{
    /* 1e16 + 1 - 1e16 is 0 in double: the lanes of expect_reals() see them apart and together. */
    const double apart[] = {1e16, 0, 0, 0, 1, 0, 0, 0, -1e16};
    const double together[] = {1e16, 1, -1e16, 0x1p-60};
    const struct expected a = input_expected(TYPE_DOUBLE, apart, 9);
    const struct expected b = input_expected(TYPE_DOUBLE, together, 4);
    ck_assert(expected_value(&a, TYPE_DOUBLE, OP_SUM) == 1.0);
    ck_assert(distance(&a, OP_SUM, 1.0) == 0);
    ck_assert(distance(&b, OP_SUM, 1.0) == 0x1p-60);
    ck_assert(a.abs_sum == 2e16);
}
END_TEST

START_TEST(int_sums_wrap)
{
    const int32_t elements[] = {INT32_MAX, 1, INT32_MAX, 1, 7};
    const struct expected e = input_expected(TYPE_INT, elements, 5);
    const int32_t seven = 7, eight = 8;
    ck_assert(expected_error(&e, TYPE_INT, OP_SUM, &seven) == 0);
    ck_assert(expected_error(&e, TYPE_INT, OP_SUM, &eight) == 1);
    ck_assert(expected_value(&e, TYPE_INT, OP_MIN) == 1);
    ck_assert(expected_value(&e, TYPE_INT, OP_MAX) == INT32_MAX);
    ck_assert(error_bound(&e, TYPE_INT, OP_SUM, 100) == 0);
}
END_TEST

START_TEST(nan_wins_wherever_it_is)
{
    for (int at = 0; at < 5; at++) {
        double x[5] = {1, -INFINITY, 3, INFINITY, 5};
        x[at] = NAN;
        const struct expected e = input_expected(TYPE_DOUBLE, x, 5);
        for (int op = 0; op < OP_COUNT; op++) {
            ck_assert(distance(&e, (enum reduction_op)op, NAN) == 0);
            ck_assert(!(distance(&e, (enum reduction_op)op, 1.0) <= 1e300));
        }
    }
}
END_TEST

START_TEST(infinities)
{
    const double one[] = {1, INFINITY, 2}, both[] = {1, INFINITY, -INFINITY};
    const struct expected a = input_expected(TYPE_DOUBLE, one, 3);
    const struct expected b = input_expected(TYPE_DOUBLE, both, 3);
    ck_assert(distance(&a, OP_SUM, INFINITY) == 0);
    ck_assert(!(distance(&a, OP_SUM, 3) <= 1e300));
    ck_assert(!(distance(&a, OP_SUM, -INFINITY) <= 1e300));
    ck_assert(distance(&b, OP_SUM, NAN) == 0);
    ck_assert(distance(&b, OP_MIN, -INFINITY) == 0);
    ck_assert(distance(&b, OP_MAX, INFINITY) == 0);
    ck_assert(distance(&a, OP_MIN, 1) == 0);
}
END_TEST

START_TEST(an_unwritten_result_is_wrong)
{
    double poison;
    memset(&poison, 0xff, sizeof poison);
    const double x[] = {1, 2};
    const struct expected e = input_expected(TYPE_DOUBLE, x, 2);
    for (int op = 0; op < OP_COUNT; op++)
        ck_assert(!(distance(&e, (enum reduction_op)op, poison) <= INFINITY));
}
END_TEST

START_TEST(bounds_grow_with_the_depth)
{
    const float x[] = {1, -1};
    const struct expected e = input_expected(TYPE_FLOAT, x, 2);
    ck_assert(error_bound(&e, TYPE_FLOAT, OP_SUM, 0) == 0);
    ck_assert(fabs(error_bound(&e, TYPE_FLOAT, OP_SUM, 1) - 0x1p-23) < 1e-13);
    ck_assert(isinf(error_bound(&e, TYPE_FLOAT, OP_SUM, 0x1p24)));
    ck_assert(error_bound(&e, TYPE_FLOAT, OP_MIN, 10) == 0);
    ck_assert(error_bound(&e, TYPE_DOUBLE, OP_SUM, 1) < 3e-16);
}
END_TEST

/* Chunks change nothing, exact input is odd and small, and a planted extreme is the extreme. */
START_TEST(input_of_every_type)
{
    const enum reduction_type type = (enum reduction_type)_i;
    double whole[1000], parts[1000];
    struct input a = input_start(type, INPUT_EXACT, 5), b = a;
    input_next(&a, whole, 1000);
    input_next(&b, parts, 137);
    input_next(&b, (char *)parts + 137 * type_bytes(type), 863);
    ck_assert(memcmp(whole, parts, 1000 * type_bytes(type)) == 0);
    ck_assert(a.expected.int_sum == b.expected.int_sum);
    ck_assert(expected_value(&a.expected, type, OP_SUM) ==
              expected_value(&b.expected, type, OP_SUM));
    for (size_t i = 0; i < 1000 && type != TYPE_INT; i++) {
        const double x = element_value(type, (char *)whole + i * type_bytes(type));
        ck_assert(fabs(x) <= 7 && fmod(fabs(x), 2) == 1);
    }
    input_plant(&a, OP_MIN, whole);
    input_plant(&b, OP_MAX, parts);
    ck_assert(a.expected.min == element_value(type, whole) && a.expected.min <= -8);
    ck_assert(b.expected.max == element_value(type, parts) && b.expected.max >= 8);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("reduction_input");
    tcase_add_test(tc, sums_keep_what_double_loses);
    tcase_add_test(tc, int_sums_wrap);
    tcase_add_test(tc, nan_wins_wherever_it_is);
    tcase_add_test(tc, infinities);
    tcase_add_test(tc, an_unwritten_result_is_wrong);
    tcase_add_test(tc, bounds_grow_with_the_depth);
    tcase_add_loop_test(tc, input_of_every_type, 0, TYPE_COUNT);
    return run_suite("reduction_input", tc);
}

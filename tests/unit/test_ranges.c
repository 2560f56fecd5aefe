/* Sets of numbers as ranges (base/ranges.h), also against a plain array of bits. */
#include "common/simt/base/ranges.h"
#include "suite.h"

#include <stdlib.h>

START_TEST(neighbours_become_one_range)
{
    struct ranges r = {0};
    for (uint64_t i = 0; i < 1000; i++) {
        ranges_add(&r, i, i + 1);
    }
    ck_assert_uint_eq(r.count, 1);
    ck_assert_uint_eq(r.items[0].from, 0);
    ck_assert_uint_eq(r.items[0].to, 1000);
    ranges_add(&r, 2000, 2000); /* none */
    ck_assert_uint_eq(r.count, 1);
    ranges_free(&r);
    ck_assert(!ranges_holds(&r, 0));
}
END_TEST

START_TEST(what_two_sets_share)
{
    struct ranges a = {0}, b = {0};
    ranges_add(&a, 0, 10);
    ranges_add(&a, 20, 30);
    ranges_add(&b, 10, 20);
    ck_assert(!ranges_overlap(&a, &b));
    ranges_add(&b, 5, 6);
    ranges_add(&b, 25, 40);
    ck_assert(ranges_overlap(&a, &b));
    ck_assert_uint_eq(ranges_common(&a, &b), 1 + 5);
    ck_assert_uint_eq(ranges_common(&b, &a), 1 + 5);
    ranges_free(&a);
    ranges_free(&b);
}
END_TEST

START_TEST(any_order_of_adding_holds_the_same)
{
    enum { NUMBERS = 200 };
    bool in[NUMBERS] = {false};
    struct ranges r = {0};
    srand(7);
    for (unsigned round = 0; round < 60; round++) {
        uint64_t from = (uint64_t)rand() % NUMBERS, to = from + (uint64_t)rand() % 6;
        to = to < NUMBERS ? to : NUMBERS;
        ranges_add(&r, from, to);
        for (uint64_t i = from; i < to; i++) {
            in[i] = true;
        }
        for (uint64_t i = 0; i < NUMBERS; i++) {
            ck_assert_msg(ranges_holds(&r, i) == in[i], "round %u, number %u", round, (unsigned)i);
        }
        for (size_t i = 1; i < r.count; i++) {
            ck_assert_uint_lt(r.items[i - 1].to, r.items[i].from);
        }
    }
    ranges_free(&r);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("ranges");
    tcase_add_test(tests, neighbours_become_one_range);
    tcase_add_test(tests, what_two_sets_share);
    tcase_add_test(tests, any_order_of_adding_holds_the_same);
    return run_suite("ranges", tests);
}

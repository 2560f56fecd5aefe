/* test_balance.c - blocks of unequal work on the places of a GPU, against numbers found by hand. */
#include "suite.h"
#include "time/balance.h"

enum { TWO_SMS = 2 };

START_TEST(blocks_that_are_alike_are_in_balance)
{
    const double work[] = {3, 3, 3, 3, 3};
    const struct balance none = balance_of(work, 0, TWO_SMS, 2);
    const struct balance alike = balance_of(work, 5, TWO_SMS, 2);
    ck_assert_double_eq(none.longest, 1);
    ck_assert_double_eq(none.fullest, 1);
    ck_assert_double_eq(alike.longest, 1);
    ck_assert_double_eq(alike.fullest, 1);
}
END_TEST

/* Each of four blocks has a place. The longest one takes three times the mean; its SM, which has
 * another one, does 10 of 12, where two alike would do 6. */
START_TEST(an_sm_is_less_uneven_than_its_blocks)
{
    const double work[] = {9, 1, 1, 1};
    const struct balance b = balance_of(work, 4, TWO_SMS, 2);
    ck_assert_double_eq_tol(b.longest, 3, 1e-9);
    ck_assert_double_eq_tol(b.fullest, 10.0 / 6, 1e-9);
}
END_TEST

/* The second place is free again while the first block runs, and takes all others: 6 and 4. */
START_TEST(further_blocks_go_where_there_is_room)
{
    const double work[] = {6, 1, 1, 1, 1};
    const struct balance b = balance_of(work, 5, TWO_SMS, 1);
    ck_assert_double_eq_tol(b.longest, 1, 1e-9); /* three blocks of the mean, 2, are 6 as well */
    ck_assert_double_eq_tol(b.fullest, 1, 1e-9);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("balance");
    tcase_add_test(tc, blocks_that_are_alike_are_in_balance);
    tcase_add_test(tc, an_sm_is_less_uneven_than_its_blocks);
    tcase_add_test(tc, further_blocks_go_where_there_is_room);
    return run_suite("balance", tc);
}

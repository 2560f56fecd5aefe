/* test_box.c - sectors of one row of a box that a tensor copy brings: what an H200 counted where the row lies inside
 * of the array, outside, or in part (tests/fidelity/modern). */
#include <check.h>

#include "common/simt/exec/exec_box.h"
#include "suite.h"

/* Elements of 4 bytes; begin to end lie inside of the array. */
static unsigned sectors_of(u64 address, unsigned length, unsigned begin, unsigned end, bool stores)
{
    const struct box x = {.size = 4};
    const struct walk k = {.length = length};
    const struct row r = {.address = address, .begin = begin, .end = end};
    return exec_row_sectors(&x, &k, &r, 0, stores);
}

START_TEST(a_row_inside_has_the_sectors_of_its_address)
{
    ck_assert_uint_eq(sectors_of(0x1000, 16, 0, 16, false), 2);
    ck_assert_uint_eq(sectors_of(0x1010, 16, 0, 16, false), 3);
    ck_assert_uint_eq(sectors_of(0x1010, 16, 0, 16, true), 3);
}
END_TEST

/* As if it were at address 0, wherever it would be. */
START_TEST(a_row_outside_has_the_sectors_of_its_bytes)
{
    ck_assert_uint_eq(sectors_of(0x1010, 16, 0, 0, false), 2);
    ck_assert_uint_eq(sectors_of(0x1010, 64, 8, 8, false), 8);
    ck_assert_uint_eq(sectors_of(0x1010, 16, 0, 0, true), 0);
}
END_TEST

START_TEST(a_row_that_is_cut_has_both)
{
    ck_assert_uint_eq(sectors_of(0x1000, 16, 0, 8, false), 1 + 1);
    ck_assert_uint_eq(sectors_of(0x1000, 16, 8, 16, false), 1 + 1);
    ck_assert_uint_eq(sectors_of(0x1000, 16, 0, 8, true), 1);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("box");
    tcase_add_test(tests, a_row_inside_has_the_sectors_of_its_address);
    tcase_add_test(tests, a_row_outside_has_the_sectors_of_its_bytes);
    tcase_add_test(tests, a_row_that_is_cut_has_both);
    return run_suite("box", tests);
}

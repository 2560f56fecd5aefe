/* test_report_explain.c - SIMT_REPORT=explain: what limits a kernel, and the three parts that come
 * next. */
#include "common/simt/report/report_explain.h"

#include <math.h>
#include <string.h>

#include "common/simt/time/model.h"
#include "suite.h"

static char said[2000];

static void keep(void *state, const char *kernel, const char *text)
{
    snprintf(said, sizeof said, "%s", text);
    *(const char **)state = kernel;
}

static const char *explained(const struct estimate *e)
{
    const char *kernel = NULL;
    const struct report_row row = {
        .kernel = "copy", .grid = {4, 1, 1}, .block = {64, 1, 1}, .estimate = e};
    report_explain_add(&row);
    report_explain_visit(keep, &kernel);
    ck_assert_str_eq(kernel, "copy");
    return said;
}

/* DRAM 40, L2 30, L1 20, instructions 10, blocks 5. */
static struct estimate estimate_of(double us)
{
    struct estimate e = {.gpu = "NVIDIA H200", .modelled = true, .calibrated = true};
    e.floors.floor_us = us;
    e.model_us = us;
    e.model.us = us;
    e.model.limiter = FLOOR_DRAM;
    e.model.share_of_sms = 1;
    e.model.part_us[FLOOR_DRAM] = 40;
    e.model.part_us[FLOOR_L2] = 30;
    e.model.part_us[FLOOR_L1] = 20;
    e.model.part_us[FLOOR_ISSUE] = 10;
    e.model.part_us[FLOOR_BLOCKS] = 5;
    return e;
}

static void check_has(const char *words)
{
    ck_assert_msg(strstr(said, words) != NULL, "%s is not in %s", words, said);
}

START_TEST(the_three_parts_that_follow_are_named)
{
    char limit[200], next[400];
    const struct estimate e = estimate_of(41);
    explained(&e);
    snprintf(limit, sizeof limit, "limited by %s: 40 us of 41 us;\n", model_part_name(FLOOR_DRAM));
    snprintf(next, sizeof next, "next: %s, 30 us; %s, 20 us; %s, 10 us\n",
             model_part_name(FLOOR_L2), model_part_name(FLOOR_L1), model_part_name(FLOOR_ISSUE));
    check_has(limit);
    check_has(next);
}
END_TEST

START_TEST(the_longest_launch_is_explained)
{
    const struct estimate longer = estimate_of(50), shorter = estimate_of(45);
    explained(&longer);
    explained(&shorter);
    check_has("40 us of 50 us");
}
END_TEST

START_TEST(what_most_sms_do_not_do_is_said)
{
    struct estimate e = estimate_of(60);
    e.model.limiter = FLOOR_L2; /* of the busiest SM; the largest part is another one's */
    e.model.share_of_sms = 0.5;
    explained(&e);
    check_has("on average an SM does 50 % of what they do");
}
END_TEST

START_TEST(a_time_that_is_not_known_is_not_explained)
{
    const struct estimate known = estimate_of(70), unknown = estimate_of(NAN);
    explained(&known);
    explained(&unknown);
    check_has("40 us of 70 us");
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("report_explain");
    tcase_add_test(tests, the_three_parts_that_follow_are_named);
    tcase_add_test(tests, the_longest_launch_is_explained);
    tcase_add_test(tests, what_most_sms_do_not_do_is_said);
    tcase_add_test(tests, a_time_that_is_not_known_is_not_explained);
    return run_suite("report_explain", tests);
}

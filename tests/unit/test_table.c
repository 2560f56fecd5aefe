/* test_table.c - tables: text for people, CSV for programs, missing cells in both. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/table.h"
#include "suite.h"

static const struct column columns[] = {
    {"kernel", NULL, NULL, COLUMN_TEXT, 0},
    {"load_sectors", NULL, "sectors", COLUMN_INTEGER, 0},
    {"gb_per_s", "bandwidth", "GB/s", COLUMN_REAL, 1},
    {"abs_error", NULL, "", COLUMN_GENERAL, 3},
};

static struct table *example(void)
{
    struct table *t = table_open(columns, 4);
    table_row(t);
    table_text(t, "kernel", "copy_offset");
    table_integer(t, "load_sectors", 5);
    table_measured(t, "gb_per_s", 2703.96);
    table_real(t, "abs_error", 1.25e-7);
    table_row(t);
    table_measured(t, "gb_per_s", NAN);
    table_real(t, "abs_error", NAN);
    table_integer(t, "load_sectors", -12345678901);
    return t;
}

typedef void (*printer)(const struct table *t, FILE *out);

static void as_csv(const struct table *t, FILE *out)
{
    table_write_csv(t, out, "simulated counts");
}

static void as_bare_csv(const struct table *t, FILE *out) { table_write_csv(t, out, NULL); }

static void ck_printed(struct table *t, printer print, const char *want)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    print(t, out);
    fclose(out);
    ck_assert_str_eq(text, want);
    free(text);
    table_close(t);
}

START_TEST(text_is_aligned)
{
    ck_printed(example(), table_print,
               "kernel       load sectors  bandwidth  abs error\n"
               "                  sectors       GB/s\n"
               "-----------------------------------------------\n"
               "copy_offset             5     2704.0   1.25e-07\n"
               "-            -12345678901          -        nan\n");
}
END_TEST

static size_t print_width = 80;
static void within(const struct table *t, FILE *out) { table_print_within(t, out, print_width); }

static const struct column wide_columns[] = {
    {"kernel", NULL, NULL, COLUMN_TEXT, 0},
    {"m", NULL, NULL, COLUMN_INTEGER, 0},
    {"time_ms", "time", "ms", COLUMN_REAL, 4},
    {"load_sectors_per_request", "load sectors", "per request", COLUMN_REAL, 2},
    {"max_error", "max error", "relative", COLUMN_GENERAL, 2},
    {"bank_conflicts", NULL, NULL, COLUMN_INTEGER, 0},
    {"verified", NULL, NULL, COLUMN_TEXT, 0},
};

static struct table *wide_example(void)
{
    struct table *t = table_open(wide_columns, 7);
    for (int row = 0; row < 2; row++) {
        table_row(t);
        table_text(t, "kernel", row ? "copy_strided" : "copy");
        table_integer(t, "m", 128);
        table_real(t, "load_sectors_per_request", row ? 32 : 4);
        table_real(t, "max_error", 1e-7 * (1 + row));
        table_integer(t, "bank_conflicts", 1000000 * row);
        table_text(t, "verified", "yes");
    }
    return t;
}

START_TEST(what_is_missing_everywhere_is_left_out)
{
    print_width = 57;
    ck_printed(wide_example(), within,
               "                      load\n"
               "                   sectors       max\n"
               "                       per     error       bank\n"
               "kernel          m  request  relative  conflicts  verified\n"
               "---------------------------------------------------------\n"
               "copy          128     4.00     1e-07          0  yes\n"
               "copy_strided  128    32.00     2e-07    1000000  yes\n");
}
END_TEST

START_TEST(what_is_the_same_everywhere_is_said_once)
{
    print_width = 56;
    ck_printed(wide_example(), within,
               "In every row: m 128\n"
               "                 load\n"
               "              sectors       max\n"
               "                  per     error       bank\n"
               "kernel        request  relative  conflicts  verified\n"
               "----------------------------------------------------\n"
               "copy             4.00     1e-07          0  yes\n"
               "copy_strided    32.00     2e-07    1000000  yes\n");
}
END_TEST

/* The first and the last column stay, whatever the width. */
START_TEST(two_columns_are_the_least)
{
    print_width = 10;
    ck_printed(wide_example(), within,
               "In every row: m 128\n"
               "kernel        verified\n"
               "----------------------\n"
               "copy          yes\n"
               "copy_strided  yes\n"
               "With --wide also: load sectors per request,\n"
               "  max error relative,\n"
               "  bank conflicts\n");
}
END_TEST

START_TEST(what_does_not_fit_is_named)
{
    struct table *t = wide_example();
    table_leave_out(t, "no_such_column max_error");
    print_width = 42;
    ck_printed(t, within,
               "In every row: m 128\n"
               "                 load\n"
               "              sectors\n"
               "                  per       bank\n"
               "kernel        request  conflicts  verified\n"
               "------------------------------------------\n"
               "copy             4.00          0  yes\n"
               "copy_strided    32.00    1000000  yes\n"
               "With --wide also: max error relative\n");
    t = wide_example(); /* nothing named: from the right */
    ck_printed(t, within,
               "In every row: m 128\n"
               "                 load\n"
               "              sectors       max\n"
               "                  per     error\n"
               "kernel        request  relative  verified\n"
               "-----------------------------------------\n"
               "copy             4.00     1e-07  yes\n"
               "copy_strided    32.00     2e-07  yes\n"
               "With --wide also: bank conflicts\n");
}
END_TEST

START_TEST(csv_has_all_digits)
{
    ck_printed(example(), as_csv,
               "# simulated counts\n"
               "kernel,load_sectors,gb_per_s,abs_error\n"
               "copy_offset,5,2703.96,1.25e-07\n"
               "-,-12345678901,-,nan\n");
}
END_TEST

START_TEST(csv_quotes)
{
    struct table *t = table_open(columns, 1);
    const char *const cells[] = {"a,b", "say \"x\"", "two\nlines", "# no comment", "plain"};
    for (size_t i = 0; i < 5; i++) {
        table_row(t);
        table_text(t, "kernel", cells[i]);
    }
    ck_printed(t, as_bare_csv,
               "kernel\n\"a,b\"\n\"say \"\"x\"\"\"\n\"two\nlines\"\n\"# no comment\"\nplain\n");
}
END_TEST

START_TEST(json_has_no_nan)
{
    ck_printed(example(), table_write_json,
               "[\n  {\"kernel\": \"copy_offset\", \"load_sectors\": 5, \"gb_per_s\": 2703.96, "
               "\"abs_error\": 1.25e-07},\n"
               "  {\"kernel\": null, \"load_sectors\": -12345678901, \"gb_per_s\": null, "
               "\"abs_error\": null}\n]");
    struct table *t = table_open(columns, 1);
    table_row(t);
    table_text(t, "kernel", "say \"x\" \\ \n");
    ck_printed(t, table_write_json, "[\n  {\"kernel\": \"say \\\"x\\\" \\\\ \\u000a\"}\n]");
    ck_printed(table_open(columns, 1), table_write_json, "[]");
}
END_TEST

START_TEST(no_units_no_unit_line)
{
    struct table *t = table_open(columns, 1);
    ck_printed(t, table_print, "kernel\n------\n");
}
END_TEST

START_TEST(width_counts_characters)
{
    static const struct column two[] = {{"a", NULL, NULL, COLUMN_TEXT, 0},
                                        {"b", NULL, NULL, COLUMN_INTEGER, 0}};
    struct table *t = table_open(two, 2);
    table_row(t);
    table_text(t, "a", "16 \xc3\x97 16"); /* a multiplication sign: 2 bytes, 1 character */
    table_integer(t, "b", 1);
    ck_printed(t, table_print, "a        b\n----------\n16 \xc3\x97 16  1\n");
}
END_TEST

START_TEST(a_cell_may_be_set_again)
{
    struct table *t = table_open(columns, 1);
    table_row(t);
    table_text(t, "kernel", "first");
    table_text(t, "kernel", "second");
    ck_assert_uint_eq(table_rows(t), 1);
    ck_printed(t, as_bare_csv, "kernel\nsecond\n");
}
END_TEST

START_TEST(many_rows)
{
    struct table *t = table_open(columns, 4);
    for (int i = 0; i < 1000; i++) {
        table_row(t);
        table_integer(t, "load_sectors", i);
    }
    ck_assert_uint_eq(table_rows(t), 1000);
    table_close(t);
}
END_TEST

START_TEST(wrong_name_ends_the_program)
{
    struct table *t = table_open(columns, 4);
    table_row(t);
    table_integer(t, "no_such_column", 1);
}
END_TEST

START_TEST(wrong_type_ends_the_program)
{
    struct table *t = table_open(columns, 4);
    table_row(t);
    table_integer(t, "gb_per_s", 1);
}
END_TEST

START_TEST(cell_without_row_ends_the_program)
{
    table_integer(table_open(columns, 4), "load_sectors", 1);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("table");
    tcase_add_test(tc, text_is_aligned);
    tcase_add_test(tc, what_is_missing_everywhere_is_left_out);
    tcase_add_test(tc, what_is_the_same_everywhere_is_said_once);
    tcase_add_test(tc, two_columns_are_the_least);
    tcase_add_test(tc, what_does_not_fit_is_named);
    tcase_add_test(tc, csv_has_all_digits);
    tcase_add_test(tc, csv_quotes);
    tcase_add_test(tc, json_has_no_nan);
    tcase_add_test(tc, no_units_no_unit_line);
    tcase_add_test(tc, width_counts_characters);
    tcase_add_test(tc, a_cell_may_be_set_again);
    tcase_add_test(tc, many_rows);
    tcase_add_test_raise_signal(tc, wrong_name_ends_the_program, 6); /* SIGABRT */
    tcase_add_test_raise_signal(tc, wrong_type_ends_the_program, 6);
    tcase_add_test_raise_signal(tc, cell_without_row_ends_the_program, 6);
    return run_suite("table", tc);
}

/* SIMT_REPORT: the CSV's columns and quoting, appending, the table, and where it cannot be written.
 */
#include "common/simt/report/report.h"
#include "suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[64];

static void setup(void)
{
    snprintf(path, sizeof path, "/tmp/test_report_%ld.csv", (long)getpid());
    unlink(path);
}

static void teardown(void) { unlink(path); }

static struct report_row row(const char *kernel, uint64_t launch)
{
    struct report_row r = {.kernel = kernel, .launch = launch, .shared_bytes = 48};
    r.grid = (struct simt_dim){7, 8, 9};
    r.block = (struct simt_dim){32, 2, 1};
    r.counters.warps = 1008;
    r.counters.instructions = 123456789012;
    r.counters.barriers = 5;
    return r;
}

static const char *contents(void)
{
    static char text[8192];
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    return text;
}

static unsigned count(const char *text, char wanted)
{
    unsigned n = 0;
    for (; *text != '\0'; text++) {
        n += *text == wanted;
    }
    return n;
}

START_TEST(the_columns_are_those_that_readers_expect)
{
    const char *expected =
        "kernel,launch,grid_x,grid_y,grid_z,block_x,block_y,block_z,shared_bytes,"
        "warps,instructions,thread_instructions,global_load_requests,"
        "global_load_sectors,global_store_requests,global_store_sectors,"
        "global_red_requests,global_red_sectors,shared_load_wavefronts,"
        "shared_load_conflicts,shared_store_wavefronts,shared_store_conflicts,"
        "branches,divergent_branches,barriers,";
    ck_assert(report_open(path, NULL));
    ck_assert(report_wanted());
    ck_assert_msg(strncmp(contents(), expected, strlen(expected)) == 0, "%s", contents());
}
END_TEST

START_TEST(a_launch_is_one_row)
{
    struct report_row r = row("copy", 4);
    ck_assert(report_open(path, NULL));
    report_add(&r);
    const char *expected = "\ncopy,4,7,8,9,32,2,1,48,1008,123456789012,0,";
    ck_assert_msg(strstr(contents(), expected) != NULL, "%s", contents());
    ck_assert_uint_eq(count(contents(), '\n'), 2);
    ck_assert_ptr_nonnull(strstr(contents(), ",schema\n"));
    ck_assert_str_eq(contents() + strlen(contents()) - 3, ",1\n");
    const char *header_end = strchr(contents(), '\n');
    ck_assert_uint_eq(count(header_end, ','), count(contents(), ',') / 2);
}
END_TEST

START_TEST(names_with_commas_and_quotes_are_quoted)
{
    struct report_row comma = row("reduce<float, 256>", 0), quote = row("f<'\"'>", 1);
    ck_assert(report_open(path, NULL));
    report_add(&comma);
    report_add(&quote);
    ck_assert_ptr_nonnull(strstr(contents(), "\n\"reduce<float, 256>\",0,"));
    ck_assert_ptr_nonnull(strstr(contents(), "\n\"f<'\"\"'>\",1,"));
}
END_TEST

START_TEST(a_second_program_appends_without_a_header)
{
    struct report_row r = row("copy", 0);
    ck_assert(report_open(path, NULL));
    report_add(&r);
    r.launch = 7;
    ck_assert(report_open(path, NULL));
    report_add(&r);
    ck_assert_ptr_nonnull(strstr(contents(), "\ncopy,7,"));
    ck_assert_ptr_null(strstr(strchr(contents(), '\n'), "kernel,"));
}
END_TEST

START_TEST(a_file_that_is_no_report_is_left_alone)
{
    static const char *const others[] = {"int main(void) {}\n", "kernel,launch\n", "kernel", "\n"};
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++) {
        struct err e = {0};
        FILE *file = fopen(path, "w");
        fputs(others[i], file);
        fclose(file);
        ck_assert(!report_open(path, &e));
        ck_assert_msg(strstr(e.text, "holds something else") != NULL, "%s", e.text);
        ck_assert_str_eq(contents(), others[i]);
        ck_assert(!report_wanted());
    }
}
END_TEST

/* `line` for `lines` once made a file of that name. */
START_TEST(a_word_that_is_no_report_is_rejected)
{
    struct err e = {0};
    ck_assert(!report_open("line", &e));
    ck_assert_msg(strstr(e.text, "SIMT_REPORT=line: it is -, lines, explain, ") != NULL, "%s",
                  e.text);
    ck_assert_int_ne(access("line", F_OK), 0);
    ck_assert(!report_wanted());
}
END_TEST

START_TEST(a_path_that_cannot_be_written_is_an_error)
{
    struct err e = {0};
    ck_assert(!report_open("/no such folder/x.csv", &e));
    ck_assert_msg(strstr(e.text, "SIMT_REPORT=/no such folder/x.csv") != NULL, "%s", e.text);
    ck_assert_msg(strstr(e.text, "No such file") != NULL, "%s", e.text);
    ck_assert(!report_wanted());
}
END_TEST

/* The disk is full from the second row on. */
START_TEST(missing_rows_are_reported_once)
{
    struct report_row r = row("copy", 0);
    char text[512];
    ck_assert(report_open(path, NULL));
    report_add(&r);
    const struct rlimit full = {strlen(contents()), RLIM_INFINITY};
    FILE *said = tmpfile();
    ck_assert(said != NULL && dup2(fileno(said), STDERR_FILENO) >= 0);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &full), 0);
    report_add(&r);
    report_add(&r);
    const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
    rewind(said);
    text[fread(text, 1, sizeof text - 1, said)] = '\0';
    ck_assert_str_eq(text, "simt: SIMT_REPORT: rows are missing: File too large\n");
}
END_TEST

START_TEST(no_destination_is_no_report)
{
    ck_assert(report_open(NULL, NULL));
    ck_assert(report_open("", NULL));
    ck_assert(!report_wanted());
}
END_TEST

/* In a child, which prints nothing at its end. */
START_TEST(a_report_by_lines_is_no_file)
{
    pid_t child = fork();
    if (child == 0) {
        struct err e = {0};
        _exit(report_open("lines", &e) && report_wanted() && !report_is_drawn() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ck_assert_int_eq(status, 0);
}
END_TEST

/* The table is printed at exit, so a child does it, with stdout in the file. */
static const char *table_of(void (*add)(void))
{
    pid_t child = fork();
    if (child == 0) {
        ck_assert_ptr_nonnull(freopen(path, "w", stdout));
        report_open("-", NULL);
        add();
        exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ck_assert_int_eq(status, 0);
    return contents();
}

static void add_one(void)
{
    struct report_row r = row("reduce<float, 256>", 0);
    r.counters.thread_instructions = 123456789012 * 24;
    r.counters.branches = 8;
    r.counters.divergent_branches = 1;
    r.counters.global_load_requests = 100;
    r.counters.global_load_sectors = 850;
    r.counters.shared_load_wavefronts = 40;
    r.counters.shared_load_conflicts = 30;
    report_add(&r);
}

START_TEST(ratios_stand_beside_the_counts)
{
    const char *text = table_of(add_one);
    ck_assert_msg(
        strstr(text, "reduce<float, 256>  0       7x8x9  32x2       48   1008         5") != NULL,
        "%s", text);
    ck_assert_msg(strstr(text, "123456789012    24.0         8          1   12.5\n") != NULL, "%s",
                  text);
    ck_assert_msg(strstr(text, "loads        100      850      8.50\n") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "loads           40         30   75.0\n") != NULL, "%s", text);
    ck_assert_ptr_null(strstr(text, "stores")); /* there were none */
}
END_TEST

static void add_large(void)
{
    struct report_row r = row("a_kernel_whose_name_is_far_too_long<double, 1024, true>", 123456);
    r.grid = (struct simt_dim){2147483647, 65535, 65535};
    r.block = (struct simt_dim){1024, 1, 1};
    r.counters = (struct simt_counters){
#define COUNTER(field, unit, metric) .field = 999999999999,
#include "common/simt/base/counters.def"
#undef COUNTER
    };
    report_add(&r);
}

START_TEST(nothing_is_wider_than_80_columns)
{
    for (const char *line = table_of(add_large); *line != '\0'; line++) {
        const size_t length = strcspn(line, "\n");
        ck_assert_msg(length <= 80, "%.*s", (int)length, line);
        line += length;
    }
    ck_assert_ptr_nonnull(strstr(contents(), "a_kernel_whose_name_.."));
}
END_TEST

static void add_many(void)
{
    for (unsigned i = 0; i < 1001; i++) {
        struct report_row r = row("reduce<float, 256>", i);
        r.counters.warps += i < 1000 ? 0 : i;
        report_add(&r);
    }
}

START_TEST(equal_launches_share_a_line_of_the_table)
{
    const char *text = table_of(add_many);
    ck_assert_ptr_nonnull(strstr(text, "  0-999  "));
    ck_assert_ptr_nonnull(strstr(text, "  1000  "));
    ck_assert_uint_lt(count(text, '\n'), 20);
}
END_TEST

/* 0: a warm-up; 1 to 3: between two events; 4: its counts were read; 5: neither. */
static void add_measured(void)
{
    for (unsigned i = 0; i < 6; i++) {
        struct report_row r = row("copy", i);
        report_add(&r);
    }
    report_measured(1, 4);
    report_measured(4, 5);
}

START_TEST(what_is_measured_stands_apart)
{
    const char *text = table_of(add_measured);
    const char *others = strstr(text, "launches that are not measured (warm-up, verification)");
    const char *measured = strstr(text, "launches that the program measures");
    ck_assert_msg(others != NULL && measured != NULL && others < measured, "%s", text);
    const char *first = strstr(others, "copy    0 "), *last = strstr(others, "copy    5 ");
    ck_assert(first != NULL && last != NULL && first < last && last < measured);
    ck_assert_msg(strstr(measured, "copy    1-4 ") != NULL, "%s", text);
}
END_TEST

static void add_unmeasured(void)
{
    struct report_row r = row("copy", 0);
    report_add(&r);
    report_measured(5, 9); /* of nothing that is kept */
}

START_TEST(one_kind_of_launches_needs_no_heading)
{
    ck_assert_ptr_null(strstr(table_of(add_unmeasured), "measure"));
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("report");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, the_columns_are_those_that_readers_expect);
    tcase_add_test(tests, a_launch_is_one_row);
    tcase_add_test(tests, names_with_commas_and_quotes_are_quoted);
    tcase_add_test(tests, a_second_program_appends_without_a_header);
    tcase_add_test(tests, a_file_that_is_no_report_is_left_alone);
    tcase_add_test(tests, a_word_that_is_no_report_is_rejected);
    tcase_add_test(tests, a_path_that_cannot_be_written_is_an_error);
    tcase_add_test(tests, missing_rows_are_reported_once);
    tcase_add_test(tests, no_destination_is_no_report);
    tcase_add_test(tests, a_report_by_lines_is_no_file);
    tcase_add_test(tests, ratios_stand_beside_the_counts);
    tcase_add_test(tests, nothing_is_wider_than_80_columns);
    tcase_add_test(tests, equal_launches_share_a_line_of_the_table);
    tcase_add_test(tests, what_is_measured_stands_apart);
    tcase_add_test(tests, one_kind_of_launches_needs_no_heading);
    return run_suite("report", tests);
}

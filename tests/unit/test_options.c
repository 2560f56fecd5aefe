/* test_options.c - command lines: strict numbers, one line for every mistake, exit code 2. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/options.h"
#include "suite.h"

enum { WORDS_MAX = 32 };

static int64_t n;
static double ratio;
static bool fast;
static const char *text;
static int order; /* of orders */
static struct option_integers block;
static const char *const orders[] = {"standard", "k_innermost", NULL};

static const struct option_spec own[] = {
    OPT_INTEGER("n", &n, 1, 1000, "elements"),
    OPT_REAL("ratio", &ratio, 0, 1, "share of them"),
    OPT_FLAG("fast", &fast, "do it fast"),
    OPT_CHOICE("order", &order, orders, "loop order"),
    OPT_TEXT("text", &text, "any text"),
    OPT_INTEGERS("block", &block, 1, 1024, "threads of a block"),
};
static const struct options_about about = {"lesson", "teaches", true, 3, 15, NULL};

static struct options parsed;
static char output[8192]; /* of both streams, between the two calls below */
static FILE *captured;
static int saved_out, saved_err;

static void capture(void)
{
    fflush(stdout);
    captured = tmpfile();
    saved_out = dup(1);
    saved_err = dup(2);
    dup2(fileno(captured), 1);
    dup2(fileno(captured), 2);
}

static void end_capture(void)
{
    fflush(stdout);
    dup2(saved_out, 1);
    dup2(saved_err, 2);
    close(saved_out);
    close(saved_err);
    rewind(captured);
    output[fread(output, 1, sizeof output - 1, captured)] = '\0';
    fclose(captured);
}

static int parse_as(const struct options_about *a, const char *line)
{
    static char copy[256]; /* text options point into it */
    char *argv[WORDS_MAX + 1] = {(char[]){"lesson"}};
    int argc = 1;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word && argc < WORDS_MAX; word = strtok(NULL, " "))
        argv[argc++] = word;
    n = 100;
    ratio = 0.5;
    fast = false;
    order = 0;
    text = NULL;
    block = (struct option_integers){.count = 1, .values = {256}};
    capture();
    int code = options_parse(&parsed, argc, argv, a, own, sizeof own / sizeof own[0]);
    end_capture();
    return code;
}

static int parse(const char *line) { return parse_as(&about, line); }

START_TEST(defaults)
{
    ck_assert_int_eq(parse(""), -1);
    ck_assert_int_eq(parsed.repeats, 15);
    ck_assert_int_eq(parsed.warmup, 3);
    ck_assert_uint_eq(parsed.seed, 1);
    ck_assert(!parsed.csv && !parsed.csv_path && !parsed.kernel && !parsed.list);
    ck_assert(!options_quiet(&parsed));
    ck_assert_int_eq(n, 100);
}
END_TEST

START_TEST(everything_given)
{
    ck_assert_int_eq(parse("--n 7 --ratio=0.25 --fast --order k_innermost --block 16x8 --text hi "
                           "--kernel naive --list --repeats 2 --warmup 0 --seed 99 --csv=f.csv"),
                     -1);
    ck_assert_int_eq(n, 7);
    ck_assert(ratio == 0.25 && fast);
    ck_assert_str_eq(orders[order], "k_innermost");
    ck_assert_str_eq(text, "hi");
    ck_assert_uint_eq(block.count, 2);
    ck_assert_int_eq(block.values[0], 16);
    ck_assert_int_eq(block.values[1], 8);
    ck_assert_str_eq(parsed.kernel, "naive");
    ck_assert_str_eq(parsed.csv_path, "f.csv");
    ck_assert(parsed.list && parsed.csv && !options_quiet(&parsed));
    ck_assert_int_eq(parsed.repeats, 2);
    ck_assert_int_eq(parsed.warmup, 0);
    ck_assert_uint_eq(parsed.seed, 99);
    ck_assert_str_eq(output, "");
}
END_TEST

START_TEST(csv_to_stdout)
{
    ck_assert_int_eq(parse("--csv"), -1);
    ck_assert(parsed.csv && !parsed.csv_path && options_quiet(&parsed));
    ck_assert_int_eq(parse("--csv=-"), -1);
    ck_assert(options_quiet(&parsed));
}
END_TEST

START_TEST(csv_to_a_file)
{
    static const char *const ways[] = {"--csv new.csv", "--csv=new.csv", "--csv new.csv --fast"};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        ck_assert_int_eq(parse(ways[i]), -1);
        ck_assert_str_eq(parsed.csv_path, "new.csv");
        ck_assert_int_ne(access("new.csv", F_OK), 0); /* tried, and left as it was */
    }
    ck_assert_int_eq(parse("--csv --fast"), -1);
    ck_assert(fast && options_quiet(&parsed));
    ck_assert_int_eq(parse("--csv - --fast"), -1);
    ck_assert(fast && options_quiet(&parsed));
}
END_TEST

START_TEST(a_run_names_its_lesson)
{
    static const char *const silent[] = {"--csv", "--list"};
    ck_assert_int_eq(parse("--csv f.csv"), -1);
    capture();
    options_banner(&parsed);
    end_capture();
    ck_assert_str_eq(output, "lesson: teaches\n\n");
    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_eq(parse(silent[i]), -1);
        capture();
        options_banner(&parsed);
        end_capture();
        ck_assert_str_eq(output, "");
    }
}
END_TEST

START_TEST(width_of_a_terminal)
{
    ck_assert_int_eq(parse(""), -1);
    unsetenv("COLUMNS");
    ck_assert_uint_eq(options_width(&parsed), 80);
    setenv("COLUMNS", "120", 1);
    ck_assert_uint_eq(options_width(&parsed), 120);
    setenv("COLUMNS", "many", 1);
    ck_assert_uint_eq(options_width(&parsed), 80);
    ck_assert_int_eq(parse("--wide"), -1);
    ck_assert_uint_eq(options_width(&parsed), 0);
}
END_TEST

START_TEST(help_fits_80_columns)
{
    const struct options_about wordy = {
        "lesson",
        "a purpose with more words than would ever fit one line of a terminal that has "
        "eighty columns",
        true, 3, 15, NULL};
    ck_assert_int_eq(parse_as(&wordy, "--help"), 0);
    for (const char *line = output; *line; line += strcspn(line, "\n") + 1)
        ck_assert_msg(strcspn(line, "\n") <= 80, "%s", line);
}
END_TEST

START_TEST(block_lists)
{
    ck_assert_int_eq(parse("--block 64,128,256"), -1);
    ck_assert_uint_eq(block.count, 3);
    ck_assert_int_eq(block.values[2], 256);
    ck_assert(!block.dims);
    ck_assert_int_eq(parse("--block 8x8x4"), -1);
    ck_assert(block.count == 3 && block.values[2] == 4 && block.dims);
}
END_TEST

/* Each is rejected with exit code 2 and one line that holds the given words. */
static const struct {
    const char *line, *words;
} mistakes[] = {
    {"--n 12x", "--n '12x': give a whole number from 1 to 1000"},
    {"--n -3", "--n '-3': give"},
    {"--n 0", "from 1 to 1000"},
    {"--n 1001", "from 1 to 1000"},
    {"--n 99999999999999999999", "from 1 to 1000"},
    {"--n +5", "--n '+5'"},
    {"--n 1e3", "--n '1e3'"},
    {"--n 0x10", "--n '0x10'"},
    {"--n=", "--n ''"},
    {"--n", "--n needs a value"},
    {"--ratio 1.5", "--ratio '1.5': give a number from 0 to 1"},
    {"--ratio nan", "--ratio 'nan'"},
    {"--ratio inf", "--ratio 'inf'"},
    {"--ratio 0x1p-1", "--ratio"},
    {"--ratio 0.5.5", "--ratio"},
    {"--order k_inermost", "nearest is 'k_innermost'"},
    {"--order ''", "choices are standard, k_innermost"},
    {"--block 16x", "whole numbers"},
    {"--block x16", "whole numbers"},
    {"--block 16xx16", "whole numbers"},
    {"--block 16x16,32", "whole numbers"},
    {"--block 2048", "from 1 to 1024"},
    {"--repeats 0", "--repeats '0': give a whole number from 1"},
    {"--repeets 3", "unknown option '--repeets': nearest is '--repeats'"},
    {"--kernal x", "nearest is '--kernel'"},
    {"--fast=1", "--fast takes no value"},
    {"--csv=", "--csv=: give a file name"},
    {"--csv no/such/folder/out.csv", "cannot write no/such/folder/out.csv: No such file"},
    {"--csv=/", "cannot write /: Is a directory"},
    {"--csv a.csv b.csv", "unexpected argument 'b.csv'"},
    {"stray", "unexpected argument 'stray'"},
    {"-- stray", "unexpected argument 'stray'"},
    {"-x", "unknown option '-x'"},
    {"-n 5", "unknown option '-n': nearest is '--n'"},
    {"--se", NULL}, /* an abbreviation that is not ambiguous needs its value */
    {"--r 1", "ambiguous option '--r'"},
    {"--seed -1", "--seed '-1'"},
};

START_TEST(mistakes_are_explained)
{
    const char *words = mistakes[_i].words;
    ck_assert_int_eq(parse(mistakes[_i].line), 2);
    ck_assert_msg(strncmp(output, "lesson: ", 8) == 0, "%s", output);
    ck_assert_msg(!words || strstr(output, words), "%s -> %s", mistakes[_i].line, output);
    ck_assert_msg(strchr(output, '\n') == output + strlen(output) - 1, "one line: %s", output);
}
END_TEST

/* In a process of its own: what a program says whose standard output takes nothing. */
static int exit_code_without_stdout(const char *file)
{
    int status;
    capture();
    pid_t child = fork();
    if (child == 0) {
        close(STDOUT_FILENO);
        if (file && open(file, O_WRONLY) != STDOUT_FILENO)
            _exit(99);
        struct options o;
        char *argv[] = {(char[]){"lesson"}, NULL};
        options_parse(&o, 1, argv, &about, own, sizeof own / sizeof own[0]);
        FILE *other = fopen("/dev/null", "w"); /* must not become stdout */
        printf("a result\n");
        exit(other && fileno(other) != STDOUT_FILENO ? 0 : 98);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    end_capture();
    return WEXITSTATUS(status);
}

START_TEST(a_result_that_cannot_be_written_is_no_success)
{
    ck_assert_int_eq(exit_code_without_stdout("/dev/null"), 0);
    ck_assert_int_eq(exit_code_without_stdout("/dev/full"), 2);
    ck_assert_int_eq(exit_code_without_stdout(NULL), 2);
    ck_assert_str_eq(output, "lesson: cannot write all of standard output\n");
}
END_TEST

START_TEST(help_names_everything)
{
    ck_assert_int_eq(parse("--help"), 0);
    const char *const words[] = {"lesson: teaches",
                                 "--n N",
                                 "(1 to 1000; default 100)",
                                 "--csv [FILE]",
                                 "--kernel",
                                 "--list",
                                 "--repeats",
                                 "--warmup",
                                 "--seed",
                                 "--help",
                                 "standard, k_innermost; default standard",
                                 "default 256"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        ck_assert_msg(strstr(output, words[i]) != NULL, "no '%s' in\n%s", words[i], output);
    ck_assert_int_eq(parse("-h"), 0);
}
END_TEST

START_TEST(options_that_make_no_sense_do_not_exist)
{
    const struct options_about plain = {"plain", "prints", false, 0, 0, NULL};
    ck_assert_int_eq(parse_as(&plain, "--repeats 3"), 2);
    ck_assert_int_eq(parse_as(&plain, "--kernel x"), 2);
    ck_assert_int_eq(parse_as(&plain, "--list"), 2);
    ck_assert_int_eq(parse_as(&plain, "--seed 3"), -1);
    ck_assert_uint_eq(parsed.seed, 3);
}
END_TEST

START_TEST(rows_are_found_by_name)
{
    static const struct {
        const char *name;
        int payload[3];
    } rows[] = {{"matmul_naive", {1}}, {"matmul_tiled", {2}}, {"copy", {3}}};
    ck_assert_int_eq(options_find("kernel", "matmul_tiled", rows, 3, sizeof rows[0]), 1);

    capture();
    int found = options_find("kernel", "matmul_niave", rows, 3, sizeof rows[0]);
    int inside = options_find("kernel", "tiled", rows, 3, sizeof rows[0]);
    end_capture();
    ck_assert_str_eq(output,
                     "unknown kernel 'matmul_niave': nearest is 'matmul_naive'; --list shows all\n"
                     "unknown kernel 'tiled': nearest is 'matmul_tiled'; --list shows all\n");
    ck_assert_int_eq(found, -1);
    ck_assert_int_eq(inside, -1);
}
END_TEST

START_TEST(numbers_at_the_edges)
{
    int64_t value = 0;
    double real = 0;
    ck_assert(option_read_integer("9223372036854775807", INT64_MIN, INT64_MAX, &value));
    ck_assert(value == INT64_MAX);
    ck_assert(option_read_integer("-9223372036854775808", INT64_MIN, INT64_MAX, &value));
    ck_assert(value == INT64_MIN);
    ck_assert(!option_read_integer("9223372036854775808", INT64_MIN, INT64_MAX, &value));
    ck_assert(!option_read_integer("", INT64_MIN, INT64_MAX, &value));
    ck_assert(!option_read_integer("-", INT64_MIN, INT64_MAX, &value));
    ck_assert(!option_read_integer(" 1", INT64_MIN, INT64_MAX, &value));
    ck_assert(!option_read_integer("1 ", INT64_MIN, INT64_MAX, &value));
    ck_assert(value == INT64_MIN); /* untouched by rejections */
    ck_assert(option_read_real("-2.5e3", -1e9, 1e9, &real) && real == -2500);
    ck_assert(!option_read_real("1e999", -1e9, 1e9, &real));
    ck_assert(!option_read_real("e", -1e9, 1e9, &real));
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("options");
    tcase_add_test(tc, defaults);
    tcase_add_test(tc, everything_given);
    tcase_add_test(tc, csv_to_stdout);
    tcase_add_test(tc, csv_to_a_file);
    tcase_add_test(tc, a_run_names_its_lesson);
    tcase_add_test(tc, width_of_a_terminal);
    tcase_add_test(tc, help_fits_80_columns);
    tcase_add_test(tc, block_lists);
    tcase_add_loop_test(tc, mistakes_are_explained, 0, sizeof mistakes / sizeof mistakes[0]);
    tcase_add_test(tc, a_result_that_cannot_be_written_is_no_success);
    tcase_add_test(tc, help_names_everything);
    tcase_add_test(tc, options_that_make_no_sense_do_not_exist);
    tcase_add_test(tc, rows_are_found_by_name);
    tcase_add_test(tc, numbers_at_the_edges);
    return run_suite("options", tc);
}

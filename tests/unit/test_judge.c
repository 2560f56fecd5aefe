/* The judge of the exercises (common/judge): goals, metrics, shapes, verdicts and what is printed.
 */
#include "common/judge/state.h"
#include "suite.h"

#include <cuda_runtime.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[64];
static struct judge_findings *findings;
static struct judge judge;

void exercise(struct judge *j) { (void)j; } /* which every judge calls; here nobody does */

static void setup(void)
{
    snprintf(path, sizeof path, "/tmp/test_judge_%ld.cu", (long)getpid());
    findings =
        mmap(NULL, sizeof *findings, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert(findings != MAP_FAILED);
    memset(&judge, 0, sizeof judge);
    judge.out = findings;
    judge.source = path;
    judge.number = CASE_LARGE;
}

static void teardown(void)
{
    unlink(path);
    munmap(findings, sizeof *findings);
}

static void write_exercise(const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

/* --- goals ------------------------------------------------------------------------------------ */

START_TEST(goals_stand_in_the_opening_comment)
{
    write_exercise("/* 01 x: y   [fill]\n * goal: load sectors per request <= 4\n"
                   " * goal: load requests = n / 128 */\n// goal: barriers = 0\n");
    ck_assert(judge_read_goals(path, findings));
    ck_assert_uint_eq(findings->goal_count, 2); /* what comes behind the comment is none */
    ck_assert_str_eq(findings->goals[0].metric, "load sectors per request");
    ck_assert_str_eq(findings->goals[0].relation, "<=");
    ck_assert_str_eq(findings->goals[0].expression, "4");
    ck_assert_str_eq(findings->goals[1].relation, "=");
    ck_assert_str_eq(findings->goals[1].expression, "n / 128");
}
END_TEST

START_TEST(goals_that_nobody_can_judge_are_refused)
{
    static const char *const bad[] = {"/* goal: colours <= 4 */", "/* goal: barriers */",
                                      "/* goal: <= 4 */", "/* goal: barriers <=< 4 */"};
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        memset(findings, 0, sizeof *findings);
        write_exercise(bad[i]);
        ck_assert_msg(!judge_read_goals(path, findings), "%s", bad[i]);
    }
    ck_assert(!judge_read_goals("/no such file", findings));
}
END_TEST

START_TEST(the_right_side_computes)
{
    judge.number = CASE_LARGE;
    ck_assert_int_eq(judge_let(&judge, "n", 1000), 1000);
    ck_assert_int_eq(judge_let(&judge, "rows", 30), 30);
    judge.counters.warps = 32;
    ck_assert(judge_evaluate("4", &judge) == 4.0);
    ck_assert(judge_evaluate("n / 128", &judge) == 7.8125);
    ck_assert(judge_evaluate("2 + 3 * rows - 1", &judge) == 91.0);
    ck_assert(judge_evaluate("(n + rows) / (warps - 2)", &judge) > 34.3);
    ck_assert(judge_evaluate("10 - 2 - 3", &judge) == 5.0);
    static const char *const bad[] = {"", "m", "4 4", "(1", "1 +", "ro", "nn", "n x"};
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_msg(isnan(judge_evaluate(bad[i], &judge)), "'%s'", bad[i]);
    }
}
END_TEST

static bool judged(const char *goal, uint64_t sectors, uint64_t requests)
{
    char text[200];
    memset(findings, 0, sizeof *findings);
    snprintf(text, sizeof text, "/* goal: %s */", goal);
    write_exercise(text);
    ck_assert(judge_read_goals(path, findings));
    judge.counters.global_load_sectors = sectors;
    judge.counters.global_load_requests = requests;
    return judge_goals(&judge);
}

START_TEST(goals_hold_to_a_hundredth)
{
    ck_assert(judged("load sectors per request <= 4", 400, 100));
    ck_assert(judged("load sectors per request <= 4", 40049, 10000));
    ck_assert(!judged("load sectors per request <= 4", 402, 100));
    ck_assert_str_eq(findings->subject, "load sectors per request");
    ck_assert(findings->goals[0].got > 4.019 && findings->goals[0].got < 4.021);
    ck_assert(judged("load requests >= 10", 0, 10) && !judged("load requests >= 10", 0, 9));
    ck_assert(judged("load requests = 10", 0, 10) && !judged("load requests = 10", 0, 11) &&
              !judged("load requests = 10", 0, 9));
}
END_TEST

START_TEST(a_missed_goal_names_the_dearest_line)
{
    judge.line_count = 3;
    judge.lines[0] = (struct judge_line){
        .line = 7, .counters.global_load_sectors = 400, .counters.global_load_requests = 100};
    judge.lines[1] = (struct judge_line){
        .line = 9, .counters.global_load_sectors = 320, .counters.global_load_requests = 10};
    judge.lines[2] = (struct judge_line){
        .line = 12, .counters.instructions = 1000, .counters.thread_instructions = 1000};
    ck_assert(!judged("load sectors per request <= 4", 720, 110));
    ck_assert_uint_eq(findings->line, 9); /* the most per request, not the most */
    const int sectors = judge_metric_find("load sectors"), used = judge_metric_find("utilisation");
    ck_assert_uint_eq(judge_worst_line(&judge, (unsigned)sectors), 7);
    ck_assert_uint_eq(judge_worst_line(&judge, (unsigned)used), 12);
    ck_assert_int_eq(judge_metric_find("sector"), -1);
}
END_TEST

/* --- shapes ----------------------------------------------------------------------------------- */

static int size_in(enum judge_case number, uint64_t seed, int large)
{
    judge.number = number;
    judge.rng = rng_start(seed);
    judge.size_count = 0;
    return judge_size(&judge, "n", large);
}

START_TEST(shapes_are_ragged_one_empty_random_and_large)
{
    ck_assert_int_eq(size_in(CASE_RAGGED, 1, 4096) % 2, 1);
    ck_assert_int_eq(size_in(CASE_ONE, 1, 4096), 1);
    ck_assert_int_eq(size_in(CASE_EMPTY, 1, 4096), 0);
    ck_assert_int_eq(size_in(CASE_LARGE, 1, 4096), 4096);
    ck_assert_str_eq(findings->shape, "n = 4096");
    ck_assert_int_eq(size_in(CASE_TWO, 1, 4096), 2);
    ck_assert_int_eq(size_in(CASE_EQUAL, 1, 4096), 1025);
    ck_assert_int_eq(size_in(CASE_EQUAL, 1, 64), 17);
    ck_assert_int_eq(judge_size(&judge, "m", 64), 9);
    ck_assert_int_eq(size_in(CASE_EQUAL, 1, 1), 2);
    bool differs = false;
    for (uint64_t seed = 0; seed < 100; seed++) {
        const int n = size_in(CASE_RANDOM, seed, 4096);
        ck_assert(n >= 1 && n <= 2048);
        ck_assert_int_eq(size_in(CASE_RANDOM, seed, 4096), n); /* the seed repeats it */
        differs |= n != size_in(CASE_RANDOM, 0, 4096);
    }
    ck_assert(differs);
}
END_TEST

START_TEST(sizes_of_one_shape_differ_and_are_multiples)
{
    judge.number = CASE_RAGGED;
    const int m = judge_size(&judge, "m", 64), n = judge_size(&judge, "n", 64);
    ck_assert_int_ne(m, n);
    ck_assert_int_eq(judge_size_of(&judge, "k", 64, 16) % 16, 0);
    ck_assert_ptr_nonnull(strstr(findings->shape, "m = "));
    ck_assert_ptr_nonnull(strstr(findings->shape, ", n = "));
    ck_assert_uint_eq(judge_blocks(0, 256), 1);
    ck_assert_uint_eq(judge_blocks(257, 256), 2);
}
END_TEST

START_TEST(values_of_the_equal_shape_are_the_same_and_specials_come_once)
{
    unsigned special[CASES] = {0};
    for (int number = 0; number < CASES; number++) {
        judge.number = (enum judge_case)number;
        judge.rng = rng_start(7);
        float *x = judge_floats(&judge, "x", 100);
        const int *n = judge_ints(&judge, "n", 100, 0, 1000);
        bool same = true;
        for (int i = 1; i < 100; i++) {
            same = same && x[i] == x[0] && n[i] == n[0];
        }
        ck_assert_int_eq(same, number == CASE_EQUAL);
        judge_specials(&judge, x, 100);
        for (int i = 0; i < 100; i++) {
            special[number] += isfinite(x[i]) ? 0 : 1;
        }
        judge_free(&judge);
    }
    for (int number = 0; number < CASES; number++) { /* 4 NaN, 4 and 3 infinities */
        ck_assert_uint_eq(special[number], number == CASE_RANDOM_2 ? 11 : 0);
    }
}
END_TEST

/* --- verdicts --------------------------------------------------------------------------------- */

/* Runs it as the judge does, in a process of its own, which a verdict ends. */
static enum judge_kind kind_of(void (*what)(void))
{
    int status = 0;
    memset(findings, 0, sizeof *findings);
    const pid_t child = fork();
    if (child == 0) {
        what();
        findings->kind = JUDGE_SOLVED;
        _exit(0);
    }
    waitpid(child, &status, 0);
    ck_assert_int_eq(status, 0);
    return findings->kind;
}

static void too_low(void) { judge_predict(&judge, "sectors", 90, 100, "think"); }
static void close_enough(void) { judge_predict(&judge, "sectors", 100.4, 100, "think"); }
static void not_a_number(void) { judge_predict(&judge, "sectors", (double)NAN, 100, "think"); }
static void not_counted(void) { judge_predict(&judge, "sectors", 1, (double)NAN, "think"); }
static void wrong_value(void) { judge_value(&judge, "f(3)", 8, 9); }
static void nan_value(void) { judge_value(&judge, "f(3)", (double)NAN, 9); }
static void right_value(void) { judge_value(&judge, "f(3)", 9, 9); }
static void missed(void) { judge_goal(&judge, "blocks", 7, ">=", 8); }
static void unknown(void) { judge_metric(&judge, "colours"); }

START_TEST(verdicts_of_numbers)
{
    ck_assert_int_eq(kind_of(too_low), JUDGE_PREDICTION);
    ck_assert_ptr_nonnull(
        strstr(findings->text, "sectors: you say 90, and something else is counted"));
    ck_assert_int_eq(kind_of(close_enough), JUDGE_SOLVED);
    ck_assert_int_eq(kind_of(not_a_number), JUDGE_PREDICTION);
    ck_assert_int_eq(kind_of(not_counted), JUDGE_SOLVED); /* a GPU does not count */
    ck_assert_int_eq(kind_of(wrong_value), JUDGE_RESULT);
    ck_assert_str_eq(findings->text, "f(3) is 8 and should be 9\n");
    ck_assert_int_eq(kind_of(nan_value), JUDGE_RESULT);
    ck_assert_int_eq(kind_of(right_value), JUDGE_SOLVED);
    ck_assert_int_eq(kind_of(missed), JUDGE_GOAL);
    ck_assert_str_eq(findings->subject, "blocks");
    ck_assert_int_eq(kind_of(unknown), JUDGE_BROKEN);
}
END_TEST

/* One array of four floats that should be 1, 2, 3, 4 and is `got`. */
static float got[4];
static bool is_input;

static void compare_floats(void)
{
    judge.buffer_count = 0;
    float *host = is_input ? judge_floats(&judge, "x", 4) : judge_want_floats(&judge, "out", 4);
    for (int i = 0; i < 4; i++)
        host[i] = (float)(i + 1);
    float *device = judge_gpu(&judge, host);
    cudaMemcpy(device, got, sizeof got, cudaMemcpyHostToDevice); /* "the kernel" */
    judge_check(&judge);
}

static enum judge_kind kind_with(float a, float b, float c, float d)
{
    const float values[] = {a, b, c, d};
    memcpy(got, values, sizeof got);
    return kind_of(compare_floats);
}

START_TEST(verdicts_of_arrays)
{
    float poison;
    memset(&poison, 0xff, sizeof poison);
    ck_assert_int_eq(kind_with(1, 2, 3, 4), JUDGE_SOLVED);
    ck_assert_int_eq(kind_with(1, 2, 3.5f, 4), JUDGE_RESULT);
    ck_assert_ptr_nonnull(strstr(findings->text, "1 of 4 values are wrong; the first is out[2]"));
    ck_assert_int_eq(kind_with(1, NAN, 3, 4), JUDGE_RESULT);
    ck_assert_int_eq(kind_with(1, 2, 3, poison), JUDGE_RESULT);
    ck_assert_ptr_nonnull(strstr(findings->text, "no thread wrote it; it should be 4"));
    is_input = true;
    ck_assert_int_eq(kind_with(1, 2, 3, 5), JUDGE_RESULT);
    ck_assert_ptr_nonnull(strstr(findings->text, "the kernel changed its input: x[3] is 5, was 4"));
    is_input = false;
}
END_TEST

/* --- what is printed -------------------------------------------------------------------------- */

static const char *printed(const struct judge_report *r)
{
    static char text[8192];
    char file[80];
    int status = 0;
    snprintf(file, sizeof file, "%s.out", path);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        if (freopen(file, "w", stdout) != NULL)
            judge_print(r, findings, "hello\n", "");
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, &status, 0);
    FILE *f = fopen(file, "r");
    ck_assert_ptr_nonnull(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    unlink(file);
    return text;
}

static struct judge_report missed_goal(void)
{
    write_exercise("first\nsecond\n    out[i] = in[32 * i];\n");
    findings->kind = JUDGE_GOAL;
    findings->line = 3;
    snprintf(findings->subject, sizeof findings->subject, "load sectors per request");
    snprintf(findings->shape, sizeof findings->shape, "n = 4096");
    findings->goal_count = 2;
    findings->goals[0] = (struct judge_goal){.metric = "load sectors per request",
                                             .relation = "<=",
                                             .limit = 4,
                                             .got = 8.5,
                                             .judged = true};
    findings->goals[1] = (struct judge_goal){.metric = "load requests",
                                             .relation = "=",
                                             .limit = 128,
                                             .got = 128,
                                             .judged = true,
                                             .met = true};
    return (struct judge_report){.title = "step03-1 neighbours", .source = path};
}

START_TEST(a_missed_goal_is_printed_with_goal_and_got)
{
    const struct judge_report r = missed_goal();
    const char *text = printed(&r);
    ck_assert_msg(strncmp(text, "step03-1 neighbours: right result, but a goal is missed\n", 55) ==
                      0,
                  "%s", text);
    ck_assert_ptr_nonnull(strstr(text, ":3   out[i] = in[32 * i];"));
    ck_assert_ptr_nonnull(strstr(text, "<= 4         8.50  <- missed\n"));
    ck_assert_ptr_nonnull(strstr(text, "= 128          128\n"));
    ck_assert_ptr_nonnull(strstr(text, "your program printed:\n  | hello\n"));
    ck_assert_ptr_null(strchr(text, '\033'));
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
        ck_assert_msg(strcspn(line, "\n") <= 80, "%s", line);
}
END_TEST

START_TEST(only_a_request_that_could_be_cheaper_is_drawn)
{
    const struct judge_report r = missed_goal();
    findings->has_access = true;
    findings->access = draw_strided(DRAW_GLOBAL, 0, 32, 4);
    ck_assert_ptr_nonnull(strstr(printed(&r), "32 sectors: 1024 bytes move"));
    findings->access = draw_strided(DRAW_GLOBAL, 0, 4, 4);
    findings->is_cheapest = true;
    const char *text = printed(&r);
    ck_assert_ptr_null(strstr(text, "4 sectors"));
    ck_assert_ptr_nonnull(strstr(text, "Your\n  kernel needs fewer requests"));
    findings->has_access = findings->is_cheapest = false;
}
END_TEST

START_TEST(brief_verdicts_and_rows)
{
    struct judge_report r = missed_goal();
    r.brief = true;
    ck_assert_str_eq(printed(&r), "goal load sectors per request, line 3\n");
    r.row = true;
    ck_assert_str_eq(printed(&r),
                     "goal load sectors per request, line 3\t"
                     "load sectors per request <= 4: 8.50; load requests = 128: 128\n");
    findings->kind = JUDGE_SOLVED;
    findings->line = 0;
    r.row = false;
    ck_assert_str_eq(printed(&r), "solved\n");
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("judge");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, goals_stand_in_the_opening_comment);
    tcase_add_test(tests, goals_that_nobody_can_judge_are_refused);
    tcase_add_test(tests, the_right_side_computes);
    tcase_add_test(tests, goals_hold_to_a_hundredth);
    tcase_add_test(tests, a_missed_goal_names_the_dearest_line);
    tcase_add_test(tests, shapes_are_ragged_one_empty_random_and_large);
    tcase_add_test(tests, sizes_of_one_shape_differ_and_are_multiples);
    tcase_add_test(tests, values_of_the_equal_shape_are_the_same_and_specials_come_once);
    tcase_add_test(tests, verdicts_of_numbers);
    tcase_add_test(tests, verdicts_of_arrays);
    tcase_add_test(tests, a_missed_goal_is_printed_with_goal_and_got);
    tcase_add_test(tests, only_a_request_that_could_be_cheaper_is_drawn);
    tcase_add_test(tests, brief_verdicts_and_rows);
    return run_suite("judge", tests);
}

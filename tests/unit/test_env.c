/* test_env.c - numbers from the environment, and what a simulator that opens makes of them. */
#include "machine_fixture.h"

#include <unistd.h>

#include "common/simt/base/env.h"

static const struct {
    const char *text; /* NULL: not set */
    bool good;
    uint64_t value; /* of a number from 3 to 4000000000 that is 77 if nothing is said */
} numbers[] = {
    {NULL, true, 77},
    {"", true, 77},
    {"3", true, 3},
    {"4000000000", true, 4000000000},
    {"0042", true, 42},
    {"2", false, 77},
    {"4000000001", false, 77},
    {"-5", false, 77},
    {"+5", false, 77},
    {" 5", false, 77},
    {"5 ", false, 77},
    {"0x10", false, 77},
    {"1e3", false, 77},
    {"abc", false, 77},
    {"18446744073709551616", false, 77}, /* 2^64 must not come round to 0 */
    {"18446744073709551621", false, 77},
};

START_TEST(a_number_is_one_or_an_error)
{
    uint64_t value = 77;
    struct err e = {0};
    unsetenv("SIMT_TEST");
    if (numbers[_i].text != NULL) {
        setenv("SIMT_TEST", numbers[_i].text, 1);
    }
    bool good = env_number("SIMT_TEST", 3, 4000000000, &value, &e);
    ck_assert_msg(good == numbers[_i].good, "'%s': %s", numbers[_i].text, e.text);
    ck_assert_uint_eq(value, numbers[_i].value);
    ck_assert_int_eq(e.set, !good);
    if (!good) {
        char start[80];
        snprintf(start, sizeof start, "SIMT_TEST=%s: ", numbers[_i].text);
        ck_assert_msg(strncmp(e.text, start, strlen(start)) == 0 &&
                          strstr(e.text, "from 3 to 4000000000") != NULL,
                      "%s", e.text);
    }
}
END_TEST

/* The bounds may be all there is, and a long text is cut. */
START_TEST(extremes_are_understood)
{
    uint64_t value = 0;
    struct err e = {0};
    setenv("SIMT_TEST", "18446744073709551615", 1);
    ck_assert(env_number("SIMT_TEST", 0, UINT64_MAX, &value, &e));
    ck_assert_uint_eq(value, UINT64_MAX);
    char lengthy[2000];
    memset(lengthy, 'x', sizeof lengthy - 1);
    lengthy[sizeof lengthy - 1] = '\0';
    setenv("SIMT_TEST", lengthy, 1);
    ck_assert(!env_number("SIMT_TEST", 0, 1, &value, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "a whole number from 0 to 1 is needed"));
}
END_TEST

static const struct {
    const char *name, *value, *text; /* text NULL: it opens */
} settings[] = {
    {"SIMT_THREADS", "2", NULL},
    {"SIMT_THREADS", "two", "SIMT_THREADS=two"},
    {"SIMT_MAX_INSTRUCTIONS", "0", "SIMT_MAX_INSTRUCTIONS=0"},
    {"SIMT_PATIENCE", "0", NULL},
    {"SIMT_PATIENCE", "1.5", "SIMT_PATIENCE=1.5"},
    {"SIMT_EXITED_THREADS", "ignore", NULL},
    {"SIMT_EXITED_THREADS", "error", NULL},
    {"SIMT_EXITED_THREADS", "", NULL},
    {"SIMT_EXITED_THREADS", "perhaps", "SIMT_EXITED_THREADS=perhaps"},
    {"SIMT_SHUFFLE", "poison", NULL},
    {"SIMT_SHUFFLE", "error", NULL},
    {"SIMT_SHUFFLE", "", NULL},
    {"SIMT_SHUFFLE", "zero", "SIMT_SHUFFLE=zero"},
};

START_TEST(a_wrong_setting_keeps_the_simulator_closed)
{
    struct err e = {0};
    setenv(settings[_i].name, settings[_i].value, 1);
    struct simt *s = simt_open(gpu_limits_find("h200"), 0, &e);
    ck_assert_msg((s != NULL) == (settings[_i].text == NULL), "%s=%s: %s", settings[_i].name,
                  settings[_i].value, e.text);
    ck_assert_msg(s != NULL || strstr(e.text, settings[_i].text) != NULL, "%s", e.text);
    simt_close(s);
}
END_TEST

/* A barrier behind a return: CUDA C++ forbids it, hardware lets it pass. */
START_TEST(exited_threads_are_ignored_on_demand)
{
    static const char body[] =
        "setp.lt.u32 %p1, %r1, 32; @%p1 bra END; bar.sync 0; mov.u32 %r2, 1; END:";
    struct machine strict = {.block = {64, 1, 1}}, lenient = {.block = {64, 1, 1}};
    machine_run(&strict, body);
    setenv("SIMT_EXITED_THREADS", "ignore", 1);
    machine_run(&lenient, body);
    ck_assert_int_eq(strict.e.code, SIMT_BARRIER);
    ck_assert_msg(lenient.good, "%s", lenient.e.text);
    ck_assert_uint_eq(lenient.out[32], 1);
    ck_assert_uint_eq(lenient.out[31], 0);
}
END_TEST

/* What launches tell on stderr, of which each thread takes `ns` nanoseconds, and so many rounds of
 * a loop at least: on a machine that is slow, too, a worker then looks at the clock several times.
 */
static void say_of(unsigned launches, const char *ns, unsigned rounds, const char *patience,
                   char *said, size_t size)
{
    char body[512];
    struct machine m = {.grid = {9, 1, 1}, .block = {256, 1, 1}, .workers = 2};
    FILE *kept = tmpfile();
    ck_assert(kept != NULL && dup2(fileno(kept), STDERR_FILENO) >= 0);
    snprintf(body, sizeof body,
             "mov.u64 %%rd3, %%globaltimer; mov.u32 %%r9, 0;"
             "LOOP: mov.u64 %%rd4, %%globaltimer; sub.u64 %%rd4, %%rd4, %%rd3;"
             "add.u32 %%r9, %%r9, 1; setp.lt.u32 %%p2, %%r9, %u;"
             "setp.lt.or.u64 %%p1, %%rd4, %s, %%p2; @%%p1 bra LOOP;",
             rounds, ns);
    setenv("SIMT_PATIENCE", patience, 1);
    for (unsigned i = 0; i < launches; i++) {
        machine_run(&m, body);
        ck_assert_msg(m.good, "%s", m.e.text);
    }
    rewind(kept);
    said[fread(said, 1, size - 1, kept)] = '\0';
    fclose(kept);
}

START_TEST(a_launch_that_takes_long_is_told_once)
{
    char said[4096];
    say_of(2, "1100000000", 75000, "1", said, sizeof said);
    unsigned told = 0, lines = 0, taken = 0;
    for (const char *at = said; (at = strstr(at, "still running: ")) != NULL; at++, told++) {
        unsigned long long executed = strtoull(at + strlen("still running: "), NULL, 10);
        taken += executed >= 4000000 && executed < 1000000000;
    }
    for (const char *at = said; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    ck_assert_msg(told == 2 && lines == 2 && taken == 2, "not one line for each launch:\n%s", said);
    ck_assert_msg(strncmp(said, "simt: kernel kernel_of_test: still running: ", 44) == 0 &&
                      strstr(said, " warp instructions after 1 s; counted as endless after "
                                   "1000000000 of one block (SIMT_MAX_INSTRUCTIONS)\n") != NULL,
                  "%s", said);
}
END_TEST

START_TEST(nothing_is_told_where_nobody_is_impatient)
{
    char said[4096];
    say_of(1, "1100000000", 0, "0", said, sizeof said);
    ck_assert_str_eq(said, "");
    say_of(1, "100000000", 0, "1", said, sizeof said);
    ck_assert_str_eq(said, "");
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("env");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_number_is_one_or_an_error, 0, sizeof numbers / sizeof numbers[0]);
    tcase_add_test(tc, extremes_are_understood);
    tcase_add_loop_test(tc, a_wrong_setting_keeps_the_simulator_closed, 0,
                        sizeof settings / sizeof settings[0]);
    tcase_add_test(tc, exited_threads_are_ignored_on_demand);
    tcase_add_test(tc, a_launch_that_takes_long_is_told_once);
    tcase_add_test(tc, nothing_is_told_where_nobody_is_impatient);
    return run_suite("env", tc);
}

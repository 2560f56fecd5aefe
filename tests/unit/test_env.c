/* test_env.c - numbers from the environment, and what a simulator that opens makes of them. */
#include "machine_fixture.h"

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
    {"SIMT_EXITED_THREADS", "ignore", NULL},
    {"SIMT_EXITED_THREADS", "error", NULL},
    {"SIMT_EXITED_THREADS", "", NULL},
    {"SIMT_EXITED_THREADS", "perhaps", "SIMT_EXITED_THREADS=perhaps"},
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

int main(void)
{
    TCase *tc = tcase_create("env");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_number_is_one_or_an_error, 0, sizeof numbers / sizeof numbers[0]);
    tcase_add_test(tc, extremes_are_understood);
    tcase_add_loop_test(tc, a_wrong_setting_keeps_the_simulator_closed, 0,
                        sizeof settings / sizeof settings[0]);
    tcase_add_test(tc, exited_threads_are_ignored_on_demand);
    return run_suite("env", tc);
}

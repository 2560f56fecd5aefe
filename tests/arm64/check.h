/* check.h - as much of the Check library as the unit tests use: for other machines than this one,
 * for which no Check is installed. Called by nobody but tests/arm64/run, which puts this folder
 * before the system's.
 *
 * Each test is a child process: one that crashes, aborts or hangs is a failure, and the others go
 * on. Prints what Check prints last: "100%: Checks: 28, Failures: 0, Errors: 0". */
#ifndef ARM64_CHECK_H
#define ARM64_CHECK_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CK_NORMAL, CHECK_TESTS_MAX = 512, CHECK_SECONDS = 240 };

typedef void (*check_function)(int _i);
struct check_test {
    const char *name;
    check_function run;
    int from, to, signal;
    void (*setup)(void), (*teardown)(void);
};
/* A suite, its cases and its runner are one list: who is in which case is of no interest here. */
typedef struct check_suite {
    struct check_test tests[CHECK_TESTS_MAX];
    int count, failures;
    void (*setup)(void), (*teardown)(void);
} Suite, SRunner, TCase;

typedef struct {
    const char *name;
    check_function run;
} check_named;

#define START_TEST(name)                                                                           \
    static void name##_run(int _i);                                                                \
    static const check_named name = {#name, name##_run};                                           \
    static void name##_run(int _i __attribute__((unused)))
#define END_TEST

static struct check_suite check_all;

static inline Suite *suite_create(const char *name)
{
    printf("%s\n", name);
    return &check_all;
}
static inline TCase *tcase_create(const char *name)
{
    (void)name;
    check_all.setup = check_all.teardown = NULL;
    return &check_all;
}
static inline void suite_add_tcase(Suite *s, TCase *t) { (void)s, (void)t; }
static inline void tcase_set_timeout(TCase *t, double seconds) { (void)t, (void)seconds; }
static inline SRunner *srunner_create(Suite *s) { return s; }
static inline void srunner_free(SRunner *r) { (void)r; }
static inline int srunner_ntests_failed(SRunner *r) { return r->failures; }
static inline void tcase_add_checked_fixture(TCase *t, void (*setup)(void), void (*teardown)(void))
{
    t->setup = setup;
    t->teardown = teardown;
    for (int i = 0; i < t->count; i++) /* a fixture may be named behind its tests */
        if (!t->tests[i].setup) {
            t->tests[i].setup = setup;
            t->tests[i].teardown = teardown;
        }
}
static inline void check_add(TCase *t, check_named n, int from, int to, int signal)
{
    if (t->count == CHECK_TESTS_MAX)
        abort();
    t->tests[t->count++] =
        (struct check_test){n.name, n.run, from, to, signal, t->setup, t->teardown};
}
#define tcase_add_test(t, n)                 check_add(t, n, 0, 1, 0)
#define tcase_add_loop_test(t, n, from, to)  check_add(t, n, from, to, 0)
#define tcase_add_test_raise_signal(t, n, s) check_add(t, n, 0, 1, s)

static inline bool check_one(const struct check_test *t, int i)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(CHECK_SECONDS);
        if (t->setup)
            t->setup();
        t->run(i);
        if (t->teardown)
            t->teardown();
        fflush(NULL);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    const bool ok = t->signal ? WIFSIGNALED(status) && WTERMSIG(status) == t->signal
                              : WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!ok)
        printf("FAILED: %s, %d: %s %d\n", t->name, i, WIFSIGNALED(status) ? "signal" : "exit",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return ok;
}
static inline void srunner_run_all(SRunner *r, int mode)
{
    int checks = 0;
    (void)mode;
    for (int k = 0; k < r->count; k++)
        for (int i = r->tests[k].from; i < r->tests[k].to; i++, checks++)
            r->failures += !check_one(&r->tests[k], i);
    printf("%d%%: Checks: %d, Failures: %d, Errors: 0\n",
           checks ? 100 * (checks - r->failures) / checks : 0, checks, r->failures);
}

#define ck_abort_msg(...)                                                                          \
    (printf("%s:%d: ", __FILE__, __LINE__), printf(__VA_ARGS__), putchar('\n'), fflush(NULL),      \
     _exit(1))
#define ck_assert_msg(right, ...)                                                                  \
    do {                                                                                           \
        if (!(right))                                                                              \
            ck_abort_msg(__VA_ARGS__);                                                             \
    } while (0)
#define ck_assert(right) ck_assert_msg(right, "%s", #right)
#define CHECK_NUMBERS(type, format, a, op, b)                                                      \
    do {                                                                                           \
        const type check_a = (a), check_b = (b);                                                   \
        ck_assert_msg(check_a op check_b, #a " " #op " " #b ": " format ", " format, check_a,      \
                      check_b);                                                                    \
    } while (0)
#define ck_assert_int_eq(a, b)  CHECK_NUMBERS(intmax_t, "%jd", a, ==, b)
#define ck_assert_int_ne(a, b)  CHECK_NUMBERS(intmax_t, "%jd", a, !=, b)
#define ck_assert_int_ge(a, b)  CHECK_NUMBERS(intmax_t, "%jd", a, >=, b)
#define ck_assert_int_gt(a, b)  CHECK_NUMBERS(intmax_t, "%jd", a, >, b)
#define ck_assert_int_le(a, b)  CHECK_NUMBERS(intmax_t, "%jd", a, <=, b)
#define ck_assert_int_lt(a, b)  CHECK_NUMBERS(intmax_t, "%jd", a, <, b)
#define ck_assert_uint_eq(a, b) CHECK_NUMBERS(uintmax_t, "%ju", a, ==, b)
#define ck_assert_uint_ne(a, b) CHECK_NUMBERS(uintmax_t, "%ju", a, !=, b)
#define ck_assert_uint_ge(a, b) CHECK_NUMBERS(uintmax_t, "%ju", a, >=, b)
#define ck_assert_uint_gt(a, b) CHECK_NUMBERS(uintmax_t, "%ju", a, >, b)
#define ck_assert_uint_le(a, b) CHECK_NUMBERS(uintmax_t, "%ju", a, <=, b)
#define ck_assert_uint_lt(a, b) CHECK_NUMBERS(uintmax_t, "%ju", a, <, b)
#define ck_assert_double_eq_tol(a, b, tolerance)                                                   \
    ck_assert_msg(fabs((a) - (b)) < (tolerance), "%s: %g, not %g", #a, (double)(a), (double)(b))
#define ck_assert_ptr_eq(a, b)   ck_assert((const void *)(a) == (const void *)(b))
#define ck_assert_ptr_ne(a, b)   ck_assert((const void *)(a) != (const void *)(b))
#define ck_assert_ptr_null(a)    ck_assert((a) == NULL)
#define ck_assert_ptr_nonnull(a) ck_assert((a) != NULL)
#define ck_assert_mem_eq(a, b, n) ck_assert(memcmp(a, b, n) == 0)
#define CHECK_TEXTS(a, op, b)                                                                      \
    do {                                                                                           \
        const char *check_a = (a), *check_b = (b);                                                 \
        ck_assert_msg(check_a && check_b && strcmp(check_a, check_b) op 0, "%s: \"%s\", \"%s\"",   \
                      #a, check_a ? check_a : "(null)", check_b ? check_b : "(null)");             \
    } while (0)
#define ck_assert_str_eq(a, b) CHECK_TEXTS(a, ==, b)
#define ck_assert_str_ne(a, b) CHECK_TEXTS(a, !=, b)

#endif

/* suite.h - how every program of unit tests ends: run the cases, tell Check's totals. */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>

/* Sanitizers make everything slower; the speed that is promised is that of a normal build. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RUNNING_SLOWLY 20
#else
#define RUNNING_SLOWLY 1
#endif

/* What main() returns: 0 if all tests of the case passed. */
static inline int run_suite(const char *name, TCase *tests)
{
    Suite *suite = suite_create(name);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

#endif

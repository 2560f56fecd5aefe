/* test_nvrtc.c - NVRTC, with a compiler that is this program itself: what it is asked for, and what
 * becomes of its answers. A real compiler: tests/frontend/run_simtcc.sh. */
#include <stdio.h>
#include <string.h>

#include "include/nvrtc.h"
#include "suite.h"

/* What simtcc links into a program: where the compiler lies, and which one it is. */
extern const char simt_compiler[], simt_frontend[];
const char simt_compiler[] = "/proc/self/exe", simt_frontend[] = "stand-in";

static const char ptx[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry _Z4fillIiEvPT_() { ret; }\n";

/* Called as the compiler: it rejects the one option that it does not know. */
static int compile(int count, char **words)
{
    const char *to = NULL;
    for (int i = 2; i < count; i++) {
        if (strcmp(words[i], "--minimalism") == 0) {
            return 2;
        }
        to = strcmp(words[i - 1], "-o") == 0 ? words[i] : to;
    }
    FILE *f = to != NULL ? fopen(to, "w") : NULL;
    return f != NULL && fputs(ptx, f) >= 0 && fclose(f) == 0 ? 0 : 3;
}

static nvrtcProgram program;

static void setup(void)
{
    ck_assert_int_eq(nvrtcCreateProgram(&program, "// fill", "fill.cu", 0, NULL, NULL),
                     NVRTC_SUCCESS);
}

static void teardown(void) { nvrtcDestroyProgram(&program); }

START_TEST(a_program_becomes_what_the_compiler_makes_of_it)
{
    char text[sizeof ptx];
    size_t bytes = 0;
    ck_assert_int_eq(nvrtcCompileProgram(program, 0, NULL), NVRTC_SUCCESS);
    ck_assert_int_eq(nvrtcGetPTXSize(program, &bytes), NVRTC_SUCCESS);
    ck_assert_uint_eq(bytes, sizeof ptx);
    ck_assert_int_eq(nvrtcGetPTX(program, text), NVRTC_SUCCESS);
    ck_assert_str_eq(text, ptx);
}
END_TEST

START_TEST(an_option_is_ignored_as_a_whole_word)
{
    const char *ignored[] = {"--minimal", "--split-compile=4"}, *unknown = "--minimalism";
    ck_assert_int_eq(nvrtcCompileProgram(program, 2, ignored), NVRTC_SUCCESS);
    ck_assert_int_eq(nvrtcCompileProgram(program, 1, &unknown), NVRTC_ERROR_INVALID_OPTION);
}
END_TEST

START_TEST(a_name_is_lowered_when_the_program_is_compiled)
{
    const char *name = NULL;
    ck_assert_int_eq(nvrtcAddNameExpression(program, "fill<int>"), NVRTC_SUCCESS);
    ck_assert_int_eq(nvrtcGetLoweredName(program, "fill<int>", &name),
                     NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    ck_assert_int_eq(nvrtcCompileProgram(program, 0, NULL), NVRTC_SUCCESS);
    ck_assert_int_eq(nvrtcGetLoweredName(program, "fill<int>", &name), NVRTC_SUCCESS);
    ck_assert_str_eq(name, "_Z4fillIiEvPT_");
}
END_TEST

int main(int argc, char **argv)
{
    if (argc > 1 && strncmp(argv[1], "--frontend=", 11) == 0) {
        return compile(argc, argv);
    }
    TCase *tests = tcase_create("nvrtc");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_program_becomes_what_the_compiler_makes_of_it);
    tcase_add_test(tests, an_option_is_ignored_as_a_whole_word);
    tcase_add_test(tests, a_name_is_lowered_when_the_program_is_compiled);
    return run_suite("nvrtc", tests);
}

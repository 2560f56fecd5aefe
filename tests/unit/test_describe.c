/* test_describe.c - addresses in this program as lines, and every function of the CUDA runtime that
 * the simulator rejects. Kernel names and equal call sites are test_registry.c's. */
#include "common/simt/base/demangle.h"
#include "common/simt/base/describe.h"

#include <dlfcn.h>

#include "common/simt/api/simt.h"
#include "cudart_fixture.h"
#include "suite.h"

__attribute__((noinline)) static const void *here(void) { return CALL_SITE(); }

static void ck_line(const char *text, int line)
{
    char want[64];
    snprintf(want, sizeof want, "test_describe.c:%d", line);
    ck_assert_str_eq(text, want);
}

START_TEST(a_call_site_is_the_line_of_the_call)
{
    char text[256];
    const void *site = here();
    ck_line(describe_line(site), __LINE__ - 1);
    simt_describe_address(site, text, sizeof text);
    ck_line(text, __LINE__ - 3);
    ck_assert_ptr_eq(describe_line(site), describe_line(site)); /* looked up once */
    simt_describe_address(site, text, 7);
    ck_assert_str_eq(text, "test_d");
}
END_TEST

__attribute__((noinline)) static const void *return_address(void)
{
    return __builtin_return_address(0);
}

START_TEST(a_plain_return_address_has_a_line_too)
{
    const void *address = return_address();
    ck_line(describe_line(address), __LINE__ - 1);
}
END_TEST

START_TEST(an_address_without_a_line_is_a_number)
{
    char text[64];
    simt_describe_address((const void *)0x1234, text, sizeof text);
    ck_assert_str_eq(text, "0x1234");
    ck_assert_str_eq(describe_line((const void *)0x1234), "");
}
END_TEST

START_TEST(the_caller_of_a_failing_call_is_named)
{
    char want[64];
    capture_begin();
    CHECK_ERROR(cudaErrorInvalidValue, cudaFree((void *)0x10));
    snprintf(want, sizeof want, "test_describe.c:%d", __LINE__ - 1);
    const char *said = capture_end();
    ck_assert_msg(strstr(said, want) != NULL, "%s, not %s", said, want);
}
END_TEST

START_TEST(strange_names_stay_as_they_are)
{
    static const struct {
        const char *mangled, *plain;
    } names[] = {{"", ""},
                 {"_Z", "_Z"},
                 {"f(int)", "f(int)"},
                 {"f", "f"}, /* of extern "C"; among types, f stands for float */
                 {"_ZN1AclEi", "A::operator()"},
                 {"_Z1fIXadL_Z1gvEEEvv", "f<&(g())>"},
                 {"_Z4callPFvPFviEE", "call"}};
    char text[64];
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        demangle_name(names[i].mangled, text, sizeof text);
        ck_assert_str_eq(text, names[i].plain);
    }
    demangle_signature("i", text, sizeof text);
    ck_assert_str_eq(text, "i");
    demangle_last_name("_Z3runIN5outer5innerEEvv", text,
                       sizeof text); /* arguments have names, too */
    ck_assert_str_eq(text, "run<outer::inner>");
    demangle_last_name("_ZN5outer5tableE", text, sizeof text);
    ck_assert_str_eq(text, "table");
    demangle_name("_Z6reduceIfLi256EEvPT_i", text, 10);
    ck_assert_str_eq(text, "reduce<fl");
}
END_TEST

/* --- what the runtime rejects ---------------------------------------------------------------- */

struct rejected {
    const char *name, *reason;
};

/* For this one name the linker takes all of them. */
static cudaError_t (*volatile one_of_them)(void *) = cudaIpcCloseMemHandle;

#define TOPIC(topic, text) static const char *const reason_##topic = text;
#define REJECTED(name, topic)
#include "common/simt/runtime/cudart_rejected.def"
#undef TOPIC
#undef REJECTED

START_TEST(every_rejected_call_says_so)
{
    const struct rejected all[] = {
#define TOPIC(topic, text)
#define REJECTED(name, topic) {#name, reason_##topic},
#include "common/simt/runtime/cudart_rejected.def"
#undef TOPIC
#undef REJECTED
    };
    ck_assert_uint_gt(sizeof all / sizeof all[0], 100);
    ck_assert(one_of_them != NULL);
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
        char want[200];
        cudaError_t (*call)(void) = NULL;
        void *found = dlsym(RTLD_DEFAULT, all[i].name);
        ck_assert_msg(found != NULL, "%s is not there", all[i].name);
        memcpy(&call, &found, sizeof call);
        capture_begin();
        CHECK_ERROR(cudaErrorNotSupported, call());
        const char *said = capture_end();
        snprintf(want, sizeof want, "%s: %s", all[i].name, all[i].reason);
        ck_assert_msg(strstr(said, want) != NULL, "'%s', not '%s'", said, want);
        ck_assert_ptr_eq(strchr(said, '\n') + 1, said + strlen(said));
        CHECK_ERROR(cudaErrorNotSupported, cudaGetLastError());
        CHECK_OK(cudaGetLastError());
    }
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("describe");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_call_site_is_the_line_of_the_call);
    tcase_add_test(tests, a_plain_return_address_has_a_line_too);
    tcase_add_test(tests, an_address_without_a_line_is_a_number);
    tcase_add_test(tests, the_caller_of_a_failing_call_is_named);
    tcase_add_test(tests, strange_names_stay_as_they_are);
    tcase_add_test(tests, every_rejected_call_says_so);
    return run_suite("describe", tests);
}

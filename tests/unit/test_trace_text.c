/* test_trace_text.c - an instruction as a reader of a trace sees it: every kind of operand, and as
 * much of it as fits. */
#include "parse_fixture.h"

#include "common/simt/watch/trace.h"
#include "suite.h"

static const char *const instructions[] = {
    "add.s32 %r1, %r2, -7",
    "mov.u32 %r1, %tid.x",
    "mov.f32 %f1, 0.5",
    "mov.f64 %fd1, 1.25",
    "@%p1 ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16]",
    "@!%p1 st.global.u32 [var+-4], %r1",
    "ld.param.u64 %rd1, [out]",
    "setp.lt.and.s32 %p1|%p2, %r1, %r2, %p3",
    "mov.u64 %rd1, var+8",
    "bar.sync 0",
    "ret",
};

/* The text that was parsed, but for the two signs of a negative offset. */
static const char *shown(const char *instruction)
{
    return strstr(instruction, "+-") == NULL ? instruction : "@!%p1 st.global.u32 [var-4], %r1";
}

static struct ptx_module *module_of(const char *text)
{
    return parse_good(body_head, text, ";\n}\n");
}

START_TEST(an_instruction_is_shown_as_it_was_written)
{
    struct ptx_module *m = module_of(instructions[_i]);
    char text[200];
    trace_text(&m->funcs[0].insns[0], text, sizeof text);
    ck_assert_str_eq(text, shown(instructions[_i]));
    ptx_module_free(m);
}
END_TEST

START_TEST(what_does_not_fit_is_cut_off)
{
    struct ptx_module *m = module_of(instructions[4]);
    char text[64];
    for (size_t size = 1; size < 60; size++) {
        memset(text, '?', sizeof text);
        trace_text(&m->funcs[0].insns[0], text, size);
        const size_t whole = strlen(instructions[4]), shorter = size - 1 < whole ? size - 1 : whole;
        ck_assert_uint_eq(strlen(text), shorter);
        ck_assert_int_eq(strncmp(text, instructions[4], shorter), 0);
        ck_assert_int_eq(text[size], '?');
    }
    ptx_module_free(m);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("trace_text");
    tcase_add_loop_test(tests, an_instruction_is_shown_as_it_was_written, 0,
                        sizeof instructions / sizeof instructions[0]);
    tcase_add_test(tests, what_does_not_fit_is_cut_off);
    return run_suite("trace_text", tests);
}

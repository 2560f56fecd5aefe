/* test_register_names.c - names of a kernel's registers: those that PTX tells reach its
 * instructions, and what others compute from them is written as C writes it. */
#include "common/simt/ir/ir.h"
#include "common/simt/report/variables.h"
#include "decode_fixture.h"
#include "suite.h"

/* The register of that name. */
static uint32_t register_of(const struct function_ir *ir, const char *name)
{
    uint32_t reg = 0;
    while (strcmp(ir->regs[reg].name, name) != 0) {
        reg++;
    }
    return reg;
}

START_TEST(an_instruction_has_the_name_that_ptx_tells)
{
    struct decoded d = decode_text("", "",
                                   "mov.u32 %r1, %tid.x; mov.u32 %r2, %r1;"
                                   ".pragma \"simt_variable %r1 1 1 column\"; ret;");
    ck_assert_msg(d.k != NULL, "%s", d.e.text);
    struct variables *v = variables_find(d.k);
    const uint32_t reg = register_of(d.k->funcs[0]->ir, "%r1");
    ck_assert_str_eq(variables_name(v, 0, 0, reg), "column"); /* the result */
    ck_assert_str_eq(variables_name(v, 0, 1, reg), "column"); /* an operand */
    variables_free(v);
    decoded_free(&d);
}
END_TEST

/* What instruction `insn` computes in the words of the source, behind one that gives `i` its value.
 */
static const struct {
    const char *body, *reg, *text;
    uint32_t insn;
} computed[] = {
    {"or.pred %p3, %p1, %p2; and.pred %p4, %p3, %p1;", "%p4",
     "((unsigned)i < 8 || i == 9) && (unsigned)i < 8", 4},
    {"and.pred %p3, %p1, %p2; or.pred %p4, %p3, %p1;", "%p4",
     "(unsigned)i < 8 && i == 9 || (unsigned)i < 8", 4},
    {"or.b32 %r2, %r1, 4; and.b32 %r3, %r2, 6;", "%r3", "(i | 4) & 6", 4},
    {"and.b32 %r2, %r1, 6; or.b32 %r3, %r2, 4;", "%r3", "i & 6 | 4", 4},
};

START_TEST(brackets_stand_where_c_wants_them)
{
    char body[400];
    snprintf(body, sizeof body,
             "mov.u32 %%r1, %%tid.x; .pragma \"simt_variable %%r1 1 1 i\";"
             "setp.lt.u32 %%p1, %%r1, 8; setp.eq.u32 %%p2, %%r1, 9; %s ret;",
             computed[_i].body);
    struct decoded d = decode_text("", "", body);
    ck_assert_msg(d.k != NULL, "%s", d.e.text);
    struct variables *v = variables_find(d.k);
    const char *text =
        variables_name(v, 0, computed[_i].insn, register_of(d.k->funcs[0]->ir, computed[_i].reg));
    ck_assert_ptr_nonnull(text);
    ck_assert_str_eq(text, computed[_i].text);
    variables_free(v);
    decoded_free(&d);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("register names");
    tcase_add_test(tests, an_instruction_has_the_name_that_ptx_tells);
    tcase_add_loop_test(tests, brackets_stand_where_c_wants_them, 0,
                        sizeof computed / sizeof computed[0]);
    return run_suite("register names", tests);
}

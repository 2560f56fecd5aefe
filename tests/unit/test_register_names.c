/* test_register_names.c - names of a kernel's registers: those that PTX tells reach its
 * instructions. */
#include "common/simt/ir/ir.h"
#include "common/simt/report/variables.h"
#include "decode_fixture.h"
#include "suite.h"

START_TEST(an_instruction_has_the_name_that_ptx_tells)
{
    struct decoded d = decode_text("", "",
                                   "mov.u32 %r1, %tid.x; mov.u32 %r2, %r1;"
                                   ".pragma \"simt_variable %r1 1 1 column\"; ret;");
    ck_assert_msg(d.k != NULL, "%s", d.e.text);
    struct variables *v = variables_find(d.k);
    const struct function_ir *ir = d.k->funcs[0]->ir;
    uint32_t reg = 0;
    while (strcmp(ir->regs[reg].name, "%r1") != 0) {
        reg++;
    }
    ck_assert_str_eq(variables_name(v, 0, 0, reg), "column"); /* the result */
    ck_assert_str_eq(variables_name(v, 0, 1, reg), "column"); /* an operand */
    variables_free(v);
    decoded_free(&d);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("register names");
    tcase_add_test(tests, an_instruction_has_the_name_that_ptx_tells);
    return run_suite("register names", tests);
}

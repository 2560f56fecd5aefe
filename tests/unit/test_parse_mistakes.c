/* test_parse_mistakes.c - PTX text that is wrong, and the error for each mistake; text that ends
 * anywhere. */
#include "parse_fixture.h"

#include "suite.h"

/* In a function's body, so that the text is in line 6: `head` has three lines, `body_head` two. */
static const struct {
    const char *text, *error;
} body_mistakes[] = {
    {"add.s32 %r1, %r2", "t.ptx:7: expected ',' or ';' after an operand, but the text ends here"},
    {"add.s32 %r1 %r2;", "t.ptx:6: expected ',' or ';' after an operand, found '%r2'"},
    {"add.s32 , %r2;", "t.ptx:6: expected an operand, found ','"},
    {"ld.global.u32 %r1, [%rd1;", "t.ptx:6: expected ']', found ';'"},
    {"ld.global.u32 %r1, [%rd1+%r2];", "t.ptx:6: expected a number, found '%r2'"},
    {"ld.global.u32 %r1, [1.5];", "t.ptx:6: an address must be an integer"},
    {"ld.global.u32 %r1, [];", "t.ptx:6: expected a register, a variable or a number after [, "
                               "found ']'"},
    {"mov.u32 %r1, {%r2, {%r1, {%r1, {%r1, {%r1}}}}};", "t.ptx:6: operand nested more than 4 deep"},
    {"mov.u32 %r1, 1/0;", "t.ptx:6: division by zero in a constant expression"},
    {"mov.u32 %r1, 1<<64;", "t.ptx:6: a constant is shifted by more than 63 bits"},
    {"mov.u32 %r1, 1.5<<2;", "t.ptx:6: this operator takes integers, not floats"},
    {"mov.u32 %r1, ~1.5;", "t.ptx:6: this operator takes an integer, not a float"},
    {"mov.u32 %r1, (1;", "t.ptx:6: expected ')', found ';'"},
    {"@ add.s32 %r1, 1;", "t.ptx:6: expected an instruction after its guard, found '.s32'"},
    {"@%p1 { ret; }", "t.ptx:6: expected an instruction after its guard, found '{'"},
    {"L: L:", "t.ptx:6: L is already declared in this scope, in line 6"},
    {".reg .b32 plain;", "t.ptx:6: plain is already declared in this scope, in line 5"},
    {".reg .b32 out;", "t.ptx:6: out is already declared in this scope, in line 4"},
    {".reg .b32 %r3;", "t.ptx:6: %r3 is declared both alone and by %r<10>"},
    {".reg .b32 %x1<4>;", "t.ptx:6: the register range %x1<4> ends in a digit, so that its "
                          "registers' numbers are ambiguous; end it in a letter"},
    {".reg .b32 %x<0>;", "t.ptx:6: %x declares 0 registers; write 1 to 1048576"},
    {".reg .b32 %x<99999999>;", "t.ptx:6: %x declares 99999999 registers; write 1 to 1048576"},
    {".reg .b31 %x;", "t.ptx:6: expected a type such as .b32 after .reg, found '.b31'"},
    {".local .b32 x = 3;", "t.ptx:6: x is initialised; only .global and .const variables can be"},
    {".shared .pred x;", "t.ptx:6: a variable cannot be of type .pred; only a register can"},
    {".param .b8 x[];", "t.ptx:6: x has no size; only an .extern array may have none"},
    {".frobnicate 3;", "t.ptx:6: directive .frobnicate is not supported inside a function"},
    {".global .b32 x;", "t.ptx:6: directive .global is not supported inside a function"},
    {".loc 1 2;", "t.ptx:6: expected the column of .loc, found ';'"},
    {".loc 1 2.5 3", "t.ptx:6: the line of .loc must be an integer from 0 to 4294967295"},
    {".loc 1 2 3, inlined_by 4 5 6", "t.ptx:6: expected function_name or inlined_at, found "
                                     "'inlined_by'"},
    {"{ ret;", "t.ptx:7: expected an instruction, a label or a declaration, but the text ends "
               "here"},
    {"} }", "t.ptx:6: expected a directive such as .entry, .func or .global, found '}'"},
    {"42;", "t.ptx:6: expected an instruction, a label or a declaration, found '42'"},
    {"mov.u32 %r1, \"x\";", "t.ptx:6: expected an operand, found a string"},
    {"mov.u32 %r1, 99999999999999999999;", "t.ptx:6: the number does not fit in 64 bits"},
    {"mov.u32 %r1, $;", "t.ptx:6: unexpected character '$' in PTX text"},
};

START_TEST(mistakes_in_a_body_are_named)
{
    char text[2000];
    struct err e;
    int length = snprintf(text, sizeof text, "%s%s%s\n}", head, body_head, body_mistakes[_i].text);
    length -= strstr(body_mistakes[_i].error, "the text ends here") != NULL; /* without the } */
    ck_assert_ptr_null(parse_bytes(text, (size_t)length, &e));
    ck_assert_str_eq(e.text, body_mistakes[_i].error);
}
END_TEST

static const struct {
    const char *text, *error;
} module_mistakes[] = {
    {"", "t.ptx:1: expected .version: PTX text begins with it, but the text ends here"},
    {"hello", "t.ptx:1: expected .version: PTX text begins with it, found 'hello'"},
    {"\x7f"
     "ELF",
     "t.ptx:1: unexpected byte 0x7f; PTX is ASCII text"},
    {".version x", "t.ptx:1: expected a version such as 8.0, found 'x'"},
    {".version 8.0\n.target sm_80\n.address_size 32",
     "t.ptx:3: .address_size 32 is not supported; compile for 64 bits"},
    {".version 8.0 .target sm_80, map_f64_to_f32",
     "t.ptx:1: .target option map_f64_to_f32 is not supported; leave it out"},
    {".version 8.0 .target sm_80_and_much_more",
     "t.ptx:1: Unsupported .target 'sm_80_and_much_more': a target is sm_80 or similar"},
    {".version 8.0 .alias f, g;", "t.ptx:1: directive .alias is not supported at module level"},
    {".version 8.0\n.func f(.param .b32 a);\n.func f(.param .b32 a, .param .b32 b) { ret; }",
     "t.ptx:3: f was declared with other parameters or results in line 2"},
    {".version 8.0\n.func f() { ret; }\n.func f() { ret; }",
     "t.ptx:3: f is already defined, in line 2"},
    {".version 8.0 .entry k(.param .b32 a, .param .b32 a) { ret; }",
     "t.ptx:1: a is already declared in this scope, in line 1"},
    {".version 8.0 .entry (.param .b32 r) k() { ret; }",
     "t.ptx:1: the kernel k returns a value; an .entry cannot"},
    {".version 8.0 .entry k() .frob 3 { ret; }",
     "t.ptx:1: directive .frob is not supported before a function's body"},
    {".version 8.0 .entry k() .maxntid 1,2,3,4 { ret; }",
     "t.ptx:1: the number of threads has at most three numbers"},
    {".version 8.0 .entry k(.param .b8 a[]) { ret; }", "t.ptx:1: the parameter a has no size"},
    {".version 8.0 .section .debug_str { .b8 1,2", "t.ptx:1: the section has no closing }"},
    {".version 8.0 .file 70000 \"x\"",
     "t.ptx:1: the number of .file must be an integer from 0 to 65535"},
};

START_TEST(mistakes_in_a_module_are_named)
{
    struct err e;
    const char *text = module_mistakes[_i].text;
    ck_assert_ptr_null(parse_bytes(text, strlen(text), &e));
    ck_assert_str_eq(e.text, module_mistakes[_i].error);
}
END_TEST

START_TEST(deep_nesting_is_rejected)
{
    static const char openers[] = "{(-";
    for (unsigned i = 0; openers[i] != '\0'; i++) {
        char text[20000];
        struct err e;
        int length = snprintf(text, sizeof text, "%s%s%s", head, body_head,
                              openers[i] == '{' ? "" : "mov.u32 %r1, ");
        memset(text + length, openers[i], 10000);
        ck_assert_ptr_null(parse_bytes(text, (size_t)length + 10000, &e));
        ck_assert_str_eq(e.text, openers[i] == '{'
                                     ? "t.ptx:6: { nested more than 64 deep"
                                     : "t.ptx:6: expression nested more than 64 deep");
    }
}
END_TEST

/* Labels, registers and variables are found by hashing: ten times the names take about ten times
 * as long, not a hundred. 100,000 names, quadratically, would be minutes. */
START_TEST(many_names_are_no_problem)
{
    char *text;
    size_t size;
    struct err e;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "%s", head);
    for (int i = 0; i < 100000; i++) {
        fprintf(out, ".global .b32 g%d;\n", i);
    }
    fprintf(out, ".entry k() {\n");
    for (int i = 0; i < 100000; i++) {
        fprintf(out, "{ .reg .b32 r%d; L%d: mov.u32 r%d, g%d; bra M%d; }\n", i, i, i, i, i);
    }
    for (int i = 0; i < 100000; i++) {
        fprintf(out, "M%d: .loc 1 %d 1, inlined_at 1 %d 1\n", i, i, i / 2);
    }
    fprintf(out, "}\n");
    fclose(out);
    struct ptx_module *module = parse_bytes(text, size, &e);
    ck_assert_msg(module != NULL, "%s", e.text);
    ck_assert_uint_eq(module->var_count, 100000);
    ck_assert_uint_eq(module->funcs[0].label_count, 200000);
    ck_assert_str_eq(module->funcs[0].insns[199999].operands[0].name, "M99999");
    ck_assert_str_eq(module->funcs[0].insns[199998].operands[0].name, "r99999#100000");
    ptx_module_free(module);
    free(text);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("parse_mistakes");
    tcase_set_timeout(tests, 30);
    tcase_add_loop_test(tests, mistakes_in_a_body_are_named, 0, ARRAY_LENGTH(body_mistakes));
    tcase_add_loop_test(tests, mistakes_in_a_module_are_named, 0, ARRAY_LENGTH(module_mistakes));
    tcase_add_test(tests, deep_nesting_is_rejected);
    tcase_add_test(tests, many_names_are_no_problem);
    return run_suite("parse_mistakes", tests);
}

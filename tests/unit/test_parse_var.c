/* test_parse_var.c - variables of a module: sizes, alignment, initialisers, addresses in them.
 * Golden triples: the declaration, what it means, or the error it gives. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/simt/ptx/parse.h"
#include "suite.h"

static struct ptx_module *parse(const char *text, struct err *e)
{
    char whole[4000];
    int length = snprintf(whole, sizeof whole, ".version 8.0\n%s", text);
    *e = (struct err){0};
    return parse_module(whole, (size_t)length, "t.ptx", e);
}

static char space_letter(enum ptx_space space)
{
    return space == PTX_GLOBAL ? 'g' : space == PTX_CONST ? 'c' : space == PTX_SHARED ? 's' : '?';
}

/* "name g u32*bytes@align = 01 02 ... &symbol+addend@offset": `*` stands for generic(symbol) */
static void print_var(FILE *out, const struct ptx_var *var)
{
    fprintf(out, "%s%s %c %s*%" PRIu64 "@%" PRIu64, var->is_extern ? "extern " : "", var->name,
            space_letter(var->space), ptx_type_name(var->type), var->bytes, var->align);
    for (uint64_t i = 0; var->initial != NULL && i < var->bytes; i++) {
        fprintf(out, "%s%02x", i == 0 ? " = " : " ", var->initial[i]);
    }
    for (unsigned i = 0; i < var->reloc_count; i++) {
        const struct ptx_reloc *reloc = &var->relocs[i];
        fprintf(out, " %c%s%+" PRId64 "@%" PRIu64 "/%u", reloc->generic ? '*' : '&', reloc->symbol,
                (int64_t)reloc->addend, reloc->offset, reloc->bytes);
    }
    fprintf(out, "\n");
}

static const struct {
    const char *text, *meaning;
} good[] = {
    {".global .b32 x;", "x g b32*4@4\n"},
    {".visible .global .align 16 .b8 x[100];", "x g b8*100@16\n"},
    {".shared .f64 x[3][5];", "x s f64*120@8\n"},
    {".global .v4 .f32 x[2];", "x g f32*32@16\n"},
    {".extern .shared .align 16 .b8 x[];", "extern x s b8*0@16\n"},
    {".extern .global .u32 x;", "extern x g u32*4@4\n"},
    {".global .attribute(.managed) .u32 x = 5;", "x g u32*4@4 = 05 00 00 00\n"},
    {".global .u32 a, b[2], c = 7;", "a g u32*4@4\nb g u32*8@4\nc g u32*4@4 = 07 00 00 00\n"},
    {".const .s16 x[4] = {1, -2, 0x7fff};", "x c s16*8@2 = 01 00 fe ff ff 7f 00 00\n"},
    {".global .u8 x[] = {1, 2, 255};", "x g u8*3@1 = 01 02 ff\n"},
    {".global .b8 x[][3] = {{1}, {2, 3}};", "x g b8*6@1 = 01 00 00 02 03 00\n"},
    {".global .b8 x[2][2][2] = {{{1, 2}, {3}}, {{5}}};", "x g b8*8@1 = 01 02 03 00 05 00 00 00\n"},
    {".global .b8 x[2][2] = {1, 2, 3};", "x g b8*4@1 = 01 02 03 00\n"},
    {".global .v2 .u16 x[2] = {{1, 2}, {3}};", "x g u16*8@4 = 01 00 02 00 03 00 00 00\n"},
    {".global .b8 x[3] = {};", "x g b8*3@1 = 00 00 00\n"},
    {".global .f32 x[3] = {0f3F800000, 1.5, -2e0};",
     "x g f32*12@4 = 00 00 80 3f 00 00 c0 3f 00 00 00 c0\n"},
    {".global .f64 x = 0d3FF0000000000000;", "x g f64*8@8 = 00 00 00 00 00 00 f0 3f\n"},
    {".global .f64 x = 0f3F800000;", "x g f64*8@8 = 00 00 00 00 00 00 f0 3f\n"},
    /* the bits of a signalling NaN are not touched */
    {".global .f32 x = 0f7F800001;", "x g f32*4@4 = 01 00 80 7f\n"},
    {".global .b32 x = 0f3F800000;", "x g b32*4@4 = 00 00 80 3f\n"},
    {".global .u64 x = 0xffffffffffffffff;", "x g u64*8@8 = ff ff ff ff ff ff ff ff\n"},
    {".global .b128 x[2] = {-2, 3};",
     "x g b128*32@16 = fe ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff"
     " 03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"},
    {".global .u32 x = (1 << 4 | 3) * WARP_SZ - 1;", "x g u32*4@4 = 5f 02 00 00\n"},
    {".global .u64 x = y;", "x g u64*8@8 = 00 00 00 00 00 00 00 00 &y+0@0/8\n"},
    {".global .u64 x[2] = {3, generic(y)+4*2};",
     "x g u64*16@8 = 03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 *y+8@8/8\n"},
    {".global .u32 x = y-4;", "x g u32*4@4 = 00 00 00 00 &y-4@0/4\n"},
    {".global .b8 x[9] = {7, 0xff(y), 0xff00(y), 0xff0000(y), 0xff000000(y), 0xff00000000(y),"
     "0xff0000000000(y), 0xff000000000000(y), 0xff00000000000000(y)};",
     "x g b8*9@1 = 07 00 00 00 00 00 00 00 00 &y+0@1/8\n"},
    /* a declaration and its definition are one variable, in either order */
    {".extern .global .u32 x; .visible .global .u32 x = 1;", "x g u32*4@4 = 01 00 00 00\n"},
    {".global .u32 x = 1; .extern .global .u32 x;", "x g u32*4@4 = 01 00 00 00\n"},
};

START_TEST(variables_mean_what_they_say)
{
    struct err e;
    struct ptx_module *module = parse(good[_i].text, &e);
    ck_assert_msg(module != NULL, "%s", e.text);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (unsigned i = 0; i < module->var_count; i++) {
        print_var(out, &module->vars[i]);
    }
    fclose(out);
    ck_assert_str_eq(text, good[_i].meaning);
    free(text);
    ptx_module_free(module);
}
END_TEST

static const struct {
    const char *text, *error;
} mistakes[] = {
    {".global x;", "expected a type such as .b32, found 'x'"},
    {".global .b32;", "expected a name, found ';'"},
    {".global .b32 .u32 x;", "expected a name: the type is already given, found '.u32'"},
    {".global .texref x;", ".texref is not supported in a declaration; a variable has a type such "
                           "as .b32, .align N, .v2 or .v4"},
    {".global .align 3 .b32 x;", ".align 3; an alignment is a power of two"},
    {".global .align 0 .b32 x;", ".align 0; an alignment is a power of two"},
    {".global .align 2097152 .b32 x;", "the alignment must be an integer from 0 to 1048576"},
    {".global .b32 x[];", "x has no size; only an .extern array may have none"},
    {".global .b32 x[0];", "x has no size; only an .extern array may have none"},
    {".global .b32 x[-1];", "an array's size must be an integer from 0 to 18446744073709551615"},
    {".global .b32 x[4][];", "expected an array's size, found ']'"},
    {".global .b32 x[1][1][1][1][1][1][1][1][1];", "an array has at most 8 dimensions"},
    {".global .b32 x[4294967296][4294967296];", "x is larger than 2^63 bytes"},
    {".global .b32 x[][4294967296][4294967296] = {};", "x is larger than 2^63 bytes"},
    {".global .b8 x[300000000] = {1};", "more than 256 MiB of initial values"},
    {".global .b8 x[][300000000] = {{1}};", "more than 256 MiB of initial values"},
    {".global .b8 x[200000000] = {1}; .global .b8 y[200000000] = {1};",
     "more than 256 MiB of initial values"},
    {".global .u8 x = 256;", "the number does not fit in a .u8"},
    {".global .s8 x = -129;", "the number does not fit in a .s8"},
    {".global .f32 x = 1;",
     "an integer does not initialise a .f32 variable; write 0f3F800000 or 1.0"},
    {".global .u32 x = 1.5;", "a float does not initialise a .u32 variable"},
    {".global .b32 x[2] = 3;", "expected { before the initial values of an array, found '3'"},
    {".global .b32 x[2] = {1, 2, 3};", "x has more initial values than elements (2)"},
    {".global .b8 x[2][2] = {{1, 2, 3}, {4}};", "more than 2 initial values between { and } of x"},
    {".global .b8 x[2][2] = {{1, 2}, {3}, {4}};", "x has more initial values than elements (4)"},
    {".global .b8 x[2][2] = {1, {2}};", "{ where x needs a number: it has 2 dimensions"},
    {".global .b8 x[2] = {{1}};", "{ where x needs a number: it has 1 dimensions"},
    {".global .b8 x[4][0] = {{1}};", "{ where x needs a number: it has 2 dimensions"},
    {".global .b8 x[2] = {1", "expected '}', but the text ends here"},
    {".global .b8 x = y;", "the address of y does not fit in a .b8; use .u64"},
    {".global .f64 x = y;", "the address of y does not fit in a .f64; use .u64"},
    {".global .b8 x[9] = {0xff00(y)};",
     "masked address; only the eight bytes 0xff(name), 0xff00(name), ... of one address, in this "
     "order in a .b8 array, are supported"},
    {".global .b8 x[9] = {0xff(y), 0xff00(z)};",
     "masked address; only the eight bytes 0xff(name), 0xff00(name), ... of one address, in this "
     "order in a .b8 array, are supported"},
    {".global .b8 x[9] = {0xff(y), 0xff00(y)};", "masked address of y ends after 2 of its 8 bytes"},
    {".global .b8 x[9] = {0xff(y), 5};", "masked address of y ends after 1 of its 8 bytes"},
    {".shared .b32 x = 3;", "x is initialised; only .global and .const variables can be"},
    {".local .b32 x;", "directive .local is not supported at module level"},
    {".global .b32 x; .global .b32 x;", "x is already defined, in line 2"},
    {".global .b32 x; .extern .const .b32 x;", "x was declared in another state space in line 2"},
    {".global .attribute(.frob) .b32 x;", "expected .managed, found '.frob'"},
    {".global .b32 x", "expected ';', but the text ends here"},
};

START_TEST(mistakes_are_named)
{
    struct err e;
    char want[400];
    snprintf(want, sizeof want, "t.ptx:2: %s", mistakes[_i].error);
    struct ptx_module *module = parse(mistakes[_i].text, &e);
    ck_assert_ptr_null(module);
    ck_assert_str_eq(e.text, want);
}
END_TEST

START_TEST(a_function_keeps_its_variables)
{
    struct err e;
    struct ptx_module *module = parse(".entry k() { .local .align 16 .b8 depot[40];\n"
                                      "{ .shared .f32 tile[8][9]; .param .v2 .b64 a; } }",
                                      &e);
    ck_assert_msg(module != NULL, "%s", e.text);
    const struct ptx_var *vars = module->funcs[0].vars;
    ck_assert_uint_eq(module->funcs[0].var_count, 3);
    ck_assert_str_eq(vars[0].name, "depot");
    ck_assert_int_eq(vars[0].space, PTX_LOCAL);
    ck_assert_uint_eq(vars[0].align, 16);
    ck_assert_str_eq(vars[1].name, "tile#1");
    ck_assert_int_eq(vars[1].space, PTX_SHARED);
    ck_assert_uint_eq(vars[1].bytes, 288);
    ck_assert_uint_eq(vars[1].text_line, 3);
    ck_assert_int_eq(vars[2].space, PTX_PARAM);
    ck_assert_uint_eq(vars[2].bytes, 16);
    ck_assert_uint_eq(vars[2].align, 16);
    ptx_module_free(module);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("parse_var");
    tcase_add_loop_test(tests, variables_mean_what_they_say, 0, ARRAY_LENGTH(good));
    tcase_add_loop_test(tests, mistakes_are_named, 0, ARRAY_LENGTH(mistakes));
    tcase_add_test(tests, a_function_keeps_its_variables);
    return run_suite("parse_var", tests);
}

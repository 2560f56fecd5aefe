/* test_link.c - several modules become one: what is taken, what is renamed, what is rejected. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/simt/ptx/link.h"
#include "common/simt/ptx/parse.h"
#include "suite.h"

static struct ptx_module *link_two(const char *one, const char *two, struct err *e)
{
    char text[2][2000];
    struct ptx_module *modules[2];
    const char *const bodies[2] = {one, two}, *const names[2] = {"one.ptx", "two.ptx"};
    unsigned files = 0;
    *e = (struct err){0};
    for (unsigned i = 0; i < 2; i++) {
        const int length = snprintf(text[i], sizeof text[i],
                                    ".version 8.0\n.target sm_80\n.address_size 64\n%s", bodies[i]);
        modules[i] = parse_module_from(text[i], (size_t)length, names[i], files, e);
        ck_assert_msg(modules[i] != NULL, "%s", e->text);
        files = modules[i]->file_count;
    }
    return ptx_link(modules, 2, e);
}

static const struct ptx_func *function(const struct ptx_module *m, const char *name)
{
    const struct ptx_func *found = NULL;
    for (unsigned i = 0; i < m->func_count; i++) {
        found = strcmp(m->funcs[i].name, name) == 0 ? &m->funcs[i] : found;
    }
    return found;
}

static const struct ptx_var *variable(const struct ptx_module *m, const char *name)
{
    const struct ptx_var *found = NULL;
    for (unsigned i = 0; i < m->var_count; i++) {
        found = strcmp(m->vars[i].name, name) == 0 ? &m->vars[i] : found;
    }
    return found;
}

START_TEST(a_declaration_takes_the_definition)
{
    struct err e;
    struct ptx_module *m =
        link_two(".extern .global .b32 v; .extern .func f; .visible .entry k() { call f; ret; }",
                 ".visible .global .b32 v = 7; .visible .func f { ret; }", &e);
    ck_assert_msg(m != NULL, "%s", e.text);
    ck_assert_uint_eq(m->var_count, 1);
    ck_assert_uint_eq(m->func_count, 2);
    ck_assert(!variable(m, "v")->is_extern && variable(m, "v")->initial[0] == 7);
    ck_assert(!function(m, "f")->is_prototype);
    ptx_module_free(m);
}
END_TEST

/* Each of two static functions of one name stays with its own callers. */
START_TEST(private_names_are_kept_apart)
{
    struct err e;
    struct ptx_module *m =
        link_two(".func help { ret; } .visible .entry k() { call help; ret; }",
                 ".func help { trap; } .visible .entry l() { call help; ret; }", &e);
    ck_assert_msg(m != NULL, "%s", e.text);
    const char *first = function(m, "k")->insns[0].operands[0].name;
    const char *second = function(m, "l")->insns[0].operands[0].name;
    ck_assert_str_ne(first, second);
    ck_assert_int_eq(function(m, first)->insns[0].op, PTX_OP_RET);
    ck_assert_int_eq(function(m, second)->insns[0].op, PTX_OP_TRAP);
    ptx_module_free(m);
}
END_TEST

START_TEST(a_weak_definition_gives_way)
{
    struct err e;
    struct ptx_module *m = link_two(".weak .func f { trap; }", ".visible .func f { ret; }", &e);
    ck_assert_msg(m != NULL, "%s", e.text);
    ck_assert_int_eq(function(m, "f")->insns[0].op, PTX_OP_RET);
    ptx_module_free(m);
    m = link_two(".weak .func f { trap; }", ".weak .func f { ret; }", &e); /* the first of two */
    ck_assert_int_eq(function(m, "f")->insns[0].op, PTX_OP_TRAP);
    ptx_module_free(m);
}
END_TEST

START_TEST(lines_name_their_own_files)
{
    struct err e;
    struct ptx_module *m =
        link_two(".file 1 \"one.cu\"\n.visible .entry k() {\n.loc 1 5 0\nret; }",
                 ".file 1 \"two.cu\"\n.visible .entry l() {\n.loc 1 9 0\nret; }", &e);
    ck_assert_msg(m != NULL, "%s", e.text);
    ck_assert_str_eq(m->files[function(m, "k")->insns[0].loc->file], "one.cu");
    ck_assert_str_eq(m->files[function(m, "l")->insns[0].loc->file], "two.cu");
    ptx_module_free(m);
}
END_TEST

START_TEST(mistakes_are_named)
{
    struct err e;
    ck_assert_ptr_null(link_two(".visible .func f { ret; }", ".visible .func f { ret; }", &e));
    ck_assert_str_eq(e.text, "device linking: f is defined in one.ptx and in two.ptx");
    ck_assert_ptr_null(link_two(".extern .global .b32 v;", ".visible .func f { ret; }", &e));
    ck_assert_str_eq(e.text,
                     "device linking: variable v is declared in one.ptx and defined in no file");
    ck_assert_ptr_null(link_two(".visible .func f { ret; }", ".visible .global .b32 f;", &e));
    ck_assert_str_eq(e.text, "device linking: f is defined in one.ptx and in two.ptx, once as a "
                             "function and once as a variable");
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("link");
    tcase_add_test(tests, a_declaration_takes_the_definition);
    tcase_add_test(tests, private_names_are_kept_apart);
    tcase_add_test(tests, a_weak_definition_gives_way);
    tcase_add_test(tests, lines_name_their_own_files);
    tcase_add_test(tests, mistakes_are_named);
    return run_suite("link", tests);
}

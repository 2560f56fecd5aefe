/* test_variables.c - names of registers: what PTX tells, and what a statement gives a value to. */
#include "parse_fixture.h"
#include "suite.h"

#include <unistd.h>

#include "common/simt/report/assigned.h"

/* What stands before the statement, the statement, and what is understood of it; name NULL:
 * nothing. */
static const struct {
    const char *before, *statement, *name;
    enum assigned_kind kind;
    bool is_float;
    unsigned bytes;
} statements[] = {
    {"", "int i = blockIdx.x * blockDim.x + threadIdx.x;", "i", ASSIGNED_SUM, false, 4},
    {"", "const unsigned int last = n - 1;", "last", ASSIGNED_SUM, false, 4},
    {"", "size_t at = row * pitch;", "at", ASSIGNED_PRODUCT, false, 8},
    {"", "float v = in[i + j * 32];", "v", ASSIGNED_LOAD, true, 4},
    {"", "double d = tile[y][x + 1];", "d", ASSIGNED_LOAD, true, 8},
    {"", "float scaled = acc * p[i].x; // + 1", "scaled", ASSIGNED_PRODUCT, true, 4},
    {"", "float sum = a[i]\n    + b[i];", "sum", ASSIGNED_SUM, true, 4},
    {"float acc = 0, most;", "acc += v * tile[j];", "acc", ASSIGNED_SUM, true, 4},
    {"float acc = 0, most;", "most = acc * 2;", "most", ASSIGNED_PRODUCT, true, 4},
    {"int n;\nfloat x = 1;", "n -= 4;", "n", ASSIGNED_SUM, false, 4},
    /* not one operation of a kind */
    {"", "int i = a + b + c;", NULL, 0, false, 0},
    {"", "float x = a * b * c;", NULL, 0, false, 0},
    {"float acc;", "acc += a + b;", NULL, 0, false, 0},
    {"", "float v = in[index[i]];", NULL, 0, false, 0},
    {"", "float v = a[i] > 0 ? a[i] : 0;", NULL, 0, false, 0},
    {"", "float v = sqrtf(x);", NULL, 0, false, 0},
    {"", "float v = 1;", NULL, 0, false, 0},
    {"", "int k = a[i] + 1;", NULL, 0, false, 0},
    {"", "int k = a << 1;", NULL, 0, false, 0},
    {"", "int a = x + 1, b = y + 2;", NULL, 0, false, 0},
    {"", "int k = (a + b) * c;", NULL, 0, false, 0},
    /* no scalar of a known type */
    {"", "char c = text[i];", NULL, 0, false, 0},
    {"", "float *p = in + 1;", NULL, 0, false, 0},
    {"", "T v = in[i];", NULL, 0, false, 0},
    {"", "sum += v;", NULL, 0, false, 0},
    {"__shared__ float sum;", "sum += v;", NULL, 0, false, 0},
    {"float sum;\nT sum = 0;", "sum += v;", NULL, 0, false, 0},
    {"float sum[4];", "sum += v;", NULL, 0, false, 0},
    {"float sum;\n__global__ void k(float *out)\n{", "sum += v;", NULL, 0, false, 0},
    {"", "out[i] = v + 1;", NULL, 0, false, 0},
    {"", "for (int j = 0; j < n; j++) {", NULL, 0, false, 0},
    {"", "return a + b;", NULL, 0, false, 0},
    {"", "if (a == b) x = a + b;", NULL, 0, false, 0},
    {"", "float v = a[i] /* b */ + c;", NULL, 0, false, 0},
    {"", "float v = a[i]", NULL, 0, false, 0},
    {"", "", NULL, 0, false, 0},
};

START_TEST(a_statement_is_understood_or_not)
{
    char file[] = "/tmp/assigned-XXXXXX.cu";
    unsigned line = 2;
    struct assigned a;
    FILE *f = fdopen(mkstemps(file, 3), "w");
    ck_assert_ptr_nonnull(f);
    fprintf(f, "// a source\n%s\n    %s\n}\n", statements[_i].before, statements[_i].statement);
    fclose(f);
    for (const char *c = statements[_i].before; *c != '\0'; c++) {
        line += *c == '\n';
    }
    const bool found = assigned_read(file, line + 1, 5, &a);
    unlink(file);
    ck_assert_msg(found == (statements[_i].name != NULL), "%s", statements[_i].statement);
    if (found) {
        ck_assert_str_eq(a.name, statements[_i].name);
        ck_assert_int_eq(a.kind, statements[_i].kind);
        ck_assert_int_eq(a.is_float, statements[_i].is_float);
        ck_assert_uint_eq(a.bytes, statements[_i].bytes);
    }
}
END_TEST

/* The names that a function's registers have, "%r1=i:3:5": writes and mask; those that have one. */
static const struct {
    const char *body, *names;
} bodies[] = {
    {"mov.u32 %r1, 1; .pragma \"simt_variable %r1 1 1 i\";", "%r1=i:1:1 "},
    {"mov.u32 %r1, 1; mov.f32 %f2, 0f00000000;"
     ".pragma \"simt_variable %r1 3 5 i\", \"simt_variable %f2 1 1 p.x\";",
     "%r1=i:3:5 %f2=p.x:1:1 "},
    {"mov.u32 plain, 1; .pragma \"simt_variable plain 1 1 a[2]\";", "plain=a[2]:1:1 "},
    {"mov.u32 %r1, 1; .pragma \"simt_variable %r2 1 1 i\";", ""},  /* nobody uses it */
    {"mov.u32 %r1, 1; .pragma \"simt_variable %r77 1 1 i\";", ""}, /* not declared */
    {"mov.u32 %r1, 1; .pragma \"simt_variable var 1 1 i\";", ""},  /* no register */
    {"mov.u32 %r1, 1; .pragma \"simt_variable %r1 1 1\";", ""},
    {"mov.u32 %r1, 1; .pragma \"simt_variable %r1 1 1 \";", ""},
    {"mov.u32 %r1, 1; .pragma \"simt_variable %r1 i\";", ""},
    {"mov.u32 %r1, 1; .pragma \"simt_variable \";", ""},
    {"mov.u32 %r1, 1; .pragma \"simt_variables %r1 1 1 i\";", ""},
};

START_TEST(ptx_tells_variables)
{
    char names[200] = "";
    struct ptx_module *module = parse_good(body_head, bodies[_i].body, "ret; }");
    const struct ptx_func *func = &module->funcs[0];
    for (unsigned i = 0; i < func->reg_count; i++) {
        const struct ptx_reg *r = &func->regs[i];
        if (r->variable.name != NULL) {
            const size_t length = strlen(names);
            snprintf(names + length, sizeof names - length, "%s=%s:%u:%u ", r->name,
                     r->variable.name, r->variable.writes, r->variable.mask);
        }
    }
    ck_assert_str_eq(names, bodies[_i].names);
    ptx_module_free(module);
}
END_TEST

/* Outside of a function no register is meant. */
START_TEST(a_pragma_of_the_module_names_nothing)
{
    struct ptx_module *module =
        parse_good(body_head, "mov.u32 %r1, 1; ret; }", " .pragma \"simt_variable %r1 1 1 i\";");
    ck_assert_ptr_null(module->funcs[0].regs[0].variable.name);
    ptx_module_free(module);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("variables");
    tcase_add_loop_test(tests, a_statement_is_understood_or_not, 0, ARRAY_LENGTH(statements));
    tcase_add_loop_test(tests, ptx_tells_variables, 0, ARRAY_LENGTH(bodies));
    tcase_add_test(tests, a_pragma_of_the_module_names_nothing);
    return run_suite("variables", tests);
}

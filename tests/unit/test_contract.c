/* test_contract.c - which sums are joined with a product to an fma: the forms that were found in
 * ptxas's machine code, as PTX and what is executed for it. */
#include "decode_fixture.h"
#include "suite.h"

/* $1 to $8 become registers of the type's size, T the type and B its bits. Whether somebody reads
 * the results does not matter. */
#define MUL  "mul.T $5, $1, $2; "
#define SUM  "add.T $6, $5, $3; "
#define KEEP "st.global.B [%rd1], $5; "

static const struct {
    const char *what, *body, *executed;
} cases[] = {
    {"a sum", MUL SUM, "mul fma"},
    {"the product second", MUL "add.T $6, $3, $5;", "mul fma"},
    {"less a summand", MUL "sub.T $6, $5, $3;", "mul fmsub"},
    {"less the product", MUL "sub.T $6, $3, $5;", "mul fnmadd"},
    {"two sums", MUL SUM "sub.T $7, $4, $5;", "mul fma fnmadd"},
    {"the product is kept", MUL SUM KEEP, "mul add"},
    {"the product is a factor, too", MUL SUM "mul.T $7, $5, $4;", "mul add mul"},
    {"the product is a summand of an fma", MUL SUM "fma.rn.T $7, $3, $4, $5;", "mul add fma"},
    {"twice the product", MUL "add.T $6, $5, $5;", "mul add"},
    {"two products: the first", MUL "mul.T $7, $3, $4; add.T $6, $5, $7;", "mul mul fma"},
    {"two products: the first operand", MUL "mul.T $7, $3, $4; sub.T $6, $7, $5;", "mul mul fmsub"},
    {"two products, one with two readers",
     MUL "mul.T $7, $3, $4; add.T $6, $5, $7; add.T $8, $5, $3;", "mul mul fma add"},
    {"of two products the second is kept",
     MUL "mul.T $7, $3, $4; sub.T $6, $7, $5; st.global.B [%rd1], $7;", "mul mul fnmadd"},
    {"a chain", MUL SUM "mul.T $7, $6, $4; add.T $8, $7, $3;", "mul fma mul fma"},
    {"rounded product", "mul.rn.T $5, $1, $2; " SUM, "mul add"},
    {"rounded sum", MUL "add.rn.T $6, $5, $3; ", "mul add"},
    {"another block", MUL "setp.eq.u32 %p1, %r9, 0; @%p1 bra L; mov.B $3, $4; L: " SUM, "mul add"},
    {"one of two readers in another block",
     MUL SUM "setp.eq.u32 %p1, %r9, 0; @%p1 bra L; "
             "add.T $7, $5, $4; L: ret;",
     "mul add add"},
    {"a label that nobody jumps to", MUL "nobody: " SUM, "mul fma"},
    {"a product under a guard", "@%p1 " MUL SUM, "mul add"},
    {"a sum under a guard", MUL "@%p1 " SUM, "mul fma"},
    {"a factor that has changed", MUL "mov.B $1, $4; " SUM, "mul add"},
    {"a product that is written again", MUL SUM MUL SUM, "mul add mul add"},
};

static const struct {
    const char *what, *body, *executed;
} modified[] = {
    {"ftz of both", "mul.ftz.f32 %r5, %r1, %r2; add.ftz.f32 %r6, %r5, %r3;", "mul fma"},
    {"ftz of the product", "mul.ftz.f32 %r5, %r1, %r2; add.f32 %r6, %r5, %r3;", "mul add"},
    {"ftz of the sum", "mul.f32 %r5, %r1, %r2; add.ftz.f32 %r6, %r5, %r3;", "mul add"},
    {"a saturated sum", "mul.f32 %r5, %r1, %r2; add.sat.f32 %r6, %r5, %r3;", "mul fma"},
    {"a saturated product", "mul.sat.f32 %r5, %r1, %r2; add.f32 %r6, %r5, %r3;", "mul add"},
    {"rounded towards zero", "mul.rz.f32 %r5, %r1, %r2; add.f32 %r6, %r5, %r3;", "mul add"},
    {"two types", "mul.f32 %r5, %r1, %r2; add.f16x2 %r6, %r5, %r3;", "mul add"},
    {"integers", "mul.lo.u32 %r5, %r1, %r2; add.u32 %r6, %r5, %r3;", "mul add"},
    {"-fmad=false", ".pragma \"simt_no_fmad\"; mul.f32 %r5, %r1, %r2; add.f32 %r6, %r5, %r3;",
     "mul add"},
};

/* "mul fma": the handlers that compute, without their types. */
static void list_executed(const struct kernel *k, char *list)
{
    static const char *const names[] = {"fnmadd", "fmsub", "fma", "mul", "add", "sub"};
    list[0] = '\0';
    for (unsigned pc = 0; pc < k->code_count; pc++) {
        for (unsigned n = 0; n < ARRAY_LENGTH(names); n++) {
            const size_t length = strlen(names[n]);
            const char *name = k->handlers[pc]->name;
            if (strncmp(name, names[n], length) == 0 && name[length] == '_') {
                strcat(strcat(list, list[0] != '\0' ? " " : ""), names[n]);
                break;
            }
        }
    }
}

static void check_body(const char *what, const char *body, const char *want)
{
    char list[200];
    struct decoded d = decode_text("", "", body);
    ck_assert_msg(d.k != NULL, "%s: %s", what, d.e.text);
    list_executed(d.k, list);
    ck_assert_msg(strcmp(list, want) == 0, "%s: %s: executed as %s, not %s", what, body, list,
                  want);
    decoded_free(&d);
}

/* The body for one type. */
static void with_type(const char *body, const char *type, char *text)
{
    const bool half = strcmp(type, "f16") == 0 || strcmp(type, "bf16") == 0;
    const bool wide = strcmp(type, "f64") == 0;
    for (; *body != '\0'; body++) {
        if (body[0] == '.' && body[1] == 'T') {
            text += sprintf(text, ".%s", type);
            body++;
        } else if (body[0] == '.' && body[1] == 'B') {
            text += sprintf(text, half ? ".b16" : wide ? ".b64" : ".b32");
            body++;
        } else if (body[0] == '$') {
            text += sprintf(text, half ? "%%h" : wide ? "%%rd2" : "%%r2"); /* $1: %rd21 */
        } else {
            *text++ = *body;
        }
    }
    *text = '\0';
}

START_TEST(of_every_type)
{
    static const char *const types[] = {"f16", "f16x2", "bf16", "bf16x2", "f32", "f64"};
    for (unsigned t = 0; t < ARRAY_LENGTH(types); t++) {
        char text[400];
        with_type(cases[_i].body, types[t], text);
        check_body(cases[_i].what, text, cases[_i].executed);
    }
}
END_TEST

START_TEST(with_modifiers)
{
    check_body(modified[_i].what, modified[_i].body, modified[_i].executed);
}
END_TEST

START_TEST(not_in_plain_ptx)
{
    decode_plain = true;
    check_body("plain", "mul.f32 %r5, %r1, %r2; add.f32 %r6, %r5, %r3;", "mul add");
}
END_TEST

/* A copy of an unrolled loop's body is joined as the body is. */
START_TEST(in_unrolled_loops)
{
    check_body("a loop",
               "mov.u32 %r1, %tid.x; mov.u32 %r2, 0; L: ld.global.f32 %r4, [%rd2];"
               "mul.f32 %r5, %r4, %r4; add.f32 %r6, %r6, %r5; add.s32 %r2, %r2, 4;"
               "setp.lt.s32 %p1, %r2, %r1; @%p1 bra L; st.global.f32 [%rd1], %r6;",
               "add mul fma add mul fma add mul fma add mul fma add add "
               "add mul fma add mul fma add mul fma add");
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("contract");
    tcase_add_loop_test(tests, of_every_type, 0, ARRAY_LENGTH(cases));
    tcase_add_loop_test(tests, with_modifiers, 0, ARRAY_LENGTH(modified));
    tcase_add_test(tests, not_in_plain_ptx);
    tcase_add_test(tests, in_unrolled_loops);
    return run_suite("contract", tests);
}

/* test_pressure.c - how many registers are live at once: straight code, loops, guards, results that
 * nobody reads, wide values. */
#include <stdio.h>
#include <string.h>

#include "common/simt/ptxas/passes.h"
#include "common/simt/ptx/parse.h"
#include "suite.h"

static const struct {
    const char *what, *body;
    unsigned registers;
} cases[] = {
    {"nothing", "ret;", 0},
    {"a result that nobody reads takes a register", "mov.u32 %r1, 1; ret;", 1},
    {"a chain needs one", "mov.u32 %r1, 1; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1; ret;", 1},
    {"a sum of two needs two", "mov.u32 %r1, 1; mov.u32 %r2, 2; add.u32 %r3, %r1, %r2; ret;", 2},
    {"64 bits take two", "mov.u64 %rd1, 1; mov.u32 %r1, 2; st.global.u32 [%rd1], %r1; ret;", 3},
    {"predicates take none",
     "mov.u32 %r1, 1; setp.eq.u32 %p1, %r1, 2; @%p1 bra DONE; mov.u32 %r2, 1; DONE: ret;", 1},
    {"special registers take none", "mov.u32 %r1, %tid.x; ret;", 1},
    {"a value read after the branch lives on both paths",
     "mov.u32 %r1, 1; mov.u32 %r9, 7; setp.eq.u32 %p1, %r1, 2; @%p1 bra ELSE;"
     "mov.u32 %r2, 1; mov.u32 %r3, 2; add.u32 %r4, %r2, %r3; bra END;"
     "ELSE: mov.u32 %r5, 1; END: add.u32 %r6, %r9, 1; ret;",
     3},
    {"a value that a loop reads lives through all of it",
     "mov.u32 %r1, 1; mov.u32 %r2, 0; LOOP: mov.u32 %r3, 5; add.u32 %r4, %r3, %r1;"
     "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 9; @%p1 bra LOOP; ret;",
     3},
    {"a guarded write keeps what was there",
     "mov.u32 %r1, 1; mov.u32 %r2, 2; setp.eq.u32 %p1, %r2, 2; @%p1 mov.u32 %r1, 3;"
     "st.global.u32 [0], %r1; ret;",
     2},
    {"an unguarded write does not",
     "mov.u32 %r1, 1; mov.u32 %r2, %r1; mov.u32 %r1, 3; st.global.u32 [0], %r1; ret;", 1},
    {"vectors and pairs are results",
     "mov.u64 %rd1, 64; ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];"
     "st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4}; ret;",
     6},
    {"a store reads its operands",
     "mov.u32 %r1, 1; mov.u32 %r2, 1; mov.u64 %rd1, 0; st.global.u32 [%rd1], %r1;"
     "st.global.u32 [%rd1], %r2; ret;",
     4},
    {"a branch table leads to all its targets",
     "mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r3, 0; T: .branchtargets A, B;"
     "brx.idx %r3, T; A: st.global.u32 [0], %r1; ret; B: st.global.u32 [0], %r2; ret;",
     3},
    {"code that nothing reaches is counted in itself",
     "ret; mov.u32 %r1, 1; mov.u32 %r2, 1; add.u32 %r3, %r1, %r2; ret;", 2},
    {"an endless loop ends the analysis", "mov.u32 %r1, 0; LOOP: add.u32 %r1, %r1, 1; bra LOOP;",
     1},
};

/* What a function saves: what is live over a call, and two words of the address to return to. */
static const struct {
    const char *what, *body;
    unsigned words;
} saving[] = {
    {"one that calls nothing", "mov.u32 %r1, 1; mov.u32 %r2, 2; add.u32 %r3, %r1, %r2; ret;", 0},
    {"one that calls and keeps nothing", "call f, (); ret;", 2},
    {"a value that is read behind the call",
     "mov.u32 %r1, 1; mov.u32 %r2, 2; add.u32 %r3, %r1, %r2; call f, (); st.global.u32 [0], %r1;"
     "ret;",
     3},
    {"the call that most is live over counts",
     "mov.u32 %r1, 1; call f, (); mov.u64 %rd1, 0; mov.u32 %r2, 2; call f, ();"
     "st.global.u32 [%rd1], %r2; call f, (); st.global.u32 [0], %r1; ret;",
     6},
};

static struct function_ir *looked_at(const char *form, const char *body, struct arena *scratch,
                                     struct ptx_module **module)
{
    static struct ir_context context;
    static struct err e;
    char text[2000];
    int length = snprintf(text, sizeof text, form, body);
    struct ptx_module *m = *module = parse_module(text, (size_t)length, "t.ptx", &e);
    ck_assert_msg(m != NULL, "%s", e.text);
    context = (struct ir_context){
        .module = m, .kernel = "k", .e = &e, .keep = scratch, .scratch = scratch};
    struct function_ir *ir = ir_build(&context, &m->funcs[0]);
    ck_assert_msg(ir != NULL && pass_pressure(ir), "%s", e.text);
    return ir;
}

START_TEST(saved_over_calls)
{
    struct arena scratch = {0};
    struct ptx_module *m;
    struct function_ir *ir =
        looked_at(".version 8.0\n.target sm_80\n.address_size 64\n.func f()\n{\n"
                  ".reg .b32 %%r<10>; .reg .b64 %%rd<4>;\n%s\n}\n",
                  saving[_i].body, &scratch, &m);
    ck_assert_msg(ir->saved == saving[_i].words, "%s: %u, not %u", saving[_i].what, ir->saved,
                  saving[_i].words);
    ck_assert_uint_eq(ir->registers, 0); /* of kernels alone */
    arena_free(&scratch);
    ptx_module_free(m);
}
END_TEST

START_TEST(most_live)
{
    struct arena scratch = {0};
    struct ptx_module *m;
    struct function_ir *ir =
        looked_at(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n"
                  ".reg .pred %%p<4>; .reg .b32 %%r<10>; .reg .b64 %%rd<4>;\n%s\n}\n",
                  cases[_i].body, &scratch, &m);
    ck_assert_msg(ir->registers == cases[_i].registers, "%s: %u, not %u", cases[_i].what,
                  ir->registers, cases[_i].registers);
    ck_assert_uint_eq(ir->saved, 0); /* nobody calls a kernel */
    arena_free(&scratch);
    ptx_module_free(m);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("pressure");
    tcase_add_loop_test(tc, most_live, 0, sizeof cases / sizeof cases[0]);
    tcase_add_loop_test(tc, saved_over_calls, 0, sizeof saving / sizeof saving[0]);
    return run_suite("pressure", tc);
}

/* test_uniform.c - which atomics go to one address for all lanes, as far as the text tells, so that
 * the warp adds up first. The rules are in tests/fidelity/README.md. */
#include "decode_fixture.h"
#include "suite.h"

/* Before each body: %rd1 is a parameter, %rd2 differs from thread to thread, as does %r1. */
static const char prologue[] =
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd2, %r1, 4, %rd1;"
    "mov.u32 %r7, 7; ";

/* added: 'y' one lane pays for all, 'f' only if all 32 take part, 'n' each pays for itself */
static const struct {
    const char *what, *body;
    char added;
} cases[] = {
    /* operations, at a uniform address */
    {"a reduction", "red.global.add.u32 [%rd1], %r1;", 'y'},
    {"min", "red.global.min.s32 [%rd1], %r1;", 'y'},
    {"xor", "red.global.xor.b32 [%rd1], %r1;", 'y'},
    {"inc does not add up", "red.global.inc.u32 [%rd1], %r1;", 'n'},
    {"exch does not", "atom.global.exch.b32 %r2, [%rd1], %r1;", 'n'},
    {"nor does cas", "atom.global.cas.b32 %r2, [%rd1], %r1, 1;", 'n'},
    {"nor do floats", "red.global.add.f32 [%rd1], 0f3F800000;", 'n'},
    {"a result that nobody reads", "atom.global.add.u32 %r2, [%rd1], %r1;", 'y'},
    {"a result that is dropped", "atom.global.add.u32 _, [%rd1], %r1;", 'y'},
    {"two results that are dropped",
     "atom.global.add.u32 _, [%rd1], %r1; atom.global.max.u32 _, [%rd1], %r1;", 'y'},
    {"a result that is read: only a whole warp",
     "atom.global.add.u32 %r2, [%rd1], %r1; st.global.u32 [%rd2], %r2;", 'f'},
    {"a result that is read, all lanes add the same",
     "atom.global.add.u32 %r2, [%rd1], 1; st.global.u32 [%rd2], %r2;", 'y'},
    {"a minimum that is read", "atom.global.min.u32 %r2, [%rd1], %r1; st.global.u32 [%rd2], %r2;",
     'n'},
    {"64 bits, all lanes add the same", "red.global.add.u64 [%rd1], 5;", 'y'},
    {"64 bits, different values", "red.global.add.u64 [%rd1], %rd2;", 'n'},
    {"64 bits, a maximum", "red.global.max.u64 [%rd1], 5;", 'n'},
    {"shared memory", ".shared .align 4 .b8 s[4]; red.shared.add.u32 [s], %r1;", 'y'},
    {"through a generic address", "red.add.u32 [%rd1], %r1;", 'y'},

    /* addresses */
    {"different in each thread", "red.global.add.u32 [%rd2], %r1;", 'n'},
    {"a number", "red.global.add.u32 [4096], %r1;", 'y'},
    {"a variable", "red.global.add.u32 [count], %r1;", 'y'},
    {"a variable's address in a register", "mov.u64 %rd3, count; red.global.add.u32 [%rd3+4], %r1;",
     'y'},
    {"computed from the block's number",
     "mov.u32 %r4, %ctaid.x; mad.lo.u32 %r3, %r4, 4, %r7; mul.wide.u32 %rd3, %r3, 4;"
     "add.u64 %rd5, %rd3, %rd1; cvta.to.global.u64 %rd4, %rd5; red.global.add.u32 [%rd4], %r1;",
     'y'},
    {"computed from the block's size and the thread's number",
     "mov.u32 %r4, %ntid.x; add.u32 %r3, %r4, %r1; mul.wide.u32 %rd3, %r3, 4;"
     "add.u64 %rd4, %rd3, %rd1; red.global.add.u32 [%rd4], %r1;",
     'n'},
    {"the lane's number",
     "mov.u32 %r3, %laneid; cvt.u64.u32 %rd3, %r3;"
     "red.global.add.u32 [%rd3], %r1;",
     'n'},
    {"loaded from a uniform address",
     "ld.global.u64 %rd3, [%rd1+8]; red.global.add.u32 [%rd3], %r1;", 'y'},
    {"loaded from a thread's own address",
     "ld.global.u64 %rd3, [%rd2]; red.global.add.u32 [%rd3], %r1;", 'n'},
    {"loaded by a volatile load",
     "ld.volatile.global.u64 %rd3, [%rd1+8]; red.global.add.u32 [%rd3], %r1;", 'n'},
    {"loaded from local memory",
     ".local .align 8 .b8 m[8]; ld.local.u64 %rd3, [m]; red.global.add.u32 [%rd3], %r1;", 'n'},
    {"selected by something uniform",
     "setp.eq.u32 %p1, %r7, 3; add.u64 %rd4, %rd1, 64; selp.b64 %rd3, %rd1, %rd4, %p1;"
     "red.global.add.u32 [%rd3], %r1;",
     'y'},
    {"selected by the thread's number",
     "setp.eq.u32 %p1, %r1, 3; add.u64 %rd4, %rd1, 64; selp.b64 %rd3, %rd1, %rd4, %p1;"
     "red.global.add.u32 [%rd3], %r1;",
     'n'},
    {"written at two places",
     "mov.u64 %rd3, %rd1; mov.u64 %rd3, %rd1; red.global.add.u32 [%rd3], %r1;", 'n'},
    {"written under a guard",
     "setp.eq.u32 %p1, %r7, 3; @%p1 add.u64 %rd3, %rd1, 64;"
     "red.global.add.u32 [%rd3], %r1;",
     'n'},
    {"a value from a shuffle",
     "shfl.sync.idx.b32 %r3, %r1, 0, 31, -1; cvt.u64.u32 %rd3, %r3;"
     "red.global.add.u32 [%rd3], %r1;",
     'n'},
    {"the result of an atomic",
     "atom.global.add.u64 %rd3, [%rd1], 4; red.global.add.u32 [%rd3], %r1;", 'n'},
    {"a register that a loop changes",
     "mov.u64 %rd3, %rd1; L: red.global.add.u32 [%rd3], %r1; add.u64 %rd3, %rd3, 4;"
     "setp.lt.u64 %p1, %rd3, 999; @%p1 bra L;",
     'n'},
    {"a register that was read by nanosleep before",
     "mov.u32 %r5, %ntid.x; nanosleep.u32 %r5;"
     "mul.wide.u32 %rd3, %r5, 4; red.global.add.u32 [%rd3], %r1;",
     'y'},
    {"a register that was the number of a barrier",
     "mov.u32 %r5, %nctaid.x; bar.sync %r5;"
     "mul.wide.u32 %rd3, %r5, 4; red.global.add.u32 [%rd3], %r1;",
     'y'},
    {"the result of a barrier's vote",
     "setp.eq.u32 %p1, %r1, 3; bar.red.popc.u32 %r5, 0, %p1;"
     "mul.wide.u32 %rd3, %r5, 4; red.global.add.u32 [%rd3], %r1;",
     'n'},
    {"written once, in a loop that is unrolled, used behind it",
     "mov.u32 %r2, 0; L: ld.global.u32 %r4, [%rd2]; add.u64 %rd3, %rd1, 64; add.s32 %r2, %r2, 4;"
     "setp.lt.s32 %p1, %r2, %r1; @%p1 bra L; red.global.add.u32 [%rd3], %r1;",
     'y'},
    {"a register that nobody has written", "red.global.add.u32 [%rd30], %r1;", 'n'},
};

static char added_of(const struct kernel *k)
{
    char added = '\0';
    for (unsigned i = 0; i < k->code_count; i++) { /* the last atomic of the kernel */
        const struct ptx_insn *origin = k->origin[i];
        if (origin != NULL && (origin->op == PTX_OP_RED || origin->op == PTX_OP_ATOM) &&
            k->handlers[i]->kind != KIND_ENTER) {
            added = k->code[i].flags & INSN_ADDED_UP        ? 'y'
                    : k->code[i].flags & INSN_ADDED_IF_FULL ? 'f'
                                                            : 'n';
        }
    }
    return added;
}

START_TEST(atomics_add_up)
{
    char body[2048];
    snprintf(body, sizeof body, "%s%s ret;", prologue, cases[_i].body);
    struct decoded d = decode_text(".global .align 4 .u32 count[2];", ".param .u64 out", body);
    ck_assert_msg(d.k != NULL, "%s: %s", cases[_i].what, d.e.text);
    ck_assert_msg(added_of(d.k) == cases[_i].added, "%s: %c, not %c", cases[_i].what, added_of(d.k),
                  cases[_i].added);
    decoded_free(&d);
}
END_TEST

/* An address that takes many steps to compute is as uniform as what it is computed from. */
START_TEST(a_chain_is_followed_to_its_beginning)
{
    enum { STEPS = 150 };
    char body[8192];
    for (unsigned varies = 0; varies < 2; varies++) {
        size_t used = (size_t)snprintf(body, sizeof body,
                                       ".reg .b64 %%x<200>; mov.u64 %%rd8, 0;"
                                       "cvt.u64.u32 %%rd9, %%tid.x; mov.u64 %%x0, %s;",
                                       varies ? "%rd9" : "%rd8");
        for (unsigned i = 0; i < STEPS; i++) {
            used += (size_t)snprintf(body + used, sizeof body - used, "add.u64 %%x%u, %%x%u, 4;",
                                     i + 1, i);
        }
        snprintf(body + used, sizeof body - used, "red.global.add.u32 [%%x%u], %%r1; ret;", STEPS);
        struct decoded d = decode_text("", "", body);
        ck_assert_msg(d.k != NULL, "%s", d.e.text);
        ck_assert_int_eq(added_of(d.k), varies ? 'n' : 'y');
        decoded_free(&d);
    }
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("uniform");
    tcase_add_loop_test(tc, atomics_add_up, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tc, a_chain_is_followed_to_its_beginning);
    return run_suite("uniform", tc);
}

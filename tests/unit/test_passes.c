/* test_passes.c - the list of passes, and SIMT_PASSES=none: the same text decoded with and without
 * what ptxas would make of it. */
#include "decode_fixture.h"
#include "suite.h"

#include "common/simt/ptxas/passes.h"

/* Four loads that ptxas merges, a loop that it unrolls, a `red` that it adds up, and a branch with
 * a way around the first block that both of its ways reach. */
static const char body[] =
    ".shared .align 16 .b8 s[64]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; mov.u64 %rd1, "
    "4096;"
    "ld.shared.u32 %r5, [s]; ld.shared.u32 %r6, [s+4]; ld.shared.u32 %r7, [s+8];"
    "ld.shared.u32 %r8, [s+12]; mov.u32 %r2, 0;"
    "L: ld.global.u32 %r4, [%rd2]; add.s32 %r2, %r2, 4; setp.lt.s32 %p1, %r2, %r1; @%p1 bra L;"
    "red.global.add.u32 [%rd1], 1; setp.eq.u32 %p2, %r1, 3; @%p2 bra A; mov.u32 %r9, 1; bra B;"
    "A: setp.eq.u32 %p3, %r1, 4; @%p3 bra C; B: mov.u32 %r9, 2; C: mov.u32 %r9, 3;"
    "st.global.u32 [%rd1], %r9; ret;";

static unsigned count_of(const struct kernel *k, const char *handler)
{
    unsigned n = 0;
    while (decoded_insn(k, handler, n) != NULL) {
        n++;
    }
    return n;
}

static unsigned points_of(const struct kernel *k, unsigned branch)
{
    const struct insn *in = decoded_insn(k, "bra_if", branch);
    unsigned n = 0;
    ck_assert_ptr_nonnull(in);
    while (k->points[in->e + n] != NO_PC) {
        n++;
    }
    return n;
}

static const struct insn *red_of(const struct kernel *k)
{
    const struct insn *in = decoded_insn(k, "atom_add_u32", 0);
    ck_assert_ptr_nonnull(in);
    return in;
}

START_TEST(with_all_passes)
{
    decode_plain = false;
    struct decoded d = decode_text("", "", body);
    ck_assert_msg(d.k != NULL, "%s", d.e.text);
    ck_assert_uint_eq(count_of(d.k, "ld_global"), 4 + 2 + 1);
    ck_assert_uint_eq(decoded_insn(d.k, "ld_shared", 0)->count_bytes, 16);
    ck_assert(decoded_insn(d.k, "ld_shared", 3)->flags & INSN_MERGED);
    ck_assert(red_of(d.k)->flags & INSN_ADDED_UP);
    unsigned last = count_of(d.k, "bra_if");
    ck_assert_uint_eq(points_of(d.k, last - 2), 2); /* B, and C behind it */
    decoded_free(&d);
}
END_TEST

START_TEST(as_it_is_written)
{
    decode_plain = true;
    struct decoded d = decode_text("", "", body);
    ck_assert_msg(d.k != NULL, "%s", d.e.text);
    ck_assert_uint_eq(count_of(d.k, "ld_global"), 1);
    ck_assert_uint_eq(decoded_insn(d.k, "ld_shared", 0)->count_bytes, 0);
    ck_assert(!(decoded_insn(d.k, "ld_shared", 3)->flags & INSN_MERGED));
    ck_assert(!(red_of(d.k)->flags & INSN_ADDED_UP));
    ck_assert_uint_eq(count_of(d.k, "bra_if"), 3);
    ck_assert_uint_eq(points_of(d.k, 0), 1); /* behind the loop */
    ck_assert_uint_eq(points_of(d.k, 1), 1); /* C alone: every way comes there */
    decoded_free(&d);
}
END_TEST

/* What a register estimate, and an error, are worth must not depend on the switch. */
START_TEST(registers_are_the_same)
{
    unsigned registers[2];
    for (unsigned plain = 0; plain < 2; plain++) {
        decode_plain = plain;
        struct decoded d = decode_text("", "", body);
        registers[plain] = d.k->max_registers;
        decoded_free(&d);
    }
    ck_assert_uint_eq(registers[0], registers[1]);
}
END_TEST

START_TEST(the_list)
{
    for (unsigned i = 0; i < pass_count; i++) {
        const struct pass *p = &pass_list[i];
        ck_assert(p->name != NULL && p->run != NULL);
        ck_assert(p->otherwise == NULL || p->as_ptxas);
    }
    /* Narrow loads and wide stores are what all others see. Unrolling makes several writers of one:
     * who is uniform is asked before. */
    ck_assert(pass_list[0].run == pass_narrow && pass_list[1].run == pass_widen);
    ck_assert(pass_list[2].run == pass_uniform);
}
END_TEST

START_TEST(the_variable)
{
    struct err e = {0};
    bool plain = true;
    unsetenv("SIMT_PASSES");
    ck_assert(passes_read_environment(&plain, &e) && !plain);
    setenv("SIMT_PASSES", "none", 1);
    ck_assert(passes_read_environment(&plain, &e) && plain);
    setenv("SIMT_PASSES", "all", 1);
    ck_assert(passes_read_environment(&plain, &e) && !plain);
    setenv("SIMT_PASSES", "some", 1);
    ck_assert(!passes_read_environment(&plain, &e) && strstr(e.text, "`none`") != NULL);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("passes");
    tcase_add_test(tc, with_all_passes);
    tcase_add_test(tc, as_it_is_written);
    tcase_add_test(tc, registers_are_the_same);
    tcase_add_test(tc, the_list);
    tcase_add_test(tc, the_variable);
    return run_suite("passes", tc);
}

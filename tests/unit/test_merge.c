/* test_merge.c - which accesses of shared memory count as merged: every rule that
 * tests/fidelity/README.md tells, as PTX and what its loads and stores count for. */
#include "decode_fixture.h"
#include "suite.h"

/* Before each body: %r1 is a multiple of 16, %r2 of 8, %r3 of 4 only; %rd1 a global address. */
static const char prologue[] =
    "mov.u32 %r9, %tid.x; shl.b32 %r1, %r9, 4; shl.b32 %r2, %r9, 3; shl.b32 %r3, %r9, 2;"
    "mov.u64 %rd1, 4096; ";

#define LD(at)  "ld.shared.u32 %r10, [" at "]; "
#define LD2(at) "ld.shared.v2.u32 {%r10, %r11}, [" at "]; "
#define LD8(at) "ld.shared.u64 %rd10, [" at "]; "
#define ST(at)  "st.shared.u32 [" at "], %r9; "
#define LD4(at) "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [" at "]; "
#define IF(to)  "setp.eq.u32 %p1, %r9, 3; @%p1 bra " #to "; "
#define LOOP(body)                                                                                 \
    "again: .pragma \"nounroll\"; " body                                                           \
    "add.u32 %r20, %r20, 1; setp.lt.u32 %p2, %r20, %r9; @%p2 bra again; "
#define FOUR LD("%r1") LD("%r1+4") LD("%r1+8") LD("%r1+12")

/* counts: one word for each access of shared memory, in order: its own bytes ("4"), the width it
 * is counted with and the distance down to where that starts ("16-0"), or "." for nothing. */
static const struct {
    const char *what, *body, *counts;
} cases[] = {
    {"one", LD("%r1"), "4"},
    {"four words", FOUR, "16-0 . . ."},
    {"a label that nobody jumps to", LD("%r1") "nobody: " LD("%r1+4"), "8-0 ."},
    {"in descending order", LD("%r1+12") LD("%r1+8") LD("%r1+4") LD("%r1"), "16-12 . . ."},
    {"three of four words", LD("%r1") LD("%r1+4") LD("%r1+12"), "16-0 . ."},
    {"the lower pair", LD("%r1") LD("%r1+4"), "8-0 ."},
    {"the upper pair", LD("%r1+8") LD("%r1+12"), "8-0 ."},
    {"the upper pair, backwards", LD("%r1+12") LD("%r1+8"), "8-4 ."},
    {"the middle pair does not merge", LD("%r1+4") LD("%r1+8"), "4 4"},
    {"words 0 and 2 do not", LD("%r1") LD("%r1+8"), "4 4"},
    {"nor words 0 and 3", LD("%r1") LD("%r1+12"), "4 4"},
    {"a pair across two lines does not", LD("%r1+12") LD("%r1+16"), "4 4"},
    {"six words", FOUR LD("%r1+16") LD("%r1+20"), "16-0 . . . 8-0 ."},
    {"below the base", LD("%r1+-16") LD("%r1+-12") LD("%r1+-8") LD("%r1+-4"), "16-0 . . ."},
    {"aligned to 8 only", LD("%r2") LD("%r2+4") LD("%r2+8") LD("%r2+12"), "8-0 . 8-0 ."},
    {"aligned to 4 only", LD("%r3") LD("%r3+4"), "4 4"},
    {"the same word twice", LD("%r3") LD("%r3"), "4 ."},
    {"vectors of two", LD2("%r1") LD2("%r1+8"), "16-0 ."},
    {"a vector and single words", LD("%r1+8") LD2("%r1") LD("%r1+12"), "16-8 . ."},
    {"a whole vector stays as it is", "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r1]; ", "16"},
    {"elements of 8 bytes", LD8("%r1") LD8("%r1+8"), "16-0 ."},
    {"8 bytes, aligned to 8 only", LD8("%r2") LD8("%r2+8"), "8 8"},
    {"4 and 8 bytes do not mix", LD("%r1") LD8("%r1+8") LD("%r1+4"), "8-0 8 ."},
    {"floats and integers mix", LD("%r1") "ld.shared.f32 %r12, [%r1+4]; ", "8-0 ."},
    {"bytes never merge", "ld.shared.u8 %r10, [%r1]; ld.shared.u8 %r11, [%r1+1]; ", "1 1"},

    /* the same base, known or hidden */
    {"constants added in a register",
     "add.s32 %r4, %r1, 8; " LD("%r1") LD("%r1+4") LD("%r4") LD("%r4+4"), "16-0 . . ."},
    {"or of bits that are free", "or.b32 %r4, %r1, 12; " LD("%r1+8") LD("%r4"), "8-0 ."},
    {"or of bits that may be taken", "or.b32 %r4, %r1, 20; " LD("%r1+16") LD("%r4"), "4 4"},
    {"copied", "mov.u32 %r4, %r1; " LD("%r1") LD("%r4+4"), "8-0 ."},
    {"negated", "neg.s32 %r4, %r1; " LD("%r1") LD("%r4+4"), "4 4"},
    {"sub", "sub.s32 %r4, %r1, -4; " LD("%r1") LD("%r4"), "8-0 ."},
    {"two registers that happen to be equal", "shl.b32 %r4, %r9, 4; " LD("%r1") LD("%r4+4"), "4 4"},
    {"a base that changes in between",
     "mov.u32 %r4, %r1; " LD("%r4") "add.s32 %r4, %r4, 32; " LD("%r4+4"), "4 4"},
    {"a base that changes, then two loads",
     "mov.u32 %r4, %r1; " LD("%r4") "add.s32 %r4, %r4, 32; " LD("%r4+8") LD("%r4+12"), "4 8-0 ."},
    {"variables by name: the second lies at 20, so three words of the line at 16 are wanted",
     ".shared .align 4 .b8 a[20]; .shared .align 4 .b8 b[16]; " LD("a") LD("a+4") LD("b") LD("b+4")
         LD("b+8"),
     "8-0 . 16-4 . ."},
    {"a variable plus a multiple of 16",
     ".shared .align 4 .b8 a[512]; mov.u32 %r4, a; add.s32 %r5, %r4, %r1; " LD("%r5") LD("%r5+4"),
     "8-0 ."},
    {"a variable at 4 plus a multiple of 16",
     ".shared .align 4 .b8 z[4]; .shared .align 4 .b8 a[512]; st.shared.u32 [z], %r9;"
     "mov.u32 %r4, a; add.s32 %r5, %r4, %r1; " LD("%r5") LD("%r5+4"),
     "4 4 4"},

    /* how many low bits are zero */
    {"a counter that is still 0, and grows by 1 in the loop",
     "mov.u32 %r5, 0; mov.u32 %r6, %r5; next: .pragma \"nounroll\"; add.s32 %r4, %r1, %r6; " LD(
         "%r4")
         LD("%r4+4") "mul.lo.s32 %r6, %r5, 48; add.s32 %r5, %r5, 1; setp.lt.s32 %p1, %r5, %r9; "
                     "@%p1 bra next; ",
     "8-0 ."},
    {"a counter that may have been set to 0",
     "mov.u32 %r5, 1; setp.eq.u32 %p1, %r9, 3; @%p1 mov.u32 %r5, 0; mov.u32 %r6, %r5; add.s32 %r4, "
     "%r1, %r6; " LD("%r4") LD("%r4+4"),
     "4 4"},
    {"a counter that another block has set to 0",
     "mov.u32 %r5, 0; next: .pragma \"nounroll\"; mov.u32 %r6, %r5; add.s32 %r4, %r1, %r6; " LD(
         "%r4") LD("%r4+4") "add.s32 %r5, %r5, 1; setp.lt.s32 %p1, %r5, %r9; @%p1 "
                            "bra next; ",
     "4 4"},
    {"multiplied", "mul.lo.s32 %r4, %r9, 48; " LD("%r4") LD("%r4+4"), "8-0 ."},
    {"multiplied by 12", "mul.lo.s32 %r4, %r9, 12; " LD("%r4") LD("%r4+4"), "4 4"},
    {"multiplied and added", "mad.lo.s32 %r4, %r9, 48, %r2; " LD("%r4") LD("%r4+4"), "8-0 ."},
    {"the high part of a product", "mul.hi.s32 %r4, %r9, 48; " LD("%r4") LD("%r4+4"), "4 4"},
    {"masked", "and.b32 %r4, %r9, 0xfffffff0; " LD("%r4") LD("%r4+4"), "8-0 ."},
    {"the smaller alignment of a sum", "add.s32 %r4, %r1, %r3; " LD("%r4") LD("%r4+4"), "4 4"},
    {"selected", "setp.eq.u32 %p1, %r9, 3; selp.b32 %r4, %r1, %r2, %p1; " LD("%r4") LD("%r4+4"),
     "8-0 ."},
    {"converted", "cvt.u64.u32 %rd4, %r1; " LD("%rd4") LD("%rd4+4"), "8-0 ."},
    {"loaded: nothing is known", "ld.global.u32 %r4, [%rd1]; " LD("%r4") LD("%r4+4"), "4 4"},
    {"a loop whose base grows by 16",
     "mov.u32 %r4, %r1; L: .pragma \"nounroll\"; " LD("%r4")
         LD("%r4+4") "add.s32 %r4, %r4, 16; setp.lt.u32 %p1, %r4, 999; @%p1 bra L; ",
     "8-0 ."},
    {"a loop whose base grows by 4",
     "mov.u32 %r4, %r1; L: .pragma \"nounroll\"; " LD("%r4")
         LD("%r4+4") "add.s32 %r4, %r4, 4; setp.lt.u32 %p1, %r4, 999; @%p1 bra L; ",
     "4 4"},

    /* what stands between */
    {"a store to shared memory", LD("%r1") ST("%r3") LD("%r1+4"), "4 4 4"},
    {"a store through a generic address", LD("%r1") "st.u32 [%rd1], %r9; " LD("%r1+4"), "4 4"},
    {"a store to global memory", LD("%r1") "st.global.u32 [%rd1], %r9; " LD("%r1+4"), "8-0 ."},
    {"a load through a generic address", LD("%r1") "ld.u32 %r9, [%rd1]; " LD("%r1+4"), "8-0 ."},
    {"an atomic on shared memory", LD("%r1") "atom.shared.add.u32 %r9, [%r3], 1; " LD("%r1+4"),
     "4 4"},
    {"an atomic on global memory", LD("%r1") "red.global.add.u32 [%rd1], %r9; " LD("%r1+4"),
     "8-0 ."},
    {"a barrier", LD("%r1") "bar.sync 0; " LD("%r1+4"), "4 4"},
    {"a barrier of the warp", LD("%r1") "bar.warp.sync -1; " LD("%r1+4"), "4 4"},
    {"a fence", LD("%r1") "membar.cta; " LD("%r1+4"), "4 4"},
    {"a copy", LD("%r1") "cp.async.ca.shared.global [%r3], [%rd1], 4; " LD("%r1+4"), "4 4"},
    {"a pause that reads the base",
     LD("%r1") LD("%r1+4") "nanosleep.u32 %r1; " LD("%r1+8") LD("%r1+12"), "16-0 . . ."},
    {"an exact root", LD("%r1") ".reg .f32 %f<4>; sqrt.rn.f32 %f1, %f2; " LD("%r1+4"), "4 4"},
    {"an approximate one", LD("%r1") ".reg .f32 %f<4>; sqrt.approx.f32 %f1, %f2; " LD("%r1+4"),
     "8-0 ."},
    {"a division of floats", LD("%r1") ".reg .f32 %f<4>; div.rn.f32 %f1, %f2, %f3; " LD("%r1+4"),
     "4 4"},
    {"a division of integers", LD("%r1") "div.u32 %r20, %r21, %r22; " LD("%r1+4"), "8-0 ."},
    {"one of 64 bits", LD("%r1") "rem.s64 %rd5, %rd6, %rd7; " LD("%r1+4"), "4 4"},
    {"an exact division in an arm",
     LD("%r1") IF(L) ".reg .f32 %f<4>; div.rn.f32 %f1, %f2, %f3; L: " LD("%r1+4"), "4 4"},
    {"a shuffle", LD("%r1") "shfl.sync.idx.b32 %r9, %r9, 0, 31, -1; " LD("%r1+4"), "8-0 ."},
    {"a volatile load of another word",
     LD("%r1") "ld.volatile.shared.u32 %r9, [%r1+8]; " LD("%r1+4"), "8-0 4 ."},
    {"a predicated load of another word",
     "setp.eq.u32 %p1, %r9, 3; " LD("%r1") "@%p1 ld.shared.u32 %r12, [%r1+8]; " LD("%r1+4"),
     "8-0 4 ."},

    /* over branches */
    {"the end of the block", LD("%r1") "bra L; L: " LD("%r1+4"), "8-0 ."},
    {"in the arm of an if", LD("%r1") IF(L) LD("%r1+4") "L: ", "8-0 ."},
    {"behind an if", LD("%r1") IF(L) "add.u32 %r20, %r20, 1; L: " LD("%r1+4"), "8-0 ."},
    {"in both arms", LD("%r1+12") IF(L) LD("%r1") "bra M; L: " LD("%r1+4") "M: ", "16-12 . ."},
    {"in arms of arms", LD("%r1") IF(L) LD("%r1+8") IF(L) LD("%r1+4") "L: " LD("%r1+12"),
     "16-0 . . ."},
    {"the same word in an arm", LD("%r3") IF(L) LD("%r3") "L: ", "4 ."},
    {"words 0 and 2, over a branch", LD("%r1") IF(L) LD("%r1+8") "L: ", "4 4"},
    {"only in an arm, then behind it", IF(L) LD("%r1") "L: " LD("%r1+4"), "4 4"},
    {"in one arm and in the other", IF(L) LD("%r1") "bra M; L: " LD("%r1+4") "M: ", "4 4"},
    {"in an arm, and a pair behind it", IF(L) LD("%r1+8") "L: " LD("%r1") LD("%r1+4"), "4 8-0 ."},
    {"a pair in an arm", IF(L) LD("%r1") LD("%r1+4") "L: ", "8-0 ."},
    {"a store in an arm before it",
     LD("%r1") IF(L) ST("%r3") "bra M; L: " LD("%r1+4") "M: ", "4 4 4"},
    {"a store in an arm behind it",
     LD("%r1") IF(L) LD("%r1+4") "bra M; L: " ST("%r3") "M: ", "8-0 . 4"},
    {"a store where the branch is not taken comes first",
     LD("%r1") IF(L) "bra M; L: " LD("%r1+4") "bra N; M: " ST("%r3") "N: ", "4 4 4"},
    {"a store where the branch is taken comes behind",
     LD("%r1") IF(L) "bra M; L: " ST("%r3") "bra N; M: " LD("%r1+4") "N: ", "8-0 4 ."},
    {"a barrier on the way out", LD("%r1") IF(L) "bar.sync 0; ret; L: " LD("%r1+4"), "4 4"},
    {"a way out", LD("%r1") IF(L) "ret; L: " LD("%r1+4"), "8-0 ."},
    {"before a loop, and in it", LD("%r1") LOOP(LD("%r1+4")), "4 4"},
    {"in a loop, and in an arm of it", LOOP(LD("%r1") IF(L) LD("%r1+4") "L: "), "8-0 ."},
    {"in a loop, and behind it", LOOP(LD("%r1")) LD("%r1+4"), "4 4"},
    {"a base that changes in an arm",
     "mov.u32 %r4, %r1; " LD("%r4") IF(L) "add.s32 %r4, %r4, 32; L: " LD("%r4+4"), "4 4"},
    {"stores over a branch", ST("%r1") IF(L) "add.u32 %r20, %r20, 1; L: " ST("%r1+4"), "4 4"},

    /* what other accesses tell of the alignment */
    {"a vector beside them", LD("%r3") LD("%r3+4") LD4("%r3+16"), "8-0 . 16"},
    {"a vector 8 bytes from a line", LD("%r3") LD("%r3+4") LD4("%r3+8"), "8-0 . 16"},
    {"a vector 4 bytes from a line tells less", LD("%r3") LD("%r3+4") LD4("%r3+12"), "4 4 16"},
    {"a vector before the if", LD4("%r3+16") IF(L) LD("%r3") LD("%r3+4") "L: ", "16 8-0 ."},
    {"a vector in another arm", IF(L) LD4("%r3+16") "L: " LD("%r3") LD("%r3+4"), "16 4 4"},
    {"a vector under a guard",
     "setp.eq.u32 %p1, %r9, 3; @%p1 st.shared.v2.u32 [%r3+8], {%r9, %r9}; " LD("%r3") LD("%r3+4"),
     "8 4 4"},

    /* stores */
    {"four stores", ST("%r1") ST("%r1+4") ST("%r1+8") ST("%r1+12"), "16-0 . . ."},
    {"three stores are a pair and one", ST("%r1") ST("%r1+4") ST("%r1+8"), "8-0 . 4"},
    {"the same word stored twice", ST("%r1") ST("%r1"), "4 4"},
    {"a load between stores", ST("%r1") LD("%r3") ST("%r1+4"), "4 4 4"},
    {"a load of global memory between stores", ST("%r1") "ld.global.u32 %r8, [%rd1]; " ST("%r1+4"),
     "8-0 ."},
};

static void counts_of(const struct kernel *k, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < k->code_count; i++) {
        const struct insn *in = &k->code[i];
        if (k->handlers[i] != exec_find("ld_shared") && k->handlers[i] != exec_find("st_shared")) {
            continue;
        }
        const char *space = used > 0 ? " " : "";
        if (in->flags & INSN_MERGED) {
            used += (size_t)snprintf(text + used, size - used, "%s.", space);
        } else if (in->count_bytes != 0) {
            used += (size_t)snprintf(text + used, size - used, "%s%u-%u", space, in->count_bytes,
                                     in->count_shift);
        } else {
            used += (size_t)snprintf(text + used, size - used, "%s%u", space, in->bytes);
        }
    }
}

START_TEST(accesses_merge)
{
    char body[2048], counts[256];
    snprintf(body, sizeof body, "%s%s ret;", prologue, cases[_i].body);
    struct decoded d = decode_text("", "", body);
    ck_assert_msg(d.k != NULL, "%s: %s", cases[_i].what, d.e.text);
    counts_of(d.k, counts, sizeof counts);
    ck_assert_msg(strcmp(counts, cases[_i].counts) == 0, "%s: %s, not %s", cases[_i].what, counts,
                  cases[_i].counts);
    decoded_free(&d);
}
END_TEST

/* Sixty instructions apart is not too far. */
START_TEST(distance_does_not_matter)
{
    char body[8192], counts[256];
    size_t used = (size_t)snprintf(body, sizeof body, "%s%s", prologue, LD("%r1"));
    for (unsigned i = 0; i < 100; i++) {
        used += (size_t)snprintf(body + used, sizeof body - used, "add.u32 %%r20, %%r20, %%r10;");
    }
    snprintf(body + used, sizeof body - used, "%s ret;", LD("%r1+4"));
    struct decoded d = decode_text("", "", body);
    ck_assert_msg(d.k != NULL, "%s", d.e.text);
    counts_of(d.k, counts, sizeof counts);
    ck_assert_str_eq(counts, "8-0 .");
    decoded_free(&d);
}
END_TEST

/* However many registers came before, a loaded one is known to be a multiple of nothing. */
START_TEST(the_number_of_registers_does_not_matter)
{
    char body[8192], counts[256];
    size_t used = (size_t)snprintf(body, sizeof body, ".reg .b32 %%q<99>; mov.u64 %%rd1, 4096;");
    for (int i = 1; i <= _i; i++) {
        used += (size_t)snprintf(body + used, sizeof body - used, "mov.u32 %%q%d, 16;", i);
    }
    snprintf(body + used, sizeof body - used, "ld.global.v2.u32 {%%q0, %%r8}, [%%rd1]; %s%s ret;",
             LD("%q0"), LD("%q0+4"));
    struct decoded d = decode_text("", "", body);
    ck_assert_msg(d.k != NULL, "%s", d.e.text);
    counts_of(d.k, counts, sizeof counts);
    ck_assert_msg(strcmp(counts, "4 4") == 0, "behind %d registers: %s", _i, counts);
    decoded_free(&d);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("merge");
    tcase_add_loop_test(tc, accesses_merge, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tc, distance_does_not_matter);
    tcase_add_loop_test(tc, the_number_of_registers_does_not_matter, 0, 70);
    return run_suite("merge", tc);
}

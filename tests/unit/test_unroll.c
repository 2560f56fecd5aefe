/* test_unroll.c - loops that ptxas would unroll: the same results, whatever start, end and step,
 * and the loads of the unrolled code. Lane t goes t + 1 rounds of them: 32 with one load each, if
 * all lanes keep together; unrolled 8 times 4 for those that have four left, 2 for those with
 * two, 1. */
#include "machine_fixture.h"
#include "suite.h"

enum { TOGETHER = 32, UNROLLED = 8 * 4 + 2 + 1 };

#define ENDS_UNEVENLY "shl.b32 %r3, %r1, 2; add.s32 %r3, %r3, 4; "
#define BODY          "ld.global.u32 %r5, [%rd1+16000]; add.s32 %r2, %r2, 1; "

#define IF_ODD      "and.b32 %r6, %r4, 4; setp.eq.s32 %p2, %r6, 0; @%p2 bra "
#define UNEVEN_LOOP ENDS_UNEVENLY "mov.u32 %r4, 0; mov.u32 %r6, 0; L: " BODY
#define AGAIN       "add.s32 %r4, %r4, 4; setp.lt.s32 %p1, %r4, %r3; @%p1 bra L;"
#define COSTS_10                                                                                   \
    "xor.b32 %r6, %r6, %r1; xor.b32 %r6, %r6, %r4; xor.b32 %r6, %r6, %r1; xor.b32 %r6, %r6, %r4; " \
    "xor.b32 %r6, %r6, %r1; xor.b32 %r6, %r6, %r4; xor.b32 %r6, %r6, %r1; xor.b32 %r6, %r6, %r4; " \
    "xor.b32 %r6, %r6, %r1; xor.b32 %r6, %r6, %r4; "
#define COSTS_43                                                                                   \
    COSTS_10 COSTS_10 COSTS_10 COSTS_10                                                            \
        "xor.b32 %r6, %r6, %r1; xor.b32 %r6, %r6, %r4; xor.b32 %r6, %r6, %r1; "

/* As LLVM writes it: `.loc` says that the load is of 4 bytes, aligned to 4 (ptx/join.h). */
#define LLVMS ".pragma \"simt_alignments\";\n.loc 1 5 26625\n"
#define LOAD  "ld.global.u32 %r5, [%rd1+16000]; "

/* 5 rounds or 6: of four, then two, then one, seven; of four and single ones, six. Eight rounds or
 * four: of eight, then four, twelve; of four alone, eight. */
#define FIVE_OR_SIX   "and.b32 %r3, %r1, 1; add.s32 %r3, %r3, 5; "
#define FOUR_OR_EIGHT "and.b32 %r3, %r1, 1; shl.b32 %r3, %r3, 2; add.s32 %r3, %r3, 4; "
#define COUNTS_UP     "mov.u32 %r4, 0; L: " LOAD "add.s32 %r4, %r4, 1; "
#define INNER                                                                                      \
    COUNTS_UP "setp.lt.s32 %p1, %r4, %r3; @%p1 bra L; mov.u32 %r2, %r4; add.s32 %r7, %r7, 1; "     \
              "setp.lt.s32 %p2, %r7, 1; @%p2 bra OUTER;"
#define IN_LOOP "mov.u32 %r7, 0; OUTER: "

static uint32_t five_or_six(uint32_t t) { return 5 + (t & 1); }
static uint32_t four_or_eight(uint32_t t) { return 4 + 4 * (t & 1); }
static uint32_t as_many_as_the_lane(uint32_t t) { return t + 1; }
static uint32_t once(uint32_t t) { return 1 + 0 * t; }
static uint32_t always_32(uint32_t t) { return 32 + 0 * t; }
static uint32_t half_as_many(uint32_t t) { return t / 2 + 1; }

static const struct {
    const char *what, *body;
    uint32_t (*want)(uint32_t t);
    unsigned loads;
} cases[] = {
    {"up, before the end",
     ENDS_UNEVENLY "mov.u32 %r4, 0; L: " BODY
                   "add.s32 %r4, %r4, 4; setp.lt.s32 %p1, %r4, %r3; @%p1 bra L;",
     as_many_as_the_lane, UNROLLED},
    {"up, to the end",
     ENDS_UNEVENLY "sub.s32 %r3, %r3, 1; mov.u32 %r4, 0; L: " BODY
                   "add.s32 %r4, %r4, 4; setp.le.s32 %p1, %r4, %r3; @%p1 bra L;",
     as_many_as_the_lane, UNROLLED},
    {"down to zero",
     ENDS_UNEVENLY "L: " BODY "add.s32 %r3, %r3, -4; setp.ne.s32 %p1, %r3, 0; @%p1 bra L;",
     as_many_as_the_lane, UNROLLED},
    {"down, beyond a negative end",
     ENDS_UNEVENLY "sub.s32 %r3, %r3, 50; L: " BODY
                   "add.s32 %r3, %r3, -4; setp.gt.s32 %p1, %r3, -50; @%p1 bra L;",
     as_many_as_the_lane, UNROLLED},
    {"up, the end compared first, as LLVM does",
     ENDS_UNEVENLY "mov.u32 %r4, 0; L: ld.global.u32 %r5, [%rd1+16000]; "
                   "add.s32 %r4, %r4, 4; setp.ne.s32 %p1, %r3, %r4; @%p1 bra L; "
                   "shr.s32 %r2, %r4, 2;",
     as_many_as_the_lane, UNROLLED},
    {"the same beside another number that goes up: nvcc's LLVM would compare a sum",
     ENDS_UNEVENLY "mov.u32 %r4, 0; L: " BODY
                   "add.s32 %r4, %r4, 4; setp.ne.s32 %p1, %r3, %r4; @%p1 bra L;",
     as_many_as_the_lane, TOGETHER},
    {"the same of a counter without a sign: what is added to it becomes an address",
     ENDS_UNEVENLY "mov.u32 %r4, 0; L: add.s32 %r6, %r1, %r4; mul.wide.u32 %rd5, %r6, 4; " BODY
                   "add.s32 %r4, %r4, 4; setp.ne.s32 %p1, %r3, %r4; @%p1 bra L;",
     as_many_as_the_lane, TOGETHER},
    {"the same with a second counter",
     ENDS_UNEVENLY
     "mov.u32 %r4, 0; L: add.s32 %r6, %r1, %r4; mul.wide.u32 %rd5, %r6, 4; " BODY
     "add.s32 %r4, %r4, 1; add.s32 %r3, %r3, -4; setp.ne.s32 %p1, %r3, 0; @%p1 bra L;",
     as_many_as_the_lane, TOGETHER},
    {"the same of 64 bits",
     ENDS_UNEVENLY "cvt.s64.s32 %rd5, %r3; mov.u64 %rd6, 0; L: " BODY
                   "add.s64 %rd6, %rd6, 4; setp.ne.s64 %p1, %rd5, %rd6; @%p1 bra L;",
     as_many_as_the_lane, TOGETHER},
    {"by a step that passes the end: 16 rounds of 8, 4 times 4 of them",
     ENDS_UNEVENLY "mov.u32 %r4, 0; L: " BODY
                   "add.s32 %r4, %r4, 8; setp.lt.s32 %p1, %r4, %r3; @%p1 bra L;",
     half_as_many, 4 * 4 + 2 + 1},
    {"one round at least, where there is none left",
     "mov.u32 %r4, 100; L: " BODY "add.s32 %r4, %r4, 4; setp.lt.s32 %p1, %r4, %r1; @%p1 bra L;",
     once, 1},
    {"three rounds ahead there is no such number",
     "and.b32 %r3, %r1, 1; sub.s32 %r3, 0x7ffffff9, %r3; mov.u32 %r4, 0x7ffffff8; L: " BODY
     "add.s32 %r4, %r4, 4; setp.lt.s32 %p1, %r4, %r3; @%p1 bra L;",
     once, 1},
    {"as the compiler asks for",
     ENDS_UNEVENLY "mov.u32 %r4, 0; L: .pragma \"nounroll\"; " BODY
                   "add.s32 %r4, %r4, 4; setp.lt.s32 %p1, %r4, %r3; @%p1 bra L;",
     as_many_as_the_lane, TOGETHER},
    {"which the compiler has not unrolled: it knew that there are few rounds",
     "mov.u32 %r4, 0; L: " BODY "add.s32 %r4, %r4, 1; setp.le.s32 %p1, %r4, %r1; @%p1 bra L;",
     as_many_as_the_lane, UNROLLED},
    {"that counts before an if",
     UNEVEN_LOOP "add.s32 %r4, %r4, 4; " IF_ODD
                 "M; xor.b32 %r6, %r6, %r1; M: setp.lt.s32 %p1, %r4, %r3; @%p1 bra L;",
     as_many_as_the_lane, TOGETHER},
    {"LLVM's, which compares its counter as it was before the step",
     LLVMS ENDS_UNEVENLY "sub.s32 %r3, %r3, 4; mov.u32 %r4, 0; L: " BODY "add.s32 %r6, %r4, 4; "
                         "setp.lt.s32 %p1, %r4, %r3; mov.u32 %r4, %r6; @%p1 bra L;",
     as_many_as_the_lane, UNROLLED},
    {"the same of nvcc's, which ptxas takes for no counter",
     ENDS_UNEVENLY "sub.s32 %r3, %r3, 4; mov.u32 %r4, 0; L: " BODY "add.s32 %r6, %r4, 4; "
                   "setp.lt.s32 %p1, %r4, %r3; mov.u32 %r4, %r6; @%p1 bra L;",
     as_many_as_the_lane, TOGETHER},
    {"LLVM's, which begins a round early and compares without a sign",
     LLVMS ENDS_UNEVENLY "sub.s32 %r3, %r3, 4; mov.u32 %r6, -4; mov.u32 %r4, %r6; L: " BODY
                         "add.s32 %r4, %r4, 4; setp.lt.u32 %p1, %r4, %r3; @%p1 bra L;",
     as_many_as_the_lane, UNROLLED},
    {"of few rounds, in no other loop",
     LLVMS FIVE_OR_SIX COUNTS_UP "setp.lt.s32 %p1, %r4, %r3; @%p1 bra L; mov.u32 %r2, %r4;",
     five_or_six, 4 + 2 + 1},
    {"of few rounds in another loop, nvcc's", FIVE_OR_SIX IN_LOOP INNER, five_or_six, 4 + 2 + 1},
    {"the same, LLVM's: nvcc would have made four rounds at a time",
     LLVMS FIVE_OR_SIX IN_LOOP INNER, five_or_six, 4 + 2},
    {"and ptxas more of those", LLVMS FOUR_OR_EIGHT IN_LOOP INNER, four_or_eight, 8 + 4},
    {"but not beside another number: nvcc compares a sum then",
     LLVMS FOUR_OR_EIGHT IN_LOOP
     "mov.u32 %r2, 0; mov.u32 %r4, 0; L: " BODY "add.s32 %r4, %r4, 1; setp.lt.s32 %p1, %r4, %r3; "
     "@%p1 bra L; add.s32 %r7, %r7, 1; setp.lt.s32 %p2, %r7, 1; @%p2 bra OUTER;",
     four_or_eight, 8},
    {"nor if nvcc compares the counter as it was before the step",
     LLVMS FOUR_OR_EIGHT "mov.u32 %r7, 0; OUTER: mov.u32 %r4, %r3; L: " LOAD
                         "add.s32 %r4, %r4, -1; setp.gt.s32 %p1, %r4, 0; @%p1 bra L; "
                         "mov.u32 %r2, %r3; add.s32 %r7, %r7, 1; setp.lt.s32 %p2, %r7, 1; "
                         "@%p2 bra OUTER;",
     four_or_eight, 8},
    {"that begins at no number: what is no four comes first",
     LLVMS FIVE_OR_SIX "mov.u32 %r7, 0; OUTER: mov.u32 %r4, %r3; mov.u32 %r2, 0; L: " BODY
                       "add.s32 %r4, %r4, -1; setp.gt.s32 %p1, %r4, 0; @%p1 bra L; "
                       "add.s32 %r7, %r7, 1; setp.lt.s32 %p2, %r7, 1; @%p2 bra OUTER;",
     five_or_six, 2 + 4},
    {"without a sign, which may go on from 0: nobody knows how many rounds there are",
     LLVMS FIVE_OR_SIX "sub.s32 %r3, %r3, 1; mov.u32 %r7, 0; OUTER: " COUNTS_UP
                       "setp.le.u32 %p1, %r4, %r3; @%p1 bra L; mov.u32 %r2, %r4; "
                       "add.s32 %r7, %r7, 1; setp.lt.s32 %p2, %r7, 1; @%p2 bra OUTER;",
     five_or_six, 4 + 2 + 1},
    {"twice from one line: the loop around both was written out",
     LLVMS FIVE_OR_SIX COUNTS_UP "setp.lt.s32 %p1, %r4, %r3; @%p1 bra L; mov.u32 %r4, 0; M: " LOAD
                                 "add.s32 %r4, %r4, 1; setp.lt.s32 %p1, %r4, %r3; @%p1 bra M; "
                                 "mov.u32 %r2, %r4;",
     five_or_six, 2 * (4 + 2)},
    {"of the same rounds for all",
     "mov.u32 %r4, 0; L: " BODY "add.s32 %r4, %r4, 4; setp.lt.s32 %p1, %r4, 128; @%p1 bra L;",
     always_32, TOGETHER},
    {"that asks who is there",
     ENDS_UNEVENLY "mov.u32 %r4, 0; L: " BODY "activemask.b32 %r6; "
                   "add.s32 %r4, %r4, 4; setp.lt.s32 %p1, %r4, %r3; @%p1 bra L;",
     as_many_as_the_lane, TOGETHER},
    {"that stores where an index says",
     ENDS_UNEVENLY "mov.u32 %r4, 0; L: " BODY "shl.b32 %r6, %r4, 2; cvt.s64.s32 %rd5, %r6; "
                   "add.s64 %rd6, %rd1, %rd5; st.global.u32 [%rd6+8192], %r1; "
                   "add.s32 %r4, %r4, 4; setp.lt.s32 %p1, %r4, %r3; @%p1 bra L;",
     as_many_as_the_lane, TOGETHER},
    {"whose end moves",
     ENDS_UNEVENLY "mov.u32 %r4, 0; L: " BODY "add.s32 %r3, %r3, 0; "
                   "add.s32 %r4, %r4, 4; setp.lt.s32 %p1, %r4, %r3; @%p1 bra L;",
     as_many_as_the_lane, TOGETHER},
    {"of two basic blocks",
     ENDS_UNEVENLY "mov.u32 %r4, 0; L: " BODY "setp.eq.s32 %p2, %r5, 1; @%p2 bra M; M: "
                   "add.s32 %r4, %r4, 4; setp.lt.s32 %p1, %r4, %r3; @%p1 bra L;",
     as_many_as_the_lane, TOGETHER},
    {"with an if in it", UNEVEN_LOOP IF_ODD "M; xor.b32 %r6, %r6, %r1; M: " AGAIN,
     as_many_as_the_lane, UNROLLED},
    {"with two ifs",
     UNEVEN_LOOP IF_ODD "M; xor.b32 %r6, %r6, %r1; M: " IF_ODD
                        "N; xor.b32 %r6, %r6, %r1; N: " AGAIN,
     as_many_as_the_lane, UNROLLED},
    {"with an if and its else",
     UNEVEN_LOOP IF_ODD "M; xor.b32 %r6, %r6, %r1; bra.uni N; M: not.b32 %r6, %r6; N: " AGAIN,
     as_many_as_the_lane, UNROLLED},
    {"with the arms behind a jump around them",
     UNEVEN_LOOP IF_ODD
     "M; bra.uni E; M: xor.b32 %r6, %r6, %r1; bra.uni N; E: not.b32 %r6, %r6; N: " AGAIN,
     as_many_as_the_lane, UNROLLED},
    {"with an if that stores", UNEVEN_LOOP IF_ODD "M; st.global.u32 [%rd1+8192], %r1; M: " AGAIN,
     as_many_as_the_lane, TOGETHER},
    {"with an if in an if",
     UNEVEN_LOOP IF_ODD "M; xor.b32 %r6, %r6, %r1; " IF_ODD "M; not.b32 %r6, %r6; M: " AGAIN,
     as_many_as_the_lane, TOGETHER},
    {"whose counter only some advance: as far as can be seen",
     UNEVEN_LOOP "setp.eq.s32 %p2, %r5, -1; @%p2 bra M; add.s32 %r4, %r4, 4; M: "
                 "setp.lt.s32 %p1, %r4, %r3; @%p1 bra L;",
     as_many_as_the_lane, TOGETHER},
    {"as large as may be", UNEVEN_LOOP COSTS_43 AGAIN, as_many_as_the_lane, UNROLLED},
    {"one too large", UNEVEN_LOOP COSTS_43 "not.b32 %r6, %r6; " AGAIN, as_many_as_the_lane,
     TOGETHER},
};

START_TEST(loops)
{
    struct machine m = {0};
    machine_run(&m, cases[_i].body);
    ck_assert_msg(m.good, "%s: %s", cases[_i].what, m.e.text);
    for (uint32_t t = 0; t < 32; t++) {
        ck_assert_msg(m.out[t] == cases[_i].want(t), "%s: thread %u went %u rounds, not %u",
                      cases[_i].what, t, m.out[t], cases[_i].want(t));
    }
    ck_assert_msg(m.counters.global_load_requests == cases[_i].loads, "%s: %llu loads, not %u",
                  cases[_i].what, (unsigned long long)m.counters.global_load_requests,
                  cases[_i].loads);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("unroll");
    tcase_add_loop_test(tc, loops, 0, sizeof cases / sizeof cases[0]);
    return run_suite("unroll", tc);
}

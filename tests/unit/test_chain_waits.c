/* test_chain_waits.c - how long a warp waits: loads of which some go to memory, barriers of a
 * cluster; and sums that the machine cannot make one of. See test_chain.c. */
#include <stdlib.h>
#include <string.h>

#include "api/simt.h"
#include "common/gpu/gpu_limits.h"
#include "machine/observer.h"
#include "suite.h"
#include "time/carried.h"
#include "time/chain.h"

enum { FAR_CYCLES = 1000, WORDS = 1024 };

#define KERNEL(name, body)                                                                         \
    ".visible .entry " name "(.param .u64 p)\n{\n.reg .u32 %r<9>; .reg .u64 %d<5>; "               \
    ".reg .f32 %f<17>; .reg .b32 %b<17>; .reg .pred %p<3>;\nld.param.u64 %d1, [p];\n" body         \
    "\nret;\n}\n"
#define FOUR_LOADS                                                                                 \
    "ld.global.u32 %r1, [%d1]; ld.global.u32 %r2, [%d1+64];"                                       \
    "ld.global.u32 %r3, [%d1+128]; ld.global.u32 %r4, [%d1+192];"
/* A load, a quotient of it, a load. */
#define QUOTIENT(how)                                                                              \
    "ld.global.f32 %f1, [%d1]; div." how ".f32 %f2, %f1, %f1; ld.global.f32 %f3, [%d1+64];"        \
    "add.f32 %f4, %f2, %f3; st.global.f32 [%d1+128], %f4;"
/* A product and a sum; and a product of 64 bits. */
#define SUM(mul)                                                                                   \
    "ld.global.f32 %f1, [%d1]; ld.global.f32 %f2, [%d1+64]; " mul " %f3, %f1, %f2;"                \
    "sub.f32 %f4, %f1, %f3; st.global.f32 [%d1+128], %f4;"
#define WIDE(type)                                                                                 \
    "ld.global." type " %d2, [%d1]; ld.global." type " %d3, [%d1+64]; mul.lo.u64 %d4, %d2, %d3;"   \
    "st.global.u64 [%d1+128], %d4;"
/* Thread 0 goes round while the others of its block wait, or do not. */
#define ALONE(behind)                                                                              \
    "mov.u32 %r1, %tid.x; mov.u32 %r2, 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra OVER;\n"               \
    "ld.global.u32 %r3, [%d1];\nL: .pragma \"nounroll\";\n mul.lo.u32 %r3, %r3, %r3;"              \
    "mul.lo.u32 %r3, %r3, %r3; mul.lo.u32 %r3, %r3, %r3; add.u32 %r2, %r2, 1;"                     \
    "setp.lt.u32 %p2, %r2, 500; @%p2 bra L;\nst.global.u32 [%d1+128], %r3;\nOVER: " behind
/* Fragments in a loop that multiplies; their rows so far apart. */
#define A        "{%b1, %b2, %b3, %b4, %b5, %b6, %b7, %b8}"
#define B        "{%b9, %b10, %b11, %b12, %b13, %b14, %b15, %b16}"
#define C        "{%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}"
#define LOAD_A   "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " A ", [%d1], "
#define LOAD_B   "wmma.load.b.sync.aligned.col.m16n16k16.global.f16 " B ", [%d1+1024], "
#define MULTIPLY "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 " C ", " A ", " B ", " C ";"
#define ROWS(stride)                                                                               \
    "mov.u32 %r1, 16; ld.global.u32 %r2, [%d1]; " LOAD_A stride "; st.global.b32 [%d1+64], %b1;"   \
    "st.global.u32 [%d1+128], %r2;"

/* Rounds until the word that a warp adds to says so, and a known number of them. */
#define ROUNDS(compared)                                                                           \
    "mov.u32 %r2, 0;\nL: .pragma \"nounroll\";\n atom.global.add.u32 %r1, [%d1], 1;"               \
    "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, " compared ", 9; @%p1 bra L;\n"                         \
    "st.global.u32 [%d1+64], %r1;"

/* Rounds until a number that begins with another one is 40. */
#define UP_TO_40(first)                                                                            \
    "mov.u32 %r1, " first ";\nL: .pragma \"nounroll\";\n ld.global.u32 %r2, [%d1];"                \
    "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 40; @%p1 bra L; st.global.u32 [%d1+64], %r2;"

static const char text[] = ".version 8.4\n.target sm_90\n.address_size 64\n" KERNEL(
    "loads", FOUR_LOADS "mad.lo.u32 %r5, %r1, %r2, %r3; mad.lo.u32 %r5, %r5, %r4, %r1;"
                        "st.global.u32 [%d1+256], %r5;")
    KERNEL("two_of_logic", FOUR_LOADS "xor.b32 %r5, %r1, %r2; and.b32 %r6, %r5, %r3;"
                                      "st.global.u32 [%d1+256], %r6; st.global.u32 [%d1+512], %r4;")
        KERNEL("three_of_logic",
               FOUR_LOADS "xor.b32 %r5, %r1, %r2; and.b32 %r6, %r5, %r3; or.b32 %r7, %r6, %r4;"
                          "st.global.u32 [%d1+256], %r7; st.global.u32 [%d1+512], %r4;")
            KERNEL("nothing", "st.global.u32 [%d1+128], 1;") KERNEL("exact", QUOTIENT("rn")) KERNEL(
                "approximate", QUOTIENT("approx")) KERNEL("joined", SUM("mul.f32"))
                KERNEL("apart", SUM("mul.rn.f32")) KERNEL("of_words", WIDE("u32")) KERNEL(
                    "of_double_words", WIDE("u64")) KERNEL("met_by_all", ALONE("bar.sync 0;"))
                    KERNEL("met_by_none", ALONE("")) KERNEL("by_a_counter", ROUNDS("%r1")) KERNEL(
                        "by_number", ROUNDS("%r2")) KERNEL("rows_known", ROWS("%r1"))
                        KERNEL("rows_unknown", ROWS("%r2")) KERNEL(
                            "fragments",
                            "mov.u32 %r1, 0; mov.u32 %r2, 16;\nL: .pragma \"nounroll\";\n" LOAD_A
                            "%r2; " LOAD_B "%r2; " MULTIPLY "add.u32 %r1, %r1, 1;"
                            "setp.lt.u32 %p1, %r1, 8; @%p1 bra L; st.global.f32 [%d1+64], %f1;")
                            KERNEL("each_its_rounds", UP_TO_40("%tid.x"))
                                KERNEL("all_their_rounds", UP_TO_40("%ctaid.x")) KERNEL(
                                    "meets",
                                    "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
                                    "st.global.u32 [%d1+128], 1;");

static struct chain_wait waits; /* of a load */
static unsigned warps;          /* of the block; 0: one */
static struct chain found;
static bool takes_tasks;

static struct chain_wait wait_of(void *state, uint32_t pc, const struct ptx_insn *in)
{
    (void)state, (void)pc;
    return in->op == PTX_OP_LD || in->op == PTX_OP_WMMA ? waits : (struct chain_wait){.cycles = 1};
}

static void ask(void *state, const struct launch_event *launch)
{
    (void)state;
    const struct gpu_rates rates = gpu_rates(gpu_limits_find("h200"));
    const double all = warps > 0 ? warps : 1;
    bool *carried = calloc(launch->kernel->code_count, sizeof *carried);
    carried_find_codes(launch->kernel, carried);
    takes_tasks = carried_takes_tasks(launch->kernel, carried);
    free(carried);
    found = chain_of(launch->kernel, launch->sites, all, all, &rates, wait_of, NULL);
}

static struct chain chain_in(const char *name)
{
    static const struct observer asker = {.launch_end = ask};
    struct err e = {0};
    struct simt_counters counters;
    struct simt *s = simt_open(gpu_limits_find("h200"), 1, &e);
    struct simt_module *m = simt_module_load(s, text, sizeof text - 1, "text", &e);
    ck_assert_msg(m != NULL, "%s", e.text);
    const uint64_t p = memory_alloc(simt_memory(s), WORDS * 4, MEMORY_DEVICE, "test", NULL)->begin;
    memset(memory_host(simt_memory(s), p, WORDS * 4), 0, WORDS * 4);
    const struct simt_launch l = {.kernel = simt_module_kernel(m, name, &e),
                                  .grid = {1, 1, 1},
                                  .block = {warps > 0 ? 32 * warps : 32, 1, 1},
                                  .params = &p};
    ck_assert_msg(l.kernel != NULL, "%s", e.text);
    ck_assert(simt_observe(s, &asker, &e));
    ck_assert_msg(simt_run(s, &l, &counters, &e), "%s", e.text);
    simt_close(s);
    return found;
}

/* Each of four loads waits half of the times. By themselves, one of them nearly always does. Of a
 * warp that goes in step with a neighbour all do or none. */
START_TEST(loads_in_step_wait_together)
{
    waits = (struct chain_wait){.cycles = 1};
    const double none = chain_in("loads").cycles;
    waits.dram_share = 0.5;
    waits.dram_cycles = FAR_CYCLES;
    const double alone = chain_in("loads").cycles - none;
    waits.in_step_share = 0.5;
    const double in_step = chain_in("loads").cycles - none;
    ck_assert_double_gt(alone, 0.8 * FAR_CYCLES);
    ck_assert_double_gt(in_step, 0.5 * FAR_CYCLES);
    ck_assert_double_lt(in_step, 0.5 * FAR_CYCLES * (1 + gpu_model.dram_spread));
}
END_TEST

/* Memory answers some lines early and some late: who waits for four waits for the last. */
START_TEST(the_last_of_four_lines_comes_late)
{
    waits = (struct chain_wait){.cycles = 1};
    const double none = chain_in("loads").cycles;
    waits.dram_share = 1;
    waits.dram_cycles = FAR_CYCLES;
    const double last = chain_in("loads").cycles - none;
    ck_assert_double_gt(last, FAR_CYCLES * (1 + 0.3 * gpu_model.dram_spread));
    ck_assert_double_lt(last, FAR_CYCLES * (1 + gpu_model.dram_spread));
}
END_TEST

/* Lanes that leave a loop one behind the other meet behind it: where they meet is noted before it,
 * and each of 32 goes there by itself. Lanes that count the same need neither. */
START_TEST(lanes_that_part_meet_again)
{
    waits = (struct chain_wait){.cycles = 1};
    const double together = chain_in("all_their_rounds").cycles;
    ck_assert_double_eq_tol(cost_issue(&found.guarded), 0, 1e-9);
    const double apart = chain_in("each_its_rounds").cycles;
    ck_assert_double_eq_tol(cost_issue(&found.guarded), 2 + 31, 1e-9);
    ck_assert_double_eq_tol(apart - together, 31 * gpu_model.part_cycles, 60);
}
END_TEST

START_TEST(a_cluster_meets_later_than_a_block)
{
    waits = (struct chain_wait){.cycles = 1};
    const struct chain alone = chain_in("nothing"), meets = chain_in("meets");
    ck_assert_double_eq_tol(meets.cycles - alone.cycles, 350, 10);
    ck_assert_double_eq_tol(meets.barriers - alone.barriers, 5, 1e-9);
}
END_TEST

/* LOP3 has three operands: of two operations it makes one, of three it takes two. */
START_TEST(an_instruction_has_three_operands)
{
    waits = (struct chain_wait){.cycles = 1};
    const double two = chain_in("two_of_logic").issue, three = chain_in("three_of_logic").issue;
    ck_assert_double_eq_tol(three - two, 1, 0.15);
}
END_TEST

/* ptxas moves no load across an exact quotient, which has a rare way of its own. */
START_TEST(loads_wait_behind_an_exact_quotient)
{
    waits = (struct chain_wait){.cycles = FAR_CYCLES};
    ck_assert_double_lt(chain_in("approximate").cycles, 1.2 * FAR_CYCLES);
    ck_assert_double_gt(chain_in("exact").cycles, 2.0 * FAR_CYCLES);
}
END_TEST

START_TEST(a_product_is_joined_with_its_sum)
{
    waits = (struct chain_wait){.cycles = 1};
    ck_assert_double_eq_tol(chain_in("apart").issue - chain_in("joined").issue, 1, 1e-9);
}
END_TEST

/* IMAD.WIDE and a sum, or four products. */
START_TEST(words_in_64_bits_are_one_product)
{
    waits = (struct chain_wait){.cycles = 1};
    ck_assert_double_eq_tol(chain_in("of_double_words").issue - chain_in("of_words").issue, 2,
                            1e-9);
}
END_TEST

/* 500 rounds of three products of 4.2 cycles, which one of four warps does. */
START_TEST(a_block_waits_for_the_loop_of_one_warp)
{
    waits = (struct chain_wait){.cycles = 1};
    warps = 4;
    const double none = chain_in("met_by_none").cycles, all = chain_in("met_by_all").cycles;
    warps = 0;
    ck_assert_double_gt(all, 500 * 3 * 4.2);
    ck_assert_double_lt(none, 0.4 * all);
}
END_TEST

/* Rows whose distance is a number take no sums for their addresses: four registers of the machine,
 * of which PTX names each twice. And so 8 registers hold two fragments at a time. */
START_TEST(fragments_of_halves_are_four_registers)
{
    waits = (struct chain_wait){.cycles = 1};
    ck_assert_double_eq_tol(chain_in("rows_unknown").issue - chain_in("rows_known").issue, 4, 1e-9);
    waits = (struct chain_wait){.cycles = FAR_CYCLES};
    ck_assert_double_lt(chain_in("fragments").cycles, 8 * 1.3 * FAR_CYCLES);
}
END_TEST

START_TEST(tasks_are_taken_from_a_counter)
{
    waits = (struct chain_wait){.cycles = 1};
    chain_in("by_a_counter");
    ck_assert(takes_tasks);
    chain_in("by_number");
    ck_assert(!takes_tasks);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("chain_waits");
    tcase_add_test(tc, loads_in_step_wait_together);
    tcase_add_test(tc, the_last_of_four_lines_comes_late);
    tcase_add_test(tc, lanes_that_part_meet_again);
    tcase_add_test(tc, a_cluster_meets_later_than_a_block);
    tcase_add_test(tc, an_instruction_has_three_operands);
    tcase_add_test(tc, loads_wait_behind_an_exact_quotient);
    tcase_add_test(tc, a_product_is_joined_with_its_sum);
    tcase_add_test(tc, words_in_64_bits_are_one_product);
    tcase_add_test(tc, a_block_waits_for_the_loop_of_one_warp);
    tcase_add_test(tc, fragments_of_halves_are_four_registers);
    tcase_add_test(tc, tasks_are_taken_from_a_counter);
    return run_suite("chain_waits", tc);
}

/* test_chain.c - how long a warp takes for its instructions: what waits for what, and what goes
 * side by side. Each kernel runs once; an observer asks for its chain, with loads of 1000 cycles.
 */
#include <stdlib.h>
#include <string.h>

#include "common/gpu/gpu_limits.h"
#include "api/simt.h"
#include "machine/observer.h"
#include "base/room.h"
#include "time/carried.h"
#include "time/chain.h"
#include "time/kept.h"
#include "suite.h"

enum { LOAD_CYCLES = 1000, WORDS = 64 };

#define KERNEL(name, body)                                                                         \
    ".visible .entry " name "(.param .u64 p)\n{\n.reg .u64 %d<4>; .reg .u32 %r<9>; "               \
    ".reg .pred %p<3>;\nld.param.u64 %d1, [p];\n" body "\nret;\n}\n"

/* Functions: one that does nothing, and one that calls it; r1 is live over that call. */
#define FUNCTIONS                                                                                  \
    ".func leaf()\n{\nret;\n}\n"                                                                   \
    ".func calls()\n{\n.reg .u32 %r<2>;\n.local .u32 box;\nmov.u32 %r1, 1;\ncall leaf, ();\n"      \
    "st.local.u32 [box], %r1;\nret;\n}\n"                                                          \
    ".global .u64 choice = leaf;\n"
#define STORE "st.global.u32 [%d1+128], %r1;"
#define CALLS                                                                                      \
    KERNEL("call", "call leaf, ();" STORE)                                                         \
    KERNEL("call_by_pointer", "ld.global.u64 %d2, [choice]; P: .callprototype _ ();"               \
                              "call %d2, (), P;" STORE)                                            \
    KERNEL("pointer",                                                                              \
           "ld.global.u64 %d2, [choice]; mov.b64 {%r1, %r2}, %d2; call leaf, ();" STORE)           \
    KERNEL("call_of_a_call", "call calls, ();" STORE)

static const char text[] = ".version 8.4\n.target sm_90\n.address_size 64\n" FUNCTIONS CALLS KERNEL(
    "two_loads",
    "ld.global.u32 %r1, [%d1]; ld.global.u32 %r2, [%d1+64]; add.u32 %r3, %r1, %r2;"
    "st.global.u32 [%d1+128], %r3;") KERNEL("load_of_a_load",
                                            "ld.global.u32 %r1, [%d1]; mul.wide.u32 %d2, %r1, 4; "
                                            "add.s64 %d3, %d1, %d2;"
                                            "ld.global.u32 %r2, [%d3]; st.global.u32 [%d1+128], "
                                            "%r2;") KERNEL("one_register_twice",
                                                           "ld.global.u32 %r1, [%d1]; add.u32 %r3, "
                                                           "%r1, 1; ld.global.u32 %r1, [%d1+64];"
                                                           "add.u32 %r3, %r3, %r1; st.global.u32 "
                                                           "[%d1+128], %r3;")
    KERNEL(
        "arm_mostly_left_out",
        "mov.u32 %r4, 0; mov.u32 %r1, 0;\n"
        "L: .pragma \"nounroll\";\n setp.ne.u32 %p1, %r4, 0; @%p1 bra OVER;"
        "ld.global.u32 %r2, [%d1+64]; add.u32 %r1, %r1, %r2;"
        "OVER: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 8; @%p2 bra L;"
        "st.global.u32 [%d1+128], %r1;") KERNEL("short_arm",
                                                "mov.u32 %r4, %ctaid.x; ld.global.u32 %r1, [%d1];"
                                                "setp.eq.u32 %p1, %r4, 7; @%p1 bra OVER;"
                                                "ld.global.u32 %r2, [%d1+64]; add.u32 %r1, %r1, "
                                                "%r2;"
                                                "OVER: st.global.u32 [%d1+128], %r1;")
        KERNEL("counted", "mov.u32 %r4, 0; mov.u32 %r3, 0; mov.u64 %d2, %d1;"
                          "L: ld.global.u32 %r1, [%d2]; add.u32 %r3, %r3, %r1; add.s64 %d2, %d2, 4;"
                          "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 24; @%p1 bra L;"
                          "st.global.u32 [%d1+128], %r3;")
            KERNEL("counted_marked",
                   "mov.u32 %r4, 0; mov.u32 %r3, 0; mov.u64 %d2, %d1;\n"
                   "L: .pragma \"nounroll\";\n ld.global.u32 %r1, [%d2]; add.u32 %r3, "
                   "%r3, %r1;"
                   "add.s64 %d2, %d2, 4; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 24;"
                   "@%p1 bra L; st.global.u32 [%d1+128], %r3;")
                KERNEL("fused", "ld.global.u32 %r1, [%d1]; ld.global.u32 %r2, [%d1+64]; and.b32 "
                                "%r3, %r1, %r2;"
                                "xor.b32 %r4, %r3, %r1; shl.b32 %r5, %r4, 2; add.u32 %r6, %r5, %r2;"
                                "add.s64 %d2, %d1, 128; st.global.u32 [%d2], %r6;")
                    KERNEL("nothing", "st.global.u32 [%d1+128], %r1;") KERNEL(
                        "loaded_each_round",
                        "mov.u32 %r4, 0; mov.u32 %r3, 0;\n"
                        "L: .pragma \"nounroll\";\n ld.global.u32 %r1, [%d1+64]; add.u32 %r3, %r3, "
                        "%r1;"
                        "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 8; @%p1 bra L;"
                        "st.global.u32 [%d1+128], %r3;") KERNEL("loaded_each_round_and_stored",
                                                                "mov.u32 %r4, 0; mov.u32 %r3, 0;\n"
                                                                "L: .pragma \"nounroll\";\n "
                                                                "ld.global.u32 %r1, [%d1+64]; "
                                                                "add.u32 %r3, %r3, %r1;"
                                                                "st.global.u32 [%d1+128], %r3;"
                                                                "add.u32 %r4, %r4, 1; setp.lt.u32 "
                                                                "%p1, %r4, 8; @%p1 bra L;")
                        KERNEL("copy_waited_for",
                               ".shared .b32 room[32]; mov.u32 %r1, room;"
                               "cp.async.ca.shared.global [%r1], [%d1], 4; cp.async.commit_group;"
                               "cp.async.wait_group 0; ld.shared.u32 %r2, [%r1]; st.global.u32 "
                               "[%d1+128], %r2;")
                            KERNEL(
                                "copy_left_alone",
                                ".shared .b32 room[32]; mov.u32 %r1, room;"
                                "cp.async.ca.shared.global [%r1], [%d1], 4; cp.async.commit_group;"
                                "cp.async.wait_group 1; st.global.u32 [%d1+128], %r1;")
                                KERNEL("copy_of_the_round_before",
                                       ".shared .b32 room[32]; mov.u32 %r1, room; mov.u32 %r4, 0;\n"
                                       "L: .pragma \"nounroll\";\n cp.async.ca.shared.global "
                                       "[%r1], [%d1], 4;"
                                       "cp.async.commit_group; cp.async.wait_group 1;"
                                       "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 8; @%p1 bra L;"
                                       "st.global.u32 [%d1+128], %r4;")
#define PRODUCT(shape, types, c)                                                                   \
    "mma.sync.aligned." shape ".row.col." types " {" c "}, {%r1, %r1, %r1, %r1}, {%r2, %r2}, {" c  \
    "};"
#define SUM       "%r3, %r4, %r5, %r6"
#define OTHER_SUM "%r7, %r8, %r5, %r6"
                                    KERNEL("products_of_products",
                                           PRODUCT("m16n8k16", "f32.f16.f16.f32", SUM)
                                               PRODUCT("m16n8k16", "f32.f16.f16.f32", SUM)
                                                   PRODUCT("m16n8k16", "f32.f16.f16.f32",
                                                           SUM) "st.global.u32 [%d1+128], %r3;")
                                        KERNEL("fp8_once",
                                               PRODUCT("m16n8k32", "f32.e4m3.e4m3.f32",
                                                       SUM) "st.global.u32 [%d1+128], %r3;")
                                            KERNEL(
                                                "fp8_twice",
                                                PRODUCT("m16n8k32", "f32.e4m3.e4m3.f32", SUM)
                                                    PRODUCT(
                                                        "m16n8k32", "f32.e4m3.e4m3.f32",
                                                        OTHER_SUM) "st.global.u32 [%d1+128], %r3;")
                                                KERNEL(
                                                    "four_bits",
                                                    PRODUCT("m16n8k64", "s32.s4.s4.s32",
                                                            SUM) "st.global.u32 [%d1+128], %r3;");

#define READ_4(a, b, c, d) READ(a) READ(b) READ(c) READ(d)
#define READ(i)            "ld.global.u32 %q" #i ", [%d1+4]; add.u32 %r2, %r2, %q" #i ";"
/* Twelve loads in each of two rounds, which a store keeps where they are. */
#define TWELVE_LOADS(name, product)                                                                \
    KERNEL(name,                                                                                   \
           ".reg .u32 %q<12>; mov.u32 %r4, 0; mov.u32 %r7, 0; mov.u32 %r2, 0;\n"                   \
           "L: .pragma \"nounroll\";\n" READ_4(0, 1, 2, 3) READ_4(4, 5, 6, 7) READ_4(8, 9, 10, 11) \
               product "st.global.u32 [%d1+128], %r2; add.u32 %r7, %r7, 1;"                        \
                       "setp.lt.u32 %p1, %r7, 2; @%p1 bra L;")
/* Of the copies that one lane begins in each of four rounds the warp waits for the last one. */
#define BULK_COPIES(name, ahead, behind)                                                           \
    KERNEL(name,                                                                                   \
           ".shared .align 128 .b8 room[128]; .shared .align 8 .b64 bar; .reg .b64 %s; "           \
           "mov.u32 %r1, room; mov.u32 %r2, bar; mov.u32 %r3, 0; mov.u32 %r5, %laneid;"            \
           "setp.ne.u32 %p2, %r5, 0; @%p2 bra OPEN; mbarrier.init.shared.b64 [%r2], 1;\n"          \
           "OPEN: bar.sync 0;" ahead "L: .pragma \"nounroll\";\n" behind "and.b32 %r4, %r3, 1;\n"  \
           "W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], %r4; @!%p1 bra W;"             \
           "bar.sync 0; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 4; @%p1 bra L;"                 \
           "st.global.u32 [%d1+128], %r3;")
#define BEGIN_COPY(over)                                                                           \
    "@%p2 bra " over "; mbarrier.arrive.expect_tx.shared.b64 %s, [%r2], 16;"                       \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d1], 16, "         \
    "[%r2];\n" over ":\n"

static const char more[] =
    ".version 8.4\n.target sm_90\n.address_size 64\n" TWELVE_LOADS("twelve_loads", "") TWELVE_LOADS(
        "twelve_loads_beside_a_product", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                                         "{%r3, %r5, %r6, %r8}, {%r1, %r1, %r1, %r1}, {%r4, %r4}, "
                                         "{%r3, %r5, %r6, %r8};")
        BULK_COPIES("bulk_each_round", "", BEGIN_COPY("OVER")) KERNEL(
            "load_behind_a_loop",
            "mov.u32 %r4, 0;\n"
            "L: .pragma \"nounroll\";\n add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 8; @%p1 bra L;"
            "ld.global.u32 %r1, [%d1]; add.u32 %r1, %r1, 1; st.global.u32 [%d1+128], %r1;"
            "bar.sync 0;");

static struct chain_wait a_thousand(void *state, uint32_t pc, const struct ptx_insn *in)
{
    (void)state;
    (void)pc;
    const bool loads = in->op == PTX_OP_LD || (in->op == PTX_OP_CP && in->operand_count > 1);
    return (struct chain_wait){.cycles = loads && !ptx_has_modifier(in, WORD_SHARED) ? LOAD_CYCLES
                                         : in->op == PTX_OP_CP && in->operand_count > 1
                                             ? LOAD_CYCLES
                                             : 1};
}

static unsigned warps = 1; /* of the block that is launched */
static bool asks_what_is_kept;
static struct chain found;
static struct simt_counters counters; /* of the last launch */

/* Loads of so many cycles, and how often somebody asked. */
struct answers {
    double cycles;
    unsigned asked;
};

static struct chain_wait answer(void *state, uint32_t pc, const struct ptx_insn *in)
{
    struct answers *a = state;
    struct chain_wait wait = a_thousand(NULL, pc, in);
    wait.cycles *= a->cycles / LOAD_CYCLES;
    a->asked++;
    return wait;
}

/* A kept chain is what would be found, and it is found again where an answer or a count is another
 * one: the questions are asked twice then, until one differs and from the beginning. */
static void ask_what_is_kept(const struct launch_event *launch, const struct gpu_rates *rates)
{
    struct kept_chain kept = {.sites = NULL};
    const struct kernel *k = launch->kernel;
    struct site *sites = room_copy(launch->sites, k->site_count, sizeof *sites);
    struct answers same = {.cycles = LOAD_CYCLES}, longer = {.cycles = 3 * LOAD_CYCLES};
    const struct chain first = kept_chain_of(&kept, k, sites, 1, 1, rates, answer, &same);
    const unsigned questions = same.asked;
    ck_assert_uint_gt(questions, 1);
    ck_assert_double_eq(first.cycles, found.cycles);
    const struct chain again = kept_chain_of(&kept, k, sites, 1, 1, rates, answer, &same);
    ck_assert_uint_eq(same.asked, 2 * questions);
    ck_assert(memcmp(&again, &first, sizeof again) == 0);
    const struct chain slow = kept_chain_of(&kept, k, sites, 1, 1, rates, answer, &longer);
    ck_assert_uint_eq(longer.asked, 1 + questions);
    ck_assert_double_gt(slow.cycles, first.cycles + LOAD_CYCLES);
    for (unsigned i = 0; i < k->site_count; i++) { /* as if each warp had run twice */
        sites[i].a *= 2;
    }
    const struct chain twice = kept_chain_of(&kept, k, sites, 1, 1, rates, answer, &longer);
    ck_assert_uint_eq(longer.asked, 1 + 2 * questions);
    ck_assert_double_eq_tol(twice.cycles, 2 * slow.cycles, 1e-6);
    const struct chain halves = kept_chain_of(&kept, k, sites, 2, 1, rates, answer, &longer);
    ck_assert_uint_eq(longer.asked, 1 + 3 * questions);
    ck_assert_double_eq_tol(halves.cycles, slow.cycles, 1e-6);
    kept_chain_free(&kept);
    free(sites);
}

/* Loads of the launch that decide about their own next round. */
static int carried;

static void count_carried(const struct kernel *k)
{
    bool *is = room_new(k->code_count, sizeof *is);
    carried_find_codes(k, is);
    carried = 0;
    for (unsigned pc = 0; pc < k->code_count; pc++) {
        const bool same = pc > 0 && k->source[pc].insn == k->source[pc - 1].insn;
        carried += is[pc] && !same; /* a block's ENTER has the first one's source */
    }
    free(is);
}

static void ask(void *state, const struct launch_event *launch)
{
    (void)state;
    const struct gpu_rates rates = gpu_rates(gpu_limits_default());
    found = chain_of(launch->kernel, launch->sites, warps, warps, &rates, a_thousand, NULL);
    count_carried(launch->kernel);
    if (asks_what_is_kept) {
        ask_what_is_kept(launch, &rates);
    }
}

static double cycles_in(const char *ptx, const char *name)
{
    static const struct observer asker = {.launch_end = ask};
    struct err e = {0};
    struct simt *s = simt_open(gpu_limits_default(), 1, &e);
    struct simt_module *m = simt_module_load(s, ptx, strlen(ptx), "text", &e);
    ck_assert_msg(m != NULL, "%s", e.text);
    const struct allocation *a =
        memory_alloc(simt_memory(s), WORDS * 4, MEMORY_DEVICE, "test", NULL);
    memset(memory_host(simt_memory(s), a->begin, WORDS * 4), 0, WORDS * 4);
    const uint64_t p = a->begin;
    const struct simt_launch l = {.kernel = simt_module_kernel(m, name, &e),
                                  .grid = {1, 1, 1},
                                  .block = {32 * warps, 1, 1},
                                  .params = &p};
    ck_assert(simt_observe(s, &asker, &e));
    ck_assert_msg(simt_run(s, &l, &counters, &e), "%s", e.text);
    simt_close(s);
    return found.cycles;
}

/* Of a list, the next address comes from each load; a search ends where it finds something; a
 * gather of three rounds loads an index and what it names. */
#define ROUNDS(name, body)                                                                         \
    KERNEL(name, "mov.u32 %r4, 0; mov.u64 %d2, %d1;\nL: .pragma \"nounroll\";" body                \
                 "add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 3; @%p2 bra L;\nE:" STORE)
static const char loops[] = ".version 8.4\n.target sm_90\n.address_size 64\n" ROUNDS(
    "list", "ld.global.u32 %r1, [%d2]; mul.wide.u32 %d3, %r1, 4; add.s64 %d2, %d1, %d3;")
    ROUNDS("search", "ld.global.u32 %r1, [%d2]; setp.ne.u32 %p1, %r1, 0; @%p1 bra E;")
        ROUNDS("gather", "ld.global.u32 %r1, [%d2]; mul.wide.u32 %d3, %r1, 4; add.s64 %d3, %d1, "
                         "%d3; ld.global.u32 %r2, [%d3]; add.u32 %r3, %r3, %r2;")
            ROUNDS("arm", "ld.global.u32 %r1, [%d2]; setp.ne.u32 %p1, %r1, 0; @%p1 bra O;"
                          "add.u32 %r3, %r3, 1;\nO:");

static int carried_in(const char *name)
{
    cycles_in(loops, name);
    return carried;
}

static double cycles_of(const char *name) { return cycles_in(text, name); }

/* Whole waits for memory that a kernel has, one behind the other. */
static int waits(double cycles) { return (int)((cycles + LOAD_CYCLES / 2) / LOAD_CYCLES); }

static int waits_of(const char *name) { return waits(cycles_of(name)); }

START_TEST(a_kept_chain_is_what_would_be_found)
{
    asks_what_is_kept = true;
    cycles_of("two_loads");
    asks_what_is_kept = false;
}
END_TEST

START_TEST(a_kernel_without_loads_waits_for_none) { ck_assert_int_eq(waits_of("nothing"), 0); }
END_TEST

START_TEST(loads_that_need_nothing_of_each_other_are_waited_for_once)
{
    ck_assert_int_eq(waits_of("two_loads"), 1);
}
END_TEST

START_TEST(a_load_whose_address_was_loaded_waits_again)
{
    ck_assert_int_eq(waits_of("load_of_a_load"), 2);
}
END_TEST

START_TEST(a_load_that_decides_about_its_next_round_is_carried)
{
    ck_assert_int_eq(carried_in("list"), 1);
    ck_assert_int_eq(carried_in("search"), 1);
    ck_assert_int_eq(carried_in("gather"), 0);
    ck_assert_int_eq(carried_in("arm"), 0);
}
END_TEST

/* A function is called and returns: 76 cycles; by a pointer, which has to be there, 27
 * more at least. One that calls another saves three words and reads them again. */
START_TEST(calls_take_their_time)
{
    const struct gpu_latencies l = gpu_rates(gpu_limits_default()).latency;
    const double call = cycles_of("call") - cycles_of("nothing");
    ck_assert_double_eq_tol(call, l.call + l.way_back, 2);
    const double by_pointer = cycles_of("call_by_pointer") - cycles_of("pointer");
    ck_assert_double_ge(by_pointer, l.call_by_pointer - l.call);
    ck_assert_double_le(by_pointer, 2 * (l.call_by_pointer - l.call));
    ck_assert_double_eq_tol(cycles_of("call_of_a_call") - cycles_of("call"),
                            call + l.l1 + 3 * gpu_model.saved_cycles, 4);
}
END_TEST

START_TEST(a_register_written_twice_holds_up_nobody)
{
    ck_assert_int_eq(waits_of("one_register_twice"), 1);
}
END_TEST

START_TEST(a_short_arm_goes_with_what_stands_before_it)
{
    ck_assert_int_eq(waits_of("short_arm"), 1);
}
END_TEST

START_TEST(what_a_warp_issues_is_no_wait)
{
    const double cycles = cycles_of("two_loads");
    ck_assert(found.issue > 2 && found.issue < 40);
    ck_assert(cycles - found.issue > LOAD_CYCLES - 40);
}
END_TEST

/* 24 rounds of a loop become six of four loads each, that are asked for together; what counts and
 * jumps is left out three times of four. */
START_TEST(four_rounds_of_a_loop_are_one)
{
    ck_assert_int_eq(waits_of("counted"), 6);
    ck_assert_double_lt(cost_issue(&found.guarded), -24 * 0.75 * 2.5);
    ck_assert_int_eq(waits_of("counted_marked"), 24);
    ck_assert_double_eq_tol(cost_issue(&found.guarded), 0, 1e-9);
}
END_TEST

/* An arm of two instructions is issued under its guard in the seven rounds that leave it out. */
START_TEST(a_guarded_arm_costs_its_slots)
{
    cycles_of("short_arm"); /* takes it */
    ck_assert_double_lt(cost_issue(&found.guarded), 0.01);
    cycles_of("arm_mostly_left_out");
    ck_assert_double_eq_tol(cost_issue(&found.guarded), 7 * 2, 1);
}
END_TEST

/* A LOP3, a LEA and a constant in an address: five instructions of PTX are two. The others: a
 * parameter, two loads, a store, the end. */
START_TEST(what_the_machine_does_in_one_costs_once)
{
    cycles_of("two_loads"); /* the same with one sum */
    const double with_one = found.issue;
    cycles_of("fused");
    ck_assert_double_gt(found.issue, with_one);
    ck_assert_double_lt(found.issue, with_one + 1.1);
}
END_TEST

START_TEST(a_load_that_changes_in_no_round_is_made_once)
{
    ck_assert_int_eq(waits_of("loaded_each_round"), 0);
    ck_assert_int_eq(waits_of("loaded_each_round_and_stored"), 8);
}
END_TEST

START_TEST(copies_are_waited_for_by_their_group)
{
    ck_assert_int_eq(waits_of("copy_waited_for"), 1);
    ck_assert_int_eq(waits_of("copy_left_alone"), 0);
    ck_assert_int_eq(waits_of("copy_of_the_round_before"), 4);
}
END_TEST

/* Sums of a tensor core leave few registers for loads that nobody has read. */
START_TEST(loads_beside_products_go_in_two_groups)
{
    ck_assert_int_eq(waits(cycles_in(more, "twelve_loads")), 2);
    ck_assert_int_eq(waits(cycles_in(more, "twelve_loads_beside_a_product")), 4);
}
END_TEST

/* However often the wait asks, and though one lane alone begins the copies. */
START_TEST(bulk_copies_are_waited_for_in_their_round)
{
    ck_assert_int_eq(waits(cycles_in(more, "bulk_each_round")), 4);
}
END_TEST

/* Four warps that wait for each other execute what follows a loop once, not four times. */
START_TEST(what_follows_a_loop_counts_once)
{
    warps = 4;
    const int found_waits = waits(cycles_in(more, "load_behind_a_loop"));
    warps = 1;
    ck_assert_int_eq(found_waits, 1);
}
END_TEST

/* 64 products of 64 x 8 x 16, each 4 cycles of each tensor core, that a warpgroup waits for. */
#define PRODUCT_OF_GROUP                                                                           \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r1, %r2, %r3, %r4}, %d2, %d2, %p1, 1, "   \
    "1, "                                                                                          \
    "0, 0;"
#define GROUP_OF_4  PRODUCT_OF_GROUP PRODUCT_OF_GROUP PRODUCT_OF_GROUP PRODUCT_OF_GROUP
#define GROUP_OF_16 GROUP_OF_4 GROUP_OF_4 GROUP_OF_4 GROUP_OF_4
static const char groups[] =
    ".version 8.4\n.target sm_90a\n.address_size 64\n"
    ".shared .align 128 .b8 tiles[4096];\n" KERNEL(
        "groups",
        "mov.u64 %d2, 0; setp.ne.u64 %p1, %d2, 0; wgmma.fence.sync.aligned;" GROUP_OF_16 GROUP_OF_16
            GROUP_OF_16 GROUP_OF_16 "wgmma.commit_group.sync.aligned;"
        "wgmma.wait_group.sync.aligned 0; mov.u32 %r5, tiles; bar.sync 0;");

START_TEST(warpgroups_share_the_tensor_cores)
{
    const struct gpu_latencies l = gpu_rates(gpu_limits_default()).latency;
    warps = 4;
    const double one = cycles_in(groups, "groups");
    warps = 8;
    const double two = cycles_in(groups, "groups");
    warps = 1;
    ck_assert_double_eq_tol(two - one, 64 * 4 + 4 * l.barrier_per_warp, 16);
}
END_TEST

/* 24 cycles from each to the next, of which the tensor core is busy for 6. */
START_TEST(products_wait_for_each_other)
{
    const double of_none = cycles_of("nothing"), issued = found.issue;
    const double cycles = cycles_of("products_of_products");
    ck_assert_double_gt(cycles, of_none + 2 * 24);
    ck_assert_double_lt(cycles, of_none + 4 * 24);
    ck_assert_double_eq_tol(found.issue - issued, 3 * 6, 1);
    ck_assert_uint_eq(counters.tensor_hmma, 3);
}
END_TEST

START_TEST(the_same_product_of_fp8_is_made_once)
{
    cycles_of("fp8_once");
    ck_assert_uint_eq(counters.tensor_hmma, 2);
    cycles_of("fp8_twice");
    ck_assert_uint_eq(counters.tensor_hmma, 2);
}
END_TEST

/* 138 instructions unpack what the tensor core cannot multiply. */
START_TEST(four_bits_are_a_sequence)
{
    cycles_of("four_bits");
    ck_assert_double_gt(found.issue, 180);
    ck_assert_uint_eq(counters.tensor_imma, 2);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("chain");
    tcase_add_test(tc, a_kept_chain_is_what_would_be_found);
    tcase_add_test(tc, a_kernel_without_loads_waits_for_none);
    tcase_add_test(tc, loads_that_need_nothing_of_each_other_are_waited_for_once);
    tcase_add_test(tc, a_load_whose_address_was_loaded_waits_again);
    tcase_add_test(tc, a_load_that_decides_about_its_next_round_is_carried);
    tcase_add_test(tc, calls_take_their_time);
    tcase_add_test(tc, a_register_written_twice_holds_up_nobody);
    tcase_add_test(tc, a_short_arm_goes_with_what_stands_before_it);
    tcase_add_test(tc, what_a_warp_issues_is_no_wait);
    tcase_add_test(tc, four_rounds_of_a_loop_are_one);
    tcase_add_test(tc, a_guarded_arm_costs_its_slots);
    tcase_add_test(tc, what_the_machine_does_in_one_costs_once);
    tcase_add_test(tc, a_load_that_changes_in_no_round_is_made_once);
    tcase_add_test(tc, copies_are_waited_for_by_their_group);
    tcase_add_test(tc, loads_beside_products_go_in_two_groups);
    tcase_add_test(tc, bulk_copies_are_waited_for_in_their_round);
    tcase_add_test(tc, what_follows_a_loop_counts_once);
    tcase_add_test(tc, warpgroups_share_the_tensor_cores);
    tcase_add_test(tc, products_wait_for_each_other);
    tcase_add_test(tc, the_same_product_of_fp8_is_made_once);
    tcase_add_test(tc, four_bits_are_a_sequence);
    return run_suite("chain", tc);
}

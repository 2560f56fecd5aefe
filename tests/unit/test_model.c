/* test_model.c - modelled times against times computed by hand from the rates: launches that one
 * resource alone holds up. What a launch did is made up here; its kernel, and so its chain of
 * waits, is a real one, which an observer of its launch hands to the model. */
#include <math.h>
#include <string.h>

#include "common/gpu/gpu_limits.h"
#include "api/simt.h"
#include "machine/observer.h"
#include "time/model.h"
#include "suite.h"

/* An H200: 132 SMs at 1.98 GHz. 100 us are so many cycles: */
enum { SMS = 132, CYCLES = 198000, LOADS = 40, BLOCK = 256, WARPS = BLOCK / 32 };

#define LOAD   "ld.global.u64 %d1, [%d1];"
#define TEN(x) x x x x x x x x x x

/* Lanes add to words of shared memory: to their own, or all to one. */
#define ADDS(name, bytes)                                                                          \
    ".visible .entry " name "(.param .u64 p)\n{\n.reg .u32 %r<3>; .reg .f32 %f<2>;\n"              \
    ".shared .align 4 .b8 words[1024];\nmov.u32 %r1, %tid.x; mov.u32 %r2, words;\n"                \
    "mad.lo.u32 %r2, %r1, " bytes ", %r2; atom.shared.add.f32 %f1, [%r2], 0f3F800000;\nret;\n}\n"

static const char text[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry nothing(.param .u64 p) { ret; }\n" ADDS("adds", "4")
        ADDS("adds_to_one", "0") ".visible .entry chase(.param .u64 p)\n{\n.reg .u64 "
                                 "%d<2>;\nld.param.u64 %d1, [p];\n" /* 40 */
    TEN(LOAD) TEN(LOAD) TEN(LOAD) TEN(LOAD) "\nst.global.u64 [%d1], %d1;\nret;\n}\n";

static struct model_input input;
static struct model modelled;

static void ask(void *state, const struct launch_event *launch)
{
    (void)state;
    input.launch = launch;
    modelled = model_of(&input);
}

/* What the model says of a launch of this kernel that did what `input` says. */
static const struct model *model_for(const char *kernel)
{
    static const struct observer asker = {.launch_end = ask};
    struct err e = {0};
    struct simt_counters counters;
    struct simt *s = simt_open(input.limits, 1, &e);
    struct simt_module *m = simt_module_load(s, text, sizeof text - 1, "text", &e);
    ck_assert_msg(m != NULL, "%s", e.text);
    const struct allocation *a = memory_alloc(simt_memory(s), 8, MEMORY_DEVICE, "test", NULL);
    const uint64_t p = a->begin;
    memcpy(memory_host(simt_memory(s), p, 8), &p, 8); /* a pointer to itself */
    const struct simt_launch l = {.kernel = simt_module_kernel(m, kernel, &e),
                                  .grid = {(unsigned)input.work->blocks, 1, 1},
                                  .block = {BLOCK, 1, 1},
                                  .params = &p};
    ck_assert(simt_observe(s, &asker, &e));
    ck_assert_msg(simt_run(s, &l, &counters, &e), "%s", e.text);
    simt_close(s);
    return &modelled;
}

static struct launch_work work;
static struct cache_result hits;

/* Nothing but blocks, all alike; L1 and L2 hit never. */
static void setup(void)
{
    work = (struct launch_work){.blocks = 8 * SMS, .warps = 8 * SMS * WARPS};
    hits = (struct cache_result){.dram_read_ratio = 1};
    input = (struct model_input){.limits = gpu_limits_find("h200"),
                                 .work = &work,
                                 .hits = &hits,
                                 .registers = 32,
                                 .cold = true};
    input.caches = caches_open(input.limits);
}

static void teardown(void) { caches_close((struct caches *)input.caches); }

static double launch_us(void) { return gpu_rates(input.limits).launch_us; }

static double least_launch_us(void) { return gpu_rates(input.limits).least_launch_us; }

/* The time of `part` is us, and all of the launch little more: what else there is adds to it. */
static void check_limit(const struct model *m, unsigned part, double us)
{
    ck_assert_str_eq(model_part_name(m->limiter), model_part_name(part));
    ck_assert_double_eq_tol(m->part_us[part], us, 0.01 * us);
    ck_assert_double_ge(m->us, us + launch_us());
    ck_assert_double_le(m->us, 1.05 * us + launch_us());
}

START_TEST(issue)
{
    work.likely.alu = SMS * 2.0 * CYCLES; /* 2 a cycle and SM; and as many of another kind: */
    work.likely.fma = SMS * 2.0 * CYCLES; /* 4 are issued, and 4 could be of this kind */
    const struct model *m = model_for("nothing");
    ck_assert_double_eq_tol(m->part_us[FLOOR_FMA], 50, 0.5);
    ck_assert_double_eq_tol(m->part_us[FLOOR_ALU], 100, 1);
    ck_assert_double_eq_tol(m->part_us[FLOOR_ISSUE], 100, 1);
    ck_assert_double_ge(m->us, 100 + launch_us());
    ck_assert_double_le(m->us, 130 + launch_us()); /* two that are full get in each other's way */
}
END_TEST

START_TEST(arithmetic)
{
    work.likely.fp64 = SMS * 2.0 * CYCLES;
    check_limit(model_for("nothing"), FLOOR_FP64, 100);
}
END_TEST

/* 92 % of 4.8 TB/s are 441.6 MB in 100 us. Of each line one sector is wanted, and memory brings
 * two: through the L2 goes half of it. */
START_TEST(memory)
{
    hits.dram_read_ratio = 2;
    input.bytes.read = input.bytes.all = 220800000;
    work.load_sectors = 220800000 / 32;
    const struct model *m = model_for("nothing");
    check_limit(m, FLOOR_DRAM, 100);
    ck_assert_double_eq_tol(m->dram_read_bytes, 441.6e6, 1);
    ck_assert_double_eq_tol(m->l2_sectors, 220.8e6 / 32, 1);
}
END_TEST

/* The L2 still has 10 MB from the launch before: of memory nothing is read, if it was not cold. */
START_TEST(what_the_l2_kept)
{
    input.bytes.read = input.bytes.all = 10000000;
    work.load_sectors = 1e7 / 32;
    ck_assert_double_eq_tol(model_for("nothing")->dram_read_bytes, 1e7, 1);
    input.cold = false;
    ck_assert_double_eq_tol(model_for("nothing")->dram_read_bytes, 0, 1);
}
END_TEST

START_TEST(shared_memory)
{
    work.shared_wavefronts = SMS * (double)CYCLES; /* one a cycle and SM */
    check_limit(model_for("nothing"), FLOOR_L1, 100);
}
END_TEST

/* 40 loads, each of an address that the one before brought, from memory: 740 cycles each. One block
 * has one SM, whatever it waits for; so have 132. */
START_TEST(latency)
{
    const double us = LOADS * 740 / 1980.0;
    work = (struct launch_work){.blocks = 1, .warps = WARPS};
    work.likely.lsu = (LOADS + 1) * WARPS;
    const struct model *m = model_for("chase");
    ck_assert_uint_eq(m->limiter, MODEL_LATENCY);
    ck_assert_double_eq_tol(m->us, us + least_launch_us() + 400 / 1980.0, 0.02 * us);
    const double alone = m->us;
    work = (struct launch_work){.blocks = SMS, .warps = SMS * WARPS};
    work.likely.lsu = (LOADS + 1) * SMS * WARPS;
    ck_assert_double_eq_tol(model_for("chase")->us, alone, 0.01 * alone);
}
END_TEST

/* Of a sample whose data earlier waves of blocks have brought, the L2 answers: after 262 cycles. */
START_TEST(what_earlier_waves_have_brought)
{
    const double us = LOADS * 262 / 1980.0;
    work = (struct launch_work){.blocks = 1, .warps = WARPS};
    work.likely.lsu = (LOADS + 1) * WARPS;
    input.had_before = 1;
    ck_assert_double_eq_tol(model_for("chase")->us, us + least_launch_us() + 400 / 1980.0,
                            0.03 * us);
}
END_TEST

/* What a launch takes beside its work: an empty one least_launch_us, 1.5 us of
 * work launch_us. */
START_TEST(a_launch_that_fills_the_gpu)
{
    double beside[3];
    for (int i = 0; i < 3; i++) {
        work.blocks = 1;
        work.likely.fp64 = 2 * 0.75 * 1980 * i;
        beside[i] = model_for("nothing")->part_us[FLOOR_LAUNCH];
    }
    ck_assert_double_eq_tol(beside[0], least_launch_us(), 0.01);
    ck_assert_double_eq_tol(beside[1], (least_launch_us() + launch_us()) / 2, 0.02);
    ck_assert_double_eq_tol(beside[2], launch_us(), 0.02);
}
END_TEST

/* 8 blocks of 256 threads fit on an SM: 9 are two rounds, and 255 registers a thread leave one
 * block at a time. */
START_TEST(rounds_of_blocks)
{
    work = (struct launch_work){.blocks = 8 * SMS, .warps = 8 * SMS * WARPS};
    const double one = model_for("chase")->part_us[MODEL_LATENCY];
    ck_assert_uint_eq(modelled.blocks_per_sm, 8);
    work = (struct launch_work){.blocks = 9 * SMS, .warps = 9 * SMS * WARPS};
    ck_assert_double_eq_tol(model_for("chase")->part_us[MODEL_LATENCY], 2 * one, 0.01 * one);
    input.registers = 255;
    ck_assert_double_eq_tol(model_for("chase")->part_us[MODEL_LATENCY], 9 * one, 0.01 * one);
    ck_assert_uint_eq(modelled.blocks_per_sm, 1);
}
END_TEST

/* All the work in one block of 132: an SM needs 100 us for it, and of all SMs FP32 is hardly busy.
 */
START_TEST(one_block_with_all_the_work)
{
    double each[SMS] = {0};
    each[5] = 1;
    work = (struct launch_work){.blocks = SMS, .warps = SMS * WARPS};
    work.likely.fma = 4.0 * CYCLES;
    const double alike = model_for("nothing")->part_us[FLOOR_FMA];
    ck_assert_double_eq_tol(alike, 100.0 / SMS, 0.01);
    input.block_work = each;
    input.block_count = SMS;
    ck_assert_double_eq_tol(model_for("nothing")->part_us[FLOOR_FMA], 100, 1);
    ck_assert_double_ge(modelled.us, 100 + launch_us());
    ck_assert_double_le(modelled.us, 140 + launch_us()); /* its issue slots are full, too */
    ck_assert_uint_eq(modelled.limiter, MODEL_LATENCY);
}
END_TEST

/* 0.69 turns a cycle for what lies in the same 512 bytes. */
START_TEST(textures)
{
    work.texture_cycles = SMS * 1.0 * CYCLES;
    check_limit(model_for("nothing"), FLOOR_L1, 100);
}
END_TEST

/* Shared memory has no sum of floats: lanes that want one word try again, until 32 rounds later all
 * have had their way. */
START_TEST(swaps_of_shared_memory)
{
    const double own = model_for("adds")->part_us[MODEL_LATENCY];
    const double one = model_for("adds_to_one")->part_us[MODEL_LATENCY];
    const double rounds_us = 31 * gpu_model.swap_cycles / (CYCLES / 100.0);
    ck_assert_double_eq_tol(one - own, rounds_us, 0.01 * rounds_us);
}
END_TEST

START_TEST(atomics_on_one_word)
{
    hits.hottest_turns = 0.69 * CYCLES;
    check_limit(model_for("nothing"), MODEL_ATOMICS, 100);
}
END_TEST

/* A unit of the L2 that has several such pieces takes 1.11 turns a cycle. */
START_TEST(atomics_of_one_unit)
{
    hits.hottest_turns = 0.2 * CYCLES;
    hits.fullest_turns = 1.11 * CYCLES;
    check_limit(model_for("nothing"), MODEL_ATOMICS, 100);
}
END_TEST

/* An L1 has what shared memory leaves: 8 blocks of 16 KB, each 1 KB more for the system, are 136
 * KB, and the next size is 164 of 256. */
START_TEST(room_for_the_l1)
{
    const struct kernel k = {.static_shared_bytes = 16 * 1024};
    const struct kernel none = {.static_shared_bytes = 0};
    const struct simt_launch l = {.block = {BLOCK, 1, 1}};
    ck_assert_uint_eq(model_l1_bytes(input.limits, &l, &k, 8), (256 - 164) * 1024);
    ck_assert_uint_eq(model_l1_bytes(input.limits, &l, &none, 8), 256 * 1024);
    ck_assert_uint_eq(model_resident(input.limits, &l, &k, 32), 8);
    ck_assert_uint_eq(model_resident(input.limits, &l, &k, 128), 2);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("model");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, issue);
    tcase_add_test(tc, arithmetic);
    tcase_add_test(tc, memory);
    tcase_add_test(tc, what_the_l2_kept);
    tcase_add_test(tc, shared_memory);
    tcase_add_test(tc, latency);
    tcase_add_test(tc, what_earlier_waves_have_brought);
    tcase_add_test(tc, a_launch_that_fills_the_gpu);
    tcase_add_test(tc, rounds_of_blocks);
    tcase_add_test(tc, one_block_with_all_the_work);
    tcase_add_test(tc, textures);
    tcase_add_test(tc, swaps_of_shared_memory);
    tcase_add_test(tc, atomics_on_one_word);
    tcase_add_test(tc, atomics_of_one_unit);
    tcase_add_test(tc, room_for_the_l1);
    return run_suite("model", tc);
}

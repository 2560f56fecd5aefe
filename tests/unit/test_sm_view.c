/* test_sm_view.c - one SM over the cycles of a launch: what its warps are said to do in each. A
 * kernel runs once, and an observer of its launch asks for the view. */
#include <string.h>

#include "common/gpu/gpu_limits.h"
#include "api/simt.h"
#include "machine/observer.h"
#include "time/sm_view.h"
#include "time/work.h"
#include "suite.h"

enum { LOAD_CYCLES = 1000 };

static const char text[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry nothing(.param .u64 p) { ret; }\n"
    ".visible .entry copy(.param .u64 p)\n{\n.reg .u64 %d<2>; .reg .u32 %r<2>;\n"
    "ld.param.u64 %d1, [p]; ld.global.u32 %r1, [%d1]; st.global.u32 [%d1+64], %r1; ret;\n}\n";

static struct sm_view view;
static struct launch_work work;

static struct chain_wait a_thousand(void *state, uint32_t pc, const struct ptx_insn *in)
{
    (void)state;
    (void)pc;
    return (struct chain_wait){.cycles = in->op == PTX_OP_LD ? LOAD_CYCLES : 1};
}

static void ask(void *state, const struct launch_event *launch)
{
    (void)state;
    const struct gpu_rates rates = gpu_rates(gpu_limits_default());
    const struct sm_view_input in = {.k = launch->kernel,
                                     .sites = launch->sites,
                                     .warps = 2,
                                     .warps_a_block = 1,
                                     .resident = 1,
                                     .blocks = 2,
                                     .rates = &rates,
                                     .latency = a_thousand};
    sm_view_make(&in, &view);
    work = work_of(launch->kernel, launch->sites, launch->launch, NULL);
}

/* Two blocks of one warp, one after the other. */
static void view_of(const char *name)
{
    static const struct observer asker = {.launch_end = ask};
    struct err e = {0};
    struct simt_counters counters;
    struct simt *s = simt_open(gpu_limits_default(), 1, &e);
    struct simt_module *m = simt_module_load(s, text, sizeof text - 1, "text", &e);
    ck_assert_msg(m != NULL, "%s", e.text);
    const struct allocation *a = memory_alloc(simt_memory(s), 256, MEMORY_DEVICE, "test", NULL);
    const uint64_t p = a->begin;
    memset(memory_host(simt_memory(s), p, 256), 0, 256);
    const struct simt_launch l = {.kernel = simt_module_kernel(m, name, &e),
                                  .grid = {2, 1, 1},
                                  .block = {32, 1, 1},
                                  .params = &p};
    ck_assert(simt_observe(s, &asker, &e));
    ck_assert_msg(simt_run(s, &l, &counters, &e), "%s", e.text);
    simt_close(s);
}

static void teardown(void) { sm_view_free(&view); }

START_TEST(blocks_run_to_their_end)
{
    view_of("copy");
    ck_assert_uint_eq(view.blocks, 2);
    ck_assert_double_gt(view.issued, 0);
}
END_TEST

START_TEST(a_load_is_waited_for)
{
    view_of("copy");
    ck_assert_double_ge(view.sums[STALL_LONG_SCOREBOARD], 2 * (LOAD_CYCLES - 10));
    ck_assert_double_le(view.sums[STALL_LONG_SCOREBOARD], 2 * (LOAD_CYCLES + 10));
    ck_assert_double_ge(view.cycles, 2 * (LOAD_CYCLES - 10));
}
END_TEST

START_TEST(a_warp_without_stores_drains_nothing)
{
    view_of("nothing");
    ck_assert_uint_eq(view.blocks, 2);
    ck_assert_double_eq_tol(view.sums[STALL_DRAIN], 0, 1e-9);
}
END_TEST

/* The least that the load/store unit does: a slot for each load, two for each store. */
START_TEST(loads_and_stores_take_slots_of_their_unit)
{
    view_of("copy");
    ck_assert_double_eq_tol(work.load_requests, 2, 1e-9);
    ck_assert_double_eq_tol(work.store_requests, 2, 1e-9);
    ck_assert_double_eq_tol(work.least.lsu, 2 * 1 + 2 * 2, 1e-9);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("sm view");
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_add_test(tests, blocks_run_to_their_end);
    tcase_add_test(tests, a_load_is_waited_for);
    tcase_add_test(tests, a_warp_without_stores_drains_nothing);
    tcase_add_test(tests, loads_and_stores_take_slots_of_their_unit);
    return run_suite("sm view", tests);
}

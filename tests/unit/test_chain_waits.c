/* test_chain_waits.c - how long a warp waits: loads of which some go to memory, barriers of a
 * cluster; and sums that the machine cannot make one of. See test_chain.c. */
#include <string.h>

#include "api/simt.h"
#include "common/gpu/gpu_limits.h"
#include "machine/observer.h"
#include "suite.h"
#include "time/chain.h"

enum { FAR_CYCLES = 1000, WORDS = 1024 };

#define KERNEL(name, body)                                                                         \
    ".visible .entry " name "(.param .u64 p)\n{\n.reg .u32 %r<9>; .reg .u64 %d<3>;\n"              \
    "ld.param.u64 %d1, [p];\n" body "\nret;\n}\n"
#define FOUR_LOADS                                                                                 \
    "ld.global.u32 %r1, [%d1]; ld.global.u32 %r2, [%d1+64];"                                       \
    "ld.global.u32 %r3, [%d1+128]; ld.global.u32 %r4, [%d1+192];"
static const char text[] = ".version 8.4\n.target sm_90\n.address_size 64\n" KERNEL(
    "loads", FOUR_LOADS "mad.lo.u32 %r5, %r1, %r2, %r3; mad.lo.u32 %r5, %r5, %r4, %r1;"
                        "st.global.u32 [%d1+256], %r5;")
    KERNEL("two_of_logic", FOUR_LOADS "xor.b32 %r5, %r1, %r2; and.b32 %r6, %r5, %r3;"
                                      "st.global.u32 [%d1+256], %r6; st.global.u32 [%d1+512], %r4;")
        KERNEL("three_of_logic",
               FOUR_LOADS "xor.b32 %r5, %r1, %r2; and.b32 %r6, %r5, %r3; or.b32 %r7, %r6, %r4;"
                          "st.global.u32 [%d1+256], %r7; st.global.u32 [%d1+512], %r4;")
            KERNEL("nothing", "st.global.u32 [%d1+128], 1;")
                KERNEL("meets", "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
                                "st.global.u32 [%d1+128], 1;");

static struct chain_wait waits; /* of a load */
static struct chain found;

static struct chain_wait wait_of(void *state, uint32_t pc, const struct ptx_insn *in)
{
    (void)state, (void)pc;
    return in->op == PTX_OP_LD ? waits : (struct chain_wait){.cycles = 1};
}

static void ask(void *state, const struct launch_event *launch)
{
    (void)state;
    const struct gpu_rates rates = gpu_rates(gpu_limits_find("h200"));
    found = chain_of(launch->kernel, launch->sites, 1, 1, &rates, wait_of, NULL);
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
                                  .block = {32, 1, 1},
                                  .params = &p};
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
    ck_assert_double_eq_tol(in_step, 0.5 * FAR_CYCLES, 0.03 * FAR_CYCLES);
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

int main(void)
{
    TCase *tc = tcase_create("chain_waits");
    tcase_add_test(tc, loads_in_step_wait_together);
    tcase_add_test(tc, a_cluster_meets_later_than_a_block);
    tcase_add_test(tc, an_instruction_has_three_operands);
    return run_suite("chain_waits", tc);
}

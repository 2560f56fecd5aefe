/* test_block.c - barriers of a block, the blocks of a grid, and what does not depend on the number
 * of worker threads. */
#include "machine_fixture.h"

/* Writes the thread's index to shared memory and reads the neighbour warp's after `barrier`. */
#define EXCHANGE(barrier)                                                                          \
    ".shared .align 4 .b8 box[512]; mov.u32 %r5, box; shl.b32 %r6, %r1, 2; add.u32 %r7, %r6, %r5;" \
    "st.shared.u32 [%r7], %r1;" barrier "xor.b32 %r6, %r6, 128; add.u32 %r7, %r6, %r5;"            \
    "ld.shared.u32 %r2, [%r7];"

START_TEST(a_barrier_orders_two_warps)
{
    static const char *const barriers[] = {
        EXCHANGE("bar.sync 0;"), EXCHANGE("barrier.sync.aligned 3;"), EXCHANGE("bar.sync 1, 64;"),
        EXCHANGE("setp.lt.u32 %p1, %r1, 32; @%p1 bra A; bar.arrive 1, 64; bar.sync 2, 64; bra B;"
                 "A: bar.sync 1, 64; bar.arrive 2, 64; B:")};
    struct machine m = {.block = {64, 1, 1}};
    machine_run(&m, barriers[_i]);
    ck_assert_msg(m.good, "%d: %s", _i, m.e.text);
    for (uint32_t t = 0; t < (_i == 3 ? 32 : 64); t++) {
        ck_assert_uint_eq(m.out[t], t ^ 32);
    }
    ck_assert_uint_eq(m.counters.barriers, _i == 3 ? 4 : 2);
}
END_TEST

START_TEST(barriers_count_predicates)
{
    struct machine m = {.block = {64, 1, 1}};
    machine_run(&m,
                "setp.lt.u32 %p1, %r1, 37; bar.red.popc.u32 %r2, 0, %p1;"
                "bar.red.and.pred %p2, 0, %p1; selp.b32 %r3, 100, 0, %p2; add.u32 %r2, %r2, %r3;"
                "bar.red.or.pred %p2, 0, !%p1; selp.b32 %r3, 1000, 0, %p2;"
                "add.u32 %r2, %r2, %r3;");
    ck_assert_msg(m.good, "%s", m.e.text);
    for (uint32_t t = 0; t < 64; t++) {
        ck_assert_uint_eq(m.out[t], 1037);
    }
}
END_TEST

/* Of 40 threads the second warp has 8; the others of its lanes hold something, but are nobody. */
START_TEST(lanes_that_do_not_exist_do_not_count)
{
    struct machine m = {.block = {40, 1, 1}};
    machine_run(&m, "setp.ne.u32 %p1, %r1, %r1; bar.red.popc.u32 %r2, 0, !%p1;");
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_uint_eq(m.out[0], 40);
    ck_assert_uint_eq(m.out[39], 40);
}
END_TEST

static const struct {
    const char *what, *body, *text;
    uint32_t threads;
} mistakes[] = {
    {"a barrier that half of a warp never reaches",
     "setp.lt.u32 %p1, %r1, 16; @%p1 bra END; bar.sync 0; trap; END: bar.sync 1;", "divergent", 32},
    {"a warp that exits before the barrier",
     "setp.lt.u32 %p1, %r1, 32; @%p1 bra END; bar.sync 0; END:", "never reach", 64},
    {"a barrier that does not exist", "bar.sync 16;", "barrier", 32},
    {"a barrier for 48 threads", "bar.sync 1, 48;", "multiple of 32", 64},
    {"a named barrier that waits for more warps than come", "bar.sync 1, 96;", "never reach", 64},
};

START_TEST(mistakes_with_barriers_are_reported)
{
    struct machine m = {.block = {mistakes[_i].threads, 1, 1}};
    machine_run(&m, mistakes[_i].body);
    ck_assert_msg(!m.good, "%s: runs", mistakes[_i].what);
    ck_assert_msg(strstr(m.e.text, mistakes[_i].text) != NULL, "%s: %s", mistakes[_i].what,
                  m.e.text);
}
END_TEST

/* Lanes that have come to one barrier by two calls go back to two callers: they cannot go on as one. */
START_TEST(a_barrier_that_two_calls_lead_to_is_divergent)
{
    struct machine m = {.functions = ".func wait()\n{ bar.sync 0; ret;\n}\n"};
    machine_run(&m, "setp.lt.u32 %p1, %r1, 16; @%p1 bra LOW; call wait; mov.u32 %r2, 1; bra END;"
                    "LOW: call wait; mov.u32 %r2, 2; END:");
    ck_assert_msg(!m.good && strstr(m.e.text, "barrier in divergent code") != NULL, "%s, %u and %u",
                  m.e.text, m.out[0], m.out[31]);
}
END_TEST

START_TEST(counters_do_not_depend_on_the_workers)
{
    struct simt_counters one = {0};
    static const unsigned workers[] = {1, 2, 7};
    for (unsigned i = 0; i < 3; i++) {
        struct machine m = {.grid = {13, 1, 1}, .block = {70, 1, 1}, .workers = workers[i]};
        machine_run(&m, "rem.u32 %r3, %r32, 5; LOOP: add.u32 %r2, %r2, 3; sub.u32 %r3, %r3, 1;"
                        "setp.ge.s32 %p1, %r3, 0; @%p1 bra LOOP; bar.sync 0;"
                        "red.global.add.u32 [%rd1+16000], %r2; ld.global.u32 %r4, [%rd2];");
        ck_assert_msg(m.good, "%s", m.e.text);
        one = i == 0 ? m.counters : one;
        ck_assert_int_eq(memcmp(&one, &m.counters, sizeof one), 0);
        ck_assert_uint_eq(m.counters.warps, 39);
        ck_assert_uint_eq(m.counters.barriers, 39);
        ck_assert_uint_eq(m.out[4000], 13 * 70 * 9);
    }
}
END_TEST

/* Cooperative groups keep 1024 bytes behind the block's own: all of them may be used, none more. */
START_TEST(reserved_shared_memory_is_there)
{
    for (unsigned beyond = 0; beyond < 2; beyond++) {
        struct machine m = {0};
        char text[200];
        snprintf(text, sizeof text,
                 "mov.u32 %%r3, %%reserved_smem_offset_end; st.shared.u32 [%%r3+%d], 7;"
                 "ld.shared.u32 %%r2, [%%r3+%d];",
                 beyond ? 0 : -4, beyond ? 0 : -4);
        machine_run(&m, text);
        ck_assert_msg(m.good == !beyond, "%u: %s", beyond, m.e.text);
        ck_assert(beyond || m.out[0] == 7);
    }
}
END_TEST

/* Each block raises a counter and waits until all have: only possible if all are resident. */
START_TEST(blocks_of_a_cooperative_grid_run_together)
{
    struct machine m = {.grid = {9, 1, 1}, .block = {32, 1, 1}, .workers = 2, .cooperative = true};
    machine_run(&m, "setp.ne.u32 %p1, %r1, 0; @%p1 bra END; red.global.add.u32 [%rd1+16000], 1;"
                    "WAIT: ld.volatile.global.u32 %r2, [%rd1+16000]; setp.ne.u32 %p2, %r2, 9;"
                    "@%p2 bra WAIT; END:");
    ck_assert_msg(m.good, "%s", m.e.text);
    for (uint32_t b = 0; b < 9; b++) {
        ck_assert_uint_eq(m.out[b * 32], 9);
    }
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("block");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_barrier_orders_two_warps, 0, 4);
    tcase_add_test(tc, barriers_count_predicates);
    tcase_add_test(tc, lanes_that_do_not_exist_do_not_count);
    tcase_add_loop_test(tc, mistakes_with_barriers_are_reported, 0,
                        sizeof mistakes / sizeof mistakes[0]);
    tcase_add_test(tc, a_barrier_that_two_calls_lead_to_is_divergent);
    tcase_add_test(tc, counters_do_not_depend_on_the_workers);
    tcase_add_test(tc, reserved_shared_memory_is_there);
    tcase_add_test(tc, blocks_of_a_cooperative_grid_run_together);
    return run_suite("block", tc);
}

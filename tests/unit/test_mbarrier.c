/* test_mbarrier.c - barriers in shared memory: when a phase is over, for whom, and what is said of
 * their misuse. What they order: tests/mistakes/mbarrier.cu. */
#include "machine_fixture.h"

#define BOX      ".shared .align 8 .b64 box; "
#define BOX2     ".shared .align 8 .b64 second; "
#define FIRST    "setp.eq.u32 %p1, %r1, 0; @%p1 "
#define BARRIER  "bar.sync 0; "
#define STATE    "mbarrier.arrive.shared.b64 %rd3, [box]; "
#define TEST     "mbarrier.test_wait.shared.b64 %p2, [box], %rd3; selp.u32 %r2, 1, 0, %p2; "
#define IS(what) "mbarrier." what "; selp.u32 %r2, 1, 0, %p2; "

/* 32 threads; the results of the first and the last. */
static const struct {
    const char *what, *body;
    uint32_t first, last;
} cases[] = {
    {"all have come", BOX FIRST "mbarrier.init.shared.b64 [box], 32; " BARRIER STATE TEST, 1, 1},
    {"one is missing", BOX FIRST "mbarrier.init.shared.b64 [box], 33; " BARRIER STATE TEST, 0, 0},
    {"two phases in one instruction",
     BOX FIRST "mbarrier.init.shared.b64 [box], 20; " BARRIER STATE TEST, 1, 0},
    {"parity of the first phase",
     BOX FIRST "mbarrier.init.shared.b64 [box], 32; " BARRIER STATE IS(
         "test_wait.parity.shared.b64 %p2, [box], 0"),
     1, 1},
    {"parity of the second",
     BOX FIRST "mbarrier.init.shared.b64 [box], 32; " BARRIER STATE IS(
         "try_wait.parity.shared.b64 %p2, [box], 1"),
     0, 0},
    {"one arrives for several",
     BOX FIRST "mbarrier.init.shared.b64 [box], 9; " BARRIER FIRST
               "mbarrier.arrive.release.cta.shared::cta.b64 _, [box], 9; " BARRIER IS(
                   "try_wait.parity.acquire.cta.shared::cta.b64 %p2, [box], 0, 100"),
     1, 1},
    {"bytes are missing",
     BOX FIRST "mbarrier.init.shared.b64 [box], 1; " FIRST
               "mbarrier.arrive.expect_tx.shared.b64 _, [box], 64; " FIRST
               "mbarrier.complete_tx.relaxed.cta.shared.b64 [box], 60; " BARRIER IS(
                   "test_wait.parity.shared.b64 %p2, [box], 0"),
     0, 0},
    {"bytes have come",
     BOX FIRST "mbarrier.init.shared.b64 [box], 1; " FIRST
               "mbarrier.expect_tx.shared.b64 [box], 64; " FIRST
               "mbarrier.arrive.shared.b64 _, [box]; " FIRST
               "mbarrier.complete_tx.shared.b64 [box], 64; " BARRIER IS(
                   "test_wait.parity.shared.b64 %p2, [box], 0"),
     1, 1},
    {"the most bytes",
     BOX FIRST "mbarrier.init.shared.b64 [box], 1; " FIRST
               "mbarrier.arrive.expect_tx.shared.b64 _, [box], 0xfffff; " FIRST
               "mbarrier.complete_tx.shared.b64 [box], 0xfffff; " BARRIER IS(
                   "test_wait.parity.shared.b64 %p2, [box], 0"),
     1, 1},
    {"bytes that come before they are expected",
     BOX FIRST "mbarrier.init.shared.b64 [box], 1; " FIRST
               "mbarrier.complete_tx.shared.b64 [box], 16; " FIRST
               "mbarrier.arrive.expect_tx.shared.b64 _, [box], 16; " BARRIER IS(
                   "test_wait.parity.shared.b64 %p2, [box], 0"),
     1, 1},
    {"who drops out is not expected again",
     BOX FIRST "mbarrier.init.shared.b64 [box], 33; " BARRIER
               "mbarrier.arrive_drop.shared.b64 %rd3, [box]; " FIRST
               "mbarrier.arrive.shared.b64 _, [box]; " FIRST
               "mbarrier.arrive.shared.b64 _, [box]; " BARRIER IS(
                   "test_wait.parity.shared.b64 %p2, [box], 1"),
     1, 1},
    {"how many were pending",
     BOX FIRST "mbarrier.init.shared.b64 [box], 40; " BARRIER STATE
               "mbarrier.pending_count.b64 %r2, %rd3; ",
     40, 9},
    {"copies arrive: counted",
     BOX FIRST "mbarrier.init.shared.b64 [box], 32; " BARRIER
               "cp.async.mbarrier.arrive.noinc.shared.b64 [box]; " IS(
                   "test_wait.parity.shared.b64 %p2, [box], 0"),
     1, 1},
    {"copies arrive: not counted",
     BOX FIRST
     "mbarrier.init.shared.b64 [box], 32; " BARRIER
     "cp.async.mbarrier.arrive.shared.b64 [box]; " IS("test_wait.parity.shared.b64 %p2, [box], 0"),
     0, 0},
    {"a generic address",
     BOX FIRST "mbarrier.init.shared.b64 [box], 32; " BARRIER
               "mov.u64 %rd4, box; cvta.shared.u64 %rd4, %rd4; mbarrier.arrive.b64 %rd3, [%rd4]; "
               "mbarrier.test_wait.b64 %p2, [%rd4], %rd3; selp.u32 %r2, 1, 0, %p2; ",
     1, 1},
};

START_TEST(phases_end_when_all_have_come)
{
    struct machine m = {0};
    machine_run(&m, cases[_i].body);
    ck_assert_msg(m.good, "%s: %s", cases[_i].what, m.e.text);
    ck_assert_msg(m.out[0] == cases[_i].first && m.out[31] == cases[_i].last, "%s: %u and %u",
                  cases[_i].what, m.out[0], m.out[31]);
}
END_TEST

static const struct {
    const char *body;
    int code;
    const char *text;
} faults[] = {
    {BOX STATE, SIMT_BARRIER, "nobody has initialised"},
    {BOX FIRST "mbarrier.init.shared.b64 [box], 1; " FIRST "mbarrier.inval.shared.b64 [box]; " FIRST
               "mbarrier.arrive.shared.b64 _, [box];",
     SIMT_BARRIER, "nobody has initialised"},
    {BOX FIRST "mbarrier.init.shared.b64 [box], 0; ", SIMT_BARRIER, "0 arrivals"},
    {BOX FIRST "mbarrier.init.shared.b64 [box], 2; " FIRST
               "mbarrier.arrive.shared.b64 _, [box], 3; ",
     SIMT_BARRIER, "more arrivals at an mbarrier than the 2"},
    {BOX FIRST "mbarrier.init.shared.b64 [box], 2; " FIRST
               "mbarrier.expect_tx.shared.b64 [box], 0xfffff; " FIRST
               "mbarrier.expect_tx.shared.b64 [box], 1; ",
     SIMT_BARRIER, "waits for 1048576 bytes"},
    {BOX FIRST "mbarrier.init.shared.b64 [box], 3; " FIRST
               "mbarrier.arrive.expect_tx.shared.b64 _, [box], 48; AGAIN: "
               "mbarrier.try_wait.parity.shared.b64 %p2, [box], 0; @!%p2 bra AGAIN;",
     SIMT_TIMEOUT, "its phase lacks 2 of 3 arrivals and 48 bytes"},
    {BOX BOX2 "mbarrier.init.shared.b64 [box+4], 1; ", SIMT_MISALIGNED, "multiple of 8"},
    {BOX "mbarrier.init.shared.b64 [box+8], 1; ", SIMT_ILLEGAL_ADDRESS, "8 bytes of shared memory"},
    {"mbarrier.init.b64 [%rd1], 1; ", SIMT_ILLEGAL_ADDRESS, "must lie in shared memory"},
};

START_TEST(misuse_is_told)
{
    struct machine m = {0};
    machine_run(&m, faults[_i].body);
    ck_assert_msg(!m.good, "%s: runs", faults[_i].body);
    ck_assert_msg(m.e.code == faults[_i].code && strstr(m.e.text, faults[_i].text) != NULL,
                  "%s: %d: %s", faults[_i].body, m.e.code, m.e.text);
}
END_TEST

/* Warp 1 waits for what warp 0 does long after: a poll that fails leaves the turn to others. */
START_TEST(a_warp_waits_for_another)
{
    struct machine m = {.block = {64, 1, 1}};
    machine_run(&m, BOX FIRST "mbarrier.init.shared.b64 [box], 1; " BARRIER
                              "setp.lt.u32 %p3, %r1, 32; @%p3 bra WORK; "
                              "AGAIN: mbarrier.try_wait.parity.shared.b64 %p2, [box], 0; "
                              "@!%p2 bra AGAIN; ld.global.u32 %r2, [%rd1+256]; bra END; "
                              "WORK: add.u32 %r3, %r3, 1; setp.lt.u32 %p4, %r3, 3000; "
                              "@%p4 bra WORK; st.global.u32 [%rd1+256], 77; " FIRST
                              "mbarrier.arrive.shared.b64 _, [box]; END: ");
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_uint_eq(m.out[32], 77);
    ck_assert_uint_eq(m.out[63], 77);
}
END_TEST

/* st.async is counted as a store in another block's shared memory; red.async is counted nowhere, as
 * on an H200. */
START_TEST(a_store_that_completes_a_barrier_is_counted)
{
    struct machine m = {.grid = {2, 1, 1},
                        .block = {32, 1, 1},
                        .cluster = {2, 1, 1},
                        .functions =
                            ".shared .align 8 .b64 full; .shared .align 4 .b8 box[256];\n"};
    machine_run(&m,
                "mov.u32 %r5, full; setp.eq.u32 %p1, %r1, 0;"
                "@%p1 mbarrier.init.shared.b64 [%r5], 1;"
                "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 256;"
                "barrier.cluster.arrive; barrier.cluster.wait;"
                "xor.b32 %r6, %r30, 1; mapa.shared::cluster.u32 %r7, %r5, %r6; mov.u32 %r8, box;"
                "shl.b32 %r9, %r1, 2; add.u32 %r8, %r8, %r9;"
                "mapa.shared::cluster.u32 %r8, %r8, %r6;"
                "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r8], %r1, [%r7];"
                "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
                "[%r8+128], %r1, [%r7];"
                "AGAIN: mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0; @!%p2 bra AGAIN;"
                "mov.u32 %r8, box; add.u32 %r8, %r8, %r9; ld.shared.u32 %r2, [%r8];"
                "barrier.cluster.arrive; barrier.cluster.wait;");
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_uint_eq(m.out[31], 31);
    ck_assert_uint_eq(m.counters.cluster_store_requests, 2);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("mbarrier");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, phases_end_when_all_have_come, 0, sizeof cases / sizeof cases[0]);
    tcase_add_loop_test(tc, misuse_is_told, 0, sizeof faults / sizeof faults[0]);
    tcase_add_test(tc, a_warp_waits_for_another);
    tcase_add_test(tc, a_store_that_completes_a_barrier_is_counted);
    return run_suite("mbarrier", tc);
}

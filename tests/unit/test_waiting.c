/* test_waiting.c - blocks that wait for memory to change: which are put aside, which wait for ever,
 * and which loops only look as if they did. */
#include "machine_fixture.h"

enum {
    SOON = 100000 /* warp instructions: four slices, and a fourth of what patience alone takes */
};

/* Block 0 waits for block 1, which a single worker starts only when it has lost its patience. No
 * GPU promises this for a plain launch, but all do it while there is room. */
START_TEST(a_block_that_waits_is_put_aside)
{
    struct machine m = {.grid = {2, 1, 1}, .block = {1, 1, 1}};
    machine_run(&m, "setp.ne.u32 %p1, %r30, 0; @%p1 st.volatile.global.u32 [%rd1+8000], 5;"
                    "WAIT: ld.volatile.global.u32 %r2, [%rd1+8000]; setp.eq.u32 %p2, %r2, 0;"
                    "@%p2 bra WAIT;");
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_uint_eq(m.out[0], 5);
    ck_assert_uint_eq(m.out[1], 5);
}
END_TEST

/* Lane 0 waits for what the others store where the branch comes together: they go ahead of it as
 * soon as it has asked memory for a few slices, not only after very many rounds. */
START_TEST(lanes_behind_a_loop_that_polls_go_ahead_soon)
{
    struct machine m = {.block = {32, 1, 1}};
    machine_run(&m, "setp.ne.u32 %p1, %r1, 0; @%p1 bra MEET;"
                    "WAIT: ld.volatile.global.u32 %r2, [%rd1+8000]; setp.eq.u32 %p2, %r2, 0;"
                    "@%p2 bra WAIT;"
                    "MEET: mov.u32 %r3, 5; st.volatile.global.u32 [%rd1+8000], %r3;"
                    "ld.volatile.global.u32 %r2, [%rd1+8000];");
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_uint_eq(m.out[0], 5);
    ck_assert_uint_eq(m.out[31], 5);
    ck_assert_msg(m.counters.instructions < SOON, "%llu instructions",
                  (unsigned long long)m.counters.instructions);
}
END_TEST

/* The same, where the question is asked in a function, so that the loop itself shows no atomic and no
 * strong load: lanes that have used up their slice let the others go on. Lane 0 waits for lanes that
 * wait behind its loop, and then for lanes that are in a branch of their own. */
static const char asking[] =
    ".func (.param .b32 result) ask(.param .b64 at)\n{ .reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
    "ld.param.u64 %rd1, [at]; ld.volatile.global.u32 %r1, [%rd1]; st.param.b32 [result], %r1;"
    "ret; }\n";

#define ASK                                                                                        \
    "WAIT: { .param .b64 a; .param .b32 b; st.param.b64 [a], %rd3; call (b), ask, (a);"            \
    "ld.param.b32 %r2, [b]; } setp.eq.u32 %p2, %r2, 0; @%p2 bra WAIT;"

static const char *const questions[] = {
    "add.u64 %rd3, %rd1, 8000; setp.ne.u32 %p1, %r1, 0; @%p1 bra MEET;" ASK
    "MEET: mov.u32 %r3, 5; st.volatile.global.u32 [%rd1+8000], %r3; mov.u32 %r2, 5;",
    "add.u64 %rd3, %rd1, 8000; mov.u32 %r3, 5; setp.eq.u32 %p1, %r1, 0; @!%p1 bra ON;" ASK
    "bra MEET; ON: st.volatile.global.u32 [%rd1+8000], %r3; mov.u32 %r2, 5; MEET:",
    "add.u64 %rd3, %rd1, 8000; mov.u32 %r3, 5; setp.eq.u32 %p1, %r1, 0; @%p1 bra WAIT;"
    "st.volatile.global.u32 [%rd1+8000], %r3; mov.u32 %r2, 5; bra MEET;" ASK "MEET:",
};

START_TEST(lanes_that_ask_in_a_function_let_the_others_go_on)
{
    struct machine m = {.block = {32, 1, 1}, .functions = asking};
    machine_run(&m, questions[_i]);
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_uint_eq(m.out[0], 5);
    ck_assert_uint_eq(m.out[31], 5);
    ck_assert_msg(m.counters.instructions < 5 * SOON, "%llu instructions",
                  (unsigned long long)m.counters.instructions);
}
END_TEST

/* Lane 0 waits at an mbarrier for lanes that wait for it behind its loop. */
START_TEST(lanes_behind_a_loop_at_an_mbarrier_go_ahead_soon)
{
    struct machine m = {.block = {32, 1, 1}, .functions = ".shared .align 8 .b64 bar;\n"};
    machine_run(&m, "mov.u32 %r5, bar; setp.ne.u32 %p1, %r1, 0;"
                    "@!%p1 mbarrier.init.shared.b64 [%r5], 31; bar.sync 0; @%p1 bra MEET;"
                    "WAIT: mbarrier.test_wait.parity.shared.b64 %p2, [%r5], 0; @!%p2 bra WAIT;"
                    "MEET: mbarrier.arrive.shared.b64 %rd5, [%r5]; mov.u32 %r2, 5;");
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_uint_eq(m.out[0], 5);
    ck_assert_msg(m.counters.instructions < SOON, "%llu instructions",
                  (unsigned long long)m.counters.instructions);
}
END_TEST

/* clang sends lanes 1 to 31 from the loop's end straight to the shuffle, and lane 0 by way of the
 * loop's head, behind the inner loop that this makes: it would wait there for the others, which
 * wait for it at the shuffle. */
START_TEST(lanes_that_must_come_to_a_shuffle_wait_nowhere_else)
{
    struct machine m = {.block = {32, 1, 1}};
    machine_run(&m, "setp.ne.u32 %p1, %r1, 0; mov.u32 %r5, 0; mov.u32 %r3, 0;"
                    "HEAD: @%p1 bra MEET; add.u32 %r3, %r3, 3;"
                    "MEET: shfl.sync.idx.b32 %r2, %r3, 0, 31, 0xffffffff; add.u32 %r5, %r5, 1;"
                    "setp.ge.u32 %p2, %r5, 4; @%p2 bra DONE; @%p1 bra MEET; bra HEAD; DONE:");
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_uint_eq(m.out[0], 12);
    ck_assert_uint_eq(m.out[31], 12);
}
END_TEST

/* Lanes that need not come to it are waited for in vain. */
START_TEST(lanes_that_may_pass_a_shuffle_by_are_missed)
{
    struct machine m = {.block = {32, 1, 1}};
    machine_run(&m, "setp.ne.u32 %p1, %r1, 0; mov.u32 %r5, 0; mov.u32 %r3, 0;"
                    "HEAD: @%p1 bra PAST; shfl.sync.idx.b32 %r2, %r3, 0, 31, 0xffffffff;"
                    "PAST: add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 4; @%p2 bra HEAD;");
    ck_assert(!m.good);
    ck_assert_int_eq(m.e.code, SIMT_BAD_SHUFFLE);
    ck_assert_msg(strstr(m.e.text, "wait here for lanes 0xfffffffe") != NULL, "%s", m.e.text);
}
END_TEST

/* Its warps wait at barriers all the time, so that none of them ever uses up a slice. */
START_TEST(a_block_that_waits_at_barriers_is_put_aside)
{
    setenv("SIMT_MAX_INSTRUCTIONS", "100000000", 1);
    struct machine m = {.grid = {2, 1, 1}, .block = {64, 1, 1}};
    machine_run(&m, "setp.ne.u32 %p1, %r30, 0; @%p1 st.volatile.global.u32 [%rd1+8000], 5;"
                    "WAIT: ld.volatile.global.u32 %r2, [%rd1+8000]; setp.eq.u32 %p2, %r2, 0;"
                    "bar.red.popc.u32 %r3, 0, %p2; setp.ne.u32 %p3, %r3, 0; @%p3 bra WAIT;");
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_uint_eq(m.out[0], 5);
    ck_assert_uint_eq(m.out[127], 5);
}
END_TEST

/* A barrier of the whole grid by hand, twice: no block may end before the last one has begun. One
 * worker has to start them all, in a fraction of what one block may execute. */
START_TEST(a_whole_grid_may_wait_for_itself)
{
    setenv("SIMT_MAX_INSTRUCTIONS", "150000000", 1);
    struct machine m = {.grid = {24, 1, 1}, .block = {64, 1, 1}};
    machine_run(&m, "mov.u32 %r5, 24; bar.sync 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra MEET;"
                    "red.global.add.u32 [%rd1+8000], 1;"
                    "WAIT: ld.volatile.global.u32 %r2, [%rd1+8000]; setp.lt.u32 %p2, %r2, %r5;"
                    "@%p2 bra WAIT; MEET: bar.sync 0; @%p1 bra DONE;"
                    "red.global.add.u32 [%rd1+8000], 1;"
                    "AGAIN: ld.volatile.global.u32 %r2, [%rd1+8000]; setp.lt.u32 %p2, %r2, 48;"
                    "@%p2 bra AGAIN; DONE: bar.sync 0; ld.volatile.global.u32 %r2, [%rd1+8000];");
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_uint_eq(m.out[0], 48);
}
END_TEST

/* 40 blocks pass a number round, so that at any time all but one of them wait. None of them is
 * endless, however long a worker is without a core. */
START_TEST(a_number_that_goes_round_is_no_endless_grid)
{
    struct machine m = {.grid = {40, 1, 1}, .block = {64, 1, 1}, .workers = (unsigned)_i};
    machine_run(&m, "setp.ne.u32 %p1, %r1, 0; @%p1 bra DONE; mov.u32 %r5, %r30;"
                    "NEXT: ld.volatile.global.u32 %r2, [%rd1+12000]; setp.ne.u32 %p2, %r2, %r5;"
                    "@%p2 bra NEXT; add.u32 %r6, %r5, 1; st.volatile.global.u32 [%rd1+12000], %r6;"
                    "add.u32 %r5, %r5, 40; setp.lt.u32 %p3, %r5, 800; @%p3 bra NEXT; DONE:");
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_uint_eq(m.out[39 * 64], 799);
}
END_TEST

static const struct {
    const char *what, *body;
    struct simt_dim grid;
    bool cooperative;
} endless[] = {
    {"a loop", "L: ld.volatile.global.u32 %r2, [%rd1+8000]; bra L;", {1, 1, 1}, false},
    {"a loop with a barrier", "L: bar.sync 0; bra L;", {1, 1, 1}, false},
    {"blocks that wait for one more",
     "red.global.add.u32 [%rd1+8000], 1;"
     "L: ld.volatile.global.u32 %r2, [%rd1+8000]; setp.lt.u32 %p2, %r2, 479905; @%p2 bra L;",
     {4999, 1, 1},
     false},
    {"barriers, in many blocks", "L: bar.sync 0; bra L;", {500, 1, 1}, false},
    {"a cooperative grid", "L: ld.volatile.global.u32 %r2, [%rd1+8000]; bra L;", {500, 1, 1}, true},
};

/* The limit is one block's. However many wait with it, the launch takes a few times that. */
START_TEST(an_endless_grid_is_found_out)
{
    const unsigned limit =
        RUNNING_SLOWLY > 1 ? 5000000 : 10000000; /* over the patience of worker.c */
    char text[16];
    snprintf(text, sizeof text, "%u", limit);
    setenv("SIMT_MAX_INSTRUCTIONS", text, 1);
    struct machine m = {.grid = endless[_i].grid,
                        .block = {96, 1, 1},
                        .workers = 2,
                        .cooperative = endless[_i].cooperative};
    machine_run(&m, endless[_i].body);
    ck_assert_msg(!m.good && m.e.code == SIMT_TIMEOUT, "%s: %s", endless[_i].what, m.e.text);
    ck_assert_ptr_nonnull(strstr(m.e.text, "the kernel does not end"));
    ck_assert_uint_lt(m.counters.instructions, 8 * (uint64_t)limit);
}
END_TEST

#define MEET(blocks)                                                                               \
    "mov.u32 %r5, " #blocks "; setp.ne.u32 %p1, %r1, 0; @%p1 bra MEET;"                            \
    "red.global.add.u32 [%rd1+8000], 1;\n.loc 1 25 0\n"                                            \
    "WAIT: ld.volatile.global.u32 %r2, [%rd1+8000]; setp.lt.u32 %p2, %r2, %r5;"                    \
    "@%p2 bra WAIT; MEET: bar.sync 0; mov.u64 %rd2, %rd1;"

/* As many blocks as an H200 holds: 2 of 1,024 threads on each of 132 SMs. One block more waits for
 * one that cannot begin, on a GPU as here. */
START_TEST(blocks_that_fit_wait_for_each_other)
{
    struct machine m = {.grid = {264, 1, 1}, .block = {1024, 1, 1}, .workers = (unsigned)_i};
    machine_run(&m, MEET(264));
    ck_assert_msg(m.good, "%s", m.e.text);
}
END_TEST

START_TEST(a_grid_too_large_to_meet_is_a_deadlock)
{
    struct machine m = {.grid = {265, 1, 1}, .block = {1024, 1, 1}, .workers = (unsigned)_i};
    machine_run(&m, MEET(265));
    ck_assert_msg(!m.good && m.e.code == SIMT_TIMEOUT, "%s", m.e.text);
    static const char *const texts[] = {
        "at case.cu:25, block (0,0,0), thread (0,0,0): the kernel does not end: this thread waits "
        "for another value than 264 in byte 8000 of the 16384 bytes",
        "this GPU holds 264 of the grid's 265 blocks at once", "Cure: at most 264 blocks"};
    for (unsigned i = 0; i < ARRAY_LENGTH(texts); i++) {
        ck_assert_msg(strstr(m.e.text, texts[i]) != NULL, "%s", m.e.text);
    }
}
END_TEST

/* Whichever worker finds out that all blocks wait: the report is the same. */
START_TEST(of_blocks_that_all_wait_the_oldest_is_reported)
{
    for (unsigned i = 0; i < 60; i++) {
        struct machine m = {.grid = {8, 1, 1}, .block = {32, 1, 1}, .workers = 8};
        machine_run(&m, "WAIT: ld.volatile.global.u32 %r2, [%rd1+8000]; setp.eq.u32 %p2, %r2, 0;"
                        "@%p2 bra WAIT;");
        ck_assert_msg(!m.good && m.e.code == SIMT_TIMEOUT, "%s", m.e.text);
        ck_assert_msg(strstr(m.e.text, "block (0,0,0)") != NULL, "%s", m.e.text);
    }
}
END_TEST

START_TEST(blocks_that_wait_for_one_more_are_counted)
{
    struct machine m = {.grid = {80, 1, 1}, .block = {64, 1, 1}, .workers = (unsigned)_i};
    machine_run(&m, MEET(81));
    ck_assert_msg(!m.good && m.e.code == SIMT_TIMEOUT, "%s", m.e.text);
    ck_assert_msg(strstr(m.e.text, "waits for another value than 80 in byte 8000") != NULL &&
                      strstr(m.e.text, "80 of 80 blocks have not ended, and none of them can") !=
                          NULL,
                  "%s", m.e.text);
}
END_TEST

/* Nor does it take long when SIMT_SCHEDULE shuffles blocks and warps. */
START_TEST(a_deadlock_is_found_out_in_any_order)
{
    setenv("SIMT_SCHEDULE", "7", 1);
    struct machine m = {.grid = {80, 1, 1}, .block = {64, 1, 1}, .workers = (unsigned)_i};
    machine_run(&m, MEET(81));
    ck_assert_msg(!m.good && m.e.code == SIMT_TIMEOUT, "%s", m.e.text);
    ck_assert_msg(strstr(m.e.text, "80 of 80 blocks have not ended, and none of them can") != NULL,
                  "%s", m.e.text);
    ck_assert_uint_lt(m.counters.instructions, 50000000);
    m = (struct machine){.grid = {80, 1, 1}, .block = {64, 1, 1}, .workers = (unsigned)_i};
    machine_run(&m, MEET(80));
    ck_assert_msg(m.good, "%s", m.e.text);
}
END_TEST

/* A thread that gives up after a while is not waiting forever, though nobody answers. */
START_TEST(a_loop_that_counts_its_questions_ends)
{
    struct machine m = {0};
    machine_run(&m, "L: ld.volatile.global.u32 %r3, [%rd1+8000]; add.u32 %r2, %r2, 1;"
                    "setp.ne.u32 %p1, %r3, 0; @%p1 bra DONE; setp.lt.u32 %p2, %r2, 700000;"
                    "@%p2 bra L; DONE:");
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_uint_eq(m.out[0], 700000);
}
END_TEST

/* The same, where the number lies in local memory. */
START_TEST(a_loop_that_counts_in_local_memory_ends)
{
    struct machine m = {0};
    machine_run(&m, "{ .local .align 4 .b8 n[4]; st.local.u32 [n], 0;"
                    "L: ld.volatile.global.u32 %r3, [%rd1+8000]; ld.local.u32 %r2, [n];"
                    "add.u32 %r2, %r2, 1; st.local.u32 [n], %r2; mov.u32 %r4, %r2; mov.u32 %r2, 0;"
                    "setp.lt.u32 %p2, %r4, 200000; mov.u32 %r4, 0; @%p2 bra L;"
                    "ld.local.u32 %r2, [n]; }");
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_uint_eq(m.out[0], 200000);
}
END_TEST

/* What only threads of its own block could end is found out at once. */
START_TEST(a_block_that_waits_for_itself_is_found_out)
{
    struct machine m = {.grid = {2, 1, 1}, .block = {64, 1, 1}};
    machine_run(&m, "{ .shared .align 8 .b64 m; setp.ne.u32 %p1, %r1, 0;"
                    "@!%p1 mbarrier.init.shared.b64 [m], 65; bar.sync 0;"
                    "mbarrier.arrive.shared.b64 %rd5, [m];\n.loc 1 26 0\n"
                    "W: mbarrier.test_wait.shared.b64 %p2, [m], %rd5; @!%p2 bra W; }");
    ck_assert_msg(!m.good && m.e.code == SIMT_TIMEOUT, "%s", m.e.text);
    ck_assert_msg(strstr(m.e.text,
                         "at case.cu:26, block (0,0,0), thread (0,0,0): the kernel does not "
                         "end: this thread waits for the mbarrier at offset 0 of shared memory "
                         "(array m#1): its phase lacks 1 of 65 arrivals") != NULL,
                  "%s", m.e.text);
    ck_assert_uint_lt(m.counters.instructions, 10000000);
}
END_TEST

/* --- loops in which lanes wait for others ------------------------------------------------------
 */

#define SWAPS_IN_TURN                                                                              \
    "mov.u32 %r4, 0; L: add.u32 %r5, %r4, 1;"                                                      \
    "atom.global.cas.b32 %r3, [%rd1+8000], %r4, %r5; setp.ne.u32 %p1, %r3, %r4;"                   \
    "mov.u32 %r4, %r3; @%p1 bra L; mov.u32 %r2, %r3;"

static const struct {
    const char *what, *body;
    unsigned stores; /* requests: of the kernel, and of its result at the end */
} yielding[] = {
    {"who has swapped goes on alone", SWAPS_IN_TURN, 32},
    {"so do those that have waited behind the loop from the beginning",
     "mov.u32 %r2, 0; setp.lt.u32 %p2, %r1, 20; @%p2 bra MEET;" SWAPS_IN_TURN "MEET:", 12 + 1},
    {"whether a lane leaves shows in a register that it sets where it has the lock",
     "mov.u32 %r4, 0; L: atom.global.exch.b32 %r3, [%rd1+8000], 1; setp.ne.u32 %p1, %r3, 0;"
     "@%p1 bra NOT; st.volatile.global.u32 [%rd1+8000], 0; mov.u32 %r4, 1;"
     "NOT: setp.eq.u32 %p2, %r4, 0; @%p2 bra L; mov.u32 %r2, %r4;",
     32 + 32},
    {"a flag is a word that others set",
     "setp.ne.u32 %p1, %r1, 31; @%p1 bra WAIT; st.volatile.global.u32 [%rd1+8000], 7;"
     "WAIT: ld.volatile.global.u32 %r2, [%rd1+8000]; setp.eq.u32 %p2, %r2, 0; @%p2 bra WAIT;",
     1 + 1},
    {"lanes that come to the same loop one after the other are in it together",
     SWAPS_IN_TURN
     "setp.ne.u32 %p1, %r2, 31; @%p1 bra WAIT; st.volatile.global.u32 [%rd1+8004], 1;"
     "WAIT: ld.volatile.global.u32 %r6, [%rd1+8004]; setp.eq.u32 %p2, %r6, 0; @%p2 bra WAIT;",
     1 + 1},
    {"not where the number of rounds depends on no other lane",
     "mov.u32 %r4, 0; L: atom.global.add.u32 %r3, [%rd1+8000], 1; add.u32 %r2, %r2, %r3;"
     "add.u32 %r4, %r4, 1; setp.le.u32 %p1, %r4, %r1; @%p1 bra L;",
     1},
    {"nor where a plain load decides",
     "mov.u32 %r4, 0; L: ld.global.u32 %r3, [%rd1+8000]; add.u32 %r4, %r4, 1;"
     "add.u32 %r4, %r4, %r3; setp.le.u32 %p1, %r4, %r1; @%p1 bra L; mov.u32 %r2, %r4;",
     1},
};

START_TEST(lanes_that_yield_are_waited_for_nowhere)
{
    struct machine m = {.block = {32, 1, 1}};
    machine_run(&m, yielding[_i].body);
    ck_assert_msg(m.good, "%s: %s", yielding[_i].what, m.e.text);
    ck_assert_msg(m.counters.global_store_requests == yielding[_i].stores, "%s: %llu stores",
                  yielding[_i].what, (unsigned long long)m.counters.global_store_requests);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("waiting");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_block_that_waits_is_put_aside);
    tcase_add_test(tc, lanes_behind_a_loop_that_polls_go_ahead_soon);
    tcase_add_loop_test(tc, lanes_that_ask_in_a_function_let_the_others_go_on, 0,
                        (int)(sizeof questions / sizeof questions[0]));
    tcase_add_test(tc, lanes_behind_a_loop_at_an_mbarrier_go_ahead_soon);
    tcase_add_test(tc, lanes_that_must_come_to_a_shuffle_wait_nowhere_else);
    tcase_add_test(tc, lanes_that_may_pass_a_shuffle_by_are_missed);
    tcase_add_loop_test(tc, lanes_that_yield_are_waited_for_nowhere, 0,
                        (int)(sizeof yielding / sizeof yielding[0]));
    tcase_add_test(tc, a_block_that_waits_at_barriers_is_put_aside);
    tcase_add_test(tc, a_whole_grid_may_wait_for_itself);
    tcase_add_loop_test(tc, a_number_that_goes_round_is_no_endless_grid, 1, 9);
    tcase_add_loop_test(tc, blocks_that_fit_wait_for_each_other, 1, 4);
    tcase_add_loop_test(tc, a_grid_too_large_to_meet_is_a_deadlock, 1, 4);
    tcase_add_test(tc, of_blocks_that_all_wait_the_oldest_is_reported);
    tcase_add_loop_test(tc, blocks_that_wait_for_one_more_are_counted, 1, 4);
    tcase_add_loop_test(tc, a_deadlock_is_found_out_in_any_order, 1, 4);
    tcase_add_test(tc, a_loop_that_counts_its_questions_ends);
    tcase_add_test(tc, a_loop_that_counts_in_local_memory_ends);
    tcase_add_test(tc, a_block_that_waits_for_itself_is_found_out);
    tcase_add_loop_test(tc, an_endless_grid_is_found_out, 0,
                        (int)(sizeof endless / sizeof endless[0]));
    return run_suite("waiting", tc);
}

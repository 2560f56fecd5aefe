/* test_check.c - SIMT_CHECK=races in a launch with more accesses than it keeps: it says so once,
 * and what it still tells is right. */
#include "machine_fixture.h"
#include "check/check.h"

#include <unistd.h>

/* Two threads each, that do the same: block 0 stores in word 251 and does half of what is kept and
 * a little more; so does block 1, which stores in words 251 and 253 behind it; block 2 stores in
 * word 253. Only block 1 comes soon enough before block 2 to be compared with it. STORES accesses
 * between two that order the warp: a block of more than 4,000,000 instructions would be run beside
 * the next one. */
enum { STORES = 24, ROUNDS = 137500 };
static const char store[] = "st.global.u32 [%rd3+2000], %r4; ";
static const char *const before = "add.u32 %r3, %r30, 1; setp.eq.u32 %p1, %r30, 2; "
                                  "setp.ne.u32 %p2, %r30, 0; @%p2 bra LATER; "
                                  "st.global.u32 [%rd1+1004], %r3; LATER: @%p1 bra LAST; "
                                  "mov.u32 %r4, 0; mul.wide.u32 %rd3, %r30, 4; "
                                  "add.u64 %rd3, %rd1, %rd3; AGAIN: ";
static const char *const behind = "bar.warp.sync 0xffffffff; add.u32 %%r4, %%r4, 1; "
                                  "setp.lt.u32 %%p3, %%r4, %d; @%%p3 bra AGAIN; @!%%p2 bra END; "
                                  "st.global.u32 [%%rd1+1004], %%r3; "
                                  ".loc 1 21 0\nLAST: st.global.u32 [%%rd1+1012], %%r3; END:";

static const char *far_and_near(int rounds)
{
    static char body[4096];
    size_t length = (size_t)snprintf(body, sizeof body, "%s", before);
    for (int i = 0; i < STORES; i++) {
        length += (size_t)snprintf(body + length, sizeof body - length, "%s", store);
    }
    snprintf(body + length, sizeof body - length, behind, rounds);
    return body;
}

static unsigned count(const char *text, const char *wanted)
{
    unsigned found = 0;
    for (const char *at = strstr(text, wanted); at != NULL; at = strstr(at + 1, wanted)) {
        found++;
    }
    return found;
}

/* What the checks write to stderr, from now on. */
struct listening {
    struct check *check;
    FILE *file;
    int old_stderr;
    char said[8192];
};

static struct listening listen_to(unsigned what)
{
    struct listening l = {
        .check = check_open(what), .file = tmpfile(), .old_stderr = dup(STDERR_FILENO)};
    ck_assert(l.file != NULL && l.old_stderr >= 0 && dup2(fileno(l.file), STDERR_FILENO) >= 0);
    return l;
}

static struct listening listen_to_checks(void) { return listen_to(CHECK_RACES); }

static const char *what_was_said(struct listening *l)
{
    fflush(stderr);
    dup2(l->old_stderr, STDERR_FILENO);
    rewind(l->file);
    l->said[fread(l->said, 1, sizeof l->said - 1, l->file)] = '\0';
    fclose(l->file);
    return l->said;
}

START_TEST(what_is_forgotten_is_said_once)
{
    struct listening l = listen_to_checks();
    for (int i = 0; i < 2; i++) { /* what was said of the first launch is not of the second */
        struct machine m = {
            .grid = {3, 1, 1}, .block = {2, 1, 1}, .observer = check_observer(l.check)};
        machine_run(&m, far_and_near(i == 0 ? ROUNDS : 1));
        ck_assert_msg(m.good, "%s", m.e.text);
    }
    const char *said = what_was_said(&l);
    ck_assert_uint_eq(count(said, "six million"), 1);
    ck_assert_uint_eq(count(said, "simt: race in kernel"), 2);
    const char *near = strstr(said, "byte 1012"), *far = strstr(said, "byte 1004");
    const char *forgotten = strstr(said, "six million");
    ck_assert_msg(near != NULL && near < forgotten && far != NULL && forgotten < far, "%s", said);
    check_close(l.check);
}
END_TEST

/* Of three that load a word the two that are farther apart are remembered. Lanes 0 and 1 load it,
 * then warp 1; warp 2 stores there, behind the two lanes (a barrier of warps 0 and 2), and
 * unordered with warp 1. */
START_TEST(the_farthest_two_readers_are_remembered)
{
    struct listening l = listen_to_checks();
    struct machine m = {.block = {96, 1, 1}, .observer = check_observer(l.check)};
    machine_run(&m, "shr.u32 %r3, %r1, 5; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 1;"
                    "setp.eq.u32 %p3, %r1, 32; setp.eq.u32 %p4, %r1, 64;"
                    "setp.eq.u32 %p5, %r3, 0; setp.eq.u32 %p6, %r3, 2;"
                    "@%p1 ld.global.u32 %r5, [%rd1+2000]; @%p2 ld.global.u32 %r5, [%rd1+2000];"
                    ".loc 1 21 0\n@%p3 ld.global.u32 %r5, [%rd1+2000];"
                    ".loc 1 22 0\n@%p5 bar.arrive 1, 64; @%p6 bar.sync 1, 64;"
                    ".loc 1 23 0\n@%p4 st.global.u32 [%rd1+2000], 5;");
    ck_assert_msg(m.good, "%s", m.e.text);
    const char *said = what_was_said(&l);
    ck_assert_uint_eq(count(said, "simt: race in kernel"), 1);
    ck_assert_msg(strstr(said, "read at case.cu:21 by thread (32,0,0)") != NULL, "%s", said);
    ck_assert_msg(strstr(said, "written at case.cu:23 by thread (64,0,0)") != NULL, "%s", said);
    check_close(l.check);
}
END_TEST

/* One instruction of warp 2 loads two words: the first has been read by warps 0 and 1, the second
 * by warp 1 alone, twice, so that warp 2 must be remembered there. Warp 3 stores in the second,
 * behind warp 1 and unordered with warp 2. */
START_TEST(readers_of_the_word_beside_are_not_those_of_this_word)
{
    struct listening l = listen_to_checks();
    struct machine m = {.block = {128, 1, 1}, .observer = check_observer(l.check)};
    machine_run(&m, "shr.u32 %r3, %r1, 5; and.b32 %r4, %r1, 31; mul.wide.u32 %rd3, %r4, 4;"
                    "add.u64 %rd3, %rd3, %rd1; setp.lt.u32 %p7, %r4, 2; setp.eq.u32 %p8, %r4, 1;"
                    "setp.eq.and.u32 %p1, %r1, 0, %p7; setp.eq.and.u32 %p2, %r3, 1, %p8;"
                    "setp.eq.and.u32 %p3, %r3, 1, %p7; setp.eq.and.u32 %p4, %r3, 2, %p7;"
                    "setp.eq.and.u32 %p5, %r3, 3, %p8; setp.eq.u32 %p6, %r3, 1;"
                    "setp.eq.u32 %p9, %r3, 3; @%p1 ld.global.u32 %r5, [%rd3+2000];"
                    "@%p2 ld.global.u32 %r5, [%rd3+2000]; @%p3 ld.global.u32 %r5, [%rd3+2000];"
                    ".loc 1 21 0\n@%p4 ld.global.u32 %r5, [%rd3+2000];"
                    ".loc 1 22 0\n@%p6 bar.arrive 1, 64; @%p9 bar.sync 1, 64;"
                    ".loc 1 23 0\n@%p5 st.global.u32 [%rd3+2000], 5;");
    ck_assert_msg(m.good, "%s", m.e.text);
    const char *said = what_was_said(&l);
    ck_assert_msg(count(said, "simt: race in kernel") == 1, "%s", said);
    ck_assert_msg(strstr(said, "read at case.cu:21 by thread (65,0,0)") != NULL, "%s", said);
    check_close(l.check);
}
END_TEST

/* Block 0 loads four words; block 1 stores there what they hold, zeros. */
#define STORES_WHAT_IS_THERE(name)                                                                 \
    ".version 7.0\n.target sm_80\n.address_size 64\n.file 1 \"case.cu\"\n.visible .entry " name    \
    "(.param .u64 p)\n{\n.reg .pred %p<2>; .reg .u32 %r<4>; .reg .u64 %d<4>; .loc 1 20 0\n"        \
    "ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; mov.u32 %r2, %ctaid.x;" \
    "add.u64 %d3, %d1, %d2; setp.eq.u32 %p1, %r2, 0; @%p1 ld.global.u32 %r3, [%d3];"               \
    "mov.u32 %r3, 0; @!%p1 st.global.u32 [%d3], %r3; ret;\n}\n"

static unsigned findings_of(const char *text, const char *name)
{
    struct err e = {0};
    struct simt_counters counters;
    struct listening l = listen_to_checks();
    struct simt *s = simt_open(gpu_limits_default(), 1, &e);
    struct simt_module *m = simt_module_load(s, text, strlen(text), "case.ptx", &e);
    ck_assert_msg(m != NULL, "%s", e.text);
    const uint64_t p = memory_alloc(simt_memory(s), 64, MEMORY_DEVICE, "test", NULL)->begin;
    memset(memory_host(simt_memory(s), p, 64), 0, 64);
    const struct simt_launch launch = {.kernel = simt_module_kernel(m, name, &e),
                                       .grid = {2, 1, 1},
                                       .block = {4, 1, 1},
                                       .params = &p};
    ck_assert(simt_observe(s, check_observer(l.check), &e));
    ck_assert_msg(simt_run(s, &launch, &counters, &e), "%s", e.text);
    const unsigned found = (unsigned)check_findings(l.check);
    simt_close(s);
    check_close(l.check);
    what_was_said(&l);
    return found;
}

START_TEST(a_library_may_store_what_is_there)
{
    ck_assert_uint_gt(findings_of(STORES_WHAT_IS_THERE("mine"), "mine"), 0);
    ck_assert_uint_eq(
        findings_of(STORES_WHAT_IS_THERE("_ZN6thrust6uniqueEv"), "_ZN6thrust6uniqueEv"), 0);
}
END_TEST

/* A bulk copy, and the use of what it fills before the copy has ended. */
#define COPY                                                                                       \
    ".shared .align 16 .b8 tile[64]; .shared .align 8 .b64 box; setp.eq.u32 %p1, %r1, 0; "         \
    "@%p1 mbarrier.init.shared.b64 [box], 1; bar.sync 0; "                                         \
    "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [box], 64; .loc 1 21 0\n"                        \
    "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "                      \
    "[tile], [%rd1], 64, [box]; "

/* What the checks say of a kernel of one warp that runs twice, as two programs would. */
static const char *said_of_two_launches(struct listening *l, const char *body)
{
    *l = listen_to_checks();
    for (int i = 0; i < 2; i++) {
        struct machine m = {.observer = check_observer(l->check)};
        machine_run(&m, body);
        ck_assert_msg(m.good, "%s", m.e.text);
    }
    check_close(l->check);
    return what_was_said(l);
}

START_TEST(use_of_a_copy_too_early_is_reported_once_a_line)
{
    struct listening l;
    const char *said = said_of_two_launches(
        &l, COPY ".loc 1 22 0\n@%p1 ld.shared.u32 %r5, [tile]; .loc 1 23 0\n"
                 "@%p1 ld.shared.u32 %r5, [tile+4]; .loc 1 24 0\n@%p1 st.shared.u32 [tile], %r5;");
    ck_assert_msg(count(said, "simt: race in kernel") == 3, "%s", said);
    ck_assert_uint_eq(count(said, ", filled by a bulk copy at case.cu:21:"), 3);
    ck_assert_ptr_nonnull(strstr(said, "read at case.cu:22 by thread (0,0,0)"));
    ck_assert_ptr_nonnull(strstr(said, "read at case.cu:23 by thread (0,0,0)"));
    ck_assert_ptr_nonnull(strstr(said, "written at case.cu:24 by thread (0,0,0)"));
}
END_TEST

/* What two blocks do, and how many races that is. */
static const struct {
    const char *what, *body;
    unsigned races;
} pairs[] = {
    {"a plain load that says what compare-and-swap asks for is no race",
     ".reg .pred again; ld.global.u32 %r5, [%rd1]; AGAIN: add.u32 %r6, %r5, 1;"
     "atom.global.cas.b32 %r7, [%rd1], %r5, %r6; setp.ne.u32 again, %r7, %r5; mov.u32 %r5, %r7;"
     "@again bra AGAIN; add.u64 %rd2, %rd2, 256;",
     0},
    {"a plain load that says what it swaps in is one",
     "ld.global.u32 %r5, [%rd1]; atom.global.cas.b32 %r7, [%rd1], 77, %r5;"
     "add.u64 %rd2, %rd2, 256;",
     1},
    {"the last lane's word is another block's, too",
     "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd1, %rd3; setp.eq.u32 %p1, %r30, 0;"
     "@%p1 st.global.u32 [%rd3], %r1; setp.eq.u32 %p2, %r1, 31; @%p1 bra END;"
     "@%p2 ld.global.u32 %r5, [%rd3]; END: add.u64 %rd2, %rd2, 256;",
     1},
};

START_TEST(two_blocks_race_or_not)
{
    struct listening l = listen_to_checks();
    struct machine m = {.grid = {2, 1, 1}, .observer = check_observer(l.check)};
    machine_run(&m, pairs[_i].body);
    ck_assert_msg(m.good, "%s: %s", pairs[_i].what, m.e.text);
    check_close(l.check);
    const char *said = what_was_said(&l);
    ck_assert_msg(count(said, "simt: race in kernel") == pairs[_i].races, "%s: %s", pairs[_i].what,
                  said);
}
END_TEST

/* Half of a box gets values, then all lanes read a byte or a word right behind it. */
static const char *const too_far[] = {"ld.shared.u8 %r5, [%r3+64];",
                                      "ld.shared.u32 %r5, [%r3+64];"};

START_TEST(the_first_byte_without_a_value_is_reported)
{
    char body[400];
    struct listening l = listen_to(CHECK_UNINITIALISED);
    struct machine m = {.block = {16, 1, 1}, .observer = check_observer(l.check)};
    snprintf(body, sizeof body,
             ".shared .align 16 .b8 box[128]; mov.u32 %%r3, box; shl.b32 %%r4, %%r1, 2;"
             "add.u32 %%r4, %%r3, %%r4; st.shared.u32 [%%r4], %%r1; bar.sync 0;"
             "ld.shared.u32 %%r5, [%%r3+60]; .loc 1 21 0\n%s setp.ne.u32 %%p1, %%r5, 0; @%%p1 "
             "st.global.u32 [%%rd2], %%r1;",
             too_far[_i]);
    machine_run(&m, body);
    ck_assert_msg(m.good, "%s", m.e.text);
    check_close(l.check);
    const char *said = what_was_said(&l);
    ck_assert_msg(count(said, "simt: ") == 1 && strstr(said, "case.cu:21") != NULL, "%s", said);
}
END_TEST

/* Sixteen bytes of shared memory are copied byte by byte to global memory, and loaded again to
 * decide a branch. */
#define SIXTEEN                                                                                    \
    ".shared .align 16 .b8 a[16]; mov.u32 %r5, a; add.u32 %r5, %r5, %r1; cvt.u64.u32 %rd3, %r1; "  \
    "add.u64 %rd3, %rd1, %rd3; "
#define WRITTEN "st.shared.u8 [%r5], %r1; "
#define COPIED                                                                                     \
    "ld.shared.u8 %r3, [%r5]; st.global.u8 [%rd3+1024], %r3; bar.sync 0; ld.global.u32 %r4, "      \
    "[%rd1+1024]; "                                                                                \
    "setp.ne.u32 %p1, %r4, 9; @%p1 bra LAST; add.u32 %r2, %r2, 1; LAST: "
/* Of four bytes, which are copied at once, the last three are written; one of them decides. */
#define LAST_THREE                                                                                 \
    ".local .align 4 .b8 l[4]; st.local.u8 [l+1], %r1; st.local.u8 [l+2], %r1; st.local.u8 [l+3]," \
    "%r1; ld.local.v4.u8 {%r3, %r4, %r5, %r6}, [l]; st.global.v4.u8 [%rd2+1024], {%r3, %r4, %r5, " \
    "%r6}; "
#define DECIDES(at)                                                                                \
    "ld.global.u8 %r4, [%rd2+1024+" at "]; setp.ne.u32 %p1, %r4, 9; @%p1 bra LAST; "               \
    "add.u32 %r2, %r2, 1; LAST: "
static const struct {
    const char *body;
    bool reported;
} copied_bytes[] = {{SIXTEEN WRITTEN COPIED, false},
                    {SIXTEEN COPIED, true},
                    {LAST_THREE DECIDES("0"), true},
                    {LAST_THREE DECIDES("1"), false}};

START_TEST(bytes_without_a_value_stay_so_where_they_are_copied)
{
    struct listening l = listen_to(CHECK_UNINITIALISED);
    struct machine m = {.block = {16, 1, 1}, .observer = check_observer(l.check)};
    machine_run(&m, copied_bytes[_i].body);
    const bool found = check_findings(l.check) > 0;
    const char *said = what_was_said(&l);
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_msg(found == copied_bytes[_i].reported, "%s", said);
    check_close(l.check);
}
END_TEST

/* Two warps, all of whose lanes touch one word of shared memory. */
#define SHARED ".shared .align 4 .b8 word[4]; setp.lt.u32 %p1, %r1, 32; "
static const struct {
    const char *what, *body;
    unsigned races;
} shared_words[] = {
    {"two loads", SHARED "ld.shared.u32 %r3, [word]; ", 0},
    {"a store, then a load of the other warp",
     SHARED "@%p1 st.shared.u32 [word], 7; ld.shared.u32 %r3, [word]; ", 1},
    {"a load, then a store of the other warp",
     SHARED "@%p1 ld.shared.u32 %r3, [word]; @!%p1 st.shared.u32 [word], %r1; ", 2},
    {"a barrier between them",
     SHARED "@%p1 st.shared.u32 [word], 7; bar.sync 0; ld.shared.u32 %r3, [word]; ", 0},
    {"loads behind the barrier of a store",
     SHARED "ld.shared.u32 %r3, [word]; bar.sync 0; ld.shared.u32 %r4, [word]; ", 0},
};

/* The first half of one warp stores a word each, all lanes of the other one load: half of the words
 * are raced for. Where they load the words of the idle lanes alone, none is. Nor is the word that
 * one lane stores and that only idle lanes of the other warp have the address of. */
static const struct {
    const char *body;
    unsigned races;
} halves[] = {
    {"and.b32 %r3, %r1, 31; mul.wide.u32 %rd3, %r3, 4; add.u64 %rd3, %rd1, %rd3; "
     "setp.lt.u32 %p1, %r1, 16; setp.ge.u32 %p2, %r1, 48; "
     "@%p1 st.global.u32 [%rd3+1024], %r1; @%p2 ld.global.u32 %r4, [%rd3+1024]; ",
     0},
    {"and.b32 %r3, %r1, 31; mul.wide.u32 %rd3, %r3, 4; add.u64 %rd3, %rd1, %rd3; "
     "setp.lt.u32 %p1, %r1, 16; setp.ge.u32 %p2, %r1, 32; "
     "@%p1 st.global.u32 [%rd3+1024], %r1; @%p2 ld.global.u32 %r4, [%rd3+1024]; ",
     1},
    {"and.b32 %r3, %r1, 16; cvt.u64.u32 %rd3, %r3; add.u64 %rd3, %rd1, %rd3; "
     "setp.eq.u32 %p1, %r1, 0; sub.u32 %r4, %r1, 32; setp.lt.u32 %p2, %r4, 16; "
     "@%p1 st.global.u32 [%rd1+1040], %r1; @%p2 ld.global.u32 %r4, [%rd3+1024]; ",
     0},
};

START_TEST(lanes_that_are_idle_touch_nothing)
{
    struct listening l = listen_to_checks();
    struct machine m = {.block = {64, 1, 1}, .observer = check_observer(l.check)};
    machine_run(&m, halves[_i].body);
    const char *said = what_was_said(&l);
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_msg(count(said, "simt: race in kernel") == halves[_i].races, "%s", said);
    check_close(l.check);
}
END_TEST

START_TEST(a_word_of_shared_memory_is_raced_for_by_a_store)
{
    struct listening l = listen_to_checks();
    struct machine m = {.block = {64, 1, 1}, .observer = check_observer(l.check)};
    machine_run(&m, shared_words[_i].body);
    const char *said = what_was_said(&l);
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_msg(count(said, "simt: race in kernel") == shared_words[_i].races, "%s: %s",
                  shared_words[_i].what, said);
    check_close(l.check);
}
END_TEST

/* Three warps take turns by a volatile word in shared memory: each polls it, and stores the next
 * turn there. Where nobody polls, the word is lost or not as chance has it. */
static const char *const by_turns[] = {
    ".shared .align 4 .u32 turn; setp.ne.u32 %p1, %r1, 0; @%p1 bra SET;"
    "st.volatile.shared.u32 [turn], 0; SET: bar.sync 0; and.b32 %r3, %r1, 31; shr.u32 %r4, %r1, 5;"
    "setp.ne.u32 %p2, %r3, 0; @%p2 bra END; AGAIN: ld.volatile.shared.u32 %r5, [turn];"
    "setp.ne.u32 %p3, %r5, %r4; @%p3 bra AGAIN; membar.cta; add.u32 %r6, %r4, 1; membar.cta;"
    "st.volatile.shared.u32 [turn], %r6; END:",
    ".shared .align 4 .u32 turn; and.b32 %r3, %r1, 31; shr.u32 %r4, %r1, 5;"
    "setp.ne.u32 %p2, %r3, 0; @%p2 bra END; st.volatile.shared.u32 [turn], %r4; END:"};

START_TEST(threads_that_poll_may_store_the_next_turn)
{
    struct listening l = listen_to_checks();
    struct machine m = {.block = {96, 1, 1}, .observer = check_observer(l.check)};
    machine_run(&m, by_turns[_i]);
    const char *said = what_was_said(&l);
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_msg((count(said, "simt: race in kernel") > 0) == (_i == 1), "%s", said);
    check_close(l.check);
}
END_TEST

/* Thread 0 has seen the end of the phase and uses the mbarrier's memory for something else; thread
 * 32 asks later, or before, if a barrier lies between. */
static const char phase[] =
    ".shared .align 8 .b64 bar; mov.u32 %%r3, bar; setp.ne.u32 %%p1, %%r1, 0;"
    "@%%p1 bra MADE; mbarrier.init.shared.b64 [%%r3], 64; MADE: bar.sync 0;"
    "mbarrier.arrive.shared.b64 %%rd3, [%%r3]; AGAIN: "
    "mbarrier.try_wait.parity.shared.b64 %%p2, [%%r3], 0; @!%%p2 bra AGAIN;"
    "%s .loc 1 25 0\n@%%p1 bra END; st.shared.u64 [%%r3], 0; END:";

START_TEST(memory_of_an_mbarrier_is_used_behind_all_who_wait_there)
{
    char body[1024];
    struct listening l = listen_to_checks();
    struct machine m = {.block = {64, 1, 1}, .observer = check_observer(l.check)};
    snprintf(body, sizeof body, phase, _i == 1 ? "bar.sync 0;" : "");
    machine_run(&m, body);
    const char *said = what_was_said(&l);
    ck_assert_int_eq(m.good, _i == 1); /* else thread 32 waits for a phase that is gone */
    ck_assert_msg((strstr(said, "written at case.cu:25 by thread (0,0,0)") != NULL) == (_i == 0),
                  "%s", said);
    check_close(l.check);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("check");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, what_is_forgotten_is_said_once);
    tcase_add_loop_test(tests, bytes_without_a_value_stay_so_where_they_are_copied, 0,
                        sizeof copied_bytes / sizeof copied_bytes[0]);
    tcase_add_loop_test(tests, lanes_that_are_idle_touch_nothing, 0,
                        sizeof halves / sizeof halves[0]);
    tcase_add_loop_test(tests, a_word_of_shared_memory_is_raced_for_by_a_store, 0,
                        sizeof shared_words / sizeof shared_words[0]);
    tcase_add_loop_test(tests, threads_that_poll_may_store_the_next_turn, 0, 2);
    tcase_add_loop_test(tests, memory_of_an_mbarrier_is_used_behind_all_who_wait_there, 0, 2);
    tcase_add_test(tests, the_farthest_two_readers_are_remembered);
    tcase_add_test(tests, readers_of_the_word_beside_are_not_those_of_this_word);
    tcase_add_test(tests, a_library_may_store_what_is_there);
    tcase_add_test(tests, use_of_a_copy_too_early_is_reported_once_a_line);
    tcase_add_loop_test(tests, two_blocks_race_or_not, 0, sizeof pairs / sizeof pairs[0]);
    tcase_add_loop_test(tests, the_first_byte_without_a_value_is_reported, 0, 2);
    return run_suite("check", tests);
}

/* test_accesses.c - rows of accesses: what a launch's loads and stores cost, at the least, and
 * which request shows it. */
#include "machine_fixture.h"
#include "watch/accesses.h"

static struct accesses *accesses;
static const struct access_row *rows;
static unsigned count;

/* Rows of the body's own lines; the fixture's store at line 30 comes last. */
static void run(struct machine m, const char *body)
{
    accesses = accesses_open(true);
    ck_assert_ptr_nonnull(accesses);
    m.observer = accesses_observer(accesses);
    machine_run(&m, body);
    ck_assert_msg(m.good, "%s", m.e.text);
    count = accesses_rows(accesses, &rows);
    ck_assert_uint_ge(count, 1);
    ck_assert_uint_eq(rows[count - 1].line, 30);
}

START_TEST(a_stride_costs_more_than_the_least)
{
    run((struct machine){0}, "mul.wide.u32 %rd3, %r1, 8; add.u64 %rd3, %rd1, %rd3;"
                             ".loc 1 21 5\nld.global.u32 %r3, [%rd3];");
    ck_assert_uint_eq(count, 2);
    ck_assert_uint_eq(rows[0].line, 21);
    ck_assert_uint_eq(rows[0].column, 5);
    ck_assert_str_eq(rows[0].file, "case.cu");
    ck_assert_uint_eq(rows[0].requests, 1);
    ck_assert_uint_eq(rows[0].lanes, 32);
    ck_assert_uint_eq(rows[0].cost, 8);
    ck_assert_uint_eq(rows[0].least, 4);
    ck_assert_uint_eq(rows[0].wanted_bytes, 128);
    ck_assert_str_eq(rows[0].array, "parameter 0");
    ck_assert_int_eq(rows[0].parameter, 0);
    ck_assert_uint_eq(rows[1].cost, 4);
    ck_assert_uint_eq(rows[1].least, 4);
    accesses_close(accesses);
}
END_TEST

START_TEST(lanes_that_read_the_same_need_one_sector)
{
    run((struct machine){0}, "ld.global.u32 %r3, [%rd1];");
    ck_assert_uint_eq(rows[0].cost, 1);
    ck_assert_uint_eq(rows[0].least, 1);
    ck_assert_uint_eq(rows[0].wanted_bytes, 4);
    ck_assert_uint_eq(rows[0].uniform, 1);
    ck_assert_uint_eq(rows[0].uniform_low, rows[0].classes[0].sample.address[0]);
    ck_assert_uint_eq(rows[0].uniform_high, rows[0].uniform_low);
    accesses_close(accesses);
}
END_TEST

START_TEST(an_atomic_could_have_a_word_for_each_lane)
{
    run((struct machine){0},
        "and.b32 %r4, %r1, 1; mul.wide.u32 %rd3, %r4, 4; add.u64 %rd3, %rd1, %rd3;"
        "red.global.add.u32 [%rd3], %r1;");
    ck_assert_int_eq(rows[0].kind, ACCESS_REDUCTION);
    ck_assert_uint_eq(rows[0].cost, 16);
    ck_assert_uint_eq(rows[0].least, 4);
    accesses_close(accesses);
}
END_TEST

START_TEST(shared_memory_is_named_and_its_conflicts_counted)
{
    run((struct machine){.functions = ".shared .align 4 .b8 first[128];\n"
                                      ".shared .align 4 .b8 _ZZ1fvE4tile[4096];"},
        "mov.u32 %r3, first; st.shared.u32 [%r3], %r1; mov.u32 %r3, _ZZ1fvE4tile;"
        "shl.b32 %r4, %r1, 7; add.u32 %r3, %r3, %r4; .loc 1 22 0\nst.shared.u32 [%r3], %r1;");
    ck_assert_uint_eq(count, 3);
    ck_assert_str_eq(rows[0].array, "first");
    ck_assert_uint_eq(rows[0].conflicts, 0);
    ck_assert_str_eq(rows[1].array, "tile");
    ck_assert_uint_eq(rows[1].array_begin, 128);
    ck_assert_uint_eq(rows[1].cost, 32);
    ck_assert_uint_eq(rows[1].least, 1);
    ck_assert_uint_eq(rows[1].conflicts, 31);
    accesses_close(accesses);
}
END_TEST

/* Block b's threads read with stride b + 1: a class for each cost. The sample is the lowest
 * block's. */
START_TEST(classes_do_not_depend_on_workers)
{
    static const char body[] = "and.b32 %r5, %r30, 3; add.u32 %r5, %r5, 1; mul.lo.u32 %r5, %r5, "
                               "%r1; mul.wide.u32 %rd3, %r5, 4;"
                               "add.u64 %rd3, %rd1, %rd3; ld.global.u32 %r3, [%rd3];";
    for (unsigned workers = 1; workers <= 8; workers *= 2) {
        run((struct machine){.workers = workers, .grid = {64, 1, 1}, .block = {64, 1, 1}}, body);
        ck_assert_uint_eq(count, 2);
        ck_assert_uint_eq(rows[0].requests, 128);
        ck_assert_uint_eq(rows[0].cost, 32 * (4 + 8 + 12 + 16));
        ck_assert_uint_eq(rows[0].class_count, 4);
        for (unsigned i = 0; i < 4; i++) {
            const struct access_class *c = &rows[0].classes[i];
            ck_assert_uint_eq(c->cost, 4 * (i + 1));
            ck_assert_uint_eq(c->requests, 32);
            ck_assert_uint_eq(c->sample.block_number, i);
            ck_assert_uint_eq(c->sample.block.x, i);
            ck_assert_uint_eq(c->sample.warp, 0);
            ck_assert_uint_eq(c->sample.address[31] - c->sample.address[0], 31 * 4 * (i + 1));
        }
        ck_assert_uint_eq(accesses_worst(&rows[0])->cost, 16);
        ck_assert_uint_eq(accesses_typical(&rows[0])->cost, 4);
        ck_assert_uint_eq(rows[1].class_count, 1);
        ck_assert_uint_eq(rows[1].lanes, 64 * 64);
        accesses_close(accesses);
    }
}
END_TEST

/* Of 64 blocks one reads with a stride of 2: all workers but one see cheap requests alone. */
START_TEST(what_one_worker_saw_cheap_is_not_cheap)
{
    static const char body[] =
        "mov.u32 %r4, 0; LOOP: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 2000; @%p1 bra LOOP;"
        "setp.eq.u32 %p2, %r30, 7; selp.u32 %r5, 2, 1, %p2; mul.lo.u32 %r5, %r5, %r1;"
        "mul.wide.u32 %rd3, %r5, 4; add.u64 %rd3, %rd1, %rd3; ld.global.u32 %r3, [%rd3];";
    for (unsigned workers = 1; workers <= 8; workers *= 2) {
        run((struct machine){.workers = workers, .grid = {64, 1, 1}, .block = {64, 1, 1}}, body);
        ck_assert_uint_eq(rows[0].cost, 2 * (63 * 4 + 8));
        ck_assert(!rows[0].least_once && rows[1].least_once);
        accesses_close(accesses);
    }
}
END_TEST

START_TEST(generic_accesses_have_a_row_for_each_space)
{
    run((struct machine){.functions = ".shared .align 4 .b8 sh[256];"},
        "mov.u64 %rd3, sh; cvta.shared.u64 %rd3, %rd3; setp.lt.u32 %p1, %r1, 16;"
        "selp.b64 %rd3, %rd3, %rd2, %p1; ld.u32 %r3, [%rd3];");
    ck_assert_uint_eq(count, 3);
    ck_assert_int_eq(rows[0].space, PTX_GLOBAL);
    ck_assert_uint_eq(rows[0].lanes, 16);
    ck_assert_int_eq(rows[1].space, PTX_SHARED);
    ck_assert_uint_eq(rows[1].lanes, 16);
    accesses_close(accesses);
}
END_TEST

static void launch_for(struct accesses *a, unsigned unwanted, struct machine m, const char *body)
{
    struct observer observer = *accesses_observer(a);
    observer.wants &= ~unwanted;
    m.observer = &observer;
    machine_run(&m, body);
    ck_assert_msg(m.good, "%s", m.e.text);
}

/* The rows of a launch whose every request is told, with its addresses. */
static struct accesses *told_one_by_one(struct machine m, const char *body)
{
    struct accesses *a = accesses_open(true);
    launch_for(a, OBSERVE_PATTERNS, m, body);
    return a;
}

static void same_class(const struct access_class *a, const struct access_class *b)
{
    ck_assert_uint_eq(a->cost, b->cost);
    ck_assert_uint_eq(a->requests, b->requests);
    ck_assert_uint_eq(a->sample.block_number, b->sample.block_number);
    ck_assert_uint_eq(a->sample.warp, b->sample.warp);
    ck_assert_uint_eq(a->sample.lanes, b->sample.lanes);
    const unsigned first = first_lane(a->sample.lanes);
    for (lane_mask left = a->sample.lanes; left != 0; left &= left - 1) {
        const unsigned i = first_lane(left); /* arrays may lie elsewhere */
        ck_assert_uint_eq(a->sample.address[i] - a->sample.address[first],
                          b->sample.address[i] - b->sample.address[first]);
    }
}

static void same_row_but_bytes(const struct access_row *a, const struct access_row *b)
{
    ck_assert_uint_eq(a->line, b->line);
    ck_assert_int_eq(a->kind, b->kind);
    ck_assert_int_eq(a->space, b->space);
    ck_assert_uint_eq(a->requests, b->requests);
    ck_assert_uint_eq(a->lanes, b->lanes);
    ck_assert_uint_eq(a->cost, b->cost);
    ck_assert_uint_eq(a->least, b->least);
    ck_assert_uint_eq(a->conflicts, b->conflicts);
    ck_assert_uint_eq(a->uniform, b->uniform);
    ck_assert_uint_eq(a->uniform_high - a->uniform_low, b->uniform_high - b->uniform_low);
    ck_assert_int_eq(a->repeated, b->repeated);
    ck_assert_int_eq(a->least_once, b->least_once);
    ck_assert_uint_eq(a->class_count, b->class_count);
    for (unsigned i = 0; i < a->class_count; i++) {
        same_class(&a->classes[i], &b->classes[i]);
    }
}

static void same_row(const struct access_row *a, const struct access_row *b)
{
    same_row_but_bytes(a, b);
    ck_assert_uint_eq(a->wanted_bytes, b->wanted_bytes);
}

/* Nothing else is lost where nobody asks for wanted bytes. */
static void same_without_bytes(struct machine m, const char *body)
{
    struct accesses *a = accesses_open(false);
    const struct access_row *without;
    launch_for(a, 0, m, body);
    ck_assert_uint_eq(accesses_rows(a, &without), count);
    for (unsigned i = 0; i < count; i++) {
        same_row_but_bytes(&without[i], &rows[i]);
        ck_assert_uint_eq(without[i].wanted_bytes, 0);
    }
    accesses_close(a);
}

/* Loops whose requests lie as before for a while, and then otherwise: two strides, one address for
 * all, banks that conflict, bytes at odd places, local memory, fewer lanes in later rounds; and one
 * that never changes, whose first warp comes again when another one has come, too. */
static const char loops[] =
    "mov.u32 %r4, 0; mov.u32 %r8, sh; mov.u64 %rd8, own;\n"
    "LOOP: bar.sync 0; shr.u32 %r5, %r4, 3; and.b32 %r5, %r5, 1; add.u32 %r5, %r5, 1;\n"
    "mul.lo.u32 %r6, %r5, %r1; add.u32 %r6, %r6, %r4; mul.wide.u32 %rd3, %r6, 4;\n"
    "add.u64 %rd3, %rd1, %rd3;\n.loc 1 21 0\nld.global.u32 %r3, [%rd3];\n"
    "mul.wide.u32 %rd4, %r4, 4; add.u64 %rd4, %rd1, %rd4;\n.loc 1 22 0\n"
    "ld.global.u32 %r3, [%rd4+8];\nmul.wide.u32 %rd5, %r6, 1; add.u64 %rd5, %rd1, %rd5;\n"
    ".loc 1 23 0\nst.global.u8 [%rd5+8192], %r4;\n"
    "shl.b32 %r7, %r6, 3; and.b32 %r7, %r7, 1020; add.u32 %r7, %r7, %r8;\n"
    ".loc 1 24 0\nst.shared.u32 [%r7], %r4;\n"
    "and.b32 %r9, %r4, 12; cvt.u64.u32 %rd6, %r9; add.u64 %rd6, %rd8, %rd6;\n"
    ".loc 1 25 0\nst.local.u32 [%rd6], %r4;\n"
    "sub.u32 %r10, 70, %r4; setp.lt.u32 %p2, %r1, %r10;\n.loc 1 26 0\n"
    "@%p2 ld.global.v2.u32 {%r11, %r12}, [%rd2+4096];\n"
    ".loc 1 27 0\nld.global.u32 %r3, [%rd1+64];\n"
    "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 60; @%p1 bra LOOP;\n";

/* Accesses that follow a leader, whose pattern changes: near ones, far ones and wider ones, one at
 * a distance that each block has another of; one address for all; behind a store; banks. */
static const char followers[] =
    "mov.u32 %r4, 0; mov.u32 %r8, sh; mov.u64 %rd8, own; mov.u32 %r13, %ctaid.x;\n"
    "mul.wide.u32 %rd10, %r13, 36;\n"
    "LOOP: bar.sync 0; shr.u32 %r5, %r4, 4; add.u32 %r5, %r5, 1;\n"
    "mul.lo.u32 %r6, %r5, %r1; add.u32 %r6, %r6, %r4; mul.wide.u32 %rd3, %r6, 8;\n"
    "add.u64 %rd3, %rd1, %rd3;\n.loc 1 14 0\nld.global.u32 %r3, [%rd3];\n"
    ".loc 1 15 0\nld.global.u32 %r3, [%rd3+4];\n.loc 1 16 0\nld.global.v2.u32 {%r11, %r12}, "
    "[%rd3+1024];\nadd.u64 %rd7, %rd3, %rd10;\n.loc 1 17 0\nld.global.u32 %r3, [%rd7];\n"
    ".loc 1 18 0\nst.global.u32 [%rd3+4096], %r4;\n.loc 1 19 0\nld.global.u32 %r3, [%rd3+4100];\n"
    "mul.wide.u32 %rd4, %r4, 4; add.u64 %rd4, %rd1, %rd4;\n.loc 1 20 0\n"
    "ld.global.u32 %r3, [%rd4+8];\n.loc 1 21 0\nld.global.u32 %r3, [%rd4+40];\n"
    "mul.lo.u32 %r7, %r6, 4; and.b32 %r7, %r7, 508; add.u32 %r7, %r7, %r8;\n"
    ".loc 1 22 0\nst.shared.u32 [%r7], %r4;\n.loc 1 23 0\nld.shared.u32 %r3, [%r7+132];\n"
    ".loc 1 24 0\nld.shared.u8 %r3, [%r7+257];\nshl.b32 %r9, %r4, 2; add.u32 %r9, %r9, %r8;\n"
    ".loc 1 25 0\nld.shared.u32 %r3, [%r9];\n.loc 1 26 0\nld.shared.u32 %r3, [%r9+64];\n"
    "and.b32 %r9, %r4, 4; cvt.u64.u32 %rd6, %r9; add.u64 %rd6, %rd8, %rd6;\n"
    ".loc 1 27 0\nst.local.u32 [%rd6], %r4;\n.loc 1 28 0\nst.local.u32 [%rd6+4], %r4;\n"
    "mul.wide.u32 %rd5, %r1, 4; add.u64 %rd5, %rd5, %rd1;\n"
    ".loc 1 12 0\nld.global.u32 %r3, [%rd5+128];\nadd.u64 %rd7, %rd5, %rd10;\n"
    ".loc 1 13 0\nld.global.u32 %r3, [%rd7];\n"
    "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 60; @%p1 bra LOOP;\n";

/* Patterns that come again after others, of lanes, strides and places: as many as an instruction
 * keeps (machine/kept_patterns.h), or more. With leaders, and followers of which one lies at
 * another distance each time; in local memory; in global memory; and atomics. */
#define ALTERNATING(patterns)                                                                      \
    "mov.u32 %r4, 0; mov.u32 %r8, sh; mov.u64 %rd8, own;\n"                                        \
    "LOOP: bar.sync 0; rem.u32 %r5, %r4, " patterns "; mov.u32 %r6, 1; shl.b32 %r6, %r6, %r5;\n"   \
    "shr.u32 %r9, 64, %r5; and.b32 %r6, %r6, 63; setp.ge.u32 %p2, %r1, %r9; @%p2 bra NEXT;\n"      \
    "mad.lo.u32 %r7, %r6, %r1, %r5; and.b32 %r7, %r7, 127; shl.b32 %r7, %r7, 2;\n"                 \
    "mul.wide.u32 %rd3, %r7, 1; add.u64 %rd3, %rd1, %rd3; add.u32 %r7, %r7, %r8;\n"                \
    ".loc 1 21 0\nld.shared.u32 %r3, [%r7];\n.loc 1 22 0\nld.shared.u32 %r3, [%r7+128];\n"         \
    ".loc 1 23 0\nst.shared.u32 [%r7], %r3;\nand.b32 %r10, %r4, 12; add.u32 %r10, %r10, %r7;\n"    \
    ".loc 1 24 0\nld.shared.u32 %r3, [%r10+8];\nand.b32 %r9, %r1, %r5; and.b32 %r9, %r9, 3;\n"     \
    "mul.wide.u32 %rd6, %r9, 4; add.u64 %rd6, %rd8, %rd6;\n.loc 1 25 0\nst.local.u32 [%rd6], "     \
    "%r4;\n"                                                                                       \
    ".loc 1 26 0\nld.global.u32 %r3, [%rd3];\n.loc 1 27 0\nld.global.u32 %r3, [%rd3+260];\n"       \
    ".loc 1 28 0\nred.shared.add.u32 [%r7], 1;\n.loc 1 29 0\nld.shared.u32 %r3, [%r8+512];\n"      \
    "NEXT: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 200; @%p1 bra LOOP;\n"

static const struct {
    const char *text;
    unsigned rows;
} bodies[] = {{loops, 8}, {followers, 18}, {ALTERNATING("5"), 10}, {ALTERNATING("11"), 10}};

START_TEST(repeats_add_up_to_what_each_request_tells)
{
    const unsigned workers[] = {1, 2, 8};
    for (unsigned i = 0; i < 3; i++) {
        struct machine m = {.workers = workers[i],
                            .grid = {9, 1, 1},
                            .block = {64, 1, 1},
                            .functions = ".shared .align 4 .b8 sh[1024];"};
        char body[4096];
        snprintf(body, sizeof body,
                 ".local .align 8 .b8 own[16];\nshl.b32 %%r2, %%r1, 2;\n"
                 "cvt.u64.u32 %%rd9, %%r2; add.u64 %%rd2, %%rd2, %%rd9;\n%s"
                 "sub.u64 %%rd2, %%rd2, %%rd9;",
                 bodies[_i].text);
        struct accesses *told = told_one_by_one(m, body);
        run(m, body);
        const struct access_row *expected;
        ck_assert_uint_eq(count, accesses_rows(told, &expected));
        ck_assert_uint_eq(count, bodies[_i].rows);
        for (unsigned k = 0; k < count; k++) {
            same_row(&rows[k], &expected[k]);
        }
        same_without_bytes(m, body);
        accesses_close(told);
        accesses_close(accesses);
    }
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("accesses");
    tcase_add_test(tests, a_stride_costs_more_than_the_least);
    tcase_add_test(tests, lanes_that_read_the_same_need_one_sector);
    tcase_add_test(tests, an_atomic_could_have_a_word_for_each_lane);
    tcase_add_test(tests, shared_memory_is_named_and_its_conflicts_counted);
    tcase_add_test(tests, classes_do_not_depend_on_workers);
    tcase_add_test(tests, what_one_worker_saw_cheap_is_not_cheap);
    tcase_add_test(tests, generic_accesses_have_a_row_for_each_space);
    tcase_add_loop_test(tests, repeats_add_up_to_what_each_request_tells, 0,
                        sizeof bodies / sizeof bodies[0]);
    return run_suite("accesses", tests);
}

/* test_branches.c - rows of branches: those that the machine counts by itself, and those that it
 * tells, add up to what each one told alone adds up to. */
#include "machine_fixture.h"
#include "watch/branches.h"

/* The same lanes in all rounds and blocks; other ones in each warp, block and round; as many ways
 * to part as a row keeps, and more; and one that odd blocks alone come to. */
static const char body[] =
    "mov.u32 %r4, 0; shr.u32 %r9, %r1, 5;\n"
    "LOOP: xor.b32 %r5, %r4, %r9; xor.b32 %r5, %r5, %r30; and.b32 %r6, %r5, 1;\n"
    "setp.eq.u32 %p1, %r6, 0;\n.loc 1 21 0\n@%p1 bra EVEN;\nadd.u32 %r2, %r2, 1;\n"
    "EVEN: mul.lo.u32 %r7, %r4, 2654435761; add.u32 %r7, %r7, %r30; shr.u32 %r7, %r7, 3;\n"
    "shr.u32 %r7, %r7, %r1; and.b32 %r7, %r7, 1; setp.eq.u32 %p2, %r7, 0;\n.loc 1 22 0\n"
    "@%p2 bra OTHER;\nadd.u32 %r2, %r2, 2;\nOTHER: bar.sync 0; and.b32 %r8, %r30, 1;\n"
    "setp.eq.u32 %p3, %r8, 0;\n.loc 1 23 0\n@%p3 bra NEXT;\nsetp.gt.u32 %p4, %r1, %r4;\n"
    ".loc 1 24 0\n@%p4 bra NEXT;\nadd.u32 %r2, %r2, 4;\nNEXT: add.u32 %r4, %r4, 1;\n"
    ".loc 1 25 0\nsetp.lt.u32 %p5, %r4, 40; @%p5 bra LOOP;\n";

static struct branches *run(struct machine m, bool counts)
{
    struct branches *b = branches_open();
    struct observer told = *branches_observer(b); /* without branch_seen */
    m.observer = counts ? branches_observer(b) : &told;
    machine_run(&m, body);
    ck_assert_msg(m.good, "%s", m.e.text);
    return b;
}

static void same_row(const struct branch_row *a, const struct branch_row *b, bool classes)
{
    ck_assert_uint_eq(a->line, b->line);
    ck_assert_uint_eq(a->executed, b->executed);
    ck_assert_uint_eq(a->divergent, b->divergent);
    ck_assert_uint_eq(a->lanes, b->lanes);
    ck_assert_uint_eq(a->ends, b->ends);
    ck_assert_uint_eq(a->most, b->most);
    ck_assert(!classes || a->others == b->others);
    for (unsigned i = 0; classes && i < a->class_count; i++) {
        ck_assert_uint_eq(a->classes[i].lanes, b->classes[i].lanes);
        ck_assert_uint_eq(a->classes[i].taken, b->classes[i].taken);
        ck_assert_uint_eq(a->classes[i].count, b->classes[i].count);
        ck_assert_uint_eq(a->classes[i].block_number, b->classes[i].block_number);
        ck_assert_uint_eq(a->classes[i].warp, b->classes[i].warp);
    }
}

/* Which classes find room depends on the workers where there are more than have room. */
START_TEST(counted_ones_add_up_to_what_each_tells)
{
    const struct machine m = {.workers = (unsigned)_i, .grid = {13, 1, 1}, .block = {96, 1, 1}};
    static struct branches *counted, *told; /* they live as long as a program, as everywhere */
    const struct branch_row *rows, *expected;
    counted = run(m, true);
    told = run(m, false);
    const unsigned count = branches_rows(counted, &rows);
    ck_assert_uint_eq(count, 5);
    ck_assert_uint_eq(count, branches_rows(told, &expected));
    for (unsigned i = 0; i < count; i++) {
        same_row(&rows[i], &expected[i], rows[i].others == 0 || _i == 1);
    }
    ck_assert_uint_eq(rows[0].executed, 13 * 3 * 40);
    ck_assert_uint_eq(rows[1].class_count, MOST_BRANCH_CLASSES);
    ck_assert_uint_gt(rows[1].others, 0);
    ck_assert_uint_eq(rows[3].executed, 6 * 3 * 40);
}
END_TEST

/* Of the rows' observer, and how often it is called. */
static struct {
    struct observer observer;
    const struct observer *rows;
    unsigned told;
} listener;

static void listen_from_begin(void *state, const struct launch_event *launch)
{
    listener.rows->launch_begin(state, launch);
    listener.observer.branch_seen = listener.rows->branch_seen;
}

static void listen(void *state, struct warp *w, uint32_t pc, lane_mask lanes, lane_mask taken)
{
    listener.told++;
    listener.rows->branch(state, w, pc, lanes, taken);
}

/* Two warps of each block do one of two things, in turns: nearly all of it is counted. */
START_TEST(two_ways_are_counted_in_turns)
{
    static struct branches *b;
    static const char text[] =
        "mov.u32 %r4, 0; LOOP: shr.u32 %r9, %r1, 5; xor.b32 %r5, %r4, %r9; and.b32 %r5, %r5, 1;\n"
        "bar.sync 0; setp.eq.u32 %p1, %r5, 0;\n.loc 1 21 0\n@%p1 bra EVEN; add.u32 %r2, %r2, 1;\n"
        "EVEN: add.u32 %r4, %r4, 1; setp.lt.u32 %p5, %r4, 40;\n.loc 1 22 0\n@%p5 bra LOOP;\n";
    const struct branch_row *rows;
    b = branches_open();
    listener.rows = branches_observer(b);
    listener.observer = *listener.rows;
    listener.observer.launch_begin = listen_from_begin;
    listener.observer.branch = listen;
    struct machine m = {.grid = {13, 1, 1}, .block = {64, 1, 1}, .observer = &listener.observer};
    machine_run(&m, text);
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_uint_eq(branches_rows(b, &rows), 2);
    ck_assert_uint_eq(rows[0].executed, 13 * 2 * 40);
    ck_assert_uint_eq(rows[0].class_count, 2);
    ck_assert_uint_eq(rows[0].classes[0].count, 13 * 40);
    ck_assert_uint_eq(rows[0].classes[1].count, 13 * 40);
    ck_assert_uint_eq(rows[1].executed, 13 * 2 * 40);
    ck_assert_uint_lt(listener.told, 2 * 2 * 2 * 40); /* the first block's are told */
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("branches");
    tcase_add_loop_test(tests, counted_ones_add_up_to_what_each_tells, 1, 4);
    tcase_add_test(tests, two_ways_are_counted_in_turns);
    return run_suite("branches", tests);
}
